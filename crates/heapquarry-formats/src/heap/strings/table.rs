//! The string table of a snapshot.

use super::put_out::{Rest, is_put_out};
use crate::{
    Scratch,
    heap::{positions::StringPosition, reassembly::Assemble},
};
use arrow_array::{
    Array, ArrayRef, Int32Array, LargeStringArray, builder::LargeStringBuilder, cast::AsArray,
};
use arrow_buffer::OffsetBuffer;
use heapquarry_graph::{StringIndex, Strings};
use heapquarry_tables::{Type, arrays, fallible};
use std::{io, mem, ops::Range, sync::Arc};

/// The strings of one task.
#[derive(Debug)]
pub(crate) struct StringPart {
    /// Position of the first string.
    pub(crate) first: u64,
    pub(crate) strings: LargeStringArray,
}

/// A row group whose rows have strings refers to about as much text, at most.
const GROUP_TEXT: u64 = 2 << 20;
/// It has at least as many rows, however long the strings are.
const FEWEST_ROWS: u64 = 256;

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
                let mut many = reserved(self.capacity);
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
        let rest = self.rest.filter(|rest| !rest.is_empty()).map(Arc::new);
        let (count, bytes) = rest.as_ref().map_or((0, 0), |rest| (rest.len(), rest.text_len()));
        let mean = (self.bytes + bytes) / (strings.len() + count).max(1) as u64;
        StringTable { strings, rest, mean }
    }
}

/// For so many bytes of strings, as far as the system gives the memory for that: what stays unused is only reserved.
fn reserved(bytes: usize) -> LargeStringBuilder {
    let (mut text, mut ends) = (Vec::<u8>::new(), vec![0i64]);
    // Eight bytes each on average, or more. What is refused comes bit by bit.
    let _ = fallible::reserve_exact(&mut text, bytes)
        .and_then(|()| fallible::reserve_exact(&mut ends, bytes / 8));
    let none = LargeStringArray::new(OffsetBuffer::new(ends.into()), text.into(), None);
    none.into_builder().unwrap_or_default()
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
    /// All of them, in most heaps.
    strings: ArrayRef,
    rest: Option<Arc<Rest>>,
    /// Bytes of a string, on average, if there is a rest.
    mean: u64,
}

impl Default for StringTable {
    fn default() -> Self {
        StringTableBuilder::default().finish()
    }
}

impl StringTable {
    /// Number of strings that names can refer to; positions are INT32.
    pub(crate) fn len(&self) -> u64 {
        let rest = self.rest.as_ref().map_or(0, |rest| rest.len());
        (self.strings.len() + rest).min(i32::MAX as usize) as u64
    }

    /// Whether there is a string at that position. A negative one, as an unsigned number, is out of range.
    pub(crate) fn has(&self, string: StringPosition) -> bool {
        string.0 < self.len()
    }

    /// All of them, of a table without scratch.
    pub(crate) fn array(&self) -> &ArrayRef {
        &self.strings
    }

    /// The strings for the analysis, without a copy.
    pub(crate) fn texts(&self) -> Texts {
        Texts { strings: self.strings.as_string().clone(), rest: self.rest.clone() }
    }

    /// Rows of a row group whose rows have strings: so many, or fewer if most text is that of long strings. It depends
    /// on the strings alone, not on where their text is.
    pub(crate) fn group_rows(&self, most: usize) -> usize {
        let fit = self.rest.as_ref().map(|_| (GROUP_TEXT / self.mean.max(1)).max(FEWEST_ROWS));
        fit.map_or(most, |fit| most.min(fit as usize))
    }

    /// A text column: for each row the string at the position in `indices`, null where that is null. Mostly nothing is
    /// copied: all row groups share the strings, and the sink selects those in use.
    pub(crate) fn column(&self, indices: Int32Array) -> ArrayRef {
        let here = self.strings.len();
        if self.len() == 0 {
            return arrays::nulls(Type::Text, indices.len());
        }
        match self.rest.is_some() && indices.iter().flatten().any(|at| at as usize >= here) {
            true => self.selected(&indices),
            false => arrays::keyed(indices, self.strings.clone()),
        }
    }

    /// A text column with the strings in use alone, as not all are in memory.
    fn selected(&self, indices: &Int32Array) -> ArrayRef {
        let rows = (0u32..).zip(indices);
        let mut used: Vec<(i32, u32)> = rows.filter_map(|(row, at)| Some((at?, row))).collect();
        used.sort_unstable();
        let (mut keys, mut strings) = (vec![0; indices.len()], Vec::<usize>::new());
        for (at, row) in used {
            if strings.last() != Some(&(at as usize)) {
                strings.push(at as usize);
            }
            keys[row as usize] = strings.len() as i32 - 1;
        }
        let bytes = (strings.len() as u64 * self.mean).min(GROUP_TEXT);
        let mut selected = LargeStringBuilder::with_capacity(strings.len(), bytes as usize);
        let texts = self.texts();
        for run in strings.chunk_by(|a, b| a + 1 == *b) {
            texts.each(run[0]..run[0] + run.len(), &mut |text| selected.append_value(text));
        }
        let keys = Int32Array::new(keys.into(), indices.nulls().cloned());
        arrays::keyed(keys, Arc::new(selected.finish()))
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

    fn check(&self) -> io::Result<()> {
        self.rest.as_ref().map_or(Ok(()), |rest| rest.check())
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

    /// Where the system does not give what a large section could need, it is taken as it comes.
    #[test]
    fn a_table_that_cannot_be_reserved_is_made() {
        let mut builder = StringTableBuilder::with_capacity(isize::MAX as usize);
        for (first, texts) in [(0, ["a", ""]), (2, ["bc", "d"]), (4, ["e", "f"])] {
            let strings = LargeStringArray::from(texts.to_vec());
            builder.push(StringPart { first, strings });
        }
        let texts = builder.finish().texts();
        let all: Vec<&str> = (0..6).map(|at| texts.get(StringIndex(at))).collect();
        assert_eq!(all, ["a", "", "bc", "d", "e", "f"]);
    }

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
            builder.finish()
        };
        let table = made(None);
        assert_eq!(table.group_rows(1 << 20), 1 << 20);
        let plain = table.texts();
        let all: usize = parts.iter().flatten().map(String::len).sum();
        assert_eq!(plain.text_len(), all as u64);
        for room in [0, 1 << 20, 1 << 30] {
            let table = made(Some(room));
            let texts = table.texts();
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
            // 11 MB in 12,000 strings.
            assert_eq!(table.len(), texts.len() as u64);
            assert_eq!((table.group_rows(1 << 20), table.group_rows(1000)), (2286, 1000));
            for rows in [
                vec![Some(1), None, Some(0), Some(1)],
                vec![Some(11_999), None, Some(0), Some(9_500), Some(11_999), Some(10_500)],
                vec![None, Some(9_500), Some(9_501), Some(9_502), Some(9_499), Some(8_389)],
                vec![None],
            ] {
                let column = table.column(Int32Array::from(rows.clone()));
                let column = arrays::expand(&column, Type::Text).unwrap();
                let texts = rows.iter().map(|at| at.map(|at| plain.get(StringIndex(at as u32))));
                let expected: Vec<_> = texts.collect();
                assert!(column.as_string::<i32>().iter().eq(expected), "{room}: {rows:?}");
            }
        }
    }
}
