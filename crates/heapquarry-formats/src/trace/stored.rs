//! Turns rows of `trace_event` back into events, for the analysis of a converted trace.

use super::{
    collect::{Collector, Columns},
    columns::Dictionary,
    fields::{Field, Values},
    members::Members,
};
use heapquarry_timeline::{Events, IdKind, Phase};

/// A row of `trace_event`: the columns of that name, as far as the analysis needs them.
#[allow(missing_docs, reason = "as the columns of the table")]
#[derive(Clone, Copy, Debug, Default)]
pub struct EventRow<'r> {
    pub ph: Option<&'r str>,
    pub name: Option<&'r str>,
    pub category: Option<&'r str>,
    pub ts: Option<i64>,
    pub dur: Option<i64>,
    pub tts: Option<i64>,
    pub tdur: Option<i64>,
    pub pid: Option<i64>,
    pub pid_text: Option<&'r str>,
    pub tid: Option<i64>,
    pub tid_text: Option<&'r str>,
    pub id: Option<&'r str>,
    pub id_kind: Option<&'r str>,
    pub scope: Option<&'r str>,
    pub bind_id: Option<&'r str>,
    pub args: Option<&'r str>,
    pub extra: Option<&'r str>,
}

/// The events of stored rows, as they were gathered when the trace was read.
pub fn events<'r>(rows: impl Iterator<Item = EventRow<'r>>) -> Events {
    let mut collector = Collector::default();
    let mut texts = Dictionary::default();
    for row in rows {
        let mut values = Values::new();
        for member in Members::new(row.extra.unwrap_or("{").as_bytes()) {
            if let Some(field) = Field::by_key(member.key) {
                values.replace(field, member.value);
            }
        }
        if let Some(args) = row.args.and_then(|args| Members::value_of(args.as_bytes())) {
            values.replace(Field::Args, args);
        }
        let mut number = |text: Option<&str>| text.map(|text| texts.number(text.as_bytes()));
        let columns = Columns {
            phase: Phase::from_text(row.ph.unwrap_or_default().as_bytes()),
            name: number(row.name),
            category: number(row.category),
            scope: number(row.scope),
            bind_id: number(row.bind_id),
            ts: row.ts,
            dur: row.dur,
            tts: row.tts,
            tdur: row.tdur,
            pid: row.pid,
            pid_text: number(row.pid_text),
            tid: row.tid,
            tid_text: number(row.tid_text),
            id: number(row.id).map(|id| (id_kind(row.id_kind), id)),
        };
        collector.add(&columns, &values, &mut texts);
    }
    collector.finish(&texts)
}

