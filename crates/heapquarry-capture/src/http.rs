//! What an inspector says over HTTP: its targets.

use crate::{
    Address, Error, Result,
    stream::{PATIENCE, Stream, Watch},
};
use serde::de::DeserializeOwned;
use std::{
    io::{self, Read, Write},
    time::Instant,
};

/// Longest answer that is read, and longest headers, in bytes.
const LONGEST: u64 = 16 << 20;
const LONGEST_HEADERS: usize = 64 << 10;
const HEADERS: usize = 64;

/// The JSON document at a path.
pub(crate) fn get<T: DeserializeOwned>(
    address: &Address,
    path: &str,
    stop: &dyn Fn() -> bool,
) -> Result<T> {
    let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
    let mut stream = Stream::connect(address, Watch::new(stop))?;
    stream.watch.set_until(Some(Instant::now() + PATIENCE));
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in &address.headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    let sent = stream.write_all(request.as_bytes());
    let body = sent.and_then(|()| read(&mut Patient(&mut stream)));
    let body = body.map_err(|error| match stream.watch.is_stopped() {
        true => Error::Interrupted,
        false => fail(error.to_string()),
    })?;
    let body = body.ok_or_else(|| fail("it does not speak HTTP as an inspector does".into()))?;
    serde_json::from_slice(&body).map_err(|_| fail("its answer is not that of an inspector".into()))
}

/// Waits for bytes, until it is too late or stopped.
struct Patient<'s, 'a>(&'s mut Stream<'a>);

impl Read for Patient<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let watch = &self.0.watch;
                    if watch.is_stopped() || watch.is_late() {
                        return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
                    }
                }
                read => return read,
            }
        }
    }
}

/// The body of a successful answer.
fn read(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut answer = httparse::Response::new(&mut headers);
        let parsed = answer.parse(&bytes);
        let Ok(parsed) = parsed else { return Ok(None) };
        if let httparse::Status::Complete(start) = parsed {
            if answer.code != Some(200) {
                return Ok(None);
            }
            let length = |h: &httparse::Header<'_>| std::str::from_utf8(h.value).ok()?.parse().ok();
            let mut headers = answer.headers.iter();
            let length: Option<u64> = headers
                .find(|header| header.name.eq_ignore_ascii_case("content-length"))
                .and_then(length);
            let mut body = bytes.split_off(start);
            let length = length.unwrap_or(LONGEST).min(LONGEST);
            stream.take(length.saturating_sub(body.len() as u64)).read_to_end(&mut body)?;
            body.truncate(length as usize);
            return Ok(Some(body));
        }
        let read = stream.read(&mut chunk)?;
        if read == 0 || bytes.len() > LONGEST_HEADERS {
            return Ok(None);
        }
        bytes.extend(&chunk[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_to_their_end() {
        for (answer, body) in [
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]and more", Some("[]")),
            ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]", Some("[]")),
            ("HTTP/1.1 200 OK\r\n\r\n[1]", Some("[1]")),
            ("HTTP/1.1 404 Not Found\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\n", None),
            ("SSH-2.0-OpenSSH\r\n", None),
            ("", None),
        ] {
            let found = read(&mut answer.as_bytes()).unwrap();
            assert_eq!(found.as_deref(), body.map(str::as_bytes), "{answer}");
        }
    }
}
