//! A call tree to be drawn, of one or two profiles.

use heapquarry_html::model::{self, Flame};
use std::{cmp::Reverse, collections::HashMap, hash::Hash};

/// Calls that are drawn.
pub(super) const CALLS: usize = 20_000;

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) name: String,
    pub(crate) script: String,
    pub(crate) line: i32,
}

/// Calls of the same function by the same caller are one. `K` is what functions are known by.
pub(crate) struct Calls<K> {
    frames: Vec<Frame>,
    known: HashMap<K, u32>,
    /// Callers come before what they call; the first is the root.
    calls: Vec<Call>,
    /// By caller and function.
    places: HashMap<(u32, u32), u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Call {
    parent: u32,
    frame: u32,
    /// Of the last profile and of the one before.
    own: [u64; 2],
}

impl<K: Hash + Eq> Calls<K> {
    /// A tree of nothing but its root.
    pub(crate) fn new(root: &str) -> Self {
        let frames = vec![Frame { name: root.into(), ..Frame::default() }];
        let calls = vec![Call::default()];
        Calls { frames, known: HashMap::new(), calls, places: HashMap::new() }
    }

    /// The number of a function.
    pub(crate) fn frame(&mut self, key: K, frame: impl FnOnce() -> Frame) -> u32 {
        let frames = &mut self.frames;
        *self.known.entry(key).or_insert_with(|| {
            frames.push(frame());
            frames.len() as u32 - 1
        })
    }

    /// Adds a tree of calls: the caller of each, its function and its own weight. Callers that do not exist stand for
    /// the root, and so does a function that is `None`; a call that `is_wanted` refuses is left out with all that it
    /// calls.
    pub(crate) fn add(
        &mut self,
        side: usize,
        parents: &[u32],
        weights: &[i64],
        frame_of: impl Fn(usize) -> Option<u32>,
        is_wanted: impl Fn(usize) -> bool,
    ) {
        let children = Children::new(parents);
        let mut stack: Vec<(usize, u32)> = children.roots().map(|node| (node, 0)).collect();
        stack.reverse();
        while let Some((node, caller)) = stack.pop() {
            if !is_wanted(node) {
                continue;
            }
            let call = frame_of(node).map_or(caller, |frame| self.call(caller, frame));
            let own = &mut self.calls[call as usize].own[side];
            *own = own.saturating_add(u64::try_from(weights[node]).unwrap_or(0));
            let first = stack.len();
            stack.extend(children.of(node).map(|child| (child, call)));
            stack[first..].reverse();
        }
    }

    /// The stacks with weights of their own: frames, the outermost first, and the weight of either side.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = (Vec<u32>, [u64; 2])> {
        self.calls.iter().enumerate().filter(|(_, call)| call.own != [0, 0]).map(|(at, call)| {
            let callers =
                std::iter::successors(Some(at), |&at| Some(self.calls[at].parent as usize));
            let mut stack: Vec<u32> =
                callers.take_while(|&at| at != 0).map(|at| self.calls[at].frame).collect();
            stack.reverse();
            (stack, call.own)
        })
    }

    fn call(&mut self, parent: u32, frame: u32) -> u32 {
        let calls = &mut self.calls;
        *self.places.entry((parent, frame)).or_insert_with(|| {
            calls.push(Call { parent, frame, ..Call::default() });
            calls.len() as u32 - 1
        })
    }