fn id_kind(name: Option<&str>) -> IdKind {
    match name {
        Some("local") => IdKind::Local,
        Some("global") => IdKind::Global,
        _ => IdKind::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteOffset, Log, trace::event::EventRows};
    use arrow_array::{
        Array, ArrayRef, RecordBatch,
        cast::AsArray,
        types::{Int32Type, Int64Type},
    };
    use heapquarry_tables::{FileId, TRACE_EVENT};
    use heapquarry_timeline::{EventIndex, Ident, Key};

    /// Events of all shapes, some of them irregular.
    const EVENTS: &[&str] = &[
        r#"{"ph":"X","name":"a","cat":"c","ts":1.5,"dur":2,"tts":3,"tdur":0.25,"pid":1,"tid":2}"#,
        r#"{"ph":"B","name":"a","ts":2,"pid":1,"tid":2,"args":{}}"#,
        r#"{"ph":"E","ts":3,"pid":"1","tid":"main","args":{"x":[1,{"y":"z"}]}}"#,
        r#"{"ph":"C","name":"n","ts":4,"pid":1.5,"tid":null,"id":7,"args":{"v":1,"w":"2.5","t":"u"}}"#,
        r#"{"ph":"b","name":"n","ts":"5","id":"0x1","scope":"s","pid":1,"tid":1,"args":5}"#,
        r#"{"ph":"e","name":"n","ts":6,"id2":{"local":"0x1"},"use_async_tts":1,"tts":1}"#,
        r#"{"ph":"n","name":"n","ts":6,"id2":{"global":9},"use_async_tts":0}"#,
        r#"{"ph":"n","name":"n","ts":6,"id2":{"other":9},"id":true}"#,
        r#"{"ph":"s","name":"f","ts":7,"id":1,"bp":"e","pid":1e3,"tid":0x10}"#,
        r#"{"ph":"f","name":"f","ts":8,"id":1,"bp":"x","bind_id":12,"flow_in":true,"flow_out":false}"#,
        r#"{"ph":"i","s":"p","name":true,"ts":nonsense,"sf":7,"esf":"k","ticount":5,"tidelta":"6"}"#,
        r#"{"ph":"I","s":"g","s":"t","name":"twice","name":"again","ts":9,"ts":10,"pid":1,"pid":2}"#,
        r#"{"ph":"O","id":1,"name":"o","ts":11,"args":{"snapshot":{"base_type":"b","cat":"c","x":1}}}"#,
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main \u0041 \"q\""}}"#,
        r#"{"ph":"T","name":"o","id":1,"ts":12,"args":{"step":5}}"#,
        r#"{"ph":"=","name":"l","id":"1","args":{"linked_id":{"id2":{"global":"2"}}}}"#,
        r#"{"ph":"","name":"","cat":"","ts":-1.0015,"args":"text"}"#,
        r#"{"ph":5,"name":"\ud800","cat":["x"],"args":[],"odd":NaN}"#,
        "{}",
    ];

    fn text(column: &ArrayRef, row: usize) -> Option<&str> {
        match column.as_dictionary_opt::<Int32Type>() {
            Some(labels) => {
                let keys = labels.keys();
                let values = labels.values().as_string::<i32>();
                keys.is_valid(row).then(|| values.value(keys.value(row) as usize))
            }
            None => column.is_valid(row).then(|| column.as_string::<i32>().value(row)),
        }
    }

    fn stored(batch: &RecordBatch) -> Events {
        let text = |name: &str, row| text(batch.column_by_name(name).unwrap(), row);
        let int = |name: &str, row| {
            let column = batch.column_by_name(name).unwrap().as_primitive::<Int64Type>();
            column.is_valid(row).then(|| column.value(row))
        };
        events((0..batch.num_rows()).map(|row| EventRow {
            ph: text("ph", row),
            name: text("name", row),
            category: text("category", row),
            ts: int("ts", row),
            dur: int("dur", row),
            tts: int("tts", row),
            tdur: int("tdur", row),
            pid: int("pid", row),
            pid_text: text("pid_text", row),
            tid: int("tid", row),
            tid_text: text("tid_text", row),
            id: text("id", row),
            id_kind: text("id_kind", row),
            scope: text("scope", row),
            bind_id: text("bind_id", row),
            args: text("args", row),
            extra: text("extra", row),
        }))
    }

    /// Everything known about an event, with keys as text.
    fn told(events: &Events, event: EventIndex) -> String {
        let text = |key: Key| events.strings().get(key);
        let ident = |ident: Ident| match ident {
            Ident::Text(key) => format!("{:?}", text(key)),
            other => format!("{other:?}"),
        };
        let thread = events.thread_ids()[events.thread_of(event) as usize];
        let id = events.id(event).map(|id| (id.kind, text(id.text), text(id.scope)));
        let stack = events.stack(event);
        let names = ["v", "w", "t", "base_type", "cat", "x", "name", "step", "linked_id"];
        let args = names.map(|name| match events.arg(event, name) {
            Some(heapquarry_timeline::Value::Text(key)) => format!("{:?}", text(key)),
            other => format!("{other:?}"),
        });
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {} {} {id:?} {:?} {:?} {:?} {:?} {:?} {args:?}",
            events.phase(event),
            events.flags(event),
            events.ts(event),
            events.dur(event),
            text(events.name(event)),
            text(events.category(event)),
            ident(thread.pid),
            ident(thread.tid),
            events.bind_id(event).map(text),
            events.thread_time(event),
            events.instructions(event),
            text(stack.0),
            text(stack.1),
        )
    }

    #[test]
    fn events_of_rows_are_those_that_were_read() {
        let mut rows = EventRows::new(0, EVENTS.len(), true, false);
        for event in EVENTS {
            rows.add(event.as_bytes(), ByteOffset::START, &mut None, &mut Log::default());
        }
        let read = rows.take_events().unwrap();
        let batch = TRACE_EVENT.expand(&rows.finish(FileId(0))).unwrap();
        let stored = stored(&batch);
        assert_eq!(stored.len(), read.len());
        for (event, text) in read.all().zip(EVENTS) {
            assert_eq!(told(&stored, event), told(&read, event), "{text}");
        }
        // The compared events exist.
        let all: Vec<String> = read.all().map(|event| told(&read, event)).collect();
        for part in ["Complete", "2.5", "Global", "main A", "Some(\"k\")", "1000"] {
            assert!(all.iter().any(|line| line.contains(part)), "{part}");
        }
    }
}
