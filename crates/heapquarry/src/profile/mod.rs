//! A profile in memory: functions and their call tree, from a file or from tables. CPU profiles, sampling heap profiles
//! and self-profiling traces differ in the unit of their weights; a pprof profile is one of these kinds as soon as it
//! is known which of its values are asked for.

mod gaps;
mod key;
mod load;
mod measures;
mod rows;
mod sums;
mod totals;

pub use gaps::Gaps;
pub use key::Key;
pub(crate) use load::Gathering;
pub use load::load;
pub use sums::Sums;
pub use totals::Total;

use crate::Status;
use heapquarry_formats::Entry;
pub(crate) use heapquarry_formats::ProfileKind as Kind;
use heapquarry_report::Unit;
use std::ops::Range;

/// Maps with an entry for each function or node of a profile.
type HashMap<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;

/// Marks a missing node.
pub const NO: u32 = u32::MAX;

/// Unit of the weights of a kind of profile.
pub fn unit(kind: Kind) -> Unit {
    match kind {
        Kind::Cpu => Unit::Micros,
        Kind::Heap => Unit::Bytes,
        Kind::SelfProfile | Kind::Pprof => Unit::Count,
    }
}

/// A function, or an entry of the engine such as `(idle)` or `(garbage collector)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Function {
    /// Empty for an anonymous one.
    pub name: Box<str>,
    /// Empty if it has no script.
    pub url: Box<str>,
    /// From 1, if known.
    pub line: Option<i32>,
    /// From 1, if known.
    pub column: Option<i32>,
}

impl Function {
    /// Its name, or `(anonymous)`.
    pub fn name(&self) -> &str {
        if self.name.is_empty() { "(anonymous)" } else { &self.name }
    }

    /// Whether it is the engine's entry of that name. Pyroscope's package for Node writes `:(idle):0`: script, name and
    /// line.
    fn is(&self, name: &str) -> bool {
        let of_pyroscope = self.name.strip_prefix(':').and_then(|rest| rest.strip_suffix(":0"));
        of_pyroscope.unwrap_or(&self.name) == name && self.url.is_empty()
    }

    /// The root, which calls all others.
    pub fn is_root(&self) -> bool {
        self.is("(root)")
    }

    /// Time in which nothing ran.
    pub fn is_idle(&self) -> bool {
        self.is("(idle)")
    }

    /// Whether it collects garbage, with all that it calls. The second name is that of pprof-nodejs; Go collects in
    /// functions of its runtime.
    pub fn is_gc(&self) -> bool {
        const OF_GO: [&str; 4] = [
            "runtime.gcBgMarkWorker",
            "runtime.gcAssistAlloc",
            "runtime.bgsweep",
            "runtime.bgscavenge",
        ];
        self.is("(garbage collector)")
            || self.is("Garbage Collection")
            || OF_GO.contains(&&*self.name)
    }
}

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
    /// The caller of each node, or [`NO`].
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
    /// Whether it was complete.
    pub status: Status,
    /// Everything unusual; empty for tables, which have `import_log`.
    pub log: Vec<Entry>,
}

impl Profile {
    /// The nodes of a stack, the innermost first.
    pub fn stack(&self, node: usize) -> impl Iterator<Item = usize> {
        // A tree has no cycles, but other programs may have written the tables.
        std::iter::successors(Some(node), |&node| {
            Some(self.parents[node] as usize).filter(|&parent| parent < self.parents.len())
        })
        .take(self.parents.len())
    }
}
