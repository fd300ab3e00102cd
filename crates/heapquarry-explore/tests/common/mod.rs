//! A server that runs for a test.
#![allow(dead_code, reason = "each test uses a part of it")]

use heapquarry::{Cancel, RunOptions, Source};
use heapquarry_explore::Server;
use heapquarry_query::Session;
use serde_json::Value;
use std::{
    io::{self, Read, Write},
    net::TcpStream,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long a test waits for what must come.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

/// A server with an input, which ends with the test.
pub(crate) struct Running {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) once: String,
    pub(crate) cancel: Cancel,
    pub(crate) ends: Option<JoinHandle<heapquarry::Result<()>>>,
}

impl Running {
    /// Starts it, with what `prepare` adds, and waits until the input is read.
    pub(crate) fn with(
        source: Source,
        close_after: Option<Duration>,
        prepare: impl FnOnce(&Server),
    ) -> Self {
        let server = Server::bind(0).unwrap();
        prepare(&server);
        let opened = server.opened();
        let cancel = Cancel::new();
        let progress = server.progress(Arc::new(()));
        let options = RunOptions::default().cancel(cancel.clone()).progress(progress);
        let session = Session::new([source], &options);
        let (begun, has_begun) = mpsc::channel();
        let own = cancel.clone();
        let run = move || server.run(session, close_after, &own, |_| begun.send(()).unwrap());
        let ends = Some(thread::spawn(run));
        has_begun.recv_timeout(LONGEST).expect("it begins to read");
        let token = opened.address.rsplit('/').nth(1).unwrap().to_string();
        let running = Running { port: opened.port, token, once: opened.once, cancel, ends };
        let start = Instant::now();
        while running.json("status")["stage"] != "ready" {
            assert!(start.elapsed() < LONGEST, "it is still being read");
            thread::sleep(Duration::from_millis(2));
        }
        running
    }

    /// How it ended, which it does soon.
    pub(crate) fn ended(&mut self) -> heapquarry::Result<()> {
        let ends = self.ends.take().unwrap();
        assert!(has_finished(&ends), "it does not end");
        ends.join().unwrap()
    }

    /// A connection on which these bytes have been sent.
    pub(crate) fn connect(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// What comes back for these bytes.
    pub(crate) fn send(&self, request: &str) -> String {
        let mut answer = String::new();
        let mut stream = self.connect(request);
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        match stream.read_to_string(&mut answer) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            result => drop(result.unwrap()),
        }
        answer
    }

    /// What comes back for a path, asked for as the page does.
    pub(crate) fn get(&self, path: &str) -> String {
        let port = self.port;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n\r\n"
        ))
    }

    pub(crate) fn api(&self, question: &str) -> (u16, Value) {
        let answer = self.get(&format!("/{}/api/{question}", self.token));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Content-Type: application/json\r\n"), "{question}: {head}");
        (status(&answer), serde_json::from_str(body).unwrap())
    }

    pub(crate) fn json(&self, question: &str) -> Value {
        let (status, json) = self.api(question);
        assert_eq!(status, 200, "{question}: {json}");
        json
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        // One that does not end ends with the test.
        if let Some(ends) = self.ends.take().filter(has_finished) {
            let _ = ends.join();
        }
    }
}

/// Whether a thread ends in time.
fn has_finished<T>(thread: &JoinHandle<T>) -> bool {
    let start = Instant::now();
    while !thread.is_finished() && start.elapsed() < LONGEST {
        thread::sleep(Duration::from_millis(2));
    }
    thread.is_finished()
}

pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap_or_else(|| panic!("{answer:?}")).parse().unwrap()
}
