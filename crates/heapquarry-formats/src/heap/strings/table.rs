//! The string table of a snapshot.

use crate::heap::{positions::StringPosition, reassembly::Assemble};
use arrow_array::{
    Array, ArrayRef, Int32Array, LargeStringArray, builder::LargeStringBuilder, cast::AsArray,
};
use heapquarry_graph::{StringIndex, Strings};
use heapquarry_tables::{Type, arrays};
use std::{mem, ops::Range, sync::Arc};

/// The strings of one task.
#[derive(Debug)]
pub(crate) struct StringPart {
    /// Position of the first string.
    pub(crate) first: u64,
    pub(crate) strings: LargeStringArray,
}

/// Builds the string table.
#[derive(Debug, Default)]
pub(crate) struct StringTableBuilder {
    /// At most this many bytes of strings will come.
    capacity: usize,
    strings: Pieces,
}

/// The strings so far.
#[derive(Debug, Default)]
enum Pieces {
    #[default]
    None,
    /// The strings of the first task, not copied: a small snapshot has no others.
    One(LargeStringArray),
    Many(LargeStringBuilder),
}

impl StringTableBuilder {
    /// For strings of at most this many bytes in total.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        StringTableBuilder { capacity: bytes, strings: Pieces::None }
    }
}

impl Assemble for StringTableBuilder {
    type Part = StringPart;
    type Whole = StringTable;

    fn range(part: &StringPart) -> Range<u64> {
        part.first..part.first + part.strings.len() as u64
    }

    fn push(&mut self, StringPart { strings, .. }: StringPart) {
        let mut many = match mem::take(&mut self.strings) {
            Pieces::None => {
                self.strings = Pieces::One(strings);
                return;
            }
            Pieces::One(first) => {
                // Eight bytes each on average, or more. Memory that stays unused is only reserved.
                let mut many = LargeStringBuilder::with_capacity(self.capacity / 8, self.capacity);
                append(&mut many, &first);
                many
            }
            Pieces::Many(many) => many,
        };
        append(&mut many, &strings);
        self.strings = Pieces::Many(many);
    }

    fn finish(self) -> StringTable {
        StringTable(Arc::new(match self.strings {
            Pieces::None => LargeStringBuilder::new().finish(),
            Pieces::One(strings) => strings,
            Pieces::Many(mut many) => many.finish(),
        }))
    }
}

fn append(to: &mut LargeStringBuilder, strings: &LargeStringArray) {
    to.append_array(strings).expect("64 bits hold the length of any text");
}

/// The string table of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct StringTable(ArrayRef);

impl Default for StringTable {
    fn default() -> Self {
        StringTableBuilder::default().finish()
    }
}

impl StringTable {
    /// Number of strings that names can refer to; positions are INT32.
    pub(crate) fn len(&self) -> u64 {
        self.0.len().min(i32::MAX as usize) as u64
    }

    /// Whether there is a string at that position. A negative one, as an unsigned number, is out of range.
    pub(crate) fn has(&self, string: StringPosition) -> bool {
        string.0 < self.len()
    }

    /// All of them.
    pub(crate) fn array(&self) -> &ArrayRef {
        &self.0
    }

    /// The strings for the analysis, without a copy.
    pub(crate) fn texts(&self) -> Texts {
        Texts(self.0.as_string().clone())
    }

    /// A text column: for each row the string at the position in `indices`, null where that is null. Nothing is copied:
    /// all row groups share the strings, and the sink selects those in use.
    pub(crate) fn column(&self, indices: Int32Array) -> ArrayRef {
        match self.len() {
            0 => arrays::nulls(Type::Text, indices.len()),
            _ => arrays::keyed(indices, self.0.clone()),
        }
    }
}

/// The string table, for the analysis.
#[derive(Debug)]
pub(crate) struct Texts(LargeStringArray);

impl Strings for Texts {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: StringIndex) -> &str {
        let at = index.position();
        if at < self.0.len() { self.0.value(at) } else { "" }
    }

    fn text_len(&self) -> u64 {
        self.0.value_data().len() as u64
    }
}
