//! Gathers the events for analysis while they are decoded, without a second pass over the bytes.

use super::{
    columns::Dictionary,
    event::whole,
    fields::{Field, Values},
    json::Scalar,
    members::{Kind, Members, Value},
};
use heapquarry_tables::Join;
use heapquarry_timeline::{Event, Events, Flags, IdKind, Ident, Key, Phase, Value as Arg};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The events of a task. Its strings are those of the task's dictionary, whose numbers serve as keys until the end.
#[derive(Debug, Default)]
pub(super) struct Collector {
    events: Events,
    /// The thread of the last event: the next event usually has the same.
    thread: Option<((Ident, Ident), u32)>,
}

/// What the columns of `trace_event` hold of an event: times in nanoseconds, texts as numbers of a dictionary.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) phase: Phase,
    pub(super) name: Option<u32>,
    pub(super) category: Option<u32>,
    pub(super) ts: Option<i64>,
    pub(super) dur: Option<i64>,
    pub(super) tts: Option<i64>,
    pub(super) tdur: Option<i64>,
    pub(super) pid: Option<i64>,
    pub(super) pid_text: Option<u32>,
    pub(super) tid: Option<i64>,
    pub(super) tid_text: Option<u32>,
    pub(super) id: Option<(IdKind, u32)>,
    pub(super) scope: Option<u32>,
    pub(super) bind_id: Option<u32>,
}

fn key(number: Option<u32>) -> Key {
    number.map_or(Key::NONE, Key)
}

fn is_true(value: Value<'_>) -> bool {
    !matches!(value.raw, b"false" | b"0" | b"null" | b"\"\"")
}

/// Arguments that hold something.
fn args<'e>(values: &Values<'e>) -> Option<Value<'e>> {
    values.get(Field::Args).filter(|args| match args.kind {
        Kind::Object | Kind::Array => args.raw.len() > 2,
        Kind::Text { .. } => true,
        Kind::Scalar(_) => false,
    })
}

fn flags(values: &Values<'_>) -> Flags {
    let raw = |field: Field| values.get(field).map(|value| value.raw);
    let is_set = |field: Field| values.get(field).is_some_and(is_true);
    let mut flags = Flags::NONE;
    for (is_set, flag) in [
        (raw(Field::S) == Some(b"\"p\""), Flags::PROCESS_SCOPE),
        (raw(Field::S) == Some(b"\"g\""), Flags::GLOBAL_SCOPE),
        (raw(Field::Bp) == Some(b"\"e\""), Flags::BIND_ENCLOSING),
        (raw(Field::Bp).is_some_and(|bp| bp != b"\"e\""), Flags::BIND_UNKNOWN),
        (is_set(Field::FlowIn), Flags::FLOW_IN),
        (is_set(Field::FlowOut), Flags::FLOW_OUT),
        (is_set(Field::UseAsyncTts), Flags::ASYNC_TTS),
        (args(values).is_some(), Flags::ARGS),
    ] {
        if is_set {
            flags |= flag;
        }
    }
    flags
}

/// A `pid` or `tid`: its number, however it is written, or else its text.
fn ident(
    number: Option<i64>,
    text: Option<u32>,
    value: Option<Value<'_>>,
    texts: &mut Dictionary,
) -> Ident {
    let other = || value.and_then(|value| value.digits());
    match (number, text) {
        (Some(number), _) => Ident::Number(number),
        (None, Some(text)) => Ident::Text(Key(text)),
        (None, None) => {
            other().map_or(Ident::None, |digits| Ident::Text(Key(texts.number(digits))))
        }
    }
}

/// The key of a `stackFrames` entry.
fn stack_frame(value: Option<Value<'_>>, texts: &mut Dictionary) -> Option<u32> {
    let value = value?;
    let text = value.inner().or_else(|| value.digits())?;
    Some(texts.number(text))
}

impl Collector {
    /// Adds an event: its columns, and the values of the fields that have none.
    pub(super) fn add(&mut self, row: &Columns, values: &Values<'_>, texts: &mut Dictionary) {
        let pid = ident(row.pid, row.pid_text, values.get(Field::Pid), texts);
        let tid = ident(row.tid, row.tid_text, values.get(Field::Tid), texts);
        let thread = match self.thread {
            Some((known, thread)) if known == (pid, tid) => thread,
            _ => self.events.thread(pid, tid),
        };
        self.thread = Some(((pid, tid), thread));
        let count = |field| values.get(field).and_then(|value| whole(value).0);
        let instructions = (count(Field::Ticount), count(Field::Tidelta));
        let start = stack_frame(values.get(Field::Sf), texts);
        let end = stack_frame(values.get(Field::Esf), texts);
        let events = &mut self.events;
        events.push(Event {
            phase: row.phase,
            flags: flags(values),
            ts: row.ts,
            dur: row.dur,
            thread,
            name: key(row.name),
            category: key(row.category),
        });
        if let Some((kind, id)) = row.id {
            events.set_id(kind, Key(id), key(row.scope));
        }
        if row.bind_id.is_some() {
            events.set_bind_id(key(row.bind_id));
        }
        if (row.tts, row.tdur) != (None, None) {
            events.set_thread_time(row.tts, row.tdur);
        }
        if instructions != (None, None) {
            events.set_instructions(instructions.0, instructions.1);
        }
        if (start, end) != (None, None) {
            events.set_stack(key(start), key(end));
        }
        if let Some(args) = args(values) {
            self.add_args(row.phase, args, texts);
        }
    }

