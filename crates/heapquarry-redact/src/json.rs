//! Copies JSON, with other strings. Whatever is no JSON ends the copy.

use crate::{
    bytes::Bytes,
    outcome::{Outcome, Step, outcome},
};
use heapquarry_formats::Input;
use std::{
    borrow::Cow,
    io::{self, Write},
};

/// Deeper values are not read.
const DEEPEST: usize = 512;

/// Bytes that are written at a time.
const FLUSH: usize = 256 << 10;

/// Bytes of an object that are looked at before it is copied.
const AHEAD: usize = 64 << 10;

/// Where a string is.
#[derive(Default)]
pub(crate) struct Path {
    /// The key at each depth; empty in an array.
    keys: Vec<String>,
    depth: usize,
    /// Offset of the string in the document.
    pub(crate) at: u64,
}

impl Path {
    /// The keys on the way to it, the outermost first, without those of arrays.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> + Clone {
        self.keys[..self.depth].iter().map(String::as_str).filter(|key| !key.is_empty())
    }

    /// The innermost key.
    pub(crate) fn last(&self) -> &str {
        self.keys[..self.depth].iter().rfind(|key| !key.is_empty()).map_or("", String::as_str)
    }

    pub(crate) fn push(&mut self) {
        if self.keys.len() == self.depth {
            self.keys.push(String::new());
        }
        self.keys[self.depth].clear();
        self.depth += 1;
    }

    pub(crate) fn set(&mut self, key: &str) {
        let now = &mut self.keys[self.depth - 1];
        now.clear();
        now.push_str(key);
    }
}

/// Says what strings become.
pub(crate) trait Visitor {
    /// Whether it is to see the object at a path before the members.
    fn wants(&self, _: &Path) -> bool {
        false
    }
    /// Such an object, as it is written: the first [`AHEAD`] bytes from there on.
    fn object(&mut self, _: &[u8]) {}
    /// A key; the path is that of its object.
    fn key<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>>;
    /// Another string.
    fn string<'t>(&mut self, path: &Path, text: &'t str) -> io::Result<Cow<'t, str>>;
}

/// What is copied, and is not written yet.
pub(crate) struct Out<'a> {
    pub(crate) buf: Vec<u8>,
    to: &'a mut dyn Write,
}

impl<'a> Out<'a> {
    pub(crate) fn new(to: &'a mut dyn Write) -> Self {
        Out { buf: Vec::new(), to }
    }

    /// Writes if there is much.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        if self.buf.len() >= FLUSH {
            self.finish()?;
        }
        Ok(())
    }

    /// Writes what was copied elsewhere.
    pub(crate) fn append(&mut self, copied: &[u8]) -> io::Result<()> {
        if copied.len() < FLUSH {
            self.buf.extend(copied);
            return self.write();
        }
        self.finish()?;
        self.to.write_all(copied)
    }

    /// Writes all.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.to.write_all(&self.buf)?;
        self.buf.clear();
        Ok(())
    }
}

/// Copies a document of one value or several.
pub(crate) fn rewrite(
    input: &dyn Input,
    visitor: &mut impl Visitor,
    out: &mut dyn Write,
) -> io::Result<Outcome> {
    let (mut bytes, mut out) = (Bytes::new(input), Out::new(out));
    let done = outcome(values(&mut bytes, &mut out, visitor))?;
    out.finish()?;
    Ok(done)
}

fn values(bytes: &mut Bytes<'_>, out: &mut Out<'_>, visitor: &mut impl Visitor) -> Step<()> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let mut path = Path::default();
    if bytes.peek()? == Some(MARK[0]) && bytes.rest().starts_with(MARK) {
        out.buf.extend(MARK);
        bytes.skip(MARK.len());
    }
    loop {
        match bytes.peek()? {
            None => return Ok(()),
            Some(byte) if byte == b',' || heapquarry_scan::is_blank(byte) => {
                bytes.copy(&mut out.buf)
            }
            Some(_) => value(bytes, out, &mut path, visitor)?,
        }
    }
}

/// What comes next in a container.
#[derive(Clone, Copy, PartialEq)]
enum In {
    Object,
    Array,
}

