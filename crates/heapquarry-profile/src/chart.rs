//! Samples in the order of time, as stacks that begin and end.

use crate::{Member, NO, tree::Tree};

/// The samples of a thread.
pub struct Chart {
    /// When each begins, and when the last ends, in microseconds from the first.
    starts: Vec<i64>,
    /// Their calls; [`NO`] where nothing ran.
    calls: Vec<u32>,
    /// How many calls of a sample's stack are those of the sample before it.
    common: Vec<u32>,
}

/// A box of a chart: a call that lasted, or several short ones close to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBox {
    /// The call; of several the longest.
    pub call: u32,
    /// Calls around it.
    pub depth: u32,
    /// Where it starts, in microseconds from the first sample.
    pub start: i64,
    /// From the start of the first to the end of the last, in microseconds.
    pub dur: i64,
    /// How many they are.
    pub count: u64,
}

impl Chart {
    /// The samples of a thread whose nodes are calls of this tree.
    pub fn new(member: &Member, tree: &Tree) -> Self {
        let len = member.samples.len();
        let mut chart = Chart {
            starts: Vec::with_capacity(len + 1),
            calls: Vec::with_capacity(len),
            common: Vec::with_capacity(len),
        };
        let mut now = 0i64;
        for &(node, dur) in &member.samples {
            let call = tree.of.get(node as usize).copied().unwrap_or(NO);
            let common = chart.calls.last().map_or(0, |&last| common(tree, last, call));
            chart.starts.push(now);
            chart.calls.push(call);
            chart.common.push(common);
            now = now.saturating_add(dur.max(0));
        }
        chart.starts.push(now);
        chart
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether it has no samples.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// When the last sample ends.
    pub fn end(&self) -> i64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The samples that overlap a range, and how much of each.
    #[inline]
    pub fn within(&self, from: i64, to: i64) -> impl Iterator<Item = (usize, i64)> + '_ {
        let first = self.starts.partition_point(|&start| start <= from).saturating_sub(1);
        let samples = self.starts.windows(2).enumerate().skip(first);
        let samples = samples.take_while(move |(_, ends)| ends[0] < to);
        samples.map(move |(at, ends)| (at, ends[1].min(to).saturating_sub(ends[0].max(from))))
    }

    /// The calls that overlap a range, with their whole durations. What is shorter than `least` is one box with what
    /// is close to it and at the same depth; if they are more than `most`, that is longer.
    pub fn boxes(
        &self,
        tree: &Tree,
        [from, to]: [i64; 2],
        least: i64,
        most: usize,
    ) -> Vec<TimeBox> {
        let mut least = least.max(1);
        loop {
            let mut drawn = Drawn { tree, least, boxes: Vec::new(), short: Vec::new() };
            let room = if least == i64::MAX { usize::MAX } else { most };
            self.draw(&mut drawn, [from, to], room);
            let mut boxes = drawn.finish();
            if boxes.len() <= most || least == i64::MAX {
                // Of stacks that are deeper than that the outer calls are drawn: boxes are in the order of depth.
                boxes.truncate(most);
                return boxes;
            }
            least = least.saturating_mul(2);
        }
    }

    /// Stops where there are more boxes than `room`.
    fn draw(&self, drawn: &mut Drawn<'_>, [from, to]: [i64; 2], room: usize) {
        let first = self.starts.partition_point(|&start| start <= from).saturating_sub(1);
        let end = self.starts.partition_point(|&start| start < to).min(self.calls.len());
        if first >= end {
            return;
        }
        // The calls that are open, and since when.
        let mut open: Vec<(u32, i64)> = Vec::new();
        begin(drawn.tree, self.calls[first], self.starts[first], &mut open);
        // Since before the range.
        let mut common = open.len();
        for at in (0..=first).rev() {
            let shared = common.min(self.common[at] as usize);
            open[shared..common].iter_mut().for_each(|(_, since)| *since = self.starts[at]);
            common = shared;
            if common == 0 {
                break;
            }
        }
        for at in first + 1..end {
            let common = self.common[at] as usize;
            if common == open.len() && self.calls[at] == self.calls[at - 1] {
                continue;
            }
            drawn.close(&mut open, common, self.starts[at]);
            if drawn.boxes.len() > room {
                return;
            }
            begin(drawn.tree, self.calls[at], self.starts[at], &mut open);
        }
        // Until after the range.
        for at in end..self.calls.len() {
            if open.is_empty() {
                break;
            }
            drawn.close(&mut open, self.common[at] as usize, self.starts[at]);
        }
        drawn.close(&mut open, 0, self.end());
    }
}

/// Calls of a stack: none where nothing ran.
fn depth(tree: &Tree, call: u32) -> u32 {
    if call == NO { 0 } else { tree.call(call).depth }
}

/// How many calls two stacks begin with alike.
fn common(tree: &Tree, mut one: u32, mut other: u32) -> u32 {
    let depths = [depth(tree, one), depth(tree, other)];
    let least = depths[0].min(depths[1]);
    if least == 0 {
        return 0;
    }
    let up = |call: u32| tree.call(call).parent;
    (least..depths[0]).for_each(|_| one = up(one));
    (least..depths[1]).for_each(|_| other = up(other));
    let mut both = least;
    while one != other {
        (one, other, both) = (up(one), up(other), both - 1);
    }
    both
}

/// Opens the calls of a stack that are not open yet: its outermost ones are.
fn begin(tree: &Tree, call: u32, now: i64, open: &mut Vec<(u32, i64)>) {
    let before = open.len();
    let more = (depth(tree, call) as usize).saturating_sub(before);
    if more > 0 {
        open.push((call, now));
        open.extend(tree.above(call).take(more - 1).map(|call| (call, now)));
        open[before..].reverse();
    }
}

/// Boxes as they are found.
struct Drawn<'a> {
    tree: &'a Tree,
    least: i64,
    boxes: Vec<TimeBox>,
    /// Of each depth the short ones that may be joined by others.
    short: Vec<Option<Short>>,
}

/// Short calls close to each other.
#[derive(Clone, Copy)]
struct Short {
    drawn: TimeBox,
    /// How long the longest of them lasts.
    longest: i64,
}

impl Drawn<'_> {
    /// Ends the calls from a depth on.
    fn close(&mut self, open: &mut Vec<(u32, i64)>, from: usize, now: i64) {
        while open.len() > from {
            let Some((call, start)) = open.pop() else { return };
            let depth = open.len();
            self.add(TimeBox { call, depth: depth as u32, start, dur: now - start, count: 1 });
        }
    }

    fn add(&mut self, one: TimeBox) {
        let depth = one.depth as usize;
        if self.short.len() <= depth {
            self.short.resize(depth + 1, None);
        }
        let short = &mut self.short[depth];
        if let Some(Short { drawn, longest }) = short {
            let end = one.start.saturating_add(one.dur);
            if one.dur < self.least && end.saturating_sub(drawn.start) <= self.least {
                if one.dur > *longest {
                    (drawn.call, *longest) = (one.call, one.dur);
                }
                drawn.dur = end - drawn.start;
                drawn.count += 1;
                return;
            }
            self.boxes.push(*drawn);
            *short = None;
        }
        match one.dur < self.least {
            true => *short = Some(Short { drawn: one, longest: one.dur }),
            false => self.boxes.push(one),
        }
    }

    fn finish(mut self) -> Vec<TimeBox> {
        self.boxes.extend(self.short.iter().flatten().map(|short| short.drawn));
        self.boxes.sort_unstable_by_key(|one| (one.depth, one.start));
        self.boxes
    }
}
