//! A profile in memory: functions and the tree of their calls, out of a file or out of the tables made of one. CPU profiles,
//! sampling heap profiles and self-profiling traces differ in what they count.

mod load;
mod rows;
mod sums;

pub(crate) use load::{Gathering, load};
pub(crate) use sums::Sums;

use crate::Status;
use heapquarry_formats::Entry;
pub(crate) use heapquarry_formats::ProfileKind as Kind;
use heapquarry_report::Unit;
use std::ops::Range;

/// No node.
pub(crate) const NO: u32 = u32::MAX;

/// What the weights of a kind of profile are.
pub(crate) fn unit(kind: Kind) -> Unit {
    match kind {
        Kind::Cpu => Unit::Micros,
        Kind::Heap => Unit::Bytes,
        Kind::SelfProfile => Unit::Count,
    }
}

/// A function, or what stands for one: `(idle)`, `(garbage collector)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Function {
    /// Empty for an anonymous one.
    pub(crate) name: Box<str>,
    /// Empty for what has no script.
    pub(crate) url: Box<str>,
    /// From 1, if known.
    pub(crate) line: Option<i32>,
    /// From 1, if known.
    pub(crate) column: Option<i32>,
}

impl Function {
    /// Its name, or that it has none.
    pub(crate) fn name(&self) -> &str {
        if self.name.is_empty() { "(anonymous)" } else { &self.name }
    }

    /// Whether it is one that engines put into profiles themselves.
    fn is(&self, name: &str) -> bool {
        *self.name == *name && self.url.is_empty()
    }

    /// The root, which all others are called by.
    pub(crate) fn is_root(&self) -> bool {
        self.is("(root)")
    }

    /// Time in which nothing ran.
    pub(crate) fn is_idle(&self) -> bool {
        self.is("(idle)")
    }

    /// Time in which garbage was collected.
    pub(crate) fn is_gc(&self) -> bool {
        self.is("(garbage collector)")
    }
}

/// A profile that others were put together with: of a thread in a trace, say.
#[derive(Debug)]
pub(crate) struct Member {
    /// Name of its document, and its thread; empty if it is no CPU profile.
    pub(crate) name: String,
    /// Its nodes.
    pub(crate) nodes: Range<u32>,
    /// Nodes and durations of its samples in file order, if they were asked for and the kind has them.
    pub(crate) samples: Vec<(u32, i64)>,
}

/// A profile, or several as one. Each node of the tree is a function as called from one place.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    pub(crate) kind: Kind,
    /// Name of the document, or of the first.
    pub(crate) name: String,
    /// Each once.
    pub(crate) functions: Vec<Function>,
    /// Of each node its function.
    pub(crate) of: Vec<u32>,
    /// Of each node its caller, or [`NO`].
    pub(crate) parents: Vec<u32>,
    /// Of each node what it has itself, in the unit of the kind.
    pub(crate) weights: Vec<i64>,
    /// Of each node how often it was sampled; empty if the kind does not say.
    pub(crate) hits: Vec<i64>,
    /// What it was put together of, in file order; nothing of self-profiling traces.
    pub(crate) members: Vec<Member>,
    pub(crate) sample_count: u64,
    /// What all samples have, those too whose node is not there.
    pub(crate) whole: i64,
    /// Start and end in microseconds of the engine's clock, if known.
    pub(crate) span: Option<(i64, i64)>,
    /// Traces that it was put together of.
    pub(crate) documents: usize,
    /// Whether it was whole.
    pub(crate) status: Status,
    /// What was out of the ordinary; empty for tables, whose `import_log` says it.
    pub(crate) log: Vec<Entry>,
}

impl Profile {
    /// The nodes of a stack, the innermost first.
    pub(crate) fn stack(&self, node: usize) -> impl Iterator<Item = usize> {
        // A tree has no cycles, but tables may have been written by others.
        std::iter::successors(Some(node), |&node| {
            Some(self.parents[node] as usize).filter(|&parent| parent < self.parents.len())
        })
        .take(self.parents.len())
    }
}