/// Copies one value. The path is that of the value.
pub(crate) fn value(
    bytes: &mut Bytes<'_>,
    out: &mut Out<'_>,
    path: &mut Path,
    visitor: &mut impl Visitor,
) -> Step<()> {
    let mut open: Vec<In> = Vec::new();
    let base = path.depth;
    let done = loop {
        // Some producers write commas too many.
        let byte = loop {
            match bytes.next(&mut out.buf)? {
                b',' if !open.is_empty() => bytes.copy(&mut out.buf),
                byte => break byte,
            }
        };
        match (byte, open.last()) {
            (b'}', Some(In::Object)) | (b']', Some(In::Array)) => {
                bytes.copy(&mut out.buf);
                open.pop();
                path.depth -= 1;
            }
            (b'"', Some(In::Object)) => {
                path.at = bytes.at();
                path.set("");
                let raw = bytes.string()?;
                let text = text(raw);
                put(&mut out.buf, raw, &text, &visitor.key(path, &text)?);
                path.set(&text);
                if bytes.next(&mut out.buf)? != b':' {
                    break bytes.cut();
                }
                bytes.copy(&mut out.buf);
                match bytes.next(&mut out.buf)? {
                    b'{' | b'[' => open_container(bytes, out, path, &mut open, visitor)?,
                    b'"' => string(bytes, out, path, visitor)?,
                    _ => bytes.scalar(&mut out.buf)?,
                }
            }
            (_, Some(In::Object)) => break bytes.cut(),
            (b'{' | b'[', _) => open_container(bytes, out, path, &mut open, visitor)?,
            (b'"', _) => string(bytes, out, path, visitor)?,
            (b'0'..=b'9' | b'-', Some(In::Array)) if bytes.numbers(&mut out.buf) => {}
            _ => bytes.scalar(&mut out.buf)?,
        }
        out.write()?;
        if open.is_empty() {
            break Ok(());
        }
    };
    path.depth = base;
    done
}

fn open_container(
    bytes: &mut Bytes<'_>,
    out: &mut Out<'_>,
    path: &mut Path,
    open: &mut Vec<In>,
    visitor: &mut impl Visitor,
) -> Step<()> {
    if path.depth >= DEEPEST {
        return bytes.cut();
    }
    let is_object = bytes.peek()? == Some(b'{');
    if is_object && visitor.wants(path) {
        visitor.object(bytes.ahead(AHEAD)?);
    }
    bytes.copy(&mut out.buf);
    open.push(if is_object { In::Object } else { In::Array });
    path.push();
    Ok(())
}

fn string(
    bytes: &mut Bytes<'_>,
    out: &mut Out<'_>,
    path: &mut Path,
    visitor: &mut impl Visitor,
) -> Step<()> {
    path.at = bytes.at();
    let raw = bytes.string()?;
    let text = text(raw);
    put(&mut out.buf, raw, &text, &visitor.string(path, &text)?);
    Ok(())
}

/// The text of a string with its quotes.
pub(crate) fn text(raw: &[u8]) -> Cow<'_, str> {
    let content = &raw[1..raw.len() - 1];
    if memchr::memchr(b'\\', content).is_none() {
        // Most are ASCII, which this passes quickly.
        return str::from_utf8(content)
            .map_or_else(|_| String::from_utf8_lossy(content), Cow::Borrowed);
    }
    let mut text = Vec::with_capacity(content.len());
    heapquarry_scan::unescape(content, &mut text);
    match String::from_utf8(text) {
        Ok(text) => text.into(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into(),
    }
}

/// Writes a string: as it was if its text is the same.
pub(crate) fn put(out: &mut Vec<u8>, raw: &[u8], text: &str, new: &str) {
    match text == new {
        true => out.extend(raw),
        false => quote(out, new),
    }
}

