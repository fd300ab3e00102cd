//! Who may ask.

use crate::{request::Request, response::Status};
use std::hint::black_box;

/// Refuses what does not come from the page itself, or from someone who typed its address.
pub(crate) fn check(request: &Request) -> Result<(), Status> {
    // A name that is bound to 127.0.0.1 later would make a foreign page this origin (DNS rebinding).
    if !is_this_machine(&request.host) {
        return Err(Status::Forbidden);
    }
    let is_own = |origin: &String| origin.strip_prefix("http://") == Some(&request.host);
    if !request.origin.as_ref().is_none_or(is_own) {
        return Err(Status::Forbidden);
    }
    // A page on another port of 127.0.0.1 is `same-site`. Browsers that do not say have the token alone.
    if !matches!(request.site.as_deref(), None | Some("same-origin" | "none")) {
        return Err(Status::Forbidden);
    }
    match request.method.as_str() {
        "GET" => Ok(()),
        // Browsers name the origin of each POST. No form of a page can have this type.
        "POST" if request.origin.is_some() && is_json(request.kind.as_deref()) => Ok(()),
        "POST" => Err(Status::Forbidden),
        _ => Err(Status::NotAllowed),
    }
}

/// Whether this `Content-Type` is JSON.
fn is_json(kind: Option<&str>) -> bool {
    let name = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    name.trim().eq_ignore_ascii_case("application/json")
}

/// Whether a `Host` is this machine, at any port: forwarding by SSH changes it.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        // Of `[::1]` the last colon is part of the address.
        Some((name, port)) if !port.ends_with(']') => {
            let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            if !is_port {
                return false;
            }
            name
        }
        _ => host,
    };
    ["127.0.0.1", "[::1]"].contains(&name) || name.eq_ignore_ascii_case("localhost")
}

/// Whether two secrets are equal, in a time that does not depend on where they differ.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
    a.len() == b.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine() {
        for (host, expected) in [
            ("127.0.0.1", true),
            ("127.0.0.1:80", true),
            ("localhost:4321", true),
            ("LocalHost", true),
            ("[::1]", true),
            ("[::1]:9", true),
            ("", false),
            ("127.0.0.1:", false),
            ("127.0.0.1:80@evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example:80", false),
            ("evil.example:80", false),
            ("evil.example", false),
            ("0.0.0.0:80", false),
            ("127.0.0.1 evil", false),
        ] {
            assert_eq!(is_this_machine(host), expected, "{host:?}");
        }
    }

    #[test]
    fn only_the_page_may_ask() {
        let host = "127.0.0.1:7";
        let own = "http://127.0.0.1:7";
        for (method, origin, site, expected) in [
            ("GET", None, None, Ok(())),
            ("GET", None, Some("none"), Ok(())),
            ("GET", Some("http://127.0.0.1:7"), Some("same-origin"), Ok(())),
            ("GET", Some("http://127.0.0.1:8"), None, Err(Status::Forbidden)),
            ("GET", Some("https://127.0.0.1:7"), None, Err(Status::Forbidden)),
            ("GET", Some("http://localhost:7"), None, Err(Status::Forbidden)),
            ("GET", Some("http://evil.example"), None, Err(Status::Forbidden)),
            ("GET", Some("null"), None, Err(Status::Forbidden)),
            ("GET", None, Some("same-site"), Err(Status::Forbidden)),
            ("GET", None, Some("cross-site"), Err(Status::Forbidden)),
            ("GET", None, Some(""), Err(Status::Forbidden)),
            ("OPTIONS", None, None, Err(Status::NotAllowed)),
            ("HEAD", None, None, Err(Status::NotAllowed)),
            ("get", None, None, Err(Status::NotAllowed)),
        ] {
            let request = Request {
                method: method.into(),
                host: host.into(),
                origin: origin.map(Into::into),
                site: site.map(Into::into),
                ..Request::default()
            };
            assert_eq!(check(&request), expected, "{request:?}");
        }
        for (origin, site, kind, expected) in [
            (Some(own), Some("same-origin"), Some("application/json"), Ok(())),
            (Some(own), None, Some("Application/JSON; charset=utf-8"), Ok(())),
            (None, Some("same-origin"), Some("application/json"), Err(Status::Forbidden)),
            (Some(own), Some("same-site"), Some("application/json"), Err(Status::Forbidden)),
            (Some("http://127.0.0.1:8"), None, Some("application/json"), Err(Status::Forbidden)),
            (Some(own), None, None, Err(Status::Forbidden)),
            // What a form, or a request without a preflight, can have.
            (Some(own), None, Some("text/plain"), Err(Status::Forbidden)),
            (Some(own), None, Some("text/plain; application/json"), Err(Status::Forbidden)),
            (Some(own), None, Some("application/x-www-form-urlencoded"), Err(Status::Forbidden)),
            (Some(own), None, Some("multipart/form-data; boundary=x"), Err(Status::Forbidden)),
        ] {
            let request = Request {
                method: "POST".into(),
                host: host.into(),
                origin: origin.map(Into::into),
                site: site.map(Into::into),
                kind: kind.map(Into::into),
                ..Request::default()
            };
            assert_eq!(check(&request), expected, "{request:?}");
        }
    }

    #[test]
    fn secrets_are_equal_or_not() {
        for (a, b, expected) in
            [("", "", true), ("ab", "ab", true), ("ab", "ac", false), ("ab", "a", false)]
        {
            assert_eq!(is_same(a, b), expected, "{a} {b}");
        }
    }
}
