//! The kept index of a heap: all that reading and analysing it gives, so that further questions need neither.
//!
//! The cache of `heapquarry-store` keeps it, and [`RunOptions::index`] says where it is looked for. It is mapped, and
//! only what a question needs of it is read. So its numbers are believed: the cache finds no file but the one that it
//! wrote itself, and has it checked against its checksums now and then, as disks lose bits.

mod file;

use crate::{
    Error, ErrorKind, LoadedHeap, Result, RunOptions, Source, Status,
    heap::{load_as_written, translated},
    located::Locate,
    memory,
};
use file::{Fault, Reader, Writer};
use heapquarry_base::threads::join;
use heapquarry_formats::{ByteOffset, Code, Entry};
use heapquarry_graph::{
    Analysis, ByClass, EqualStrings, Heap, Realms, Texts, Unfit, analyze_attributed, prepare,
};
use heapquarry_input::{Indices, KeptIndex, Purpose};
use serde::{Deserialize, Serialize};
use std::{
    fs::DirBuilder,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Changes with the lists, and with what they mean. Part of the key of an entry.
pub const VERSION: u32 = 9;

/// The name of the file in its entry.
pub const FILE: &str = "heap.index";

/// What an index is of.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct About {
    version: u32,
    name: String,
    format: String,
    producer: Option<String>,
    status: String,
    nodes: u64,
    /// Time that reading and analysing the heap took.
    milliseconds: u64,
    log: Vec<Remark>,
}

/// An entry of the import log.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Remark {
    offset: Option<u64>,
    code: String,
    message: String,
    excerpt: Option<String>,
    occurrences: u64,
}

impl Remark {
    fn of(entry: &Entry) -> Self {
        Remark {
            offset: entry.offset.map(|offset| offset.0),
            code: entry.code.name().into(),
            message: entry.message.clone(),
            excerpt: entry.excerpt.clone(),
            occurrences: entry.occurrences,
        }
    }

    /// `None` if this version has no such code.
    fn entry(self) -> Option<Entry> {
        let code = Code::ALL.iter().copied().find(|code| code.name() == self.code)?;
        let Remark { offset, message, excerpt, occurrences, .. } = self;
        Some(Entry { offset: offset.map(ByteOffset), code, message, excerpt, occurrences })
    }
}

/// Reads and analyses a heap, and writes its index into a folder, which it creates.
///
/// # Errors
///
/// If the input cannot be read or is no heap, or [`ErrorKind::Cache`] if the index cannot be written.
pub fn keep(source: &Source, folder: &Path, run: &RunOptions) -> Result<()> {
    // What source maps tell is added when it is read.
    let run = run.purpose(Purpose::Questions).index(None).source_maps(None);
    let begin = Instant::now();
    let loaded = load_as_written(&source.locate(&run)?, &run)?;
    let analysis = analyze_attributed(&loaded.heap, Realms::OfSeveral, run.thread_count());
    let took = begin.elapsed();
    let written = DirBuilder::new()
        .create(folder)
        .and_then(|()| write(&folder.join(FILE), &loaded, &analysis, took, &run));
    written.map_err(|source| match source.kind() {
        io::ErrorKind::Interrupted => Error::new(ErrorKind::Cancelled),
        _ => {
            let (path, doing) = (folder.to_owned(), "write an index in");
            Error::new(ErrorKind::Cache { path, doing, source })
        }
    })
}

/// Writes an index. The analysis has the attribution of nodes, which a summary needs.
fn write(
    path: &Path,
    loaded: &LoadedHeap,
    analysis: &Analysis,
    took: Duration,
    run: &RunOptions,
) -> io::Result<()> {
    let LoadedHeap { heap, .. } = loaded;
    let mut writer = Writer::create(path, run)?;
    let threads = run.thread_count();
    // Comparing texts takes memory while little else does, and no time of the thread that writes.
    let (written, equal) = join(
        threads,
        || heap.put_lists(&mut writer).and_then(|()| analysis.put_lists(&mut writer)),
        || EqualStrings::new(heap, &Texts::new(heap), &analysis.shallow_sizes, 1),
    );
    written.and_then(|()| equal.put_lists(&mut writer))?;
    let ready = prepare(heap, analysis, threads);
    ready.put_lists(&mut writer)?;
    ByClass::new(heap, analysis, &ready, threads).put_lists(&mut writer)?;
    heap.strings().check()?;
    writer.finish(About {
        version: VERSION,
        name: loaded.name.clone(),
        format: loaded.format.clone(),
        producer: loaded.producer.clone(),
        status: loaded.status.name().into(),
        nodes: heap.nodes().len() as u64,
        milliseconds: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        log: loaded.log.iter().map(Remark::of).collect(),
    })
}

