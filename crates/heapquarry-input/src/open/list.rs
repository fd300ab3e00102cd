//! Lists of documents: `[profile]`, `[snapshot,snapshot]`, as programs write them that collect several.
//!
//! Events in a list are a trace, whose reader takes lists itself, and so are reports of self-profiling.

use crate::FileInput;
use heapquarry_formats::{ByteOffset, Code, Input, Log, sniff, without_mark};
use heapquarry_scan::{Skipped, Skipper, is_blank};
use std::io;

/// Bytes that are read at a time.
const WINDOW: usize = 64 << 10;

/// Most documents of a list. Without a limit, a file of `{},{},…` would take far more memory than its own size.
const MOST: usize = 4096;

/// Offset of the first document, if the input, which has this beginning, is a list of documents of known formats.
///
/// # Errors
///
/// If the input cannot be read.
pub(super) fn first(head: &[u8], input: &FileInput) -> heapquarry_formats::Result<Option<u64>> {
    let text = without_mark(head);
    let inside = text.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    let Some(inside) = inside.filter(|inside| inside.starts_with(b"{")) else { return Ok(None) };
    let at = (head.len() - inside.len()) as u64;
    // A short element is looked at alone: detection would go on to those behind it.
    let first = match Skipper::new().feed(inside) {
        Skipped::Done(length) => input.slice(at, length as u64),
        Skipped::More => input.from(at),
    };
    // Other elements can show that it is a trace all the same.
    let is_list = sniff(&first)?.is_some() && sniff(input)?.is_none();
    Ok(is_list.then_some(at))
}

/// The documents of a list of which the first one begins at `at`. What cannot be read is logged.
///
/// # Errors
///
/// If the input cannot be read.
pub(super) fn documents(
    list: &FileInput,
    guarded: &dyn Input,
    at: u64,
    log: &mut Log,
) -> io::Result<Vec<FileInput>> {
    let mut text = Text { input: guarded, at, window: Vec::new(), used: 0 };
    let mut documents = Vec::new();
    let cut = || "the file ends within a list of documents".into();
    loop {
        match text.peek()? {
            // A comma may precede it.
            Some(b']') => break text.advance(1),
            Some(_) => {}
            None => {
                log.add(Code::Truncated, ByteOffset(text.at), cut);
                return Ok(documents);
            }
        }
        if documents.len() == MOST {
            let why = || format!("a list has more than {MOST} documents; the others are not read");
            log.add(Code::Truncated, ByteOffset(text.at), why);
            return Ok(documents);
        }
        let start = text.at;
        let is_whole = text.skip_value()?;
        documents.push(list.slice(start, text.at - start));
        match text.peek()?.filter(|_| is_whole) {
            Some(b',') => text.advance(1),
            Some(b']') => {}
            Some(_) => {
                log.add(Code::Malformed, ByteOffset(text.at), || {
                    "expected `,` or `]` behind a document in a list; the rest is not read".into()
                });
                return Ok(documents);
            }
            None => {
                log.add(Code::Truncated, ByteOffset(text.at), cut);
                return Ok(documents);
            }
        }
    }
    let (code, what) = match text.peek()? {
        None => return Ok(documents),
        Some(b'[' | b'{') => (Code::SecondDocument, "another document follows"),
        Some(_) => (Code::TrailingData, "bytes follow"),
    };
    log.add(code, ByteOffset(text.at), || format!("{what} the list of documents, and is not read"));
    Ok(documents)
}

/// Bytes of an input, one after the other.
struct Text<'a> {
    input: &'a dyn Input,
    /// Offset of the next byte.
    at: u64,
    window: Vec<u8>,
    /// Bytes of the window before the next one.
    used: usize,
}

