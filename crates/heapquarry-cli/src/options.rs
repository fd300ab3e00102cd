//! From arguments to the options of a run.

use crate::{
    args::{Reading, Resources, Unpack, Work},
    interrupt::catch_interrupts,
    redact,
};
use heapquarry::{Cancel, RunOptions};
use heapquarry_store::cache::Cache;
use std::{num::NonZero, sync::Arc};

/// That many threads, until an interrupt. Inputs are redacted if that was begun.
pub(crate) fn run_options(threads: Option<NonZero<usize>>, unpack: &Unpack) -> RunOptions {
    plain_options(threads, unpack, catch_interrupts()).redaction(redact::begun())
}

/// That many threads, until this is cancelled. Inputs are read as they are.
pub(crate) fn plain_options(
    threads: Option<NonZero<usize>>,
    unpack: &Unpack,
    cancel: Cancel,
) -> RunOptions {
    let options = RunOptions::default().threads(threads.map_or(0, NonZero::get));
    with_unpacking(options.cancel(cancel), unpack)
}

/// How inputs are read, until an interrupt.
pub(crate) fn reading_options(reading: &Reading) -> heapquarry::Result<RunOptions> {
    let Resources { threads, unpack } = &reading.resources;
    run_options(*threads, unpack).source_maps_at(&reading.names.source_map)
}

/// The options of a run, without its progress.
pub(crate) fn work_options(work: &Work) -> heapquarry::Result<RunOptions> {
    let options = reading_options(&work.reading)?.memory(work.memory);
    Ok(if work.no_cache { options } else { with_indices(options) })
}

/// With the indices that are kept. Without a folder there is nothing to look for.
pub(crate) fn with_indices(options: RunOptions) -> RunOptions {
    let cache = Cache::of_user().ok();
    options.index(cache.map(|cache| Arc::new(cache) as _))
}

/// With what of the machine may be used.
pub(crate) fn with_resources(options: RunOptions, resources: &Resources) -> RunOptions {
    let threads = resources.threads.map_or(0, NonZero::get);
    with_unpacking(options.threads(threads), &resources.unpack)
}

/// With the limit on what unpacked inputs take.
pub(crate) fn with_unpacking(options: RunOptions, unpack: &Unpack) -> RunOptions {
    options.max_spool(unpack.max_spool)
}
