//! Frame-of-reference encoded columns of integers.

/// Numbers in a block: few enough that neighbouring events are similar, and enough to pay for [`Block`].
const BLOCK: usize = 64;

/// Numbers that are packed together. A list in one part would be moved whenever it grows, and leave as much unused
/// memory as it has. What a task gathers is rarely packed before it is joined to the rest.
const PIECE: usize = if cfg!(test) { 2 * BLOCK } else { 256 * BLOCK };

/// Stands for a missing number.
const MISSING: i64 = i64::MIN;

/// Bytes after the last difference: each difference is read from eight bytes.
const PAD: usize = 8;

/// A growing list of optional integers in blocks of 64. For each number it stores the difference to the least number of
/// its block, in as many bits as the largest difference of the block needs: none if all are equal.
///
/// Times of neighbouring events take about two bytes, their names and threads less than one. The maximum is 8.25 bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    pieces: Vec<Piece>,
    /// Numbers that do not fill a piece yet.
    rest: Vec<i64>,
}

/// The numbers of [`PIECE`] positions.
#[derive(Clone, Debug)]
struct Piece {
    blocks: Vec<Block>,
    /// The differences of all blocks, and [`PAD`] bytes.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    least: i64,
    /// Position of its first byte. A block has 64 differences, so each begins at a byte.
    start: u32,
    /// Bits of a difference: up to 57, so that one that begins within a byte ends within eight, or 64.
    width: u8,
    /// If numbers are missing, differences count from 1, and 0 stands for a missing one.
    has_missing: bool,
}

impl Block {
    fn new(numbers: &[i64], start: usize) -> Self {
        let given = numbers.iter().filter(|&&number| number != MISSING);
        let (least, most) = given.fold((i64::MAX, MISSING), |(least, most), &number| {
            (least.min(number), most.max(number))
        });
        let has_missing = numbers.contains(&MISSING);
        let mut block = Block { least, start: start as u32, width: 0, has_missing };
        let bits = 64 - block.distance(most).leading_zeros();
        block.width = if bits > 57 { 64 } else { bits as u8 };
        block
    }

    #[inline]
    fn distance(self, number: i64) -> u64 {
        match number {
            MISSING => 0,
            number => number.wrapping_sub(self.least) as u64 + u64::from(self.has_missing),
        }
    }

    /// Appends the differences.
    fn write(self, numbers: &[i64], bytes: &mut Vec<u8>) {
        let width = u32::from(self.width);
        let (mut word, mut used) = (0, 0);
        for &number in numbers.iter().filter(|_| width > 0) {
            let distance = self.distance(number);
            word |= distance << used;
            used += width;
            if used >= 64 {
                bytes.extend(word.to_le_bytes());
                used -= 64;
                word = distance.checked_shr(width - used).unwrap_or(0);
            }
        }
    }

    #[inline]
    fn get(self, bytes: &[u8], at: usize) -> Option<i64> {
        let width = usize::from(self.width);
        let (start, bit) = (self.start as usize + at * width / 8, at * width % 8);
        let mut eight = [0; PAD];
        eight.copy_from_slice(&bytes[start..start + PAD]);
        let mask = u64::MAX.checked_shr(64 - width as u32).unwrap_or(0);
        let distance = u64::from_le_bytes(eight) >> bit & mask;
        let distance = distance.checked_sub(self.has_missing.into())?;
        Some(self.least.wrapping_add(distance as i64))
    }
}

impl Piece {
    fn new(numbers: &[i64]) -> Self {
        let mut size = 0;
        let block = |numbers: &[i64]| {
            let block = Block::new(numbers, size);
            size += usize::from(block.width) * BLOCK / 8;
            block
        };
        let blocks: Vec<Block> = numbers.chunks_exact(BLOCK).map(block).collect();
        let mut bytes = Vec::with_capacity(size + PAD);
        let parts = blocks.iter().zip(numbers.chunks_exact(BLOCK));
        parts.for_each(|(block, numbers)| block.write(numbers, &mut bytes));
        bytes.extend([0; PAD]);
        Piece { blocks, bytes }
    }

    #[inline]
    fn get(&self, at: usize) -> Option<i64> {
        self.blocks[at / BLOCK].get(&self.bytes, at % BLOCK)
    }

    fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        // Block by block: this takes a third less time than locating the block of each.
        let of_block = move |&block: &Block| (0..BLOCK).map(move |at| block.get(&self.bytes, at));
        self.blocks.iter().flat_map(of_block)
    }
}

impl Column {
    /// Appends a number; `i64::MIN` counts as missing.
    #[inline]
    pub(crate) fn push(&mut self, value: Option<i64>) {
        self.rest.push(value.unwrap_or(MISSING));
        if self.rest.len() == PIECE {
            self.pack();
        }
    }

    /// Sets a number at a position beyond the end; numbers in between are missing.
    pub(crate) fn put(&mut self, at: u64, value: Option<i64>) {
        while self.len() < at {
            self.push(None);
        }
        debug_assert_eq!(self.len(), at, "it was reached");
        self.push(value);
    }

    fn pack(&mut self) {
        self.pieces.push(Piece::new(&self.rest));
        self.rest.clear();
    }

