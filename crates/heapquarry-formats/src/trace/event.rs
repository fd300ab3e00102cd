//! Events to rows of `trace_event`.

use super::{
    args::Args,
    collect::{Collector, Rare},
    columns::{Dictionary, Ints, Keys, Texts, labels},
    json::Scalar,
    members::{Kind, Member, Members, Value},
    number, repair,
    second_pass::{Deferred, Role},
    task::Keep,
};
use crate::{Code, Log};
use arrow_array::{Int64Array, RecordBatch};
use heapquarry_scan::{Odd, read_odd, unescape};
use heapquarry_tables::{arrays, trace_event};
use heapquarry_timeline::{Event, Events, Flags, IdKind, Ident, Key, Phase};
use std::sync::Arc;

/// Names of `id_kind`, by number.
const ID_KINDS: [&str; 4] = ["id", "id_number", "local", "global"];
const ID: u32 = 0;
const ID_NUMBER: u32 = 1;
const LOCAL: u32 = 2;
const GLOBAL: u32 = 3;

/// The members with a column.
macro_rules! fields {
    ($($field:ident $key:literal)+) => {
        #[derive(Clone, Copy)]
        enum Field { $($field),+ }

        const KEYS: &[&[u8]] = &[$($key),+];

        #[inline]
        fn field(key: &[u8]) -> Option<Field> {
            match key {
                $($key => Some(Field::$field),)+
                _ => None,
            }
        }
    };
}

fields! {
    Ph b"ph"
    Name b"name"
    Cat b"cat"
    Ts b"ts"
    Dur b"dur"
    Tts b"tts"
    Tdur b"tdur"
    Pid b"pid"
    Tid b"tid"
    Id b"id"
    Id2 b"id2"
    Scope b"scope"
    BindId b"bind_id"
    Args b"args"
    S b"s"
    Bp b"bp"
    FlowIn b"flow_in"
    FlowOut b"flow_out"
    Sf b"sf"
    Esf b"esf"
    Ticount b"ticount"
    Tidelta b"tidelta"
    UseAsyncTts b"use_async_tts"
}

/// Fields from this one on have no column, and are stored in `extra`; only the analysis needs them.
const WITHOUT_COLUMN: usize = Field::S as usize;

/// Position and log for problems of a value.
struct Place<'l> {
    offset: u64,
    log: &'l mut Log,
}

/// Rows of `trace_event` being built.
pub(super) struct Rows {
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
}

