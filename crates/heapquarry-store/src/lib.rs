//! What heapquarry keeps of converted inputs, and queries over it.
//!
//! | to | use |
//! | --- | --- |
//! | convert an input once and keep the tables | [`cache`] |
//! | query tables with the installed DuckDB | [`duckdb`] |
//! | convert thousands of inputs, in runs that may end at any moment | [`batch`] |
#![forbid(unsafe_code)]

pub mod batch;
pub mod cache;
pub mod duckdb;
mod lock;
