//! A server of objects that answers as it is told.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub method: String,
    /// Path and query.
    pub path: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    /// From 1.
    pub number: usize,
}

/// What comes back.
pub(crate) enum Answer {
    /// Nothing, ever.
    Silence,
    /// Status, headers and body.
    Reply(u16, Vec<(&'static str, String)>, Vec<u8>),
}

pub(crate) struct Server {
    pub url: String,
    /// All requests, as they came.
    pub seen: Arc<Mutex<Vec<Request>>>,
    /// Tells of each request that is not answered.
    silent: mpsc::Receiver<()>,
}

impl Server {
    pub(crate) fn new(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<Request>>>::default();
        let (tell, silent) = mpsc::channel();
        let (answer, all) = (Arc::new(answer), seen.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, all, tell) = (answer.clone(), all.clone(), tell.clone());
                thread::spawn(move || converse(stream, &*answer, &all, &tell));
            }
        });
        Server { url, seen, silent }
    }

    /// Waits until a request is not answered.
    pub(crate) fn wait_for_silence(&self) {
        self.silent.recv_timeout(Duration::from_secs(120)).unwrap();
    }
}

fn converse(
    stream: TcpStream,
    answer: &dyn Fn(&Request) -> Answer,
    all: &Mutex<Vec<Request>>,
    tell: &mpsc::Sender<()>,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut out = stream;
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let mut words = lines.first()?.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
        let headers: HashMap<_, _> =
            headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink()).ok()?;
        let request = {
            let mut all = all.lock().unwrap();
            let request = Request { method, path, headers, number: all.len() + 1 };
            all.push(request.clone());
            request
        };
        let Answer::Reply(status, headers, body) = answer(&request) else {
            tell.send(()).ok()?;
            // Until the other side has enough.
            let _ = reader.read(&mut [0]);
            return None;
        };
        let mut head = format!("HTTP/1.1 {status} X\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        out.write_all(head.as_bytes()).ok()?;
        if request.method != "HEAD" {
            out.write_all(&body).ok()?;
        }
    }
}

/// The range of an object that a request asks for, with these headers. Conditions do not matter, as to many servers.
pub(crate) fn part(
    object: &[u8],
    request: &Request,
    mut headers: Vec<(&'static str, String)>,
) -> Answer {
    let range = request.headers.get("range").and_then(|range| {
        let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((from.parse::<usize>().ok()?, to.parse::<usize>().ok()?.min(object.len() - 1)))
    });
    let Some((from, to)) = range else { return Answer::Reply(200, headers, object.to_vec()) };
    headers.push(("Content-Range", format!("bytes {from}-{to}/{}", object.len())));
    Answer::Reply(206, headers, object[from..=to].to_vec())
}
