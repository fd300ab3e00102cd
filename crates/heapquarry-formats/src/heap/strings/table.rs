//! The string table of a snapshot.

use super::put_out::{Rest, is_put_out};
use crate::{
    Scratch,
    heap::{positions::StringPosition, reassembly::Assemble},
};
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
    /// Bytes of their text.
    bytes: u64,
    /// What comes after these, once most are long; `None` if all stay in memory.
    rest: Option<Rest>,
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
        StringTableBuilder { capacity: bytes, ..Self::default() }
    }

    /// Has strings put there where most of many are long.
    pub(crate) fn with_scratch(self, scratch: Option<Arc<dyn Scratch>>) -> Self {
        StringTableBuilder { rest: scratch.map(Rest::new), ..self }
    }

    /// Takes these strings if they come after those that are one array.
    fn push_rest(&mut self, strings: LargeStringArray) -> Option<LargeStringArray> {
        let Some(rest) = &mut self.rest else { return Some(strings) };
        let bytes = text_len(&strings);
        let is_put_out = is_put_out(self.bytes + rest.kept(), strings.len() as u64, bytes);
        if is_put_out || !rest.is_empty() {
            rest.push(strings, is_put_out);
            return None;
        }
        self.bytes += bytes;
        Some(strings)
    }
}

impl Assemble for StringTableBuilder {
    type Part = StringPart;
    type Whole = StringTable;

    fn range(part: &StringPart) -> Range<u64> {
        part.first..part.first + part.strings.len() as u64
    }

    fn push(&mut self, StringPart { strings, .. }: StringPart) {
        let Some(strings) = self.push_rest(strings) else { return };
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
        let strings = Arc::new(match self.strings {
            Pieces::None => LargeStringBuilder::new().finish(),
            Pieces::One(strings) => strings,
            Pieces::Many(mut many) => many.finish(),
        });
        StringTable { strings, rest: self.rest.filter(|rest| !rest.is_empty()).map(Arc::new) }
    }
}

fn text_len(strings: &LargeStringArray) -> u64 {
    let bounds = strings.value_offsets();
    (bounds[strings.len()] - bounds[0]) as u64
}

fn append(to: &mut LargeStringBuilder, strings: &LargeStringArray) {
    to.append_array(strings).expect("64 bits hold the length of any text");
}

/// The string table of a snapshot.
#[derive(Clone, Debug)]
pub(crate) struct StringTable {
    /// All of them if names are wanted as text, and in most heaps.
    strings: ArrayRef,
    rest: Option<Arc<Rest>>,
}

impl Default for StringTable {
    fn default() -> Self {
        StringTableBuilder::default().finish()
    }
}

impl StringTable {
    /// Number of strings that names can refer to; positions are INT32.
    pub(crate) fn len(&self) -> u64 {
        self.strings.len().min(i32::MAX as usize) as u64
    }

    /// Whether there is a string at that position. A negative one, as an unsigned number, is out of range.
    pub(crate) fn has(&self, string: StringPosition) -> bool {
        string.0 < self.len()
    }

    /// All of them, if names are wanted as text.
    pub(crate) fn array(&self) -> &ArrayRef {
        &self.strings
    }

    /// The strings for the analysis, without a copy.
    pub(crate) fn texts(&self) -> Texts {
        Texts { strings: self.strings.as_string().clone(), rest: self.rest.clone() }
    }

    /// A text column: for each row the string at the position in `indices`, null where that is null. Nothing is copied:
    /// all row groups share the strings, and the sink selects those in use.
    pub(crate) fn column(&self, indices: Int32Array) -> ArrayRef {
        match self.len() {
            0 => arrays::nulls(Type::Text, indices.len()),
            _ => arrays::keyed(indices, self.strings.clone()),
        }
    }
}

/// The string table, for the analysis.
#[derive(Debug)]
pub(crate) struct Texts {
    strings: LargeStringArray,
    rest: Option<Arc<Rest>>,
}

impl Strings for Texts {
    fn len(&self) -> usize {
        self.strings.len() + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    fn get(&self, index: StringIndex) -> &str {
        let at = index.position();
        match &self.rest {
            _ if at < self.strings.len() => self.strings.value(at),
            Some(rest) if at < self.len() => rest.get(at - self.strings.len()),
            _ => "",
        }
    }

    fn text_len(&self) -> u64 {
        text_len(&self.strings) + self.rest.as_ref().map_or(0, |rest| rest.kept())
    }

    fn each(&self, strings: Range<usize>, look: &mut dyn FnMut(&str)) {
        let here = self.strings.len();
        (strings.start..strings.end.min(here)).for_each(|at| look(self.strings.value(at)));
        if let Some(rest) = self.rest.as_ref().filter(|_| strings.end > here) {
            rest.each(strings.start.max(here) - here..strings.end - here, look);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::put_out::tests::InMemory, *};
    use std::sync::Mutex;

    /// Ten MB of long strings, then short ones, then long ones.
    #[test]
    fn a_table_is_the_same_with_and_without_scratch() {
        let long = |n: usize| (0..1000).map(|at| format!("{:01000}", n * 1000 + at)).collect();
        let mut parts: Vec<Vec<String>> = (0..10).map(long).collect();
        parts.push((0..1000).map(|at| format!("short {at}")).collect());
        parts.push(long(11));
        let made = |room: Option<usize>| {
            let scratch = room.map(|room| {
                let scratch = InMemory { bytes: Mutex::default(), room, is_sound: true };
                Arc::new(scratch) as Arc<dyn Scratch>
            });
            let mut builder = StringTableBuilder::with_capacity(1 << 20).with_scratch(scratch);
            let mut first = 0;
            for part in &parts {
                builder.push(StringPart { first, strings: LargeStringArray::from(part.clone()) });
                first += part.len() as u64;
            }
            builder.finish().texts()
        };
        let plain = made(None);
        let all: usize = parts.iter().flatten().map(String::len).sum();
        assert_eq!(plain.text_len(), all as u64);
        for room in [0, 1 << 20, 1 << 30] {
            let texts = made(Some(room));
            assert_eq!(texts.len(), plain.len());
            let is_less = texts.text_len() < plain.text_len();
            assert_eq!(is_less, room > 0, "{room}");
            for (index, expected) in parts.iter().flatten().enumerate() {
                let index = StringIndex(index as u32);
                let strings: &dyn Strings = &texts;
                assert!(strings.with(index, |text| text == expected), "{room}: {index:?}");
                assert_eq!(plain.get(index), expected);
                assert!(texts.get(index) == expected, "{room}: {index:?}");
            }
            assert_eq!(texts.get(StringIndex(texts.len() as u32)), "");
        }
    }
}
