//! Runs the tasks of a document on all threads: claim under the lock, decode and encode outside of it.

use crate::{Error, ErrorKind, Result};
use arrow_array::RecordBatch;
use heapquarry_formats::{Ahead, Buffer, Claim, Reader, Rows, Task};
use heapquarry_tables::Table;
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Hears how far the work is. Called from all worker threads.
pub trait Progress: Sync {
    /// A document of that many bytes begins.
    fn begin(&self, _name: &str, _bytes: u64) {}
    /// So many more of its bytes have been claimed.
    fn advance(&self, _bytes: u64) {}
}

/// No one listens.
impl Progress for () {}

/// What a worker does with the rows of a row group. Each worker has one of its own.
pub(crate) trait Handler: Send {
    /// Whether rows of that table are wanted.
    fn wants(&self, table: &'static Table) -> bool;
    /// Takes row group `seq` of the table; those of one table come in any order.
    fn handle(&mut self, table: &'static Table, seq: u64, batch: RecordBatch) -> Result<()>;
}

/// Nobody wants rows.
pub(crate) struct NoRows;

impl Handler for NoRows {
    fn wants(&self, _: &'static Table) -> bool {
        false
    }

    fn handle(&mut self, _: &'static Table, _: u64, _: RecordBatch) -> Result<()> {
        Ok(())
    }
}

/// Space that a reader's tasks use again.
pub(crate) type Scratch<R> = <<R as Reader>::Task as Task>::Scratch;

/// A thread's own things.
pub(crate) struct Worker<H, S> {
    handler: H,
    buf: Buffer,
    scratch: S,
}

impl<H, S: Default> Worker<H, S> {
    pub(crate) fn new(handler: H) -> Self {
        Worker { handler, buf: Buffer::default(), scratch: S::default() }
    }
}

/// Row groups handed out so far, for each table.
pub(crate) type Sequence = HashMap<&'static str, u64>;

/// Numbers of row groups, and the tables that they are of.
type Groups = Vec<(&'static Table, u64)>;

/// The next row group of that table.
pub(crate) fn next(sequence: &mut Sequence, table: &Table) -> u64 {
    let next = sequence.entry(table.name).or_default();
    *next += 1;
    *next - 1
}

struct State<'s, R> {
    reader: R,
    sequence: &'s mut Sequence,
    failed: Option<Error>,
    stopped: bool,
    /// Workers that went to read ahead so far, and those of them that have claimed since: they do in the same order.
    left: u64,
    back: u64,
}

struct Shared<'a, 's, R> {
    state: Mutex<State<'s, R>>,
    changed: Condvar,
    path: &'a Path,
    around: Around<'a>,
}

/// What surrounds the work.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Hears how far it is.
    pub(crate) progress: &'a dyn Progress,
    /// Set from outside when it is to stop.
    pub(crate) cancel: Option<&'a AtomicBool>,
    /// Called when it stops early: whoever waits in [`Handler::handle`] must return.
    pub(crate) stop: &'a (dyn Fn() + Sync),
}

/// Reads a document to its end.
pub(crate) fn run<R: Reader, H: Handler>(
    reader: R,
    path: &Path,
    workers: &mut [Worker<H, Scratch<R>>],
    sequence: &mut Sequence,
    around: Around<'_>,
) -> Result<R> {
    let state = State { reader, sequence, failed: None, stopped: false, left: 0, back: 0 };
    let shared = Shared { state: Mutex::new(state), changed: Condvar::new(), path, around };
    let (here, others) = workers.split_first_mut().expect("at least one worker");
    thread::scope(|scope| {
        for worker in others {
            scope.spawn(|| shared.work(worker));
        }
        shared.work(here);
    });
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.failed {
        Some(error) => Err(error),
        None => Ok(state.reader),
    }
}

impl<'s, R: Reader> Shared<'_, 's, R> {
    fn lock(&self) -> MutexGuard<'_, State<'s, R>> {
        // A worker that panicked has stopped all others; its panic is raised where threads are joined.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until the document ends or something fails.
    fn work<H: Handler>(&self, worker: &mut Worker<H, Scratch<R>>) {
        let Worker { handler, buf, scratch } = worker;
        buf.clear();
        let panicking = StopOnPanic { shared: self };
        while let Some((task, groups)) = self.claim(buf, handler) {
            if groups.is_empty() && !task.leaves_something() {
                continue;
            }
            let wants = |table| groups.iter().any(|&(wanted, _)| wanted == table);
            let mut rows = Rows::new(&wants);
            let done = task.decode(buf, scratch, &mut rows);
            let batches = rows.into_batches();
            {
                // Before encoding: what a task leaves behind is what others may be waiting for.
                let mut state = self.lock();
                state.reader.complete(done);
            }
            self.changed.notify_all();
            debug_assert!(batches.iter().map(|(t, _)| t).eq(groups.iter().map(|(t, _)| t)));
            for ((table, batch), (_, seq)) in batches.into_iter().zip(groups) {
                if let Err(error) = handler.handle(table, seq, batch) {
                    self.fail(error);
                    break;
                }
            }
        }
        drop(panicking);
    }

    /// The next task, and of the tables that are wanted the numbers of its row groups.
    fn claim<H: Handler>(&self, buf: &mut Buffer, handler: &H) -> Option<(R::Task, Groups)> {
        let mut state = self.read_ahead(buf);
        loop {
            if state.stopped {
                return None;
            }
            if self.around.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                self.end(state, Error::new(ErrorKind::Cancelled));
                return None;
            }
            match state.reader.claim(buf) {
                Ok(Claim::Task(task, bytes)) => {
                    self.around.progress.advance(bytes);
                    let mut tables = task.tables();
                    tables.retain(|table| handler.wants(table));
                    let number = |table| (table, next(state.sequence, table));
                    let groups = tables.into_iter().map(number).collect();
                    return Some((task, groups));
                }
                Ok(Claim::Again(bytes)) => self.around.progress.advance(bytes),
                Ok(Claim::Wait) => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                Ok(Claim::End) => {
                    state.stopped = true;
                    self.changed.notify_all();
                    return None;
                }
                Err(source) => {
                    let path = self.path.to_path_buf();
                    // All row groups that were handed out will still come: nobody waits in vain, and what was
                    // read before can be kept.
                    state.stopped = true;
                    state.failed.get_or_insert(Error::new(ErrorKind::Format { path, source }));
                    drop(state);
                    self.changed.notify_all();
                    return None;
                }
            }
        }
    }

