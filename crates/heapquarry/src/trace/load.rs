//! Reads a trace for what its events mean: they are decoded as for a conversion, but no rows are made.

use super::{
    conclude,
    read::{Read, Run, read},
};
use crate::{
    LoadOptions, Result, Status,
    heap::joined,
    input::Opened,
    profile::{Gathering, Kind, Profile, worst},
    workers::{self, Around, Sequence, Worker},
};
use heapquarry_formats::{Entry, Format, Input, Log, Reader, trace::Options};
use heapquarry_tables::Table;
use heapquarry_timeline::Timeline;

/// A trace that was read.
pub(crate) struct Loaded {
    pub(crate) timeline: Timeline,
    /// All CPU profiles in it, as one; nothing if there are none.
    pub(crate) profile: Option<Profile>,
    pub(crate) status: Status,
    /// The rows of `import_log`.
    pub(crate) log: Vec<Entry>,
}

struct Loading<'a> {
    opened: &'a Opened,
    gathering: &'a Gathering,
    options: &'a LoadOptions<'a>,
}

impl Run for Loading<'_> {
    type Error = crate::Error;

    fn run<R: Reader>(&mut self, reader: R) -> Result<R> {
        let Loading { opened, gathering, options } = self;
        options.progress.begin(&opened.name, opened.input.size());
        let mut workers: Vec<_> =
            (0..options.threads()).map(|_| Worker::new(&**gathering)).collect();
        let around = Around { progress: options.progress, cancel: options.cancel, stop: &|| {} };
        workers::run(reader, &opened.path, &mut workers, &mut Sequence::new(), around)
    }

    fn expect(&mut self, _: &[&'static Table]) -> Result<()> {
        Ok(())
    }
}

/// Reads a trace into memory: about 30 bytes for each event, and its strings and ids.
///
/// # Errors
/// If the input cannot be read, or nothing of it can be kept.
pub(crate) fn load(opened: &Opened, format: Format, options: &LoadOptions<'_>) -> Result<Loaded> {
    let gathering = Gathering::new(Kind::Cpu, None, false);
    let kept = Options { collect: true, profiles: true, ..Options::default() };
    let (profile, read) = read_with(opened, format, gathering, kept, options)?;
    let Read { mut summary, collected, profiles, .. } = read;
    let timeline = conclude(collected.expect("it was asked for"), &mut summary.log);
    let (unpacked, log) = joined(opened.log.clone(), summary.log);
    let status = if unpacked { summary.status } else { Status::Truncated };
    let profile = (!profiles.is_empty()).then_some(profile);
    Ok(Loaded { timeline, profile, status, log })
}

/// Reads a trace for the CPU profiles in it: those that are to be gathered, as one, and the names of all.
///
/// # Errors
/// If the input cannot be read, or nothing of it can be kept.
pub(crate) fn load_profiles(
    opened: &Opened,
    gathering: Gathering,
    options: &LoadOptions<'_>,
) -> Result<(Profile, Vec<String>)> {
    let kept = Options { profiles: true, ..Options::default() };
    let (profile, read) = read_with(opened, Format::Trace, gathering, kept, options)?;
    let names = read.profiles.iter().map(|profile| profile.name.clone().unwrap_or_default());
    let names: Vec<String> = names.collect();
    let mut log = Log::default();
    let mut statuses = Vec::new();
    for summary in std::iter::once(read.summary).chain(read.profiles) {
        statuses.push(summary.status);
        log.merge(summary.log);
    }
    let (unpacked, log) = joined(opened.log.clone(), log);
    let status = if unpacked { worst(statuses.into_iter()) } else { Status::Truncated };
    Ok((Profile { name: opened.name.clone(), status, log, ..profile }, names))
}

/// Reads a trace, and gathers what it has of profiles.
fn read_with(
    opened: &Opened,
    format: Format,
    gathering: Gathering,
    kept: Options,
    options: &LoadOptions<'_>,
) -> Result<(Profile, Read)> {
    let mut loading = Loading { opened, gathering: &gathering, options };
    let mut found = read(opened, format, 0, kept, &mut loading)?;
    let profile = gathering.finish(std::mem::take(&mut found.batches));
    Ok((Profile { documents: found.profiles.len(), ..profile }, found))
}
