//! The tasks of workers.

use super::{
    args::Args, collect::Collected, event::EventRows, memory::Dumps, second_pass::Deferred,
};
use crate::{ByteOffset, Code, Log, ahead::Claimed, cpu_profile, document, json::ZEROS};
use arrow_array::RecordBatch;
use heapquarry_scan::Extent;
use heapquarry_tables::{ARGS, FileId, SCRIPT_CALL, TRACE_EVENT, Table};
use std::sync::Arc;

/// The rows of a row group.
#[derive(Debug)]
pub enum Task {
    /// Claimed events.
    Events(Events),
    /// Rows that have been decoded.
    Rows(&'static Table, RecordBatch),
    /// Memory dumps of the second pass.
    Dumps(Dumps),
    /// Rows of a CPU profile.
    Profile(cpu_profile::Task),
}

/// What is kept of events besides their rows.
#[derive(Debug)]
pub(super) struct Keep {
    /// Where the columns are gathered that analysis needs.
    pub(super) events: Option<Arc<Collected>>,
    /// Positions of the events that the second pass reads.
    pub(super) notes: bool,
}

/// Events in a worker's buffer.
#[derive(Debug)]
pub struct Events {
    pub(super) file_id: FileId,
    /// Number of the first event.
    pub(super) first: u64,
    /// Offset of the buffer in the document.
    pub(super) offset: ByteOffset,
    pub(super) extents: Claimed<Extent>,
    pub(super) keep: Keep,
}

/// Side output of a task.
#[derive(Debug, Default)]
pub struct Done {
    pub(super) log: Log,
    /// The events for the second pass, if there are any.
    pub(super) deferred: Option<Vec<Deferred>>,
}

/// Memory that a worker reuses.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Approximate number of `args` rows per event in the last task.
    args: usize,
}

impl document::Task for Task {
    type Done = Done;
    type Scratch = Scratch;

    fn tables(&self) -> Vec<&'static Table> {
        match self {
            Task::Events(_) => vec![&TRACE_EVENT, &ARGS, &SCRIPT_CALL],
            Task::Rows(table, _) => vec![table],
            Task::Dumps(_) => Dumps::tables(),
            Task::Profile(rows) => rows.tables(),
        }
    }

    fn has_side_output(&self) -> bool {
        matches!(self, Task::Events(Events { keep, .. }) if keep.events.is_some() || keep.notes)
    }

    fn decode(self, bytes: &[u8], scratch: &mut Scratch, rows: &mut document::Rows<'_>) -> Done {
        match self {
            Task::Events(events) => events.decode(bytes, scratch, rows),
            Task::Rows(table, batch) => {
                rows.add(table, batch);
                Done::default()
            }
            Task::Dumps(dumps) => {
                dumps.decode(bytes, rows);
                Done::default()
            }
            Task::Profile(task) => {
                task.decode(bytes, &mut (), rows);
                Done::default()
            }
        }
    }
}

impl Events {
    fn decode(self, bytes: &[u8], scratch: &mut Scratch, wanted: &mut document::Rows<'_>) -> Done {
        let Events { file_id, first, offset, extents, keep } = self;
        let mut log = Log::default();
        let mut rows = EventRows::new(first, extents.len(), keep.events.is_some(), keep.notes);
        if wanted.wants(&SCRIPT_CALL) {
            rows = rows.with_calls();
        }
        let mut args = wanted.wants(&ARGS).then(|| Args::new((scratch.args + 1) * extents.len()));
        // Bytes before the first event may be of another claim, and begin within a character.
        let first_byte = extents.first().map_or(0, |first| first.start as usize);
        let is_text = std::str::from_utf8(&bytes[first_byte..]).is_ok();
        let has_zeros = memchr::memchr(0, &bytes[first_byte..]).is_some();
        for extent in extents.iter() {
            let event = &bytes[extent.start as usize..extent.end as usize];
            let at = offset + u64::from(extent.start);
            if has_zeros && event.contains(&0) {
                log.add_excerpt(Code::ZeroBytes, at, event, || ZEROS.into());
            }
            if is_text || std::str::from_utf8(event).is_ok() {
                rows.add(event, at, &mut args, &mut log);
            } else {
                log.add_excerpt(Code::InvalidUtf8, at, event, || {
                    "an event with bytes that are no UTF-8: U+FFFD in the table".into()
                });
                let event = String::from_utf8_lossy(event);
                rows.add(event.as_bytes(), at, &mut args, &mut log);
            }
        }
        if let (Some(collected), Some(events)) = (keep.events, rows.take_events()) {
            collected.add(first, events);
        }
        let (deferred, calls) = (rows.take_deferred(), rows.take_calls());
        if wanted.wants(&TRACE_EVENT) {
            wanted.add(&TRACE_EVENT, rows.finish(file_id));
        }
        if let Some(args) = args {
            let batch = args.finish(file_id);
            scratch.args = batch.num_rows() / extents.len().max(1);
            wanted.add(&ARGS, batch);
        }
        if let Some(calls) = calls {
            wanted.add(&SCRIPT_CALL, calls.finish(file_id));
        }
        Done { log, deferred }
    }
}
