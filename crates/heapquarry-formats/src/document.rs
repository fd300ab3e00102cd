//! What the formats have in common: a reader hands out tasks, each the rows of one row group of one table.

use crate::{Buffer, Log, Result};
use arrow_array::RecordBatch;
use heapquarry_tables::Table;

/// Reads an input: under a lock a worker *claims* the next rows, outside of it *decodes* them, and reports back what
/// later ones need.
pub trait Reader: Send {
    /// What is claimed.
    type Task: Task;

    /// The next rows, any bytes that they need in `buf`. To be called under a lock.
    ///
    /// # Errors
    /// If the input cannot be read, or is so broken that nothing can be kept.
    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Self::Task>>;

    /// Takes back what a decoded task leaves behind.
    fn complete(&mut self, done: <Self::Task as Task>::Done);

    /// Ends reading, after [`Claim::End`] and when all tasks are complete: the rows of small tables, and what is to be
    /// said of each document of the input, in the order of their numbers.
    fn finish(self) -> (Vec<(&'static Table, RecordBatch)>, Vec<Summary>);
}

/// What a worker may do next.
#[derive(Debug)]
pub enum Claim<T> {
    /// Decode this; so many more bytes of the input have been claimed for it.
    Task(T, u64),
    /// Claim again: so many more bytes were read, but there are no rows of them yet.
    Again(u64),
    /// Nothing until another task is complete.
    Wait,
    /// Nothing any more.
    End,
}

/// The rows of one row group, claimed but not decoded.
pub trait Task: Send {
    /// What decoding leaves behind.
    type Done: Send;
    /// Space that a worker uses again for each task.
    type Scratch: Default + Send;

    /// The table that the rows belong to.
    fn table(&self) -> &'static Table;

    /// Whether later tasks need what decoding this leaves behind, even if nobody wants its rows.
    fn leaves_something(&self) -> bool {
        false
    }

    /// Turns what was claimed into rows.
    fn decode(self, bytes: &[u8], scratch: &mut Self::Scratch) -> (RecordBatch, Self::Done);

    /// The same if nobody wants the rows.
    fn skim(self, bytes: &[u8], scratch: &mut Self::Scratch) -> Self::Done
    where
        Self: Sized,
    {
        self.decode(bytes, scratch).1
    }
}

/// Whether a document was whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    Complete,
    /// To its end, but something could not be kept.
    Repaired,
    /// The end is missing, or could not be read.
    Truncated,
}

impl Status {
    /// The name in `source.status`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Complete => "complete",
            Status::Repaired => "repaired",
            Status::Truncated => "truncated",
        }
    }
}

/// What is to be said of a document that was read.
#[derive(Debug)]
pub struct Summary {
    /// Its name, if the input gives it one of its own.
    pub name: Option<String>,
    /// Its format, as in `source.format`.
    pub format: &'static str,
    /// Who wrote it, as far as its content tells.
    pub producer: Option<&'static str>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it was whole.
    pub status: Status,
    /// How much of what was read.
    pub counts: Vec<(&'static str, u64)>,
    /// What was out of the ordinary.
    pub log: Log,
}

/// Reads with one thread, handing each batch to `emit`.
///
/// # Errors
/// As [`Reader::claim`], and whatever `emit` returns.
pub fn read_all<R: Reader, E: From<crate::Error>>(
    mut reader: R,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Vec<Summary>, E> {
    let (mut buf, mut scratch) = (Buffer::default(), Default::default());
    loop {
        match reader.claim(&mut buf)? {
            Claim::Task(task, _) => {
                let table = task.table();
                let (batch, done) = task.decode(&buf, &mut scratch);
                reader.complete(done);
                emit(table, batch)?;
            }
            Claim::Again(_) => {}
            Claim::Wait => unreachable!("no other task is under way"),
            Claim::End => break,
        }
    }
    let (batches, summaries) = reader.finish();
    for (table, batch) in batches {
        emit(table, batch)?;
    }
    Ok(summaries)
}
