//! The text of claimed strings, and the rows of `js_heap_string`.

use super::claim::ClaimedStrings;
use crate::{ByteOffset, Code, Log, json::ZEROS};
use arrow_array::{Array, Int32Array, LargeStringArray, RecordBatch};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use heapquarry_scan::{Span, unescape};
use heapquarry_tables::{FileId, js_heap_string};
use std::sync::Arc;

/// Zeros in a row that are a hole in the file.
const HOLE: [u8; 8] = [0; 8];

impl ClaimedStrings {
    /// The text of the claimed strings.
    pub(crate) fn decode(&self, bytes: &[u8], log: &mut Log) -> LargeStringArray {
        let raw: usize = self.spans.iter().map(|s| (s.end - s.start) as usize).sum();
        let mut text = Vec::with_capacity(raw);
        let mut offsets = Vec::with_capacity(self.spans.len() + 1);
        offsets.push(0);
        for span in self.spans.iter() {
            self.append(span, bytes, &mut text, log);
            offsets.push(text.len() as i64);
        }
        self.log_holes(bytes, &text, log);
        let array = |offsets: Vec<i64>, text: Vec<u8>| {
            let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
            LargeStringArray::try_new(offsets, text.into(), None)
        };
        // All strings are checked at once. Only if that fails is each of them checked.
        array(offsets, text).unwrap_or_else(|_| {
            let mut text = String::with_capacity(raw);
            let mut offsets = vec![0];
            let mut one = Vec::new();
            for span in self.spans.iter() {
                one.clear();
                self.append(span, bytes, &mut one, &mut Log::default());
                let valid = String::from_utf8_lossy(&one);
                if matches!(valid, std::borrow::Cow::Owned(_)) {
                    let content = &bytes[span.start as usize..span.end as usize];
                    log.add_excerpt(Code::InvalidUtf8, self.offset(span), content, || {
                        "not UTF-8".into()
                    });
                }
                text.push_str(&valid);
                offsets.push(text.len() as i64);
            }
            array(offsets, text.into_bytes()).expect("made of valid strings")
        })
    }

    /// Logs strings with more zeros in a row than a writer that escapes none (llnode) has a reason for.
    fn log_holes(&self, bytes: &[u8], text: &[u8], log: &mut Log) {
        let find = memchr::memmem::Finder::new(&HOLE);
        // Escapes stand for zeros, too.
        if find.find(text).is_none() {
            return;
        }
        for span in self.spans.iter() {
            let raw = &bytes[span.start as usize..span.end as usize];
            if find.find(raw).is_some() {
                log.add_excerpt(Code::ZeroBytes, self.offset(span), raw, || ZEROS.into());
            }
        }
    }

    fn offset(&self, span: &Span) -> ByteOffset {
        self.offset + u64::from(span.start)
    }

    fn append(&self, span: &Span, bytes: &[u8], text: &mut Vec<u8>, log: &mut Log) {
        let raw = &bytes[span.start as usize..span.end as usize];
        if !span.escaped {
            text.extend_from_slice(raw);
            return;
        }
        let odd = unescape(raw, text);
        if has_stray_quote(raw) {
            log.add_excerpt(Code::StrayQuote, self.offset(span), raw, || {
                "unescaped quote inside a string".into()
            });
        }
        for _ in 0..odd.lone_surrogates {
            log.add_excerpt(Code::LoneSurrogate, self.offset(span), raw, || {
                "half of a surrogate pair".into()
            });
        }
        for _ in 0..odd.bad_escapes {
            log.add_excerpt(Code::BadEscape, self.offset(span), raw, || {
                "not an escape of JSON".into()
            });
        }
    }
}

fn has_stray_quote(raw: &[u8]) -> bool {
    let mut escaped = false;
    raw.iter().any(|&b| {
        let stray = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        stray
    })
}

/// Rows of `js_heap_string`.
pub(crate) fn rows(file_id: FileId, first: u64, strings: &LargeStringArray) -> RecordBatch {
    let rows = strings.len();
    let first = i32::try_from(first).unwrap_or(i32::MAX);
    let positions = (0..rows as i32).map(|row| first.saturating_add(row));
    js_heap_string::Columns {
        file_id: file_id.column(rows),
        string_index: Arc::new(Int32Array::from_iter_values(positions)),
        string: Arc::new(strings.clone()),
    }
    .into_batch()
}
