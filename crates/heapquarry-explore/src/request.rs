//! Requests: a head, and of a POST a body.

use crate::response::Status;
use std::{
    io::{ErrorKind, Read},
    time::Instant,
};

/// Most bytes of a head.
const MOST_BYTES: usize = 16 << 10;
/// Most bytes of a body.
const MOST_BODY: usize = 64 << 10;
/// Most headers.
const MOST_HEADERS: usize = 64;

/// What is to be known of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, not decoded.
    pub(crate) path: String,
    /// What stands behind `?`, not decoded.
    pub(crate) query: String,
    pub(crate) host: String,
    pub(crate) origin: Option<String>,
    /// `Sec-Fetch-Site`: from where the browser says that the request comes.
    pub(crate) site: Option<String>,
    /// `Content-Type`.
    pub(crate) kind: Option<String>,
    /// `Content-Length`, as written.
    pub(crate) length: Option<String>,
    /// `Transfer-Encoding`.
    pub(crate) encoding: Option<String>,
    /// What has been read of the body.
    pub(crate) body: Vec<u8>,
}

/// Why there is no request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// The other side has gone, or says nothing.
    Gone,
    /// This is to be answered.
    Answer(Status),
}

/// Reads a head, until a moment.
pub(crate) fn read(
    stream: &mut impl Read,
    is_late: impl Fn(Instant) -> bool,
) -> Result<Request, Bad> {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let len = match stream.read(&mut piece) {
            Ok(0) => return Err(Bad::Gone),
            Ok(len) => len,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return Err(Bad::Gone),
        };
        head.extend_from_slice(&piece[..len]);
        if let Some((request, end)) = parse(&head).map_err(Bad::Answer)? {
            return Ok(Request { body: head.split_off(end), ..request });
        }
        if head.len() >= MOST_BYTES {
            return Err(Bad::Answer(Status::TooLarge));
        }
        if is_late(Instant::now()) {
            return Err(Bad::Gone);
        }
    }
}

