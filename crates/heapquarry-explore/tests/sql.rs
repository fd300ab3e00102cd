//! SQL of the page: who may ask, and what ends a query.

use heapquarry::{Cancel, RunOptions, Source};
use heapquarry_explore::{Form, Query, Server, Sql};
use heapquarry_query::Session;
use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

/// How long a test waits for what must come.
const LONGEST: Duration = Duration::from_secs(60);

const PROFILE: &str = r#"{"nodes":[
{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}}],
"startTime":0,"endTime":100,"samples":[1],"timeDeltas":[0]}"#;

/// Answers with the text of the query, or does not answer until it is cancelled.
struct Database {
    began: mpsc::Sender<()>,
    ended: mpsc::Sender<()>,
}

impl Sql for Database {
    fn result(&self, query: &Query<'_>, cancel: &Cancel) -> Result<Vec<u8>, String> {
        match query.sql {
            "no query" => return Err("it is none".into()),
            "panic" => panic!("a fault of the database"),
            "wait" => {
                self.began.send(()).unwrap();
                while !cancel.is_cancelled() {
                    thread::yield_now();
                }
                self.ended.send(()).unwrap();
                return Err("cancelled".into());
            }
            _ => {}
        }
        Ok(match query.form {
            Form::Csv => format!("sql\n{}\n", query.sql).into_bytes(),
            Form::Rows { .. } => format!("{{\"sql\":\"{}\",\"b\":null}}\n", query.sql).into_bytes(),
        })
    }
}

struct Running {
    port: u16,
    token: String,
    cancel: Cancel,
    began: mpsc::Receiver<()>,
    ended: mpsc::Receiver<()>,
    ends: Option<thread::JoinHandle<heapquarry::Result<()>>>,
}

impl Running {
    fn start() -> Self {
        let server = Server::bind(0).unwrap();
        let (send_began, began) = mpsc::channel();
        let (send_ended, ended) = mpsc::channel();
        server.sql(Database { began: send_began, ended: send_ended });
        let opened = server.opened();
        let cancel = Cancel::new();
        let progress = server.progress(Arc::new(()));
        let options = RunOptions::default().cancel(cancel.clone()).progress(progress);
        let source = Source::bytes("a.cpuprofile", PROFILE.as_bytes());
        let session = Session::new([source], &options);
        let own = cancel.clone();
        let ends = Some(thread::spawn(move || server.run(session, None, &own, |_| ())));
        let token = opened.address.rsplit('/').nth(1).unwrap().to_string();
        let running = Running { port: opened.port, token, cancel, began, ended, ends };
        let status = || {
            let host = format!("Host: 127.0.0.1:{}", running.port);
            running.send(&format!("GET /{}/api/status HTTP/1.1\r\n{host}\r\n\r\n", running.token))
        };
        while !status().contains("ready") {
            thread::yield_now();
        }
        running
    }

    fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn send(&self, request: &str) -> String {
        let mut answer = String::new();
        self.connect(request).read_to_string(&mut answer).unwrap();
        answer
    }

