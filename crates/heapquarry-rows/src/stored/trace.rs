//! The events of a trace from its tables: rows of `trace_event` and `ftrace_event` become events again.

use super::{Columns, StoredTables};
use arrow_array::RecordBatch;
use heapquarry_formats::{
    Format, Kept, TraceParts,
    ftrace::{Row, System},
    trace::{self, EventRow},
};
use heapquarry_tables::{FTRACE_EVENT, TRACE_EVENT, ftrace_event, trace_event};
use heapquarry_timeline::{Events, SchedEvents};

/// The columns of `trace_event` that the analysis needs.
const EVENT: [&str; 17] = {
    use trace_event::NAMES;
    [
        NAMES.ph,
        NAMES.name,
        NAMES.category,
        NAMES.ts,
        NAMES.dur,
        NAMES.tts,
        NAMES.tdur,
        NAMES.pid,
        NAMES.pid_text,
        NAMES.tid,
        NAMES.tid_text,
        NAMES.id,
        NAMES.id_kind,
        NAMES.scope,
        NAMES.bind_id,
        NAMES.args,
        NAMES.extra,
    ]
};
/// The columns of `ftrace_event` that the analysis needs.
const FTRACE: [&str; 8] = {
    use ftrace_event::NAMES;
    [
        NAMES.event_index,
        NAMES.ts,
        NAMES.cpu,
        NAMES.comm,
        NAMES.tid,
        NAMES.tgid,
        NAMES.name,
        NAMES.args,
    ]
};

/// The events of the traces of these documents. A table that the format always writes must exist. `check` gets what is
/// kept so far.
///
/// # Errors
/// If tables are missing or cannot be read; the error of `check`.
pub fn parts<S: StoredTables>(
    tables: &S,
    format: Format,
    check: impl Fn(Kept) -> Result<(), S::Error> + Sync,
) -> Result<TraceParts, S::Error> {
    let is_there = |table| Ok(format.tables().contains(&table) || tables.has(table)?);
    let mut events = Events::default();
    if is_there(&TRACE_EVENT)? {
        let append = |piece: Events| {
            events.append(&piece);
            check(Kept::of(&events))
        };
        tables.try_each(&TRACE_EVENT, &EVENT, |batch| decoded(&batch), append)?;
    }
    let mut scheduled = SchedEvents::default();
    // Only traces in JSON that hold such text have this table.
    if is_there(&FTRACE_EVENT)? {
        let mut system = System::default();
        let (mut number, before) = (0, Kept::of(&events));
        let append = |(piece, events): (System, u64)| {
            system.append(piece);
            number += events;
            let bytes = before.bytes.saturating_add(2 * system.memory());
            check(Kept { events: before.events.saturating_add(number), bytes })
        };
        let counted = |batch: RecordBatch| (rows(&batch), batch.num_rows() as u64);
        tables.try_each(&FTRACE_EVENT, &FTRACE, counted, append)?;
        scheduled = system.join(&mut events);
    }
    Ok(TraceParts { events, scheduled })
}

/// Events from rows of `trace_event`.
fn decoded(batch: &RecordBatch) -> Events {
    use trace_event::NAMES;
    let columns = Columns(batch);
    let texts = |name| columns.texts(name);
    let ints = |name| columns.ints(name);
    let [ph, name, category] = [NAMES.ph, NAMES.name, NAMES.category].map(texts);
    let [pid_text, tid_text] = [NAMES.pid_text, NAMES.tid_text].map(texts);
    let [id, id_kind, scope] = [NAMES.id, NAMES.id_kind, NAMES.scope].map(texts);
    let [bind_id, args, extra] = [NAMES.bind_id, NAMES.args, NAMES.extra].map(texts);
    let [ts, dur, tts, tdur] = [NAMES.ts, NAMES.dur, NAMES.tts, NAMES.tdur].map(ints);
    let [pid, tid] = [NAMES.pid, NAMES.tid].map(ints);
    trace::events((0..batch.num_rows()).map(|row| EventRow {
        ph: ph.get(row),
        name: name.get(row),
        category: category.get(row),
        ts: ts(row),
        dur: dur(row),
        tts: tts(row),
        tdur: tdur(row),
        pid: pid(row),
        pid_text: pid_text.get(row),
        tid: tid(row),
        tid_text: tid_text.get(row),
        id: id.get(row),
        id_kind: id_kind.get(row),
        scope: scope.get(row),
        bind_id: bind_id.get(row),
        args: args.get(row),
        extra: extra.get(row),
    }))
}

/// Scheduler state from rows of `ftrace_event`.
fn rows(batch: &RecordBatch) -> System {
    use ftrace_event::NAMES;
    let columns = Columns(batch);
    let [comm, name, args] = [NAMES.comm, NAMES.name, NAMES.args].map(|name| columns.texts(name));
    let [index, ts] = [NAMES.event_index, NAMES.ts].map(|name| columns.ints(name));
    let [tid, tgid] = [NAMES.tid, NAMES.tgid].map(|name| columns.ints(name));
    let cpus = columns.int32s(NAMES.cpu);
    let mut system = System::default();
    system.add_rows((0..batch.num_rows()).map(|at| {
        let row = Row {
            comm: comm.get(at).unwrap_or_default(),
            tid: tid(at).unwrap_or_default(),
            tgid: tgid(at),
            cpu: cpus.value(at),
            flags: None,
            ts: ts(at).unwrap_or_default(),
            name: name.get(at),
            args: args.get(at).unwrap_or_default(),
        };
        (index(at).unwrap_or_default() as u64, row)
    }));
    system
}