/// Reads the rest of the body, until a moment.
pub(crate) fn read_body(
    stream: &mut impl Read,
    request: &mut Request,
    is_late: impl Fn(Instant) -> bool,
) -> Result<(), Bad> {
    // Who reads the length in one way, and who in another, is what attacks are made of.
    let is_number = |text: &&String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let length = request.length.as_ref().filter(is_number);
    let (Some(length), None) = (length, &request.encoding) else {
        return Err(Bad::Answer(Status::BadRequest));
    };
    let length = length.parse().ok().filter(|length| *length <= MOST_BODY);
    let length: usize = length.ok_or(Bad::Answer(Status::BodyTooLarge))?;
    let mut piece = [0; 4096];
    while request.body.len() < length {
        match stream.read(&mut piece) {
            Ok(0) => return Err(Bad::Gone),
            Ok(len) => request.body.extend_from_slice(&piece[..len]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Err(Bad::Gone),
        }
        if is_late(Instant::now()) {
            return Err(Bad::Gone);
        }
    }
    request.body.truncate(length);
    Ok(())
}

/// A head, and where it ends; `None` if its end is missing.
fn parse(head: &[u8]) -> Result<Option<(Request, usize)>, Status> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let end = match parsed.parse(head) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Status::TooLarge),
        Err(_) => return Err(Status::BadRequest),
    };
    let target = parsed.path.unwrap_or_default();
    // Proxies are asked for whole addresses.
    if !target.starts_with('/') {
        return Err(Status::BadRequest);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: parsed.method.unwrap_or_default().into(),
        path: path.into(),
        query: query.into(),
        ..Request::default()
    };
    let mut host = None;
    for header in parsed.headers.iter() {
        let field = if header.name.eq_ignore_ascii_case("host") {
            &mut host
        } else if header.name.eq_ignore_ascii_case("origin") {
            &mut request.origin
        } else if header.name.eq_ignore_ascii_case("sec-fetch-site") {
            &mut request.site
        } else if header.name.eq_ignore_ascii_case("content-type") {
            &mut request.kind
        } else if header.name.eq_ignore_ascii_case("content-length") {
            &mut request.length
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            &mut request.encoding
        } else {
            continue;
        };
        let Ok(value) = str::from_utf8(header.value) else { return Err(Status::BadRequest) };
        // Which of two counts is what attacks are made of.
        if field.replace(value.into()).is_some() {
            return Err(Status::BadRequest);
        }
    }
    request.host = host.ok_or(Status::BadRequest)?;
    Ok(Some((request, end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
            (into[0], self.0) = (first, rest);
            Ok(1)
        }
    }

    #[test]
    fn heads_are_read_in_any_pieces() {
        let head = "GET /t/api?a=%2F HTTP/1.1\r\nHOST: localhost:1\r\norigin: http://a\r\n\
                    Sec-Fetch-Site: none\r\nAccept: */*\r\n\r\nrest";
        let expected = Request {
            method: "GET".into(),
            path: "/t/api".into(),
            query: "a=%2F".into(),
            host: "localhost:1".into(),
            origin: Some("http://a".into()),
            site: Some("none".into()),
            ..Request::default()
        };
        let rest = Request { body: b"rest".into(), ..expected.clone() };
        assert_eq!(read(&mut head.as_bytes(), |_| false), Ok(rest));
        assert_eq!(read(&mut Slow(head.as_bytes()), |_| false), Ok(expected));
        assert_eq!(read(&mut Slow(head.as_bytes()), |_| true), Err(Bad::Gone), "late");
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let long = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(MOST_BYTES));
        let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(MOST_HEADERS));
        for (head, expected) in [
            ("", Bad::Gone),
            ("GET / HTTP/1.1\r\nHost: a\r\n", Bad::Gone),
            ("GET / HTTP/1.1\r\n\r\n", Bad::Answer(Status::BadRequest)),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Bad::Answer(Status::BadRequest)),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r\nOrigin: c\r\n\r\n",
                Bad::Answer(Status::BadRequest),
            ),
            ("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", Bad::Answer(Status::BadRequest)),
            ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", Bad::Answer(Status::BadRequest)),
            ("\u{16}\u{3}\u{1}\0", Bad::Answer(Status::BadRequest)),
            ("GET / HTTP/9.9\r\nHost: a\r\n\r\n", Bad::Answer(Status::BadRequest)),
            (&long, Bad::Answer(Status::TooLarge)),
            (&many, Bad::Answer(Status::TooLarge)),
        ] {
            assert_eq!(read(&mut head.as_bytes(), |_| false), Err(expected), "{head:.80?}");
        }
    }

    #[test]
    fn bodies_are_as_long_as_they_say() {
        for (headers, body, expected) in [
            ("Content-Length: 4\r\n", "text", Ok("text")),
            ("Content-Length: 4\r\n", "text and more", Ok("text")),
            ("Content-Length: 0\r\n", "", Ok("")),
            ("Content-Length: 5\r\n", "text", Err(Bad::Gone)),
            ("", "text", Err(Bad::Answer(Status::BadRequest))),
            ("Content-Length: -1\r\n", "text", Err(Bad::Answer(Status::BadRequest))),
            ("Content-Length: +4\r\n", "text", Err(Bad::Answer(Status::BadRequest))),
            ("Content-Length: 4, 4\r\n", "text", Err(Bad::Answer(Status::BadRequest))),
            ("Content-Length: \r\n", "text", Err(Bad::Answer(Status::BadRequest))),
            ("Content-Length: 65537\r\n", "text", Err(Bad::Answer(Status::BodyTooLarge))),
            (
                "Content-Length: 99999999999999999999999\r\n",
                "text",
                Err(Bad::Answer(Status::BodyTooLarge)),
            ),
            (
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "text",
                Err(Bad::Answer(Status::BadRequest)),
            ),
        ] {
            let text = format!("POST / HTTP/1.1\r\nHost: a\r\n{headers}\r\n{body}");
            let found = |stream: &mut dyn Read| {
                let mut stream = stream;
                let mut request = read(&mut stream, |_| false).unwrap();
                read_body(&mut stream, &mut request, |_| false)
                    .map(|()| String::from_utf8(request.body).unwrap())
            };
            let expected = expected.map(String::from);
            assert_eq!(found(&mut text.as_bytes()), expected, "{headers:?}");
            assert_eq!(found(&mut Slow(text.as_bytes())), expected, "{headers:?}, slow");
        }
    }
}
