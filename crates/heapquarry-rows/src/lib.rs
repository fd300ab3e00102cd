//! Between analysis and tables. The crates of analysis know flat arrays and no Arrow; here they meet the tables.
//!
//! [`heap`] and [`trace`] make the rows that an analysis adds to those of a document, [`process`] those of samples of a
//! running process. [`profile`] takes the parts of a profile out of rows.
#![forbid(unsafe_code)]

pub mod heap;
pub mod process;
pub mod profile;
pub mod trace;
