//! How work is run: threads, progress, cancellation, temporary files.

use crate::{Error, ErrorKind, Redaction, Result, Source};
use heapquarry_base::threads::on_all;
use heapquarry_names::{SourceMaps, StoredMap};
use heapquarry_tables::sync::unpoisoned;
use std::{
    any::Any,
    env, fmt,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Declares options, and for each field a method that sets it and returns the options.
#[doc(hidden)]
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* pub $field:ident: $ty:ty,)+
    }) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub struct $name {
            $($(#[$doc])* pub $field: $ty,)+
        }

        impl $name {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $field(mut self, $field: $ty) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}
pub(crate) use crate::options;

/// Lists source maps as `PATH` lists folders.
const SOURCE_MAPS: &str = "HEAPQUARRY_SOURCE_MAPS";

/// Maximum number of worker threads per core.
const PER_CORE: usize = 8;

/// How work is run. `Default` uses all cores, reports no progress and cannot be cancelled.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// Worker threads; `None` for one per core. At most 8 per core are started.
    pub threads: Option<NonZero<usize>>,
    /// Receives the progress.
    pub progress: Arc<dyn Progress>,
    /// Cancels the work, which then ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub cancel: Cancel,
    /// Folder for unnamed temporary files, which hold decompressed input and streams. `None` for the folder that
    /// contains the output, or the system's folder.
    pub spool_dir: Option<PathBuf>,
    /// Limit for an input's temporary files in bytes. `None` for 100 times the size of the input, and at least 1 GiB.
    pub max_spool: Option<u64>,
    /// Limit for the memory of an analysis in bytes, checked against an estimate. The limit of the control group
    /// counts too, if it has one. A heap that needs more is an error before the work starts, a trace or a profile as
    /// soon as what has been read of it does.
    pub memory: Option<u64>,
    /// Takes out of each input what is private in it before it is read. The copies are temporary files. Inputs that
    /// cannot be redacted are errors: converted directories, ftrace text, pprof profiles, JavaScriptCore's snapshots.
    pub redaction: Option<Redaction>,
    /// Source maps, which tell what functions and classes of heaps and profiles are called in their sources.
    pub source_maps: Option<Arc<SourceMaps>>,
    /// Whether no file is read or stored because an input or a captured program names it: scripts and source maps at
    /// their own places. What the caller names is read.
    pub is_confined: bool,
    /// Where kept indices of heaps are looked for; `None` for nowhere.
    pub index: Option<Arc<dyn Indices>>,
    /// Source maps of the program that the inputs were captured of, if none are stored beside them.
    #[doc(hidden)]
    pub captured_maps: Arc<[StoredMap]>,
    /// Bytes that inputs in memory already take of the limit. The next one is read beside them.
    #[doc(hidden)]
    pub held: u64,
    /// What inputs are read for.
    #[doc(hidden)]
    pub purpose: Purpose,
}

impl Default for RunOptions {
    fn default() -> Self {
        let (progress, cancel) = (Arc::new(()), Cancel::default());
        RunOptions {
            threads: None,
            progress,
            cancel,
            spool_dir: None,
            max_spool: None,
            memory: None,
            redaction: None,
            source_maps: None,
            is_confined: false,
            index: None,
            captured_maps: Arc::default(),
            held: 0,
            purpose: Purpose::default(),
        }
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunOptions { threads, cancel, spool_dir, max_spool, memory, redaction, .. } = self;
        let mut fields = f.debug_struct("RunOptions");
        fields.field("threads", threads).field("cancel", cancel).field("spool_dir", spool_dir);
        fields.field("max_spool", max_spool).field("memory", memory).field("redaction", redaction);
        fields.finish_non_exhaustive()
    }
}

impl RunOptions {
    /// Sets the number of worker threads; 0 for one per core.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZero::new(threads);
        self
    }

    /// Sets the receiver of the progress.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the handle that cancels the work.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets the folder for temporary files.
    #[must_use]
    pub fn spool_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.spool_dir = Some(dir.into());
        self
    }

    /// Sets the limit for an input's temporary files in bytes.
    #[must_use]
    pub fn max_spool(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.max_spool = bytes.into();
        self
    }

    /// Sets the limit for the memory of an analysis.
    #[must_use]
    pub fn memory(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.memory = bytes.into();
        self
    }

    /// These options for a run beside which other inputs of `held` bytes stay in memory.
    #[must_use]
    pub fn beside(&self, held: u64) -> Self {
        RunOptions { held: self.held.saturating_add(held), ..self.clone() }
    }

    /// These options for inputs that are read for another purpose.
    #[must_use]
    pub fn purpose(&self, purpose: Purpose) -> Self {
        RunOptions { purpose, ..self.clone() }
    }

    /// Sets what takes out what is private.
    #[must_use]
    pub fn redaction(mut self, redaction: impl Into<Option<Redaction>>) -> Self {
        self.redaction = redaction.into();
        self
    }

    /// Sets the source maps.
    #[must_use]
    pub fn source_maps(mut self, maps: impl Into<Option<Arc<SourceMaps>>>) -> Self {
        self.source_maps = maps.into();
        self
    }

    /// Sets the source maps to those at these paths, or if there are none to those that the variable
    /// `HEAPQUARRY_SOURCE_MAPS` lists.
    ///
    /// # Errors
    /// If there is no map at one of the paths.
    pub fn source_maps_at<P: AsRef<Path>>(self, paths: &[P]) -> Result<Self> {
        let named = env::var_os(SOURCE_MAPS).filter(|_| paths.is_empty());
        let named: Vec<PathBuf> = named.iter().flat_map(env::split_paths).collect();
        let paths = paths.iter().map(AsRef::as_ref).chain(named.iter().map(PathBuf::as_path));
        let paths: Vec<&Path> = paths.filter(|path| !path.as_os_str().is_empty()).collect();
        if paths.is_empty() {
            return Ok(self);
        }
        let maps = SourceMaps::list(&paths).map_err(|not_found| {
            let what = format!("source maps: {}", not_found.why);
            Error::from(ErrorKind::NotFound { path: not_found.path, what })
        })?;
        Ok(self.source_maps(Arc::new(maps)))
    }

    /// Sets where kept indices of heaps are looked for.
    #[must_use]
    pub fn index(mut self, indices: impl Into<Option<Arc<dyn Indices>>>) -> Self {
        self.index = indices.into();
        self
    }

    /// The number of worker threads. Each has its own buffers, and more than 8 per core bring no gain.
    #[must_use]
    pub fn thread_count(&self) -> usize {
        at_most_per_core(self.threads)
    }

    /// Calls `work` on this thread and on others, on `most` together at most, and returns what each call returned. If
    /// the system starts no more threads, those that run are enough.
    pub fn on_threads<T: Send>(&self, most: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
        let results = Mutex::new(Vec::new());
        on_all(self.thread_count().min(most).saturating_sub(1), &|| {
            let result = work();
            unpoisoned(results.lock()).push(result);
        });
        unpoisoned(results.into_inner())
    }
}

