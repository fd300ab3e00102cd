//! What the crates above this one are built on: inputs that have been found, and heaps, profiles and traces in memory.
//! It may change with any version.

pub use crate::{
    contained::{Contained, ContainedDocument, Documents, contained},
    heap::{load_located, refuse_other},
    located::{Locate, Located},
    memory::{taken, taken_by_events, taken_of_base},
    profile::{
        Function, Gaps, Key, Measure, Member, NO, Profile, Sums, Total, load as load_profile, unit,
    },
    trace::{Loaded, load as load_trace},
};
pub use heapquarry_input::Purpose;
