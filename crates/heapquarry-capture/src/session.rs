//! A connection to a target: requests, answers and events.

use crate::{
    Address, Error, Result, Target,
    kept::Kept,
    message::member,
    stream::{PATIENCE, Stream, Watch, is_timeout},
    workers::{Channel, Passed},
};
use heapquarry_process::Isolate;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tungstenite::{
    HandshakeError, Message, Utf8Bytes, WebSocket,
    client::{IntoClientRequest, client_with_config},
    error::{CapacityError, Error as SocketError},
    http::{HeaderName, HeaderValue},
    protocol::WebSocketConfig,
};

/// Longest message in bytes. A CPU profile is one message.
const LONGEST: usize = 256 << 20;

/// How long a target may take to say goodbye to those who were stopped.
const GOODBYE: Duration = Duration::from_millis(500);

/// A connection to a target. Objects of successive heap snapshots have the same ids as long as it lasts.
pub struct Session<'a> {
    socket: WebSocket<Stream<'a>>,
    pub(crate) address: Address,
    /// What the target is, without the worker that is spoken to.
    main: Isolate,
    next: u64,
    pub(crate) kept: Kept,
    /// The worker that is spoken to.
    pub(crate) worker: Option<Channel>,
}

/// What to do while there is no message.
pub(crate) enum Next {
    /// A message.
    Message(Utf8Bytes),
    /// The time is over.
    Late,
    /// `stop` said so.
    Stopped,
}

impl<'a> Session<'a> {
    /// Connects. `stop` is asked often, whatever the target does. Each time that it returns `true` it ends what is
    /// done: a recording, which is then taken, or else everything. So it should return it once for each interrupt.
    ///
    /// # Errors
    /// If the target cannot be reached, or does not speak the protocol.
    pub fn open(target: &Target, stop: &'a dyn Fn() -> bool) -> Result<Self> {
        let address = &target.address;
        let place = address.to_string();
        let fail = |why: String| Error::Unreachable { place: place.clone(), why };
        let path = address.path.as_deref().unwrap_or("/");
        let mut request = format!("ws://{place}{path}")
            .into_client_request()
            .map_err(|_| fail("its path is none".into()))?;
        for (name, value) in &address.headers {
            let header = HeaderName::try_from(name).ok().zip(HeaderValue::try_from(value).ok());
            let (name, value) = header.ok_or_else(|| fail("a header is none".into()))?;
            request.headers_mut().append(name, value);
        }
        let stream = Stream::connect(address, Watch::new(stop))?;
        stream.watch.set_until(Some(Instant::now() + PATIENCE));
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let mut connected = client_with_config(request, stream, Some(config));
        loop {
            connected = match connected {
                Ok((socket, _)) => {
                    let address = address.clone();
                    let (kept, worker) = (Kept::default(), None);
                    let main = Isolate::told("main", &target.title, &target.url);
                    let mut session = Session { socket, address, main, next: 0, kept, worker };
                    if let Some(id) = &target.worker {
                        session.enter_by_id(id)?;
                    }
                    return Ok(session);
                }
                Err(HandshakeError::Failure(error)) => return Err(fail(plain(&error))),
                Err(HandshakeError::Interrupted(begun)) => {
                    let watch = &begun.get_ref().get_ref().watch;
                    if watch.is_stopped() {
                        return Err(Error::Interrupted);
                    }
                    if watch.is_late() {
                        return Err(fail("it does not answer".into()));
                    }
                    begun.handshake()
                }
            };
        }
    }

    /// What the target is: its main isolate.
    pub fn main(&self) -> &Isolate {
        &self.main
    }

