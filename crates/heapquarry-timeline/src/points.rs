//! The slices that points in time belong to: starts, steps and ends of flows, and instants.

use crate::{Events, events::Sparse, order::Groups, packed::Packed, slices::Slices};
use std::collections::VecDeque;

/// How a point finds its slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    /// The innermost slice that contains it, both ends included: of those the one that starts last.
    Enclosing,
    /// The innermost slice that contains it, but for its end.
    Within,
    /// The next one that starts after it; at the same time only if it stands later in the file.
    Next,
}

/// A point and how it finds its slice. There can be as many as slices, so it is one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point(u64);

impl Point {
    pub(crate) fn new(event: u64, bind: Bind) -> Self {
        Point(event << 2 | bind as u64)
    }

    fn event(self) -> u64 {
        self.0 >> 2
    }

    fn bind(self) -> Bind {
        match self.0 & 3 {
            0 => Bind::Enclosing,
            1 => Bind::Within,
            _ => Bind::Next,
        }
    }
}

/// The slices of points.
struct Found {
    points: Vec<Point>,
    slices: Packed,
}

impl Found {
    fn place(&self, point: u64) -> usize {
        self.points.partition_point(|other| other.event() < point)
    }

    fn set(&mut self, point: u64, slice: u64) {
        let place = self.place(point);
        self.slices.set(place, slice);
    }
}

/// The slice of each point that has one. `order` are the events of slices by thread, as they were nested; `points` come
/// in the order of the file.
pub(crate) fn bind(
    events: &Events,
    slices: &Slices,
    order: &Groups,
    points: Vec<Point>,
) -> Sparse<u64> {
    let thread = |point: &Point| events.threads()[point.event() as usize];
    let members = points.iter().map(|point| (point.event(), thread(point)));
    let mut by_thread = Groups::new(events, order.len(), members);
    let slices_of = Packed::filled(points.len(), events.len());
    let mut found = Found { points, slices: slices_of };
    let bind = |found: &Found, point: u64| found.points[found.place(point)].bind();
    // Those that wait for a slice must do so before one that starts at the same time is met; those that do not belong
    // to slices that end leave none of them for others.
    let turn = |point: u64| match bind(&found, point) {
        Bind::Next => 0,
        Bind::Enclosing => 1,
        Bind::Within => 2,
    };
    for thread in 0..order.len() {
        let range = by_thread.range(thread);
        by_thread.sort(range, |point| (events.ts(point), turn(point)));
    }
    for thread in 0..order.len() {
        let mut sweep = Sweep { events, slices, open: Vec::new(), waiting: VecDeque::new() };
        let mut starts =
            order.of(thread).filter(|&event| slices.ending(event).is_some()).peekable();
        for point in by_thread.of(thread) {
            let bind = bind(&found, point);
            let ts = events.ts(point);
            let is_before = |start: &u64| match bind {
                Bind::Enclosing | Bind::Within => events.ts(*start) <= ts,
                Bind::Next => events.ts(*start) < ts,
            };
            while let Some(start) = starts.next_if(is_before) {
                sweep.start(start, &mut found);
            }
            match bind {
                Bind::Enclosing => {
                    sweep.enclosing(ts).into_iter().for_each(|slice| found.set(point, slice));
                }
                Bind::Within => {
                    let after = ts.map(|ts| ts.saturating_add(1));
                    sweep.enclosing(after).into_iter().for_each(|slice| found.set(point, slice));
                }
                Bind::Next => sweep.waiting.push_back(point),
            }
        }
        for start in starts {
            if sweep.waiting.is_empty() {
                break;
            }
            sweep.start(start, &mut found);
        }
    }
    let Found { points, slices } = &found;
    let all = points.iter().enumerate();
    Sparse::of(all.filter_map(|(at, point)| Some((point.event(), slices.optional(at)?))))
}

struct Sweep<'a> {
    events: &'a Events,
    slices: &'a Slices,
    /// Those that may contain what comes, and when they end.
    open: Vec<(u64, i64)>,
    /// Points that wait for the next slice, in order of time and file.
    waiting: VecDeque<u64>,
}

impl Sweep<'_> {
    fn start(&mut self, slice: u64, found: &mut Found) {
        let ts = self.events.ts(slice);
        while let Some(&point) = self.waiting.front()
            && (self.events.ts(point), point) < (ts, slice)
        {
            self.waiting.pop_front();
            found.set(point, slice);
        }
        let start = ts.unwrap_or(0);
        pop_over(&mut self.open, start);
        self.open.push((slice, self.slices.end(self.events, slice)));
    }

    fn enclosing(&mut self, ts: Option<i64>) -> Option<u64> {
        let ts = ts?;
        pop_over(&mut self.open, ts);
        self.open.last().map(|&(slice, _)| slice)
    }
}

fn pop_over(open: &mut Vec<(u64, i64)>, now: i64) {
    while open.pop_if(|&mut (_, end)| end < now).is_some() {}
}
