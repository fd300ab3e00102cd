//! Drives a reader into a sink on all threads: claim under the lock, decode and encode outside of it.

use crate::{Error, ErrorKind, Result, RunOptions, memory, sink::Sink};
use arrow_array::RecordBatch;
use heapquarry_formats::{Ahead, Buffer, Claim, Kept, Reader, Rows, Task};
use heapquarry_tables::{Projection, Table, sync::unpoisoned};
use std::{
    cell::Cell,
    io,
    path::Path,
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Buffers that a reader's tasks reuse.
type Scratch<R> = <<R as Reader>::Task as Task>::Scratch;

/// Maximum memory in bytes that a thread keeps for the next document.
const MAX_KEPT_BYTES: usize = 16 << 20;

thread_local! {
    /// The buffer of the last document that this thread has read: a batch reads thousands of small ones.
    static IDLE: Cell<Buffer> = Cell::default();
}

/// Tables with the numbers of their row groups.
type Groups = Vec<(&'static Table, u64)>;

struct State<R> {
    reader: R,
    failed: Option<Error>,
    stopped: bool,
    /// Bytes of the document that progress has not been told of.
    bytes_left: u64,
    /// Number of workers that have started to read ahead, and of those that have claimed since. They claim in the order
    /// in which they started.
    ahead_started: u64,
    ahead_claimed: u64,
    /// Number of claimed tasks that will be complete, but are not yet.
    under_way: usize,
}

impl<R> State<R> {
    /// Tells that these bytes have been claimed. Some are read more than once, and count once.
    fn advance(&mut self, bytes: u64, run: &RunOptions) {
        let bytes = bytes.min(self.bytes_left);
        self.bytes_left -= bytes;
        run.progress.advance(bytes);
    }
}

struct Shared<'a, R> {
    state: Mutex<State<R>>,
    changed: Condvar,
    path: &'a Path,
    sink: &'a dyn Sink,
    projection: &'a Projection,
    run: &'a RunOptions,
}

/// Whether a task is decoded: one that nobody wants anything of is dropped, and never complete.
fn is_decoded(task: &impl Task, groups: &Groups) -> bool {
    !groups.is_empty() || task.has_side_output()
}

/// What a reader and its sink keep.
fn kept<R: Reader>(reader: &R, sink: &dyn Sink) -> Kept {
    let Kept { events, bytes } = reader.kept();
    Kept { events, bytes: bytes.saturating_add(sink.kept()) }
}

/// Reads a document of this many bytes to its end. `path` is named in errors.
pub(crate) fn drive<R: Reader>(
    reader: R,
    bytes: u64,
    path: &Path,
    sink: &dyn Sink,
    run: &RunOptions,
) -> Result<R> {
    let state = State {
        reader,
        failed: None,
        stopped: false,
        bytes_left: bytes,
        ahead_started: 0,
        ahead_claimed: 0,
        under_way: 0,
    };
    let (state, projection) = (Mutex::new(state), sink.projection());
    let shared = Shared { state, changed: Condvar::new(), path, sink, projection, run };
    run.on_threads(usize::MAX, || shared.work());
    let state = unpoisoned(shared.state.into_inner());
    match state.failed {
        // Then other errors are only consequences: requests are given up.
        Some(_) if run.cancel.is_cancelled() => Err(Error::new(ErrorKind::Cancelled)),
        Some(error) => Err(error),
        None => {
            // Again, now that everything is gathered.
            memory::check_kept(path, kept(&state.reader, sink), run)?;
            run.progress.advance(state.bytes_left);
            Ok(state.reader)
        }
    }
}

/// Passes row groups to the sink in parallel, those of wanted tables only.
pub(crate) fn hand_in<G: Sync>(
    groups: Vec<(&'static Table, G)>,
    batch: impl Fn(&G) -> RecordBatch + Sync,
    sink: &dyn Sink,
    run: &RunOptions,
) -> Result<()> {
    let projection = sink.projection();
    let wanted = groups.into_iter().filter(|(table, _)| projection.wants(table));
    let groups: Vec<_> = wanted.map(|(table, group)| (table, sink.number(table), group)).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        let mut handler = sink.handler();
        while let Some((table, number, group)) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            if run.cancel.is_cancelled() {
                return Err(Error::new(ErrorKind::Cancelled));
            }
            handler.handle(table, *number, projection.project(table, batch(group)))?;
        }
        Ok(())
    };
    // Other workers may wait for the row group of a failed one: cancelling wakes them.
    let work = || work().inspect_err(|_| sink.cancel());
    Error::cause(run.on_threads(groups.len(), work))
}

