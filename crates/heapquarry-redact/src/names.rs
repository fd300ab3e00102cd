//! Names that carry data in known places: addresses, paths, attributes of elements, keys of weak maps.

use crate::{
    address::{self, Address},
    builtins::is_builtin,
    element,
    rules::{Level, Policy},
    token::Key,
};
use regex::Regex;
use std::{borrow::Cow, sync::LazyLock};

/// Endings of files of scripts.
const SCRIPTS: [&str; 9] =
    [".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".html", ".wasm", ".json"];

/// Starts of names of scripts that belong to the engine or its runtime.
const OF_RUNTIME: [&str; 4] = ["node:", "internal/", "extensions::", "evalmachine."];

/// Starts of names of the engine's own parts.
const OF_PARTS: [&str; 11] = [
    "Node / ",
    "base::",
    "blink::",
    "cc::",
    "content::",
    "cppgc::",
    "gin::",
    "mojo::",
    "node::",
    "std::",
    "v8::",
];

/// What V8 writes behind the class of an object that belongs to a page: `Window (prototype) / https://…`.
const OF_GLOBALS: [&str; 4] = ["", " (prototype)", " (internal cache)", " [JSGlobalObject]"];

/// An entry of a weak map, as V8 names it. In parentheses are names of the key and the value, and these can be strings.
static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?s)^([0-9]*)( / part of key \()(.*)( @[0-9]+\) -> value \()(.*)( @[0-9]+\) pair in WeakMap \(table @[0-9]+\))$";
    Regex::new(pattern).expect("the pattern is valid")
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

/// The form that an engine gives to a name, which analysis needs, and the name in it: `system / Context / ` and `name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form<'t> {
    pub(crate) before: &'t str,
    pub(crate) name: &'t str,
    pub(crate) after: &'t str,
}

impl<'t> Form<'t> {
    /// The form of a name of a node, or of an edge that is none of a property.
    pub(crate) fn of(text: &'t str) -> Self {
        let detached = text.strip_prefix("Detached ").unwrap_or(text);
        let name = after_engine(detached).unwrap_or(detached);
        Form { before: &text[..text.len() - name.len()], name, after: "" }
    }

    /// The form of a name of a property: only symbols have one, `<symbol name>`.
    pub(crate) fn of_property(text: &'t str) -> Self {
        let symbol = text.strip_prefix("<symbol ").and_then(|name| name.strip_suffix('>'));
        match symbol {
            Some(name) => Form { before: "<symbol ", name, after: ">" },
            None => Form { before: "", name: text, after: "" },
        }
    }
}

/// What follows the engine's own part of a name.
fn after_engine(text: &str) -> Option<&str> {
    const SYSTEM: &str = "system / ";
    if let Some(rest) = text.strip_prefix(SYSTEM) {
        // `system / Script / app.js`. Without a name, or of a part that V8 does not have, all of it is one.
        let of = rest
            .split_once(" / ")
            .filter(|(part, _)| is_builtin(&text[..SYSTEM.len() + part.len()]));
        return Some(of.map_or(rest, |(_, name)| name));
    }
    if let Some(start) = OF_PARTS.iter().chain(&OF_RUNTIME).find(|start| text.starts_with(**start))
    {
        return Some(&text[start.len()..]);
    }
    let (of, name) = text.split_once(" / ")?;
    let is_number = !of.is_empty() && of.len() < 8 && of.bytes().all(|byte| byte.is_ascii_digit());
    let is_global = || OF_GLOBALS.iter().any(|kind| of.strip_suffix(kind).is_some_and(is_builtin));
    (is_number || is_global()).then_some(name)
}

/// What becomes of a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plain<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Whether nothing private is left of it in full redaction.
    pub(crate) is_place: bool,
}

/// A name without attributes, and without what is private in addresses and paths. Parts of them that look like a secret
/// are tokens.
pub(crate) fn plain<'t>(policy: &Policy, level: Level, text: &'t str) -> Plain<'t> {
    let is_special =
        |byte: u8| matches!(byte, b'<' | b':' | b'?' | b'#' | b'/' | b'\\' | b';' | b'.');
    if !text.bytes().any(is_special) {
        return Plain { text: text.into(), is_place: false };
    }
    let place = |text: String| Plain { text: text.into(), is_place: true };
    let key = &policy.key;
    if let Some(tag) = element::tag(text) {
        let is_kept =
            element::is_known(tag) || level < Level::Full && policy.secrets(tag).is_empty();
        return place(if is_kept { format!("<{tag}>") } else { format!("<{}>", key.tag(tag)) });
    }
    if let Some(at) = element::inner(text) {
        let before = plain(policy, level, &text[..at]).text;
        return Plain {
            text: format!("{before}{}", key.name("name", &text[at..])).into(),
            is_place: false,
        };
    }
    if let Some(at) = address::start(text) {
        let address = of_address(policy, level, &text[at..]);
        return match at {
            0 => place(address),
            _ => Plain {
                text: format!("{}{address}", plain(policy, level, &text[..at]).text).into(),
                is_place: false,
            },
        };
    }
    // Without a scheme, that of the page counts.
    if text.starts_with("//") {
        let scheme = "https:";
        let whole = format!("{scheme}{text}");
        return place(of_address(policy, level, &whole)[scheme.len()..].to_owned());
    }
    let at = query(text);
    let (path, query) = text.split_at(at.unwrap_or(text.len()));
    let is_path = is_path(path);
    let path = match level == Level::Full && is_path {
        true => Cow::from(format!("{}{}", root(path), of_path(key, path))),
        false => path.into(),
    };
    let text = match query {
        "" => path,
        query => format!("{path}{}", of_query(key, query)).into(),
    };
    Plain { text, is_place: is_path }
}

