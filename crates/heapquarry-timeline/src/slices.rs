//! Slices of threads: durations (`B`, `E`) and complete events (`X`), and their nesting.
//!
//! First, each end is matched with its beginning ([`Open`](crate::open)). Then all slices of a thread, whose ends are
//! now known, are visited in order of time. Of slices that start at the same time and have no end between them in the
//! file, the longest comes first, as in Perfetto (`test_x_event_order`). The parent of a slice is the innermost slice
//! that contains all of it.
//!
//! Writers round starts and durations separately. So a slice that ends at most one tick of the file's unit
//! ([`tick`](crate::tick)) after the one in which it begins lies in it: it keeps its duration, and covers the outer one
//! up to its end.
//!
//! Slices that overlap by more violate the format, but profilers of GPUs write them. They keep their times, as in the
//! reference importer; Perfetto moves them to a track of their own (before v57: drops them).

use crate::{
    EventIndex, Events, Key, Phase,
    issues::{Issue, Issues},
    open::Open,
    order::Groups,
    packed::Packed,
    small::Small,
    tick::tick,
};
use std::ops::Range;

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A complete event with a duration.
    Complete,
    /// A beginning with its end.
    Matched,
    /// A beginning without an end, closed by the end of a slice around it.
    Implied,
    /// A beginning without an end.
    Open,
    /// A complete event without a duration, or with a negative one.
    Unknown,
}

/// The slices of all threads. A slice is identified by the position of the event that begins it.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    states: Vec<u8>,
    parents: Packed,
    depths: Small<u16>,
    self_durs: Small<u32>,
    /// The end of a beginning, and the beginning of an end, if there is one.
    partners: Packed,
}

/// No slice.
const NONE: u8 = 0;
/// It ends after the slice in which it began.
const OVERLAPS: u8 = 1 << 6;
/// It stands for no work of its own.
const AGGREGATE: u8 = 1 << 5;
/// It is on the stack of open slices during nesting.
const ON_STACK: u8 = 1 << 7;
const ENDING: u8 = AGGREGATE - 1;

const ENDINGS: [Ending; 5] =
    [Ending::Complete, Ending::Matched, Ending::Implied, Ending::Open, Ending::Unknown];

fn state(ending: Ending) -> u8 {
    1 + ending as u8
}

/// The slices of all threads, and their events by thread in the order of nesting.
pub(crate) fn slices(events: &Events, issues: &mut Issues) -> (Slices, Groups) {
    let of_slices = events.of_phases(Phase::is_slice);
    let members = of_slices.map(|event| (event, events.thread_of(event)));
    let mut order =
        Groups::new(events.thread_ids().len(), events.len(), members, |event| events.ts(event));
    let len = events.len() as usize;
    let is_duration = |phase| matches!(phase, Phase::Begin | Phase::End);
    let has_durations = events.of_phases(is_duration).next().is_some();
    let mut slices = Slices {
        states: vec![NONE; len],
        parents: Packed::filled(len, events.len()),
        depths: Small::new(len),
        self_durs: Small::new(len),
        partners: Packed::filled(if has_durations { len } else { 0 }, events.len()),
    };
    let tick = tick(events);
    let mut nesting = Nesting { events, slices: &mut slices, issues, tick, stack: Vec::new() };
    let mut open = Open::default();
    for thread in 0..order.len() {
        let range = order.range(thread);
        if has_durations {
            nesting.match_ends(order.of(thread), &mut open);
        }
        nesting.nest(&mut order, range);
    }
    (slices, order)
}

impl Slices {
    /// How the slice that begins with this event ends; `None` if no slice begins with it.
    #[inline]
    pub fn ending(&self, event: EventIndex) -> Option<Ending> {
        match self.states.get(event.position())? & ENDING {
            NONE => None,
            state => Some(ENDINGS[usize::from(state) - 1]),
        }
    }

    /// Whether it ends after the slice in which it began, by more than a tick of the file's unit.
    pub fn overlaps(&self, event: EventIndex) -> bool {
        self.states[event.position()] & OVERLAPS != 0
    }

