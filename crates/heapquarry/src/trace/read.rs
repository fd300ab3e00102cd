//! Reads a trace of any form: its events, and the ftrace text that it is or holds.

use crate::{Error, ErrorKind, input::Opened, profile::worst};
use arrow_array::RecordBatch;
use heapquarry_formats::{
    Format, Reader, Summary,
    ftrace::{Ftrace, Within},
    trace::{Options, Trace},
};
use heapquarry_tables::{FTRACE_TABLES, Table};
use heapquarry_timeline::{Events, SchedEvents, clock_syncs};

/// Whoever runs readers: what becomes of their rows is his affair.
pub(crate) trait Run {
    type Error: From<Error>;

    /// Runs a reader to its end.
    fn run<R: Reader>(&mut self, reader: R) -> Result<R, Self::Error>;

    /// Hears that rows of these tables are to come.
    fn expect(&mut self, tables: &[&'static Table]) -> Result<(), Self::Error>;
}

/// A trace that was read.
pub(crate) struct Read {
    /// Rows of small tables.
    pub(crate) batches: Vec<(&'static Table, RecordBatch)>,
    pub(crate) summary: Summary,
    /// What is to be said of the CPU profiles in it.
    pub(crate) profiles: Vec<Summary>,
    /// What is to be concluded from, if it was asked for.
    pub(crate) collected: Option<Collected>,
}

/// The events of a trace, and what its scheduler did.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) events: Events,
    pub(crate) scheduled: SchedEvents,
}

/// Reads a trace.
pub(crate) fn read<U: Run>(
    opened: &Opened,
    format: Format,
    file_id: i32,
    options: Options,
    run: &mut U,
) -> Result<Read, U::Error> {
    let fail = |source| Error::new(ErrorKind::Format { path: opened.path.clone(), source });
    if format == Format::Ftrace {
        let ftrace = Ftrace::new(&opened.input, file_id, options).map_err(fail)?;
        return read_ftrace(ftrace, Events::default(), run);
    }
    let trace = Trace::new(&opened.input, file_id, options).map_err(fail)?;
    let mut trace = run.run(trace)?;
    let (events, system) = (trace.take_events(), trace.system());
    let (mut batches, mut profiles) = trace.finish();
    let mut summary = profiles.remove(0);
    let Some(text) = system else {
        let collected = events.map(|events| Collected { events, ..Collected::default() });
        return Ok(Read { batches, summary, profiles, collected });
    };
    run.expect(&FTRACE_TABLES)?;
    let events = events.unwrap_or_default();
    let text = Within { syncs: syncs(&events), ..text };
    let ftrace = Ftrace::within(&opened.input, file_id, &text, options).map_err(fail)?;
    let read = read_ftrace(ftrace, events, run)?;
    batches.extend(read.batches);
    summary.counts.extend(read.summary.counts);
    summary.log.merge(read.summary.log);
    summary.status = worst([summary.status, read.summary.status].into_iter());
    Ok(Read { batches, summary, profiles, collected: read.collected })
}

/// Reads ftrace text, which belongs to a trace with these events.
fn read_ftrace<U: Run>(
    ftrace: Ftrace<'_>,
    mut events: Events,
    run: &mut U,
) -> Result<Read, U::Error> {
    let mut ftrace = run.run(ftrace)?;
    let collected = ftrace.take_system().map(|system| {
        let scheduled = system.join(&mut events);
        Collected { events, scheduled }
    });
    let (batches, mut summaries) = ftrace.finish();
    Ok(Read { batches, summary: summaries.remove(0), profiles: Vec::new(), collected })
}

/// What the trace's clock showed at points that it has in common with others.
fn syncs(events: &Events) -> Vec<(String, i64)> {
    let named = |key| events.strings().get(key).map(String::from);
    let issued = clock_syncs(events).into_iter();
    issued.filter_map(|sync| Some((named(sync.sync_id)?, sync.issue_ts?))).collect()
}
