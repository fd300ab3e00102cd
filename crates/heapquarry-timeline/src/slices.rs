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
    column::Column,
    issues::{Issue, Issues},
    open::Open,
    order::Groups,
    packed::Packed,
    ranks::Ranks,
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
    /// The events that begin slices if they have a time. The lists have an element for each of them.
    begins: Ranks,
    states: Vec<u8>,
    // Neighbours are alike, so these take a third of the memory of their lists in [`Nesting`].
    parents: Column,
    depths: Column,
    self_durs: Column,
    /// The events that end beginnings, if there are any.
    ends: Packed,
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
    let begins = events.of_phases(|phase| matches!(phase, Phase::Begin | Phase::Complete));
    let begins = Ranks::new(events.len(), begins);
    let len = begins.len() as usize;
    let is_duration = |phase| matches!(phase, Phase::Begin | Phase::End);
    let has_durations = events.of_phases(is_duration).next().is_some();
    let mut slices = Slices {
        begins,
        states: vec![NONE; len],
        parents: Column::default(),
        depths: Column::default(),
        self_durs: Column::default(),
        ends: Packed::filled(if has_durations { len } else { 0 }, events.len()),
    };
    let mut nesting = Nesting {
        events,
        slices: &mut slices,
        issues,
        tick: tick(events),
        parents: Packed::filled(len, events.len()),
        depths: Small::new(len),
        self_durs: Small::new(len),
        matched: Packed::default(),
        stack: Vec::new(),
    };
    let mut open = Open::default();
    for thread in 0..order.len() {
        let range = order.range(thread);
        if has_durations {
            nesting.match_ends(order.of(thread), &mut open);
        }
        nesting.nest(&mut order, range);
    }
    let Nesting { parents, depths, self_durs, .. } = nesting;
    let parent = |at| parents.optional(at).map(|parent| parent as i64);
    slices.parents = (0..len).map(parent).collect();
    drop(parents);
    slices.depths = (0..len as u64).map(|at| Some(depths.get(at))).collect();
    drop(depths);
    slices.self_durs = (0..len as u64).map(|at| Some(self_durs.get(at))).collect();
    (slices, order)
}

impl Slices {
    /// How the slice that begins with this event ends; `None` if no slice begins with it.
    #[inline]
    pub fn ending(&self, event: EventIndex) -> Option<Ending> {
        self.ending_at(self.place(event)?)
    }

    #[inline]
    fn ending_at(&self, at: usize) -> Option<Ending> {
        match self.states[at] & ENDING {
            NONE => None,
            state => Some(ENDINGS[usize::from(state) - 1]),
        }
    }

    /// Where the lists have an event, if it can begin a slice.
    #[inline]
    fn place(&self, event: EventIndex) -> Option<usize> {
        self.begins.of(event).map(|at| at as usize)
    }

    /// Where the lists have an event that can begin a slice.
    #[inline]
    fn at(&self, begin: EventIndex) -> usize {
        self.begins.before(begin) as usize
    }

    fn has(&self, event: EventIndex, flag: u8) -> bool {
        self.place(event).is_some_and(|at| self.states[at] & flag != 0)
    }

    /// Whether it ends after the slice in which it began, by more than a tick of the file's unit.
    pub fn overlaps(&self, event: EventIndex) -> bool {
        self.has(event, OVERLAPS)
    }

    /// Whether it stands for no work of its own: [`Aggregate`](crate::Aggregate).
    pub fn is_aggregate(&self, event: EventIndex) -> bool {
        self.has(event, AGGREGATE)
    }

    pub(crate) fn mark_aggregate(&mut self, begin: EventIndex) {
        let at = self.at(begin);
        self.states[at] |= AGGREGATE;
    }

    /// The slice that contains it.
    pub fn parent(&self, event: EventIndex) -> Option<EventIndex> {
        self.parents.get(self.place(event)? as u64).map(|parent| EventIndex(parent as u64))
    }

    /// Number of slices that contain it.
    pub fn depth(&self, event: EventIndex) -> u32 {
        let depth = self.place(event).and_then(|at| self.depths.get(at as u64));
        depth.unwrap_or(0) as u32
    }

