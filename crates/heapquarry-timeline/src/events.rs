//! The events of a trace, as a struct of arrays.

use crate::{Key, Strings, intern::Interner, packed::Packed};
use std::ops::{BitOr, BitOrAssign};

/// The events of a trace in the order of the file, in compact form: 31 bytes each, and what few of them have aside.
///
/// Whoever decodes with several threads fills one of these for each piece of the file and joins them in order with
/// [`Events::append`]; numbers of strings, threads and ids are then those of their first use in the file, whatever the
/// pieces are.
///
/// ```
/// use heapquarry_timeline::{Event, Events, Ident};
///
/// let mut events = Events::default();
/// let name = events.string("parse");
/// let thread = events.thread(Ident::Number(1), Ident::Number(2));
/// events.push(Event { ts: Some(1_000), dur: Some(500), name, ..Event::new(b'X', thread) });
/// events.set_thread_time(Some(10), Some(400));
/// assert_eq!(events.ts(0), Some(1_000));
/// assert_eq!(events.thread_times().get(0), Some((Some(10), Some(400))));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Events {
    phases: Vec<u8>,
    flags: Vec<Flags>,
    ts: Vec<i64>,
    durs: Vec<i64>,
    threads: Vec<u32>,
    names: Vec<Key>,
    categories: Vec<Key>,

    strings: Strings,
    thread_ids: Interner<ThreadId>,
    ids: Interner<Id>,

    id_of: Sparse<u32>,
    bind_ids: Sparse<Key>,
    thread_times: Sparse<(i64, i64)>,
    instructions: Sparse<(i64, i64)>,
    stacks: Sparse<(Key, Key)>,
    args: Sparse<(Key, Value)>,

    owners: Sparse<Ident>,
    numbered: Numbered,
    lanes: Vec<Lane>,
}

/// What is known of a thread besides its events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lane {
    pub(crate) thread: u32,
    pub(crate) name: Key,
    pub(crate) span: Option<(i64, i64)>,
}

/// Events that have numbers of their own: all from the first of them on.
#[derive(Clone, Debug, Default)]
struct Numbered {
    first: u64,
    numbers: Packed,
}

/// Stands for a time that there is none of.
const NO_TIME: i64 = i64::MIN;

/// An event, as it is added.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its phase: the first byte of `ph`, 0 if there is none.
    pub phase: u8,
    /// Of it, what is a matter of yes or no.
    pub flags: Flags,
    /// Time in nanoseconds.
    pub ts: Option<i64>,
    /// Duration in nanoseconds, if the event says so.
    pub dur: Option<i64>,
    /// Its thread: [`Events::thread`].
    pub thread: u32,
    /// Its name: [`Events::string`].
    pub name: Key,
    /// Its categories, as one string.
    pub category: Key,
}

impl Event {
    /// An event of that phase and thread without anything else.
    pub fn new(phase: u8, thread: u32) -> Self {
        Event {
            phase,
            flags: Flags::NONE,
            ts: None,
            dur: None,
            thread,
            name: Key::NONE,
            category: Key::NONE,
        }
    }
}

/// What is a matter of yes or no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// Nothing of it.
    pub const NONE: Flags = Flags(0);
    /// An instant of its process: `"s":"p"`.
    pub const PROCESS_SCOPE: Flags = Flags(1);
    /// An instant of the whole trace: `"s":"g"`.
    pub const GLOBAL_SCOPE: Flags = Flags(1 << 1);
    /// The end of a flow that binds to the slice around it: `"bp":"e"`.
    pub const BIND_ENCLOSING: Flags = Flags(1 << 2);
    /// `bp` of another value, which no version of the format has.
    pub const BIND_UNKNOWN: Flags = Flags(1 << 3);
    /// The flow `bind_id` comes in: `"flow_in":true`.
    pub const FLOW_IN: Flags = Flags(1 << 4);
    /// The flow `bind_id` goes out: `"flow_out":true`.
    pub const FLOW_OUT: Flags = Flags(1 << 5);
    /// `args` is there and holds something.
    pub const ARGS: Flags = Flags(1 << 6);
    /// `tts` of an asynchronous event means something: `"use_async_tts":1`.
    pub const ASYNC_TTS: Flags = Flags(1 << 7);

    /// Whether all of `other` are set.
    #[inline]
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// A `pid` or `tid`: producers write numbers of any size and sign, and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ident {
    /// There is none.
    None,
    /// A whole number.
    Number(i64),
    /// Anything else, as text.
    Text(Key),
}