    /// A question as the page asks it.
    fn request(&self, body: &str) -> String {
        let Running { port, token, .. } = self;
        let own = format!("127.0.0.1:{port}");
        format!(
            "POST /{token}/api/sql HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(ends) = self.ends.take() {
            let _ = ends.join();
        }
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap_or_else(|| panic!("{answer:?}")).parse().unwrap()
}

#[test]
fn queries_have_results() {
    let running = Running::start();
    for (body, expected, text) in [
        (
            r#"{"sql":"FROM x"}"#,
            200,
            r#"{"columns":["sql","b"],"rows":[["FROM x",null]],"has_more":false}"#,
        ),
        (r#"{"sql":"FROM x","csv":true}"#, 200, "sql\nFROM x\n"),
        (r#"{"sql":"no query"}"#, 400, r#"{"error":"it is none"}"#),
    ] {
        let answer = running.send(&running.request(body));
        assert_eq!(status(&answer), expected, "{body}: {answer}");
        assert_eq!(answer.split_once("\r\n\r\n").unwrap().1, text, "{body}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    }
    for body in ["", "FROM x", r#"{"sql":"FROM x","input":"/etc/passwd"}"#, r#"{"sql":7}"#, "{}"] {
        assert_eq!(status(&running.send(&running.request(body))), 400, "{body}");
    }
    let long = format!(r#"{{"sql":"{}"}}"#, "x".repeat(70_000));
    assert_eq!(status(&running.send(&running.request(&long))), 413);
}

#[test]
fn only_the_page_asks_in_sql() {
    let running = Running::start();
    let good = running.request(r#"{"sql":"FROM x"}"#);
    let own = format!("127.0.0.1:{}", running.port);
    for (from, to, expected) in [
        ("", "", 200),
        (&*format!("Host: {own}"), "Host: evil.example", 403),
        (&*format!("Origin: http://{own}\r\n"), "", 403),
        (&*format!("Origin: http://{own}\r\n"), "Origin: http://evil.example\r\n", 403),
        (&*format!("Origin: http://{own}\r\n"), "Origin: http://127.0.0.1:1\r\n", 403),
        (&*format!("Origin: http://{own}\r\n"), "Origin: null\r\n", 403),
        ("same-origin", "same-site", 403),
        ("same-origin", "cross-site", 403),
        ("same-origin", "none", 200),
        ("Content-Type: application/json\r\n", "", 403),
        ("application/json", "text/plain", 403),
        ("application/json", "application/x-www-form-urlencoded", 403),
        ("Content-Length", "X-Length", 400),
        ("Content-Length", "Transfer-Encoding: chunked\r\nContent-Length", 400),
        (&*running.token, &*"0".repeat(running.token.len()), 404),
        (&*format!("/{}/api/sql", running.token), "/api/sql", 404),
        ("/api/sql", "/api/overview", 405),
        ("/api/sql", "/api/alive", 405),
        ("/api/sql", "/", 405),
        ("POST", "PUT", 405),
        ("POST", "GET", 404),
    ] {
        let request = good.replacen(from, to, 1);
        let answer = running.send(&request);
        assert_eq!(status(&answer), expected, "{from:?} {to:?}: {answer}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
        assert!(!answer.contains(&running.token), "{answer}");
    }
}

#[test]
fn a_query_ends_when_nobody_waits_for_it() {
    let running = Running::start();
    let page = running.connect(&running.request(r#"{"sql":"wait"}"#));
    running.began.recv_timeout(LONGEST).unwrap();
    page.shutdown(Shutdown::Both).unwrap();
    running.ended.recv_timeout(LONGEST).unwrap();
    // The next one is answered.
    assert_eq!(status(&running.send(&running.request(r#"{"sql":"FROM x"}"#))), 200);
}

#[test]
fn a_fault_of_the_database_is_told_and_the_next_query_is_answered() {
    let running = Running::start();
    let answer = running.send(&running.request(r#"{"sql":"panic"}"#));
    assert_eq!(status(&answer), 400, "{answer}");
    assert!(answer.contains("the query has failed"), "{answer}");
    assert_eq!(status(&running.send(&running.request(r#"{"sql":"FROM x"}"#))), 200);
}

#[test]
fn a_query_ends_with_the_server_and_those_that_wait_do_not_begin() {
    let mut running = Running::start();
    let wait = || running.connect(&running.request(r#"{"sql":"wait"}"#));
    let (_page, _other) = (wait(), wait());
    running.began.recv_timeout(LONGEST).unwrap();
    running.cancel.cancel();
    assert!(running.ends.take().unwrap().join().unwrap().is_err());
    // The server has waited for it.
    running.ended.try_recv().unwrap();
    assert!(running.began.try_recv().is_err());
}
