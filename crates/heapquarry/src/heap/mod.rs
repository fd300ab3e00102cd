//! A heap in memory, out of a snapshot or out of the tables made of one.

mod rows;
mod snapshot;
mod tables;

pub(crate) use rows::{NodeRows, totals};

use crate::{Error, ErrorKind, Progress, Result, Status, input};
use heapquarry_formats::{Entry, Severity};
use heapquarry_graph::{self as graph, HeapParts};
use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread,
};

/// How [`load_heap`] works.
#[derive(Clone, Copy)]
pub struct LoadOptions<'a> {
    /// Worker threads; `None` for as many as there are cores.
    pub threads: Option<NonZero<usize>>,
    /// Hears how far reading is.
    pub progress: &'a dyn Progress,
    /// Stops the work when set: [`ErrorKind::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Which document of several: `file_id` of a converted directory, `document_index` of a file.
    pub file_id: Option<i32>,
}

impl Default for LoadOptions<'_> {
    fn default() -> Self {
        LoadOptions { threads: None, progress: &(), cancel: None, file_id: None }
    }
}

impl LoadOptions<'_> {
    pub(crate) fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, NonZero::get)
    }
}

/// A heap that was read, ready for the algorithms of [`graph`].
#[derive(Debug)]
pub struct LoadedHeap {
    /// The input as given.
    pub path: PathBuf,
    /// Name of the document.
    pub name: String,
    /// `heapsnapshot` or `heaptimeline`.
    pub format: String,
    /// Who wrote it, as far as its content tells.
    pub producer: Option<String>,
    /// Whether it was whole.
    pub status: Status,
    /// What was out of the ordinary; empty for tables, whose `import_log` says it.
    pub log: Vec<Entry>,
    /// The heap.
    pub heap: graph::Heap,
}

/// Reads a snapshot, packed or not, or one that has been converted, into memory: about 30 bytes for each node and 9
/// for each edge. Nothing is written.
///
/// ```no_run
/// use heapquarry::{LoadOptions, graph, load_heap};
///
/// let loaded = load_heap("app.heapsnapshot", &LoadOptions::default())?;
/// let analysis = graph::analyze(&loaded.heap, 4);
/// println!("{} bytes can be reached", analysis.statistics.total);
/// # Ok::<(), heapquarry::Error>(())
/// ```
///
/// # Errors
/// If the input cannot be read, or is of no known format, or a directory without the tables that are needed.
pub fn load_heap(path: impl AsRef<Path>, options: &LoadOptions<'_>) -> Result<LoadedHeap> {
    let path = path.as_ref();
    if path.is_dir() { tables::load(path, options) } else { snapshot::load(path, options) }
}

/// Puts a heap together, unless it has more nodes than can be numbered.
pub(crate) fn assemble(path: &Path, parts: HeapParts, threads: usize) -> Result<graph::Heap> {
    let nodes = parts.node_types.len();
    if u32::try_from(nodes).is_ok_and(|nodes| nodes < u32::MAX - 1) {
        return Ok(graph::Heap::new(parts, threads));
    }
    Err(Error::new(ErrorKind::TooManyNodes { path: path.into(), nodes: nodes as u64 }))
}

/// What the packing of an input and its content leave to be said.
fn joined(packing: heapquarry_formats::Log, log: heapquarry_formats::Log) -> (bool, Vec<Entry>) {
    let whole = packing.count(Severity::DataLoss) == 0;
    let mut all = packing;
    all.merge(log);
    (whole, all.into_entries())
}

/// Where what has to be unpacked goes.
fn spool_dir() -> PathBuf {
    std::env::temp_dir()
}

fn opened(path: &Path, options: &LoadOptions<'_>) -> Result<input::Opened> {
    let position = options.file_id.map(|id| usize::try_from(id).unwrap_or(usize::MAX));
    input::open_document(path, position, &spool_dir())
}
