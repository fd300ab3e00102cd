//! Events to rows of `trace_event`.

use super::{
    args::Args,
    calls::Calls,
    collect::{Collector, Columns},
    columns::{Dictionary, Ints, Keys, Texts, labels},
    extra::Extra,
    fields::{Field, Values},
    json::Scalar,
    members::{Kind, Member, Members, Value},
    number, repair,
    second_pass::{Deferred, Role},
    unescape::unescape,
};
use crate::{ByteOffset, Code, Log};
use arrow_array::{Int64Array, RecordBatch};
use heapquarry_scan::{Odd, read_odd};
use heapquarry_tables::{FileId, trace_event};
use heapquarry_timeline::{Events, IdKind, Phase};
use std::sync::Arc;

/// Names of `id_kind`, by number.
const ID_KINDS: [&str; 4] = ["id", "id_number", "local", "global"];
const ID: u32 = 0;
const ID_NUMBER: u32 = 1;
const LOCAL: u32 = 2;
const GLOBAL: u32 = 3;

/// The log, and the offset of the event that is decoded.
struct LogAt<'l> {
    offset: ByteOffset,
    log: &'l mut Log,
}

/// Rows of `trace_event` being built.
pub(super) struct EventRows {
    first: u64,
    offsets: Vec<i64>,
    phases: Keys,
    phase_texts: Dictionary,
    names: Keys,
    categories: Keys,
    ts: Ints,
    dur: Ints,
    tts: Ints,
    tdur: Ints,
    pids: Ints,
    pid_texts: Keys,
    tids: Ints,
    tid_texts: Keys,
    ids: Keys,
    id_kinds: Keys,
    scopes: Keys,
    bind_ids: Keys,
    args: Texts,
    extra: Extra,
    texts: Dictionary,
    /// Buffer for unescaped text.
    text: Vec<u8>,
    /// Memory for walks over values.
    open: Vec<bool>,
    /// Gathers the events for analysis.
    collector: Option<Collector>,
    /// Events for the second pass, if any are recorded.
    deferred: Option<Vec<Deferred>>,
    /// Gathers the calls into scripts.
    calls: Option<Calls>,
}

impl EventRows {
    /// For that many events from number `first` on.
    pub(super) fn new(first: u64, rows: usize, gathers: bool, notes: bool) -> Self {
        EventRows {
            collector: gathers.then(Collector::default),
            deferred: notes.then(Vec::new),
            calls: None,
            first,
            offsets: Vec::with_capacity(rows),
            phases: Keys::new(rows),
            phase_texts: Dictionary::default(),
            names: Keys::new(rows),
            categories: Keys::new(rows),
            ts: Ints::new(rows),
            dur: Ints::new(rows),
            tts: Ints::new(rows),
            tdur: Ints::new(rows),
            pids: Ints::new(rows),
            pid_texts: Keys::new(rows),
            tids: Ints::new(rows),
            tid_texts: Keys::new(rows),
            ids: Keys::new(rows),
            id_kinds: Keys::new(rows),
            scopes: Keys::new(rows),
            bind_ids: Keys::new(rows),
            args: Texts::new(rows),
            extra: Extra::new(rows),
            texts: Dictionary::default(),
            text: Vec::new(),
            open: Vec::new(),
        }
    }

    /// These, and the calls among them.
    pub(super) fn with_calls(self) -> Self {
        EventRows { calls: Some(Calls::new()), ..self }
    }

