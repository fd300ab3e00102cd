//! A heap in memory, from a snapshot or from the tables of a converted directory.

pub(crate) mod index;

use crate::{
    Error, ErrorKind, Result, RunOptions, Source, Status,
    derive::assemble,
    gather::{GatherSink, GatheredDocument},
    located::{Locate, Located},
    maps::Maps,
    originals::heap::translate,
};
use heapquarry_formats::{Code, Entry, Format, Gathered, Kind};
use heapquarry_graph as graph;
use std::path::{Path, PathBuf};

/// A loaded heap, ready for the algorithms of [`graph`].
#[derive(Debug)]
pub struct LoadedHeap {
    /// The input as given.
    pub path: PathBuf,
    /// Name of the document.
    pub name: String,
    /// `heapsnapshot` or `heaptimeline`.
    pub format: String,
    /// The program that wrote it, as far as its content tells.
    pub producer: Option<String>,
    /// Whether it was complete.
    pub status: Status,
    /// Anything unusual.
    pub log: Vec<Entry>,
    /// The heap.
    pub heap: graph::Heap,
    /// What is to be said of source maps: those that are broken or do not fit, and scripts without one. One sentence
    /// each.
    pub source_map_notes: Vec<String>,
}

/// Loads a snapshot, or one of a converted directory, into memory. Takes about 30 bytes per node and 9 per edge. Writes
/// nothing but a temporary file for the text of long strings, where it is most of a heap.
///
/// ```no_run
/// use heapquarry::{RunOptions, graph, load_heap};
///
/// let loaded = load_heap(&"app.heapsnapshot".into(), &RunOptions::default())?;
/// let analysis = graph::analyze(&loaded.heap, 4);
/// println!("{} bytes can be reached", analysis.statistics.total);
/// # Ok::<(), heapquarry::Error>(())
/// ```
///
/// # Errors
///
/// If the input cannot be read or is of no known format, or the directory does not have the required tables.
pub fn load_heap(source: &Source, options: &RunOptions) -> Result<LoadedHeap> {
    match kept_heap(source, options)? {
        Some(kept) => Ok(kept),
        None => load_located(&source.locate(options)?, options),
    }
}

/// The heap of the [kept index](RunOptions::index) of an input; `None` if there is none, or it cannot be used.
fn kept_heap(source: &Source, options: &RunOptions) -> Result<Option<LoadedHeap>> {
    let Some(indices) = &options.index else { return Ok(None) };
    match indices.find(source, options) {
        Some(kept) => index::heap(&**indices, kept, source, options),
        None => Ok(None),
    }
}

/// The heap of the [kept index](RunOptions::index) of an input, and its analysis with the attribution of nodes; `None`
/// if there is none, or it cannot be used.
///
/// # Errors
///
/// If the heap does not fit into the memory of the options, or the work is cancelled.
pub fn kept_analysis(
    source: &Source,
    options: &RunOptions,
) -> Result<Option<(LoadedHeap, graph::Analysis)>> {
    let Some(indices) = &options.index else { return Ok(None) };
    match indices.find(source, options) {
        Some(kept) => index::analysis(&**indices, kept, source, options),
        None => Ok(None),
    }
}

/// Loads the heap of a located source, as [`load_heap`] does.
///
/// # Errors
///
/// The errors of [`load_heap`].
pub fn load_located(located: &Located, options: &RunOptions) -> Result<LoadedHeap> {
    Ok(translated(load_as_written(located, options)?, options))
}

/// Loads the heap of a located source, without what source maps tell.
pub(crate) fn load_as_written(located: &Located, options: &RunOptions) -> Result<LoadedHeap> {
    let path = located.path();
    refuse_other(path, located.format())?;
    let sink = GatherSink::for_analysis();
    let GatheredDocument { mut documents, parts, .. } = sink.read(located, options)?;
    let mut entries = documents.iter().flat_map(|document| &document.log);
    if let Some(entry) = entries.find(|entry| entry.code == Code::OwnersUnknown) {
        let (path, found) = (path.into(), entry.message.clone());
        return Err(Error::new(ErrorKind::Damaged { path, found }));
    }
    let (Some(Gathered::Heap(parts)), Some(document)) = (parts, documents.pop()) else {
        let what = "heap in this input".into();
        return Err(Error::new(ErrorKind::NotFound { path: path.into(), what }));
    };
    let heap = LoadedHeap {
        heap: assemble(path, *parts, options.thread_count())?,
        source_map_notes: Vec::new(),
        path: path.into(),
        name: document.name,
        format: document.format.into(),
        producer: document.producer.map(Into::into),
        status: document.status,
        log: document.log,
    };
    check_text(path, &heap.heap)?;
    Ok(heap)
}

/// Fails if text of a heap that was asked for could not be read: strings that are long are in a temporary file where
/// they are most of a heap. Whoever has made something of the strings of a heap asks then.
///
/// # Errors
///
/// [`ErrorKind::Input`] with the first reason.
pub fn check_text(path: &Path, heap: &graph::Heap) -> Result<()> {
    heap.strings().check().map_err(|source| {
        let (path, doing) = (path.into(), "read the text that was put aside of");
        Error::new(ErrorKind::Input { path, doing, source })
    })
}

/// The heap, with what its source maps tell.
pub(crate) fn translated(mut loaded: LoadedHeap, options: &RunOptions) -> LoadedHeap {
    if let Some(maps) = Maps::of(&loaded.path, options) {
        loaded.source_map_notes = translate(&mut loaded.heap, &maps);
    }
    loaded
}

/// Fails unless the format is that of heaps.
pub fn refuse_other(path: &Path, found: Format) -> Result<()> {
    if found.kind() == Kind::Heap {
        return Ok(());
    }
    let (path, wanted, found) = (path.into(), Format::Heap.describe(), found.describe());
    Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }))
}