/// What tells threads apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId {
    /// The process.
    pub pid: Ident,
    /// The thread; threads of different processes may have the same.
    pub tid: Ident,
}

/// What an id stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdKind {
    /// `id`.
    Plain,
    /// `id2.local`: means something within its process only.
    Local,
    /// `id2.global`.
    Global,
}

/// The id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    /// What it stands in.
    pub kind: IdKind,
    /// A string as it is; a number as its decimal text, so that `1` and `"1"` are the same.
    pub text: Key,
    /// `scope`.
    pub scope: Key,
}

/// A scalar member of `args`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string; `true`, `false` and `null` are none.
    Text(Key),
}

impl Events {
    /// Makes room for so many more events. Memory that is not used costs nothing but its addresses.
    pub fn reserve(&mut self, events: usize) {
        self.phases.reserve_exact(events);
        self.flags.reserve_exact(events);
        self.ts.reserve_exact(events);
        self.durs.reserve_exact(events);
        self.threads.reserve_exact(events);
        self.names.reserve_exact(events);
        self.categories.reserve_exact(events);
    }

    /// The number of a string.
    pub fn string(&mut self, string: &str) -> Key {
        self.strings.intern(string)
    }

    /// The number of a thread.
    pub fn thread(&mut self, pid: Ident, tid: Ident) -> u32 {
        self.thread_ids.intern(ThreadId { pid, tid })
    }

    /// Adds an event. What few events have is added by the `set_` methods, before the next event.
    pub fn push(&mut self, event: Event) {
        self.phases.push(event.phase);
        self.flags.push(event.flags);
        self.ts.push(event.ts.unwrap_or(NO_TIME));
        self.durs.push(event.dur.unwrap_or(NO_TIME));
        self.threads.push(event.thread);
        self.names.push(event.name);
        self.categories.push(event.category);
    }

    fn last(&self) -> u64 {
        self.len().checked_sub(1).expect("an event was added")
    }

    /// The id of the event added last: `id`, `id2.local` or `id2.global`, with `scope`.
    pub fn set_id(&mut self, kind: IdKind, text: Key, scope: Key) {
        let id = self.ids.intern(Id { kind, text, scope });
        self.id_of.push(self.last(), id);
    }

    /// `bind_id` of the event added last; a number as its decimal text.
    pub fn set_bind_id(&mut self, id: Key) {
        self.bind_ids.push(self.last(), id);
    }

    /// `tts` and `tdur` of the event added last, in nanoseconds.
    pub fn set_thread_time(&mut self, tts: Option<i64>, tdur: Option<i64>) {
        let times = (tts.unwrap_or(NO_TIME), tdur.unwrap_or(NO_TIME));
        self.thread_times.push(self.last(), times);
    }

    /// `ticount` and `tidelta` of the event added last.
    pub fn set_instructions(&mut self, count: Option<i64>, delta: Option<i64>) {
        let counts = (count.unwrap_or(NO_TIME), delta.unwrap_or(NO_TIME));
        self.instructions.push(self.last(), counts);
    }

    /// `sf` and `esf` of the event added last: keys of `stackFrames`, a number as its decimal text.
    pub fn set_stack(&mut self, start: Key, end: Key) {
        self.stacks.push(self.last(), (start, end));
    }

    /// The process that the event added last is about, if it is not that of its thread: drivers write for processes.
    pub fn set_process(&mut self, pid: Ident) {
        self.owners.push(self.last(), pid);
    }