    /// Adds an event at that offset, and its arguments.
    pub(super) fn add(
        &mut self,
        event: &[u8],
        offset: ByteOffset,
        args: &mut Option<Args>,
        log: &mut Log,
    ) {
        let index = (self.first + self.offsets.len() as u64) as i64;
        self.offsets.push(offset.0 as i64);
        let mut at = LogAt { offset, log };
        let mut values = Values::new();
        let mut members = Members::with(event, std::mem::take(&mut self.open));
        while let Some((key, escaped)) = members.key() {
            let known = Field::by_key(key);
            let flatten = match (known, args.as_mut()) {
                (Some(Field::Args), Some(args)) => Some(args),
                _ => None,
            };
            let value = match flatten {
                Some(args) => {
                    members.value_with(|bytes, at, open| args.add(index, bytes, at, open))
                }
                None => members.value(),
            };
            let Some(value) = value else { break };
            let Some(known) = known else {
                self.extra.add(Member { key, escaped, value });
                continue;
            };
            let before = values.replace(known, value);
            if !known.has_column() {
                self.extra.add(Member { key, escaped, value });
            } else if let Some(before) = before {
                self.extra.add(known.member(before));
                at.log.add(Code::DuplicateMember, offset, || {
                    let key = known.name();
                    format!("`{key}` is there twice; the first one is kept in `extra`")
                });
            }
        }
        if members.odd {
            at.log.add_excerpt(Code::RepairedJson, offset, event, || {
                "an event that is not JSON as it should be".into()
            });
        }
        self.open = members.into_memory();
        self.push(&values, args, index, &mut at);
        if self.deferred.is_some() {
            self.defer(&values, index as u64, offset, event.len());
        }
        let last = self.collector.is_some().then(|| self.last());
        if let Some((collector, last)) = self.collector.as_mut().zip(last) {
            collector.add(&last, &values, &mut self.texts);
        }
        if let Some(calls) = &mut self.calls {
            calls.add(index, &values);
        }
        self.extra.end_row();
    }

    /// Adds a value to each column.
    fn push(
        &mut self,
        values: &Values<'_>,
        args: &mut Option<Args>,
        index: i64,
        at: &mut LogAt<'_>,
    ) {
        self.push_phase(values.get(Field::Ph), at);
        self.push_texts(values, at);
        self.push_times(values, at);
        self.push_idents(values, at);
        let (id, kind) = self.id(values.get(Field::Id), values.get(Field::Id2), at);
        self.ids.push(id);
        self.id_kinds.push(kind);
        self.push_args(values.get(Field::Args), args, index);
    }

    fn push_phase(&mut self, value: Option<Value<'_>>, at: &mut LogAt<'_>) {
        let phase = value.and_then(|value| {
            let text = text(value, &mut self.text, at);
            if text.is_none() {
                self.extra.add(Field::Ph.member(value));
            }
            text.map(|text| self.phase_texts.number(text))
        });
        self.phases.push(phase);
    }

    fn push_texts(&mut self, values: &Values<'_>, at: &mut LogAt<'_>) {
        for (field, column) in [
            (Field::Name, &mut self.names),
            (Field::Cat, &mut self.categories),
            (Field::Scope, &mut self.scopes),
            (Field::BindId, &mut self.bind_ids),
        ] {
            let Some(value) = values.get(field) else {
                column.push(None);
                continue;
            };
            let text = text(value, &mut self.text, at).or_else(|| {
                self.extra.add(field.member(value));
                value.digits()
            });
            column.push(text.map(|text| self.texts.number(text)));
        }
    }

    fn push_times(&mut self, values: &Values<'_>, at: &mut LogAt<'_>) {
        for (field, column) in [
            (Field::Ts, &mut self.ts),
            (Field::Dur, &mut self.dur),
            (Field::Tts, &mut self.tts),
            (Field::Tdur, &mut self.tdur),
        ] {
            let Some(value) = values.get(field) else {
                column.push(None);
                continue;
            };
            let time = value.digits().and_then(number::nanoseconds);
            column.push(time.map(|(time, _)| time));
            let as_it_is = matches!(value.kind, Kind::Scalar(Scalar::Number));
            if !as_it_is || !matches!(time, Some((_, true))) {
                self.extra.add(field.member(value));
                if time.is_none() && value.digits().is_some_and(number::is_finite) {
                    at.log.add_excerpt(Code::TimeOutOfRange, at.offset, value.raw, || {
                        format!(
                            "`{}` is beyond the range of times, 292 years; it is kept in `extra`. Its unit is \
                             microseconds: did the writer mean nanoseconds?",
                            field.name()
                        )
                    });
                } else if time.is_none() {
                    at.log.add_excerpt(Code::OddMember, at.offset, value.raw, || {
                        format!("`{}` is no time; it is kept in `extra`", field.name())
                    });
                } else if let Some((_, false)) = time {
                    at.log.add_excerpt(Code::RoundedTime, at.offset, value.raw, || {
                        format!("`{}` is rounded to nanoseconds", field.name())
                    });
                }
            }
        }
    }

