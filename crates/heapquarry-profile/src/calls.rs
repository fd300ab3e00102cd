//! The call trees of one or two profiles as one.

use crate::{HashMap, NO};
use std::hash::Hash;

/// A function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name.
    pub name: String,
    /// The address of its script.
    pub script: String,
    /// Where it begins there, from 1; 0 and less are unknown.
    pub line: i32,
}

/// Calls of the same function by the same caller are one. `K` is what functions are known by.
pub struct Calls<K> {
    frames: Vec<Frame>,
    known: HashMap<K, u32>,
    /// Callers come before what they call; the first is the root.
    calls: Vec<Call>,
    /// By caller and function.
    places: HashMap<(u32, u32), u32>,
}

/// Calls of one function by one caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// The number of the caller; of the root its own.
    pub parent: u32,
    /// The number of the function.
    pub frame: u32,
    /// What they take themselves, by side: see [`Calls::add`].
    pub own: [u64; 2],
}

impl<K: Hash + Eq> Calls<K> {
    /// A tree of nothing but its root.
    pub fn new(root: &str) -> Self {
        let frames = vec![Frame { name: root.into(), ..Frame::default() }];
        let calls = vec![Call::default()];
        Calls { frames, known: HashMap::default(), calls, places: HashMap::default() }
    }

    /// The functions, by their numbers.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The calls, callers before what they call; the first is the root.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The number of a function.
    pub fn frame(&mut self, key: K, frame: impl FnOnce() -> Frame) -> u32 {
        let frames = &mut self.frames;
        *self.known.entry(key).or_insert_with(|| {
            frames.push(frame());
            frames.len() as u32 - 1
        })
    }

    /// Adds a tree of calls to a side, 0 or 1: the caller of each, its function and its own weight. Callers that do not
    /// exist stand for the root, and so does a function that is `None`; a call that `is_wanted` refuses is left out
    /// with all that it calls.
    pub fn add(
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
    pub fn stacks(&self) -> impl Iterator<Item = (Vec<u32>, [u64; 2])> {
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
}

/// The nodes that each node calls, in file order.
pub struct Children {
    first: Vec<u32>,
    next: Vec<u32>,
    root: u32,
}

impl Children {
    /// Of nodes with these parents; those that do not exist stand for none.
    pub fn new(parents: &[u32]) -> Self {
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

    #[inline]
    fn from(&self, first: u32) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(first).filter(|&node| node != NO), |&node| {
            Some(self.next[node as usize]).filter(|&node| node != NO)
        })
        .map(|node| node as usize)
    }

    /// The nodes that none calls.
    #[inline]
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.from(self.root)
    }

    /// The nodes that a node calls.
    #[inline]
    pub fn of(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
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
        let name = |call: &Call| calls.frames()[call.frame as usize].name.as_str();
        let own = |call: &Call| (name(call), call.parent, call.own);
        let found: Vec<_> = calls.calls().iter().map(own).collect();
        let expected =
            [("all", 0, [1, 0]), ("a", 0, [40, 5]), ("b", 1, [40, 0]), ("b", 0, [20, 0])];
        for one in expected {
            assert!(found.contains(&one), "{one:?} in {found:?}");
        }
        // What the first profile leaves out, the second has.
        assert_eq!(found.len(), expected.len() + 1, "{found:?}");
    }
}