    /// Whether it stands for no work of its own: [`Aggregate`](crate::Aggregate).
    pub fn is_aggregate(&self, event: EventIndex) -> bool {
        self.states[event.position()] & AGGREGATE != 0
    }

    pub(crate) fn mark_aggregate(&mut self, event: EventIndex) {
        self.states[event.position()] |= AGGREGATE;
    }

    /// The slice that contains it.
    pub fn parent(&self, event: EventIndex) -> Option<EventIndex> {
        self.parents.optional(event.position()).map(EventIndex)
    }

    /// Number of slices that contain it.
    pub fn depth(&self, event: EventIndex) -> u32 {
        self.depths.get(event.0) as u32
    }

    /// The event that ends a slice that begins with `B`.
    pub fn end_event(&self, event: EventIndex) -> Option<EventIndex> {
        match self.ending(event)? {
            Ending::Matched | Ending::Implied => {
                self.partners.optional(event.position()).map(EventIndex)
            }
            _ => None,
        }
    }

    /// Duration in nanoseconds; -1 without an end, as in Perfetto.
    pub fn dur(&self, events: &Events, event: EventIndex) -> i64 {
        match self.end_event(event).and_then(|end| events.ts(end)) {
            Some(end) => end.saturating_sub(events.ts(event).unwrap_or(end)),
            None => {
                events.dur(event).filter(|_| events.phase(event) == Phase::Complete).unwrap_or(-1)
            }
        }
    }

    /// Its end for nesting: never for a beginning without an end, at once for a complete event without a duration.
    pub(crate) fn end(&self, events: &Events, event: EventIndex) -> i64 {
        let ts = events.ts(event).unwrap_or(0);
        match self.ending(event) {
            Some(Ending::Open) => i64::MAX,
            Some(Ending::Matched | Ending::Implied) => {
                self.end_event(event).and_then(|end| events.ts(end)).unwrap_or(ts)
            }
            _ => ts.saturating_add(events.dur(event).unwrap_or(0).max(0)),
        }
    }

    /// The part of the duration that no nested slice covers, in nanoseconds; `None` without a known duration. A tick by
    /// which it outlives its parent does not count.
    pub fn self_dur(&self, event: EventIndex) -> Option<i64> {
        match self.ending(event)? {
            Ending::Complete | Ending::Matched | Ending::Implied => {
                Some(self.self_durs.get(event.0))
            }
            Ending::Open | Ending::Unknown => None,
        }
    }
}

struct Nesting<'a> {
    events: &'a Events,
    slices: &'a mut Slices,
    issues: &'a mut Issues,
    /// By how much an end may be wrong, in nanoseconds.
    tick: i64,
    /// Slices that can contain the next one, each within the one before it.
    stack: Vec<Entry>,
}

struct Entry {
    event: EventIndex,
    /// Its end. One that is no event is not after the end of its parent.
    end: i64,
    /// Where its time ends: not after that of its parent.
    limit: i64,
    /// The position up to which its direct children cover it.
    covered: i64,
}