impl<R: Reader> Shared<'_, R> {
    fn lock(&self) -> MutexGuard<'_, State<R>> {
        // A worker that panicked has stopped all others. Joining the threads raises its panic.
        unpoisoned(self.state.lock())
    }

    /// Works until the document ends or something fails.
    fn work(&self) {
        let (mut handler, mut buf) = (self.sink.handler(), IDLE.take());
        let mut scratch = Scratch::<R>::default();
        let panicking = StopOnPanic { shared: self };
        while let Some((task, groups)) = self.claim(&mut buf) {
            if !is_decoded(&task, &groups) {
                continue;
            }
            let mut rows = Rows::new(self.projection);
            let done = task.decode(&buf, &mut scratch, &mut rows);
            let batches = rows.into_batches();
            {
                // Before encoding, as other workers may be waiting for the side output of this task.
                let mut state = self.lock();
                state.reader.complete(done);
                state.under_way -= 1;
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
        // The next document must not see bytes of this one.
        buf.clear();
        if buf.capacity() <= MAX_KEPT_BYTES {
            IDLE.set(buf);
        }
    }

    /// The next task, with the row group numbers of the wanted tables.
    fn claim(&self, buf: &mut Buffer) -> Option<(R::Task, Groups)> {
        let mut state = self.read_ahead(buf);
        loop {
            if state.stopped {
                return None;
            }
            if self.run.cancel.is_cancelled() {
                self.end(state, Error::new(ErrorKind::Cancelled));
                return None;
            }
            let kept = kept(&state.reader, self.sink);
            if let Err(error) = memory::check_kept(self.path, kept, self.run) {
                self.stop(state, error);
                return None;
            }
            match state.reader.claim(buf) {
                Ok(Claim::Task(task, bytes)) => {
                    state.advance(bytes, self.run);
                    let mut tables = task.tables();
                    tables.retain(|table| self.projection.wants(table));
                    let number = |table| (table, self.sink.number(table));
                    let groups = tables.into_iter().map(number).collect();
                    state.under_way += usize::from(is_decoded(&task, &groups));
                    return Some((task, groups));
                }
                Ok(Claim::Progress(bytes)) => state.advance(bytes, self.run),
                Ok(Claim::Tables(tables)) => {
                    if let Err(error) = self.sink.expect(tables) {
                        self.end(state, error);
                        return None;
                    }
                }
                // Only a fault of a reader: nothing would ever wake this worker.
                Ok(Claim::Wait) if state.under_way == 0 => {
                    let why =
                        "it waits for a part that nobody reads, which is a fault of heapquarry";
                    let (path, source) = (self.path.to_path_buf(), io::Error::other(why));
                    self.stop(state, Error::new(ErrorKind::Input { path, doing: "read", source }));
                    return None;
                }
                Ok(Claim::Wait) => {
                    state = unpoisoned(self.changed.wait(state));
                }
                Ok(Claim::End) => {
                    state.stopped = true;
                    self.changed.notify_all();
                    return None;
                }
                Err(source) => {
                    let path = self.path.to_path_buf();
                    self.stop(state, Error::new(ErrorKind::Format { path, source }));
                    return None;
                }
            }
        }
    }

    /// Reads what the next claim needs before it is this worker's turn to claim.
    fn read_ahead(&self, buf: &mut Buffer) -> MutexGuard<'_, State<R>> {
        let mut state = self.lock();
        let Some(ahead) = state.reader.ahead() else { return state };
        let turn = state.ahead_started;
        state.ahead_started += 1;
        drop(state);
        ahead.read(buf);
        let mut state = self.lock();
        while state.ahead_claimed < turn && !state.stopped {
            state = unpoisoned(self.changed.wait(state));
        }
        state.ahead_claimed += 1;
        if state.ahead_claimed < state.ahead_started {
            self.changed.notify_all();
        }
        state
    }

    /// Ends claiming. All claimed row groups will still arrive, so nobody waits in vain, and what was read before can
    /// be kept.
    fn stop(&self, mut state: MutexGuard<'_, State<R>>, error: Error) {
        state.stopped = true;
        state.failed.get_or_insert(error);
        drop(state);
        self.changed.notify_all();
    }

    /// Stops all workers. The first error counts that is no consequence of another: when a file cannot be written, the
    /// sink ends the calls of other workers before its own caller has the error.
    fn fail(&self, error: Error) {
        self.end(self.lock(), error);
    }

    /// Stops all workers while the lock is held: no other worker can claim in between and find an error that follows
    /// from this one.
    fn end(&self, mut state: MutexGuard<'_, State<R>>, error: Error) {
        state.stopped = true;
        let known = state.failed.take().map_or(Ok(()), Err);
        state.failed = Error::cause(vec![known, Err(error)]).err();
        drop(state);
        self.changed.notify_all();
        self.sink.cancel();
    }
}

