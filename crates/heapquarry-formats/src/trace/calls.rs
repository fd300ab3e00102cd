//! Calls into scripts that events tell: rows of `script_call`.

use super::{
    columns::{Dictionary, Ints, Keys},
    event::whole,
    fields::{Field, Values},
    members::{Kind, Members, Value},
    unescape::unescape,
};
use arrow_array::{Int32Array, Int64Array, RecordBatch};
use heapquarry_tables::{FileId, Type, arrays, script_call};
use std::sync::Arc;

/// Whether an event of that name runs or compiles a script. Chromium counts lines and columns of these from 1: seen in
/// recordings of version 65, 86 and later ones; DevTools' `getZeroIndexedLineAndColumnForEvent` says so. It counts
/// those of other events, and of call frames, from 0.
#[inline]
fn is_call(name: &[u8]) -> bool {
    matches!(name, b"FunctionCall" | b"EvaluateScript" | b"v8.compile" | b"v8.produceCache")
}

/// Rows of `script_call` being built.
pub(super) struct Calls {
    events: Vec<i64>,
    functions: Keys,
    script_ids: Ints,
    urls: Keys,
    lines: Vec<Option<i32>>,
    columns: Vec<Option<i32>>,
    texts: Dictionary,
    /// Buffer for unescaped text.
    text: Vec<u8>,
}

impl Calls {
    pub(super) fn new() -> Self {
        Calls {
            events: Vec::new(),
            functions: Keys::new(0),
            script_ids: Ints::new(0),
            urls: Keys::new(0),
            lines: Vec::new(),
            columns: Vec::new(),
            texts: Dictionary::default(),
            text: Vec::new(),
        }
    }

    /// Adds an event, if it is a call that says of what.
    #[inline]
    pub(super) fn add(&mut self, event: i64, values: &Values<'_>) {
        let name = values.get(Field::Name).and_then(|name| name.inner());
        if name.is_some_and(is_call)
            && let Some(args) = values.get(Field::Args)
        {
            self.push(event, args);
        }
    }

    fn push(&mut self, event: i64, args: Value<'_>) {
        let Some(data) = member(args, b"data") else { return };
        if data.kind != Kind::Object {
            return;
        }
        let [mut function, mut id, mut url, mut line, mut column] = [None; 5];
        for member in Members::new(data.raw) {
            let place = match member.key {
                b"functionName" => &mut function,
                b"scriptId" => &mut id,
                b"url" => &mut url,
                b"lineNumber" => &mut line,
                b"columnNumber" => &mut column,
                _ => continue,
            };
            *place = Some(member.value);
        }
        if [function, url, line].iter().all(Option::is_none) {
            return;
        }
        let [function, url] = [function, url].map(|value| self.number(value));
        let place = |value: Option<Value<'_>>| {
            let number = i32::try_from(whole(value?).0?).ok();
            number.filter(|&number| number > 0)
        };
        self.events.push(event);
        self.functions.push(function);
        self.script_ids.push(id.and_then(|id| whole(id).0));
        self.urls.push(url);
        self.lines.push(place(line));
        self.columns.push(place(column));
    }

    /// The number of a text.
    fn number(&mut self, value: Option<Value<'_>>) -> Option<u32> {
        let value = value?;
        let raw = value.inner()?;
        let text = match value.kind {
            Kind::Text { escaped: true } => {
                self.text.clear();
                unescape(raw, &mut self.text);
                self.text.as_slice()
            }
            _ => raw,
        };
        Some(self.texts.number(text))
    }

    pub(super) fn finish(self, file_id: FileId) -> RecordBatch {
        let rows = self.events.len();
        let texts = self.texts.into_array();
        script_call::Columns {
            file_id: file_id.column(rows),
            event_index: Arc::new(Int64Array::from(self.events)),
            function_name: self.functions.finish(&texts),
            script_id: self.script_ids.finish(),
            url: self.urls.finish(&texts),
            line_number: Arc::new(Int32Array::from(self.lines)),
            column_number: Arc::new(Int32Array::from(self.columns)),
            original_name: arrays::nulls(Type::Text, rows),
            original_source: arrays::nulls(Type::Text, rows),
            original_line: arrays::nulls(Type::Int32, rows),
            original_column: arrays::nulls(Type::Int32, rows),
        }
        .into_batch()
    }
}

/// The last member of an object that has that key.
fn member<'v>(value: Value<'v>, key: &[u8]) -> Option<Value<'v>> {
    let members = (value.kind == Kind::Object).then(|| Members::new(value.raw))?;
    members.filter(|member| member.key == key).last().map(|member| member.value)
}
