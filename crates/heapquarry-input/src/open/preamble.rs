//! Text before a document: `kubectl exec` says which container it takes, `curl -i` prints the headers of the answer.

use crate::devtools;

/// Bytes of the beginning within which the document must begin, and tell what it is.
pub(super) const HEAD: usize = 64 << 10;

/// Lines that are tried: text can have brackets too.
const MOST_LINES: usize = 16;

/// Length of the text, if content with this beginning is text on lines of its own, and what follows is of a known
/// format in JSON.
pub(super) fn length(head: &[u8]) -> Option<usize> {
    let is_text = |byte: &u8| *byte >= 0x20 || byte.is_ascii_whitespace() || *byte == 0x1b;
    let first = head.trim_ascii_start().first()?;
    // Documents begin so, and pages, whose lines would all be tried.
    if matches!(first, b'{' | b'[' | b',' | b'<' | 0x1E) || !is_text(first) {
        return None;
    }
    let starts = memchr::memchr_iter(b'\n', head).map(|end| end + 1);
    let begins = |&at: &usize| matches!(head.get(at), Some(b'{' | b'['));
    let found = starts.filter(begins).take(MOST_LINES).find(|&at| is_known(&head[at..]))?;
    head[..found].iter().all(is_text).then_some(found)
}

fn is_known(head: &[u8]) -> bool {
    heapquarry_formats::sniff(&head).is_ok_and(|found| found.is_some())
        || devtools::sniff(&head).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_must_be_known() {
        let trace = r#"{"traceEvents":[{"ph":"X"}]}"#;
        for (text, expected) in [
            ("Defaulted container \"app\" out of: app, proxy\n", Some(45)),
            ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", Some(51)),
            ("[info] starting\n[info] ready\n", None),
            ("x\n[info] starting\n{not this}\n", Some(29)),
            ("", None),
            ("\n", None),
            ("\0\n", None),
            ("a\0b\n", None),
            ("no line ", None),
            ("<!DOCTYPE html>\n", None),
        ] {
            let head = format!("{text}{trace}");
            assert_eq!(length(head.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(length(b"x\n{\"y\":1}"), None);
        assert_eq!(length(b"x\n"), None);
    }
}
