//! Random slices against a quadratic reading of the rules.

use super::notation::events;
use heapquarry_timeline::{
    AsyncEnding, Ending, EventIndex, Events, Id, Phase, SliceFigures, Slices, analyze, percentile,
    slice_figures, slice_sums, slice_sums_by,
};
use proptest::prelude::*;
use std::{collections::BTreeSet, fmt::Write};

/// Slices of one thread as the rules have them, each compared with all others.
struct Oracle<'a> {
    events: &'a Events,
    slices: &'a Slices,
    /// The thread's events in order of time: ends and starts of one time as in the file, but starts without an end
    /// between them longest first.
    order: Vec<EventIndex>,
    /// Where each event stands in `order`.
    place: Vec<usize>,
    /// By how much an end may be wrong.
    tick: i64,
}

/// The greatest unit, up to 1000, of which all times of slices are multiples.
fn tick(events: &Events) -> i64 {
    let slices: Vec<EventIndex> = events.all().filter(|&e| events.phase(e).is_slice()).collect();
    let times = || slices.iter().flat_map(|&e| [events.ts(e), events.dur(e)]).flatten();
    [1000, 100, 10, 1].into_iter().find(|tick| times().all(|time| time % tick == 0)).unwrap()
}

impl Oracle<'_> {
    fn ts(&self, event: EventIndex) -> i64 {
        self.events.ts(event).unwrap()
    }

    /// When a slice ends as the file says.
    fn written_end(&self, slice: EventIndex) -> i64 {
        self.ts(slice) + self.slices.dur(self.events, slice).max(0)
    }

    fn ends_with_event(&self, slice: EventIndex) -> bool {
        self.slices.ending(slice) == Some(Ending::Matched)
    }

    /// When a slice ends: an open one with the slice in which it lies, others without an event of their own not after
    /// that.
    fn end(&self, slice: EventIndex) -> i64 {
        let around = || self.parent(slice).map_or(i64::MAX, |parent| self.end(parent));
        match self.slices.ending(slice).unwrap() {
            Ending::Open => around(),
            Ending::Matched => self.written_end(slice),
            _ => self.written_end(slice).min(around()),
        }
    }

    /// Whether `slice` lies in `other`, in which it begins.
    fn is_within(&self, slice: EventIndex, other: EventIndex) -> bool {
        let (end, limit) = (self.written_end(slice), self.end(other));
        end <= limit || (self.ts(slice) < limit && end <= limit.saturating_add(self.tick))
    }

    /// Where its time ends: not after that of its parent.
    fn limit(&self, slice: EventIndex) -> i64 {
        let of_parent = self.parent(slice).map_or(i64::MAX, |parent| self.limit(parent));
        self.end(slice).min(of_parent)
    }

    /// Whether `slice` is not over when `next` begins.
    fn is_alive(&self, slice: EventIndex, next: EventIndex) -> bool {
        let by_time = self.end(slice) > self.ts(next);
        if !self.ends_with_event(slice) {
            return by_time;
        }
        let end_event = self.slices.end_event(slice).unwrap();
        let by_order = self.place[end_event.position()] > self.place[next.position()];
        let is_complete = self.events.phase(next) == Phase::Complete;
        let is_after = is_complete && self.written_end(next) > self.ts(next);
        by_order && (by_time || !is_after)
    }

    fn before(&self, slice: EventIndex) -> impl DoubleEndedIterator<Item = EventIndex> + '_ {
        let before = &self.order[..self.place[slice.position()]];
        before.iter().copied().filter(|&event| self.slices.ending(event).is_some())
    }

    /// The latest one that is alive: the one in which a slice begins.
    fn around(&self, slice: EventIndex) -> Option<EventIndex> {
        self.before(slice).rev().find(|&other| self.is_alive(other, slice))
    }

    /// The latest one that contains it wholly.
    fn parent(&self, slice: EventIndex) -> Option<EventIndex> {
        if self.slices.ending(slice) == Some(Ending::Open) {
            return self.around(slice);
        }
        self.before(slice)
            .rev()
            .find(|&other| self.is_alive(other, slice) && self.is_within(slice, other))
    }
}

