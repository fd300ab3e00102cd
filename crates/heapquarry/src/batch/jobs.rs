//! Converts the inputs that are not done, several at a time.

use super::{
    BatchInput, Batched, Failed, Keep, MOST_ROWS,
    folder::{Done, Folder, Found, Pending},
    packs::pack,
};
use crate::{
    ConvertOptions, Converted, Error, ErrorKind, Layout, Result, RunOptions, Source,
    convert::convert_as,
    file_names::{Taken, token},
    parquet::Extent,
};
use heapquarry_tables::sync::unpoisoned;
use std::{
    collections::{HashMap, HashSet, VecDeque},
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

/// An input of this many bytes is converted on all threads.
const LARGE: u64 = 256 << 20;
/// Maximum number of inputs, and of their bytes, that are summarised together. A run that dies loses as much for each job.
const TOGETHER: usize = 64;
const BYTES_TOGETHER: u64 = 256 << 20;
/// Bytes of summaries that are packed. A pack has about a dozen files.
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
    input: &'a BatchInput,
    /// The name of its directory.
    name: String,
}

/// What the workers share.
struct Shared<'a> {
    folder: &'a Folder,
    keep: Keep,
    queue: Mutex<VecDeque<Vec<Todo<'a>>>>,
    progress: &'a RunOptions,
    next_pending: AtomicU64,
    next_pack: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: HashMap<String, Done>,
    failed: Vec<(usize, Failed)>,
    pending: Vec<Pending>,
    failure: Option<Error>,
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
    let Found { mut done, names, pending, next_pending, next_pack } = found;
    let mut taken = Taken::default();
    for name in names {
        taken.take(name, |n| format!("{n}"));
    }
    let (mut before, mut large, mut others) = (0, VecDeque::new(), Vec::new());
    let mut seen = HashSet::new();
    for (at, input) in inputs.iter().enumerate().filter(|(_, input)| seen.insert(&input.path)) {
        if done.contains_key(&*input.path.to_string_lossy()) {
            before += 1;
            continue;
        }
        let name = token(&input.name);
        let name = taken.take(name.clone(), |n| format!("{name}_{n}"));
        let todo = Todo { at, input, name };
        if input.bytes >= LARGE { large.push_back(vec![todo]) } else { others.push(todo) }
    }
    let todo = large.iter().flatten().chain(&others);
    options.run.progress.begin("batch", todo.map(|todo| todo.input.bytes).sum());
    let shared = Shared {
        folder,
        keep,
        queue: Mutex::new(large),
        progress: &options.run,
        next_pending: AtomicU64::new(next_pending),
        next_pack: AtomicU64::new(next_pack),
        state: Mutex::new(State { pending, ..State::default() }),
    };
    // The end of one job ends the others.
    let cancel = options.run.cancel.child();
    let with =
        |run: RunOptions| options.clone().run(run.cancel(cancel.clone()).progress(Arc::new(())));
    let on_all_threads = with(options.run.clone());
    shared.work(&on_all_threads);
    *unpoisoned(shared.queue.lock()) = groups(others, keep, jobs);
    let memory = options.run.memory.map(|bytes| bytes / jobs.max(1) as u64);
    let on_one = with(options.run.clone().threads(1).memory(memory));
    thread::scope(|scope| {
        for _ in 1..jobs {
            // If the system starts no more threads, those that run are enough.
            if thread::Builder::new().spawn_scoped(scope, || shared.work(&on_one)).is_err() {
                break;
            }
        }
        shared.work(&on_one);
    });
    let rest = std::mem::take(&mut shared.lock().pending);
    if shared.lock().failure.is_none()
        && !cancel.is_cancelled()
        && let Err(error) = shared.pack(rest, &on_all_threads)
    {
        shared.lock().failure = Some(error);
    }
    let State { done: now, mut failed, failure, .. } = unpoisoned(shared.state.into_inner());
    failed.sort_unstable_by_key(|(at, _)| *at);
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

