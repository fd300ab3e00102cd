//! Between analysis and tables. The crates of analysis know flat arrays and no Arrow; here they meet the tables.
//!
//! [`heap`] and [`trace`] make the rows that an analysis adds to those of a document, [`process`] those of samples of a
//! running process. [`profile`] takes the parts of a profile out of rows, and [`stored`] those of heaps, traces and
//! processes out of rows that were stored.
#![forbid(unsafe_code)]

mod captured;
pub mod heap;
pub mod process;
pub mod profile;
pub mod stored;
pub mod trace;

pub use captured::captured_at;