    /// The number of the event added last, if that is not its position. All that follow must have one too, greater ones.
    pub fn set_number(&mut self, number: u64) {
        if self.numbered.numbers.len() == 0 {
            self.numbered.first = self.last();
        }
        self.numbered.numbers.push(number);
    }

    /// Makes a thread known, whether it has events or not: its name, and when it was seen first and last, in nanoseconds.
    pub fn add_thread(&mut self, pid: Ident, tid: Ident, name: Key, span: Option<(i64, i64)>) {
        let thread = self.thread(pid, tid);
        self.lanes.push(Lane { thread, name, span });
    }

    /// Gives threads of no process one, by their `tid`, and forgets of events that they are about just that.
    pub fn resolve_processes(&mut self, process_of: impl Fn(Ident) -> Ident) {
        self.thread_ids.map(|id| match id.pid {
            Ident::None => ThreadId { pid: process_of(id.tid), ..id },
            _ => id,
        });
        let (threads, ids) = (&self.threads, self.thread_ids.values());
        let differs =
            |&(event, pid): &(u64, Ident)| ids[threads[event as usize] as usize].pid != pid;
        self.owners = Sparse::of(self.owners.iter().filter(differs));
    }

    /// Adds a member of `args` of the event added last. See [`Events::wants_args`].
    pub fn add_arg(&mut self, key: Key, value: Value) {
        self.args.push(self.last(), (key, value));
    }

    /// Of which phases the members of `args` are to be added, as far as they are numbers or strings: values of counters;
    /// names of threads and processes; steps; ids of clocks and of other things. Of `O` it is those of `args.snapshot`
    /// that [`Events::wants_snapshot_member`] names. Text of counters that is a number is added as that number.
    pub fn wants_args(phase: u8) -> bool {
        matches!(phase, b'C' | b'M' | b'T' | b'p' | b'c' | b'=' | b'O')
    }

    /// Members of `args` that name something: they are to be added as text, even if they are written as numbers.
    pub fn wants_text(name: &str) -> bool {
        matches!(name, "step" | "sync_id" | "linked_id")
    }

    /// The members of `args.snapshot` that are to be added.
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

