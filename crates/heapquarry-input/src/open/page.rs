//! Pages that hold traces, as systrace and trace2html write them.
//!
//! Old pages of systrace have the text in a literal of JavaScript, `var linuxPerfData = "\`, newer ones in scripts of
//! the class `trace-data`. Pages of trace2html have files in scripts with the id `viewer-data`, as base64
//! (<https://github.com/catapult-project/catapult/blob/6fd8bbe/tracing/tracing_build/trace2html.py>). Uncompressed
//! traces are read in place.

use super::{
    packing::{Unpacked, spool},
    spool::Spool,
    watched::Failure,
};
use crate::{FileInput, Spooling};
use base64::{alphabet, engine, read::DecoderReader};
use heapquarry_formats::{Input, Log, without_mark};
use memchr::memmem::Finder;
use std::{
    io::{self, BufReader, Read},
    ops::Range,
};

/// Bytes that are searched at a time.
const WINDOW: usize = 1 << 20;

/// Bytes that are decoded at a time.
const LONGEST_READ: usize = 64 << 10;

/// Maximum length of a tag in bytes.
const LONGEST_TAG: u64 = 4 << 10;

const LITERAL: &[u8] = b"linuxPerfData = \"\\\n";

/// Missing padding is accepted.
const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
    &alphabet::STANDARD,
    engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(engine::DecodePaddingMode::Indifferent),
);

/// Whether `head` is the start of such a page.
pub(super) fn recognises(head: &[u8]) -> bool {
    let head = without_mark(head).trim_ascii_start();
    let begins = |tag: &[u8]| head.get(..tag.len()).is_some_and(|t| t.eq_ignore_ascii_case(tag));
    begins(b"<!doctype html") || begins(b"<html")
}

/// All parts of a page in file order: traces, and what comes with them.
///
/// # Errors
///
/// If the page cannot be read, or the spool cannot be written.
pub(super) fn parts(page: &FileInput, to: &Spool<'_>) -> io::Result<Vec<Unpacked>> {
    let mut search = Search { page, spooling: to.spooling(), window: Vec::new(), at: 0 };
    let [script, tag_end, script_end, literal_start, literal_end] =
        [&b"<script"[..], b">", b"</script", LITERAL, b"\";\n"].map(Finder::new);
    let [trace_data, viewer_data] =
        [b"\"trace-data\"".as_slice(), b"\"viewer-data\""].map(Finder::new);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(tag) = search.find(at..page.size(), &script)? {
        let Some(start) = search.find(tag..page.size().min(tag + LONGEST_TAG), &tag_end)? else {
            at = tag + 1;
            continue;
        };
        let tag = page.slice(tag, start - tag).head(LONGEST_TAG as usize)?;
        let has = |attribute: &Finder<'_>| attribute.find(&tag).is_some();
        let end = search.find(start..page.size(), &script_end)?.unwrap_or(page.size());
        let body = start + 1..end;
        at = body.end;
        if has(&trace_data) {
            parts.push(plain(page, body));
        } else if has(&viewer_data) {
            parts.push(decoded(page, body, to)?);
        } else if let Some(literal) = search.find(body.clone(), &literal_start)? {
            let start = literal + LITERAL.len() as u64;
            let end = search.find(start..body.end, &literal_end)?.unwrap_or(body.end);
            parts.push(plain(page, start..end));
        }
    }
    Ok(parts)
}

/// A part that is read in place.
fn plain(page: &FileInput, range: Range<u64>) -> Unpacked {
    Unpacked::Spooled(page.slice(range.start, range.end - range.start), Log::default())
}

/// A part in base64; one that begins like JSON is read in place.
fn decoded(page: &FileInput, range: Range<u64>, to: &Spool<'_>) -> io::Result<Unpacked> {
    let part = page.slice(range.start, range.end - range.start);
    let head = part.head(64)?;
    if matches!(head.trim_ascii_start().first(), Some(b'{' | b'[' | b'#')) {
        return Ok(plain(page, range));
    }
    let failure = Failure::default();
    let part = failure.watch(part.reader());
    let text = NoBlanks(BufReader::with_capacity(LONGEST_READ, part));
    spool(DecoderReader::new(text, &BASE64), &failure, to)
}

/// Reads without blanks.
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

/// Searches for bytes. One read serves the next searches, since they mostly move forward.
struct Search<'p> {
    page: &'p FileInput,
    spooling: &'p Spooling<'p>,
    window: Vec<u8>,
    /// Start of the window.
    at: u64,
}

impl Search<'_> {
    /// The first occurrence in a range.
    fn find(&mut self, range: Range<u64>, finder: &Finder<'_>) -> io::Result<Option<u64>> {
        let needle = finder.needle();
        let overlap = needle.len() as u64 - 1;
        let mut at = range.start;
        while at + overlap < range.end {
            let bytes = self.bytes(at..range.end, needle.len())?;
            if let Some(found) = finder.find(bytes) {
                return Ok(Some(at + found as u64));
            }
            match bytes.len() as u64 {
                len if len > overlap => at += len - overlap,
                _ => break,
            }
        }
        Ok(None)
    }

    /// The first bytes of a range: at least `least`, unless the range is shorter.
    fn bytes(&mut self, range: Range<u64>, least: usize) -> io::Result<&[u8]> {
        let kept = self.at..self.at + self.window.len() as u64;
        if range.start < kept.start || range.start + least as u64 > kept.end {
            self.spooling.check()?;
            self.at = range.start;
            self.window = self.page.from(range.start).head(WINDOW)?;
        }
        let from = (range.start - self.at) as usize;
        let room = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        let bytes = &self.window[from..];
        Ok(&bytes[..bytes.len().min(room)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn found(page: &[u8]) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(page).unwrap();
        let (page, spooling) = (FileInput::open(file).unwrap(), Spooling::to_temp(None));
        let parts = parts(&page, &Spool::new(&spooling)).unwrap();
        let text = |part: &Unpacked| {
            let Unpacked::Spooled(input, log) = part else { return "unknown".into() };
            let text = String::from_utf8(input.head(1 << 20).unwrap()).unwrap();
            let damage = if log.count(heapquarry_formats::Severity::Info) > 0 { "!" } else { "" };
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

    /// Many small scripts used to read a whole window each.
    #[test]
    fn a_page_is_read_once_whatever_is_in_it() {
        let script = "<script class=\"trace-data\">a</script><script>b</script>\n";
        let text = script.repeat(50_000);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let (page, spooling) = (FileInput::open(file).unwrap(), Spooling::to_temp(None));
        let mut search = Search { page: &page, spooling: &spooling, window: Vec::new(), at: 0 };
        let (mut at, mut found, mut windows) = (0, 0, std::collections::BTreeSet::new());
        let [start, end, literal] = [&b"<script"[..], b"</script", LITERAL].map(Finder::new);
        while let Some(tag) = search.find(at..page.size(), &start).unwrap() {
            at = search.find(tag..page.size(), &end).unwrap().unwrap();
            assert_eq!(search.find(tag..at, &literal).unwrap(), None);
            windows.insert(search.at);
            found += 1;
        }
        assert_eq!(found, 100_000);
        assert!(windows.len() <= text.len() / WINDOW + 2, "{} windows", windows.len());
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
