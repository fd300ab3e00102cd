//! What heapquarry keeps of converted inputs.
//!
//! | to | use |
//! | --- | --- |
//! | convert an input once and keep the tables | [`cache`] |
//! | convert thousands of inputs, in runs that may end at any moment | [`batch`] |
#![forbid(unsafe_code)]

pub mod batch;
pub mod cache;
mod lock;
