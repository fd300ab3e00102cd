//! Calls of one function by one caller, as one tree.

use crate::{HashMap, NO, Profile, calls::Children};
use std::cmp::Reverse;

/// A call tree in preorder: of what a call calls, the largest comes first; of equal ones the first in the file. The
/// first call is the root, which stands for the whole profile. Calls in which nothing ran are left out.
pub struct Tree {
    /// The calls.
    pub calls: Vec<Call>,
    /// The call of each node of the profile; [`NO`] of those that are left out.
    pub of: Vec<u32>,
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function; [`NO`] of the root.
    pub function: u32,
    /// The caller; of the root itself.
    pub parent: u32,
    /// The first call that is not below it.
    pub end: u32,
    /// Calls around it, and it: 0 of the root.
    pub depth: u32,
    /// What it takes itself.
    pub own: i64,
    /// What it takes with all that it calls.
    pub total: i64,
}

/// A box of a flame graph: a call, or several small ones beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallBox {
    /// The call; of several the largest.
    pub call: u32,
    /// Calls around it, up to the one that is drawn at the top.
    pub depth: u32,
    /// What stands to its left.
    pub start: i64,
    /// What they take together.
    pub total: i64,
    /// How many they are.
    pub count: u64,
}

impl Tree {
    /// The tree of a profile whose nodes take this themselves. What is less than nothing counts as nothing.
    pub fn new(profile: &Profile, weights: &[i64]) -> Self {
        let (mut calls, of) = merged(profile, weights);
        for at in (1..calls.len()).rev() {
            let Call { parent, total, .. } = calls[at];
            let above = &mut calls[parent as usize].total;
            *above = above.saturating_add(total);
        }
        in_order(&calls, of)
    }

    /// The call of a number, which must be there.
    #[inline]
    pub fn call(&self, call: u32) -> &Call {
        &self.calls[call as usize]
    }

    /// What a call calls.
    #[inline]
    pub fn below(&self, call: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.call(call).end;
        let within = move |at: &u32| *at < end;
        std::iter::successors(Some(call + 1).filter(within), move |&at| {
            Some(self.call(at).end).filter(within)
        })
    }

    /// The callers of a call, the nearest first, without the root.
    #[inline]
    pub fn above(&self, call: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(self.call(call).parent), |&at| Some(self.call(at).parent))
            .take_while(|&at| at != 0)
    }

    /// Boxes of a call and of all below it. Each that takes at least one of `parts` equal parts of it is a box, and
    /// smaller ones beside each other are one box. If they would be more than `most`, the parts are larger.
    pub fn boxes(&self, root: u32, parts: i64, most: usize) -> Vec<CallBox> {
        let total = self.call(root).total;
        let mut least = (total / parts.max(1)).max(1);
        loop {
            let mut boxes = self.boxes_from(root, least, most);
            // More than half of it has one box at each depth: of stacks that are deeper the outer calls are drawn.
            if boxes.len() <= most || least > total / 2 {
                boxes.truncate(most);
                return boxes;
            }
            least = least.saturating_mul(2);
        }
    }

    /// Stops at the first after `most`.
    fn boxes_from(&self, root: u32, least: i64, most: usize) -> Vec<CallBox> {
        let top = self.call(root);
        let mut boxes =
            vec![CallBox { call: root, depth: 0, start: 0, total: top.total, count: 1 }];
        // Open calls: their ends, and where the next box within them starts.
        let mut open = vec![(top.end, 0)];
        let mut at = root + 1;
        while let Some((end, cursor)) = open.last_mut() {
            if at >= *end {
                open.pop();
                continue;
            }
            if boxes.len() > most {
                return boxes;
            }
            let (call, start, end) = (*self.call(at), *cursor, *end);
            let depth = open.len() as u32;
            if call.total >= least {
                boxes.push(CallBox { call: at, depth, start, total: call.total, count: 1 });
                open[depth as usize - 1].1 = start.saturating_add(call.total);
                open.push((call.end, start));
                at += 1;
                continue;
            }
            // What follows is not larger.
            let (mut count, mut total, mut next) = (0, 0i64, at);
            while next < end {
                count += 1;
                total = total.saturating_add(self.call(next).total);
                next = self.call(next).end;
            }
            if total >= least {
                boxes.push(CallBox { call: at, depth, start, total, count });
            }
            at = end;
        }
        boxes
    }
}

/// The merged calls in the order in which they are met, with their own values, and the call of each node.
fn merged(profile: &Profile, weights: &[i64]) -> (Vec<Call>, Vec<u32>) {
    let root = Call { function: NO, parent: 0, end: 0, depth: 0, own: 0, total: 0 };
    let (mut calls, mut of) = (vec![root], vec![NO; profile.of.len()]);
    let is_root: Vec<bool> = profile.functions.iter().map(|one| one.is_root()).collect();
    let is_idle: Vec<bool> = profile.functions.iter().map(|one| one.is_idle()).collect();
    let mut known: HashMap<(u32, u32), u32> = HashMap::default();
    let children = Children::new(&profile.parents);
    let mut stack: Vec<(usize, u32)> = children.roots().map(|node| (node, 0)).collect();
    stack.reverse();
    while let Some((node, caller)) = stack.pop() {
        let function = profile.of[node];
        if is_idle[function as usize] {
            continue;
        }
        let call = match is_root[function as usize] {
            true => caller,
            false => *known.entry((caller, function)).or_insert_with(|| {
                calls.push(Call { function, parent: caller, ..root });
                calls.len() as u32 - 1
            }),
        };
        of[node] = call;
        let sum = &mut calls[call as usize];
        sum.own = sum.own.saturating_add(weights[node].max(0));
        sum.total = sum.own;
        let first = stack.len();
        stack.extend(children.of(node).map(|child| (child, call)));
        stack[first..].reverse();
    }
    (calls, of)
}

/// The calls in preorder. Callers come before what they call.
fn in_order(calls: &[Call], of: Vec<u32>) -> Tree {
    // What each calls, side by side: the last is visited first.
    let mut below: Vec<u32> = (1..calls.len() as u32).collect();
    below.sort_unstable_by_key(|&at| {
        let call = &calls[at as usize];
        (call.parent, call.total, Reverse(at))
    });
    let first = |caller: u32| below.partition_point(|&at| calls[at as usize].parent < caller);
    let mut ordered: Vec<Call> = Vec::with_capacity(calls.len());
    let mut numbers = vec![0; calls.len()];
    let mut stack = vec![(0u32, 0u32)];
    while let Some((at, parent)) = stack.pop() {
        let number = ordered.len() as u32;
        numbers[at as usize] = number;
        // The root, which comes first, is no caller of its own.
        let depth = ordered.get(parent as usize).map_or(0, |caller| caller.depth + 1);
        ordered.push(Call { parent, end: number + 1, depth, ..calls[at as usize] });
        let of_it = below[first(at)..].iter();
        let of_it = of_it.take_while(|&&child| calls[child as usize].parent == at);
        stack.extend(of_it.map(|&child| (child, number)));
    }
    for at in (1..ordered.len()).rev() {
        let Call { parent, end, .. } = ordered[at];
        let above = &mut ordered[parent as usize].end;
        *above = end.max(*above);
    }
    let number = |call: u32| numbers.get(call as usize).copied().unwrap_or(NO);
    Tree { calls: ordered, of: of.into_iter().map(number).collect() }
}
