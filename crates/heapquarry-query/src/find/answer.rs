//! What is found.

use crate::{
    answer::{Bytes, List, NodeId, answer},
    heap::show::{Instance, Target},
    profile::summary::FunctionValue,
    trace::{calls::CalledFunction, summary::SliceTime},
};
use heapquarry_profile::Kind;

answer! {
    /// What is found: nothing is an empty list.
    #[serde(tag = "of", rename_all = "snake_case")]
    pub enum FindAnswer {
        /// Objects of a heap.
        Objects(FoundObjects),
        /// Texts of strings of a heap.
        Strings(FoundStrings),
        /// Functions of a profile.
        Functions(FoundFunctions),
        /// Slices of a trace.
        Slices(FoundSlices),
    }

    /// Objects of a heap.
    pub struct FoundObjects {
        /// What all of them take themselves.
        pub shallow_size: Bytes,
        /// The objects, the largest first.
        pub objects: List<FoundObject>,
        /// Whether they are sorted by their own size.
        #[serde(skip)]
        pub(crate) by_own: bool,
    }

    /// An object, and what has it.
    pub struct FoundObject {
        /// The object.
        #[serde(flatten)]
        pub object: Instance,
        /// The path that keeps it alive; empty if none is known. An element of a collection is written `[]`.
        pub way: String,
        /// The nearest object of the program on that path; `null` if there is none.
        pub owner: Option<Target>,
    }

    /// Texts of strings.
    pub struct FoundStrings {
        /// What all of the strings take themselves.
        pub shallow_size: Bytes,
        /// The texts, the largest first. Equal strings are one.
        pub strings: List<FoundString>,
        /// Whether they are sorted by their own size.
        #[serde(skip)]
        pub(crate) by_own: bool,
    }

    /// Strings of one text.
    pub struct FoundString {
        /// The text, as far as the file has it.
        pub string: String,
        /// Whether that is all of it. Otherwise strings that begin alike are one only if they are of the same size.
        pub is_whole: bool,
        /// Number of strings.
        pub count: u64,
        /// What all of them take themselves.
        pub shallow_size: Bytes,
        /// What each of them retains, added up.
        pub retained_size: Bytes,
        /// The one that retains most, of equal ones the first in the file.
        pub id: NodeId,
        /// The path that keeps that one alive; empty if none is known.
        pub way: String,
        /// The nearest object of the program on that path; `null` if there is none.
        pub owner: Option<Target>,
    }

    /// Functions of a profile.
    pub struct FoundFunctions {
        /// What the values are: `us` of time, `bytes`, `samples`, or the unit of a pprof profile.
        pub unit: String,
        /// The functions, those with the largest values first.
        pub functions: List<FunctionValue>,
        /// The kind of profile.
        #[serde(skip)]
        pub(crate) words: Kind,
        /// Whether they are sorted by their own values.
        #[serde(skip)]
        pub(crate) by_own: bool,
    }

    /// Slices of a trace.
    pub struct FoundSlices {
        /// The slices by name and category, those that took most time first.
        pub slices: List<SliceTime>,
        /// The functions and scripts that slices call, likewise: by their name or address, in the file and in the
        /// source; absent if no slice tells what it calls.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub script_calls: Option<List<CalledFunction>>,
        /// Whether they are sorted by self time.
        #[serde(skip)]
        pub(crate) by_own: bool,
    }
}
