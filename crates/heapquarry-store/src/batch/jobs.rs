//! Converts the inputs that are not done, several at a time.
//!
//! They are converted in groups, each to a directory that waits for its pack. Which inputs are a group, and which
//! groups a pack, depends on the inputs alone: not on the number of jobs, nor on which of them ends first.

use super::{
    BatchInput, Batched, Failed, Keep, MOST_ROWS,
    folder::{Done, Folder, Found, Pending},
    packs::pack,
};
use heapquarry::{
    ConvertOptions, Converted, Error, ErrorKind, Layout, Result, RunOptions, Source,
    engine::{Extent, convert_as, memory_limit},
};
use heapquarry_base::Order;
use heapquarry_tables::sync::unpoisoned;
use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::SystemTime,
};

/// An input of this many bytes is converted on all threads, before the others.
const LARGE: u64 = 256 << 20;
/// Maximum number of inputs, and of their bytes, that are converted together. A run that dies loses as much for each
/// job.
const TOGETHER: usize = 64;
const BYTES_TOGETHER: u64 = 256 << 20;
/// Minimum number of groups, if there are as many inputs: so that all jobs have something to do.
const GROUPS: usize = 64;
/// The last groups are smaller: a group is at most this part of the inputs that are left, so that all jobs end at about
/// the same time.
const OF_REST: usize = 16;
/// Bytes of tables that are packed. A pack has about a dozen files.
const PACK: u64 = 1 << 30;

/// How the work ended.
pub(super) struct Ended {
    /// All inputs that are done.
    pub(super) all: HashMap<String, Done>,
    pub(super) report: Batched,
    /// What ended the run early.
    pub(super) failure: Option<Error>,
}

/// An input to be converted.
struct Todo<'a> {
    /// Its position among the inputs.
    at: usize,
    /// Its position among those to be converted, in the order in which they are begun and packed.
    number: u64,
    input: &'a BatchInput,
}

/// What the workers share.
struct Shared<'a> {
    folder: &'a Folder,
    keep: Keep,
    queue: Mutex<VecDeque<Vec<Todo<'a>>>>,
    /// Inputs that need more memory than one job of several has: they are converted alone, after the others.
    deferred: Mutex<VecDeque<Vec<Todo<'a>>>>,
    progress: &'a RunOptions,
    /// When inputs were last written.
    written: Arc<HashMap<PathBuf, SystemTime>>,
    /// Number of the directory that waits with the first input.
    first_pending: u64,
    next_pack: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: HashMap<String, Done>,
    failed: Vec<(usize, Failed)>,
    /// Sorted by their numbers.
    pending: Vec<Pending>,
    /// Numbers of the first inputs of the groups that have not ended.
    open: BTreeSet<u64>,
    failure: Option<Error>,
}

impl State {
    /// Takes the directories that make the next pack: those before all groups that have not ended, if they are large
    /// enough.
    fn next_pack(&mut self, first_pending: u64) -> Option<Vec<Pending>> {
        let end = self.open.first().map_or(u64::MAX, |number| first_pending + number);
        let mut bytes = 0u64;
        let ready = self.pending.iter().take_while(|pending| pending.number < end);
        let full = |pending: &Pending| {
            bytes = bytes.saturating_add(pending.bytes);
            bytes >= PACK
        };
        let last = ready.map(full).position(|is_full| is_full)?;
        Some(self.pending.drain(..=last).collect())
    }
}

