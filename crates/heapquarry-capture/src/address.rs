//! Where a target is: `ws://HOST:PORT/PATH`, `HOST:PORT`, or `HOST:PORT/ID`.

use crate::{Error, Result};
use std::{fmt, net::IpAddr};

/// What a connection may do.
#[derive(Clone, Default)]
pub struct Trust {
    /// Connect to other machines without encryption.
    pub insecure_remote: bool,
    /// Headers of each request, such as those with tokens: one `Name: value` in each line.
    pub headers: String,
}

/// An inspector's address.
#[derive(Clone)]
pub struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whether the connection is encrypted.
    pub(crate) tls: bool,
    /// The path and query of a websocket, with the slash. It can hold secrets.
    pub(crate) path: Option<String>,
    /// The beginning of the id of the target to use.
    pub(crate) id: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
}

impl Address {
    /// Reads an address. Without `insecure_remote`, one of another machine must be `wss://`.
    ///
    /// # Errors
    /// If it is none, must not be used, or a header is none.
    pub fn parse(text: &str, trust: &Trust) -> Result<Self> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme), rest),
            None => (None, text),
        };
        let (place, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        // Before the `@` there would be a password.
        let shown = place.rsplit('@').next().unwrap_or_default();
        let fail = |why: &str| Error::Address { shown: shown.into(), why: why.into() };
        if place.contains('@') {
            return Err(fail("no user and password in an address; send a header instead"));
        }
        let tls = match scheme {
            None | Some("ws" | "http") => false,
            Some("wss" | "https") => true,
            Some(_) => return Err(fail("expected ws://, wss://, or HOST:PORT")),
        };
        let is_socket = matches!(scheme, Some("ws" | "wss"));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && !port.ends_with(']') => {
                let port = port.parse().map_err(|_| fail("expected a port from 0 to 65535"))?;
                (host, port)
            }
            _ if is_socket => (place, if tls { 443 } else { 80 }),
            _ if place.parse::<u16>().is_ok() => ("127.0.0.1", place.parse().unwrap_or_default()),
            _ => return Err(fail("expected ws://HOST:PORT/PATH, HOST:PORT or PORT")),
        };
        let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(fail("expected a host"));
        }
        if path.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(fail("the path has blanks"));
        }
        let address = Address {
            host: host.into(),
            port,
            tls,
            path: (is_socket && path.len() > 1).then(|| path.into()),
            id: (!is_socket && path.len() > 1).then(|| path[1..].into()),
            headers: headers(&trust.headers).map_err(fail)?,
        };
        if !tls && !address.is_loopback() && !trust.insecure_remote {
            return Err(fail(
                "a connection to another machine without encryption shows its memory to the network",
            ));
        }
        Ok(address)
    }

    /// An inspector of this machine.
    pub fn local(port: u16) -> Self {
        Address {
            host: "127.0.0.1".into(),
            port,
            tls: false,
            path: None,
            id: None,
            headers: Vec::new(),
        }
    }

    /// Whether it is of this machine.
    pub fn is_loopback(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Host and port.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

fn headers(text: &str) -> Result<Vec<(String, String)>, &'static str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = |line: &str| {
        let (name, value) = line.split_once(':').ok_or("a header has no colon")?;
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        match !name.is_empty() && name.chars().all(is_token) {
            true => Ok((name.into(), value.trim().into())),
            false => Err("the name of a header is none"),
        }
    };
    lines.map(header).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_what_they_say() {
        let trust = Trust { insecure_remote: true, ..Trust::default() };
        for (text, place, tls, path, id) in [
            ("9229", "127.0.0.1:9229", false, None, None),
            ("localhost:9229", "localhost:9229", false, None, None),
            ("http://localhost:9229/", "localhost:9229", false, None, None),
            ("localhost:9222/ABC", "localhost:9222", false, None, Some("ABC")),
            ("ws://[::1]:9229/a-b?c=d", "[::1]:9229", false, Some("/a-b?c=d"), None),
            ("[::1]:9229", "[::1]:9229", false, None, None),
            ("wss://a.example/x", "a.example:443", true, Some("/x"), None),
            ("ws://a.example", "a.example:80", false, None, None),
        ] {
            let address = Address::parse(text, &trust).unwrap();
            assert_eq!(address.to_string(), place, "{text}");
            assert_eq!((address.tls, address.path.as_deref()), (tls, path), "{text}");
            assert_eq!(address.id.as_deref(), id, "{text}");
        }
        for text in ["", "host", "host:", "host:70000", "ftp://host:1", "ws:///x", "a b:1", ":1"] {
            assert!(Address::parse(text, &trust).is_err(), "{text}");
        }
    }

    #[test]
    fn other_machines_need_encryption_or_consent() {
        for (text, is_allowed) in [
            ("127.0.0.1:9229", true),
            ("127.8.8.8:9229", true),
            ("LOCALHOST:9229", true),
            ("ws://[::1]:9229/x", true),
            ("wss://10.0.0.1/x", true),
            ("10.0.0.1:9229", false),
            ("ws://localhost.example/x", false),
            ("0.0.0.0:9229", false),
        ] {
            assert_eq!(Address::parse(text, &Trust::default()).is_ok(), is_allowed, "{text}");
        }
    }

    #[test]
    fn errors_show_no_secrets() {
        let trust = Trust { headers: "hunter2".into(), ..Trust::default() };
        for text in ["ws://me:hunter2@h:1/x", "ws://10.0.0.1:1/hunter2?token=hunter2", "1"] {
            let error = Address::parse(text, &trust).err().unwrap().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn headers_stand_in_lines() {
        let expected = vec![("A-b".into(), "c: d".into()), ("E".into(), String::new())];
        assert_eq!(headers("A-b: c: d\n\n E:\r\n"), Ok(expected));
        assert!(headers("a b: c").is_err() && headers(": c").is_err());
    }
}
