//! Traces of the Linux kernel's tracer as text, one event a line: what `cat /sys/kernel/tracing/trace`, atrace and
//! systrace write.
//!
//! Lines stand for themselves, so any number of workers can decode them: under the lock only their ends are looked for
//! (`claim`). The text may be part of something else (`lines::Form`). What lines tell together - marks, threads, what the
//! scheduler did - is kept in compact form ([`System`]), for whoever concludes what it means.

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
    Buffer, Claim, Finished, Gathered, Input, Log, ReadOptions, Reader, Result, Summary,
    TraceParts, input,
    profile::status,
    trace::{Metadata, gathers},
    without_mark,
};
use claim::Cursor;
use heapquarry_tables::TRACE_METADATA;
use heapquarry_timeline::Events;
use lines::Form;

/// Enough of the text to tell its form and to hold its header.
const HEAD: usize = 64 << 10;

/// Ftrace text that is being read.
pub struct Ftrace<'a> {
    input: &'a dyn Input,
    file_id: i32,
    rows: usize,
    window: usize,
    cursor: Cursor,
    shift: i64,
    events: u64,
    metadata: Metadata,
    system: Option<System>,
    /// The events of the trace that the text is part of.
    trace_events: Events,
    log: Log,
}

/// Ftrace text in a string of a trace (`systemTraceEvents`).
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// Offset behind the string's quote.
    pub offset: u64,
    /// Events of the trace: lines of the text are numbered from there on.
    pub events: u64,
    /// What the trace's clock showed when something happened that the text may tell of by its name.
    pub syncs: Vec<(String, i64)>,
}

impl<'a> Ftrace<'a> {
    /// Starts reading.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: &'a dyn Input, file_id: i32, options: &ReadOptions) -> Result<Self> {
        let mut log = Log::default();
        let start = input::start(input, &mut log)?;
        let head = input::bytes_at(input, 0, HEAD)?;
        let form = sniff::form(&head);
        let mut metadata = Metadata::default();
        header::read(form, without_mark(&head), start, "", &mut metadata);
        let cursor = Cursor::new(form, start, 0);
        Ok(Self::at(input, file_id, options, cursor, 0, metadata, log))
    }

    /// Starts reading a string of a trace. Times are those of the trace's clock, as far as both tell what they have in common.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn within(
        input: &'a dyn Input,
        file_id: i32,
        text: &Within,
        options: &ReadOptions,
    ) -> Result<Self> {
        let head = input::bytes_at(input, text.offset, HEAD)?;
        let mut metadata = Metadata::default();
        header::read(Form::Json, &head, text.offset, "systemTraceEvents.", &mut metadata);
        let shift = clock::shift(input, Form::Json, text.offset, options.window, &text.syncs)?;
        let cursor = Cursor::new(Form::Json, text.offset, text.events);
        Ok(Self::at(input, file_id, options, cursor, shift, metadata, Log::default()))
    }

    fn at(
        input: &'a dyn Input,
        file_id: i32,
        options: &ReadOptions,
        cursor: Cursor,
        shift: i64,
        metadata: Metadata,
        log: Log,
    ) -> Self {
        Ftrace {
            input,
            file_id,
            rows: options.row_group_rows.max(1),
            window: options.window,
            cursor,
            shift,
            events: 0,
            metadata,
            system: gathers(options).then(System::default),
            trace_events: Events::default(),
            log,
        }
    }

    /// Joins what the lines tell to these events of the trace that the text is part of.
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
            None => Claim::Again(read),
        })
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
        Finished { batches, documents: vec![summary], gathered }
    }
}