impl Text<'_> {
    /// The bytes that are known from here on; none at the end.
    fn rest(&mut self) -> io::Result<&[u8]> {
        if self.used == self.window.len() {
            self.window.resize(WINDOW, 0);
            let read = self.input.read_at(&mut self.window, self.at)?;
            self.window.truncate(read);
            self.used = 0;
        }
        Ok(&self.window[self.used..])
    }

    fn advance(&mut self, bytes: usize) {
        self.used += bytes;
        self.at += bytes as u64;
    }

    /// The next byte that is no blank, which is not taken.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let rest = self.rest()?;
            let blanks = rest.iter().take_while(|&&byte| is_blank(byte)).count();
            let (byte, is_last) = (rest.get(blanks).copied(), rest.is_empty());
            self.advance(blanks);
            if byte.is_some() || is_last {
                return Ok(byte);
            }
        }
    }

    /// Skips a value. Returns whether it has an end.
    fn skip_value(&mut self) -> io::Result<bool> {
        let mut skipper = Skipper::new();
        loop {
            let rest = self.rest()?;
            let length = rest.len();
            if length == 0 {
                return Ok(false);
            }
            match skipper.feed(rest) {
                Skipped::Done(used) => {
                    self.advance(used);
                    return Ok(true);
                }
                Skipped::More => self.advance(length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const CPU: &str = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[1]}"#;
    const HEAP: &str = r#"{"snapshot":{"meta":{"node_fields":["id"]}},"nodes":[1]}"#;

    #[test]
    fn lists_of_documents_are_told_from_traces() {
        for (text, expected) in [
            (format!("[{CPU}]"), Some(1)),
            (format!("\u{feff} [\n {HEAP}"), Some(7)),
            (format!("[{CPU},{{\"ph\":\"X\"}}]"), None),
            (r#"[{"ph":"X","name":"a"}]"#.into(), None),
            (r#"[{"trace":{"samples":[{"stackId":1}]}}]"#.into(), None),
            (format!("[[{CPU}]]"), None),
            (r#"[{"x":1}]"#.into(), None),
            ("[]".into(), None),
            ("[".into(), None),
            (CPU.into(), None),
            (String::new(), None),
        ] {
            let input = FileInput::of(Arc::new(text.clone()));
            assert_eq!(first(text.as_bytes(), &input).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_list_has_is_read_and_what_is_lost_is_said() {
        let long = format!("{{\"x\":\"{}\"}}", "]},".repeat(WINDOW));
        for (text, expected, logged) in [
            ("{}]".to_string(), vec!["{}"], vec![]),
            ("{} , {\"a\":[1]}\n]\n".into(), vec!["{}", "{\"a\":[1]}"], vec![]),
            (format!("{{}},{long},{{}}]"), vec!["{}", &long, "{}"], vec![]),
            ("{},1,\"]\"]".into(), vec!["{}", "1", "\"]\""], vec![]),
            ("{\"a\":[".into(), vec!["{\"a\":["], vec![Code::Truncated]),
            ("{}".into(), vec!["{}"], vec![Code::Truncated]),
            ("{},".into(), vec!["{}"], vec![Code::Truncated]),
            ("{}, ]".into(), vec!["{}"], vec![]),
            ("{} {}]".into(), vec!["{}"], vec![Code::Malformed]),
            ("{}][{}]".into(), vec!["{}"], vec![Code::SecondDocument]),
            ("{}] x".into(), vec!["{}"], vec![Code::TrailingData]),
        ] {
            let text = format!("[{text}");
            let input = FileInput::of(Arc::new(text.clone()));
            let mut log = Log::default();
            let found = documents(&input, &input, 1, &mut log).unwrap();
            let found: Vec<_> = found.iter().map(|part| part.head(1 << 20).unwrap()).collect();
            let expected: Vec<_> = expected.iter().map(|part| part.as_bytes()).collect();
            assert_eq!(found, expected, "{:.40}", text);
            let codes: Vec<_> = log.into_entries().iter().map(|entry| entry.code).collect();
            assert_eq!(codes, logged, "{:.40}", text);
        }
    }

    #[test]
    fn a_list_has_a_limit() {
        let text = format!("[{}{{}}]", "{},".repeat(MOST));
        let (input, mut log) = (FileInput::of(Arc::new(text)), Log::default());
        assert_eq!(documents(&input, &input, 1, &mut log).unwrap().len(), MOST);
        assert_eq!(log.into_entries()[0].code, Code::Truncated);
    }
}
