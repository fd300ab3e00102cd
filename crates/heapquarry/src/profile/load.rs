//! Reads a profile: a file with all threads, tables row group by row group.

use super::{
    Kind, Profile,
    rows::{Assembly, Part, Wanted, document, part, wanted},
};
use crate::{
    Error, ErrorKind, LoadOptions, Result, Source, Status,
    heap::joined,
    input::Opened,
    source::Located,
    stored::{self, Tables},
    trace,
    workers::{self, Around, Handler, Sequence, Worker},
};
use arrow_array::{RecordBatch, cast::AsArray, types::Int32Type};
use heapquarry_formats::{
    Format, Found, Input, Log, Reader, Summary,
    cpu_profile::{self, CpuProfile},
    heap_profile::{self, HeapProfile},
    self_profile::{self, SelfProfiles},
};
use heapquarry_tables::{JS_CPU_PROFILER_FILES, Table};
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
    options: &LoadOptions<'_>,
) -> Result<Profile> {
    let format = located.format();
    let kind = || {
        Kind::of(format).ok_or_else(|| {
            let (path, found) = (source.path.clone(), format.describe());
            let wanted = "a CPU profile, a sampling heap profile or self-profiling traces";
            Error::new(ErrorKind::OtherFormat { path, wanted, found })
        })
    };
    let none = || {
        let (path, what) = (source.path.clone(), "CPU profile in this trace".into());
        Error::new(ErrorKind::NotThere { path, what })
    };
    match located {
        Located::File(opened, _) if format == Format::Trace => {
            of_trace(&opened, None, samples, options)?.ok_or_else(none)
        }
        Located::InTrace(opened, number) => {
            of_trace(&opened, Some(number), samples, options)?.ok_or_else(none)
        }
        Located::Stored(Format::Trace, documents) => {
            let trace = documents[0].file_id;
            of_stored_trace(&source.path, trace, samples, options)?.ok_or_else(none)
        }
        Located::File(opened, found) => of_file(opened, found, kind()?, samples, options),
        Located::Stored(_, documents) => {
            let kind = kind()?;
            let file_ids = documents.iter().map(|document| document.file_id).collect();
            let name = documents.first().map(|document| document.name.clone());
            let (name, wanted) = (name.unwrap_or_default(), wanted(kind, samples));
            of_tables(&source.path, name, file_ids, kind, wanted, options)
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

    pub(crate) fn wants(&self, table: &'static Table) -> bool {
        self.wanted.iter().any(|(wanted, _)| *wanted == table)
    }

    fn add(&self, table: &'static Table, seq: u64, batch: &RecordBatch) {
        if self.only.is_some() && document(table, batch) != self.only {
            return;
        }
        let part = part(table, batch);
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push((table.name, seq, part));
    }

    /// The profile, with rows of small tables.
    pub(crate) fn finish(self, small: Vec<(&'static Table, RecordBatch)>) -> Profile {
        let small: Vec<_> = small.into_iter().filter(|(table, _)| self.wants(table)).collect();
        // They are the last of their tables.
        small.iter().for_each(|(table, batch)| self.add(table, u64::MAX, batch));
        let mut parts = self.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|(table, seq, _)| (*table, *seq));
        let mut assembly = Assembly::new(self.kind);
        parts.into_iter().for_each(|(_, _, part)| assembly.add(part));
        assembly.finish()
    }
}

impl Handler for &Gathering {
    fn wants(&self, table: &'static Table) -> bool {
        Gathering::wants(self, table)
    }

    fn handle(&mut self, table: &'static Table, seq: u64, batch: RecordBatch) -> Result<()> {
        self.add(table, seq, &batch);
        Ok(())
    }
}

/// The profiles in a trace, or the one of that number, counted from 1; nothing if there are none.
fn of_trace(
    opened: &Opened,
    number: Option<usize>,
    samples: bool,
    options: &LoadOptions<'_>,
) -> Result<Option<Profile>> {
    let only = number.map(|number| i32::try_from(number).unwrap_or(i32::MAX));
    let gathering = Gathering::new(Kind::Cpu, only, samples);
    let (profile, names) = trace::load_profiles(opened, gathering, options)?;
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
    options: &LoadOptions<'_>,
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

fn of_file(
    opened: Opened,
    found: Found,
    kind: Kind,
    samples: bool,
    options: &LoadOptions<'_>,
) -> Result<Profile> {
    let Opened { path, name, input, log, .. } = &opened;
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    options.progress.begin(name, input.size());
    let read = Reading { path, gathering: Gathering::new(kind, None, samples), options };
    let (mut profile, summaries) = match kind {
        Kind::Cpu => {
            let format = cpu_profile::Options::default();
            let reader = CpuProfile::new(input, found.offset, 0, name, format).map_err(fail)?;
            read.read(reader)?
        }
        Kind::Heap => {
            let format = heap_profile::Options::default();
            let reader = HeapProfile::new(input, found.offset, 0, name, format).map_err(fail)?;
            read.read(reader)?
        }
        Kind::SelfProfile => {
            let format = self_profile::Options::default();
            let reader = SelfProfiles::new(input, 0, name, format).map_err(fail)?;
            read.read(reader)?
        }
    };
    profile.name.clone_from(name);
    profile.documents = summaries.len();
    profile.status = worst(summaries.iter().map(|summary| summary.status));
    let mut all = Log::default();
    summaries.into_iter().for_each(|summary: Summary| all.merge(summary.log));
    let (unpacked, log) = joined(log.clone(), all);
    if !unpacked {
        profile.status = Status::Truncated;
    }
    profile.log = log;
    Ok(profile)
}

/// How a file is read.
struct Reading<'a> {
    path: &'a Path,
    gathering: Gathering,
    options: &'a LoadOptions<'a>,
}

impl Reading<'_> {
    fn read<R: Reader>(self, reader: R) -> Result<(Profile, Vec<Summary>)> {
        let Reading { path, gathering, options } = self;
        let threads = options.threads();
        let mut workers: Vec<_> = (0..threads).map(|_| Worker::new(&gathering)).collect();
        let LoadOptions { progress, cancel, .. } = *options;
        let around = Around { progress, cancel, stop: &|| {} };
        let reader = workers::run(reader, path, &mut workers, &mut Sequence::new(), around)?;
        drop(workers);
        let (batches, summaries) = reader.finish();
        Ok((gathering.finish(batches), summaries))
    }
}

fn of_tables(
    dir: &Path,
    name: String,
    mut file_ids: Vec<i32>,
    kind: Kind,
    wanted: &[Wanted],
    options: &LoadOptions<'_>,
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

/// What is to be said of several documents together.
pub(crate) fn worst(statuses: impl Iterator<Item = Status>) -> Status {
    let rank = |status: &Status| match status {
        Status::Complete => 0,
        Status::Repaired => 1,
        Status::Truncated => 2,
    };
    statuses.max_by_key(rank).unwrap_or(Status::Complete)
}
