//! The clock of a text within a trace: the clocks of the kernel and the trace can differ, but a mark in the text has a
//! value of the other clock.

use super::{
    claim::Cursor,
    lines::Form,
    marks::{self, Mark},
};
use crate::{Buffer, ByteOffset, Input, Log, Result};
use memchr::memmem;

/// Number of lines that are searched at a time.
const LINES: usize = 1 << 16;

/// Text in all synchronisation marks.
const MARK: &[u8] = b"trace_event_clock_sync:";

/// The offset to add to times of the text that begins at `at`. The first mark with a value decides: the trace's clock
/// (`parent_ts`), or the time of a synchronisation that the trace has too (`syncs`: name, nanoseconds). 0 if there is
/// no such mark.
pub(super) fn shift(
    input: &dyn Input,
    form: Form,
    at: ByteOffset,
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
                // 0 means that there is none.
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