/// Converts what is not done yet.
pub(super) fn run(
    folder: &Folder,
    inputs: &[BatchInput],
    found: Found,
    keep: Keep,
    options: &ConvertOptions,
    jobs: usize,
) -> Ended {
    let Found { mut done, pending, next_pending, next_pack } = found;
    let (mut before, mut todo) = (0, Vec::new());
    let mut seen = HashSet::new();
    for (at, input) in inputs.iter().enumerate().filter(|(_, input)| seen.insert(&input.path)) {
        if done.contains_key(&*input.path.to_string_lossy()) {
            before += 1;
            continue;
        }
        todo.push(Todo { at, number: 0, input });
    }
    options.run.progress.begin("batch", todo.iter().map(|todo| todo.input.bytes).sum());
    todo.order_by_key(|todo| todo.input.bytes < LARGE);
    (0..).zip(&mut todo).for_each(|(number, todo)| todo.number = number);
    let others = todo.split_off(todo.partition_point(|todo| todo.input.bytes >= LARGE));
    let large: VecDeque<_> = todo.into_iter().map(|todo| vec![todo]).collect();
    let others = groups(others);
    let open = large.iter().chain(&others).map(|group| group[0].number).collect();
    let written = inputs.iter().filter_map(|input| Some((input.path.clone(), input.written?)));
    let shared = Shared {
        folder,
        keep,
        queue: Mutex::new(large),
        deferred: Mutex::default(),
        progress: &options.run,
        written: Arc::new(written.collect()),
        first_pending: next_pending,
        next_pack: AtomicU64::new(next_pack),
        state: Mutex::new(State { pending, open, ..State::default() }),
    };
    // The end of one job ends the others.
    let cancel = options.run.cancel.child();
    let with =
        |run: RunOptions| options.clone().run(run.cancel(cancel.clone()).progress(Arc::new(())));
    let on_all_threads = with(options.run.clone());
    shared.work(&on_all_threads, 1);
    let jobs = jobs.min(others.len());
    *unpoisoned(shared.queue.lock()) = others;
    let on_one = with(options.run.clone().threads(1).memory(share(&options.run, jobs)));
    thread::scope(|scope| {
        for _ in 1..jobs {
            // If the system starts no more threads, those that run are enough.
            if thread::Builder::new().spawn_scoped(scope, || shared.work(&on_one, jobs)).is_err() {
                break;
            }
        }
        shared.work(&on_one, jobs);
    });
    *unpoisoned(shared.queue.lock()) = std::mem::take(&mut *unpoisoned(shared.deferred.lock()));
    shared.work(&on_all_threads, 1);
    if shared.lock().failure.is_none()
        && !cancel.is_cancelled()
        && let Err(error) = shared.pack_rest(&on_all_threads)
    {
        shared.lock().failure = Some(error);
    }
    let State { done: now, mut failed, failure, .. } = unpoisoned(shared.state.into_inner());
    failed.order_by_key(|(at, _)| *at);
    let report = Batched {
        done: now.len() as u64,
        bytes: now.values().fold(0, |sum, done| done.bytes.saturating_add(sum)),
        before,
        failed: failed.into_iter().map(|(_, failed)| failed).collect(),
        ..Batched::default()
    };
    done.extend(now);
    Ended { all: done, report, failure }
}

/// Bytes of memory for each of so many jobs; `None` if there is no limit. One job has the limits of the run.
fn share(run: &RunOptions, jobs: usize) -> Option<u64> {
    match jobs {
        0 | 1 => run.memory,
        _ => memory_limit(run).map(|(bytes, _)| bytes / jobs as u64),
    }
}