/// Events of two threads: beginnings and ends with few names and times, complete events.
fn trace() -> impl Strategy<Value = String> {
    let event = prop_oneof![
        (0..3u8, 0..30i64, 1..3u8).prop_map(|(name, ts, t)| format!("B n{name} {ts} t={t};")),
        (0..3u8, 0..30i64, 1..3u8).prop_map(|(name, ts, t)| format!("E n{name} {ts} t={t};")),
        (0..30i64, 1..3u8).prop_map(|(ts, t)| format!("E - {ts} t={t};")),
        (0..30i64, 0..15i64, 1..3u8).prop_map(|(ts, dur, t)| format!("X x {ts}+{dur} t={t};")),
    ];
    (proptest::collection::vec(event, 0..40), any::<bool>()).prop_map(|(mut events, is_sorted)| {
        let ts = |event: &String| {
            let time = event.split(' ').nth(2).unwrap().split('+').next().unwrap();
            time.parse::<i64>().unwrap()
        };
        if is_sorted {
            events.sort_by_key(ts);
        }
        events.concat()
    })
}

/// The end of each beginning, found by looking through all that is open.
fn matches(events: &Events, thread: u32) -> Vec<(EventIndex, Option<(EventIndex, Ending)>)> {
    let mut order: Vec<EventIndex> =
        events.all().filter(|&event| events.thread_of(event) == thread).collect();
    order.sort_by_key(|&event| events.ts(event));
    let name = |event: EventIndex| events.name(event).some();
    let mut open: Vec<EventIndex> = Vec::new();
    let mut found = Vec::new();
    for event in order {
        match events.phase(event) {
            Phase::Begin => open.push(event),
            Phase::End => {
                let is_meant =
                    |&&begin: &&EventIndex| name(event).is_none() || name(begin) == name(event);
                let Some(&begin) = open.iter().rev().find(is_meant) else { continue };
                let at = open.iter().position(|&b| b == begin).unwrap();
                for implied in open.drain(at..).skip(1) {
                    found.push((implied, Some((event, Ending::Implied))));
                }
                found.push((begin, Some((event, Ending::Matched))));
            }
            _ => {}
        }
    }
    found.extend(open.into_iter().map(|begin| (begin, None)));
    found
}

