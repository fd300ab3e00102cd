//! SQL of the page: who may ask, and what ends a query.

mod common;

use common::{LONGEST, Running, status};
use heapquarry::{Cancel, Source};
use heapquarry_explore::{Form, Query, Sql};
use std::{net::Shutdown, sync::mpsc, thread};

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

/// A server with a database.
struct Asked {
    running: Running,
    began: mpsc::Receiver<()>,
    ended: mpsc::Receiver<()>,
}

impl Asked {
    fn start() -> Self {
        let (send_began, began) = mpsc::channel();
        let (send_ended, ended) = mpsc::channel();
        let database = Database { began: send_began, ended: send_ended };
        let source = Source::bytes("a.cpuprofile", PROFILE.as_bytes());
        let running = Running::with(source, None, |server| server.sql(database));
        Asked { running, began, ended }
    }

    /// A question as the page asks it.
    fn request(&self, body: &str) -> String {
        let Running { port, token, .. } = &self.running;
        let own = format!("127.0.0.1:{port}");
        format!(
            "POST /{token}/api/sql HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nSec-Fetch-Site: same-origin\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// The answer to that question.
    fn ask(&self, body: &str) -> String {
        self.running.send(&self.request(body))
    }
}

#[test]
fn queries_have_results() {
    let asked = Asked::start();
    for (body, expected, text) in [
        (
            r#"{"sql":"FROM x"}"#,
            200,
            r#"{"columns":["sql","b"],"rows":[["FROM x",null]],"has_more":false}"#,
        ),
        (r#"{"sql":"FROM x","csv":true}"#, 200, "sql\nFROM x\n"),
        (r#"{"sql":"no query"}"#, 400, r#"{"error":"it is none"}"#),
    ] {
        let answer = asked.ask(body);
        assert_eq!(status(&answer), expected, "{body}: {answer}");
        assert_eq!(answer.split_once("\r\n\r\n").unwrap().1, text, "{body}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    }
    for body in ["", "FROM x", r#"{"sql":"FROM x","input":"/etc/passwd"}"#, r#"{"sql":7}"#, "{}"] {
        assert_eq!(status(&asked.ask(body)), 400, "{body}");
    }
    let long = format!(r#"{{"sql":"{}"}}"#, "x".repeat(70_000));
    assert_eq!(status(&asked.ask(&long)), 413);
}

#[test]
fn only_the_page_asks_in_sql() {
    let asked = Asked::start();
    let good = asked.request(r#"{"sql":"FROM x"}"#);
    let own = format!("127.0.0.1:{}", asked.running.port);
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
        (&*asked.running.token, &*"0".repeat(asked.running.token.len()), 404),
        (&*format!("/{}/api/sql", asked.running.token), "/api/sql", 404),
        ("/api/sql", "/api/overview", 405),
        ("/api/sql", "/api/alive", 405),
        ("/api/sql", "/", 405),
        ("POST", "PUT", 405),
        ("POST", "GET", 404),
    ] {
        let request = good.replacen(from, to, 1);
        let answer = asked.running.send(&request);
        assert_eq!(status(&answer), expected, "{from:?} {to:?}: {answer}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
        assert!(!answer.contains(&asked.running.token), "{answer}");
    }
}

#[test]
fn a_query_ends_when_nobody_waits_for_it() {
    let asked = Asked::start();
    let page = asked.running.connect(&asked.request(r#"{"sql":"wait"}"#));
    asked.began.recv_timeout(LONGEST).unwrap();
    page.shutdown(Shutdown::Both).unwrap();
    asked.ended.recv_timeout(LONGEST).unwrap();
    // The next one is answered.
    assert_eq!(status(&asked.ask(r#"{"sql":"FROM x"}"#)), 200);
}

#[test]
fn a_fault_of_the_database_is_told_and_the_next_query_is_answered() {
    let asked = Asked::start();
    let answer = asked.ask(r#"{"sql":"panic"}"#);
    assert_eq!(status(&answer), 400, "{answer}");
    assert!(answer.contains("the query has failed"), "{answer}");
    assert_eq!(status(&asked.ask(r#"{"sql":"FROM x"}"#)), 200);
}

#[test]
fn a_query_ends_with_the_server_and_those_that_wait_do_not_begin() {
    let mut asked = Asked::start();
    let wait = || asked.running.connect(&asked.request(r#"{"sql":"wait"}"#));
    let (_page, _other) = (wait(), wait());
    asked.began.recv_timeout(LONGEST).unwrap();
    asked.running.cancel.cancel();
    assert!(asked.running.ends.take().unwrap().join().unwrap().is_err());
    // The server has waited for it.
    asked.ended.try_recv().unwrap();
    assert!(asked.began.try_recv().is_err());
}
