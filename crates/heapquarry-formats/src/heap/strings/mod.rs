//! The `strings` section: claims of whole strings, their text, and the table of all of them.

mod claim;
mod decode;
mod table;

pub(crate) use claim::{ClaimedStrings, StringCursor};
pub(crate) use decode::rows;
pub(crate) use table::{StringPart, StringTable, StringTableBuilder};
