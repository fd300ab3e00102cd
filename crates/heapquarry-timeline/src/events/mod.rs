//! The events of a trace, as a struct of arrays.

mod read;

use crate::{
    Event, EventIndex, Flags, IdKind, Ident, Key, Phase, Strings, ThreadId, Value, args::Args,
    column::Column, intern::Interner,
};

/// The events of a trace in file order, in compact form: about 10 bytes each, and separate columns for rare members.
/// Values that are similar in neighbouring events take a few bits or none.
///
/// If several threads decode, each part of the file fills its own `Events`. Join them in order with [`Events::append`].
/// Keys of strings, threads and ids are then in order of their first use in the file, whatever the parts are.
///
/// ```
/// use heapquarry_timeline::{Event, EventIndex, Events, Ident, Phase};
///
/// let mut events = Events::default();
/// let name = events.string("parse");
/// let thread = events.thread(Ident::Number(1), Ident::Number(2));
/// events.push(Event { ts: Some(1_000), dur: Some(500), name, ..Event::new(Phase::Complete, thread) });
/// events.set_thread_time(Some(10), Some(400));
/// let event = EventIndex(0);
/// assert_eq!(events.ts(event), Some(1_000));
/// assert_eq!(events.thread_time(event), (Some(10), Some(400)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Events {
    phases: Vec<Phase>,
    flags: Vec<Flags>,
    ts: Column,
    durs: Column,
    threads: Column,
    names: Column,
    categories: Column,

    strings: Strings,
    thread_ids: Interner<ThreadId>,

    // These columns end with the last event that has a value.
    /// Texts of ids.
    ids: Column,
    /// Kinds of ids, where they are not [`IdKind::Plain`].
    id_kinds: Column,
    id_scopes: Column,
    bind_ids: Column,
    thread_ts: Column,
    thread_durs: Column,
    instructions: Column,
    instruction_deltas: Column,
    stacks: Column,
    end_stacks: Column,

    args: Args,

    /// Positions in `owner_ids`.
    owners: Column,
    owner_ids: Interner<Ident>,
    numbered: Numbered,
    lanes: Vec<Lane>,
}

/// Data of a thread besides its events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lane {
    pub(crate) thread: u32,
    pub(crate) name: Key,
    pub(crate) span: Option<(i64, i64)>,
}

/// Events with numbers of their own: all events from the first such one on.
#[derive(Clone, Debug, Default)]
struct Numbered {
    first: u64,
    numbers: Column,
}

impl Events {
    /// The number of a string.
    pub fn string(&mut self, string: &str) -> Key {
        self.strings.intern(string)
    }

    /// The number of a thread.
    pub fn thread(&mut self, pid: Ident, tid: Ident) -> u32 {
        self.thread_ids.intern(ThreadId { pid, tid })
    }

    /// Adds an event. Rare members are added by the `set_` methods, each at most once, before the next event.
    pub fn push(&mut self, event: Event) {
        self.phases.push(event.phase);
        self.flags.push(event.flags);
        self.ts.push(event.ts);
        self.durs.push(event.dur);
        self.threads.push(Some(event.thread.into()));
        self.names.push(event.name.number());
        self.categories.push(event.category.number());
    }

    fn last(&self) -> EventIndex {
        EventIndex(self.len().checked_sub(1).expect("an event was added"))
    }

    /// Sets the id of the last event: `id`, `id2.local` or `id2.global`, with `scope`.
    pub fn set_id(&mut self, kind: IdKind, text: Key, scope: Key) {
        let event = self.last().0;
        self.ids.put(event, text.number());
        if kind != IdKind::Plain {
            self.id_kinds.put(event, Some(kind as i64));
        }
        if scope != Key::NONE {
            self.id_scopes.put(event, scope.number());
        }
    }

    /// Sets `bind_id` of the last event; a number as its decimal text.
    pub fn set_bind_id(&mut self, id: Key) {
        self.bind_ids.put(self.last().0, id.number());
    }

    /// Sets `tts` and `tdur` of the last event, in nanoseconds.
    pub fn set_thread_time(&mut self, tts: Option<i64>, tdur: Option<i64>) {
        self.thread_ts.put(self.last().0, tts);
        self.thread_durs.put(self.last().0, tdur);
    }

    /// Sets `ticount` and `tidelta` of the last event.
    pub fn set_instructions(&mut self, count: Option<i64>, delta: Option<i64>) {
        self.instructions.put(self.last().0, count);
        self.instruction_deltas.put(self.last().0, delta);
    }

