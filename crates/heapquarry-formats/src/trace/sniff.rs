//! Detects traces.

use crate::{ByteOffset, Input, Result, input};
use heapquarry_scan::is_blank;

/// Whether a member of the outermost object belongs to a trace.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"traceEvents" => crate::json::opens(value, b"["),
        b"stackFrames" => crate::json::opens(value, b"{"),
        b"systemTraceEvents" => value.first() == Some(&b'"'),
        _ => false,
    }
}

/// Whether a member of an object in an array or on a line belongs to an event.
pub(crate) fn is_event(key: &[u8], value: &[u8]) -> bool {
    key == b"ph" && value.first() == Some(&b'"')
}

/// Whether a document is an empty array, closed or not: only a trace can be that.
pub(crate) fn is_empty(document: &[u8]) -> bool {
    let plain: Vec<u8> = document.iter().copied().filter(|byte| !is_blank(*byte)).collect();
    let array = plain.strip_prefix(b"[").map(|rest| rest.strip_suffix(b"]").unwrap_or(rest));
    let nothing = |event: &[u8]| matches!(event, b"" | b"{}");
    array.is_some_and(|events| events.split(|&byte| byte == b',').all(nothing))
}

/// Whether the object at that offset is an event, as in files with one event per line.
pub(super) fn is_line(input: &dyn Input, at: ByteOffset) -> Result<bool> {
    let head = input::bytes_at(input, at, 64 << 10)?;
    let members = super::members::Members::new(&head);
    let mut is_line = false;
    for member in members {
        match member.key {
            b"traceEvents" | b"stackFrames" | b"samples" => return Ok(false),
            b"ph" => is_line = true,
            _ => {}
        }
    }
    Ok(is_line)
}
