//! Traces in the Trace Event Format, for Perfetto's UI and chrome://tracing.

use arrow_array::{
    Array, DictionaryArray, Int64Array, RecordBatch, StringArray,
    cast::AsArray,
    types::{Int32Type, Int64Type},
};
use heapquarry::{
    BatchOptions, Error, ErrorKind, Part, Result, RunOptions, Source, engine::Locate, reader,
};
use heapquarry_query::trace::EventSet;
use heapquarry_report::printable;
use heapquarry_tables::TRACE_EVENT;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Writes the events of a trace that are asked for, one a line. The trace is read twice: first to know which these are.
///
/// # Errors
/// If the source cannot be read twice or is no such trace, or `out` cannot be written.
pub(super) fn export(source: &Source, out: &mut dyn Write, options: &RunOptions) -> Result<()> {
    if !source.is_repeatable() && source.converted()?.is_none() {
        let what = "second reading of a stream: save it to a file first".into();
        return Err(Error::new(ErrorKind::NotFound { path: source.path.clone(), what }));
    }
    let selected = EventSet::selected(source, options)?;
    let failed = |error| {
        let (path, doing) = (source.path.clone(), "export");
        Error::new(ErrorKind::Input { path, doing, source: error })
    };
    let whole = source.clone().part(Part::default());
    let batches = BatchOptions::default().run(options.clone());
    out.write_all(b"{\"traceEvents\":[").map_err(failed)?;
    let mut is_first = true;
    for batch in reader(&[whole], TRACE_EVENT.name, &batches)? {
        let batch = batch.map_err(|error| failed(io::Error::other(error)))?;
        let columns = Columns::new(&batch);
        for row in (0..batch.num_rows()).filter(|&row| selected.has(columns.index.value(row))) {
            let separator: &[u8] = if is_first { b"\n" } else { b",\n" };
            is_first = false;
            out.write_all(separator).and_then(|()| columns.write(row, out)).map_err(failed)?;
        }
    }
    out.write_all(b"\n]}\n").and_then(|()| out.flush()).map_err(failed)
}

/// A column of labels.
type Labels<'a> = &'a DictionaryArray<Int32Type>;

/// The columns of some events.
struct Columns<'a> {
    index: &'a Int64Array,
    phase: Labels<'a>,
    /// Members that are text.
    texts: [(&'static str, &'a StringArray); 4],
    /// Members that are times, in nanoseconds.
    times: [(&'static str, &'a Int64Array); 4],
    /// Numbers, or else text.
    ids: [(&'static str, &'a Int64Array, &'a StringArray); 2],
    id: &'a StringArray,
    id_kind: Labels<'a>,
    args: &'a StringArray,
    extra: &'a StringArray,
}

impl<'a> Columns<'a> {
    fn new(batch: &'a RecordBatch) -> Self {
        let text = |name: &str| batch[name].as_string::<i32>();
        let number = |name: &str| batch[name].as_primitive::<Int64Type>();
        let labels = |name: &str| batch[name].as_dictionary::<Int32Type>();
        Columns {
            index: number("event_index"),
            phase: labels("ph"),
            texts: [
                ("name", "name"),
                ("cat", "category"),
                ("scope", "scope"),
                ("bind_id", "bind_id"),
            ]
            .map(|(member, column)| (member, text(column))),
            times: ["ts", "dur", "tts", "tdur"].map(|name| (name, number(name))),
            ids: [("pid", "pid_text"), ("tid", "tid_text")]
                .map(|(name, as_text)| (name, number(name), text(as_text))),
            id: text("id"),
            id_kind: labels("id_kind"),
            args: text("args"),
            extra: text("extra"),
        }
    }

    /// Writes an event.
    fn write(&self, row: usize, out: &mut dyn Write) -> io::Result<()> {
        // What no column holds exactly is there as it was.
        let extra: Map<String, Value> = get(self.extra, row)
            .and_then(|extra| serde_json::from_str(extra).ok())
            .unwrap_or_default();
        let mut event = Event { out, extra: &extra, is_first: true };
        if let Some(phase) = label(self.phase, row) {
            event.text("ph", phase)?;
        }
        for (member, column) in self.texts {
            if let Some(text) = get(column, row) {
                event.text(member, text)?;
            }
        }
        for (member, column) in self.times.iter().filter(|(_, column)| column.is_valid(row)) {
            let nanos = column.value(row);
            let sign = if nanos < 0 { "-" } else { "" };
            let nanos = nanos.unsigned_abs();
            event.raw(member, &format!("{sign}{}.{:03}", nanos / 1000, nanos % 1000))?;
        }
        for (member, number, as_text) in self.ids {
            match get(as_text, row) {
                Some(text) => event.text(member, text)?,
                None if number.is_valid(row) => {
                    event.raw(member, &number.value(row).to_string())?;
                }
                None => {}
            }
        }
        match (label(self.id_kind, row), get(self.id, row)) {
            (Some("id_number"), Some(id)) => event.raw("id", id)?,
            (Some("id"), Some(id)) => event.text("id", id)?,
            (Some(kind), Some(id)) => {
                event.raw("id2", &json!({ kind: id }).to_string())?;
            }
            _ => {}
        }
        if let Some(args) = get(self.args, row) {
            event.raw("args", args)?;
        }
        event.end()
    }
}

fn get(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}

fn label(column: Labels<'_>, row: usize) -> Option<&str> {
    Some(column.values().as_string::<i32>().value(column.key(row)?))
}

/// An event that is written.
struct Event<'a> {
    out: &'a mut dyn Write,
    extra: &'a Map<String, Value>,
    is_first: bool,
}

impl Event<'_> {
    /// Writes a member that is text.
    fn text(&mut self, member: &str, text: &str) -> io::Result<()> {
        if self.begin(member)? { printable::json(&text, false, self.out) } else { Ok(()) }
    }

    /// Writes a member whose value is JSON.
    fn raw(&mut self, member: &str, value: &str) -> io::Result<()> {
        if self.begin(member)? {
            self.out.write_all(printable::json_text(value).as_bytes())
        } else {
            Ok(())
        }
    }

    /// Writes the name of a member, one of ours. `false` if its value is one of `extra`.
    fn begin(&mut self, member: &str) -> io::Result<bool> {
        if self.extra.contains_key(member) {
            return Ok(false);
        }
        self.separate()?;
        write!(self.out, "\"{member}\":")?;
        Ok(true)
    }

    fn separate(&mut self) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.is_first) { b"{" } else { b"," };
        self.out.write_all(separator)
    }

    fn end(mut self) -> io::Result<()> {
        let extra = self.extra;
        for (member, value) in extra {
            self.separate()?;
            printable::json(&member, false, self.out)?;
            self.out.write_all(b":")?;
            printable::json(value, false, self.out)?;
        }
        self.out.write_all(if self.is_first { b"{}" } else { b"}" })
    }
}
