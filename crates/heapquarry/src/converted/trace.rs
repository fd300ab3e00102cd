//! Reads a trace back out of tables: each row of `trace_event` is written as the event that it was, without what does not
//! matter, and goes the way of all events.

use super::tables::{Tables, text};
use crate::Result;
use arrow_array::{Array, RecordBatch, cast::AsArray, types::Int64Type};
use heapquarry_formats::{
    Format, TraceParts,
    ftrace::{Row, System},
    trace,
};
use heapquarry_sink::TableReader;
use heapquarry_tables::{FTRACE_EVENT, TRACE_EVENT};
use heapquarry_timeline::{Events, SchedEvents};
use std::fmt::Write;

/// Columns of `trace_event` that are texts in an event, with their names there.
const TEXTS: [(&str, &str); 5] = [
    ("ph", "ph"),
    ("name", "name"),
    ("category", "cat"),
    ("scope", "scope"),
    ("bind_id", "bind_id"),
];
/// The same for times.
const TIMES: [(&str, &str); 4] = [("ts", "ts"), ("dur", "dur"), ("tts", "tts"), ("tdur", "tdur")];
/// The same for numbers, which may be texts.
const NUMBERS: [(&str, &str, &str); 2] = [("pid", "pid_text", "pid"), ("tid", "tid_text", "tid")];
/// The others.
const OTHERS: [&str; 4] = ["id", "id_kind", "args", "extra"];

/// The events of the traces of these documents. What a document of the format always has must be there.
pub(super) fn parts(tables: &Tables<'_>, format: Format) -> Result<TraceParts> {
    let is_there = |table| -> Result<bool> {
        Ok(format.tables().contains(&table) || TableReader::open(tables.dir, table)?.is_some())
    };
    let mut events = Events::default();
    if is_there(&TRACE_EVENT)? {
        let columns: Vec<&str> = (TEXTS.iter().chain(&TIMES).map(|(column, _)| *column))
            .chain(NUMBERS.iter().flat_map(|(number, text, _)| [*number, *text]))
            .chain(OTHERS)
            .collect();
        let append = |piece: Events| events.append(&piece);
        tables.each(&TRACE_EVENT, &columns, |batch| decoded(&batch), append)?;
    }
    let mut scheduled = SchedEvents::default();
    // Traces in JSON have it if they hold such text.
    if is_there(&FTRACE_EVENT)? {
        let columns = ["event_index", "ts", "cpu", "comm", "tid", "tgid", "name", "args"];
        let mut system = System::default();
        tables.each(&FTRACE_EVENT, &columns, |batch| rows(&batch), |piece| system.append(piece))?;
        scheduled = system.join(&mut events);
    }
    Ok(TraceParts { events, scheduled })
}

/// The columns of a batch by their names.
struct Columns<'b>(&'b RecordBatch);

impl Columns<'_> {
    fn index(&self, name: &str) -> usize {
        self.0.schema_ref().index_of(name).expect("it was asked for")
    }

    fn text(&self, name: &str, row: usize) -> Option<String> {
        text(self.0, self.index(name), row)
    }

    fn int(&self, name: &str, row: usize) -> Option<i64> {
        let column = self.0.column(self.index(name));
        column.is_valid(row).then(|| column.as_primitive::<Int64Type>().value(row))
    }
}

/// Events of rows of `trace_event`.
fn decoded(batch: &RecordBatch) -> Events {
    let columns = Columns(batch);
    let mut text = String::new();
    let mut ends = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        write_event(&columns, row, &mut text);
        ends.push(text.len());
    }
    let starts = std::iter::once(0).chain(ends.iter().copied());
    trace::events(starts.zip(&ends).map(|(start, &end)| &text.as_bytes()[start..end]))
}

fn write_event(columns: &Columns<'_>, row: usize, out: &mut String) {
    let string = |text: String| serde_json::Value::from(text);
    // What is there twice counts as the column has it.
    match columns.text("extra", row).as_deref().and_then(|extra| extra.strip_suffix('}')) {
        Some(extra) => out.push_str(extra),
        None => out.push('{'),
    }
    let mut member = |name: &str, value: &dyn std::fmt::Display| {
        let comma = if out.ends_with('{') { "" } else { "," };
        let _ = write!(out, "{comma}\"{name}\":{value}");
    };
    for (column, name) in TEXTS {
        if let Some(text) = columns.text(column, row) {
            member(name, &string(text));
        }
    }
    for (column, name) in TIMES {
        if let Some(nanos) = columns.int(column, row) {
            let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
            member(name, &format_args!("{sign}{}.{:03}", nanos / 1000, nanos % 1000));
        }
    }
    for (number, text, name) in NUMBERS {
        if let Some(number) = columns.int(number, row) {
            member(name, &number);
        } else if let Some(text) = columns.text(text, row) {
            member(name, &string(text));
        }
    }
    if let Some(id) = columns.text("id", row) {
        match columns.text("id_kind", row).as_deref() {
            Some(kind @ ("local" | "global")) => {
                member("id2", &serde_json::json!({ kind: id }));
            }
            _ => member("id", &string(id)),
        }
    }
    if let Some(args) = columns.text("args", row) {
        member("args", &args);
    }
    out.push('}');
}

/// What rows of `ftrace_event` tell.
fn rows(batch: &RecordBatch) -> System {
    let columns = Columns(batch);
    let cpus = batch.column(columns.index("cpu")).as_primitive::<arrow_array::types::Int32Type>();
    let mut system = System::default();
    let rows: Vec<_> = (0..batch.num_rows())
        .map(|row| {
            let text = |name| columns.text(name, row);
            let args = text("args").unwrap_or_default();
            (row, text("comm").unwrap_or_default(), text("name"), args)
        })
        .collect();
    system.add_rows(rows.iter().map(|(at, comm, name, args)| {
        let int = |name| columns.int(name, *at);
        let row = Row {
            comm,
            tid: int("tid").unwrap_or_default(),
            tgid: int("tgid"),
            cpu: cpus.value(*at),
            flags: None,
            ts: int("ts").unwrap_or_default(),
            name: name.as_deref(),
            args,
        };
        (int("event_index").unwrap_or_default() as u64, row)
    }));
    system
}
