//! What is known of events that were added.

use super::{Events, Lane, Numbered};
use crate::{
    EventIndex, Flags, Id, IdKind, Ident, Key, Phase, Strings, ThreadId, Value, args::Args,
};

impl Events {
    /// All events, in file order.
    #[inline]
    pub fn all(&self) -> impl DoubleEndedIterator<Item = EventIndex> + Clone + use<> {
        EventIndex::each(0..self.len())
    }

    /// All events, with their phases.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (EventIndex, Phase)> + Clone + '_ {
        self.all().zip(self.phases.iter().copied())
    }

    /// Phase of an event.
    ///
    /// # Panics
    /// If there is no such event.
    #[inline]
    pub fn phase(&self, event: EventIndex) -> Phase {
        self.phases[event.position()]
    }

    /// Flags of an event.
    #[inline]
    pub fn flags(&self, event: EventIndex) -> Flags {
        self.flags[event.position()]
    }

    /// Time of an event in nanoseconds.
    #[inline]
    pub fn ts(&self, event: EventIndex) -> Option<i64> {
        self.ts.get(event.0)
    }

    /// Duration of an event in nanoseconds, as written.
    #[inline]
    pub fn dur(&self, event: EventIndex) -> Option<i64> {
        self.durs.get(event.0)
    }

    /// Thread of an event, as a position in [`Events::thread_ids`].
    ///
    /// # Panics
    /// If there is no such event.
    #[inline]
    pub fn thread_of(&self, event: EventIndex) -> u32 {
        self.threads.get(event.0).expect("each event has a thread") as u32
    }

    /// Name of an event.
    #[inline]
    pub fn name(&self, event: EventIndex) -> Key {
        Key::of(self.names.get(event.0))
    }

    /// Categories of an event, as one string.
    #[inline]
    pub fn category(&self, event: EventIndex) -> Key {
        Key::of(self.categories.get(event.0))
    }

    /// The strings that keys refer to.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// The threads, in order of their first event.
    pub fn thread_ids(&self) -> &[ThreadId] {
        self.thread_ids.values()
    }

    /// The text of the id of an event.
    #[inline]
    pub fn id_text(&self, event: EventIndex) -> Option<Key> {
        Key::of(self.ids.get(event.0)).some()
    }

    /// `bind_id`.
    pub fn bind_id(&self, event: EventIndex) -> Option<Key> {
        Key::of(self.bind_ids.get(event.0)).some()
    }

    /// Events with a `bind_id`, in file order.
    pub(crate) fn bind_ids(&self) -> impl Iterator<Item = (EventIndex, Key)> + '_ {
        let id = |(event, id)| Some((EventIndex(event), Key::of(id).some()?));
        (0..).zip(self.bind_ids.iter()).filter_map(id)
    }

    /// `tts` and `tdur` in nanoseconds.
    pub fn thread_time(&self, event: EventIndex) -> (Option<i64>, Option<i64>) {
        (self.thread_ts.get(event.0), self.thread_durs.get(event.0))
    }

    /// Whether any event has them.
    pub fn has_thread_times(&self) -> bool {
        !self.thread_ts.is_empty()
    }

    /// `ticount` and `tidelta`.
    pub fn instructions(&self, event: EventIndex) -> (Option<i64>, Option<i64>) {
        (self.instructions.get(event.0), self.instruction_deltas.get(event.0))
    }

    /// Whether any event has them.
    pub fn has_instructions(&self) -> bool {
        !self.instructions.is_empty()
    }

    /// `sf` and `esf`.
    pub fn stack(&self, event: EventIndex) -> (Key, Key) {
        (Key::of(self.stacks.get(event.0)), Key::of(self.end_stacks.get(event.0)))
    }

    /// Whether any event has them.
    pub fn has_stacks(&self) -> bool {
        !self.stacks.is_empty()
    }

    /// The id of an event.
    pub fn id(&self, event: EventIndex) -> Option<Id> {
        let text = self.id_text(event)?;
        let kind = match self.id_kinds.get(event.0) {
            Some(kind) if kind == IdKind::Local as i64 => IdKind::Local,
            Some(_) => IdKind::Global,
            None => IdKind::Plain,
        };
        Some(Id { kind, text, scope: Key::of(self.id_scopes.get(event.0)) })
    }

    /// The process of an event: its own, or that of its thread.
    pub fn pid(&self, event: EventIndex) -> Ident {
        let of_thread = || self.thread_ids.values()[self.thread_of(event) as usize].pid;
        self.owner(event).unwrap_or_else(of_thread)
    }

    /// The process of an event, if it is not that of its thread.
    pub(crate) fn owner(&self, event: EventIndex) -> Option<Ident> {
        self.owners.get(event.0).map(|owner| self.owner_ids.values()[owner as usize])
    }

    /// The number of leading events that include all events with an owner.
    pub(crate) fn owned(&self) -> u64 {
        self.owners.len()
    }

    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The index of the event in the tables: its position, or the number that was set.
    #[inline]
    pub fn number(&self, event: EventIndex) -> u64 {
        let Numbered { first, numbers } = &self.numbered;
        let number = event.0.checked_sub(*first).and_then(|at| numbers.get(at));
        number.map_or(event.0, |number| number as u64)
    }

    /// Whether it has a number: events of ftrace are numbered by their lines.
    pub fn has_number(&self, event: EventIndex) -> bool {
        !self.numbered.numbers.is_empty() && event.0 >= self.numbered.first
    }

    /// The member of `args` with that name, if it was added.
    pub fn arg(&self, event: EventIndex, name: &str) -> Option<Value> {
        let key = self.strings.find(name)?;
        self.args.all(event).find(|&(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text member of `args` with that name, if it was added and is text.
    pub fn text_arg(&self, event: EventIndex, name: &str) -> Option<Key> {
        match self.arg(event, name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The events with some phases, in file order.
    pub(crate) fn of_phases<'a>(
        &'a self,
        is_wanted: impl Fn(Phase) -> bool + Clone + 'a,
    ) -> impl Iterator<Item = EventIndex> + Clone + 'a {
        self.phases().filter(move |&(_, phase)| is_wanted(phase)).map(|(event, _)| event)
    }

    /// Whether an event is an instant, mark or sample, and has a time.
    #[inline]
    pub fn is_instant(&self, event: EventIndex) -> bool {
        self.phase(event).is_instant() && self.ts(event).is_some()
    }

    /// Members of `args`.
    pub(crate) fn args(&self) -> &Args {
        &self.args
    }
}
