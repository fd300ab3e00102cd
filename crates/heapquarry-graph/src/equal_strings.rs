//! Which strings have one text, and what they take together.

use crate::{
    Analysis, Bits, Column, FixedBits, HashMap, Heap, Highest, NodeIndex, PackedColumn, Texts,
    duplicates::Known,
};
use heapquarry_base::threads::{join, ranges};

/// The strings of [`Texts`], and which of them have one text. As for [`duplicate_strings`](crate::duplicate_strings),
/// cut ones of the same size are taken as equal, and nothing is known to be equal to a part of a text.
///
/// Only strings whose text others have too are listed: they are few. All others take a bit each.
#[derive(Clone, Debug)]
pub struct EqualStrings {
    /// Strings whose text no other one has.
    pub(crate) single: FixedBits,
    /// All others, in file order.
    pub(crate) shared: Column<NodeIndex>,
    /// The text of each of these, as a number: texts are numbered in the order of their first strings.
    pub(crate) texts: Column<u32>,
}

/// Strings of one text. None keeps another one alive: their parts are shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSum {
    /// The one that retains most, of equal ones the first in the file.
    pub largest: NodeIndex,
    /// Number of strings.
    pub count: u32,
    /// Sum of their shallow sizes in bytes.
    pub shallow_size: u64,
    /// Sum of their retained sizes in bytes.
    pub retained_size: u64,
}

/// Texts of strings that rank highest, and what is known of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopTexts {
    /// Number of different texts.
    pub count: u64,
    /// Sum of the shallow sizes of all their strings in bytes.
    pub shallow_size: u64,
    /// Those that rank highest, of equal ones the one whose largest string is the first in the file.
    pub rows: Vec<TextSum>,
}

/// What is noted of a text until it has a number.
const UNSEEN: u32 = u32::MAX;
const ONCE: u32 = u32::MAX - 1;
const SEVERAL: u32 = u32::MAX - 2;

impl EqualStrings {
    /// Compares all texts. The result does not depend on the number of threads.
    pub fn new(heap: &Heap, all: &Texts, shallow_sizes: &PackedColumn, threads: usize) -> Self {
        let first = all.first_of_equal(heap, threads);
        let mut cut: HashMap<(u32, u64), usize> = HashMap::default();
        let mut key = |node: NodeIndex, text: u32| {
            let (first_text, known) = first[text as usize];
            let next = first.len() + cut.len();
            match known {
                Known::Whole => Some(first_text as usize),
                Known::Cut => {
                    let size = shallow_sizes.get(node.position());
                    Some(*cut.entry((first_text, size)).or_insert(next))
                }
                Known::Part => None,
            }
        };
        let mut noted = vec![UNSEEN; first.len()];
        for &(node, text) in heap.pass(all.strings()) {
            let Some(key) = key(node, text) else { continue };
            if key == noted.len() {
                noted.push(UNSEEN);
            }
            noted[key] = if noted[key] == UNSEEN { ONCE } else { SEVERAL };
        }
        let mut single = Bits::new(heap.nodes().len());
        let (mut shared, mut texts, mut next) = (Vec::new(), Vec::new(), 0);
        for &(node, text) in heap.pass(all.strings()) {
            let Some(noted) = key(node, text).map(|key| &mut noted[key]).filter(|n| **n != ONCE)
            else {
                single.set(node);
                continue;
            };
            if *noted == SEVERAL {
                *noted = next;
                next += 1;
            }
            shared.push(node);
            texts.push(*noted);
        }
        EqualStrings { single: single.into(), shared: shared.into(), texts: texts.into() }
    }

    /// Those of an index, if there is one and its lists do not contradict each other.
    pub fn kept(heap: &Heap, analysis: &Analysis) -> Option<Self> {
        analysis.equal_strings.clone().filter(|kept| kept.fits(heap.nodes().len()))
    }

    /// Whether each string of so many nodes is listed once, and the texts are numbered in order.
    fn fits(&self, nodes: usize) -> bool {
        let (mut after, mut next) = (0, 0);
        let mut fits = |(&node, &text): (&NodeIndex, &u32)| {
            let fits =
                (after..nodes).contains(&node.position()) && text <= next && !self.single.get(node);
            after = node.position() + 1;
            next = next.max(text + u32::from(fits));
            fits
        };
        self.shared.len() == self.texts.len()
            && self.single.words().len() == nodes.div_ceil(64)
            && self.shared.iter().zip(&self.texts).all(&mut fits)
    }