impl Rows {
    /// For that many events from number `first` on.
    pub(super) fn new(first: u64, rows: usize, keep: Keep) -> Self {
        Rows {
            collector: keep.events.then(Collector::default),
            deferred: keep.notes.then(Vec::new),
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

    /// Adds an event at that offset, and its arguments.
    pub(super) fn add(
        &mut self,
        event: &[u8],
        offset: u64,
        args: &mut Option<Args>,
        log: &mut Log,
    ) {
        let index = (self.first + self.offsets.len() as u64) as i64;
        self.offsets.push(offset as i64);
        let mut place = Place { offset, log };
        let mut values: [Option<Value<'_>>; KEYS.len()] = [None; KEYS.len()];
        let mut members = Members::with(event, std::mem::take(&mut self.open));
        while let Some((key, escaped)) = members.key() {
            let known = field(key);
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
            if known as usize >= WITHOUT_COLUMN {
                self.extra.add(Member { key, escaped, value });
                values[known as usize] = Some(value);
                continue;
            }
            if let Some(before) = values[known as usize].replace(value) {
                self.extra.add(Member { key, escaped: false, value: before });
                place.log.add(Code::DuplicateMember, offset, || {
                    let key = String::from_utf8_lossy(key);
                    format!("`{key}` is there twice; the first one is kept in `extra`")
                });
            }
        }
        if members.odd {
            place.log.add_excerpt(Code::RepairedJson, offset, event, || {
                "an event that is not JSON as it should be".into()
            });
        }
        self.open = members.into_memory();
        self.convert(&values, args, index, &mut place);
        if self.deferred.is_some() {
            self.note(&values, index as u64, offset, event.len());
        }
        if let Some(mut collector) = self.collector.take() {
            self.collect(&values, &mut collector);
            self.collector = Some(collector);
        }
        self.extra.end_row();
    }

    fn convert(
        &mut self,
        values: &[Option<Value<'_>>; KEYS.len()],
        args: &mut Option<Args>,
        index: i64,
        place: &mut Place<'_>,
    ) {
        let get = |field: Field| values[field as usize];
        let phase = get(Field::Ph).and_then(|value| {
            let text = text(value, &mut self.text, place);
            if text.is_none() {
                self.extra.add(member(Field::Ph, value));
            }
            text.map(|text| self.phase_texts.number(text))
        });
        self.phases.push(phase);
        for (field, column) in [
            (Field::Name, &mut self.names),
            (Field::Cat, &mut self.categories),
            (Field::Scope, &mut self.scopes),
            (Field::BindId, &mut self.bind_ids),
        ] {
            let Some(value) = get(field) else {
                column.push(None);
                continue;
            };
            let text = text(value, &mut self.text, place).or_else(|| {
                self.extra.add(member(field, value));
                value.digits()
            });
            column.push(text.map(|text| self.texts.number(text)));
        }
        for (field, column) in [
            (Field::Ts, &mut self.ts),
            (Field::Dur, &mut self.dur),
            (Field::Tts, &mut self.tts),
            (Field::Tdur, &mut self.tdur),
        ] {
            let Some(value) = get(field) else {
                column.push(None);
                continue;
            };
            let time = value.digits().and_then(number::nanoseconds);
            column.push(time.map(|(time, _)| time));
            let as_it_is = matches!(value.kind, Kind::Scalar(Scalar::Number));
            if !as_it_is || !matches!(time, Some((_, true))) {
                self.extra.add(member(field, value));
                if time.is_none() {
                    place.log.add_excerpt(Code::OddMember, place.offset, value.raw, || {
                        format!("`{}` is no time; it is kept in `extra`", name(field))
                    });
                } else if let Some((_, false)) = time {
                    place.log.add_excerpt(Code::RoundedTime, place.offset, value.raw, || {
                        format!("`{}` is rounded to nanoseconds", name(field))
                    });
                }
            }
        }
        for (field, numbers, texts) in [
            (Field::Pid, &mut self.pids, &mut self.pid_texts),
            (Field::Tid, &mut self.tids, &mut self.tid_texts),
        ] {
            let Some(value) = get(field) else {
                numbers.push(None);
                texts.push(None);
                continue;
            };
            let (number, exact) = whole(value);
            numbers.push(number);
            let text = text(value, &mut self.text, place);
            if text.is_none() && !exact {
                self.extra.add(member(field, value));
            }
            texts.push(text.map(|text| self.texts.number(text)));
        }
        let (id, kind) = self.id(get(Field::Id), get(Field::Id2), place);
        self.ids.push(id);
        self.id_kinds.push(kind);
        if let Some(value) = get(Field::Args) {
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

    /// The phase of the last event.
    fn phase(&self) -> Phase {
        let text = self.phases.last().map(|phase| self.phase_texts.text(phase));
        Phase::from_text(text.unwrap_or_default())
    }

    /// Records the event if the second pass needs it.
    fn note(
        &mut self,
        values: &[Option<Value<'_>>; KEYS.len()],
        event: u64,
        offset: u64,
        length: usize,
    ) {
        let name = values[Field::Name as usize].and_then(|name| name.inner());
        let role = Role::of(name.unwrap_or_default(), self.phase());
        let Some(role) = role else { return };
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

    /// Passes the event to the collector: its columns, and members without one.
    fn collect(&mut self, values: &[Option<Value<'_>>; KEYS.len()], collector: &mut Collector) {
        let get = |field: Field| values[field as usize];
        let raw = |field: Field| get(field).map(|value| value.raw);
        let phase = self.phase();
        let args = get(Field::Args).filter(|args| match args.kind {
            Kind::Object | Kind::Array => args.raw.len() > 2,
            Kind::Text { .. } => true,
            Kind::Scalar(_) => false,
        });
        let mut flags = Flags::NONE;
        for (is_set, flag) in [
            (raw(Field::S) == Some(b"\"p\""), Flags::PROCESS_SCOPE),
            (raw(Field::S) == Some(b"\"g\""), Flags::GLOBAL_SCOPE),
            (raw(Field::Bp) == Some(b"\"e\""), Flags::BIND_ENCLOSING),
            (raw(Field::Bp).is_some_and(|bp| bp != b"\"e\""), Flags::BIND_UNKNOWN),
            (get(Field::FlowIn).is_some_and(is_true), Flags::FLOW_IN),
            (get(Field::FlowOut).is_some_and(is_true), Flags::FLOW_OUT),
            (get(Field::UseAsyncTts).is_some_and(is_true), Flags::ASYNC_TTS),
            (args.is_some(), Flags::ARGS),
        ] {
            if is_set {
                flags |= flag;
            }
        }
        let key = |number: Option<u32>| number.map_or(Key::NONE, Key);
        let event = Event {
            ts: self.ts.last(),
            dur: self.dur.last(),
            name: key(self.names.last()),
            category: key(self.categories.last()),
            flags,
            ..Event::new(phase, 0)
        };
        let pid = self.ident(self.pids.last(), self.pid_texts.last(), get(Field::Pid));
        let tid = self.ident(self.tids.last(), self.tid_texts.last(), get(Field::Tid));
        let kind = |kind| match kind {
            LOCAL => IdKind::Local,
            GLOBAL => IdKind::Global,
            _ => IdKind::Plain,
        };
        let id = self.id_kinds.last().map(kind).zip(self.ids.last());
        let count = |field| get(field).and_then(|value| whole(value).0);
        let instructions = (count(Field::Ticount), count(Field::Tidelta));
        let stack = (self.reference(get(Field::Sf)), self.reference(get(Field::Esf)));
        let rare = Rare {
            id,
            scope: self.scopes.last(),
            bind_id: self.bind_ids.last(),
            thread_time: (self.tts.last(), self.tdur.last()),
            instructions,
            stack,
        };
        collector.add(event, (pid, tid), &rare);
        if let Some(args) = args {
            collector.add_args(phase, args, &mut |text| self.texts.number(text));
        }
    }

    /// A `pid` or `tid`: its number, however it is written, or else its text.
    fn ident(&mut self, number: Option<i64>, text: Option<u32>, value: Option<Value<'_>>) -> Ident {
        let other = || value.and_then(|value| value.digits());
        match (number, text) {
            (Some(number), _) => Ident::Number(number),
            (None, Some(text)) => Ident::Text(Key(text)),
            (None, None) => {
                other().map_or(Ident::None, |digits| Ident::Text(Key(self.texts.number(digits))))
            }
        }
    }

    /// The key of a `stackFrames` entry.
    fn reference(&mut self, value: Option<Value<'_>>) -> Option<u32> {
        let value = value?;
        let text = value.inner().or_else(|| value.digits())?;
        Some(self.texts.number(text))
    }

    /// The id and its kind.
    fn id(
        &mut self,
        id: Option<Value<'_>>,
        id2: Option<Value<'_>>,
        place: &mut Place<'_>,
    ) -> (Option<u32>, Option<u32>) {
        let mut found = (None, None);
        if let Some(value) = id {
            if let Some(text) = text(value, &mut self.text, place) {
                found = (Some(self.texts.number(text)), Some(ID));
            } else if let Some(digits) = value.digits() {
                found = (Some(self.texts.number(digits)), Some(ID_NUMBER));
            }
            if found.0.is_none() {
                self.extra.add(member(Field::Id, value));
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
                    let string = text(inner.value, &mut self.text, place);
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
                self.extra.add(member(Field::Id2, value));
            }
        }
        found
    }

    /// The events for the second pass.
    pub(super) fn take_deferred(&mut self) -> Option<Vec<Deferred>> {
        self.deferred.take()
    }

    /// The events for the analysis.
    pub(super) fn take_events(&mut self) -> Option<Events> {
        let collector = self.collector.take()?;
        Some(collector.finish(self.texts.iter()))
    }

    pub(super) fn finish(self, file_id: i32) -> RecordBatch {
        let rows = self.offsets.len();
        let (first, end) = (self.first as i64, self.first as i64 + rows as i64);
        let (phases, texts) = (self.phase_texts.into_array(), self.texts.into_array());
        trace_event::Columns {
            file_id: arrays::constant_i32(Some(file_id), rows),
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

fn name(field: Field) -> &'static str {
    std::str::from_utf8(KEYS[field as usize]).expect("keys are ASCII")
}

fn member(field: Field, value: Value<'_>) -> Member<'_> {
    Member { key: KEYS[field as usize], escaped: false, value }
}

fn is_true(value: Value<'_>) -> bool {
    !matches!(value.raw, b"false" | b"0" | b"null" | b"\"\"")
}

/// The text of a string.
fn text<'t>(value: Value<'t>, scratch: &'t mut Vec<u8>, place: &mut Place<'_>) -> Option<&'t [u8]> {
    let raw = value.inner()?;
    let Kind::Text { escaped: true } = value.kind else { return Some(raw) };
    scratch.clear();
    let report = unescape(raw, scratch);
    if report.lone_surrogates > 0 {
        place.log.add_excerpt(Code::LoneSurrogate, place.offset, raw, || {
            "half of a surrogate pair is U+FFFD in the table".into()
        });
    }
    if report.bad_escapes > 0 {
        place.log.add_excerpt(Code::BadEscape, place.offset, raw, || {
            "an escape that JSON does not know".into()
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

/// A column of JSON objects with everything that other columns do not hold.
pub(super) struct Extra(Texts);

impl Extra {
    pub(super) fn new(rows: usize) -> Self {
        Extra(Texts::new(rows))
    }

    /// Adds a member to the row.
    pub(super) fn add(&mut self, member: Member<'_>) {
        let first = self.0.is_row_empty();
        let out = self.0.buffer();
        out.push(if first { b'{' } else { b',' });
        if member.escaped || member.key.iter().any(|&byte| byte < 0x20) {
            repair::string(member.key, out);
        } else {
            out.push(b'"');
            out.extend_from_slice(member.key);
            out.push(b'"');
        }
        out.push(b':');
        if member.value.clean {
            out.extend_from_slice(member.value.raw);
        } else {
            let start = out.len();
            repair::repair(member.value.raw, out);
            if out.len() == start {
                out.extend_from_slice(b"null");
            }
        }
    }

    pub(super) fn end_row(&mut self) {
        if !self.0.is_row_empty() {
            self.0.buffer().push(b'}');
        }
        self.0.end_row();
    }

    pub(super) fn finish(self) -> arrow_array::ArrayRef {
        self.0.finish()
    }

    /// The text of the only row.
    pub(super) fn into_text(mut self) -> Option<String> {
        self.end_row();
        let text = String::from_utf8_lossy(self.0.buffer()).into_owned();
        (!text.is_empty()).then_some(text)
    }
}
