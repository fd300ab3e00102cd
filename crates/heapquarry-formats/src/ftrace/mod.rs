//! Traces of the Linux kernel's tracer as text, one event a line: what `cat /sys/kernel/tracing/trace`, atrace and
//! systrace write.
//!
//! Lines stand for themselves, so any number of workers can decode them: under the lock only their ends are looked for
//! (`claim`). The text may be part of something else (`lines::Form`). What the scheduler tells is kept in compact form, and
//! made into rows when all lines have been read (`schedule`).

mod claim;
mod line;
mod lines;
mod sched;
mod schedule;
mod sniff;
mod task;
mod threads;

pub use crate::profile::Options;
pub(crate) use sniff::recognises;
pub use task::{Done, Task, Text};

use crate::{Buffer, Claim, Code, Input, Log, Reader, Result, Summary, input, profile::status};
use arrow_array::RecordBatch;
use claim::Cursor;
use heapquarry_tables::Table;
use schedule::{Concluded, Pieces};

/// Enough of the text to tell its form.
const HEAD: usize = 64 << 10;

/// Ftrace text that is being read.
pub struct Ftrace<'a> {
    input: &'a dyn Input,
    file_id: i32,
    rows: usize,
    window: usize,
    cursor: Cursor,
    /// Tasks that are being decoded.
    under_way: usize,
    events: u64,
    pieces: Pieces,
    concluded: Option<Concluded>,
    log: Log,
}

impl<'a> Ftrace<'a> {
    /// Starts reading.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: &'a dyn Input, file_id: i32, options: Options) -> Result<Self> {
        let mut log = Log::default();
        let head = input::bytes_at(input, 0, HEAD)?;
        let mut start = 0;
        if head.starts_with(b"\xEF\xBB\xBF") {
            log.add(Code::ByteOrderMark, 0, || "a UTF-8 byte order mark".into());
            start = 3;
        }
        Ok(Ftrace {
            input,
            file_id,
            rows: options.row_group_rows.max(1),
            window: options.window,
            cursor: Cursor::new(sniff::form(&head), start),
            under_way: 0,
            events: 0,
            pieces: Pieces::default(),
            concluded: None,
            log,
        })
    }
}

impl Ftrace<'_> {
    /// Rows of what all lines mean together.
    fn claim_rows(&mut self) -> Claim<Task> {
        if self.under_way > 0 {
            return Claim::Wait;
        }
        let pieces = &mut self.pieces;
        let concluded = self.concluded.get_or_insert_with(|| std::mem::take(pieces).conclude());
        match concluded.next(self.file_id, self.rows) {
            Some((table, batch)) => Claim::Task(Task::Rows(table, batch), 0),
            None => Claim::End,
        }
    }
}

impl Reader for Ftrace<'_> {
    type Task = Task;

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        if self.cursor.ended {
            return Ok(self.claim_rows());
        }
        let before = self.cursor.at();
        let lines = self.cursor.claim(self.input, buf, self.rows, self.window, &mut self.log)?;
        let read = self.cursor.at() - before;
        Ok(match lines {
            Some(lines) => {
                self.under_way += 1;
                Claim::Task(Task::Lines(Text { file_id: self.file_id, lines }), read)
            }
            None => Claim::Again(read),
        })
    }

    fn complete(&mut self, done: Done) {
        if let Some(decoded) = done.0 {
            self.under_way -= 1;
            self.events += decoded.rows;
            self.pieces.add(decoded.first, decoded.piece);
            self.log.merge(decoded.log);
        }
    }

    fn finish(self) -> (Vec<(&'static Table, RecordBatch)>, Vec<Summary>) {
        let summary = Summary {
            name: None,
            format: "ftrace",
            producer: None,
            bytes: self.input.size(),
            status: status(&self.log),
            counts: vec![("ftrace_events", self.events)],
            log: self.log,
        };
        let small = self.concluded.map(|concluded| concluded.small(self.file_id));
        (small.unwrap_or_default(), vec![summary])
    }
}
