//! Sections that are flat arrays of integers, with a fixed number per record.

mod claim;
mod column;
mod labels;
mod locator;
mod read;
mod value;

pub(crate) use claim::{Lost, RecordCursor, Records};
pub(crate) use column::{Column, sequence, unwrapped, validity};
pub(crate) use labels::labels;
pub(crate) use locator::ValueLocator;
pub(crate) use read::read;
pub(crate) use value::Value;