/// Stops the other workers when one panics, so that they do not wait for it for ever.
struct StopOnPanic<'w, 'a, R: Reader> {
    shared: &'w Shared<'a, R>,
}

impl<R: Reader> Drop for StopOnPanic<'_, '_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.lock().stopped = true;
            self.shared.changed.notify_all();
            self.shared.sink.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, sink::Handler};
    use heapquarry_formats::{Finished, Format, Input, Located, Names, ReadOptions, Visit, open};
    use heapquarry_sink::{Layout, ParquetDir, WriteOptions};
    use heapquarry_tables::{FileId, JS_HEAP_EDGES, JS_HEAP_NODES};
    use std::{sync::atomic::AtomicU64, time::Duration};

    const NODES: usize = 5_000;

    /// What goes wrong.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Trouble {
        None,
        /// Bytes from this offset on cannot be read.
        Read(u64),
        /// The sink rejects this row group, and ends the calls of other workers with later ones.
        Handle(u64),
        /// The work is cancelled at this row group.
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

    /// Row group numbers, each with its number of rows.
    struct Taken {
        groups: Mutex<Vec<(u64, usize)>>,
        next: AtomicU64,
        trouble: Trouble,
        cancel: Cancel,
        projection: Projection,
    }

    impl Sink for Taken {
        fn projection(&self) -> &Projection {
            &self.projection
        }

        fn number(&self, _: &'static Table) -> u64 {
            self.next.fetch_add(1, Ordering::Relaxed)
        }

        fn handler(&self) -> Box<dyn Handler + '_> {
            Box::new(Taker(self))
        }

        fn rows(&mut self, _: &'static Table, _: RecordBatch) -> Result<()> {
            Ok(())
        }
    }

    /// The error of a call that another one's error has ended.
    fn ended() -> Error {
        let folder = tempfile::tempdir().unwrap();
        let (out, write) = (folder.path().join("out"), WriteOptions::default());
        let mut out =
            ParquetDir::create(&out, false, Layout::Flat, Projection::none(), write).unwrap();
        out.cancel();
        out.close_tables(&|_, _| Vec::new()).unwrap_err().into()
    }

    struct Taker<'s>(&'s Taken);

    impl Handler for Taker<'_> {
        fn handle(&mut self, _: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
            let Taken { groups, trouble, cancel, .. } = self.0;
            match *trouble {
                Trouble::Handle(bad) if number == bad => {
                    // Other workers have their errors first.
                    thread::sleep(Duration::from_millis(20));
                    let path = "out".into();
                    return Err(Error::new(ErrorKind::NotConverted(path)));
                }
                Trouble::Handle(bad) if number > bad => return Err(ended()),
                Trouble::Cancel(at) if number == at => drop(cancel.cancel()),
                _ => {}
            }
            groups.lock().unwrap().push((number, batch.num_rows()));
            Ok(())
        }
    }

    struct Run<'a>(&'a Taken, &'a RunOptions, u64);

    impl Visit for Run<'_> {
        type Output = Result<()>;

        fn visit<R: Reader>(self, reader: R) -> Result<()> {
            drive(reader, self.2, Path::new("in"), self.0, self.1).map(drop)
        }
    }

    /// All workers end, however many of them read ahead.
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
            let options =
                ReadOptions::default().names(Names::Id).row_group_rows(11).window(1 << 10);
            let (groups, next, cancel) = (Mutex::default(), AtomicU64::new(0), Cancel::new());
            let projection = Projection::none().with(&[&JS_HEAP_NODES]);
            let run = RunOptions::default().threads(threads).cancel(cancel.clone());
            let sink = Taken { groups, next, trouble, cancel, projection };
            let document = Located {
                input: &input,
                offset: heapquarry_formats::ByteOffset::START,
                file_id: FileId(0),
                name: "",
            };
            let done = open(Format::Heap, document, &options, Run(&sink, &run, text.len() as u64))
                .unwrap();
            let mut taken = sink.groups.into_inner().unwrap();
            taken.sort_unstable();
            let what = format!("{trouble:?}, {threads} threads");
            match (trouble, done.map_err(|error| error.to_string())) {
                (Trouble::None, done) => {
                    assert_eq!(done, Ok(()), "{what}");
                    let rows = |at: usize| (at as u64, 11.min(NODES - at * 11));
                    assert_eq!(taken, (0..NODES.div_ceil(11)).map(rows).collect::<Vec<_>>());
                }
                (Trouble::Read(_), Err(error)) => {
                    assert!(error.contains("a bad sector"), "{what}: {error}");
                    // Row groups that were claimed before are not lost.
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

    /// A reader whose second row group waits for a first one that nobody wants, and that is never complete.
    struct Waits(bool);

    struct Unwanted;

    impl Task for Unwanted {
        type Scratch = ();
        type Done = ();

        fn tables(&self) -> Vec<&'static Table> {
            vec![&JS_HEAP_EDGES]
        }

        fn decode(self, _: &[u8], (): &mut (), _: &mut Rows<'_>) {}
    }

    impl Reader for Waits {
        type Task = Unwanted;
        type Ahead = ();

        fn claim(&mut self, _: &mut Buffer) -> heapquarry_formats::Result<Claim<Unwanted>> {
            let is_first = !std::mem::replace(&mut self.0, true);
            Ok(if is_first { Claim::Task(Unwanted, 0) } else { Claim::Wait })
        }

        fn complete(&mut self, (): ()) {}

        fn finish(self) -> Finished {
            Finished::default()
        }
    }

    #[test]
    fn nobody_waits_for_what_never_comes() {
        for threads in [1, 3] {
            let (groups, next, cancel) = (Mutex::default(), AtomicU64::new(0), Cancel::new());
            let projection = Projection::none().with(&[&JS_HEAP_NODES]);
            let sink = Taken { groups, next, trouble: Trouble::None, cancel, projection };
            let run = RunOptions::default().threads(threads);
            let error = drive(Waits(false), 0, Path::new("in"), &sink, &run).err().unwrap();
            assert!(error.to_string().contains("a fault of heapquarry"), "{error}");
        }
    }
}
