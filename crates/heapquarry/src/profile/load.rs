//! Reads a profile: a file with all threads, tables row group by row group.

use super::{
    Kind, Profile,
    rows::{Assembly, Part, Wanted, document, part, wanted},
};
use crate::{
    Document, Error, ErrorKind, Result, RunOptions, Source,
    gather::{GatherSink, GatheredDocument},
    input::Opened,
    source::Located,
    stored::{self, Tables},
};
use arrow_array::{RecordBatch, cast::AsArray, types::Int32Type};
use heapquarry_formats::{Entry, worst};
use heapquarry_tables::{JS_CPU_PROFILER_FILES, Projection, Table};
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Reads a profile that has been located; its samples too if they are wanted. A trace stands for all CPU profiles in it.
///
/// # Errors
/// If the source cannot be read, or has no profile.
pub(crate) fn load(
    source: &Source,
    located: Located,
    samples: bool,
    options: &RunOptions,
) -> Result<Profile> {
    let format = located.format();
    let path = source.path.as_path();
    let none = || {
        let what = "CPU profile in this trace".into();
        Error::new(ErrorKind::NotThere { path: path.into(), what })
    };
    let number = located.number();
    let (kind, is_trace) = match format.kind() {
        heapquarry_formats::Kind::Profile(kind) => (kind, number.is_some()),
        heapquarry_formats::Kind::Trace if format.tables().contains(&&JS_CPU_PROFILER_FILES) => {
            (Kind::Cpu, true)
        }
        _ => {
            let wanted = "a CPU profile, a sampling heap profile or self-profiling traces";
            let (path, found) = (path.into(), format.describe());
            return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }));
        }
    };
    match located {
        Located::File(opened, _) | Located::InTrace(opened, _) if is_trace => {
            of_trace(&opened, number, samples, options)?.ok_or_else(none)
        }
        Located::File(opened, _) | Located::InTrace(opened, _) => {
            of_file(&opened, kind, samples, options)
        }
        Located::Stored(_, documents) if is_trace => {
            let trace = documents.first().map_or(0, |document| document.file_id);
            of_stored_trace(path, trace, samples, options)?.ok_or_else(none)
        }
        Located::Stored(_, documents) => {
            let file_ids = documents.iter().map(|document| document.file_id).collect();
            let name = documents.first().map(|document| document.name.clone());
            let (name, wanted) = (name.unwrap_or_default(), wanted(kind, samples));
            of_tables(path, name, file_ids, kind, wanted, options)
        }
    }
}

/// Keeps what comes of the rows that make a profile, while they are decoded.
pub(crate) struct Gathering {
    kind: Kind,
    wanted: &'static [Wanted],
    /// The document that is wanted, if not all are.
    only: Option<i32>,
    /// With table and number of row group.
    parts: Mutex<Vec<(&'static str, u64, Part)>>,
}

impl Gathering {
    pub(crate) fn new(kind: Kind, only: Option<i32>, samples: bool) -> Self {
        Gathering { kind, wanted: wanted(kind, samples), only, parts: Mutex::default() }
    }

    /// The tables and columns that it is made of.
    pub(crate) fn projection(&self) -> Projection {
        let columns = self.wanted.iter().flat_map(|(table, columns)| {
            ["file_id"].iter().chain(*columns).map(move |column| (*table, *column))
        });
        columns.fold(Projection::none(), |projection, (table, column)| {
            projection.with_column(table, column).expect("a declared column")
        })
    }

    pub(crate) fn add(&self, table: &'static Table, seq: u64, batch: &RecordBatch) {
        if self.only.is_some() && document(table, batch) != self.only {
            return;
        }
        let part = part(table, batch);
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push((table.name, seq, part));
    }