    pub(crate) fn watch(&self) -> &Watch<'a> {
        &self.socket.get_ref().watch
    }

    /// Asks something. Returns the number of the answer.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.next += 1;
        let message = json!({ "id": self.next, "method": method, "params": params });
        let message = match &self.worker {
            Some(worker) => worker.outgoing(message),
            None => message.to_string(),
        };
        self.socket.send(Message::text(message)).map_err(|error| {
            match self.watch().is_stopped() {
                true => Error::Interrupted,
                false => self.gone(&error),
            }
        })?;
        Ok(self.next)
    }

    /// The next message, before a time.
    pub(crate) fn receive(&mut self, until: Option<Instant>) -> Result<Next> {
        self.watch().set_until(until);
        loop {
            if self.watch().is_stopped() {
                return Ok(Next::Stopped);
            }
            if self.watch().is_late() {
                return Ok(Next::Late);
            }
            match self.socket.read() {
                Ok(Message::Text(text)) if self.kept.wants(&text) => self.kept.push(text),
                Ok(Message::Text(text)) => match &self.worker {
                    None => return Ok(Next::Message(text)),
                    Some(worker) => match worker.incoming(text) {
                        Passed::Message(text) => return Ok(Next::Message(text)),
                        Passed::Other => {}
                        Passed::Ended => {
                            let place = self.address.to_string();
                            return Err(Error::Gone { place, why: "the worker has ended".into() });
                        }
                    },
                },
                Ok(_) => {}
                Err(SocketError::Io(error)) if is_timeout(&error) => {}
                Err(error) => return Err(self.gone(&error)),
            }
        }
    }

    /// Asks something, and returns the result as JSON. Events that come meanwhile are dropped.
    pub(crate) fn call(&mut self, method: &'static str, params: &Value) -> Result<Value> {
        let text = self.call_raw(method, params, PATIENCE)?;
        let result = member(&text, "result");
        Ok(result.and_then(|result| serde_json::from_str(result).ok()).unwrap_or_default())
    }

    /// The value of an expression, which may use what a console has, such as `require`; null if it throws. Some have
    /// nothing that could evaluate it, such as workerd: null, too.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let params = json!({
            "expression": expression,
            "returnByValue": true,
            "silent": true,
            "includeCommandLineAPI": true,
        });
        match self.call("Runtime.evaluate", &params) {
            Err(Error::Refused { .. }) => Ok(Value::Null),
            told => Ok(told?["result"]["value"].take()),
        }
    }

    /// Asks something, and returns the whole answer.
    pub(crate) fn call_raw(
        &mut self,
        method: &'static str,
        params: &Value,
        patience: Duration,
    ) -> Result<Utf8Bytes> {
        let id = self.send(method, params)?;
        match self.answer(id, Instant::now() + patience)? {
            Some(answer) => check(method, &answer).map(|()| answer),
            None => Err(Error::Silent { place: self.address.to_string(), method }),
        }
    }

    /// The answer of that number, which can be an error; `None` if it does not come in time.
    pub(crate) fn answer(&mut self, id: u64, until: Instant) -> Result<Option<Utf8Bytes>> {
        loop {
            match self.receive(Some(until))? {
                Next::Message(text) if is_answer(&text, id) => return Ok(Some(text)),
                Next::Message(_) => {}
                Next::Stopped => return Err(Error::Interrupted),
                Next::Late => return Ok(None),
            }
        }
    }

    /// Waits. Returns `false` if it was stopped, which is then forgotten.
    ///
    /// # Errors
    /// If the connection ends.
    pub fn wait(&mut self, time: Option<Duration>) -> Result<bool> {
        let until = time.map(|time| Instant::now() + time);
        loop {
            match self.receive(until)? {
                Next::Message(_) => {}
                Next::Late => return Ok(true),
                Next::Stopped => {
                    self.watch().resume();
                    return Ok(false);
                }
            }
        }
    }

    /// Has a Node that opened its inspector at a signal close it again, which ends the connection.
    pub fn close_inspector(mut self) {
        let params = json!({ "expression": "process._debugEnd()", "silent": true });
        let patience = if self.watch().is_stopped() { GOODBYE } else { PATIENCE };
        self.watch().resume();
        self.worker = None;
        if self.send("Runtime.evaluate", &params).is_ok() {
            // Until the connection ends.
            let _ = self.wait(Some(patience));
        }
    }

    fn gone(&self, error: &SocketError) -> Error {
        Error::Gone { place: self.address.to_string(), why: plain(error) }
    }
}

/// Says goodbye, so that the target does not wait for more.
impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = self.socket.close(None);
        let _ = self.socket.flush();
    }
}

/// Whether a message is the answer of that number.
pub(crate) fn is_answer(text: &str, id: u64) -> bool {
    // An answer begins with its number; events, which can be large, have none.
    let start = text.get(..64).unwrap_or(text);
    start.contains("\"id\"") && member(text, "id").is_some_and(|found| found.parse() == Ok(id))
}