/// The inputs that a job takes at a time.
fn groups(todo: Vec<Todo<'_>>) -> VecDeque<Vec<Todo<'_>>> {
    let most = (todo.len() / GROUPS).clamp(1, TOGETHER);
    let (mut groups, mut bytes) = (VecDeque::<Vec<Todo<'_>>>::new(), 0u64);
    let (mut left, mut room) = (todo.len(), 0);
    for todo in todo {
        bytes = bytes.saturating_add(todo.input.bytes);
        match groups.back_mut() {
            Some(last) if room > 0 && bytes <= BYTES_TOGETHER => last.push(todo),
            _ => {
                room = most.min(left / OF_REST).max(1);
                bytes = todo.input.bytes;
                groups.push_back(vec![todo]);
            }
        }
        room -= 1;
        left -= 1;
    }
    groups
}

impl<'a> Shared<'a> {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Converts inputs until there are no more, or the run ends, as one of so many jobs.
    fn work(&self, options: &ConvertOptions, jobs: usize) {
        loop {
            let next = unpoisoned(self.queue.lock()).pop_front();
            let Some(group) = next.filter(|_| !options.run.cancel.is_cancelled()) else { return };
            let first = group[0].number;
            let done = self.convert(group, options, jobs);
            let done = done.and_then(|()| self.pack_full(first, options));
            if let Err(error) = done {
                if !matches!(error.kind(), ErrorKind::Cancelled) {
                    self.lock().failure.get_or_insert(error);
                }
                options.run.cancel.cancel();
                return;
            }
        }
    }

    /// Converts inputs together, as far as they can be read.
    fn convert(&self, group: Vec<Todo<'a>>, options: &ConvertOptions, jobs: usize) -> Result<()> {
        let mut rest = vec![group];
        while let Some(mut group) = rest.pop() {
            let odd = |todo: &Todo<'_>| odd(&todo.input.path);
            if let Some((at, (doing, why))) =
                group.iter().enumerate().find_map(|(at, todo)| Some((at, odd(todo)?)))
            {
                let todo = group.remove(at);
                let path = todo.input.path.clone();
                let source = io::Error::other(why);
                self.fail(&todo, Error::new(ErrorKind::Input { path, doing, source }));
                rest.push(group);
                continue;
            }
            if group.is_empty() {
                continue;
            }
            let sources: Vec<Source> =
                group.iter().map(|todo| Source::path(&todo.input.path)).collect();
            let made = self.folder.scratch();
            let (options, extent) = self.form(options);
            let error = match convert_as(&sources, &made, &options, extent) {
                Ok(converted) => {
                    self.keep(&group, &converted)?;
                    continue;
                }
                Err(error) if is_of_input(&error) => error,
                Err(error) => return Err(error),
            };
            let path = error.details().path.map(ToOwned::to_owned);
            let bad = group.iter().position(|todo| Some(&todo.input.path) == path.as_ref());
            match bad.or((group.len() == 1).then_some(0)) {
                Some(bad) => {
                    // Those before it could be read.
                    let mut after = group.split_off(bad);
                    let bad = after.remove(0);
                    if error.is_of_memory() && jobs > 1 {
                        self.defer(bad);
                    } else {
                        self.fail(&bad, error);
                    }
                    rest.extend([after, group]);
                }
                None => rest.extend(group.into_iter().rev().map(|todo| vec![todo])),
            }
        }
        Ok(())
    }

    /// Leaves an input for later, when it has all memory.
    fn defer(&self, todo: Todo<'a>) {
        self.lock().open.insert(todo.number);
        unpoisoned(self.deferred.lock()).push_back(vec![todo]);
    }

    /// In which form inputs are converted: as one directory that waits for its pack.
    fn form(&self, options: &ConvertOptions) -> (ConvertOptions, Extent) {
        let most_rows: &[_] = if self.keep == Keep::Summary { &MOST_ROWS } else { &[] };
        let extent = Extent {
            without_views: true,
            written: Some(self.written.clone()),
            most_rows,
            is_temporary: self.folder.knows_boots(),
            ..Extent::default()
        };
        (options.clone().layout(Layout::Flat), extent)
    }

    /// Puts a converted directory among those that wait. Its inputs are done.
    fn keep(&self, group: &[Todo<'_>], converted: &Converted) -> Result<()> {
        let pending = self.folder.put_aside(converted, self.first_pending + group[0].number)?;
        let mut state = self.lock();
        let place = state.pending.partition_point(|other| other.number < pending.number);
        state.pending.insert(place, pending);
        for todo in group {
            let mut done = Done::default();
            for document in converted.documents.iter().filter(|d| d.path == todo.input.path) {
                done.documents += 1;
                done.bytes = done.bytes.saturating_add(document.bytes);
                done.defects = done.defects.saturating_add(document.defects);
            }
            state.done.insert(todo.input.path.to_string_lossy().into_owned(), done);
            self.progress.progress.advance(todo.input.bytes);
        }
        Ok(())
    }

    /// Ends the group whose first input has this number, and writes packs that are full.
    fn pack_full(&self, first: u64, options: &ConvertOptions) -> Result<()> {
        self.lock().open.remove(&first);
        loop {
            let mut state = self.lock();
            let Some(full) = state.next_pack(self.first_pending) else { return Ok(()) };
            // Packs are numbered in the order in which they are taken.
            let number = self.next_pack.fetch_add(1, Ordering::Relaxed);
            drop(state);
            self.pack(full, number, options)?;
        }
    }

    /// Writes what still waits, in packs.
    fn pack_rest(&self, options: &ConvertOptions) -> Result<()> {
        let rest = std::mem::take(&mut self.lock().pending);
        let number = self.next_pack.fetch_add(1, Ordering::Relaxed);
        self.pack(rest, number, options)
    }

    /// Makes one directory of those that wait.
    fn pack(&self, pending: Vec<Pending>, number: u64, options: &ConvertOptions) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let made = self.folder.scratch();
        let name = Folder::pack(number);
        let part = Extent {
            without_views: true,
            part: Some(name.clone()),
            labels: self.folder.labels().into(),
            ..Extent::default()
        };
        let tables = pack(&pending, &made, part, options)?;
        self.folder.publish(&made, &name, &tables)?;
        // To free the memory of files that were just written takes time.
        let rest = Mutex::new(pending.iter());
        let discard = || -> Result<()> {
            while let Some(pending) = { unpoisoned(rest.lock()).next() } {
                self.folder.discard(&pending.path)?;
            }
            Ok(())
        };
        Error::cause(options.run.on_threads(pending.len(), discard))
    }

    fn fail(&self, todo: &Todo<'_>, error: Error) {
        self.progress.progress.advance(todo.input.bytes);
        let failed = Failed { input: todo.input.path.clone(), error };
        self.lock().failed.push((todo.at, failed));
    }
}

/// Whether the input is to blame: others may be fine.
fn is_of_input(error: &Error) -> bool {
    use heapquarry_formats::ErrorKind::Spool;
    let is_full = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    };
    match error.kind() {
        ErrorKind::Input { source, .. } => !is_full(source),
        ErrorKind::Format { source, .. } => match source.kind() {
            Spool { source, .. } => !is_full(source),
            _ => true,
        },
        ErrorKind::Unknown { .. }
        | ErrorKind::OtherFormat { .. }
        | ErrorKind::Strict { .. }
        | ErrorKind::TooManyNodes { .. }
        | ErrorKind::Memory { .. }
        | ErrorKind::NotConverted(_) => true,
        _ => false,
    }
}

/// Why an input is none of a batch, and what that keeps from being done: a FIFO might never end.
fn odd(path: &Path) -> Option<(&'static str, &'static str)> {
    if path.to_str().is_none() {
        return Some(("name", "its path is not Unicode"));
    }
    let is_odd = |found: Metadata| !found.is_file() && !found.is_dir();
    fs::metadata(path).is_ok_and(is_odd).then_some(("read", "it is no plain file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of the groups of that many inputs of as many bytes each.
    fn sizes(inputs: usize, bytes: u64) -> Vec<usize> {
        let input = BatchInput { bytes, ..BatchInput::new("heap") };
        let todo = |at| Todo { at, number: at as u64, input: &input };
        let groups = groups((0..inputs).map(todo).collect());
        let positions = groups.iter().flatten().map(|todo| todo.at);
        assert!(positions.eq(0..inputs), "each input is in a group, in order");
        groups.iter().map(Vec::len).collect()
    }

    #[test]
    fn jobs_share_the_limit_that_counts() {
        let run = RunOptions::default();
        let whole = memory_limit(&run).map(|(bytes, _)| bytes);
        assert_eq!(share(&run, 4), whole.map(|bytes| bytes / 4), "that of the group");
        for (jobs, expected) in [(0, 1000), (1, 1000), (3, 333), (2000, 0)] {
            assert_eq!(share(&run.clone().memory(1000), jobs), Some(expected));
        }
    }

    #[test]
    fn groups_are_alike_and_the_last_ones_small() {
        for (inputs, bytes, first, last) in [
            (0, 1, 0, 0),
            (1, 1, 1, 1),
            (100, 1, 1, 1),
            (1000, 1, 15, 1),
            (10_000, 1, TOGETHER, 1),
            // As many as fit.
            (10_000, BYTES_TOGETHER / 3, 3, 1),
            (1000, BYTES_TOGETHER, 1, 1),
        ] {
            let sizes = sizes(inputs, bytes);
            let ends = [sizes.first(), sizes.last()].map(|size| size.copied().unwrap_or(0));
            assert_eq!(ends, [first, last], "{inputs} inputs of {bytes} bytes");
            assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
            let mut left = inputs;
            for size in sizes {
                assert!(size == 1 || size <= left / OF_REST, "{size} of {left}");
                left -= size;
            }
        }
    }
}