    /// What is drawn: the `most` calls with the largest totals, which form a tree, as no call takes more than its
    /// caller.
    pub(super) fn model(
        self,
        most: usize,
        unit: &'static str,
        sql: (&'static str, &'static str),
        with_before: bool,
    ) -> Flame {
        let calls = &self.calls;
        let mut totals: Vec<[u64; 2]> = calls.iter().map(|call| call.own).collect();
        for at in (1..calls.len()).rev() {
            let [now, before] = totals[at];
            let total = &mut totals[calls[at].parent as usize];
            *total = [total[0].saturating_add(now), total[1].saturating_add(before)];
        }
        let ranks: Vec<u64> = totals.iter().map(|[now, before]| *now.max(before)).collect();
        let least = heapquarry_graph::bound_of_largest(&ranks, most);
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for at in 1..calls.len() as u32 {
            if ranks[at as usize] > least {
                children.entry(calls[at as usize].parent).or_default().push(at);
            }
        }
        let mut flame = Flame { unit, sql, node_count: calls.len() as u64 - 1, ..Flame::default() };
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut frames: Vec<u32> = Vec::new();
        let (mut order, mut parents, mut frame_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut stack = vec![(0, 0)];
        while let Some((at, parent)) = stack.pop() {
            let position = order.len() as u32;
            let frame = calls[at as usize].frame;
            order.push(at as usize);
            parents.push(parent);
            frame_of.push(*numbers.entry(frame).or_insert_with(|| {
                frames.push(frame);
                frames.len() as u32 - 1
            }));
            let mut below = children.remove(&at).unwrap_or_default();
            // The last comes out first.
            below.sort_unstable_by_key(|&child| (ranks[child as usize], Reverse(child)));
            stack.extend(below.into_iter().map(|child| (child, position)));
        }
        flame.calls = model::Calls {
            parent: parents.into_iter().collect(),
            frame: frame_of.into_iter().collect(),
            own: order.iter().map(|&at| calls[at].own[0]).collect(),
            total: order.iter().map(|&at| totals[at][0]).collect(),
            before: match with_before {
                true => order.iter().map(|&at| totals[at][1]).collect(),
                false => model::Numbers::default(),
            },
        };
        let frames: Vec<&Frame> =
            frames.iter().map(|&frame| &self.frames[frame as usize]).collect();
        let names: Vec<u32> = frames.iter().map(|f| flame.texts.number(&f.name)).collect();
        let scripts: Vec<u32> = frames.iter().map(|f| flame.texts.number(&f.script)).collect();
        flame.frames = model::Frames {
            name: names.into_iter().collect(),
            script: scripts.into_iter().collect(),
            line: frames.iter().map(|f| f.line.max(0) as u64).collect(),
        };
        flame
    }
}

/// The nodes that each node calls, in file order.
pub(crate) struct Children {
    first: Vec<u32>,
    next: Vec<u32>,
    root: u32,
}

const NO: u32 = u32::MAX;

impl Children {
    pub(crate) fn new(parents: &[u32]) -> Self {
        let mut children =
            Children { first: vec![NO; parents.len()], next: vec![NO; parents.len()], root: NO };
        for node in (0..parents.len()).rev() {
            let siblings = match children.first.get_mut(parents[node] as usize) {
                Some(first) if parents[node] as usize != node => first,
                _ => &mut children.root,
            };
            children.next[node] = std::mem::replace(siblings, node as u32);
        }
        children
    }

    fn from(&self, first: u32) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(first).filter(|&node| node != NO), |&node| {
            Some(self.next[node as usize]).filter(|&node| node != NO)
        })
        .map(|node| node as usize)
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.from(self.root)
    }

    pub(crate) fn of(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.from(self.first[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_one_function_by_one_caller_are_one() {
        let mut calls: Calls<&str> = Calls::new("all");
        let names = ["", "a", "b", "a", "idle", "b"];
        // The root calls a, b and again a; the second a calls idle and b.
        let parents = [NO, 0, 0, 0, 3, 3];
        let frames: Vec<_> = names
            .iter()
            .map(|name| {
                let frame = || Frame { name: (*name).into(), ..Frame::default() };
                (!name.is_empty()).then(|| calls.frame(name, frame))
            })
            .collect();
        let weights = [1, 10, 20, 30, 1000, 40];
        calls.add(0, &parents, &weights, |node| frames[node], |node| names[node] != "idle");
        calls.add(1, &parents, &[0, 5, 0, 0, 0, 0], |node| frames[node], |_| true);
        let flame = calls.model(CALLS, "count", ("t", "c"), true);
        // Calls that take nothing in either profile are left out.
        let of = |numbers: &[u64]| model::Numbers::from(numbers.to_vec());
        assert_eq!(flame.calls.parent, of(&[0, 0, 1, 0]));
        assert_eq!(flame.calls.own, of(&[1, 40, 40, 20]));
        assert_eq!(flame.calls.total, of(&[101, 80, 40, 20]));
        assert_eq!(flame.calls.before, of(&[5, 5, 0, 0]));
    }
}