/// What an input is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To write tables, or to pass them on.
    #[default]
    Tables,
    /// To search for leaks, one heap after the other.
    Leaks,
    /// To answer questions: what was read stays in memory beside its analysis.
    Questions,
}

/// So many, but at most `PER_CORE` per core; `None` is one per core.
pub fn at_most_per_core(wanted: Option<NonZero<usize>>) -> usize {
    let cores = cores();
    wanted.map_or(cores, |wanted| wanted.get().min(cores.saturating_mul(PER_CORE)))
}

/// Cores that this process may use. To ask reads files of the control group, so it is done once.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Finds indices of heaps that are kept: files that save reading and analysing the heap again.
pub trait Indices: Send + Sync {
    /// The index of an input, if one is kept: a file that nobody but this user could have written, because its numbers
    /// are believed. Nothing of the input is read; of a converted directory, the times of all its files are.
    fn find(&self, source: &Source, run: &RunOptions) -> Option<KeptIndex>;

    /// All of an index was read, and its checksums are right.
    fn checked(&self, _index: &KeptIndex) {}

    /// An index was used for the first time, and [`Progress::saved`] has said so.
    fn used(&self, _index: &KeptIndex) {}
}

/// A kept index.
pub struct KeptIndex {
    /// The file.
    pub path: PathBuf,
    /// Whether its checksums were found to be right not long ago: it need not be read as a whole.
    pub is_checked: bool,
    /// Whether it was not used before.
    pub is_new: bool,
    /// The file stays as long as this.
    pub held: Box<dyn Any + Send>,
}

/// Receives the progress of work. Called from all worker threads.
pub trait Progress: Send + Sync {
    /// A document of this many bytes begins.
    fn begin(&self, _name: &str, _bytes: u64) {}
    /// This many more of its bytes have been claimed. They add up to all its bytes once it has been read, and never to
    /// more.
    fn advance(&self, _bytes: u64) {}
    /// Of what is captured into the file of this name so many bytes have come, in so many pieces. How many will come
    /// nobody knows.
    fn received(&self, _name: &str, _bytes: u64, _pieces: u64) {}
    /// Work waits for another process. The text says for what; it can hold names of files.
    fn waiting(&self, _what: &str) {}
    /// Something that changes no answer is to be known. The text can hold names of files.
    fn remark(&self, _what: &str) {}
    /// What was kept has saved work for the first time. The text says how much; it can hold names of files.
    fn saved(&self, _what: &str) {}
}

/// Ignores the progress.
impl Progress for () {}

/// Cancels work that holds a clone of it. Takes effect within milliseconds, and cannot be undone.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    parent: Option<Cancel>,
}

impl Cancel {
    /// A new handle, not cancelled.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Cancels the work. Returns whether it was cancelled before.
    pub fn cancel(&self) -> bool {
        self.0.is_set.swap(true, Ordering::Relaxed)
    }

    /// Whether the work is cancelled.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        let Flag { is_set, parent } = &*self.0;
        is_set.load(Ordering::Relaxed) || parent.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// A handle for a part of the work: it is cancelled with this one, and can be cancelled alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Cancel(Arc::new(Flag { is_set: AtomicBool::new(false), parent: Some(self.clone()) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_the_cores() {
        let count = |threads| RunOptions::default().threads(threads).thread_count();
        let cores = count(0);
        assert_eq!([count(1), count(8), count(usize::MAX)], [1, 8, 8 * cores]);
        let jobs = |wanted| at_most_per_core(NonZero::new(wanted));
        assert_eq!([jobs(0), jobs(1), jobs(100_000)], [cores, 1, 8 * cores]);
    }

    #[test]
    fn a_part_is_cancelled_with_the_whole() {
        let whole = Cancel::new();
        let (one, other) = (whole.child(), whole.clone().child());
        assert!(!one.cancel());
        assert!(one.is_cancelled() && !whole.is_cancelled() && !other.is_cancelled());
        assert!(!whole.cancel() && whole.cancel());
        assert!(other.is_cancelled());
    }
}
