//! A heap out of a snapshot: its sections are decoded as for a conversion, but no rows are made.

use super::{LoadOptions, LoadedHeap};
use crate::{
    Error, ErrorKind, Result, Status,
    input::Opened,
    workers::{self, Around, NoRows, Sequence, Worker},
};
use heapquarry_formats::{
    Input,
    heap::{self, Names, Snapshot},
};

pub(super) fn load(opened: Opened, options: &LoadOptions<'_>) -> Result<LoadedHeap> {
    let Opened { path, name, input, log, .. } = opened;
    let heap = heap::Options { names: Names::Id, collect: true, ..heap::Options::default() };
    let fail = |source| Error::new(ErrorKind::Format { path: path.clone(), source });
    let snapshot = Snapshot::new(&input, 0, &name, heap).map_err(fail)?;
    options.progress.begin(&name, input.size());
    let threads = options.threads();
    let mut workers: Vec<_> = (0..threads).map(|_| Worker::new(NoRows)).collect();
    let around = Around { progress: options.progress, cancel: options.cancel, stop: &|| {} };
    let snapshot = workers::run(snapshot, &path, &mut workers, &mut Sequence::new(), around)?;
    drop(workers);
    let (_, summary) = snapshot.finish();
    let (whole, log) = super::joined(log, summary.log);
    let parts = summary.heap.expect("it was asked for");
    Ok(LoadedHeap {
        heap: super::assemble(&path, parts, threads)?,
        path,
        name,
        format: if summary.timeline { "heaptimeline" } else { "heapsnapshot" }.into(),
        producer: summary.producer.map(Into::into),
        status: if whole { summary.status } else { Status::Truncated },
        log,
    })
}
