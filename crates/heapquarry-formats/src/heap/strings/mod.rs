//! The `strings` section: claims of complete strings, decoding, and the string table.

mod claim;
mod decode;
mod table;

pub(crate) use claim::{ClaimedStrings, StringCursor};
pub(crate) use decode::rows;
pub(crate) use table::{StringPart, StringTable, StringTableBuilder};