/// Where the query, the fragment or the parameters of a path begin. A class may have a private method `#name`, and a
/// function a question mark at its end.
fn query(text: &str) -> Option<usize> {
    let ask = text.find('?').filter(|at| at + 1 < text.len());
    let fragment = text.find('#').filter(|at| is_path(&text[..*at]));
    let parameters = text.find(';').filter(|at| text[..*at].contains('/'));
    [ask, fragment, parameters].into_iter().flatten().min()
}

fn of_query(key: &Key, query: &str) -> String {
    format!("?{}", key.name("query", query))
}

/// Whether a name is the path or the name of a file, and no address.
fn is_path(text: &str) -> bool {
    let is_script = SCRIPTS.iter().any(|ending| text.ends_with(ending));
    let is_relative = text.starts_with("./") || text.starts_with("../");
    let is_absolute = text.starts_with('/') || text.get(1..3) == Some(":\\");
    is_script || is_absolute || is_relative
}

/// What stands before the first folder.
fn root(path: &str) -> &str {
    if path.starts_with('/') { "/" } else { "" }
}

/// A token for a path. The ending says what file it is; below `node_modules` are packages.
fn of_path(key: &Key, path: &str) -> String {
    const PACKAGES: &str = "/node_modules/";
    let ending = SCRIPTS.iter().find(|ending| path.ends_with(**ending)).unwrap_or(&"");
    let token = key.name("path", path);
    match path.contains(PACKAGES) {
        true => format!("{}{PACKAGES}{token}{ending}", key.name("path", PACKAGES)),
        false => format!("{token}{ending}"),
    }
}

