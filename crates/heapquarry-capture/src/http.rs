//! What an inspector says over HTTP: its targets.

use crate::{Address, Error, Result, stream::Stream};
use serde::de::DeserializeOwned;
use std::io::{Read, Write};

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 16 << 20;
const HEADERS: usize = 64;

/// The JSON document at a path.
pub(crate) fn get<T: DeserializeOwned>(address: &Address, path: &str) -> Result<T> {
    let fail = |why: String| Error::Unreachable { place: address.to_string(), why };
    let mut stream = Stream::connect(address)?;
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in &address.headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += "\r\n";
    let sent = stream.write_all(request.as_bytes());
    let body = sent.and_then(|()| read(&mut stream)).map_err(|error| fail(error.to_string()))?;
    let body = body.ok_or_else(|| fail("it does not speak HTTP as an inspector does".into()))?;
    serde_json::from_slice(&body).map_err(|_| fail("its answer is not that of an inspector".into()))
}

/// The body of a successful answer.
fn read(stream: &mut impl Read) -> std::io::Result<Option<Vec<u8>>> {
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
        if read == 0 || bytes.len() as u64 > LONGEST {
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