/// The error of an answer.
pub(crate) fn check(method: &'static str, answer: &str) -> Result<()> {
    let Some(error) = member(answer, "error") else { return Ok(()) };
    let error: Value = serde_json::from_str(error).unwrap_or_default();
    let why = error["message"].as_str().unwrap_or("no reason given").into();
    Err(Error::Refused { method, why })
}

/// An error of the socket without what the target or the address says.
fn plain(error: &SocketError) -> String {
    match error {
        SocketError::Io(error) => error.to_string(),
        SocketError::Http(answer) => format!("it answers with HTTP status {}", answer.status()),
        SocketError::ConnectionClosed | SocketError::AlreadyClosed => "it was closed".into(),
        SocketError::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => {
            "it was reset".into()
        }
        SocketError::Capacity(CapacityError::MessageTooLong { size, max_size }) => {
            format!("a message of {size} bytes is longer than {max_size}")
        }
        SocketError::Url(_) | SocketError::HttpFormat(_) => "the address is none".into(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Options, Trust, choose};
    use std::{
        cell::Cell,
        io::{Read, Write},
        net::{TcpListener, TcpStream},
        thread,
    };

    /// Writes the bytes without end, with a pause after each piece.
    fn endless(stream: &mut TcpStream, piece: &[u8], pause: u64) {
        while stream.write_all(piece).is_ok() {
            thread::sleep(Duration::from_millis(pause));
        }
    }

    /// Keeps the connection open, in silence.
    fn silence(stream: &mut TcpStream) {
        while stream.read(&mut [0; 1000]).is_ok_and(|read| read > 0) {}
    }

    /// What a target does to whoever has connected.
    type Act = fn(&mut TcpStream);

    /// Acts after the handshake, at the first request.
    fn at_first_request(stream: &mut TcpStream, act: Act) {
        let mut socket = tungstenite::accept(stream.try_clone().unwrap()).unwrap();
        let _ = socket.read();
        act(stream);
    }

    #[test]
    fn an_interrupt_ends_everything_whatever_the_target_does() {
        let list = "list";
        let socket = "socket";
        for (what, path, act) in [
            ("no list", list, silence as Act),
            ("a byte of a list now and then", list, |s| {
                s.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
                endless(s, b"x", 10);
            }),
            ("a list without end", list, |s| endless(s, b"HTTP/1.1 200 OK\r\n\r\n[[[[", 0)),
            ("no handshake", socket, silence),
            ("a byte of a handshake now and then", socket, |s| {
                s.write_all(b"HTTP/1.1 101 X\r\nX: ").unwrap();
                endless(s, b"x", 10);
            }),
            ("no answer", socket, |s| at_first_request(s, silence)),
            ("pings", socket, |s| at_first_request(s, |s| endless(s, &[0x89, 0], 0))),
            ("empty pieces", socket, |s| {
                at_first_request(s, |s| {
                    s.write_all(&[0x01, 1, b'x']).unwrap();
                    endless(s, &[0; 1000], 0);
                });
            }),
            ("a byte of a message now and then", socket, |s| {
                at_first_request(s, |s| {
                    s.write_all(&[0x81, 126, 0xff, 0xff]).unwrap();
                    endless(s, b"x", 10);
                });
            }),
            ("events", socket, |s| at_first_request(s, |s| endless(s, b"\x81\x02{}", 0))),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let place = listener.local_addr().unwrap().to_string();
            let address = if path == list { place } else { format!("ws://{place}/1") };
            let target = thread::spawn(move || act(&mut listener.accept().unwrap().0));
            let address = Address::parse(&address, &Trust::default()).unwrap();
            let asked = Cell::new(0);
            // Once, when all is under way.
            let stop = || asked.replace(asked.get() + 1) == 20;
            let recorded =
                choose(&address, &stop).and_then(|target| Session::open(&target, &stop)).and_then(
                    |mut session| session.record(Kind::Cpu, &Options::default(), &mut Vec::new()),
                );
            assert!(matches!(recorded, Err(Error::Interrupted)), "{what}: {recorded:?}");
            target.join().unwrap();
        }
    }
}