/// The inputs that a job takes at a time.
fn groups(todo: Vec<Todo<'_>>, keep: Keep, jobs: usize) -> VecDeque<Vec<Todo<'_>>> {
    let most = match keep {
        Keep::Tables => 1,
        // So that all jobs have something to do.
        Keep::Summary => (todo.len() / (4 * jobs.max(1))).clamp(1, TOGETHER),
    };
    let (mut groups, mut bytes) = (VecDeque::<Vec<Todo<'_>>>::new(), 0u64);
    for todo in todo {
        bytes = bytes.saturating_add(todo.input.bytes);
        match groups.back_mut() {
            Some(last) if last.len() < most && bytes <= BYTES_TOGETHER => last.push(todo),
            _ => {
                bytes = todo.input.bytes;
                groups.push_back(vec![todo]);
            }
        }
    }
    groups
}

impl<'a> Shared<'a> {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    /// Converts inputs until there are no more, or the run ends.
    fn work(&self, options: &ConvertOptions) {
        loop {
            let next = unpoisoned(self.queue.lock()).pop_front();
            let Some(group) = next.filter(|_| !options.run.cancel.is_cancelled()) else { return };
            if let Err(error) = self.convert(group, options) {
                if !matches!(error.kind(), ErrorKind::Cancelled) {
                    self.lock().failure.get_or_insert(error);
                }
                options.run.cancel.cancel();
                return;
            }
        }
    }

    /// Converts inputs together, as far as they can be read.
    fn convert(&self, group: Vec<Todo<'a>>, options: &ConvertOptions) -> Result<()> {
        let mut rest = vec![group];
        while let Some(mut group) = rest.pop() {
            if let Some(at) = group.iter().position(|todo| todo.input.path.to_str().is_none()) {
                let todo = group.remove(at);
                let path = todo.input.path.clone();
                let source = io::Error::other("its path is not Unicode");
                self.fail(&todo, Error::new(ErrorKind::Input { path, doing: "name", source }));
                rest.push(group);
                continue;
            }
            if group.is_empty() {
                continue;
            }
            let sources: Vec<Source> =
                group.iter().map(|todo| Source::path(&todo.input.path)).collect();
            let made = self.folder.scratch();
            let (options, extent) = self.form(&group[0], options);
            let error = match convert_as(&sources, &made, &options, extent) {
                Ok(converted) => {
                    self.keep(&group, &converted, &options)?;
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
                    self.fail(&after.remove(0), error);
                    rest.extend([after, group]);
                }
                None => rest.extend(group.into_iter().rev().map(|todo| vec![todo])),
            }
        }
        Ok(())
    }

    /// In which form inputs are converted, the first of which is this.
    fn form(&self, first: &Todo<'_>, options: &ConvertOptions) -> (ConvertOptions, Extent) {
        let without_views = true;
        match self.keep {
            Keep::Tables => {
                let (part, labels) = (Some(first.name.clone()), self.folder.labels().into());
                let extent = Extent { without_views, part, labels, most_rows: &[] };
                (options.clone().layout(Layout::Hive), extent)
            }
            // What is packed later is one directory until then.
            Keep::Summary => {
                let extent = Extent { without_views, most_rows: &MOST_ROWS, ..Extent::default() };
                (options.clone().layout(Layout::Flat), extent)
            }
        }
    }

    /// Puts a converted directory where it belongs. Its inputs are done.
    fn keep(
        &self,
        group: &[Todo<'_>],
        converted: &Converted,
        options: &ConvertOptions,
    ) -> Result<()> {
        match self.keep {
            Keep::Tables => {
                self.folder.publish(&converted.path, &group[0].name, &converted.tables)?;
            }
            Keep::Summary => {
                let number = self.next_pending.fetch_add(1, Ordering::Relaxed);
                let path = self.folder.put_aside(&converted.path, number)?;
                let bytes = converted.tables.iter().map(|table| table.bytes).sum();
                self.lock().pending.push(Pending { path, bytes });
            }
        }
        let mut state = self.lock();
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
        let waiting: u64 = state.pending.iter().map(|pending| pending.bytes).sum();
        if waiting < PACK {
            return Ok(());
        }
        let all = std::mem::take(&mut state.pending);
        drop(state);
        self.pack(all, options)
    }

    /// Makes one directory of those that wait.
    fn pack(&self, pending: Vec<Pending>, options: &ConvertOptions) -> Result<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let made = self.folder.scratch();
        let name = Folder::pack(self.next_pack.fetch_add(1, Ordering::Relaxed));
        let part = Extent {
            without_views: true,
            part: Some(name.clone()),
            labels: self.folder.labels().into(),
            most_rows: &[],
        };
        let tables = pack(&pending, &made, part, options)?;
        self.folder.publish(&made, &name, &tables)?;
        self.folder.sync();
        pending.iter().try_for_each(|pending| self.folder.discard(&pending.path))
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