    pub(crate) fn len(&self) -> u64 {
        (self.pieces.len() * PIECE + self.rest.len()) as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a position; `None` beyond the end.
    #[inline]
    pub(crate) fn get(&self, at: u64) -> Option<i64> {
        let at = at as usize;
        match self.pieces.get(at / PIECE) {
            Some(piece) => piece.get(at % PIECE),
            None => self.unpacked(at),
        }
    }

    /// The number at a position that no piece has. Not inlined, so that [`Column::get`] is.
    #[inline(never)]
    fn unpacked(&self, at: usize) -> Option<i64> {
        given(*self.rest.get(at - self.pieces.len() * PIECE)?)
    }

    /// Appends the numbers of another list, mapped by `map`, after the first `first` positions. If the other list is
    /// empty, nothing changes.
    pub(crate) fn append(&mut self, other: &Column, first: u64, map: impl Fn(i64) -> Option<i64>) {
        let mut values = other.iter().map(|value| value.and_then(&map));
        if let Some(value) = values.next() {
            self.put(first, value);
            values.for_each(|value| self.push(value));
        }
    }

    /// Number of elements below `bound`, if they never decrease and none is missing.
    pub(crate) fn rank(&self, bound: i64) -> u64 {
        let packed = self.pieces.len() * PIECE;
        if self.rest.first().is_some_and(|&first| first < bound) {
            return (packed + self.rest.partition_point(|&number| number < bound)) as u64;
        }
        let begins_below = |piece: &Piece| piece.blocks[0].least < bound;
        let piece = self.pieces.partition_point(begins_below).saturating_sub(1);
        let Some(Piece { blocks, .. }) = self.pieces.get(piece) else { return 0 };
        let block = blocks.partition_point(|block| block.least < bound).saturating_sub(1);
        let first = (piece * PIECE + block * BLOCK) as u64;
        let in_block = first..first + BLOCK as u64;
        let below = in_block.take_while(|&at| self.get(at).is_some_and(|number| number < bound));
        first + below.count() as u64
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        let rest = self.rest.iter().map(|&number| given(number));
        self.pieces.iter().flat_map(Piece::iter).chain(rest)
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.rest.clear();
    }
}

fn given(number: i64) -> Option<i64> {
    (number != MISSING).then_some(number)
}

impl FromIterator<Option<i64>> for Column {
    fn from_iter<I: IntoIterator<Item = Option<i64>>>(values: I) -> Self {
        let mut column = Column::default();
        values.into_iter().for_each(|value| column.push(value));
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that are similar to their neighbours.
    fn numbers() -> impl Strategy<Value = Vec<Option<i64>>> {
        let near = (any::<i64>(), 0..63u32, 1..150usize, 0..3u8).prop_flat_map(
            |(base, bits, len, missing)| {
                let number = any::<i64>().prop_map(move |n| Some(base.wrapping_add(n >> bits)));
                let number = match missing {
                    0 => number.boxed(),
                    1 => prop_oneof![number, Just(None)].boxed(),
                    _ => Just(None).boxed(),
                };
                proptest::collection::vec(number, len)
            },
        );
        proptest::collection::vec(near, 0..4).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn what_comes_in_comes_out(numbers in numbers(), gap in 0..200u64) {
            let mut column = Column::default();
            for round in 0..2 {
                numbers.iter().for_each(|&number| column.push(number));
                let mut expected: Vec<_> =
                    numbers.iter().map(|n| n.filter(|&n| n != i64::MIN)).collect();
                expected.resize(expected.len() + gap as usize, None);
                expected.push(Some(round));
                column.put(expected.len() as u64 - 1, Some(round));
                prop_assert_eq!(column.iter().collect::<Vec<_>>(), &expected[..]);
                let one_by_one = (0..column.len()).map(|at| column.get(at));
                prop_assert_eq!(one_by_one.collect::<Vec<_>>(), &expected[..]);
                let mut joined = column.clone();
                joined.append(&column, column.len() + gap, |number| number.checked_neg());
                let negated = expected.iter().map(|number| number.and_then(i64::checked_neg));
                let missing = std::iter::repeat_n(None, gap as usize);
                let all: Vec<_> =
                    expected.iter().copied().chain(missing).chain(negated).collect();
                prop_assert_eq!(joined.iter().collect::<Vec<_>>(), all);
                prop_assert_eq!(column.get(column.len()), None);
                prop_assert_eq!(column.get(column.len() + 1000), None);
                column.clear();
                prop_assert!(column.is_empty());
            }
        }
    }

    proptest! {
        #[test]
        fn rank_is_where_a_number_would_stand(
            steps in proptest::collection::vec(0..3i64, 0..300), bound in -1..400i64
        ) {
            let (mut column, mut numbers) = (Column::default(), Vec::new());
            for step in steps {
                numbers.push(numbers.last().unwrap_or(&0) + step);
                column.push(numbers.last().copied());
            }
            prop_assert_eq!(column.rank(bound), numbers.partition_point(|&n| n < bound) as u64);
        }
    }

    #[test]
    fn neighbours_that_are_alike_take_little() {
        let size = |value: &dyn Fn(i64) -> Option<i64>| {
            let mut column = Column::default();
            (0..6400).for_each(|at| column.push(value(at)));
            // Bits of each.
            let bytes = |piece: &Piece| piece.bytes.len() - PAD;
            column.pieces.iter().map(bytes).sum::<usize>() * 8 / 6400
        };
        let since_1970 = 1_700_000_000_000_000_000;
        assert_eq!(size(&|_| Some(since_1970)), 0);
        assert_eq!(size(&|_| None), 0);
        assert_eq!(size(&|at| Some(at)), 6);
        assert_eq!(size(&|at| Some(since_1970 + at * 1000)), 16);
        assert_eq!(size(&|at| (at % 2 == 0).then_some(at)), 6);
        assert_eq!(size(&|at| Some(if at % 2 == 0 { i64::MAX } else { i64::MIN + 1 })), 64);
        assert_eq!(size(&|at| [Some(i64::MAX), Some(i64::MIN + 1), None][at as usize % 3]), 64);
    }
}
