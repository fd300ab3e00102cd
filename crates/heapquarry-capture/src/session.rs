//! A connection to a target: requests, answers and events.

use crate::{Address, Error, Result, Target, message::member, stream::Stream};
use serde_json::{Value, json};
use std::{
    io,
    time::{Duration, Instant},
};
use tungstenite::{
    Message, Utf8Bytes, WebSocket,
    client::{IntoClientRequest, client_with_config},
    error::{CapacityError, Error as SocketError},
    http::{HeaderName, HeaderValue},
    protocol::WebSocketConfig,
};

/// How long to wait for data before `stop` is asked.
const POLL: Duration = Duration::from_millis(50);

/// How long an answer may take, except that of what is recorded.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest message in bytes. A CPU profile is one message.
const LONGEST: usize = 1 << 30;

/// A connection to a target. Objects of successive heap snapshots have the same ids as long as it lasts.
pub struct Session {
    socket: WebSocket<Stream>,
    pub(crate) address: Address,
    next: u64,
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

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// If the target cannot be reached, or does not speak the protocol.
    pub fn open(target: &Target) -> Result<Self> {
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
        let stream = Stream::connect(address)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let connected = client_with_config(request, stream, Some(config));
        let (socket, _) = connected.map_err(|error| {
            fail(match error {
                tungstenite::HandshakeError::Interrupted(_) => "it does not answer".into(),
                tungstenite::HandshakeError::Failure(error) => plain(&error),
            })
        })?;
        socket.get_ref().set_read_timeout(POLL).map_err(|error| fail(error.to_string()))?;
        Ok(Session { socket, address: address.clone(), next: 0 })
    }

    /// Asks something. Returns the number of the answer.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.next += 1;
        let message = json!({ "id": self.next, "method": method, "params": params }).to_string();
        self.socket.send(Message::text(message)).map_err(|error| self.gone(&error))?;
        Ok(self.next)
    }

    /// The next message, before a time.
    pub(crate) fn receive(
        &mut self,
        until: Option<Instant>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Next> {
        loop {
            if stop() {
                return Ok(Next::Stopped);
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                return Ok(Next::Late);
            }
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(Next::Message(text)),
                Ok(_) => {}
                Err(SocketError::Io(error)) if is_timeout(&error) => {}
                Err(error) => return Err(self.gone(&error)),
            }
        }
    }

    /// Asks something, and returns the result as JSON. Events that come meanwhile are dropped.
    pub(crate) fn call(&mut self, method: &'static str, params: &Value) -> Result<Value> {
        let text = self.call_raw(method, params, Some(PATIENCE))?;
        let result = member(&text, "result");
        Ok(result.and_then(|result| serde_json::from_str(result).ok()).unwrap_or_default())
    }

    /// Asks something, and returns the whole answer.
    pub(crate) fn call_raw(
        &mut self,
        method: &'static str,
        params: &Value,
        patience: Option<Duration>,
    ) -> Result<Utf8Bytes> {
        let id = self.send(method, params)?;
        let until = patience.map(|patience| Instant::now() + patience);
        match self.answer(id, until)? {
            Some(answer) => check(method, &answer).map(|()| answer),
            None => Err(Error::Silent { place: self.address.to_string(), method }),
        }
    }

    /// The answer of that number, which can be an error; `None` if it does not come in time.
    pub(crate) fn answer(&mut self, id: u64, until: Option<Instant>) -> Result<Option<Utf8Bytes>> {
        loop {
            match self.receive(until, &|| false)? {
                Next::Message(text) if is_answer(&text, id) => return Ok(Some(text)),
                Next::Message(_) | Next::Stopped => {}
                Next::Late => return Ok(None),
            }
        }
    }

    /// Waits. Returns `false` if it was stopped.
    ///
    /// # Errors
    /// If the connection ends.
    pub fn wait(&mut self, time: Option<Duration>, stop: &dyn Fn() -> bool) -> Result<bool> {
        let until = time.map(|time| Instant::now() + time);
        loop {
            match self.receive(until, stop)? {
                Next::Message(_) => {}
                Next::Late => return Ok(true),
                Next::Stopped => return Ok(false),
            }
        }
    }

    /// Has a Node that opened its inspector at a signal close it again, which ends the connection.
    pub fn close_inspector(mut self) {
        let params = json!({ "expression": "process._debugEnd()", "silent": true });
        if self.send("Runtime.evaluate", &params).is_ok() {
            // Until the connection ends.
            let _ = self.wait(Some(PATIENCE), &|| false);
        }
    }

    fn gone(&self, error: &SocketError) -> Error {
        Error::Gone { place: self.address.to_string(), why: plain(error) }
    }
}

/// Says goodbye, so that the target does not wait for more.
impl Drop for Session {
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

/// Whether there is no data yet. A read with a time limit is not restarted after a signal: signal(7).
fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
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