    /// The first of the texts that have strings that are wanted, and a rank. The result does not depend on the number
    /// of threads.
    pub fn top(
        &self,
        heap: &Heap,
        analysis: &Analysis,
        threads: usize,
        rows: usize,
        is_wanted: impl Fn(NodeIndex) -> bool + Sync,
        rank: impl Fn(&TextSum) -> Option<u64> + Sync,
    ) -> TopTexts {
        let others = threads.saturating_sub(1).max(1);
        let of = |node: NodeIndex| {
            let size = |sizes: &PackedColumn| sizes.get(node.position());
            TextSum {
                largest: node,
                count: 1,
                shallow_size: size(&analysis.shallow_sizes),
                retained_size: size(&analysis.retained_sizes),
            }
        };
        let (sums, tallies) = join(
            threads,
            || self.sums(heap, &is_wanted, of),
            || {
                ranges(self.single.words().len(), others, |words| {
                    let mut tally = Tally::new(rows);
                    for part in heap.parts(words) {
                        let nodes = self.single.nodes_of(part).filter(|&node| is_wanted(node));
                        nodes.for_each(|node| tally.add(&of(node), &rank));
                    }
                    tally
                })
            },
        );
        let mut all = Tally::new(rows);
        tallies.into_iter().for_each(|tally| all.join(tally));
        let found = sums.iter().filter(|(sum, _)| sum.count > 0);
        found.for_each(|(sum, _)| all.add(sum, &rank));
        let row = |(node, _)| match self.shared.binary_search(&node) {
            Ok(at) => sums[self.texts[at] as usize].0,
            Err(_) => of(node),
        };
        let rows = all.first.sorted().map(row).collect();
        TopTexts { count: all.count, shallow_size: all.size, rows }
    }

    /// The sums of texts that several strings have, by their numbers, and what the largest string of each retains.
    fn sums(
        &self,
        heap: &Heap,
        is_wanted: impl Fn(NodeIndex) -> bool,
        of: impl Fn(NodeIndex) -> TextSum,
    ) -> Vec<(TextSum, u64)> {
        let mut sums: Vec<(TextSum, u64)> = Vec::new();
        for part in heap.parts(0..self.shared.len()) {
            for (&node, &text) in self.shared[part.clone()].iter().zip(&self.texts[part]) {
                if text as usize == sums.len() {
                    sums.push(Default::default());
                }
                if !is_wanted(node) {
                    continue;
                }
                let (sum, most) = &mut sums[text as usize];
                let more = of(node);
                if sum.count == 0 || more.retained_size > *most {
                    (sum.largest, *most) = (node, more.retained_size);
                }
                sum.count += 1;
                sum.shallow_size = sum.shallow_size.saturating_add(more.shallow_size);
                sum.retained_size = sum.retained_size.saturating_add(more.retained_size);
            }
        }
        sums
    }
}

/// What a pass has found.
struct Tally {
    count: u64,
    size: u64,
    first: Highest,
}

impl Tally {
    fn new(rows: usize) -> Self {
        Tally { count: 0, size: 0, first: Highest::new(rows) }
    }

    #[inline]
    fn add(&mut self, sum: &TextSum, rank: impl Fn(&TextSum) -> Option<u64>) {
        if let Some(rank) = rank(sum) {
            self.count += 1;
            self.size = self.size.saturating_add(sum.shallow_size);
            self.first.add(sum.largest, rank);
        }
    }

