//! Text traces of the Linux kernel's tracer, one event per line: the output of `cat /sys/kernel/tracing/trace`, atrace
//! and systrace.
//!
//! Lines are independent, so any number of workers can decode them; under the lock only the ends of lines are searched
//! (`claim`). The text can be part of another document (`lines::Form`). State that spans lines (marks, threads,
//! scheduler events) is kept in compact form for the analysis ([`System`]).

mod claim;
mod clock;
mod header;
mod line;
mod lines;
mod marks;
mod sched;
mod sniff;
mod system;
mod task;
mod threads;

pub use line::Row;
pub(crate) use sniff::{recognises, recognises_string};
pub use system::System;
pub use task::{Done, Task};

use crate::{
    Buffer, ByteOffset, Claim, Finished, Gathered, Input, Kept, Log, ReadOptions, Reader, Result,
    Summary, TraceParts, input, metadata::Metadata, profile::status, without_mark,
};
use claim::Cursor;
use heapquarry_tables::{FTRACE_TABLES, FileId, TIMELINE_TABLES, TRACE_METADATA, Table};
use heapquarry_timeline::Events;
use lines::Form;

/// The tables that an analysis derives from the gathered events, also from those of a trace in JSON.
pub(crate) static DERIVED: &[&[&Table]] = &[&TIMELINE_TABLES, &FTRACE_TABLES];

/// Whether the events are gathered for analysis.
pub(crate) fn gathers(options: &ReadOptions) -> bool {
    options.gathers(&DERIVED.concat())
}

/// Enough of the text to determine its form and to contain its header.
const HEAD_BYTES: usize = 64 << 10;

/// Ftrace text being read.
pub struct Ftrace<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    rows: usize,
    window: usize,
    cursor: Cursor,
    shift: i64,
    events: u64,
    metadata: Metadata,
    system: Option<System>,
    /// The events of the trace that contains the text.
    trace_events: Events,
    log: Log,
}

/// Ftrace text in a string of a trace (`systemTraceEvents`).
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// Offset after the string's quote.
    pub offset: ByteOffset,
    /// Number of events of the trace: lines of the text are numbered from there on.
    pub events: u64,
    /// Clock values of the trace at synchronisation points, by name.
    pub syncs: Vec<(String, i64)>,
}

impl<'a> Ftrace<'a> {
    /// Starts to read.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: &'a dyn Input, file_id: FileId, options: &ReadOptions) -> Result<Self> {
        let mut log = Log::default();
        let start = input::start(input, &mut log)?;
        let head = input::bytes_at(input, ByteOffset::START, HEAD_BYTES)?;
        let form = sniff::form(&head);
        let mut ftrace = Self::at(Cursor::new(form, start, 0), input, file_id, options);
        header::read(form, without_mark(&head), start, "", &mut ftrace.metadata);
        ftrace.log = log;
        Ok(ftrace)
    }

    /// Starts to read a string of a trace. Times are converted to the trace's clock, if both share a synchronisation
    /// point.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn within(
        input: &'a dyn Input,
        file_id: FileId,
        text: &Within,
        options: &ReadOptions,
    ) -> Result<Self> {
        let head = input::bytes_at(input, text.offset, HEAD_BYTES)?;
        let cursor = Cursor::new(Form::Json, text.offset, text.events);
        let mut ftrace = Self::at(cursor, input, file_id, options);
        let metadata = &mut ftrace.metadata;
        header::read(Form::Json, &head, text.offset, "systemTraceEvents.", metadata);
        ftrace.shift = clock::shift(input, Form::Json, text.offset, options.window, &text.syncs)?;
        Ok(ftrace)
    }

    /// Text that is read from the cursor on.
    fn at(cursor: Cursor, input: &'a dyn Input, file_id: FileId, options: &ReadOptions) -> Self {
        Ftrace {
            input,
            file_id,
            rows: options.row_group_rows.max(1),
            window: options.window,
            cursor,
            shift: 0,
            events: 0,
            metadata: Metadata::default(),
            system: gathers(options).then(System::default),
            trace_events: Events::default(),
            log: Log::default(),
        }
    }

    /// Joins the accumulated state to the events of the trace that contains the text.
    #[must_use]
    pub fn with_events(mut self, events: Events) -> Self {
        self.trace_events = events;
        self
    }
}

impl Reader for Ftrace<'_> {
    type Task = Task;
    type Ahead = ();

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        if self.cursor.ended {
            return Ok(Claim::End);
        }
        let before = self.cursor.at();
        let lines = self.cursor.claim(self.input, buf, self.rows, self.window, &mut self.log)?;
        let read = self.cursor.at() - before;
        Ok(match lines {
            Some(lines) => {
                let (file_id, shift) = (self.file_id, self.shift);
                Claim::Task(Task { file_id, lines, shift, collects: self.system.is_some() }, read)
            }
            None => Claim::Progress(read),
        })
    }

    fn kept(&self) -> Kept {
        let Some(system) = &self.system else { return Kept::default() };
        let events = self.trace_events.len() + self.events;
        // Whatever is made of events copies their strings once.
        Kept { events, bytes: 2 * (self.trace_events.strings().memory() + system.memory()) }
    }

    fn complete(&mut self, done: Done) {
        self.events += done.rows;
        if let Some(system) = &mut self.system {
            system.add(done.first, done.piece);
        }
        self.log.merge(done.log);
    }

    fn finish(self) -> Finished {
        let summary = Summary {
            name: None,
            format: "ftrace",
            producer: None,
            bytes: self.input.size(),
            status: status(&self.log),
            counts: vec![("ftrace_events", self.events)],
            log: self.log,
        };
        let gathered = self.system.map(|system| {
            let mut events = self.trace_events;
            let scheduled = system.join(&mut events);
            Gathered::Trace(Box::new(TraceParts { events, scheduled }))
        });
        let batches = vec![(&TRACE_METADATA, self.metadata.batch(self.file_id))];
        Finished { batches, documents: vec![summary], gathered, next: None }
    }
}
