//! What benchmarks and the gate of `cargo xtask gate` have in common: seeded inputs, the same in every run, and
//! the cases whose instructions are counted. The benchmarks themselves are the `[[bench]]` targets beside this folder.

pub mod cases;
pub mod columns;
pub mod corpus;
pub mod profile;
mod random;
pub mod snapshot;
pub mod tokens;
pub mod trace;
