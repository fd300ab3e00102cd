//! What the formats have in common: a reader hands out tasks, each the rows of one row group of a table or two.

use crate::{Buffer, Log, Result};
use arrow_array::RecordBatch;
use heapquarry_tables::Table;

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

    /// Ends reading, after [`Claim::End`] and when all tasks are complete: the rows of small tables, and what is to be
    /// said of each document of the input, in the order of their numbers.
    fn finish(self) -> (Vec<(&'static Table, RecordBatch)>, Vec<Summary>);
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
    /// Nothing until another task is complete.
    Wait,
    /// Nothing any more.
    End,
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
    fn leaves_something(&self) -> bool {
        false
    }

    /// Turns what was claimed into rows: one batch for each of the tables that is wanted.
    fn decode(self, bytes: &[u8], scratch: &mut Self::Scratch, rows: &mut Rows<'_>) -> Self::Done;
}

/// Takes the rows of a task.
pub struct Rows<'a> {
    wants: &'a dyn Fn(&'static Table) -> bool,
    batches: Vec<(&'static Table, RecordBatch)>,
}

impl<'a> Rows<'a> {
    /// Those of the tables that `wants` names.
    pub fn new(wants: &'a dyn Fn(&'static Table) -> bool) -> Self {
        Rows { wants, batches: Vec::new() }
    }

    /// Whether rows of that table are wanted.
    pub fn wants(&self, table: &'static Table) -> bool {
        (self.wants)(table)
    }

    /// Adds the batch of a table.
    pub fn add(&mut self, table: &'static Table, batch: RecordBatch) {
        self.batches.push((table, batch));
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

/// Reads with one thread, handing each batch to `emit`.
///
/// # Errors
/// As [`Reader::claim`], and whatever `emit` returns.
pub fn read_all<R: Reader, E: From<crate::Error>>(
    mut reader: R,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Vec<Summary>, E> {
    read_tasks(&mut reader, &mut emit)?;
    let (batches, summaries) = reader.finish();
    for (table, batch) in batches {
        emit(table, batch)?;
    }
    Ok(summaries)
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
    loop {
        match reader.claim(&mut buf)? {
            Claim::Task(task, _) => {
                let mut rows = Rows::new(&|_| true);
                let done = task.decode(&buf, &mut scratch, &mut rows);
                reader.complete(done);
                for (table, batch) in rows.into_batches() {
                    emit(table, batch)?;
                }
            }
            Claim::Again(_) => {}
            Claim::Wait => unreachable!("no other task is under way"),
            Claim::End => return Ok(()),
        }
    }
}
