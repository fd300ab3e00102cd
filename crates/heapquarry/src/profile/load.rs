//! Reads a profile: a file with all threads, tables row group by row group.

use super::{
    Kind, Profile,
    rows::{Assembly, Part, Wanted, part, wanted},
};
use crate::{
    Error, ErrorKind, LoadOptions, Result, Source, Status,
    heap::joined,
    input::Opened,
    source::{Located, Stored},
    stored::{self, Tables},
    workers::{self, Around, Handler, Sequence, Worker},
};
use arrow_array::RecordBatch;
use heapquarry_formats::{
    Found, Input, Log, Reader, Summary,
    cpu_profile::{self, CpuProfile},
    heap_profile::{self, HeapProfile},
    self_profile::{self, SelfProfiles},
};
use heapquarry_tables::Table;
use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Reads a profile that has been located; its samples too if they are wanted.
///
/// # Errors
/// If the source cannot be read, or is of a format that has no profile.
pub(crate) fn load(
    source: &Source,
    located: Located,
    samples: bool,
    options: &LoadOptions<'_>,
) -> Result<Profile> {
    let format = located.format();
    let Some(kind) = Kind::of(format) else {
        let (path, found) = (source.path.clone(), format.describe());
        let wanted = "a CPU profile, a sampling heap profile or self-profiling traces";
        return Err(Error::new(ErrorKind::OtherFormat { path, wanted, found }));
    };
    let wanted = wanted(kind, samples);
    match located {
        Located::File(opened, found) => of_file(opened, found, kind, wanted, options),
        Located::Stored(_, documents) => of_tables(&source.path, documents, kind, wanted, options),
    }
}

/// Keeps what comes of the rows that are wanted.
struct Collector<'a> {
    wanted: &'static [Wanted],
    /// With table and number of row group.
    parts: &'a Mutex<Vec<(&'static str, u64, Part)>>,
}

impl Handler for Collector<'_> {
    fn wants(&self, table: &'static Table) -> bool {
        self.wanted.iter().any(|(wanted, _)| *wanted == table)
    }

    fn handle(&mut self, table: &'static Table, seq: u64, batch: RecordBatch) -> Result<()> {
        let part = part(table, &batch);
        drop(batch);
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.push((table.name, seq, part));
        Ok(())
    }
}

fn of_file(
    opened: Opened,
    found: Found,
    kind: Kind,
    wanted: &'static [Wanted],
    options: &LoadOptions<'_>,
) -> Result<Profile> {
    let Opened { path, name, input, log, .. } = &opened;
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let mut assembly = Assembly::new(kind);
    options.progress.begin(name, input.size());
    let read = Reading { path, wanted, options };
    let summaries = match kind {
        Kind::Cpu => {
            let format = cpu_profile::Options::default();
            let reader = CpuProfile::new(input, found.offset, 0, name, format).map_err(fail)?;
            read.read(reader, &mut assembly)?
        }
        Kind::Heap => {
            let format = heap_profile::Options::default();
            let reader = HeapProfile::new(input, found.offset, 0, name, format).map_err(fail)?;
            read.read(reader, &mut assembly)?
        }
        Kind::SelfProfile => {
            let format = self_profile::Options::default();
            let reader = SelfProfiles::new(input, 0, name, format).map_err(fail)?;
            read.read(reader, &mut assembly)?
        }
    };
    let mut profile = assembly.finish();
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
    wanted: &'static [Wanted],
    options: &'a LoadOptions<'a>,
}

impl Reading<'_> {
    fn read<R: Reader>(&self, reader: R, assembly: &mut Assembly) -> Result<Vec<Summary>> {
        let parts = Mutex::new(Vec::new());
        let collector = || Collector { wanted: self.wanted, parts: &parts };
        let threads = self.options.threads();
        let mut workers: Vec<_> = (0..threads).map(|_| Worker::new(collector())).collect();
        let LoadOptions { progress, cancel, .. } = *self.options;
        let around = Around { progress, cancel, stop: &|| {} };
        let reader = workers::run(reader, self.path, &mut workers, &mut Sequence::new(), around)?;
        drop(workers);
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|(table, seq, _)| (*table, *seq));
        parts.into_iter().for_each(|(_, _, part)| assembly.add(part));
        let (batches, summaries) = reader.finish();
        for (table, batch) in batches {
            if self.wanted.iter().any(|(wanted, _)| *wanted == table) {
                assembly.add(part(table, &batch));
            }
        }
        Ok(summaries)
    }
}

fn of_tables(
    dir: &Path,
    documents: Vec<Stored>,
    kind: Kind,
    wanted: &[Wanted],
    options: &LoadOptions<'_>,
) -> Result<Profile> {
    let mut file_ids: Vec<i32> = documents.iter().map(|document| document.file_id).collect();
    file_ids.sort_unstable();
    let known = stored::documents(dir)?;
    let of = |document: &&stored::Document| file_ids.binary_search(&document.file_id).is_ok();
    let status = worst(known.iter().filter(of).map(|document| document.status));
    let name = documents.first().map(|document| document.name.clone()).unwrap_or_default();
    options.progress.begin(&name, 0);
    let tables = Tables { dir, file_ids, options };
    let mut assembly = Assembly::new(kind);
    for (table, columns) in wanted {
        tables.each(table, columns, |batch| part(table, &batch), |part| assembly.add(part))?;
    }
    Ok(Profile { name, documents: documents.len(), status, ..assembly.finish() })
}

/// What is to be said of several documents together.
fn worst(statuses: impl Iterator<Item = Status>) -> Status {
    let rank = |status: &Status| match status {
        Status::Complete => 0,
        Status::Repaired => 1,
        Status::Truncated => 2,
    };
    statuses.max_by_key(rank).unwrap_or(Status::Complete)
}
