//! The slices of events without a duration: starts, steps and ends of flows, and instants.

use crate::{
    EventIndex, Events, column::Column, flows, order::Groups, packed::Packed, ranks::Ranks,
    slices::Slices,
};
use std::collections::VecDeque;

/// How a point finds its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bind {
    /// The innermost slice that contains it, both ends included: the one that starts last.
    Enclosing,
    /// The innermost slice that contains it, excluding its end.
    Within,
    /// The next slice that starts after it; at the same time only if it is later in the file.
    Next,
}

/// Points, and their slices. There can be as many points as slices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    points: Ranks,
    /// In file order.
    slices: Column,
}

impl Points {
    /// All points, in file order.
    pub(crate) fn all(events: &Events) -> impl Iterator<Item = EventIndex> + Clone + '_ {
        events.of_phases(|phase| phase.is_flow() || phase.is_instant())
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len() as usize
    }

    /// Which of the points an event is.
    pub(crate) fn place(&self, event: EventIndex) -> Option<usize> {
        self.points.of(event).map(|at| at as usize)
    }

    /// The slice of an event, if it is a point that has one.
    pub(crate) fn slice(&self, event: EventIndex) -> Option<EventIndex> {
        let slice = self.slices.get(self.points.of(event)?);
        slice.map(|slice| EventIndex(slice as u64))
    }
}

/// Points whose slices are not known yet: the events of flows, and instants.
pub(crate) struct Unbound {
    points: Ranks,
    /// Those that find the next slice.
    before_slices: Ranks,
    /// In the order in which they find their slices.
    by_thread: Groups,
}

impl Unbound {
    pub(crate) fn new(events: &Events) -> Self {
        let points = || Points::all(events);
        let before_slices = points().filter(|&event| flows::binds_next(events, event));
        let mut found = Unbound {
            points: Ranks::new(events.len(), points()),
            before_slices: Ranks::new(events.len(), before_slices),
            by_thread: Groups::default(),
        };
        // Points that wait for a slice must be visited before a slice that starts at the same time. Points that exclude
        // a slice's end must not leave such slices to others.
        let turn = |event: EventIndex| match found.way(events, event) {
            Bind::Next => 0,
            Bind::Enclosing => 1,
            Bind::Within => 2,
        };
        let time = |event: EventIndex| Some((events.ts(event)?, turn(event)));
        let members = points().map(|event| (event, events.thread_of(event)));
        found.by_thread = Groups::new(events.thread_ids().len(), events.len(), members, time);
        found
    }

    fn way(&self, events: &Events, point: EventIndex) -> Bind {
        if events.phase(point).is_instant() {
            Bind::Within
        } else if self.before_slices.of(point).is_some() {
            Bind::Next
        } else {
            Bind::Enclosing
        }
    }

    /// Finds their slices. `order` has the events of slices by thread, in the order of nesting.
    pub(crate) fn bind(self, events: &Events, slices: &Slices, order: &Groups) -> Points {
        let len = self.points.len() as usize;
        let mut found = Packed::filled(len, events.len());
        for thread in 0..order.len() {
            let mut sweep = Sweep {
                events,
                slices,
                points: &self.points,
                found: &mut found,
                open: Vec::new(),
                waiting: VecDeque::new(),
            };
            let mut starts =
                order.of(thread).filter(|&event| slices.ending(event).is_some()).peekable();
            for point in self.by_thread.of(thread) {
                let bind = self.way(events, point);
                let ts = events.ts(point);
                let is_before = |start: &EventIndex| match bind {
                    Bind::Enclosing | Bind::Within => events.ts(*start) <= ts,
                    Bind::Next => events.ts(*start) < ts,
                };
                while let Some(start) = starts.next_if(is_before) {
                    sweep.start(start);
                }
                let slice = match bind {
                    Bind::Enclosing => sweep.enclosing(ts),
                    Bind::Within => sweep.enclosing(ts.map(|ts| ts.saturating_add(1))),
                    Bind::Next => {
                        sweep.waiting.push_back(point);
                        None
                    }
                };
                slice.into_iter().for_each(|slice| sweep.found(point, slice));
            }
            for start in starts {
                if sweep.waiting.is_empty() {
                    break;
                }
                sweep.start(start);
            }
        }
        let slice = |at| found.optional(at).map(|slice| slice as i64);
        Points { slices: (0..len).map(slice).collect(), points: self.points }
    }
}

struct Sweep<'a> {
    events: &'a Events,
    slices: &'a Slices,
    points: &'a Ranks,
    /// The slices of points.
    found: &'a mut Packed,
    /// Slices that can contain later points, and when they end.
    open: Vec<(EventIndex, i64)>,
    /// Points that wait for the next slice, in order of time and file.
    waiting: VecDeque<EventIndex>,
}

impl Sweep<'_> {
    fn found(&mut self, point: EventIndex, slice: EventIndex) {
        self.found.set(self.points.before(point) as usize, slice.0);
    }

    fn start(&mut self, slice: EventIndex) {
        let ts = self.events.ts(slice);
        while let Some(&point) = self.waiting.front() {
            if (self.events.ts(point), point) >= (ts, slice) {
                break;
            }
            self.waiting.pop_front();
            self.found(point, slice);
        }
        let start = ts.unwrap_or(0);
        pop_over(&mut self.open, start);
        self.open.push((slice, self.slices.end(self.events, slice)));
    }

    fn enclosing(&mut self, ts: Option<i64>) -> Option<EventIndex> {
        let ts = ts?;
        pop_over(&mut self.open, ts);
        self.open.last().map(|&(slice, _)| slice)
    }
}

fn pop_over(open: &mut Vec<(EventIndex, i64)>, now: i64) {
    while open.pop_if(|&mut (_, end)| end < now).is_some() {}
}
