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

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_formats::{
        Input,
        heap::{Names, Options, Snapshot},
    };
    use heapquarry_tables::JS_HEAP_NODES;
    use std::io;

    const NODES: usize = 5_000;

    /// What goes wrong, if anything.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Trouble {
        None,
        /// Bytes from there on cannot be read.
        Read(u64),
        /// That row group is not taken.
        Handle(u64),
        /// It is cancelled when that row group comes.
        Cancel(u64),
    }

    struct Text(String, Trouble);

    impl Input for Text {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            match self.1 {
                Trouble::Read(bad) if offset + buf.len() as u64 > bad => {
                    Err(io::Error::other("a bad sector"))
                }
                _ => self.0.read_at(buf, offset),
            }
        }
    }

    /// Row groups by their numbers, with the number of rows.
    struct Taken<'a>(&'a Mutex<Vec<(u64, usize)>>, Trouble, &'a AtomicBool);

    impl Handler for Taken<'_> {
        fn wants(&self, table: &'static Table) -> bool {
            *table == JS_HEAP_NODES
        }

        fn handle(&mut self, _: &'static Table, seq: u64, batch: RecordBatch) -> Result<()> {
            match self.1 {
                Trouble::Handle(bad) if seq == bad => {
                    let path = "out".into();
                    return Err(Error::new(ErrorKind::NotConverted(path)));
                }
                Trouble::Cancel(at) if seq == at => self.2.store(true, Ordering::Relaxed),
                _ => {}
            }
            self.0.lock().unwrap().push((seq, batch.num_rows()));
            Ok(())
        }
    }

    /// However many workers read ahead, all of them end.
    #[test]
    fn all_workers_end_whatever_goes_wrong() {
        let node = |at: usize| format!("0,0,{},{},0", at * 2 + 1, at * at);
        let nodes = (0..NODES).map(node).collect::<Vec<_>>().join(",");
        let text = format!(
            r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context"],"string_or_number","node"]}},"node_count":{NODES},"edge_count":0}},"nodes":[{nodes}],"edges":[],"strings":["a"]}}"#
        );
        let middle = text.len() as u64 / 2;
        let troubles =
            [Trouble::None, Trouble::Read(middle), Trouble::Handle(7), Trouble::Cancel(7)];
        for (trouble, threads) in
            troubles.into_iter().flat_map(|trouble| [1, 2, 5, 40].map(|threads| (trouble, threads)))
        {
            let input = Text(text.clone(), trouble);
            let options = Options {
                names: Names::Id,
                row_group_rows: 11,
                window: 1 << 10,
                ..Options::default()
            };
            let snapshot = Snapshot::new(&input, 0, "", options).unwrap();
            let (taken, cancel) = (Mutex::default(), AtomicBool::new(false));
            let handler = || Taken(&taken, trouble, &cancel);
            let mut workers: Vec<_> = (0..threads).map(|_| Worker::new(handler())).collect();
            let around = Around { progress: &(), cancel: Some(&cancel), stop: &|| {} };
            let path = Path::new("in");
            let done = run(snapshot, path, &mut workers, &mut Sequence::new(), around);
            drop(workers);
            let mut taken = taken.into_inner().unwrap();
            taken.sort_unstable();
            let what = format!("{trouble:?}, {threads} threads");
            match (trouble, done.map(drop).map_err(|error| error.to_string())) {
                (Trouble::None, done) => {
                    assert_eq!(done, Ok(()), "{what}");
                    let rows = |at: usize| (at as u64, 11.min(NODES - at * 11));
                    assert_eq!(taken, (0..NODES.div_ceil(11)).map(rows).collect::<Vec<_>>());
                }
                (Trouble::Read(_), Err(error)) => {
                    assert!(error.contains("a bad sector"), "{what}: {error}");
                    // What was claimed before is not lost.
                    assert!(taken.iter().map(|&(seq, _)| seq).eq(0..taken.len() as u64), "{what}");
                    assert!(taken.len() > 100, "{what}: {}", taken.len());
                }
                (Trouble::Handle(_), Err(error)) => {
                    assert!(error.contains("out"), "{what}: {error}");
                }
                (Trouble::Cancel(_), Err(error)) => {
                    assert_eq!(error, Error::new(ErrorKind::Cancelled).to_string(), "{what}");
                }
                (_, Ok(())) => panic!("{what}: it went well"),
            }
        }
    }
}
