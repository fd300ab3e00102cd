//! The slices of events without a duration: starts, steps and ends of flows, and instants.

use crate::{
    EventIndex, Events, flows,
    order::{Groups, Position},
    packed::Packed,
    ranks::Ranks,
    slices::Slices,
};
use std::collections::VecDeque;

/// How a point finds its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
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
    slices: Packed,
}

impl Points {
    /// All points, in file order.
    pub(crate) fn all(events: &Events) -> impl Iterator<Item = EventIndex> + Clone + '_ {
        events.of_phases(|phase| phase.is_flow() || phase.is_instant())
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.slices.len()
    }

    /// Which of the points an event is.
    pub(crate) fn place(&self, event: EventIndex) -> Option<usize> {
        self.points.of(event).map(|at| at as usize)
    }

    /// The slice of an event, if it is a point that has one.
    pub(crate) fn slice(&self, event: EventIndex) -> Option<EventIndex> {
        self.slices.optional(self.place(event)?).map(EventIndex)
    }
}

/// Points whose slices are not known yet: the events of flows, and instants.
pub(crate) struct Unbound {
    /// Events in file order, with the way in which each finds its slice in the lowest two bits.
    points: Packed,
    /// In the order in which they find their slices.
    by_thread: Groups<Point>,
}

impl Unbound {
    pub(crate) fn new(events: &Events) -> Self {
        let len = Points::all(events).count();
        let mut points = Packed::zeros(len, events.len() << 2);
        for (at, event) in Points::all(events).enumerate() {
            let bind = if events.phase(event).is_instant() {
                Bind::Within
            } else {
                flows::bind(events, event)
            };
            points.set(at, event.0 << 2 | bind as u64);
        }
        let mut found = Unbound { points, by_thread: Groups::default() };
        // Points that wait for a slice must be visited before a slice that starts at the same time. Points that exclude
        // a slice's end must not leave such slices to others.
        let turn = |at: usize| match found.way(at) {
            Bind::Next => 0,
            Bind::Enclosing => 1,
            Bind::Within => 2,
        };
        let time = |Point(at)| Some((events.ts(found.event(at))?, turn(at)));
        let members = (0..len).map(|at| (Point(at), events.thread_of(found.event(at))));
        found.by_thread = Groups::new(events.thread_ids().len(), len as u64, members, time);
        found
    }

    fn event(&self, at: usize) -> EventIndex {
        EventIndex(self.points.get(at) >> 2)
    }

    fn way(&self, at: usize) -> Bind {
        match self.points.get(at) & 3 {
            0 => Bind::Enclosing,
            1 => Bind::Within,
            _ => Bind::Next,
        }
    }

    /// Finds their slices. `order` has the events of slices by thread, in the order of nesting.
    pub(crate) fn bind(self, events: &Events, slices: &Slices, order: &Groups) -> Points {
        let mut found = Packed::filled(self.points.len(), events.len());
        for thread in 0..order.len() {
            let mut sweep =
                Sweep { events, slices, points: &self, open: Vec::new(), waiting: VecDeque::new() };
            let mut starts =
                order.of(thread).filter(|&event| slices.ending(event).is_some()).peekable();
            for at in self.by_thread.of(thread).map(|Point(at)| at) {
                let bind = self.way(at);
                let ts = events.ts(self.event(at));
                let is_before = |start: &EventIndex| match bind {
                    Bind::Enclosing | Bind::Within => events.ts(*start) <= ts,
                    Bind::Next => events.ts(*start) < ts,
                };
                while let Some(start) = starts.next_if(is_before) {
                    sweep.start(start, &mut found);
                }
                let slice = match bind {
                    Bind::Enclosing => sweep.enclosing(ts),
                    Bind::Within => sweep.enclosing(ts.map(|ts| ts.saturating_add(1))),
                    Bind::Next => {
                        sweep.waiting.push_back(at);
                        None
                    }
                };
                slice.into_iter().for_each(|slice| found.set(at, slice.0));
            }
            for start in starts {
                if sweep.waiting.is_empty() {
                    break;
                }
                sweep.start(start, &mut found);
            }
        }
        let points = (0..self.points.len()).map(|at| self.event(at));
        Points { points: Ranks::new(events.len(), points), slices: found }
    }
}

/// Position of a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Point(usize);

impl Position for Point {
    #[inline]
    fn new(position: u64) -> Self {
        Point(position as usize)
    }

    #[inline]
    fn get(self) -> u64 {
        self.0 as u64
    }
}

struct Sweep<'a> {
    events: &'a Events,
    slices: &'a Slices,
    points: &'a Unbound,
    /// Slices that can contain later points, and when they end.
    open: Vec<(EventIndex, i64)>,
    /// Points that wait for the next slice, in order of time and file.
    waiting: VecDeque<usize>,
}

impl Sweep<'_> {
    fn start(&mut self, slice: EventIndex, found: &mut Packed) {
        let ts = self.events.ts(slice);
        while let Some(&at) = self.waiting.front() {
            let point = self.points.event(at);
            if (self.events.ts(point), point) >= (ts, slice) {
                break;
            }
            self.waiting.pop_front();
            found.set(at, slice.0);
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
