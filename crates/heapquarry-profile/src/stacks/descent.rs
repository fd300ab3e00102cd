//! Stacks that go down the call tree side by side. Each call is looked up below the one before it: one stack alone
//! would wait for memory at each call.

use super::{NO, Tree};
use std::ops::Range;

/// A stack on its way down the tree.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The node of the calls that were found so far, or [`NO`].
    node: u32,
    /// Where the others are in a list of locations, the innermost one first.
    left: Range<usize>,
}

impl Walk {
    /// Of the stack with these locations, the innermost one first.
    #[inline]
    pub fn new(locations: Range<usize>) -> Self {
        Walk { node: NO, left: locations }
    }

    /// The node of the calls that were found, and the locations of the others.
    pub(super) fn rest<'l>(&self, locations: &'l [u32]) -> (u32, &'l [u32]) {
        (self.node, &locations[self.left.clone()])
    }

    /// The location of the next call, if there is one.
    #[inline]
    fn next(&self, locations: &[u32]) -> Option<u32> {
        locations[self.left.clone()].last().copied()
    }

    #[inline]
    fn go(&mut self, called: u32) {
        self.node = called;
        self.left.end -= 1;
    }

    /// Goes on as long as the next nodes of the tree are the next calls.
    #[inline]
    fn follow(&mut self, tree: &Tree, locations: &[u32]) {
        for &location in locations[self.left.clone()].iter().rev() {
            let Some(called) = tree.follower(self.node, location) else { break };
            self.go(called);
        }
    }
}

/// A walk whose next call is not the next node.
#[derive(Clone, Copy, Debug)]
struct Jump {
    /// Position of the walk.
    walk: u32,
    /// A node that may be the call, or [`NO`].
    to: u32,
}

/// Memory for the descents of many batches.
#[derive(Debug, Default)]
pub struct Descent {
    jumps: Vec<Jump>,
}

impl Descent {
    /// Lets stacks go down the tree as far as it has their calls. All jump together: first all slots are read, then all
    /// nodes, so that no stack waits alone.
    pub fn run(&mut self, tree: &Tree, walks: &mut [Walk], locations: &[u32]) {
        let jumps = &mut self.jumps;
        jumps.extend((0..walks.len() as u32).map(|walk| Jump { walk, to: NO }));
        loop {
            jumps.retain_mut(|Jump { walk, .. }| {
                let walk = &mut walks[*walk as usize];
                walk.follow(tree, locations);
                !walk.left.is_empty()
            });
            if jumps.is_empty() {
                return;
            }
            for Jump { walk, to } in &mut *jumps {
                let walk = &walks[*walk as usize];
                *to = walk.next(locations).map_or(NO, |next| tree.candidate(walk.node, next));
            }
            jumps.retain_mut(|&mut Jump { walk, to }| {
                let walk = &mut walks[walk as usize];
                let Some(next) = walk.next(locations) else { return false };
                let called = tree.jump(walk.node, next, to);
                called.map(|called| walk.go(called)).is_some()
            });
        }
    }
}