    /// Reads what the next claim will want, before it is this worker's turn to claim.
    fn read_ahead(&self, buf: &mut Buffer) -> MutexGuard<'_, State<'s, R>> {
        let mut state = self.lock();
        let Some(ahead) = state.reader.ahead() else { return state };
        let turn = state.left;
        state.left += 1;
        drop(state);
        ahead.read(buf);
        let mut state = self.lock();
        while state.back < turn && !state.stopped {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.back += 1;
        if state.back < state.left {
            self.changed.notify_all();
        }
        state
    }

    /// Stops all workers; the first error counts.
    fn fail(&self, error: Error) {
        self.end(self.lock(), error);
    }

    /// The same by whoever holds the lock: nobody may claim in between, and find another error behind this one.
    fn end(&self, mut state: MutexGuard<'_, State<'s, R>>, error: Error) {
        state.stopped = true;
        state.failed.get_or_insert(error);
        drop(state);
        self.changed.notify_all();
        (self.around.stop)();
    }
}

/// Lets the other workers end when one panics, instead of waiting for it for ever.
struct StopOnPanic<'w, 'a, 's, R: Reader> {
    shared: &'w Shared<'a, 's, R>,
}

impl<R: Reader> Drop for StopOnPanic<'_, '_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.lock().stopped = true;
            self.shared.changed.notify_all();
            (self.shared.around.stop)();
        }
    }
}
