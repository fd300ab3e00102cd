//! Analysis of profiles: functions and their call tree, sums by function, types of values, what is not known.
//!
//! Plain vectors in, plain vectors out: this crate does not know JSON, Arrow or files. Whoever reads a profile hands
//! its [`Part`]s to an [`Assembly`], in any order of tables; the result is a [`Profile`]. CPU profiles, sampling heap
//! profiles and self-profiling traces differ in the unit of their weights. A pprof profile is one of these kinds as
//! soon as it is known which of its values are asked for.
//!
//! ```
//! use heapquarry_profile::{Assembly, Function, Functions, Kind, Nodes, Part};
//!
//! let function = |name: &str| Function { name: name.into(), ..Function::default() };
//! let mut functions = Functions::new();
//! let of = ["(root)", "work", "work"].map(|name| functions.number(name, || function(name)));
//! let mut assembly = Assembly::new(Kind::Cpu);
//! assembly.add(Part::Nodes(Nodes {
//!     file_ids: vec![0; 3],
//!     functions: functions.into_all(),
//!     of: of.into(),
//!     parents: vec![-1, 0, 1],
//!     weights: vec![0, 5, 7],
//!     ..Nodes::default()
//! }));
//! let profile = assembly.finish();
//! let largest = &profile.totals()[0];
//! assert_eq!((&*largest.function.name, largest.own, largest.total), ("work", 12, 12));
//! ```
#![forbid(unsafe_code)]

mod assembly;
pub mod calls;
pub mod chart;
mod function;
mod gaps;
mod key;
mod kind;
mod measures;
mod part;
mod profile;
pub mod stacks;
mod sums;
mod totals;
pub mod tree;

pub use assembly::Assembly;
pub use function::{
    BYTECODE, Distinct, Function, Functions, Original, memory as memory_of_functions,
};
pub use gaps::Gaps;
pub use key::Key;
pub use kind::Kind;
pub use part::{Frame, Id, Nodes, Part, Stack, Values};
pub use profile::{Measure, Member, Profile};
pub use stacks::NO;
pub use sums::Sums;
pub use totals::Total;

/// Maps with an entry for each function or node of a profile.
type HashMap<K, V> = hashbrown::HashMap<K, V, foldhash::fast::RandomState>;
type HashSet<T> = hashbrown::HashSet<T, foldhash::fast::RandomState>;