    /// Sets `sf` and `esf` of the last event: keys of `stackFrames`, a number as its decimal text.
    pub fn set_stack(&mut self, start: Key, end: Key) {
        self.stacks.put(self.last().0, start.number());
        self.end_stacks.put(self.last().0, end.number());
    }

    /// Sets the process of the last event, if it is not that of its thread: drivers write marks for processes.
    pub fn set_process(&mut self, pid: Ident) {
        let owner = self.owner_ids.intern(pid);
        self.owners.put(self.last().0, Some(owner.into()));
    }

    /// Sets the number of the last event, if it is not its position. All later events must have greater numbers.
    pub fn set_number(&mut self, number: u64) {
        if self.numbered.numbers.is_empty() {
            self.numbered.first = self.last().0;
        }
        self.numbered.numbers.push(Some(number as i64));
    }

    /// Adds a thread, with or without events: its name, and when it was first and last seen, in nanoseconds.
    pub fn add_thread(&mut self, pid: Ident, tid: Ident, name: Key, span: Option<(i64, i64)>) {
        let thread = self.thread(pid, tid);
        self.lanes.push(Lane { thread, name, span });
    }

    /// Assigns processes to threads without one, by their `tid`, and removes processes of events that have become
    /// redundant.
    pub fn resolve_processes(&mut self, process_of: impl Fn(Ident) -> Ident) {
        self.thread_ids.map(|id| match id.pid {
            Ident::None => ThreadId { pid: process_of(id.tid), ..id },
            _ => id,
        });
        let ids = self.thread_ids.values();
        let owners = std::mem::take(&mut self.owners);
        for (event, owner) in (0..).zip(owners.iter()) {
            let own = ids[self.thread_of(EventIndex(event)) as usize].pid;
            let differs = |&owner: &i64| self.owner_ids.values()[owner as usize] != own;
            if let Some(owner) = owner.filter(differs) {
                self.owners.put(event, Some(owner));
            }
        }
    }

    /// Adds a member of `args` to the last event. See [`Events::wants_args`].
    pub fn add_arg(&mut self, key: Key, value: Value) {
        self.args.push(self.last(), key, value);
    }

    /// Whether the members of `args` of a phase are to be added, as far as they are numbers or strings: values of
    /// counters; names of threads and processes; steps; ids of clocks and of other things. For
    /// [`Phase::SnapshotObject`], add the members of `args.snapshot` that [`Events::wants_snapshot_member`] names. Add
    /// text of counters that is a number as that number.
    pub fn wants_args(phase: Phase) -> bool {
        use Phase::{AsyncStepInto, AsyncStepPast, ClockSync, Counter, LinkIds, Metadata};
        matches!(
            phase,
            Counter
                | Metadata
                | AsyncStepInto
                | AsyncStepPast
                | ClockSync
                | LinkIds
                | Phase::SnapshotObject
        )
    }

    /// Whether a member of `args` is a name: add it as text, even if it is written as a number.
    pub fn wants_text(name: &str) -> bool {
        matches!(name, "step" | "sync_id" | "linked_id")
    }

    /// Whether a member of `args.snapshot` is to be added.
    pub fn wants_snapshot_member(name: &str) -> bool {
        matches!(name, "base_type" | "cat")
    }

    /// Number of events.
    pub fn len(&self) -> u64 {
        self.phases.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phases.is_empty()
    }

    /// Removes all events, and keeps the memory.
    pub fn clear(&mut self) {
        self.phases.clear();
        self.flags.clear();
        self.ts.clear();
        self.durs.clear();
        self.threads.clear();
        self.names.clear();
        self.categories.clear();
        self.strings.clear();
        self.thread_ids.clear();
        self.ids.clear();
        self.id_kinds.clear();
        self.id_scopes.clear();
        self.bind_ids.clear();
        self.thread_ts.clear();
        self.thread_durs.clear();
        self.instructions.clear();
        self.instruction_deltas.clear();
        self.stacks.clear();
        self.end_stacks.clear();
        self.args.clear();
        self.owners.clear();
        self.owner_ids.clear();
        self.numbered.numbers.clear();
        self.lanes.clear();
    }

