//! How work runs: threads, progress, cancellation, and where temporary files go.

use std::{
    fmt,
    num::NonZero,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Declares options with a method for each field, which sets it and returns the options.
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
pub(crate) use options;

/// Maximum number of worker threads per core.
const PER_CORE: usize = 8;

/// How work runs. `Default` uses all cores, reports to nobody and cannot be cancelled.
#[derive(Clone)]
#[non_exhaustive]
pub struct RunOptions {
    /// Worker threads; `None` for as many as there are cores. At most 8 per core are started.
    pub threads: Option<NonZero<usize>>,
    /// Hears how far the work is.
    pub progress: Arc<dyn Progress>,
    /// Stops the work: it then ends with [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub cancel: Cancel,
    /// Folder of unnamed temporary files, which hold what was unpacked or came from a stream. `None` for the folder
    /// beside the output, or the system's.
    pub spool_dir: Option<PathBuf>,
    /// Most bytes of an input's temporary files. `None` for 100 times the bytes of the input, and at least 1 GiB.
    pub max_spool: Option<u64>,
    /// Maximum bytes of memory that the analysis of a heap may need by an estimate; `None` for the memory of the control
    /// group, if it has a limit. A heap that needs more is refused before the work.
    pub memory: Option<u64>,
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
        }
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RunOptions { threads, progress: _, cancel, spool_dir, max_spool, memory } = self;
        let mut fields = f.debug_struct("RunOptions");
        fields.field("threads", threads).field("cancel", cancel).field("spool_dir", spool_dir);
        fields.field("max_spool", max_spool).field("memory", memory).finish_non_exhaustive()
    }
}

impl RunOptions {
    /// With that many worker threads; 0 for as many as there are cores.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZero::new(threads);
        self
    }

    /// With someone who hears how far the work is.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// With a handle that stops the work.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// With temporary files in that folder.
    #[must_use]
    pub fn spool_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.spool_dir = Some(dir.into());
        self
    }

    /// With that many bytes at most in the temporary files of an input.
    #[must_use]
    pub fn max_spool(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.max_spool = bytes.into();
        self
    }

    /// With a limit for the memory of an analysis.
    #[must_use]
    pub fn memory(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.memory = bytes.into();
        self
    }

    /// The number of worker threads. Each has buffers of its own, and more than [`PER_CORE`] per core gain nothing.
    pub(crate) fn thread_count(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or(cores, |threads| threads.get().min(cores.saturating_mul(PER_CORE)))
    }
}

/// Hears how far the work is. Called from all worker threads.
pub trait Progress: Send + Sync {
    /// A document of that many bytes begins.
    fn begin(&self, _name: &str, _bytes: u64) {}
    /// So many more of its bytes have been claimed.
    fn advance(&self, _bytes: u64) {}
}

/// No one listens.
impl Progress for () {}

/// Stops work that was given a clone of it. Cancelling takes effect within milliseconds, and cannot be undone.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    parent: Option<Cancel>,
}

impl Cancel {
    /// A handle that nobody has cancelled.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Stops the work. Returns whether that was asked for before.
    pub fn cancel(&self) -> bool {
        self.0.is_set.swap(true, Ordering::Relaxed)
    }

    /// Whether the work is to stop.
    pub fn is_cancelled(&self) -> bool {
        let Flag { is_set, parent } = &*self.0;
        is_set.load(Ordering::Relaxed) || parent.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// A handle for a part of the work: it is cancelled with this one, and can be cancelled alone.
    pub(crate) fn child(&self) -> Self {
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