    /// The profile, with rows of small tables.
    pub(crate) fn finish(self, small: Vec<(&'static Table, RecordBatch)>) -> Profile {
        // They are the last of their tables.
        small.iter().for_each(|(table, batch)| self.add(table, u64::MAX, batch));
        let mut parts = self.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|(table, seq, _)| (*table, *seq));
        let mut assembly = Assembly::new(self.kind);
        parts.into_iter().for_each(|(_, _, part)| assembly.add(part));
        assembly.finish()
    }
}

/// The profiles in a trace, or the one of that number, counted from 1; nothing if there are none.
fn of_trace(
    opened: &Opened,
    number: Option<usize>,
    samples: bool,
    options: &RunOptions,
) -> Result<Option<Profile>> {
    let only = number.map(|number| i32::try_from(number).unwrap_or(i32::MAX));
    let gathering = Gathering::new(Kind::Cpu, only, samples);
    let (profile, documents) = read(opened, gathering, options)?;
    let names: Vec<String> = documents.into_iter().skip(1).map(|document| document.name).collect();
    match number {
        Some(number) if number > names.len() => {
            let all = std::iter::once(opened.name.clone()).chain(names);
            let (path, names) = (opened.path.clone(), all.enumerate().collect());
            Err(Error::new(ErrorKind::Document { path, document: Some(number), names }))
        }
        Some(number) => {
            let name = names[number - 1].clone();
            Ok(Some(Profile { name, documents: 1, ..profile }))
        }
        None => Ok((!names.is_empty()).then_some(profile)),
    }
}

/// The profiles in a trace of a converted directory; nothing if there are none.
pub(crate) fn of_stored_trace(
    dir: &Path,
    trace: i32,
    samples: bool,
    options: &RunOptions,
) -> Result<Option<Profile>> {
    let known = stored::documents(dir)?;
    let file_ids = known.iter().map(|document| document.file_id).collect();
    let mut mine = Vec::new();
    let in_trace = |batch: RecordBatch| -> Vec<i32> {
        let column = |at: usize| batch.column(at).as_primitive::<Int32Type>();
        let rows = column(0).iter().zip(column(1));
        rows.filter(|(_, of)| *of == Some(trace)).filter_map(|(file_id, _)| file_id).collect()
    };
    let tables = Tables { dir, file_ids, options };
    tables.each(&JS_CPU_PROFILER_FILES, &["trace_file_id"], in_trace, |part| mine.extend(part))?;
    if mine.is_empty() {
        return Ok(None);
    }
    let name = known.iter().find(|document| document.file_id == trace);
    let name = name.map(|document| document.name.clone()).unwrap_or_default();
    of_tables(dir, name, mine, Kind::Cpu, wanted(Kind::Cpu, samples), options).map(Some)
}

fn of_file(opened: &Opened, kind: Kind, samples: bool, options: &RunOptions) -> Result<Profile> {
    let (profile, documents) = read(opened, Gathering::new(kind, None, samples), options)?;
    Ok(Profile { documents: documents.len(), ..profile })
}

/// Reads a document for the profiles in it.
fn read(
    opened: &Opened,
    gathering: Gathering,
    options: &RunOptions,
) -> Result<(Profile, Vec<Document>)> {
    let GatheredDocument { documents, profile, .. } =
        GatherSink::for_profile(gathering).read(opened, options)?;
    let profile = Profile {
        name: opened.name.clone(),
        // The first document of a trace is the trace itself.
        documents: documents.len().saturating_sub(1),
        status: worst(documents.iter().map(|document| document.status)),
        log: joined(&documents),
        ..profile.unwrap_or_default()
    };
    Ok((profile, documents))
}

/// The logs of several documents as one.
fn joined(documents: &[Document]) -> Vec<Entry> {
    documents.iter().flat_map(|document| document.log.iter().cloned()).collect()
}

fn of_tables(
    dir: &Path,
    name: String,
    mut file_ids: Vec<i32>,
    kind: Kind,
    wanted: &[Wanted],
    options: &RunOptions,
) -> Result<Profile> {
    file_ids.sort_unstable();
    let known = stored::documents(dir)?;
    let of = |document: &&stored::Document| file_ids.binary_search(&document.file_id).is_ok();
    let status = worst(known.iter().filter(of).map(|document| document.status));
    options.progress.begin(&name, 0);
    let documents = file_ids.len();
    let tables = Tables { dir, file_ids, options };
    let mut assembly = Assembly::new(kind);
    for (table, columns) in wanted {
        tables.each(table, columns, |batch| part(table, &batch), |part| assembly.add(part))?;
    }
    Ok(Profile { name, documents, status, ..assembly.finish() })
}