    /// Appends the events of the next part.
    pub fn append(&mut self, piece: &Events) {
        let first = self.len();
        let keys: Vec<Key> = piece.strings.iter().map(|s| self.strings.intern(s)).collect();
        let key = |key: Key| keys.get(key.0 as usize).copied().unwrap_or(Key::NONE);
        let ident = |ident: Ident| match ident {
            Ident::Text(text) => Ident::Text(key(text)),
            other => other,
        };
        let threads: Vec<u32> = (piece.thread_ids.values().iter())
            .map(|id| ThreadId { pid: ident(id.pid), tid: ident(id.tid) })
            .map(|id| self.thread_ids.intern(id))
            .collect();
        let owners: Vec<u32> = (piece.owner_ids.values().iter())
            .map(|&pid| self.owner_ids.intern(ident(pid)))
            .collect();
        let text = |text: i64| keys.get(text as usize).copied().and_then(Key::number);
        let thread = |thread: i64| Some(threads[thread as usize].into());

        self.phases.extend_from_slice(&piece.phases);
        self.flags.extend_from_slice(&piece.flags);
        self.ts.append(&piece.ts, first, Some);
        self.durs.append(&piece.durs, first, Some);
        self.threads.append(&piece.threads, first, thread);
        self.names.append(&piece.names, first, text);
        self.categories.append(&piece.categories, first, text);

        self.ids.append(&piece.ids, first, text);
        self.id_kinds.append(&piece.id_kinds, first, Some);
        self.id_scopes.append(&piece.id_scopes, first, text);
        self.bind_ids.append(&piece.bind_ids, first, text);
        self.thread_ts.append(&piece.thread_ts, first, Some);
        self.thread_durs.append(&piece.thread_durs, first, Some);
        self.instructions.append(&piece.instructions, first, Some);
        self.instruction_deltas.append(&piece.instruction_deltas, first, Some);
        self.stacks.append(&piece.stacks, first, text);
        self.end_stacks.append(&piece.end_stacks, first, text);
        self.args.append(&piece.args, first, key);
        self.owners.append(&piece.owners, first, |owner| Some(owners[owner as usize].into()));
        if !piece.numbered.numbers.is_empty() {
            if self.numbered.numbers.is_empty() {
                self.numbered.first = first + piece.numbered.first;
            }
            let numbers = self.numbered.numbers.len();
            self.numbered.numbers.append(&piece.numbered.numbers, numbers, Some);
        }
        self.lanes.extend(piece.lanes.iter().map(|lane| Lane {
            thread: threads[lane.thread as usize],
            name: key(lane.name),
            span: lane.span,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds an event of each kind, with its strings in another order each time.
    fn add(events: &mut Events, number: i64) {
        let text = |events: &mut Events, of: i64| events.string(&format!("s{}", of % 5));
        let pid = text(events, number * 3);
        let thread = events.thread(Ident::Text(pid), Ident::Number(number % 2));
        let name = text(events, number);
        events.push(Event {
            ts: Some(number),
            name,
            ..Event::new(Phase::NestableAsyncBegin, thread)
        });
        let (id, scope) = (text(events, number + 1), text(events, number + 2));
        match number % 3 {
            0 => events.set_id(IdKind::Local, id, scope),
            1 => events.set_id(IdKind::Plain, id, Key::NONE),
            _ => {}
        }
        events.set_bind_id(id);
        events.set_thread_time(None, Some(number));
        events.set_instructions(Some(number), None);
        events.set_stack(Key::NONE, id);
        events.add_arg(scope, Value::Text(id));
        events.add_arg(id, Value::Int(number));
    }

    #[test]
    fn pieces_are_as_good_as_the_whole() {
        let mut whole = Events::default();
        (0..20).for_each(|number| add(&mut whole, number));
        for size in [1, 3, 7, 20] {
            let (mut joined, mut piece) = (Events::default(), Events::default());
            for start in (0..20).step_by(size) {
                piece.clear();
                (start..(start + size as i64).min(20)).for_each(|number| add(&mut piece, number));
                joined.append(&piece);
            }
            let strings = |events: &Events| events.strings().iter().map(String::from).collect();
            let (found, expected): (Vec<_>, Vec<_>) = (strings(&joined), strings(&whole));
            assert_eq!(found, expected);
            assert_eq!(joined.thread_ids(), whole.thread_ids());
            for event in whole.all() {
                assert_eq!(joined.name(event), whole.name(event));
                assert_eq!(joined.category(event), Key::NONE);
                assert_eq!(joined.thread_of(event), whole.thread_of(event));
                assert_eq!(joined.id(event), whole.id(event));
                assert_eq!(joined.bind_id(event), whole.bind_id(event));
                assert_eq!(joined.thread_time(event), (None, Some(event.0 as i64)));
                assert_eq!(joined.instructions(event), (Some(event.0 as i64), None));
                assert_eq!(joined.stack(event), whole.stack(event));
                let args = |events: &Events| events.args().all(event).collect::<Vec<_>>();
                assert_eq!(args(&joined), args(&whole));
                assert_eq!(args(&joined).len(), 2);
            }
        }
    }
}
