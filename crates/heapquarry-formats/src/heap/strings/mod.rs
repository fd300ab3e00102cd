//! The `strings` section: claims of complete strings, decoding, and the string table.

mod claim;
mod decode;
mod put_out;
mod table;

pub(crate) use claim::{ClaimedStrings, StringCursor};
pub(crate) use decode::rows;
pub use put_out::is_put_out;
pub(crate) use table::{StringPart, StringTable, StringTableBuilder};