impl Nesting<'_> {
    /// Matches the ends of a thread with their beginnings.
    fn match_ends(&mut self, thread: impl Iterator<Item = EventIndex>, open: &mut Open) {
        let Nesting { events, slices, issues, .. } = self;
        let empty = events.strings().find("").unwrap_or(Key::NONE);
        let title = |event: EventIndex| {
            let named = |key: Key| if key == empty { Key::NONE } else { key };
            (named(events.name(event)), named(events.category(event)))
        };
        for event in thread {
            match events.phase(event) {
                Phase::Begin => open.push(event, title(event)),
                Phase::End => {
                    let mut close = |begin: EventIndex, ending| {
                        slices.states[begin.position()] = state(ending);
                        slices.partners.set(begin.position(), event.0);
                    };
                    let begin = open.end(title(event), |_, begin| {
                        close(begin, Ending::Implied);
                        issues.add(Issue::ImpliedEnd, begin);
                    });
                    match begin {
                        Some(begin) => {
                            close(begin, Ending::Matched);
                            slices.partners.set(event.position(), begin.0);
                        }
                        None => issues.add(Issue::UnmatchedEnd, event),
                    }
                }
                _ => {}
            }
        }
        for begin in open.drain() {
            slices.states[begin.position()] = state(Ending::Open);
            issues.add(Issue::Unclosed, begin);
        }
    }

    /// Nests the slices of a thread.
    fn nest(&mut self, order: &mut Groups, thread: Range<usize>) {
        self.stack.clear();
        let mut at = thread.start;
        while at < thread.end {
            let event = order.event(at);
            let ts = self.events.ts(event).unwrap_or(0);
            if self.events.phase(event) == Phase::End {
                self.end(event);
                at += 1;
                continue;
            }
            let starts_here = |&at: &usize| {
                let event = order.event(at);
                self.events.phase(event) != Phase::End && self.events.ts(event) == Some(ts)
            };
            let together = (at..thread.end).take_while(starts_here).count();
            if together > 1 {
                let longest_first =
                    |event: EventIndex| std::cmp::Reverse(self.slices.end(self.events, event));
                order.sort(at..at + together, longest_first);
            }
            for at in at..at + together {
                self.start(order.event(at), ts);
            }
            at += together;
        }
        for entry in self.stack.drain(..) {
            self.slices.states[entry.event.position()] &= !ON_STACK;
        }
    }

    fn start(&mut self, event: EventIndex, ts: i64) {
        let is_complete = self.events.phase(event) == Phase::Complete;
        if is_complete && !matches!(self.events.dur(event), Some(0..)) {
            self.issues.add(Issue::NoDuration, event);
            self.slices.states[event.position()] = state(Ending::Unknown);
        } else if is_complete {
            self.slices.states[event.position()] = state(Ending::Complete);
        }
        let is_open = self.slices.ending(event) == Some(Ending::Open);
        let mut end = self.slices.end(self.events, event);
        // Pop the slices that have ended: complete events by their time, others when their end is visited. But a
        // complete event can precede an end of the same time in the file.
        while let Some(top) = self.stack.last()
            && top.end <= ts
            && (self.is_timed(top.event) || (is_complete && end > ts))
        {
            self.pop();
        }
        let mut overlaps = false;
        while let Some(top) = self.stack.last() {
            if is_open {
                end = top.end;
            }
            if end <= top.end {
                break;
            }
            if ts < top.end && end.saturating_sub(top.end) <= self.tick {
                // An end that is an event is visited at its own time.
                end = if self.is_timed(event) { top.end } else { end };
                break;
            }
            overlaps = true;
            self.pop();
        }
        let limit = self.stack.last().map_or(end, |parent| end.min(parent.limit));
        let slices = &mut *self.slices;
        if let Some(parent) = self.stack.last_mut() {
            slices.parents.set(event.position(), parent.event.0);
            slices.depths.set(event.0, slices.depths.get(parent.event.0) + 1);
            let fresh = limit.saturating_sub(ts.max(parent.covered)).max(0);
            parent.covered = parent.covered.max(limit);
            let own = slices.self_durs.get(parent.event.0);
            // A slice without an end has no self time, and durations beyond the range are cut.
            slices.self_durs.set(parent.event.0, (own - fresh).max(0));
        }
        slices.self_durs.set(event.0, if is_open { 0 } else { limit.saturating_sub(ts).max(0) });
        slices.states[event.position()] |= ON_STACK;
        if overlaps {
            slices.states[event.position()] |= OVERLAPS;
            self.issues.add(Issue::Overlap, event);
        }
        self.stack.push(Entry { event, end, limit, covered: ts });
    }

    /// Whether it ends at a time, and not with a separate event.
    fn is_timed(&self, event: EventIndex) -> bool {
        self.slices.ending(event) != Some(Ending::Matched)
    }

    /// Pops the slice that this event ends, with all slices in it, unless another slice ended after it.
    fn end(&mut self, end: EventIndex) {
        let Some(begin) = self.slices.partners.optional(end.position()) else { return };
        let begin = EventIndex(begin);
        while self.slices.states[begin.position()] & ON_STACK != 0 {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if let Some(entry) = self.stack.pop() {
            self.slices.states[entry.event.position()] &= !ON_STACK;
        }
    }
}