    /// The event that ends a slice that begins with `B`.
    pub fn end_event(&self, event: EventIndex) -> Option<EventIndex> {
        let at = self.place(event)?;
        match self.ending_at(at)? {
            Ending::Matched | Ending::Implied => self.ends.optional(at).map(EventIndex),
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
        let at = self.place(event)?;
        match self.ending_at(at)? {
            Ending::Complete | Ending::Matched | Ending::Implied => self.self_durs.get(at as u64),
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
    parents: Packed,
    depths: Small<u16>,
    self_durs: Small<u32>,
    /// The beginnings of the ends of the thread, in order of nesting.
    matched: Packed,
    /// Slices that can contain the next one, each within the one before it.
    stack: Vec<Entry>,
}

struct Entry {
    event: EventIndex,
    /// Where the lists have it.
    at: usize,
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
        let Nesting { events, slices, issues, matched, .. } = self;
        *matched = Packed::empty(events.len());
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
                        let at = slices.at(begin);
                        slices.states[at] = state(ending);
                        slices.ends.set(at, event.0);
                    };
                    let begin = open.end(title(event), |_, begin| {
                        close(begin, Ending::Implied);
                        issues.add(Issue::ImpliedEnd, begin);
                    });
                    match begin {
                        Some(begin) => close(begin, Ending::Matched),
                        None => issues.add(Issue::UnmatchedEnd, event),
                    }
                    matched.push(begin.map(|begin| begin.0));
                }
                _ => {}
            }
        }
        for begin in open.drain() {
            let at = slices.at(begin);
            slices.states[at] = state(Ending::Open);
            issues.add(Issue::Unclosed, begin);
        }
    }

    /// Nests the slices of a thread.
    fn nest(&mut self, order: &mut Groups, thread: Range<usize>) {
        self.stack.clear();
        let (mut at, mut ends) = (thread.start, 0);
        while at < thread.end {
            let event = order.event(at);
            let ts = self.events.ts(event).unwrap_or(0);
            if self.events.phase(event) == Phase::End {
                self.end(ends);
                (at, ends) = (at + 1, ends + 1);
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
            self.slices.states[entry.at] &= !ON_STACK;
        }
    }

    fn start(&mut self, event: EventIndex, ts: i64) {
        let at = self.slices.at(event);
        let is_complete = self.events.phase(event) == Phase::Complete;
        if is_complete && !matches!(self.events.dur(event), Some(0..)) {
            self.issues.add(Issue::NoDuration, event);
            self.slices.states[at] = state(Ending::Unknown);
        } else if is_complete {
            self.slices.states[at] = state(Ending::Complete);
        }
        let is_open = self.slices.ending_at(at) == Some(Ending::Open);
        let mut end = self.slices.end(self.events, event);
        // Pop the slices that have ended: complete events by their time, others when their end is visited. But a
        // complete event can precede an end of the same time in the file.
        while let Some(top) = self.stack.last()
            && top.end <= ts
            && (self.is_timed(top.at) || (is_complete && end > ts))
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
                end = if self.is_timed(at) { top.end } else { end };
                break;
            }
            overlaps = true;
            self.pop();
        }
        let limit = self.stack.last().map_or(end, |parent| end.min(parent.limit));
        if let Some(parent) = self.stack.last_mut() {
            let (here, around) = (at as u64, parent.at as u64);
            self.parents.set(at, parent.event.0);
            self.depths.set(here, self.depths.get(around) + 1);
            let fresh = limit.saturating_sub(ts.max(parent.covered)).max(0);
            parent.covered = parent.covered.max(limit);
            let own = self.self_durs.get(around);
            // A slice without an end has no self time, and durations beyond the range are cut.
            self.self_durs.set(around, (own - fresh).max(0));
        }
        self.self_durs.set(at as u64, if is_open { 0 } else { limit.saturating_sub(ts).max(0) });
        self.slices.states[at] |= ON_STACK;
        if overlaps {
            self.slices.states[at] |= OVERLAPS;
            self.issues.add(Issue::Overlap, event);
        }
        self.stack.push(Entry { event, at, end, limit, covered: ts });
    }

    /// Whether it ends at a time, and not with a separate event.
    fn is_timed(&self, at: usize) -> bool {
        self.slices.ending_at(at) != Some(Ending::Matched)
    }

    /// Pops the slice that this end of the thread ends, with all slices in it, unless another slice ended after it.
    fn end(&mut self, end: usize) {
        let Some(begin) = self.matched.optional(end) else { return };
        let at = self.slices.at(EventIndex(begin));
        while self.slices.states[at] & ON_STACK != 0 {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if let Some(entry) = self.stack.pop() {
            self.slices.states[entry.at] &= !ON_STACK;
        }
    }
}
