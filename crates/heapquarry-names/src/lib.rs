//! Names that people gave: source maps of scripts.
//!
//! A script that a bundler, a minifier or a compiler wrote has names, lines and columns that nobody knows. A source map
//! (ECMA-426) leads from its places to those of the sources. [`SourceMaps`] finds the map of a script, by debug id,
//! by the address that the script names, by path; a map that is broken or does not fit is a warning, and its script
//! keeps the names that it has. A place that no map covers has no original: no other one is guessed for it.
//!
//! The name of a function comes from the text of its source, if the map holds it: the innermost function, method or
//! class whose head is written at the place. The `names` of a map are no names of functions: at the places that V8
//! gives them fewer than half of them are right (parameters, `async` and `constructor` stand there).
//!
//! Lines and columns are from 0, columns in UTF-16 units.

#![forbid(unsafe_code)]

mod address;
mod ignored;
mod lexer;
mod map;
mod outline;
mod set;
mod variables;

pub use address::{MapAddress, locate};
pub use map::{Broken, Original, Place, SourceMap};
pub use set::{Access, Found, NotFound, Script, SourceMaps, StoredMap};
pub use variables::Owner;
