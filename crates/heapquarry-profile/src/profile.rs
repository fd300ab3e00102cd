//! A profile: functions and their call tree.

use crate::{Function, Gaps, Kind, function};
use std::ops::Range;

/// One of several profiles that were merged, such as the profile of a thread in a trace.
#[derive(Debug)]
pub struct Member {
    /// Name of its document, and its thread; empty unless it is a CPU profile.
    pub name: String,
    /// Its nodes.
    pub nodes: Range<u32>,
    /// Nodes and durations of its samples in file order, if they were requested and the kind has them.
    pub samples: Vec<(u32, i64)>,
}

/// A type of values of a pprof profile.
#[derive(Clone, Debug, Default)]
pub struct Measure {
    /// What they are: `cpu`, `alloc_space`.
    pub name: String,
    /// Their unit: `nanoseconds`, `bytes`.
    pub unit: String,
    /// The self value of each node, in this unit.
    pub weights: Vec<i64>,
}

/// A profile, or several merged ones. Each node of the tree is a function as called from one place.
#[derive(Debug, Default)]
pub struct Profile {
    /// The kind of values that it has.
    pub kind: Kind,
    /// Name of the (first) document.
    pub name: String,
    /// The distinct functions.
    pub functions: Vec<Function>,
    /// The function of each node.
    pub of: Vec<u32>,
    /// The caller of each node, or [`NO`](crate::NO).
    pub parents: Vec<u32>,
    /// The self value of each node, in the unit of the kind.
    pub weights: Vec<i64>,
    /// The number of samples of each node; empty if the kind has none.
    pub hits: Vec<i64>,
    /// The types of values of a pprof profile; empty for others.
    pub measures: Vec<Measure>,
    /// The one of them that `weights` come from.
    pub shown: usize,
    /// The merged profiles, in file order; empty for self-profiling traces.
    pub members: Vec<Member>,
    /// Number of samples; 0 if the kind has none.
    pub sample_count: u64,
    /// Sum over all samples, including those with an unknown node.
    pub whole: i64,
    /// Start and end in microseconds of the engine's clock, if known.
    pub span: Option<(i64, i64)>,
    /// Number of merged traces.
    pub documents: usize,
    /// What is not known of the weights.
    pub gaps: Gaps,
}

impl Profile {
    /// Memory that it takes, in bytes, about.
    pub fn memory(&self) -> u64 {
        // Of a node its function, caller, value and samples.
        let Profile { of, functions, members, measures, .. } = self;
        let samples = members.iter().map(|member| 16 * member.samples.len()).sum::<usize>();
        let values = (24 + 8 * measures.len()) * of.len();
        (samples + values) as u64 + function::memory(functions)
    }

    /// The profile with its functions under the names and at the places that their sources have.
    #[must_use]
    pub fn in_sources(self) -> Self {
        let functions = self.functions.into_iter().map(Function::in_source).collect();
        Profile { functions, ..self }
    }

    /// The nodes of a stack, the innermost first.
    pub fn stack(&self, node: usize) -> impl Iterator<Item = usize> {
        // A tree has no cycles, but other programs may have written the tables.
        std::iter::successors(Some(node), |&node| {
            Some(self.parents[node] as usize).filter(|&parent| parent < self.parents.len())
        })
        .take(self.parents.len())
    }
}
