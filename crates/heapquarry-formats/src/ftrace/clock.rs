//! The clock of a text that is part of a trace: the kernel's and the trace's need not be the same, but a mark in the text says
//! what the other one showed.

use super::{
    claim::Cursor,
    lines::Form,
    marks::{self, Mark},
};
use crate::{Buffer, Input, Log, Result};
use memchr::memmem;

/// Lines that are looked at together.
const LINES: usize = 1 << 16;

/// What all marks of a synchronisation have in them.
const MARK: &[u8] = b"trace_event_clock_sync:";

/// What is to be added to times of the text that begins at `at`, by its first mark that tells: what the clock of the trace
/// showed (`parent_ts`), or when it showed something that the trace has too (`syncs`: name, nanoseconds). 0 if none does.
pub(super) fn shift(
    input: &dyn Input,
    form: Form,
    at: u64,
    window: usize,
    syncs: &[(String, i64)],
) -> Result<i64> {
    let mut cursor = Cursor::new(form, at, 0);
    let (mut buf, mut log) = (Buffer::default(), Log::default());
    while !cursor.ended {
        let Some(lines) = cursor.claim(input, &mut buf, LINES, window, &mut log)? else { continue };
        if memmem::find(&buf[lines.range.clone()], MARK).is_none() {
            continue;
        }
        let mut found = None;
        lines.each(&buf, &mut log, |_, row| {
            let other = match marks::read(&row) {
                // 0 says that there is none.
                Ok(Some(Mark::Clock { name: "parent_ts", ts })) => Some(ts).filter(|&ts| ts != 0),
                Ok(Some(Mark::Sync { id })) => {
                    syncs.iter().find(|(name, _)| name == id).map(|&(_, ts)| ts)
                }
                _ => None,
            };
            found = found.or(other.map(|other| other.saturating_sub(row.ts)));
        });
        if let Some(shift) = found {
            return Ok(shift);
        }
    }
    Ok(0)
}
