//! A report as one self-contained HTML file that opens from disk, offline, in any current browser.
//!
//! A [`Page`] is a heading and a list of [`Block`]s: sections of [`heapquarry_report`], written as plain HTML that
//! needs no script, and [`Drawing`]s, written as data that the page's script draws: a heap by its dominators, a call
//! tree, a trace, memory over time. A page of several documents has a [`Part`] for each. [`Page::write`] fills the
//! template.
//!
//! The page loads nothing: a Content Security Policy allows one script and one style sheet, both by their hash. Text of
//! an input is never markup or script: in sections it is escaped ([`heapquarry_report::html::text`]); in the data of
//! drawings `<`, `>` and `&` are escaped too, and the script puts it on the page as text only.
//!
//! Models are plain data: this crate knows no heaps, profiles or traces, and reads no files.
#![forbid(unsafe_code)]

mod assets;
pub mod model;
mod page;
pub mod shared;

pub use model::{Block, Drawing, Page, Part};
pub use page::MARK;
