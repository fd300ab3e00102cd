//! Reads a trace for what its events mean: they are decoded as for a conversion, but no rows are made.

use super::{
    conclude,
    read::{Read, Run, read},
};
use crate::{
    LoadOptions, Result, Status,
    heap::joined,
    input::Opened,
    workers::{self, Around, NoRows, Sequence, Worker},
};
use heapquarry_formats::{Entry, Format, Input, Reader, trace::Options};
use heapquarry_tables::Table;
use heapquarry_timeline::Timeline;

/// A trace that was read.
pub(crate) struct Loaded {
    pub(crate) timeline: Timeline,
    pub(crate) status: Status,
    /// The rows of `import_log`.
    pub(crate) log: Vec<Entry>,
}

struct Loading<'a> {
    opened: &'a Opened,
    options: &'a LoadOptions<'a>,
}

impl Run for Loading<'_> {
    type Error = crate::Error;

    fn run<R: Reader>(&mut self, reader: R) -> Result<R> {
        let Loading { opened, options } = self;
        options.progress.begin(&opened.name, opened.input.size());
        let mut workers: Vec<_> = (0..options.threads()).map(|_| Worker::new(NoRows)).collect();
        let around = Around { progress: options.progress, cancel: options.cancel, stop: &|| {} };
        workers::run(reader, &opened.path, &mut workers, &mut Sequence::new(), around)
    }

    fn expect(&mut self, _: &[&'static Table]) -> Result<()> {
        Ok(())
    }
}

/// Reads a trace into memory: about 40 bytes for each event, and its strings.
///
/// # Errors
/// If the input cannot be read, or nothing of it can be kept.
pub(crate) fn load(opened: &Opened, format: Format, options: &LoadOptions<'_>) -> Result<Loaded> {
    let collecting = Options { collect: true, ..Options::default() };
    let mut loading = Loading { opened, options };
    let Read { mut summary, collected, .. } = read(opened, format, 0, collecting, &mut loading)?;
    let timeline = conclude(collected.expect("it was asked for"), &mut summary.log);
    let (unpacked, log) = joined(opened.log.clone(), summary.log);
    let status = if unpacked { summary.status } else { Status::Truncated };
    Ok(Loaded { timeline, status, log })
}
