//! A heap in memory, out of a snapshot or out of the tables made of one.

mod rows;
mod snapshot;
mod tables;

pub(crate) use rows::{NodeRows, totals};

use crate::{
    Error, ErrorKind, Progress, Result, Source, Status,
    input::{self, Spooling},
    sniff,
    source::Located,
};
use heapquarry_formats::{Entry, Format, Severity};
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
    if path.is_dir() {
        return tables::load(path, options);
    }
    let position = options.file_id.map(|id| usize::try_from(id).unwrap_or(usize::MAX));
    let opened = input::open_document(path, position, &Spooling::to_temp(options.cancel))?;
    let found = sniff::sniff(&opened)?.format;
    refuse_other(&opened.path, found)?;
    snapshot::load(opened, options)
}

/// The same of a source that has been located.
pub(crate) fn load_located(
    source: &Source,
    located: Located,
    options: &LoadOptions<'_>,
) -> Result<LoadedHeap> {
    refuse_other(&source.path, located.format())?;
    match located {
        Located::File(opened, _) => snapshot::load(opened, options),
        Located::InTrace(..) => unreachable!("a profile is no heap"),
        Located::Stored(_, documents) => {
            let file_id = documents.first().map(|document| document.file_id);
            tables::load(&source.path, &LoadOptions { file_id, ..*options })
        }
    }
}

/// An error unless the format is that of heaps.
pub(crate) fn refuse_other(path: &Path, found: Format) -> Result<()> {
    if found == Format::Heap {
        return Ok(());
    }
    let (path, wanted, found) = (path.into(), Format::Heap.describe(), found.describe());
    Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }))
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
pub(crate) fn joined(
    packing: heapquarry_formats::Log,
    log: heapquarry_formats::Log,
) -> (bool, Vec<Entry>) {
    let whole = packing.count(Severity::DataLoss) == 0;
    let mut all = packing;
    all.merge(log);
    (whole, all.into_entries())
}
