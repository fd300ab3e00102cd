//! Loads a trace from its tables: rows of `trace_event` and `ftrace_event` become events again.

use super::tables::{Tables, Texts};
use crate::Result;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, cast::AsArray};
use heapquarry_formats::{
    Format, TraceParts,
    ftrace::{Row, System},
    trace::{self, EventRow},
};
use heapquarry_sink::TableReader;
use heapquarry_tables::{FTRACE_EVENT, TRACE_EVENT};
use heapquarry_timeline::{Events, SchedEvents};

/// The columns of `trace_event` that the analysis needs.
const EVENT: [&str; 17] = [
    "ph", "name", "category", "ts", "dur", "tts", "tdur", "pid", "pid_text", "tid", "tid_text",
    "id", "id_kind", "scope", "bind_id", "args", "extra",
];
/// The columns of `ftrace_event` that the analysis needs.
const FTRACE: [&str; 8] = ["event_index", "ts", "cpu", "comm", "tid", "tgid", "name", "args"];

/// The events of the traces of these documents. A table that the format always writes must exist.
pub(super) fn parts(tables: &Tables<'_>, format: Format) -> Result<TraceParts> {
    let is_there = |table| -> Result<bool> {
        Ok(format.tables().contains(&table) || TableReader::open(tables.dir, table)?.is_some())
    };
    let mut events = Events::default();
    if is_there(&TRACE_EVENT)? {
        let append = |piece: Events| events.append(&piece);
        tables.each(&TRACE_EVENT, &EVENT, |batch| decoded(&batch), append)?;
    }
    let mut scheduled = SchedEvents::default();
    // Only traces in JSON that hold such text have this table.
    if is_there(&FTRACE_EVENT)? {
        let mut system = System::default();
        tables.each(&FTRACE_EVENT, &FTRACE, |batch| rows(&batch), |piece| system.append(piece))?;
        scheduled = system.join(&mut events);
    }
    Ok(TraceParts { events, scheduled })
}

/// The columns of a batch by name.
#[derive(Clone, Copy)]
struct Columns<'b>(&'b RecordBatch);

impl<'b> Columns<'b> {
    fn of(self, name: &str) -> &'b ArrayRef {
        self.0.column_by_name(name).expect("it was asked for")
    }

    fn texts(self, name: &str) -> Texts<'b> {
        Texts::new(self.of(name))
    }

    fn ints(self, name: &str) -> impl Fn(usize) -> Option<i64> + 'b {
        let column: &Int64Array = self.of(name).as_primitive();
        move |row| column.is_valid(row).then(|| column.value(row))
    }
}

/// Events from rows of `trace_event`.
fn decoded(batch: &RecordBatch) -> Events {
    let columns = Columns(batch);
    let [ph, name, category, pid_text, tid_text] =
        ["ph", "name", "category", "pid_text", "tid_text"].map(|name| columns.texts(name));
    let [id, id_kind, scope, bind_id] =
        ["id", "id_kind", "scope", "bind_id"].map(|name| columns.texts(name));
    let [args, extra] = ["args", "extra"].map(|name| columns.texts(name));
    let [ts, dur, tts, tdur] = ["ts", "dur", "tts", "tdur"].map(|name| columns.ints(name));
    let [pid, tid] = ["pid", "tid"].map(|name| columns.ints(name));
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
    let columns = Columns(batch);
    let [comm, name, args] = ["comm", "name", "args"].map(|name| columns.texts(name));
    let [index, ts, tid, tgid] =
        ["event_index", "ts", "tid", "tgid"].map(|name| columns.ints(name));
    let cpus: &Int32Array = columns.of("cpu").as_primitive();
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