/// An address without user, password, query and fragment; in full redaction also without host and folders.
fn of_address(policy: &Policy, level: Level, text: &str) -> String {
    let key = &policy.key;
    let is_full = level == Level::Full;
    let known = Address::parse(text).filter(|address| !is_full || address.has_known_scheme());
    let Some(address) = known else {
        // `Window / ://` is of a page without an address.
        return match text.split_once(':') {
            Some(("", "//")) => text.to_owned(),
            Some((scheme, _)) if address::is_known(scheme) => {
                format!("{scheme}:{}", key.name("url", text))
            }
            _ => key.name("url", text),
        };
    };
    let Address { scheme, host, path, query } = address;
    let host = match host {
        "" => Cow::from(""),
        _ if is_full || !policy.secrets(host).is_empty() => key.name("host", host).into(),
        _ => host.into(),
    };
    let (path, query) = match path.find(';') {
        Some(at) => (&path[..at], &text[text.len() - query.len() - (path.len() - at)..]),
        None => (path, query),
    };
    // In the path of an address there can be another one, with its own user and password.
    let has_other = || {
        let is_other = path.contains("://") || path.to_ascii_lowercase().contains("%3a%2f%2f");
        is_other || !policy.secrets(path).is_empty()
    };
    let path = match path.len() {
        0 | 1 => path.into(),
        _ if is_full || has_other() => Cow::from(format!("/{}", of_path(key, path))),
        _ => path.into(),
    };
    let query = if query.is_empty() { String::new() } else { of_query(key, query) };
    format!("{scheme}://{host}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    /// What becomes of a name, with `*` in the place of the letters of tokens.
    fn at(level: Level, text: &str) -> String {
        let rules = Rules::new(level, [1; 16]);
        let name = plain(&rules.policy, level, text).text;
        let letters = Regex::new(" ?#[a-p]{16}⟩").unwrap();
        letters.replace_all(&name, "*").into_owned()
    }

    #[test]
    fn names_lose_what_is_private_in_them() {
        for (text, at_names, at_full) in [
            ("plain", "plain", "plain"),
            ("Foo.#bar", "Foo.#bar", "Foo.#bar"),
            ("isThere?", "isThere?", "isThere?"),
            ("<div id=\"a b\" class=x>", "<div>", "<div>"),
            ("<div title=\"a\nb\" class=\"c\nd\">", "<div>", "<div>"),
            ("<emotion-\u{f60d} id=\"x\">", "<emotion-\u{f60d}>", "<⟨tag*>"),
            ("<div>", "<div>", "<div>"),
            ("Foo <div id=\"x\">", "Foo ⟨name*", "Foo ⟨name*"),
            ("file:///home/me/app/x.js", "file:///home/me/app/x.js", "file:///⟨path*.js"),
            ("/home/me/app/x.js", "/home/me/app/x.js", "/⟨path*.js"),
            ("/a/node_modules/b/x.js", "/a/node_modules/b/x.js", "/⟨path*/node_modules/⟨path*.js"),
            (r"C:\Users\me\x.js", r"C:\Users\me\x.js", "⟨path*.js"),
            ("zq owes 500.js", "zq owes 500.js", "⟨path*.js"),
            ("/app.js?token=1", "/app.js?⟨query*", "/⟨path*.js?⟨query*"),
            ("App.vue?t=1", "App.vue?⟨query*", "App.vue?⟨query*"),
            ("main.ts#token", "main.ts?⟨query*", "⟨path*.ts?⟨query*"),
            ("//me:pw@cdn/x.js?y", "//cdn/x.js?⟨query*", "//⟨host*/⟨path*.js?⟨query*"),
            ("about:blank?x", "about:⟨url*", "about:⟨url*"),
            ("mailto:a?subject=b", "mailto:⟨url*", "mailto:⟨url*"),
            ("data:text/plain,hello", "data:⟨url*", "data:⟨url*"),
            (
                "https://me:pw@h:8/b/c?t=1#d",
                "https://h:8/b/c?⟨query*",
                "https://⟨host*/⟨path*?⟨query*",
            ),
            (
                "https://h/(app)/p.js?t=1",
                "https://h/(app)/p.js?⟨query*",
                "https://⟨host*/⟨path*.js?⟨query*",
            ),
            ("https://h/it's#t=1", "https://h/it's?⟨query*", "https://⟨host*/⟨path*?⟨query*"),
            ("https://bob:it'pw@localhost/p", "https://localhost/p", "https://⟨host*/⟨path*"),
            ("https://h/p;session=1", "https://h/p?⟨query*", "https://⟨host*/⟨path*?⟨query*"),
            // All of what follows a question mark is a query, blanks too.
            ("https://h/p?q=a b\nsecret", "https://h/p?⟨query*", "https://⟨host*/⟨path*?⟨query*"),
            ("https://h/x/https://me:pw@i/", "https://h/⟨path*", "https://⟨host*/⟨path*"),
            ("https://10.1.2.3/p", "https://⟨host*/p", "https://⟨host*/⟨path*"),
            ("https:///me:pw@h/p", "https:⟨url*", "https:⟨url*"),
            ("hunter://h/p", "hunter://h/p", "⟨url*"),
            (
                "eval (https://h/p?x)",
                "eval (https://h/p?⟨query*",
                "eval (https://⟨host*/⟨path*?⟨query*",
            ),
            ("://", "://", "://"),
            ("https://h/", "https://h/", "https://⟨host*/"),
        ] {
            assert_eq!(at(Level::Names, text), at_names, "{text}");
            assert_eq!(at(Level::Full, text), at_full, "{text}");
        }
    }

    #[test]
    fn only_places_are_left_in_full_redaction() {
        for (text, is) in [
            ("https://a.example/b/c?d#e", true),
            ("/a/b/x.js", true),
            ("file:///a/b/x.js", true),
            ("<div id=\"x\">", true),
            ("secret https://a.example/b", false),
            ("Foo <div id=\"x\">", false),
            ("Secret", false),
            ("a.b", false),
            ("", false),
        ] {
            let rules = Rules::new(Level::Full, [1; 16]);
            assert_eq!(plain(&rules.policy, Level::Full, text).is_place, is, "{text}");
        }
    }

    #[test]
    fn the_forms_of_engines_are_known() {
        for (text, name) in [
            ("system / NativeContext / https://h", "https://h"),
            ("Detached system / NativeContext / ", ""),
            ("system / Context / secret", "secret"),
            ("system / Secret / secret", "Secret / secret"),
            ("Window / https://h", "https://h"),
            ("Window (prototype) / https://h", "https://h"),
            ("Secret / https://h", "Secret / https://h"),
            ("12 / DevTools console", "DevTools console"),
            ("4111111111111111 / x", "4111111111111111 / x"),
            ("Detached <div id=\"x\">", "<div id=\"x\">"),
            ("blink::Foo<int>", "Foo<int>"),
            ("node:secret", "secret"),
            ("Secret", "Secret"),
        ] {
            let form = Form::of(text);
            assert_eq!(form.name, name, "{text}");
            assert_eq!(format!("{}{}{}", form.before, form.name, form.after), text);
        }
        assert_eq!(Form::of_property("<symbol secret>").name, "secret");
        assert_eq!(Form::of_property("secret").name, "secret");
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