    /// Removes all events, and keeps the memory for others.
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
        self.id_of.clear();
        self.bind_ids.clear();
        self.thread_times.clear();
        self.instructions.clear();
        self.stacks.clear();
        self.args.clear();
        self.owners.clear();
        self.numbered.numbers.clear();
        self.lanes.clear();
    }

    /// Appends the events of the next piece.
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
        let ids: Vec<u32> = (piece.ids.values().iter())
            .map(|id| Id { text: key(id.text), scope: key(id.scope), ..*id })
            .map(|id| self.ids.intern(id))
            .collect();

        self.phases.extend_from_slice(&piece.phases);
        self.flags.extend_from_slice(&piece.flags);
        self.ts.extend_from_slice(&piece.ts);
        self.durs.extend_from_slice(&piece.durs);
        self.threads.extend(piece.threads.iter().map(|&thread| threads[thread as usize]));
        self.names.extend(piece.names.iter().map(|&name| key(name)));
        self.categories.extend(piece.categories.iter().map(|&category| key(category)));

        self.id_of.append(&piece.id_of, first, |id| ids[id as usize]);
        self.bind_ids.append(&piece.bind_ids, first, key);
        self.thread_times.append(&piece.thread_times, first, |times| times);
        self.instructions.append(&piece.instructions, first, |counts| counts);
        self.stacks.append(&piece.stacks, first, |(start, end)| (key(start), key(end)));
        self.args.append(&piece.args, first, |(name, value)| match value {
            Value::Text(text) => (key(name), Value::Text(key(text))),
            number => (key(name), number),
        });
        self.owners.append(&piece.owners, first, ident);
        if piece.numbered.numbers.len() > 0 {
            if self.numbered.numbers.len() == 0 {
                self.numbered.first = first + piece.numbered.first;
            }
            self.numbered.numbers.append(&piece.numbered.numbers, 0);
        }
        self.lanes.extend(piece.lanes.iter().map(|lane| Lane {
            thread: threads[lane.thread as usize],
            name: key(lane.name),
            span: lane.span,
        }));
    }

    /// Phases: the first byte of `ph`, 0 if there is none.
    pub fn phases(&self) -> &[u8] {
        &self.phases
    }

    /// Flags of an event.
    #[inline]
    pub fn flags(&self, event: u64) -> Flags {
        self.flags[event as usize]
    }

    /// Time of an event in nanoseconds.
    #[inline]
    pub fn ts(&self, event: u64) -> Option<i64> {
        time(self.ts[event as usize])
    }

    /// Duration that an event gives, in nanoseconds.
    #[inline]
    pub fn dur(&self, event: u64) -> Option<i64> {
        time(self.durs[event as usize])
    }

    /// Threads, as positions in [`Events::thread_ids`].
    pub fn threads(&self) -> &[u32] {
        &self.threads
    }

    /// Names.
    pub fn names(&self) -> &[Key] {
        &self.names
    }

    /// Categories.
    pub fn categories(&self) -> &[Key] {
        &self.categories
    }

    /// The strings that keys refer to.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The threads, in order of their first event.
    pub fn thread_ids(&self) -> &[ThreadId] {
        self.thread_ids.values()
    }

    /// The distinct ids, in order of their first event.
    pub fn ids(&self) -> &[Id] {
        self.ids.values()
    }

    /// Which events have an id, as positions in [`Events::ids`].
    pub fn id_of(&self) -> &Sparse<u32> {
        &self.id_of
    }

    /// `bind_id`.
    pub fn bind_ids(&self) -> &Sparse<Key> {
        &self.bind_ids
    }

    /// `tts` and `tdur` in nanoseconds.
    pub fn thread_times(&self) -> Pairs<'_> {
        Pairs(&self.thread_times)
    }

    /// `ticount` and `tidelta`.
    pub fn instructions(&self) -> Pairs<'_> {
        Pairs(&self.instructions)
    }

    /// `sf` and `esf`.
    pub fn stacks(&self) -> &Sparse<(Key, Key)> {
        &self.stacks
    }

    /// The id of an event.
    pub fn id(&self, event: u64) -> Option<Id> {
        self.id_of.get(event).map(|id| self.ids.values()[id as usize])
    }

    /// The process of an event: the one that it is about, otherwise that of its thread.
    pub fn pid(&self, event: u64) -> Ident {
        let of_thread = || self.thread_ids.values()[self.threads[event as usize] as usize].pid;
        self.owner(event).unwrap_or_else(of_thread)
    }

    /// The process that the event is about, if it is not that of its thread.
    pub(crate) fn owner(&self, event: u64) -> Option<Ident> {
        if self.owners.is_empty() { None } else { self.owners.get(event) }
    }

    pub(crate) fn owners(&self) -> &Sparse<Ident> {
        &self.owners
    }

    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// What the event is known by outside: its position, or the number that it was given.
    #[inline]
    pub fn number(&self, event: u64) -> u64 {
        let Numbered { first, numbers } = &self.numbered;
        match event.checked_sub(*first) {
            Some(at) if (at as usize) < numbers.len() => numbers.get(at as usize),
            _ => event,
        }
    }

    /// Whether it was given a number: events of ftrace are known by their lines.
    pub fn has_number(&self, event: u64) -> bool {
        self.numbered.numbers.len() > 0 && event >= self.numbered.first
    }

    /// The member of `args` of that name, if it was added.
    pub fn arg(&self, event: u64, name: &str) -> Option<Value> {
        let key = self.strings.find(name)?;
        self.args.all(event).iter().find(|(name, _)| *name == key).map(|&(_, value)| value)
    }

    /// The same, if it is text.
    pub fn text_arg(&self, event: u64, name: &str) -> Option<Key> {
        match self.arg(event, name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The events of some phases, in the order of the file.
    pub(crate) fn of_phases<'a>(
        &'a self,
        phases: &'static [u8],
    ) -> impl Iterator<Item = u64> + Clone + 'a {
        let all = (0..).zip(&self.phases);
        all.filter(|(_, phase)| phases.contains(phase)).map(|(event, _)| event)
    }

    /// Members of `args`: name and value. Several of one event stand one after the other.
    pub fn args(&self) -> &Sparse<(Key, Value)> {
        &self.args
    }
}

