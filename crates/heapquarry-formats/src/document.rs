//! The interface of all formats. A reader hands out tasks, each of which decodes a row group of one or several tables.

use crate::{Buffer, ByteOffset, Log, Result};
use arrow_array::RecordBatch;
use heapquarry_graph::HeapParts;
use heapquarry_tables::{Columns, Projection, Table};
use heapquarry_timeline::{Events, SchedEvents};

/// Reads an input. Under a lock, a worker *claims* the next rows; outside of it, the worker *decodes* them, and then
/// reports back what later rows need.
pub trait Reader: Send {
    /// A claimed row group.
    type Task: Task;
    /// Bytes that can be read ahead of a claim; `()` if none.
    type Ahead: Ahead;

    /// The bytes that the next claim will probably need. Callers must claim in the order in which they called this.
    fn ahead(&mut self) -> Option<Self::Ahead> {
        None
    }

    /// Claims the next rows, and puts the bytes that they need into `buf`. To be called under a lock.
    ///
    /// # Errors
    /// If the input cannot be read, or is so damaged that nothing can be kept.
    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Self::Task>>;

    /// What is kept of the input so far, and grows with it. Heaps tell before what they will keep.
    fn kept(&self) -> Kept {
        Kept::default()
    }

    /// Takes the side output of a decoded task.
    fn complete(&mut self, done: <Self::Task as Task>::Done);

    /// Ends reading, after [`Claim::End`] and after all tasks are complete.
    fn finish(self) -> Finished;
}

/// What a reader keeps in memory of an input until its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Events that have been gathered for an analysis.
    pub events: u64,
    /// Memory in bytes of all else, about: text, and the nodes of call trees.
    pub bytes: u64,
}

impl Kept {
    /// What is kept of the events of a trace. Whatever is made of them copies their strings once.
    pub fn of(events: &Events) -> Self {
        Kept { events: events.len(), bytes: 2 * events.strings().memory() }
    }
}

/// Results of reading a whole input.
#[derive(Debug, Default)]
pub struct Finished {
    /// Rows of tables that have only a few for each document.
    pub batches: Vec<(&'static Table, RecordBatch)>,
    /// A summary of each document of the input, in the order of their numbers.
    pub documents: Vec<Summary>,
    /// The columns that were gathered for an analysis, if [`ReadOptions::gather`](crate::ReadOptions::gather) asked for
    /// them.
    pub gathered: Option<Gathered>,
    /// Where the next document begins, if there is one behind this one: it is a document of its own, which was not
    /// read. The size in the summary is that of the whole input.
    pub next: Option<ByteOffset>,
}

/// Input of an analysis. It belongs to the first document of the input.
#[derive(Debug)]
pub enum Gathered {
    /// The columns of a heap, for [`heapquarry_graph::Heap`].
    Heap(Box<HeapParts>),
    /// The events of a trace, for [`heapquarry_timeline::analyze`].
    Trace(Box<TraceParts>),
}

/// The events of a trace, and those of its scheduler.
#[derive(Debug, Default)]
pub struct TraceParts {
    /// The events, in file order.
    pub events: Events,
    /// The scheduler events, in file order; empty without ftrace text.
    pub scheduled: SchedEvents,
}

/// Bytes that the next claim will probably need, so that they need not be read under the lock.
pub trait Ahead: Send {
    /// Reads them into the buffer that the claim will get.
    fn read(self, buf: &mut Buffer);
}

impl Ahead for () {
    fn read(self, _: &mut Buffer) {}
}

/// The next step of a worker.
#[derive(Debug)]
pub enum Claim<T> {
    /// Decode this task; this many more bytes of the input have been claimed for it.
    Task(T, u64),
    /// Claim again: this many more bytes were read, but they have no rows yet.
    Progress(u64),
    /// Claim again: tables that not every document of the format has will have rows from now on.
    Tables(&'static [&'static Table]),
    /// Wait until another task is complete.
    Wait,
    /// Nothing is left.
    End,
}

