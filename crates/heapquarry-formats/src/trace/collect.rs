//! Gathers the events for analysis while they are decoded, without a second pass over the bytes.

use super::{
    json::Scalar,
    members::{Kind, Members, Value},
};
use heapquarry_tables::Reorder;
use heapquarry_timeline::{Event, Events, IdKind, Ident, Key, Phase, Value as Arg};
/// The events of a task. Its strings are those of the task's dictionary, whose numbers serve as keys until the end.
#[derive(Debug, Default)]
pub(super) struct Collector {
    events: Events,
    /// The thread of the last event: the next event usually has the same.
    thread: Option<((Ident, Ident), u32)>,
}

/// Rare members of events.
#[derive(Debug, Default)]
pub(super) struct Rare {
    pub(super) id: Option<(IdKind, u32)>,
    pub(super) scope: Option<u32>,
    pub(super) bind_id: Option<u32>,
    pub(super) thread_time: (Option<i64>, Option<i64>),
    pub(super) instructions: (Option<i64>, Option<i64>),
    pub(super) stack: (Option<u32>, Option<u32>),
}

fn key(number: Option<u32>) -> Key {
    number.map_or(Key::NONE, Key)
}

impl Collector {
    /// Adds an event; its thread is given by `pid` and `tid`.
    pub(super) fn add(&mut self, event: Event, (pid, tid): (Ident, Ident), rare: &Rare) {
        let thread = match self.thread {
            Some((known, thread)) if known == (pid, tid) => thread,
            _ => self.events.thread(pid, tid),
        };
        self.thread = Some(((pid, tid), thread));
        let events = &mut self.events;
        events.push(Event { thread, ..event });
        if let Some((kind, id)) = rare.id {
            events.set_id(kind, Key(id), key(rare.scope));
        }
        if rare.bind_id.is_some() {
            events.set_bind_id(key(rare.bind_id));
        }
        if rare.thread_time != (None, None) {
            events.set_thread_time(rare.thread_time.0, rare.thread_time.1);
        }
        if rare.instructions != (None, None) {
            events.set_instructions(rare.instructions.0, rare.instructions.1);
        }
        if rare.stack != (None, None) {
            events.set_stack(key(rare.stack.0), key(rare.stack.1));
        }
    }

    /// Adds the arguments of the last event, if its phase needs them. `number` returns the key of a text.
    pub(super) fn add_args(
        &mut self,
        phase: Phase,
        args: Value<'_>,
        number: &mut dyn FnMut(&[u8]) -> u32,
    ) {
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
                    self.add_arg(member.key, member.value, false, number);
                }
            }
            return;
        }
        for member in Members::new(args.raw) {
            self.add_arg(member.key, member.value, phase == Phase::Counter, number);
        }
    }

    fn add_arg(
        &mut self,
        name: &[u8],
        value: Value<'_>,
        is_counter: bool,
        number: &mut dyn FnMut(&[u8]) -> u32,
    ) {
        let parsed = || value.digits().and_then(number_of);
        let is_name = std::str::from_utf8(name).is_ok_and(Events::wants_text);
        let arg = match value.kind {
            Kind::Scalar(Scalar::Number) if is_name => Some(Arg::Text(Key(number(value.raw)))),
            Kind::Scalar(Scalar::Number | Scalar::Odd) => parsed(),
            Kind::Text { .. } if is_counter => parsed(),
            Kind::Text { escaped } => value.inner().map(|raw| {
                let text = crate::json::text(raw, escaped).0;
                Arg::Text(Key(number(text.as_bytes())))
            }),
            _ => None,
        };
        if let Some(arg) = arg {
            let name = Key(number(name));
            self.events.add_arg(name, arg);
        }
    }

    /// The events, with the texts of their keys.
    pub(super) fn finish<'t>(mut self, texts: impl Iterator<Item = &'t [u8]>) -> Events {
        for text in texts {
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

/// Parts that arrive in any order.
#[derive(Debug, Default)]
pub(super) struct Collected {
    events: Events,
    /// Keyed by the number of their first event.
    pieces: Reorder<Events>,
}

impl Collected {
    pub(super) fn add(&mut self, first: u64, piece: Events) {
        let events = first..first + piece.len();
        assert!(self.pieces.insert(events, piece), "the events of a task come once");
        while let Some(piece) = self.pieces.next() {
            self.events.append(&piece);
        }
    }

    pub(super) fn into_events(self) -> Events {
        self.events
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