fn order(events: &Events, slices: &Slices, thread: u32) -> Vec<EventIndex> {
    let mut order: Vec<EventIndex> =
        events.all().filter(|&event| events.thread_of(event) == thread).collect();
    order.sort_by_key(|&event| events.ts(event));
    // Bubble longer starts up past shorter ones of the same time.
    let end = |event: EventIndex| match slices.ending(event) {
        None => None,
        Some(Ending::Open) => Some(i64::MAX),
        Some(_) => Some(events.ts(event).unwrap() + slices.dur(events, event).max(0)),
    };
    for _ in 0..order.len() {
        for at in 1..order.len() {
            let (a, b) = (order[at - 1], order[at]);
            if events.ts(a) == events.ts(b)
                && let (Some(first), Some(second)) = (end(a), end(b))
                && first < second
            {
                order.swap(at - 1, at);
            }
        }
    }
    order
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Traces of any time: what would be longer than can be said is as long as can be said.
    #[test]
    fn times_reach_from_end_to_end(
        steps in proptest::collection::vec((0..14usize, 0..8usize, 0..4usize), 0..100)
    ) {
        let times = [i64::MIN, i64::MIN + 1, -1, 0, 1, 1 << 40, i64::MAX - 1, i64::MAX];
        let durs = [0, 1, i64::MAX - 1, i64::MAX];
        let mut text = String::new();
        for (phase, ts, dur) in steps {
            let phase = ["X", "X", "B", "E", "b", "e", "n", "s", "t", "f", "i", "S", "F", "C"][phase];
            writeln!(text, "{phase} a {}+{} id=1 args.x=1", times[ts], durs[dur]).unwrap();
        }
        let found = analyze(events(&text), 1);
        let (events, slices) = (&found.events, &found.slices);
        let between = |start: EventIndex, end: EventIndex| {
            let ts = |event: EventIndex| i128::from(events.ts(event).unwrap());
            (ts(end) - ts(start)).min(i64::MAX.into()) as i64
        };
        for slice in events.all().filter(|&event| slices.ending(event).is_some()) {
            let dur = slices.dur(events, slice);
            if let Some(end) = slices.end_event(slice) {
                prop_assert_eq!(dur, between(slice, end), "{} in {}", slice, text);
            }
            if let Some(own) = slices.self_dur(slice) {
                prop_assert!((0..=dur).contains(&own), "{} in {}", slice, text);
            }
        }
        for slice in found.async_slices.iter(events) {
            if slice.ending == AsyncEnding::Matched {
                prop_assert_eq!(slice.dur, between(slice.event, slice.end_event.unwrap()));
            }
        }
        // Looked up, they are those of the list.
        let all: Vec<_> = found.async_slices.iter(events).collect();
        for event in events.all() {
            let naive = all.iter().find(|slice| slice.event == event).copied();
            prop_assert_eq!(found.async_slices.of_event(events, event), naive);
        }
        for tree in 0..found.async_slices.trees() as u32 {
            let naive: Vec<_> = all.iter().filter(|slice| slice.tree == tree).copied().collect();
            prop_assert_eq!(found.async_slices.of_tree(events, tree), naive);
        }
        // Slices that overlap count the same time more than once.
        let overlap = events.all().any(|event| slices.overlaps(event));
        for sum in slice_sums(&found, &|_| true) {
            prop_assert!(sum.self_dur >= 0 && (overlap || sum.self_dur <= sum.dur), "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn slices_nest_as_the_rules_say(text in trace()) {
        let found = analyze(events(&text), 1);
        let (events, slices) = (&found.events, &found.slices);
        for thread in 0..events.thread_ids().len() as u32 {
            for (begin, end) in matches(events, thread) {
                let expected = end.map_or(Ending::Open, |(_, ending)| ending);
                prop_assert_eq!(slices.ending(begin), Some(expected), "{} in {}", begin, text);
                prop_assert_eq!(slices.end_event(begin), end.map(|(end, _)| end));
            }
            let order = order(events, slices, thread);
            let mut place = vec![0; events.len() as usize];
            (0..).zip(&order).for_each(|(at, &event)| place[event.position()] = at);
            let oracle = Oracle { events, slices, order: order.clone(), place, tick: tick(events) };
            for &slice in order.iter().filter(|&&event| slices.ending(event).is_some()) {
                let parent = oracle.parent(slice);
                prop_assert_eq!(slices.parent(slice), parent, "{} in {}", slice, text);
                let depth = parent.map_or(0, |parent| slices.depth(parent) + 1);
                prop_assert_eq!(slices.depth(slice), depth);
                let is_open = slices.ending(slice) == Some(Ending::Open);
                let overlaps = !is_open
                    && oracle.around(slice).is_some_and(|around| !oracle.is_within(slice, around));
                prop_assert_eq!(slices.overlaps(slice), overlaps, "{} in {}", slice, text);
                // What no child covers, nanosecond by nanosecond.
                let children: Vec<EventIndex> =
                    order.iter().copied().filter(|&child| slices.ending(child).is_some() && slices.parent(child) == Some(slice)).collect();
                let is_covered = |at: i64| {
                    children.iter().any(|&child| (oracle.ts(child)..oracle.limit(child)).contains(&at))
                };
                let own = (!is_open).then(|| {
                    (oracle.ts(slice)..oracle.limit(slice)).filter(|&at| !is_covered(at)).count() as i64
                });
                prop_assert_eq!(slices.self_dur(slice), own, "{} in {}", slice, text);
            }
        }
    }

    #[test]
    fn sums_count_what_lies_in_its_own_name_once(text in trace()) {
        let found = analyze(events(&text), 1);
        let (events, slices) = (&found.events, &found.slices);
        let all: Vec<EventIndex> =
            events.all().filter(|&event| slices.ending(event).is_some()).collect();
        let sums = slice_sums(&found, &|_| true);
        prop_assert_eq!(sums.iter().map(|sum| sum.count).sum::<u64>(), all.len() as u64);
        for sum in sums {
            let is_mine = |&slice: &EventIndex| {
                (events.name(slice), events.category(slice)) == (sum.name, sum.category)
            };
            let has_time = |&slice: &EventIndex| slices.self_dur(slice).is_some();
            let mine: Vec<EventIndex> = all.iter().copied().filter(is_mine).collect();
            let timed: Vec<EventIndex> = mine.iter().copied().filter(has_time).collect();
            let dur = |slice: EventIndex| slices.dur(events, slice);
            let is_outermost = |&&slice: &&EventIndex| {
                let around = |&slice: &EventIndex| slices.parent(slice);
                let mut above = std::iter::successors(slices.parent(slice), around);
                !above.any(|other| timed.contains(&other))
            };
            prop_assert_eq!(sum.count, mine.len() as u64, "{}", text);
            let own = timed.iter().filter_map(|&slice| slices.self_dur(slice)).sum::<i64>();
            prop_assert_eq!(sum.self_dur, own, "{}", text);
            let outer = timed.iter().filter(is_outermost).map(|&slice| dur(slice)).sum::<i64>();
            prop_assert_eq!(sum.dur, outer, "{}", text);
            prop_assert_eq!(sum.longest, timed.iter().map(|&slice| dur(slice)).max());
        }
    }

    #[test]
    fn figures_are_those_of_the_wanted_slices(text in trace(), every in 1..4u64) {
        let found = analyze(events(&text), 1);
        let (events, slices) = (&found.events, &found.slices);
        let is_wanted = |event: EventIndex| event.0.is_multiple_of(every);
        let all: Vec<EventIndex> = events
            .all()
            .filter(|&event| slices.ending(event).is_some() && is_wanted(event))
            .collect();
        // By name, and all together.
        let mut names = Vec::new();
        let [by_name, whole] = slice_figures(&found, &is_wanted, |name, _| {
            let at = names.iter().position(|&other| other == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            [at as u32, 0]
        });
        prop_assert_eq!(by_name.len(), names.len());
        let of_names = names.iter().zip(by_name).map(|(&name, found)| (Some(name), found));
        for (name, found) in of_names.chain(whole.into_iter().map(|found| (None, found))) {
            let is_mine = |slice: &EventIndex| name.is_none_or(|name| events.name(*slice) == name);
            let mine: Vec<EventIndex> = all.iter().copied().filter(is_mine).collect();
            let timed: Vec<EventIndex> =
                mine.iter().copied().filter(|&slice| slices.self_dur(slice).is_some()).collect();
            let mut durs: Vec<i64> = timed.iter().map(|&slice| slices.dur(events, slice)).collect();
            let is_outermost = |&&slice: &&EventIndex| {
                let around = |&slice: &EventIndex| slices.parent(slice);
                !std::iter::successors(slices.parent(slice), around).any(|other| timed.contains(&other))
            };
            let outer = timed.iter().filter(is_outermost).map(|&slice| slices.dur(events, slice));
            let own = timed.iter().filter_map(|&slice| slices.self_dur(slice)).sum::<i64>();
            prop_assert_eq!((found.count, found.self_dur), (mine.len() as u64, own), "{}", text);
            prop_assert_eq!(found.dur, outer.sum::<i64>(), "{}", text);
            durs.sort_unstable();
            // The least that enough of them do not exceed.
            let naive = |percent: usize| {
                let enough = |limit: i64| durs.iter().filter(|&&d| d <= limit).count() * 100 >= durs.len() * percent;
                durs.iter().copied().find(|&dur| enough(dur))
            };
            prop_assert_eq!([found.p50, found.p95], [naive(50), naive(95)], "{}", text);
            prop_assert_eq!(found.longest, durs.last().copied());
            prop_assert_eq!(percentile(&mut durs.clone(), 100), durs.last().copied());
        }
    }

    #[test]
    fn sums_by_kind_are_those_of_a_plain_loop(
        text in trace(),
        kinds in proptest::collection::vec(proptest::option::of(0..5u32), 7),
        ways in proptest::collection::vec((0..3u32, 0..5u32), 5),
    ) {
        let found = analyze(events(&text), 1);
        let (events, slices) = (&found.events, &found.slices);
        let kind_of = |slice: EventIndex| kinds[slice.0 as usize % kinds.len()];
        let ways: [Vec<u32>; 2] =
            [ways.iter().map(|way| way.0).collect(), ways.iter().map(|way| way.1).collect()];
        for (groups, sums) in ways.iter().zip(slice_sums_by(&found, &kind_of, ways.clone())) {
            prop_assert_eq!(sums.len() as u32, groups.iter().max().unwrap() + 1);
            let group_of = |slice: EventIndex| Some(groups[kind_of(slice)? as usize]);
            for (group, sum) in (0..).zip(sums) {
                let is_mine = |&slice: &EventIndex| {
                    slices.ending(slice).is_some() && group_of(slice) == Some(group)
                };
                let has_time = |slice: &EventIndex| slices.self_dur(*slice).is_some();
                let mine: Vec<EventIndex> = events.all().filter(is_mine).collect();
                let timed: Vec<EventIndex> = mine.iter().copied().filter(has_time).collect();
                let mut expected = SliceFigures { count: mine.len() as u64, ..Default::default() };
                for &slice in &timed {
                    let dur = slices.dur(events, slice);
                    expected.self_dur += slices.self_dur(slice).unwrap();
                    expected.longest = expected.longest.max(Some(dur));
                    let around = |&slice: &EventIndex| slices.parent(slice);
                    let mut around = std::iter::successors(slices.parent(slice), around);
                    // What lies in a slice of the group is part of it.
                    if !around.any(|other| timed.contains(&other)) {
                        expected.dur += dur;
                    }
                }
                prop_assert_eq!(sum, expected, "{}", text);
            }
        }
    }

    #[test]
    fn asynchronous_trees_are_as_the_rules_say(
        steps in proptest::collection::vec((0..3u8, 0..3u8, 0..10i64, 0..2u8), 0..40)
    ) {
        let mut text = String::new();
        for (phase, name, ts, id) in steps {
            let phase = ["b", "n", "e"][usize::from(phase)];
            write!(text, "{phase} a{name} {ts} id={id};").unwrap();
        }
        let found = analyze(events(&text), 1);
        let events = &found.events;
        // Each event of a tree against all before it: the latest beginning that no end has taken.
        let ids: BTreeSet<Id> = events.all().filter_map(|event| events.id(event)).collect();
        for tree in ids {
            let mut order: Vec<EventIndex> =
                events.all().filter(|&event| events.id(event) == Some(tree)).collect();
            order.sort_by_key(|&event| events.ts(event));
            let mut taken: Vec<(EventIndex, EventIndex)> = Vec::new();
            for (at, &event) in order.iter().enumerate() {
                let name = events.name(event);
                let is_begin = |&&other: &&EventIndex| events.phase(other) == Phase::NestableAsyncBegin;
                let free: Vec<EventIndex> = order[..at].iter().filter(is_begin)
                    .filter(|&&other| taken.iter().all(|&(begin, _)| begin != other)).copied().collect();
                let slice = found.async_slices.iter(events).find(|slice| slice.event == event);
                match events.phase(event) {
                    Phase::NestableAsyncEnd => {
                        let begin = free.iter().rposition(|&b| events.name(b) == name);
                        match begin {
                            Some(begin) => taken.extend(free[begin..].iter().map(|&b| (b, event))),
                            None => prop_assert_eq!(slice.unwrap().ts, events.ts(order[0]).unwrap()),
                        }
                        prop_assert_eq!(slice.is_some(), begin.is_none(), "{}", text);
                    }
                    _ => {
                        prop_assert_eq!(slice.unwrap().parent, free.last().copied(), "{}", text);
                        prop_assert_eq!(slice.unwrap().depth as usize, free.len());
                    }
                }
            }
            for &event in order.iter().filter(|&&event| events.phase(event) == Phase::NestableAsyncBegin) {
                let slice = found.async_slices.iter(events).find(|slice| slice.event == event).unwrap();
                let end = taken.iter().find(|(begin, _)| *begin == event).map(|&(_, end)| end);
                prop_assert_eq!(slice.end_event, end, "{}", text);
                let dur = end.map_or(-1, |end| events.ts(end).unwrap() - events.ts(event).unwrap());
                prop_assert_eq!(slice.dur, dur);
            }
        }
    }
}
