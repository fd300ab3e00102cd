//! How Python waits for work: without the lock of the interpreter, ready for an interrupt, and telling its progress.

use crate::{error::exception, redaction::Redaction};
use heapquarry::{Cancel, Progress, Result, RunOptions, SourceMaps};
use pyo3::prelude::*;
use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// Time between two looks at whether there is an interrupt.
pub(crate) const PULSE: Duration = Duration::from_millis(50);

/// How work is run. `progress(name, done, total)` is called by the thread that waits, with numbers of bytes.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Run {
    threads: usize,
    memory: Option<u64>,
    max_spool: Option<u64>,
    spool_dir: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    redaction: Option<Redaction>,
    source_maps: Option<Arc<SourceMaps>>,
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (
        threads=None, memory=None, max_spool=None, spool_dir=None, progress=None, redaction=None, source_maps=Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        threads: Option<usize>,
        memory: Option<u64>,
        max_spool: Option<u64>,
        spool_dir: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
        redaction: Option<PyRef<'_, Redaction>>,
        source_maps: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let named = RunOptions::default().source_maps_at(&source_maps);
        Ok(Run {
            threads: threads.unwrap_or(0),
            memory,
            max_spool,
            spool_dir,
            progress,
            redaction: redaction.as_deref().cloned(),
            source_maps: named.map_err(|error| exception(py, &error))?.source_maps,
        })
    }
}

impl Run {
    /// Without limits, progress, redaction or source maps.
    pub(crate) fn plain() -> Self {
        Run {
            threads: 0,
            memory: None,
            max_spool: None,
            spool_dir: None,
            progress: None,
            redaction: None,
            source_maps: None,
        }
    }

    /// The options for one piece of work, and what looks after it.
    pub(crate) fn start(&self, py: Python<'_>) -> (RunOptions, Watch) {
        let cancel = Cancel::new();
        let meter = Arc::new(Meter::default());
        let mut options = RunOptions::default()
            .threads(self.threads)
            .memory(self.memory)
            .max_spool(self.max_spool)
            .redaction(self.redaction.as_ref().map(|redaction| redaction.rules.clone()))
            .source_maps(self.source_maps.clone())
            .cancel(cancel.clone());
        options.spool_dir.clone_from(&self.spool_dir);
        if self.progress.is_some() {
            options = options.progress(meter.clone());
        }
        let callback = self.progress.as_ref().map(|callback| callback.clone_ref(py));
        let redaction = self.redaction.clone();
        (options, Watch { cancel, meter, callback, redaction, told: None })
    }

    /// Does some work on another thread. An interrupt, or an exception of the callback, cancels it.
    pub(crate) fn wait<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&RunOptions) -> Result<T> + Send,
    ) -> PyResult<T> {
        let (options, mut watch) = self.start(py);
        thread::scope(|scope| {
            // Closed when the work ends, even by a panic.
            let (open, mut closed) = mpsc::channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let _open = open;
                work(&options)
            })?;
            let mut watched = Ok(());
            while watched.is_ok() && wait_for(py, &mut closed) == Err(RecvTimeoutError::Timeout) {
                watched = watch.look(py);
            }
            let result = py.detach(|| worker.join());
            watched?;
            let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let value = result.map_err(|error| exception(py, &error))?;
            watch.tell(py)?;
            Ok(value)
        })
    }
}

fn wait_for(py: Python<'_>, closed: &mut mpsc::Receiver<()>) -> Result<(), RecvTimeoutError> {
    py.detach(move || closed.recv_timeout(PULSE))
}

/// Looks after work: cancels it if there is an interrupt, tells its progress, and warns.
pub(crate) struct Watch {
    cancel: Cancel,
    meter: Arc<Meter>,
    callback: Option<Py<PyAny>>,
    redaction: Option<Redaction>,
    /// What was told last.
    told: Option<(String, u64, u64)>,
}

impl Watch {
    /// # Errors
    /// The exception that ended the work: of a signal handler, or of the callback.
    pub(crate) fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        let looked = py.check_signals().and_then(|()| self.tell(py));
        if looked.is_err() {
            self.cancel.cancel();
        }
        looked
    }

    /// Tells the progress, if there is any, and warns of secrets that are left in redacted documents.
    pub(crate) fn tell(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(redaction) = &self.redaction {
            redaction.warn(py)?;
        }
        let Some(callback) = &self.callback else { return Ok(()) };
        let now = self.meter.read();
        if self.told.as_ref() != Some(&now) && now.2 > 0 {
            callback.call1(py, now.clone())?;
            self.told = Some(now);
        }
        Ok(())
    }
}

/// What the threads at work have done. They count, and never call Python: so they cannot wait for each other.
#[derive(Default)]
struct Meter {
    /// The document and its size.
    document: Mutex<(String, u64)>,
    done: AtomicU64,
}

impl Meter {
    /// Name, bytes done and bytes in all.
    fn read(&self) -> (String, u64, u64) {
        let (name, total) = self.document.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (name, self.done.load(Ordering::Relaxed).min(total), total)
    }
}

impl Progress for Meter {
    fn begin(&self, name: &str, bytes: u64) {
        let name = heapquarry::report::printable(name).into_owned();
        *self.document.lock().unwrap_or_else(PoisonError::into_inner) = (name, bytes);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}
