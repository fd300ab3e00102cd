//! Responses.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// What a page may do: run its own scripts and ask its own server. Nothing becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    SeeOther,
    BadRequest,
    Forbidden,
    NotFound,
    NotAllowed,
    BodyTooLarge,
    TooLarge,
    Failed,
    NotReady,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::SeeOther => "303 See Other",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::NotAllowed => "405 Method Not Allowed",
            Status::BodyTooLarge => "413 Content Too Large",
            Status::TooLarge => "431 Request Header Fields Too Large",
            Status::Failed => "500 Internal Server Error",
            Status::NotReady => "503 Service Unavailable",
        }
    }
}

/// A whole response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: Status,
    /// Type of the body; empty without one.
    kind: &'static str,
    location: Option<String>,
    pub(crate) body: Cow<'static, [u8]>,
}

impl Response {
    /// One without a body: who may not ask learns nothing.
    pub(crate) fn empty(status: Status) -> Self {
        Response { status, kind: "", location: None, body: Cow::default() }
    }

    /// To another address of this server.
    pub(crate) fn redirect(location: String) -> Self {
        Response { location: Some(location), ..Response::empty(Status::SeeOther) }
    }

    pub(crate) fn file(kind: &'static str, body: &'static str) -> Self {
        Response { kind, body: body.as_bytes().into(), ..Response::empty(Status::Ok) }
    }

    pub(crate) fn csv(body: Vec<u8>) -> Self {
        Response {
            kind: "text/csv; charset=utf-8",
            body: body.into(),
            ..Response::empty(Status::Ok)
        }
    }

    pub(crate) fn json(status: Status, body: impl Into<Cow<'static, [u8]>>) -> Self {
        Response { kind: "application/json", body: body.into(), ..Response::empty(status) }
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut head = head(self.status);
        if !self.kind.is_empty() {
            head += &format!("Content-Type: {}\r\n", self.kind);
        }
        if let Some(location) = &self.location {
            head += &format!("Location: {location}\r\n");
        }
        if self.status == Status::NotAllowed {
            head += "Allow: GET, POST\r\n";
        }
        head += &format!("Content-Length: {}\r\n\r\n", self.body.len());
        out.write_all(head.as_bytes())?;
        out.write_all(&self.body)?;
        out.flush()
    }
}

/// The head of a response without end: its connection is open as long as a page is.
pub(crate) fn write_endless(out: &mut impl Write) -> io::Result<()> {
    let head = head(Status::Ok) + "Content-Type: text/event-stream\r\n\r\n";
    out.write_all(head.as_bytes())?;
    out.flush()
}

/// The line of the status, and the headers that all responses have.
fn head(status: Status) -> String {
    format!(
        "HTTP/1.1 {}\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Security-Policy: {POLICY}\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n",
        status.line()
    )
}