impl<T> Claim<T> {
    /// Converts the task.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Claim<U> {
        match self {
            Claim::Task(task, bytes) => Claim::Task(f(task), bytes),
            Claim::Progress(bytes) => Claim::Progress(bytes),
            Claim::Tables(tables) => Claim::Tables(tables),
            Claim::Wait => Claim::Wait,
            Claim::End => Claim::End,
        }
    }
}

/// A claimed row group of one table, or of several.
pub trait Task: Send {
    /// Side output of decoding.
    type Done: Send;
    /// Memory that a worker reuses for each task.
    type Scratch: Default + Send;

    /// The tables of the rows.
    fn tables(&self) -> Vec<&'static Table>;

    /// Whether later tasks or the analysis need the side output, even if nobody wants the rows.
    fn has_side_output(&self) -> bool {
        false
    }

    /// Decodes the rows: one batch for each wanted table.
    fn decode(self, bytes: &[u8], scratch: &mut Self::Scratch, rows: &mut Rows<'_>) -> Self::Done;
}

/// Collects the batches of a task.
pub struct Rows<'a> {
    projection: &'a Projection,
    batches: Vec<(&'static Table, RecordBatch)>,
}

impl<'a> Rows<'a> {
    /// For the rows that this projection wants.
    pub fn new(projection: &'a Projection) -> Self {
        Rows { projection, batches: Vec::new() }
    }

    /// Whether rows of that table are wanted.
    pub fn wants(&self, table: &'static Table) -> bool {
        self.projection.wants(table)
    }

    /// The wanted columns of that table; others need not be decoded.
    pub fn columns(&self, table: &'static Table) -> Columns {
        self.projection.columns(table)
    }

    /// Adds the batch of a table, with all its columns or the wanted ones.
    pub fn add(&mut self, table: &'static Table, batch: RecordBatch) {
        self.batches.push((table, self.projection.project(table, batch)));
    }

    /// The batches.
    pub fn into_batches(self) -> Vec<(&'static Table, RecordBatch)> {
        self.batches
    }
}

/// Whether a document was complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Complete.
    #[default]
    Complete,
    /// Read to its end, but data was lost.
    Repaired,
    /// Its end is missing, or could not be read.
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

/// Summary of a document that was read.
#[derive(Debug)]
pub struct Summary {
    /// Its name, if the input has one for it.
    pub name: Option<String>,
    /// Its format, as in `source.format`.
    pub format: &'static str,
    /// What wrote it, as far as its content shows.
    pub producer: Option<&'static str>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it was complete.
    pub status: Status,
    /// Counts of what was read, such as nodes.
    pub counts: Vec<(&'static str, u64)>,
    /// Everything unusual.
    pub log: Log,
}

/// The status of several documents: that of the most damaged one.
pub fn worst(statuses: impl IntoIterator<Item = Status>) -> Status {
    let rank = |status: &Status| match status {
        Status::Complete => 0,
        Status::Repaired => 1,
        Status::Truncated => 2,
    };
    statuses.into_iter().max_by_key(rank).unwrap_or(Status::Complete)
}

/// Reads with one thread, and passes each batch to `emit`; those of [`Finished::batches`] come last.
///
/// # Errors
/// The errors of [`Reader::claim`] and of `emit`.
pub fn read_all<R: Reader, E: From<crate::Error>>(
    mut reader: R,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Finished, E> {
    read_tasks(&mut reader, &mut emit)?;
    let mut finished = reader.finish();
    finished.batches.drain(..).try_for_each(|(table, batch)| emit(table, batch))?;
    Ok(finished)
}

/// Reads with one thread up to the end of the tasks, and passes each batch to `emit`. The caller calls
/// [`Reader::finish`].
///
/// # Errors
/// The errors of [`Reader::claim`] and of `emit`.
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
            Claim::Progress(_) | Claim::Tables(_) => {}
            Claim::Wait => unreachable!("no other task is under way"),
            Claim::End => return Ok(()),
        }
    }
}
