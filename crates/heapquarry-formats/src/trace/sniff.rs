//! Whether a document is a trace.

use crate::{Input, Result, input};

/// Whether a member of the outermost object shows that it is a trace.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"traceEvents" => crate::sniff::opens(value, b"["),
        b"stackFrames" => crate::sniff::opens(value, b"{"),
        b"systemTraceEvents" => value.first() == Some(&b'"'),
        _ => false,
    }
}

/// Whether a member of an object in an array or on a line shows that it is an event.
pub(crate) fn is_event(key: &[u8], value: &[u8]) -> bool {
    key == b"ph" && value.first() == Some(&b'"')
}

/// Whether the object at that offset is an event itself, as in files of one event a line.
pub(super) fn is_line(input: &dyn Input, at: u64) -> Result<bool> {
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
