//! What the formats have in common: a reader hands out tasks, each the rows of one row group of a table or two.

use crate::{Buffer, Log, Result};
use arrow_array::RecordBatch;
use heapquarry_graph::HeapParts;
use heapquarry_tables::{Columns, Projection, Table};
use heapquarry_timeline::{Events, SchedEvents};

/// Reads an input: under a lock a worker *claims* the next rows, outside of it *decodes* them, and reports back what
/// later ones need.
pub trait Reader: Send {
    /// What is claimed.
    type Task: Task;
    /// What can be read before it is claimed; `()` if nothing.
    type Ahead: Ahead;

    /// What the next claim will probably want. Whoever asks shall claim after those who asked before.
    fn ahead(&mut self) -> Option<Self::Ahead> {
        None
    }

    /// The next rows, any bytes that they need in `buf`. To be called under a lock.
    ///
    /// # Errors
    /// If the input cannot be read, or is so broken that nothing can be kept.
    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Self::Task>>;

    /// Takes back what a decoded task leaves behind.
    fn complete(&mut self, done: <Self::Task as Task>::Done);

    /// Ends reading, after [`Claim::End`] and when all tasks are complete.
    fn finish(self) -> Finished;
}

/// What a reader has when all of an input was read.
#[derive(Debug, Default)]
pub struct Finished {
    /// The rows of tables that have a few for each document.
    pub batches: Vec<(&'static Table, RecordBatch)>,
    /// What is known of each document of the input, in the order of their numbers.
    pub documents: Vec<Summary>,
    /// What was gathered for an analysis, if [`ReadOptions::gather`](crate::ReadOptions::gather) asked for it.
    pub gathered: Option<Gathered>,
}

/// What an analysis starts from. It belongs to the first document of the input.
#[derive(Debug)]
pub enum Gathered {
    /// The columns of a heap, for [`heapquarry_graph::Heap`].
    Heap(Box<HeapParts>),
    /// The events of a trace, for [`heapquarry_timeline::analyze`].
    Trace(Box<TraceParts>),
}

/// The events of a trace, and what its scheduler did.
#[derive(Debug, Default)]
pub struct TraceParts {
    /// The events, in file order.
    pub events: Events,
    /// What the scheduler did, in file order; empty without ftrace text.
    pub scheduled: SchedEvents,
}

/// Bytes that the next claim will probably want, so that it need not read them under the lock.
pub trait Ahead: Send {
    /// Reads them into the buffer that the claim will get.
    fn read(self, buf: &mut Buffer);
}

impl Ahead for () {
    fn read(self, _: &mut Buffer) {}
}

/// What a worker may do next.
#[derive(Debug)]
pub enum Claim<T> {
    /// Decode this; so many more bytes of the input have been claimed for it.
    Task(T, u64),
    /// Claim again: so many more bytes were read, but there are no rows of them yet.
    Again(u64),
    /// Claim again: rows of these tables, which not every document of the format has, may come from now on.
    Tables(&'static [&'static Table]),
    /// Nothing until another task is complete.
    Wait,
    /// Nothing any more.
    End,
}

impl<T> Claim<T> {
    /// The same with another kind of task.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Claim<U> {
        match self {
            Claim::Task(task, bytes) => Claim::Task(f(task), bytes),
            Claim::Again(bytes) => Claim::Again(bytes),
            Claim::Tables(tables) => Claim::Tables(tables),
            Claim::Wait => Claim::Wait,
            Claim::End => Claim::End,
        }
    }
}

/// The rows of a row group of one table, or of one each of several, claimed but not decoded.
pub trait Task: Send {
    /// What decoding leaves behind.
    type Done: Send;
    /// Space that a worker uses again for each task.
    type Scratch: Default + Send;

    /// The tables that the rows belong to.
    fn tables(&self) -> Vec<&'static Table>;

    /// Whether what decoding this leaves behind is needed, even if nobody wants its rows.
    fn has_side_output(&self) -> bool {
        false
    }

    /// Turns what was claimed into rows: one batch for each of the tables that is wanted.
    fn decode(self, bytes: &[u8], scratch: &mut Self::Scratch, rows: &mut Rows<'_>) -> Self::Done;
}

/// Takes the rows of a task.
pub struct Rows<'a> {
    projection: &'a Projection,
    batches: Vec<(&'static Table, RecordBatch)>,
}

impl<'a> Rows<'a> {
    /// The rows that this projection wants.
    pub fn new(projection: &'a Projection) -> Self {
        Rows { projection, batches: Vec::new() }
    }

    /// Whether rows of that table are wanted.
    pub fn wants(&self, table: &'static Table) -> bool {
        self.projection.wants(table)
    }

    /// The columns of that table that are wanted: no others need be decoded.
    pub fn columns(&self, table: &'static Table) -> Columns {
        self.projection.columns(table)
    }

    /// Adds the batch of a table, with all of its columns or with those that are wanted.
    pub fn add(&mut self, table: &'static Table, batch: RecordBatch) {
        self.batches.push((table, self.projection.project(table, batch)));
    }

    /// The batches.
    pub fn into_batches(self) -> Vec<(&'static Table, RecordBatch)> {
        self.batches
    }
}

/// Whether a document was whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    #[default]
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

/// The status of several documents together: that of the one with the most damage.
pub fn worst(statuses: impl IntoIterator<Item = Status>) -> Status {
    let rank = |status: &Status| match status {
        Status::Complete => 0,
        Status::Repaired => 1,
        Status::Truncated => 2,
    };
    statuses.into_iter().max_by_key(rank).unwrap_or(Status::Complete)
}

/// Reads with one thread, handing each batch of every table to `emit`, those of [`Finished::batches`] last.
///
/// # Errors
/// As [`Reader::claim`], and whatever `emit` returns.
pub fn read_all<R: Reader, E: From<crate::Error>>(
    mut reader: R,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Finished, E> {
    read_tasks(&mut reader, &mut emit)?;
    let mut finished = reader.finish();
    finished.batches.drain(..).try_for_each(|(table, batch)| emit(table, batch))?;
    Ok(finished)
}

/// The same, but for what [`Reader::finish`] returns.
///
/// # Errors
/// As [`read_all`].
pub fn read_tasks<R: Reader, E: From<crate::Error>>(
    reader: &mut R,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<(), E> {
    let (mut buf, mut scratch) = (Buffer::default(), Default::default());
    let projection = Projection::all();
    loop {
        match reader.claim(&mut buf)? {
            Claim::Task(task, _) => {
                let mut rows = Rows::new(&projection);
                let done = task.decode(&buf, &mut scratch, &mut rows);
                reader.complete(done);
                for (table, batch) in rows.into_batches() {
                    emit(table, batch)?;
                }
            }
            Claim::Again(_) | Claim::Tables(_) => {}
            Claim::Wait => unreachable!("no other task is under way"),
            Claim::End => return Ok(()),
        }
    }
}
