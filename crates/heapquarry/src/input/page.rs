//! Pages that hold traces, as systrace and trace2html write them.
//!
//! Old pages of systrace have the text in a literal of JavaScript, `var linuxPerfData = "\`, newer ones in scripts of the
//! class `trace-data`; those of trace2html have files in scripts with the id `viewer-data`, as base64
//! (<https://github.com/catapult-project/catapult/blob/6fd8bbe/tracing/tracing_build/trace2html.py>). What stands there as it is, is
//! read where it stands.

use super::{FileInput, Spooling, packing};
use base64::{alphabet, engine, read::DecoderReader};
use heapquarry_formats::{Input, Log, without_mark};
use memchr::memmem;
use std::{
    io::{self, BufReader, Read},
    ops::Range,
};

/// Bytes that are searched at a time.
const WINDOW: usize = 1 << 20;

/// Bytes within which a tag ends.
const LONGEST_TAG: u64 = 4 << 10;

const LITERAL: &[u8] = b"linuxPerfData = \"\\\n";

/// Missing padding is no damage.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(engine::DecodePaddingMode::Indifferent),
);

/// A trace of a page, or something else that comes with it.
pub(super) struct Part {
    pub(super) input: FileInput,
    /// What was wrong with it.
    pub(super) log: Log,
}

/// Whether a page begins like this.
pub(super) fn recognises(head: &[u8]) -> bool {
    let head = without_mark(head).trim_ascii_start();
    let begins = |tag: &[u8]| head.get(..tag.len()).is_some_and(|t| t.eq_ignore_ascii_case(tag));
    begins(b"<!doctype html") || begins(b"<html")
}

/// All that a page holds, in file order.
pub(super) fn parts(page: &FileInput, spooling: &Spooling<'_>) -> io::Result<Vec<Part>> {
    let find = |range, needle: &[u8]| find(page, range, needle, spooling);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(tag) = find(at..page.size(), b"<script")? {
        let Some(start) = find(tag..page.size().min(tag + LONGEST_TAG), b">")? else {
            at = tag + 1;
            continue;
        };
        let tag = page.slice(tag, start - tag).head(LONGEST_TAG as usize)?;
        let has = |attribute: &[u8]| memmem::find(&tag, attribute).is_some();
        let body = start + 1..find(start..page.size(), b"</script")?.unwrap_or(page.size());
        at = body.end;
        if has(b"\"trace-data\"") {
            parts.push(plain(page, body));
        } else if has(b"\"viewer-data\"") {
            parts.push(decoded(page, body, spooling)?);
        } else if let Some(literal) = find(body.clone(), LITERAL)? {
            let start = literal + LITERAL.len() as u64;
            let end = find(start..body.end, b"\";\n")?.unwrap_or(body.end);
            parts.push(plain(page, start..end));
        }
    }
    Ok(parts)
}

/// A part that is read where it stands.
fn plain(page: &FileInput, range: Range<u64>) -> Part {
    Part { input: page.slice(range.start, range.end - range.start), log: Log::default() }
}

/// A part that is base64, unless it begins as JSON does.
fn decoded(page: &FileInput, range: Range<u64>, spooling: &Spooling<'_>) -> io::Result<Part> {
    let part = plain(page, range);
    let head = part.input.head(64)?;
    if matches!(head.trim_ascii_start().first(), Some(b'{' | b'[' | b'#')) {
        return Ok(part);
    }
    let text = NoBlanks(BufReader::with_capacity(WINDOW, part.input.reader()));
    let mut file = spooling.file()?;
    let (len, damage) = packing::copy(DecoderReader::new(text, &BASE64), &mut file, spooling)?;
    let mut log = Log::default();
    if let Some(damage) = damage {
        packing::damaged(&mut log, len, &damage);
    }
    Ok(Part { input: FileInput::new(file, len), log })
}

/// Reads on without the blanks.
struct NoBlanks<R>(R);

impl<R: Read> Read for NoBlanks<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.0.read(buf)?;
            let mut kept = 0;
            for at in 0..read {
                buf[kept] = buf[at];
                kept += usize::from(!buf[at].is_ascii_whitespace());
            }
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
}

/// Where these bytes stand first.
fn find(
    page: &FileInput,
    range: Range<u64>,
    needle: &[u8],
    spooling: &Spooling<'_>,
) -> io::Result<Option<u64>> {
    let finder = memmem::Finder::new(needle);
    let overlap = needle.len() as u64 - 1;
    let mut at = range.start;
    while at < range.end {
        spooling.check()?;
        let window = page.slice(at, range.end - at).head(WINDOW)?;
        if let Some(found) = finder.find(&window) {
            return Ok(Some(at + found as u64));
        }
        if window.len() < WINDOW {
            break;
        }
        at += window.len() as u64 - overlap;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn found(page: &[u8]) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(page).unwrap();
        let page = FileInput::new(file, page.len() as u64);
        let parts = parts(&page, &Spooling::to_temp(None)).unwrap();
        let text = |part: &Part| {
            let text = String::from_utf8(part.input.head(1 << 20).unwrap()).unwrap();
            let damage =
                if part.log.count(heapquarry_formats::Severity::Info) > 0 { "!" } else { "" };
            text + damage
        };
        parts.iter().map(text).collect()
    }

    #[test]
    fn parts_of_pages() {
        let far = " ".repeat(WINDOW - 3);
        for (page, expected) in [
            (
                "<html><script>var linuxPerfData = \"\\\na\\n\\\nb\\n\";\n</script>".to_string(),
                vec!["a\\n\\\nb\\n"],
            ),
            ("<script>linuxPerfData = \"\\\na".into(), vec!["a"]),
            ("<script>if (linuxPerfData) {}</script>".into(), vec![]),
            (
                "<script class=\"trace-data\" type=\"application/text\">a</script>\n\
                 <script x>no</script><script class=\"trace-data\">b</script>"
                    .into(),
                vec!["a", "b"],
            ),
            (
                "<script id=\"viewer-data\" type=\"text/plain\">\naGVs\nbG8=\n</script>".into(),
                vec!["hello"],
            ),
            ("<script id=\"viewer-data\">aGVsbG8</script>".into(), vec!["hello"]),
            ("<script id=\"viewer-data\">aGVs!!!!</script>".into(), vec!["!"]),
            ("<script id=\"viewer-data\"> [1]</script>".into(), vec![" [1]"]),
            (format!("<html>{far}<script class=\"trace-data\">{far}</script>"), vec![far.as_str()]),
            ("<script".into(), vec![]),
            (String::new(), vec![]),
        ] {
            assert_eq!(found(page.as_bytes()), expected, "{:.80}", page.trim());
        }
    }

    #[test]
    fn pages_are_told_by_their_first_tag() {
        for (head, expected) in [
            ("<!DOCTYPE html>\n", true),
            ("\u{feff}\n <HTML>", true),
            ("<!doctype HTML", true),
            ("<svg>", false),
            ("<htm", false),
            ("", false),
        ] {
            assert_eq!(recognises(head.as_bytes()), expected, "{head}");
        }
    }
}