/// Writes a text as a string of JSON.
pub(crate) fn quote(out: &mut Vec<u8>, text: &str) {
    // Memory takes all, and text is always JSON.
    let _ = serde_json::to_writer(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Replaces strings by their paths.
    struct Paths;

    impl Visitor for Paths {
        fn key<'t>(&mut self, _: &Path, text: &'t str) -> io::Result<Cow<'t, str>> {
            Ok(text.into())
        }

        fn string<'t>(&mut self, path: &Path, _: &'t str) -> io::Result<Cow<'t, str>> {
            Ok(path.keys().collect::<Vec<_>>().join(".").into())
        }
    }

    #[test]
    fn strings_are_replaced_and_all_else_is_copied() {
        for (input, expected, cut) in [
            (
                r#" {"a": "x", "b" : [1, -2.5e3,"y"] }"#,
                r#" {"a": "a", "b" : [1, -2.5e3,"b"] }"#,
                None,
            ),
            (
                r#"{"a":{"b":["x",{"c":"y"}],"d":"z"}}"#,
                r#"{"a":{"b":["a.b",{"c":"a.b.c"}],"d":"a.d"}}"#,
                None,
            ),
            ("{\"a\":\"x\"}\n{\"b\":\"y\"}\n", "{\"a\":\"a\"}\n{\"b\":\"b\"}\n", None),
            (r#"["x",null,true,]"#, r#"["",null,true,]"#, None),
            (r#"[{},[],"x"]"#, r#"[{},[],""]"#, None),
            (r#"{"a":"x\"","#, r#"{"a":"a","#, Some(11)),
            (r#"{"a":"x"#, r#"{"a":"#, Some(5)),
            (r#"{"a":secret}"#, r#"{"a":"#, Some(5)),
            (r#"{secret:1}"#, "{", Some(1)),
            (r#"{"a":1]"#, r#"{"a":1"#, Some(6)),
            (r#"{"a" 1}"#, r#"{"a" "#, Some(5)),
            (r#"["x" secret]"#, r#"["" "#, Some(5)),
            (r#"["a"b","c"]"#, r#"[""#, Some(4)),
        ] {
            let mut out = Vec::new();
            let done = rewrite(&input, &mut Paths, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            match cut {
                // Where exactly does not matter, but what is copied does.
                Some(_) => {
                    assert!(done.cut.is_some(), "{input}");
                    assert!(!out.contains("secret") && !out.contains('c'), "{input}: {out}");
                }
                None => assert_eq!((out.as_str(), done.cut), (expected, None), "{input}"),
            }
        }
        let deep = "[".repeat(100_000);
        assert!(rewrite(&deep, &mut Paths, &mut Vec::new()).unwrap().cut.is_some());
    }

    proptest! {
        /// Long arrays of numbers are copied many at a time: the result must not depend on where strings stand.
        #[test]
        fn numbers_are_copied_whatever_is_between_them(
            items in prop::collection::vec(
                prop_oneof![
                    40 => "[0-9]{1,8}".prop_map(|number| (number.clone(), number)),
                    4 => "-?[0-9]{1,3}[.][0-9]{1,3}".prop_map(|number| (number.clone(), number)),
                    1 => "[a-z]{0,9}".prop_map(|text| (format!("\"{text}\""), "\"k\"".into())),
                    1 => "[0-9]{1,3}".prop_map(|n| (format!("[{n},\"x\"]"), format!("[{n},\"k\"]"))),
                    1 => Just(("null".to_owned(), "null".to_owned())),
                ],
                0..400,
            ),
            comma in prop_oneof![Just(","), Just(",\n"), Just(" , ")],
            cut in any::<prop::sample::Index>(),
        ) {
            let join = |of: fn(&(String, String)) -> &str| items.iter().map(of).collect::<Vec<_>>().join(comma);
            let input = format!("{{\"k\":[{}]}}", join(|item| &item.0));
            let expected = format!("{{\"k\":[{}]}}", join(|item| &item.1));
            let copy = |input: &str| {
                let mut out = Vec::new();
                let done = rewrite(&input, &mut Paths, &mut out).unwrap();
                (String::from_utf8(out).unwrap(), done.cut)
            };
            prop_assert_eq!(copy(&input), (expected.clone(), None));
            // Whatever is no JSON ends the copy, wherever it stands.
            let at = cut.index(input.len());
            let (out, cut) = copy(&format!("{}#{}", &input[..at], &input[at..]));
            let is_in_string = input[..at].matches('"').count() % 2 == 1;
            prop_assert!(is_in_string || cut.is_some() && expected.starts_with(&out), "{}", out);
        }
    }
}
