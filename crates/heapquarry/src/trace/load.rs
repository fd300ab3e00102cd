//! Reads a trace for what its events mean: they are decoded as for a conversion, but no rows are made.

use super::conclude;
use crate::{
    Error, ErrorKind, LoadOptions, Result, Status,
    heap::joined,
    input::Opened,
    workers::{self, Around, NoRows, Sequence, Worker},
};
use heapquarry_formats::{
    Entry, Input, Log, Reader,
    trace::{Options, Trace},
};
use heapquarry_timeline::Timeline;

/// A trace that was read.
pub(crate) struct Loaded {
    pub(crate) timeline: Timeline,
    pub(crate) status: Status,
    /// The rows of `import_log`.
    pub(crate) log: Vec<Entry>,
}

/// Reads a trace into memory: about 100 bytes for each event, and its strings.
///
/// # Errors
/// If the input cannot be read, or nothing of it can be kept.
pub(crate) fn load(opened: &Opened, options: &LoadOptions<'_>) -> Result<Loaded> {
    let Opened { path, name, input, log: unpacking, .. } = opened;
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let collecting = Options { collect: true, ..Options::default() };
    let trace = Trace::new(input, 0, collecting).map_err(fail)?;
    options.progress.begin(name, input.size());
    let mut workers: Vec<_> = (0..options.threads()).map(|_| Worker::new(NoRows)).collect();
    let around = Around { progress: options.progress, cancel: options.cancel, stop: &|| {} };
    let mut trace = workers::run(trace, path, &mut workers, &mut Sequence::new(), around)?;
    drop(workers);
    let events = trace.take_events().expect("it was asked for");
    let (_, mut summaries) = trace.finish();
    let timeline = conclude(events, &mut summaries);
    let mut statuses = summaries.iter().map(|summary| summary.status);
    let read = statuses.find(|&status| status != Status::Complete);
    let mut all = Log::default();
    summaries.into_iter().for_each(|summary| all.merge(summary.log));
    let (unpacked, log) = joined(unpacking.clone(), all);
    let status = if unpacked { read.unwrap_or(Status::Complete) } else { Status::Truncated };
    Ok(Loaded { timeline, status, log })
}