fn time(value: i64) -> Option<i64> {
    (value != NO_TIME).then_some(value)
}

/// Numbers that come in pairs, each of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a>(&'a Sparse<(i64, i64)>);

impl Pairs<'_> {
    /// The pair of an event.
    pub fn get(&self, event: u64) -> Option<(Option<i64>, Option<i64>)> {
        self.0.get(event).map(|(first, second)| (time(first), time(second)))
    }

    /// Whether no event has any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What few events have: their positions, which never go back, and the values.
#[derive(Clone, Debug)]
pub struct Sparse<T> {
    events: Packed,
    values: Vec<T>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Sparse { events: Packed::default(), values: Vec::new() }
    }
}

impl<T: Copy> Sparse<T> {
    /// Of events in order.
    pub(crate) fn of(pairs: impl IntoIterator<Item = (u64, T)>) -> Self {
        let mut sparse = Sparse::default();
        pairs.into_iter().for_each(|(event, value)| sparse.push(event, value));
        sparse
    }

    pub(crate) fn push(&mut self, event: u64, value: T) {
        self.events.push(event);
        self.values.push(value);
    }

    fn append(&mut self, other: &Self, first: u64, map: impl Fn(T) -> T) {
        self.events.append(&other.events, first);
        self.values.extend(other.values.iter().map(|&value| map(value)));
    }

    fn clear(&mut self) {
        self.events.clear();
        self.values.clear();
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A value of that event; any of them if it has several. Takes time as the logarithm of their number.
    pub fn get(&self, event: u64) -> Option<T> {
        self.events.find(event).map(|at| self.values[at])
    }

    /// All values of that event, in order.
    pub fn all(&self, event: u64) -> &[T] {
        let start = self.events.rank(event);
        &self.values[start..self.events.rank(event + 1)]
    }

    /// Event and value at a position.
    pub(crate) fn at(&self, at: usize) -> (u64, T) {
        (self.events.get(at), self.values[at])
    }

    /// Events and their values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u64, T)> + Clone + '_ {
        (0..self.len()).map(|at| (self.events.get(at), self.values[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event of each kind, its strings in another order each time.
    fn add(events: &mut Events, number: i64) {
        let text = |events: &mut Events, of: i64| events.string(&format!("s{}", of % 5));
        let pid = text(events, number * 3);
        let thread = events.thread(Ident::Text(pid), Ident::Number(number % 2));
        let name = text(events, number);
        events.push(Event { ts: Some(number), name, ..Event::new(b'b', thread) });
        let (id, scope) = (text(events, number + 1), text(events, number + 2));
        events.set_id(IdKind::Local, id, scope);
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
            assert_eq!(joined.ids(), whole.ids());
            assert_eq!(joined.names(), whole.names());
            assert_eq!(joined.threads(), whole.threads());
            for event in 0..20 {
                assert_eq!(joined.id_of().get(event), whole.id_of().get(event));
                assert_eq!(joined.bind_ids().get(event), whole.bind_ids().get(event));
                assert_eq!(joined.thread_times().get(event), Some((None, Some(event as i64))));
                assert_eq!(joined.instructions().get(event), Some((Some(event as i64), None)));
                assert_eq!(joined.stacks().get(event), whole.stacks().get(event));
                assert_eq!(joined.args().all(event), whole.args().all(event));
                assert_eq!(joined.args().all(event).len(), 2);
            }
        }
    }
}