    fn join(&mut self, other: Self) {
        self.count += other.count;
        self.size = self.size.saturating_add(other.size);
        self.first.join(other.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapBuilder, analyze, text_search::tests::heap};
    use std::cmp::Reverse;

    /// By the texts themselves.
    fn expected(
        heap: &Heap,
        analysis: &Analysis,
        rows: usize,
        is_wanted: impl Fn(NodeIndex) -> bool,
        rank: impl Fn(&TextSum) -> Option<u64>,
    ) -> TopTexts {
        let texts = Texts::new(heap);
        let mut by_text: HashMap<(String, u64), Vec<NodeIndex>> = HashMap::default();
        for &(node, text) in texts.strings().iter().filter(|(node, _)| is_wanted(*node)) {
            let (is, whole) = texts.of(heap, node).unwrap();
            // What is cut has 1,024 characters, and other parts of texts never have a size of that many bits.
            let difference = match texts.first_of_equal(heap, 1)[text as usize].1 {
                Known::Whole => 0,
                Known::Cut => analysis.shallow_sizes.get(node.position()),
                Known::Part => u64::from(node.0) << 32 | 1,
            };
            assert_eq!(whole, difference == 0);
            by_text.entry((is, difference)).or_default().push(node);
        }
        let retained = |node: NodeIndex| analysis.retained_sizes.get(node.position());
        let sum = |nodes: Vec<NodeIndex>| TextSum {
            largest: *nodes.iter().min_by_key(|&&node| (Reverse(retained(node)), node)).unwrap(),
            count: nodes.len() as u32,
            shallow_size: nodes
                .iter()
                .map(|node| analysis.shallow_sizes.get(node.position()))
                .sum(),
            retained_size: nodes.iter().map(|&node| retained(node)).sum(),
        };
        let mut all: Vec<TextSum> =
            by_text.into_values().map(sum).filter(|sum| rank(sum).is_some()).collect();
        all.sort_by_key(|sum| (Reverse(rank(sum)), sum.largest));
        TopTexts {
            count: all.len() as u64,
            shallow_size: all.iter().map(|sum| sum.shallow_size).sum(),
            rows: all.into_iter().take(rows).collect(),
        }
    }

    #[test]
    fn sums_of_texts_are_those_of_their_strings() {
        let (mut several, mut cut) = (0, 0);
        for seed in 0..40 {
            let heap = heap(seed, [0, 100][seed as usize % 2], seed % 4 == 3);
            let analysis = analyze(&heap, 1);
            for threads in [1, 3] {
                let texts = Texts::new(&heap);
                let made = EqualStrings::new(&heap, &texts, &analysis.shallow_sizes, threads);
                assert!(made.fits(heap.nodes().len()));
                for part in [1, 2, 5] {
                    let is_wanted = |node: NodeIndex| node.0.is_multiple_of(part);
                    for (least, rows) in [(0, 0), (0, 7), (17, 1000), (u64::MAX, 3)] {
                        for is_own in [false, true] {
                            let rank = |sum: &TextSum| {
                                let rank =
                                    if is_own { sum.shallow_size } else { sum.retained_size };
                                (rank >= least).then_some(rank)
                            };
                            let found = made.top(&heap, &analysis, threads, rows, is_wanted, rank);
                            let all = expected(&heap, &analysis, rows, is_wanted, rank);
                            assert_eq!(found, all, "{seed} {part} {least} {rows}");
                            several += all.rows.iter().filter(|sum| sum.count > 1).count();
                        }
                    }
                }
                let is_cut = |node: &&NodeIndex| heap.node_name(**node).len() == 1024;
                cut += made.shared.iter().filter(is_cut).count();
            }
        }
        assert!(several > 1000 && cut > 100, "{several} {cut}");
    }

    /// Lists of six nodes: which have a text of their own, and which have one with others.
    #[test]
    fn lists_that_contradict_each_other_are_not_taken() {
        let mut builder = HeapBuilder::new();
        (0..6).for_each(|at| _ = builder.node("string", &at.to_string(), 8));
        let heap = builder.build();
        let mut analysis = analyze(&heap, 1);
        assert!(EqualStrings::kept(&heap, &analysis).is_none());
        for (single, shared, texts, fits) in [
            (0b00_1001, &[1, 2, 4, 5][..], &[0, 1, 0, 1][..], true),
            (0b00_1001, &[1, 4], &[0, 0], true),
            (0, &[], &[], true),
            (0b00_1001, &[1, 2, 4, 5], &[0, 1, 0], false),
            (0b00_1001, &[1, 2, 4], &[0, 1, 0, 1], false),
            (0b00_1001, &[2, 1], &[0, 0], false),
            (0b00_1001, &[1, 1], &[0, 0], false),
            (0b00_1001, &[1, 6], &[0, 0], false),
            (0b00_1001, &[1, u32::MAX], &[0, 0], false),
            (0b00_1001, &[3, 4], &[0, 0], false),
            (0b00_1001, &[1, 2, 4, 5], &[1, 0, 1, 0], false),
            (0b00_1001, &[1, 2, 4, 5], &[0, 2, 0, 2], false),
            (0b00_1001, &[1, 2, 4, 5], &[0, u32::MAX, 0, 1], false),
        ] {
            let made = EqualStrings {
                single: FixedBits::from_words(vec![single].into(), 6).unwrap(),
                shared: shared.iter().copied().map(NodeIndex).collect(),
                texts: texts.to_vec().into(),
            };
            assert!(!made.fits(65), "bits of others");
            analysis.equal_strings = Some(made);
            let kept = EqualStrings::kept(&heap, &analysis);
            assert_eq!(kept.is_some(), fits, "{single:b} {shared:?} {texts:?}");
        }
    }
}
