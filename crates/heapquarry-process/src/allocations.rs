//! Which call stacks made what lives: a sampling profile of allocations.

use heapquarry_base::Order;
use std::{cmp::Reverse, iter, time::Duration};

/// What lives of all that was allocated from one time to another, by call stack. It is an estimate: the engine notes
/// one allocation in so many bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocations {
    /// When it began, since the first sample of the watch.
    pub from: Duration,
    /// When it was read.
    pub until: Duration,
    /// Bytes from one allocation that is noted to the next, on average.
    pub interval: u64,
    /// The calls as a tree, callers before those that they call.
    pub calls: Vec<AllocationCall>,
}

/// A function with those that called it, and what lives of its own allocations. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllocationCall {
    /// The position of the caller, which is less than that of this call.
    pub caller: Option<usize>,
    /// Name of the function; empty for one without a name, in parentheses for what is none.
    pub function: String,
    /// Name or URL of its script; empty if it has none.
    pub url: String,
    /// Its line, from 0.
    pub line: Option<u32>,
    /// Its column, from 0.
    pub column: Option<u32>,
    /// What lives, without what it called.
    pub size: u64,
    /// The part of it that is from the first half of all that was allocated: it has lived longest.
    pub early_size: u64,
    /// Allocations that were noted and live.
    pub sample_count: u64,
}

impl Allocations {
    /// The positions of calls that made something that lives, those first whose objects have lived longest: a cache
    /// that renews itself has much that is young.
    pub fn makers(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            (0..self.calls.len()).filter(|&at| self.calls[at].sample_count > 0).collect();
        all.order_by_key(|&at| Reverse((self.calls[at].early_size, self.calls[at].size)));
        all
    }

    /// A call and its callers, up to the outermost.
    pub fn stack(&self, at: usize) -> impl Iterator<Item = &AllocationCall> {
        let find = |at: usize| self.calls.get(at).map(|call| (at, call));
        let caller = move |&(at, call): &(usize, &AllocationCall)| {
            call.caller.filter(|&caller| caller < at).and_then(find)
        };
        iter::successors(find(at), caller).map(|(_, call)| call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(caller: Option<usize>, function: &str, early_size: u64, size: u64) -> AllocationCall {
        let sample_count = u64::from(size > 0);
        let function = function.into();
        AllocationCall { caller, function, size, early_size, sample_count, ..Default::default() }
    }

    #[test]
    fn what_has_lived_longest_comes_first() {
        let calls = vec![
            call(None, "(root)", 0, 0),
            call(Some(0), "tick", 0, 5),
            call(Some(1), "cache", 10, 900),
            call(Some(1), "leak", 50, 100),
            // Stored tables can say what they like.
            call(Some(4), "itself", 10, 20),
            call(Some(9), "later", 1, 1),
        ];
        let found = Allocations { calls, ..Allocations::default() };
        assert_eq!(found.makers(), [3, 2, 4, 5, 1]);
        for (at, expected) in
            [(3, &["leak", "tick", "(root)"][..]), (4, &["itself"]), (5, &["later"]), (6, &[])]
        {
            let stack: Vec<&str> = found.stack(at).map(|call| &*call.function).collect();
            assert_eq!(stack, expected);
        }
    }
}