    fn push_idents(&mut self, values: &Values<'_>, at: &mut LogAt<'_>) {
        for (field, numbers, texts) in [
            (Field::Pid, &mut self.pids, &mut self.pid_texts),
            (Field::Tid, &mut self.tids, &mut self.tid_texts),
        ] {
            let Some(value) = values.get(field) else {
                numbers.push(None);
                texts.push(None);
                continue;
            };
            let (number, exact) = whole(value);
            numbers.push(number);
            let text = text(value, &mut self.text, at);
            if text.is_none() && !exact {
                self.extra.add(field.member(value));
            }
            texts.push(text.map(|text| self.texts.number(text)));
        }
    }

    fn push_args(&mut self, value: Option<Value<'_>>, args: &mut Option<Args>, index: i64) {
        if let Some(value) = value {
            let buffer = self.args.buffer();
            let start = buffer.len();
            // Clean objects and arrays have been checked already.
            let mut walked = matches!(value.kind, Kind::Object | Kind::Array);
            if value.clean {
                buffer.extend_from_slice(value.raw);
            } else {
                repair::repair(value.raw, buffer);
                walked = buffer.len() == start;
            }
            if let (false, Some(args)) = (walked, args) {
                let end = args.add(index, buffer, start, &mut self.open);
                debug_assert_eq!(end, Some(buffer.len()));
            }
        }
        self.args.end_row();
    }

    /// The columns of the event added last.
    fn last(&self) -> Columns {
        let phase = self.phases.last().map(|phase| self.phase_texts.text(phase));
        let kind = |kind| match kind {
            LOCAL => IdKind::Local,
            GLOBAL => IdKind::Global,
            _ => IdKind::Plain,
        };
        Columns {
            phase: Phase::from_text(phase.unwrap_or_default()),
            name: self.names.last(),
            category: self.categories.last(),
            ts: self.ts.last(),
            dur: self.dur.last(),
            tts: self.tts.last(),
            tdur: self.tdur.last(),
            pid: self.pids.last(),
            pid_text: self.pid_texts.last(),
            tid: self.tids.last(),
            tid_text: self.tid_texts.last(),
            id: self.id_kinds.last().map(kind).zip(self.ids.last()),
            scope: self.scopes.last(),
            bind_id: self.bind_ids.last(),
        }
    }

    /// Records the event if the second pass needs it.
    fn defer(&mut self, values: &Values<'_>, event: u64, offset: ByteOffset, length: usize) {
        let phase = self.phases.last().map(|phase| self.phase_texts.text(phase));
        let phase = Phase::from_text(phase.unwrap_or_default());
        let name = values.get(Field::Name).and_then(|name| name.inner());
        let Some(role) = Role::of(name.unwrap_or_default(), phase) else { return };
        let text = |number: Option<u32>| {
            number.map(|number| String::from_utf8_lossy(self.texts.text(number)).into_owned())
        };
        let deferred = Deferred {
            role,
            event,
            offset,
            length,
            ts: self.ts.last(),
            id: text(self.ids.last()),
            pid: self.pids.last(),
            pid_text: text(self.pid_texts.last()),
            tid: self.tids.last(),
            tid_text: text(self.tid_texts.last()),
        };
        self.deferred.get_or_insert_default().push(deferred);
    }