    /// Adds the arguments of the last event, if its phase needs them.
    fn add_args(&mut self, phase: Phase, args: Value<'_>, texts: &mut Dictionary) {
        if !Events::wants_args(phase) || args.kind != Kind::Object {
            return;
        }
        if phase == Phase::SnapshotObject {
            let snapshot = Members::new(args.raw).find(|member| member.key == b"snapshot");
            let Some(snapshot) = snapshot.filter(|member| member.value.kind == Kind::Object) else {
                return;
            };
            for member in Members::new(snapshot.value.raw) {
                if std::str::from_utf8(member.key).is_ok_and(Events::wants_snapshot_member) {
                    self.add_arg(member.key, member.value, false, texts);
                }
            }
            return;
        }
        for member in Members::new(args.raw) {
            self.add_arg(member.key, member.value, phase == Phase::Counter, texts);
        }
    }

    fn add_arg(&mut self, name: &[u8], value: Value<'_>, is_counter: bool, texts: &mut Dictionary) {
        let parsed = || value.digits().and_then(number_of);
        let is_name = std::str::from_utf8(name).is_ok_and(Events::wants_text);
        let arg = match value.kind {
            Kind::Scalar(Scalar::Number) if is_name => {
                Some(Arg::Text(Key(texts.number(value.raw))))
            }
            Kind::Scalar(Scalar::Number | Scalar::Odd) => parsed(),
            Kind::Text { .. } if is_counter => parsed(),
            Kind::Text { escaped } => value.inner().map(|raw| {
                let text = super::unescape::text(raw, escaped);
                Arg::Text(Key(texts.number(text.as_bytes())))
            }),
            _ => None,
        };
        if let Some(arg) = arg {
            let name = Key(texts.number(name));
            self.events.add_arg(name, arg);
        }
    }

    /// The events, with the texts of their keys.
    pub(super) fn finish(mut self, texts: &Dictionary) -> Events {
        for text in texts.iter() {
            self.events.string(&String::from_utf8_lossy(text));
        }
        self.events
    }
}

/// A number as in JSON or Perfetto: `.5`, `5.` and `+5` are numbers too.
fn number_of(digits: &[u8]) -> Option<Arg> {
    let text = std::str::from_utf8(digits).ok()?;
    let int = text.strip_prefix('+').unwrap_or(text).parse().map(Arg::Int);
    int.or_else(|_| text.parse().map(Arg::Float)).ok()
}

/// The events of all tasks, which workers join without the lock of the claims: joining takes longer than claims do.
#[derive(Debug, Default)]
pub(super) struct Collected {
    events: Join<Events, Events>,
    /// Memory of the strings of all events that are joined, and of those that wait for others.
    joined: AtomicU64,
    waiting: AtomicU64,
}

impl Collected {
    /// Adds the events of a task; `first` is the number of its first one.
    pub(super) fn add(&self, first: u64, piece: Events) {
        self.waiting.fetch_add(piece.strings().memory(), Relaxed);
        self.events.add(first..first + piece.len(), piece, |events, piece| {
            events.append(&piece);
            self.joined.store(events.strings().memory(), Relaxed);
            self.waiting.fetch_sub(piece.strings().memory(), Relaxed);
        });
    }

    /// Memory of the strings of all events, in bytes, about: whatever is made of events copies them once.
    pub(super) fn text(&self) -> u64 {
        2 * self.joined.load(Relaxed).saturating_add(self.waiting.load(Relaxed))
    }

    /// The events, once all tasks are complete.
    pub(super) fn take(&self) -> Events {
        self.events.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_counters_are_read_in_every_form() {
        for (digits, expected) in [
            ("5", Some(Arg::Int(5))),
            ("-5", Some(Arg::Int(-5))),
            ("+5", Some(Arg::Int(5))),
            ("050", Some(Arg::Int(50))),
            (".75", Some(Arg::Float(0.75))),
            ("246.", Some(Arg::Float(246.0))),
            ("+10.5", Some(Arg::Float(10.5))),
            ("1e3", Some(Arg::Float(1000.0))),
            ("18446744073709551616", Some(Arg::Float(18446744073709551616.0))),
            ("1.5e", None),
            (".", None),
            ("0x10", None),
            ("", None),
        ] {
            assert_eq!(number_of(digits.as_bytes()), expected, "{digits}");
        }
    }
}
