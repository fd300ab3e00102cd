//! Names that carry data in known places: addresses, paths, attributes of elements, keys of weak maps.

use crate::{builtins::is_builtin, rules::Level, token::Key};
use regex::{Captures, Regex};
use std::{borrow::Cow, sync::LazyLock};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// An address: scheme, user and password, host and port, path, query and fragment.
static URL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?s)([A-Za-z][A-Za-z0-9+.-]*)://([^\s/?#@"'()<>]*@)?([^\s/?#"'()<>]*)([^\s?#"'()<>]*)([?#].*)?"#,
    )
});

/// What is left of an address in full redaction, and nothing else.
static PLAIN_URL: LazyLock<Regex> = LazyLock::new(|| {
    let token = |word: &str| format!("⟨{word} #[a-p]{{16}}⟩");
    let (host, path, query) = (token("host"), token("path"), token("query"));
    let of_file = r"file:///[^\s/]*";
    regex(&format!(
        r"^(?:(?:{of_file}|[A-Za-z][A-Za-z0-9+.-]*://(?:{host})?(?:/(?:{path})?)?)(?:\?{query})?)?$"
    ))
});

/// What follows the scheme of an address that has no host.
static DATA: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)\b(data|blob|javascript):.+"));

/// Endings of files of scripts.
const SCRIPTS: [&str; 8] = [".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".html", ".wasm"];

/// The attributes of an element, as Blink names it: `<div id="x">`.
static ELEMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"<([A-Za-z][\w:.-]*)\s[^\n]*>?"));

/// An element without its attributes.
static ELEMENT_ONLY: LazyLock<Regex> = LazyLock::new(|| regex(r"^<[A-Za-z][\w:.-]*>$"));

/// An entry of a weak map, as V8 names it. In parentheses are names of the key and the value, and these can be strings.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?s)^([0-9]*)( / part of key \()(.*)( @[0-9]+\) -> value \()(.*)( @[0-9]+\) pair in WeakMap \(table @[0-9]+\))$",
    )
});

/// Whether a name shows a value, at any level.
pub(crate) fn entry(key: &Key, text: &str) -> Option<String> {
    let is_one = text.contains("part of key (");
    is_one.then(|| match ENTRY.captures(text) {
        Some(parts) => {
            let (of, to) = (key.name("name", &parts[3]), key.name("name", &parts[5]));
            format!("{}{}{of}{}{to}{}", &parts[1], &parts[2], &parts[4], &parts[6])
        }
        None => key.value(text),
    })
}

/// A name without attributes, and without what is private in addresses.
pub(crate) fn plain<'t>(key: &Key, level: Level, text: &'t str) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(text);
    replace(&mut text, &ELEMENT, |parts| format!("<{}>", &parts[1]));
    replace(&mut text, &DATA, |parts| format!("{}:{}", &parts[1], key.name("url", &parts[0])));
    replace(&mut text, &URL, |parts| url(key, level, parts));
    if level == Level::Full && is_path(&text) {
        let last = text.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        text = last.into();
    }
    text
}

/// Whether a name is a path of a file, and no address.
fn is_path(text: &str) -> bool {
    let is_script = SCRIPTS.iter().any(|ending| text.ends_with(ending));
    let is_absolute = text.starts_with('/') || text.get(1..3) == Some(":\\");
    (is_script || is_absolute) && !text.contains("://") && !text.starts_with("node:")
}

/// Whether a name is an address or a file of which nothing private is left, or an element without its attributes.
pub(crate) fn is_place(text: &str) -> bool {
    // The name of a global object: `Window / https://…`, `system / NativeContext / `.
    let (before, place) = match text.rsplit_once(" / ") {
        Some((before, place)) if is_builtin(before) => (before, place),
        _ => ("", text),
    };
    let is_url = PLAIN_URL.is_match(place) && !(place.is_empty() && before.is_empty());
    let is_script =
        SCRIPTS.iter().any(|ending| text.ends_with(ending)) && !text.contains(['/', '\\']);
    is_url || is_script || text.starts_with("node:") || ELEMENT_ONLY.is_match(text)
}

/// What V8 calls a part of something, without the name of that: `system / Context / …`.
pub(crate) fn of_system(key: &Key, text: &str) -> Option<String> {
    let (part, name) = text.strip_prefix("system / ")?.split_once(" / ")?;
    let is_word = part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| format!("system / {part} / {}", key.name("name", name)))
}

