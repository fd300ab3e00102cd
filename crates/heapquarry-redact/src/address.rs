//! Addresses, read as browsers read them: by the URL Standard.

use url::Url;

/// Schemes of addresses of resources. Whatever else stands before `://` can be data.
const SCHEMES: [&str; 30] = [
    "about",
    "app",
    "blob",
    "brave",
    "capacitor",
    "chrome",
    "chrome-extension",
    "chrome-untrusted",
    "data",
    "deno",
    "devtools",
    "edge",
    "extensions",
    "file",
    "ftp",
    "http",
    "https",
    "ionic",
    "moz-extension",
    "ng",
    "node",
    "resource",
    "safari-web-extension",
    "vscode-app",
    "vscode-file",
    "vscode-webview",
    "webpack",
    "webpack-internal",
    "ws",
    "wss",
];

/// Schemes of addresses without a host: all after the colon is data.
const OPAQUE: [&str; 8] =
    ["about", "blob", "data", "javascript", "mailto", "sms", "tel", "view-source"];

/// What ends the host of an address of these schemes besides a slash is a backslash too.
const SPECIAL: [&str; 6] = ["file", "ftp", "http", "https", "ws", "wss"];

/// The parts of an address, as they are written: `scheme://user@host/path?query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address<'t> {
    pub(crate) scheme: &'t str,
    pub(crate) host: &'t str,
    pub(crate) path: &'t str,
    /// From the question mark or the number sign on.
    pub(crate) query: &'t str,
}

impl<'t> Address<'t> {
    /// `None` if a browser would not take it for an address, or would find other parts in it.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (front, query) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        let is_special = SPECIAL.iter().any(|special| special.eq_ignore_ascii_case(scheme));
        let ends_host = |c: char| c == '/' || is_special && c == '\\';
        let (authority, path) = front.split_at(front.find(ends_host).unwrap_or(front.len()));
        let host = &authority[authority.rfind('@').map_or(0, |at| at + 1)..];
        let whole = Url::parse(text).ok()?;
        // What may be kept has nothing but a host and a path.
        let kept = Url::parse(&format!("{scheme}://{host}{path}")).ok()?;
        let has_more = !kept.username().is_empty()
            || kept.password().is_some()
            || kept.query().is_some()
            || kept.fragment().is_some();
        let place =
            |url: &Url| (url.host_str().map(String::from), url.port(), url.path().to_owned());
        (!has_more && place(&whole) == place(&kept)).then_some(Address {
            scheme,
            host,
            path,
            query,
        })
    }

    /// The address that a text is as a whole, as browsers and engines write them.
    pub(crate) fn whole(text: &'t str) -> Option<Self> {
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(c);
        let address = Address::parse(text)?;
        (address.has_known_scheme() && !text.contains(is_odd)).then_some(address)
    }

    pub(crate) fn has_known_scheme(&self) -> bool {
        is_known(self.scheme)
    }
}

/// Whether the scheme of an address is no data.
pub(crate) fn is_known(scheme: &str) -> bool {
    SCHEMES.contains(&scheme) || OPAQUE.contains(&scheme)
}

/// Where an address begins in a text: at the first scheme. `None` if there is none.
pub(crate) fn start(text: &str) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    memchr::memchr_iter(b':', text.as_bytes()).find_map(|colon| {
        let before = &text.as_bytes()[..colon];
        let word = before.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
        let letter = before[word..].iter().position(u8::is_ascii_alphabetic);
        let scheme = letter.map_or(colon, |at| word + at);
        let is_opaque =
            OPAQUE.iter().any(|opaque| opaque.eq_ignore_ascii_case(&text[scheme..colon]));
        (is_opaque || text[colon..].starts_with("://")).then_some(scheme)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_parts_that_browsers_see() {
        for (text, parts) in [
            ("https://a.example", Some(["a.example", "", ""])),
            ("https://a.example:8/b/c?d#e", Some(["a.example:8", "/b/c", "?d#e"])),
            ("https://h/(app)/p.js?token=1", Some(["h", "/(app)/p.js", "?token=1"])),
            ("https://h/it's#access_token=1", Some(["h", "/it's", "#access_token=1"])),
            ("https://bob:it'pw@localhost/p", Some(["localhost", "/p", ""])),
            ("https://bob:p@w@localhost/p", Some(["localhost", "/p", ""])),
            ("https://bob:pw@h\\p", Some(["h", "\\p", ""])),
            (
                "webpack-internal:///(rsc)/./app/page.tsx?x",
                Some(["", "/(rsc)/./app/page.tsx", "?x"]),
            ),
            ("file:///C:/a b/x.js", Some(["", "/C:/a b/x.js", ""])),
            ("postgres://bob:pw@db:5432/shop", Some(["db:5432", "/shop", ""])),
            // Browsers pass over further slashes: this one has a user.
            ("https:///bob:pw@h/p", None),
            ("https://bob:pw/x@h/p", None),
            ("https://", None),
            ("https://a b/c", None),
            ("://h", None),
            ("{\"a\":\"https://h\"}", None),
            ("secret|https://h", None),
            ("a", None),
        ] {
            let found = Address::parse(text);
            assert_eq!(found.map(|found| [found.host, found.path, found.query]), parts, "{text}");
        }
    }

    #[test]
    fn only_a_whole_text_is_an_address() {
        for (text, is) in [
            ("https://a.example/(app)/x.js?y=1", true),
            ("file:///home/me/x.js", true),
            ("hunter2://h/x", false),
            ("https://a.example/x https://b.example", false),
            ("https://a.example/{\"password\":1}", false),
            ("cookie=1;https://a.example", false),
            ("data:text/plain,x", false),
        ] {
            assert_eq!(Address::whole(text).is_some(), is, "{text}");
        }
    }

    #[test]
    fn addresses_begin_at_their_scheme() {
        for (text, at) in [
            ("https://h", Some(0)),
            ("Window / https://h", Some(9)),
            ("Window / ://", Some(9)),
            ("x (data:text/plain,x)", Some(3)),
            ("JavaScript:void 0", Some(0)),
            ("blob:https://h/1", Some(0)),
            ("metadata:x", None),
            ("blink::HeapVector<v8::Object>", None),
            ("node:internal/fs", None),
            ("a:b", None),
            ("", None),
        ] {
            assert_eq!(start(text), at, "{text}");
        }
    }
}
