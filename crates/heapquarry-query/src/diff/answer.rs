//! What differs between inputs.

use crate::{
    answer::{Figure, Limits, answer},
    heap::diff::HeapDiff,
    profile::diff::ProfileDiff,
    trace::diff::TraceDiff,
};

answer! {
    /// What differs between inputs of one kind.
    pub struct DiffAnswer {
        /// What was found.
        #[serde(flatten)]
        pub found: Difference,
        /// Limits.
        #[serde(flatten)]
        pub limits: Limits,
        /// Figures of the last input, and those that limits are about; absent unless they are asked for.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub figures: Vec<Figure>,
    }

    /// What differs, by the kind of the inputs.
    #[serde(tag = "kind", rename_all = "snake_case")]
    pub enum Difference {
        /// Heaps.
        Heap(Box<HeapDiff>),
        /// Profiles.
        Profile(Box<ProfileDiff>),
        /// Traces.
        Trace(Box<TraceDiff>),
    }
}