    /// The id and its kind.
    fn id(
        &mut self,
        id: Option<Value<'_>>,
        id2: Option<Value<'_>>,
        at: &mut LogAt<'_>,
    ) -> (Option<u32>, Option<u32>) {
        let mut found = (None, None);
        if let Some(value) = id {
            if let Some(text) = text(value, &mut self.text, at) {
                found = (Some(self.texts.number(text)), Some(ID));
            } else if let Some(digits) = value.digits() {
                found = (Some(self.texts.number(digits)), Some(ID_NUMBER));
            }
            if found.0.is_none() {
                self.extra.add(Field::Id.member(value));
            }
        }
        if let Some(value) = id2 {
            let mut all = matches!(value.kind, Kind::Object) && found.0.is_none();
            if all {
                for inner in Members::new(value.raw) {
                    let kind = match inner.key {
                        b"local" => Some(LOCAL),
                        b"global" => Some(GLOBAL),
                        _ => None,
                    };
                    let string = text(inner.value, &mut self.text, at);
                    let known = string.or_else(|| inner.value.digits());
                    match (known, kind) {
                        (Some(known), Some(kind)) if found.0.is_none() => {
                            all &= string.is_some();
                            found = (Some(self.texts.number(known)), Some(kind));
                        }
                        _ => all = false,
                    }
                }
            }
            if !all || found.0.is_none() {
                self.extra.add(Field::Id2.member(value));
            }
        }
        found
    }

    /// The events for the second pass.
    pub(super) fn take_deferred(&mut self) -> Option<Vec<Deferred>> {
        self.deferred.take()
    }

    /// The calls into scripts.
    pub(super) fn take_calls(&mut self) -> Option<Calls> {
        self.calls.take()
    }

    /// The events for the analysis.
    pub(super) fn take_events(&mut self) -> Option<Events> {
        let collector = self.collector.take()?;
        Some(collector.finish(&self.texts))
    }

    pub(super) fn finish(self, file_id: FileId) -> RecordBatch {
        let rows = self.offsets.len();
        let (first, end) = (self.first as i64, self.first as i64 + rows as i64);
        let (phases, texts) = (self.phase_texts.into_array(), self.texts.into_array());
        trace_event::Columns {
            file_id: file_id.column(rows),
            event_index: Arc::new(Int64Array::from_iter_values(first..end)),
            byte_offset: Arc::new(Int64Array::from(self.offsets)),
            ph: self.phases.finish(&phases),
            name: self.names.finish(&texts),
            category: self.categories.finish(&texts),
            ts: self.ts.finish(),
            dur: self.dur.finish(),
            tts: self.tts.finish(),
            tdur: self.tdur.finish(),
            pid: self.pids.finish(),
            pid_text: self.pid_texts.finish(&texts),
            tid: self.tids.finish(),
            tid_text: self.tid_texts.finish(&texts),
            id: self.ids.finish(&texts),
            id_kind: self.id_kinds.finish(&labels(&ID_KINDS)),
            scope: self.scopes.finish(&texts),
            bind_id: self.bind_ids.finish(&texts),
            args: self.args.finish(),
            extra: self.extra.finish(),
        }
        .into_batch()
    }
}

/// The text of a string.
fn text<'t>(value: Value<'t>, scratch: &'t mut Vec<u8>, at: &mut LogAt<'_>) -> Option<&'t [u8]> {
    let raw = value.inner()?;
    let Kind::Text { escaped: true } = value.kind else { return Some(raw) };
    scratch.clear();
    let report = unescape(raw, scratch);
    if report.lone_surrogates > 0 {
        at.log.add_excerpt(Code::LoneSurrogate, at.offset, raw, || {
            "half of a surrogate pair is U+FFFD in the table".into()
        });
    }
    Some(scratch)
}

/// The integer value, and whether it is written in canonical form.
pub(super) fn whole(value: Value<'_>) -> (Option<i64>, bool) {
    let Some(digits) = value.digits() else { return (None, false) };
    if let Some(number) = number::plain(digits) {
        return (Some(number), matches!(value.kind, Kind::Scalar(_)));
    }
    match read_odd(digits) {
        (Odd::Negative(number) | Odd::Form(number), length) if length == digits.len() => {
            (Some(number), false)
        }
        _ => (None, false),
    }
}
