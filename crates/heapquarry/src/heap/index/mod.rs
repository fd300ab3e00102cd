//! The kept index of a heap: all that reading and analysing it gives, so that further questions need neither.
//!
//! The cache of `heapquarry-store` keeps it, and [`RunOptions::index`] says where it is looked for. What is read of it
//! is checked against checksums, and then for sense: no number in it is believed.

mod file;

use crate::{
    Error, ErrorKind, LoadedHeap, Result, RunOptions, Source, Status,
    heap::{load_located, translated},
    located::Locate,
    memory::{self, Size, Text},
};
use file::{Fault, Part, Reader, Writer};
use heapquarry_formats::{ByteOffset, Code, Entry};
use heapquarry_graph::{Analysis, Heap, Realms, analyze_attributed};
use heapquarry_input::Purpose;
use serde::{Deserialize, Serialize};
use std::{fs::DirBuilder, io, path::Path};

/// Changes with the lists, and with what they mean. Part of the key of an entry.
pub const VERSION: u32 = 1;

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
    edges: u64,
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
    let loaded = load_located(&source.locate(&run)?, &run)?;
    let analysis = analyze_attributed(&loaded.heap, Realms::OfSeveral, run.thread_count());
    let written = DirBuilder::new()
        .create(folder)
        .and_then(|()| write(&folder.join(FILE), &loaded, &analysis, &run));
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
    run: &RunOptions,
) -> io::Result<()> {
    let LoadedHeap { heap, .. } = loaded;
    let mut writer = Writer::create(path, run)?;
    heap.put_lists(&mut writer.part(Part::Heap))?;
    analysis.put_lists(&mut writer.part(Part::Analysis))?;
    writer.finish(About {
        version: VERSION,
        name: loaded.name.clone(),
        format: loaded.format.clone(),
        producer: loaded.producer.clone(),
        status: loaded.status.name().into(),
        nodes: heap.nodes().len() as u64,
        edges: heap.edges().len() as u64,
        log: loaded.log.iter().map(Remark::of).collect(),
    })
}

/// The heap of an index, without its analysis.
pub(crate) fn heap(path: &Path, source: &Source, run: &RunOptions) -> Result<Option<LoadedHeap>> {
    told(source, run, read(path, source, run, &[Part::Heap]).map(|(heap, _)| heap))
}

/// The heap of an index, and its analysis with the attribution of nodes.
pub(crate) fn analysis(
    path: &Path,
    source: &Source,
    run: &RunOptions,
) -> Result<Option<(LoadedHeap, Analysis)>> {
    let both =
        read(path, source, run, &[Part::Heap, Part::Analysis]).and_then(|(heap, mut lists)| {
            let analysis = Analysis::from_lists(&mut lists, &heap.heap);
            analysis.map(|analysis| (heap, analysis)).map_err(|e| Unread::Unfit(e.to_string()))
        });
    told(source, run, both)
}

/// Why an index was not read.
enum Unread {
    /// It cannot be used. The input can.
    Unfit(String),
    /// The input could not be read either.
    Failed(Error),
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

/// Says why an index is not used.
fn told<T>(source: &Source, run: &RunOptions, read: Result<T, Unread>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(Unread::Failed(error)) => Err(error),
        Err(Unread::Unfit(why)) => {
            run.progress.remark(&format!(
                "the index of {source} is not used: {why}; after `heapquarry cache clear`, `heapquarry index` makes a new one"
            ));
            Ok(None)
        }
    }
}

fn read(
    path: &Path,
    source: &Source,
    run: &RunOptions,
    parts: &[Part],
) -> Result<(LoadedHeap, heapquarry_graph::Lists), Unread> {
    let reader = Reader::<About>::open(path)?;
    let mut lists = {
        let About { version, nodes, edges, .. } = reader.about;
        if version != VERSION {
            return Err(Unread::Unfit("another version wrote it".into()));
        }
        let [text, ends] = heapquarry_graph::STRING_LISTS;
        let text = Text { strings: reader.count(ends), bytes: reader.count(text) };
        let size = Size { nodes, edges, text };
        memory::check(&source.path, size, false, run).map_err(Unread::Failed)?;
        reader.lists(parts, run)?
    };
    let unfit = |what: &str| Unread::Unfit(format!("its {what} is none of this version"));
    let About { name, format, producer, status, log, .. } = reader.about;
    let known = [Status::Complete, Status::Repaired, Status::Truncated];
    let status = known.into_iter().find(|known| known.name() == status);
    let status = status.ok_or_else(|| unfit("status"))?;
    let log = log.into_iter().map(Remark::entry).collect::<Option<_>>();
    let log = log.ok_or_else(|| unfit("log"))?;
    let heap = Heap::from_lists(&mut lists, run.thread_count());
    let heap = heap.map_err(|error| Unread::Unfit(error.to_string()))?;
    let path = source.path.clone();
    let heap = LoadedHeap {
        path,
        name,
        format,
        producer,
        status,
        log,
        heap,
        source_map_notes: Vec::new(),
    };
    Ok((translated(heap, run), lists))
}

#[cfg(test)]
mod tests;