/// The heap of an index, without its analysis.
pub(crate) fn heap(
    indices: &dyn Indices,
    kept: KeptIndex,
    source: &Source,
    run: &RunOptions,
) -> Result<Option<LoadedHeap>> {
    let found = analysis(indices, kept, source, run)?;
    // What goes through all nodes asks for the roles of all.
    Ok(found.map(|(heap, _)| LoadedHeap { heap: heap.heap.with_roles(), ..heap }))
}

/// The heap of an index, and its analysis with the attribution of nodes.
pub(crate) fn analysis(
    indices: &dyn Indices,
    kept: KeptIndex,
    source: &Source,
    run: &RunOptions,
) -> Result<Option<(LoadedHeap, Analysis)>> {
    match read(indices, kept, source, run) {
        Ok((heap, analysis)) => {
            let heap = LoadedHeap { path: source.path.clone(), ..heap };
            Ok(Some((translated(heap, run), analysis)))
        }
        Err(Unread::Failed(error)) => Err(error),
        Err(Unread::Unfit(why)) => {
            run.progress.remark(&format!(
                "the index of {source} is not used: {why}; after `heapquarry cache clear`, `heapquarry index` makes a new one"
            ));
            Ok(None)
        }
    }
}

/// Why an index was not read.
enum Unread {
    /// It cannot be used. The input can.
    Unfit(String),
    /// The input could not be read either.
    Failed(Error),
}

impl From<Unfit> for Unread {
    fn from(unfit: Unfit) -> Self {
        Unread::Unfit(unfit.to_string())
    }
}

impl From<Fault> for Unread {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Damaged(why) => Unread::Unfit(why),
            Fault::Io(error) => Unread::Unfit(error.to_string()),
            Fault::Cancelled => Unread::Failed(Error::new(ErrorKind::Cancelled)),
        }
    }
}

/// What an index holds in the mapped file: it is read where it is needed.
fn read(
    indices: &dyn Indices,
    mut kept: KeptIndex,
    source: &Source,
    run: &RunOptions,
) -> Result<(LoadedHeap, Analysis), Unread> {
    let reader = open(&kept.path)?;
    let seconds = reader.about.milliseconds as f64 / 1000.0;
    memory::check_mapped(&source.path, reader.about.nodes, run).map_err(Unread::Failed)?;
    if !kept.is_checked {
        reader.check(run)?;
        indices.checked(&kept);
    }
    let mut lists = reader.mapped(std::mem::replace(&mut kept.held, Box::new(())))?;
    let heap = Heap::as_written(&mut lists)?;
    let analysis = Analysis::as_written(&mut lists, &heap)?;
    let loaded = loaded(reader.about, heap)?;
    if kept.is_new {
        run.progress.saved(&format!(
            "{source} was not read: its index is used, which saves {seconds:.1} s of reading and analysing"
        ));
        indices.used(&kept);
    }
    Ok((loaded, analysis))
}

fn open(path: &Path) -> Result<Reader<About>, Unread> {
    let reader = Reader::<About>::open(path)?;
    match reader.about.version {
        VERSION => Ok(reader),
        _ => Err(Unread::Unfit("another version wrote it".into())),
    }
}

fn loaded(about: About, heap: Heap) -> Result<LoadedHeap, Unread> {
    let unfit = |what: &str| Unread::Unfit(format!("its {what} is none of this version"));
    let About { name, format, producer, status, log, .. } = about;
    let known = [Status::Complete, Status::Repaired, Status::Truncated];
    let status = known.into_iter().find(|known| known.name() == status);
    let status = status.ok_or_else(|| unfit("status"))?;
    let log = log.into_iter().map(Remark::entry).collect::<Option<_>>();
    let log = log.ok_or_else(|| unfit("log"))?;
    let source_map_notes = Vec::new();
    Ok(LoadedHeap {
        path: PathBuf::new(),
        name,
        format,
        producer,
        status,
        log,
        heap,
        source_map_notes,
    })
}

#[cfg(test)]
mod tests;