fn replace(text: &mut Cow<'_, str>, pattern: &Regex, with: impl Fn(&Captures<'_>) -> String) {
    if let Cow::Owned(replaced) = pattern.replace_all(text, |parts: &Captures<'_>| with(parts)) {
        *text = Cow::Owned(replaced);
    }
}

/// An address without user, password, query and fragment; in full redaction also without host and folders.
fn url(key: &Key, level: Level, parts: &Captures<'_>) -> String {
    let (scheme, host, path) = (&parts[1], &parts[3], &parts[4]);
    let query = parts
        .get(5)
        .map_or(String::new(), |query| format!("?{}", key.name("query", query.as_str())));
    if level != Level::Full {
        return format!("{scheme}://{host}{path}{query}");
    }
    let host = match host {
        "" => String::new(),
        host => key.name("host", host),
    };
    let path = match path.rsplit('/').next() {
        Some(last) if scheme == "file" => format!("/{last}"),
        _ if path.len() > 1 => format!("/{}", key.name("path", path)),
        _ => path.to_owned(),
    };
    format!("{scheme}://{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_is_private_in_them() {
        let key = Key::new(&[1; 16]);
        for (text, at_names, at_full) in [
            ("plain", "plain", "plain"),
            ("system / Map", "system / Map", "system / Map"),
            ("<div id=\"a b\" class=x>", "<div>", "<div>"),
            ("<div>", "<div>", "<div>"),
            ("file:///home/me/app/x.js", "file:///home/me/app/x.js", "file:///x.js"),
            ("/home/me/app/x.js", "/home/me/app/x.js", "x.js"),
            (r"C:\Users\me\x.js", r"C:\Users\me\x.js", "x.js"),
            ("node:internal/fs/utils", "node:internal/fs/utils", "node:internal/fs/utils"),
        ] {
            assert_eq!(plain(&key, Level::Names, text), at_names, "{text}");
            assert_eq!(plain(&key, Level::Full, text), at_full, "{text}");
        }
        for (text, is) in [
            ("https://a.example/b/c?d#e", true),
            ("https://a.example", true),
            ("Window / https://a.example/", true),
            ("system / NativeContext / ", true),
            ("Secret / https://a.example/", false),
            ("https://a.example/b secret", false),
            ("secret https://a.example/b", false),
            ("/a/b/x.js", true),
            ("file:///a/b/x.js", true),
            ("<div id=\"x\">", true),
            ("Secret", false),
            ("", false),
        ] {
            assert_eq!(is_place(&plain(&key, Level::Full, text)), is, "{text}");
        }
        let url = "Window / https://me:pw@a.example:8/b/c?token=1#d";
        let names = plain(&key, Level::Names, url);
        assert!(names.starts_with("Window / https://a.example:8/b/c?⟨query #"), "{names}");
        let full = plain(&key, Level::Full, url);
        assert!(full.starts_with("Window / https://⟨host #"), "{full}");
        for secret in ["example", "/b", "me:", "pw", "token"] {
            assert!(!full.contains(secret), "{full}");
        }
        // All of what follows a question mark is a query, blanks too.
        let open = plain(&key, Level::Names, "https://a.example/p?q=a b\nsecret");
        assert!(open.ends_with('⟩') && !open.contains("secret"), "{open}");
        let of = of_system(&key, "system / Context / secret").unwrap();
        assert!(of.starts_with("system / Context / ⟨name #"), "{of}");
        let data = plain(&key, Level::Names, "data:text/plain,hello");
        assert!(data.starts_with("data:⟨url #"), "{data}");
    }

    #[test]
    fn entries_of_weak_maps_show_no_values() {
        let key = Key::new(&[1; 16]);
        let name =
            "7 / part of key (my (secret) @12) -> value (other @34) pair in WeakMap (table @56)";
        let found = entry(&key, name).unwrap();
        assert!(found.starts_with("7 / part of key (⟨name #"), "{found}");
        assert!(found.ends_with(" @34) pair in WeakMap (table @56)"), "{found}");
        assert!(!found.contains("secret") && !found.contains("other"), "{found}");
        assert_eq!(entry(&key, "elements"), None);
        assert!(entry(&key, "x part of key (secret").is_some_and(|name| !name.contains("secret")));
    }
}
