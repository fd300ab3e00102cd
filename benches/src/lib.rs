//! Benchmarks live in the `[[bench]]` targets beside this folder.
