//! The rows of an input as Arrow record batches, without files.

use crate::{
    Error, ErrorKind, Names, Result, Status,
    input::{self, Contents, Opened, Spooling},
    sniff, times,
    trace::{self, Read, Run, TraceRows, conclude},
};
use arrow_array::RecordBatch;
use heapquarry_formats::{
    Entry, Format, Reader, Severity, Summary,
    cpu_profile::{self, CpuProfile},
    heap::{self, Snapshot},
    heap_profile::{self, HeapProfile},
    read_all, read_tasks,
    self_profile::{self, SelfProfiles},
    trace::Options as TraceOptions,
};
use heapquarry_tables::Table;
use std::path::Path;

/// How [`batches`] reads.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions {
    /// Names as text, or as numbers of the string table.
    pub names: Names,
    /// Rows of a batch, at most.
    pub batch_rows: usize,
}

impl Default for BatchOptions {
    fn default() -> Self {
        let heap = heap::Options::default();
        BatchOptions { names: heap.names, batch_rows: heap.row_group_rows }
    }
}

/// Reads an input with one thread and hands each batch to `emit`, with its table. Batches come in compact form;
/// [`Table::expand`] makes the plain one. Documents are numbered from 0, by `file_id`, containers that they came in behind
/// them. What is to be said of each of them is returned.
///
/// # Errors
/// As [`crate::convert`], and whatever `emit` returns.
pub fn batches<E: From<Error>>(
    path: impl AsRef<Path>,
    options: BatchOptions,
    mut emit: impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Vec<(Status, Vec<Entry>)>, E> {
    let Contents { documents, containers } = input::open(path.as_ref(), &Spooling::to_temp(None))?;
    let (mut told, mut ids) = (Vec::new(), Vec::new());
    let number = |told: &Vec<_>| i32::try_from(told.len()).expect("fewer than 2^31 documents");
    for opened in &documents {
        let file_id = number(&told);
        ids.push(file_id);
        let mut emit = |table, batch| emit(table, times::put(table, batch, &opened.times));
        told.extend(read(opened, file_id, options, &mut emit)?);
    }
    for container in containers {
        let rows = container.rows.iter();
        let mut batches = rows.flat_map(|rows| rows.batches(number(&told), &ids));
        batches.try_for_each(|(table, batch)| emit(table, batch))?;
        let whole = container.log.count(Severity::DataLoss) == 0;
        let status = if whole { Status::Complete } else { Status::Repaired };
        told.push((status, container.log.into_entries()));
    }
    Ok(told)
}

/// Reads one document.
fn read<E: From<Error>>(
    opened: &Opened,
    file_id: i32,
    options: BatchOptions,
    emit: &mut impl FnMut(&'static Table, RecordBatch) -> Result<(), E>,
) -> Result<Vec<(Status, Vec<Entry>)>, E> {
    let found = sniff::sniff(opened)?;
    let Opened { path, name, input, log, .. } = opened;
    let (row_group_rows, window) =
        (options.batch_rows.clamp(1, 1 << 24), cpu_profile::Options::default().window);
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let tell = |mut summary: Summary| {
        summary.log.merge(log.clone());
        (summary.status, summary.log.into_entries())
    };
    if matches!(found.format, Format::Trace | Format::Ftrace) {
        let options =
            TraceOptions { row_group_rows, window, collect: true, profiles: true, memory: true };
        let mut reading = Reading { path, emit };
        let read = trace::read(opened, found.format, file_id, options, &mut reading)?;
        let Read { batches, mut summary, profiles, collected } = read;
        let timeline = conclude(collected.expect("it was asked for"), &mut summary.log);
        let rows = TraceRows::new(file_id, &timeline, row_group_rows);
        for group in rows.groups() {
            emit(group.table, rows.batch(&group))?;
        }
        batches.into_iter().try_for_each(|(table, batch)| emit(table, batch))?;
        return Ok(std::iter::once(summary).chain(profiles).map(tell).collect());
    }
    let emit = |table, batch| emit(table, batch).map_err(Failure::Refused);
    let read = match found.format {
        Format::Heap => {
            let heap =
                heap::Options { names: options.names, row_group_rows, ..heap::Options::default() };
            read_all(Snapshot::new(input, file_id, name, heap).map_err(fail)?, emit)
        }
        Format::CpuProfile => {
            let options = cpu_profile::Options { row_group_rows, window };
            let profile = CpuProfile::new(input, found.offset, file_id, name, options);
            read_all(profile.map_err(fail)?, emit)
        }
        Format::HeapProfile => {
            let options = heap_profile::Options { row_group_rows, window };
            let profile = HeapProfile::new(input, found.offset, file_id, name, options);
            read_all(profile.map_err(fail)?, emit)
        }
        Format::SelfProfile => {
            let options = self_profile::Options { row_group_rows, window };
            let profiles = SelfProfiles::new(input, file_id, name, options);
            read_all(profiles.map_err(fail)?, emit)
        }
        _ => unreachable!("all formats that are recognised are read"),
    };
    let summaries = read.map_err(|failure| failure.of(path))?;
    Ok(summaries.into_iter().map(tell).collect())
}

/// Why reading ended early.
enum Failure<E> {
    /// The caller would not take a batch.
    Refused(E),
    Format(heapquarry_formats::Error),
}

impl<E: From<Error>> Failure<E> {
    fn of(self, path: &Path) -> E {
        match self {
            Failure::Refused(error) => error,
            Failure::Format(source) => {
                Error::new(ErrorKind::Format { path: path.into(), source }).into()
            }
        }
    }
}

/// Runs the readers of a trace.
struct Reading<'a, F> {
    path: &'a Path,
    emit: &'a mut F,
}

impl<E, F> Run for Reading<'_, F>
where
    E: From<Error>,
    F: FnMut(&'static Table, RecordBatch) -> Result<(), E>,
{
    type Error = E;

    fn run<R: Reader>(&mut self, mut reader: R) -> Result<R, E> {
        let emit = |table, batch| (self.emit)(table, batch).map_err(Failure::Refused);
        read_tasks(&mut reader, emit).map_err(|failure| failure.of(self.path))?;
        Ok(reader)
    }

    fn expect(&mut self, _: &[&'static Table]) -> Result<(), E> {
        Ok(())
    }
}

impl<E> From<heapquarry_formats::Error> for Failure<E> {
    fn from(error: heapquarry_formats::Error) -> Self {
        Failure::Format(error)
    }
}
