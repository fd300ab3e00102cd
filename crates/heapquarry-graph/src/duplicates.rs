//! Strings that occur more than once.
//!
//! A snapshot does not have every text. V8 writes the beginning of a long one, and placeholders for slices. Strings
//! that only look alike are not duplicates: DevTools takes them for such.

use crate::{
    HashMap, Heap, NodeIndex, NodeType, PackedColumn, StringIndex,
    names::{LONGEST_CONS, Parts, halves, is_placeholder, utf16_len},
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use heapquarry_base::threads;
use std::{hash::BuildHasher, sync::OnceLock};

/// A string that several nodes hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The string as far as the snapshot has it: V8 cuts at 1,024 characters.
    pub string: String,
    /// Nodes that hold it and have a size. It can be 1, if the other nodes are part of the engine's image.
    pub count: u64,
    /// Sum of their shallow sizes in bytes.
    pub size: u64,
}

/// Strings that more than one node holds, sorted by size. DevTools: `createNamedFilter`, "duplicatedStrings", but a cut
/// text is equal only to one of the same size, and a text that the file does not have is equal to none.
pub fn duplicate_strings(heap: &Heap, sizes: &PackedColumn) -> Vec<Duplicate> {
    Groups::new(heap, 1).duplicates(heap, sizes)
}

/// Stands for no group.
const NONE: u32 = u32::MAX;
/// The group of texts that the file does not have, or has not to their end.
const UNKNOWN: u32 = u32::MAX - 1;
/// The bits of a hash that stand before the number of a text.
const HASH: u64 = !(u32::MAX as u64);

/// Nodes by the string that they hold.
pub(crate) struct Groups {
    /// Texts of the string table are not compared: they can be equal to each other, and to others.
    texts: Vec<Text>,
    /// The texts that are not of the table.
    made: Vec<Box<str>>,
    /// Node and the number of its text.
    members: Vec<(NodeIndex, u32)>,
    /// The first of the texts that are equal to each, known ones or what is known of others, and how much of it is.
    first: OnceLock<Vec<(u32, Known)>>,
}

/// Text of the string table, or its number among the others: there can be as many as strings, so they are small.
#[derive(Clone, Copy)]
enum Text {
    Table(StringIndex),
    /// A concatenated text.
    Made(u32),
    /// What is known of a text that the file does not have, or has not to its end.
    Part(u32),
}

impl Text {
    fn get<'a>(self, heap: &'a Heap, made: &'a [Box<str>]) -> &'a str {
        match self {
            Text::Table(string) => heap.strings().get(string),
            Text::Made(text) | Text::Part(text) => &made[text as usize],
        }
    }

    /// What a function says of it, which may be asked for all texts: those of the table are not kept for that.
    fn with<T>(self, heap: &Heap, made: &[Box<str>], mut of: impl FnMut(&str) -> T) -> T {
        match self {
            Text::Table(string) => heap.strings().with(string, of),
            Text::Made(text) | Text::Part(text) => of(&made[text as usize]),
        }
    }
}

/// How much of a text is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// All of it.
    Whole,
    /// The beginning, as much as an engine writes. Those of one size are taken as equal.
    Cut,
    /// A part: nothing is known to be equal to it.
    Part,
}

struct Finder<'a> {
    heap: &'a Heap,
    hasher: RandomState,
    /// The numbers of texts that were put together.
    table: Numbered,
    /// The numbers of texts that are known in part, if these are wanted.
    parts: Option<Numbered>,
    texts: Vec<Text>,
    made: Vec<Box<str>>,
    /// Number of each string of the table.
    of_string: Vec<u32>,
    /// Numbers of the concatenated strings found so far.
    of_cons: HashMap<NodeIndex, u32>,
}

impl Groups {
    /// Strings whose texts are known, or are cut. Equal ones are found.
    pub(crate) fn new(heap: &Heap, threads: usize) -> Self {
        let groups = Self::with(heap, None);
        groups.first(heap, threads);
        groups
    }

    /// All strings: also those whose texts are known in part, or not at all. Texts of the string table are not read.
    pub(crate) fn of_all(heap: &Heap) -> Self {
        Self::with(heap, Some(Numbered::default()))
    }

    fn with(heap: &Heap, parts: Option<Numbered>) -> Self {
        let mut finder = Finder {
            heap,
            hasher: RandomState::default(),
            table: Numbered::default(),
            parts,
            texts: Vec::new(),
            made: Vec::new(),
            of_string: vec![NONE; heap.strings().len()],
            of_cons: HashMap::default(),
        };
        let mut members = Vec::new();
        let is_string = |&node: &NodeIndex| {
            use NodeType::{ConsString, SlicedString, String};
            matches!(heap.nodes().kind(node), String | SlicedString | ConsString)
        };
        for node in heap.pass_nodes().filter(is_string) {
            let group = match heap.nodes().kind(node) {
                // JavaScriptCore does not tell the text of strings.
                NodeType::String if heap.nodes().name_id(node) == StringIndex::NONE => {
                    finder.part("")
                }
                // It has no text of its own that could be saved.
                NodeType::SlicedString if finder.parts.is_none() => continue,
                NodeType::SlicedString if is_placeholder(heap.node_name(node)) => {
                    finder.part(heap.node_name(node))
                }
                NodeType::String | NodeType::SlicedString => {
                    finder.string(heap.nodes().name_id(node))
                }
                NodeType::ConsString => {
                    // The engine flattens strings: such a string shares the memory of its other half.
                    if finder.is_flat(node) {
                        continue;
                    }
                    finder.cons(node)
                }
                _ => continue,
            };
            if group != UNKNOWN {
                members.push((node, group));
            }
        }
        let Finder { texts, made, .. } = finder;
        Groups { texts, made, members, first: OnceLock::new() }
    }

    /// Nodes with the number of their text.
    pub(crate) fn members(&self) -> &[(NodeIndex, u32)] {
        &self.members
    }

    /// Number of texts.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// A text, as far as it is known.
    pub(crate) fn get<'a>(&'a self, heap: &'a Heap, text: u32) -> &'a str {
        self.texts[text as usize].get(heap, &self.made)
    }

    /// What a function says of a text, as far as it is known.
    pub(crate) fn with_text<T>(&self, heap: &Heap, text: u32, of: impl FnMut(&str) -> T) -> T {
        self.texts[text as usize].with(heap, &self.made, of)
    }

    /// How much is known of a text, which is this one.
    pub(crate) fn known(&self, text: u32, is: &str) -> Known {
        match self.texts[text as usize] {
            Text::Table(_) if is_cut(is) => Known::Cut,
            Text::Table(_) | Text::Made(_) => Known::Whole,
            Text::Part(_) => Known::Part,
        }
    }

    /// The first of the texts that are equal to each, and how much is known of it.
    pub(crate) fn first(&self, heap: &Heap, threads: usize) -> &[(u32, Known)] {
        self.first.get_or_init(|| self.find_equal(heap, threads))
    }

    /// Reads the texts in their order, and a second time those with equal hashes.
    fn find_equal(&self, heap: &Heap, threads: usize) -> Vec<(u32, Known)> {
        let hasher = RandomState::default();
        // A hash with the number of its text: sorted, equal texts are beside each other, the first in front.
        let hashed = |text: u32, is: &str| (hasher.hash_one(is) & HASH) | u64::from(text);
        let read = threads::ranges(self.len(), threads, |texts| {
            let mut hashes = Vec::with_capacity(texts.len());
            let mut known = Vec::with_capacity(texts.len());
            for text in heap.parts(texts).flatten().map(|text| text as u32) {
                self.with_text(heap, text, |is| {
                    hashes.push(hashed(text, is));
                    known.push(self.known(text, is));
                });
            }
            (hashes, known)
        });
        let (hashes, known): (Vec<_>, Vec<_>) = read.into_iter().unzip();
        let mut first: Vec<_> = (0..).zip(known.concat()).collect();
        let mut hashes = hashes.concat();
        hashes.sort_unstable();
        let mut different = Vec::new();
        for alike in hashes.chunk_by(|a, b| a & HASH == b & HASH).filter(|alike| alike.len() > 1) {
            different.clear();
            for text in alike.iter().map(|hash| (hash & !HASH) as u32) {
                match different.iter().find(|&&other| self.are_equal(heap, text, other)) {
                    Some(&other) => first[text as usize].0 = other,
                    None => different.push(text),
                }
            }
        }
        first
    }

    /// Nothing is known to be equal to a part of a text; of equal parts as much is known.
    fn are_equal(&self, heap: &Heap, a: u32, b: u32) -> bool {
        let [of_a, of_b] = [a, b].map(|text| matches!(self.texts[text as usize], Text::Part(_)));
        of_a == of_b && self.with_text(heap, a, |a| self.with_text(heap, b, |b| a == b))
    }

    pub(crate) fn duplicates(self, heap: &Heap, sizes: &PackedColumn) -> Vec<Duplicate> {
        let first = self.first(heap, 1);
        // Per group: nodes, nodes with a size, and their size.
        let mut sums = vec![(0u64, 0u64, 0u64); self.texts.len()];
        // The same of cut texts, by group and size: there are few.
        let mut cut: HashMap<(u32, u64), (u64, u64, u64)> = HashMap::default();
        for &(node, text) in &self.members {
            let own = sizes.get(node.position());
            let (group, known) = first[text as usize];
            let (nodes, count, size) = match known {
                Known::Cut => cut.entry((group, own)).or_default(),
                Known::Whole | Known::Part => &mut sums[group as usize],
            };
            *nodes += 1;
            *count += u64::from(own > 0);
            *size = size.saturating_add(own);
        }
        let whole = (0u32..).zip(sums);
        let cut = cut.into_iter().map(|((group, _), sum)| (group, sum));
        let mut duplicates: Vec<Duplicate> = whole
            .chain(cut)
            .filter(|(_, (nodes, count, _))| *nodes > 1 && *count > 0)
            .map(|(group, (_, count, size))| {
                let string = self.get(heap, group).to_owned();
                Duplicate { string, count, size }
            })
            .collect();
        duplicates.sort_unstable_by(|a, b| {
            (b.size, b.count).cmp(&(a.size, a.count)).then_with(|| a.string.cmp(&b.string))
        });
        duplicates
    }
}

/// Whether the engine has written only the beginning of a text.
pub(crate) fn is_cut(text: &str) -> bool {
    // UTF-8 is never shorter than UTF-16 has units.
    text.len() >= LONGEST_CONS && utf16_len(text) == LONGEST_CONS
}

/// The numbers of texts. Beside each is a part of its hash: texts are read only where that is equal.
#[derive(Default)]
struct Numbered(HashTable<(u32, u32)>);

impl Numbered {
    /// The number of a text, which it has from then on.
    fn number(
        &mut self,
        heap: &Heap,
        hasher: &RandomState,
        (texts, made): (&mut Vec<Text>, &mut Vec<Box<str>>),
        text: &str,
        of_made: fn(u32) -> Text,
    ) -> u32 {
        let hash = hasher.hash_one(text);
        let part = (hash >> u32::BITS) as u32;
        // What the table goes by must be known of the part alone.
        let spread = |part: u32| u64::from(part).wrapping_mul(SPREAD);
        let is_it = |&(other, number): &(u32, u32)| {
            other == part && texts[number as usize].with(heap, made, |known| known == text)
        };
        if let Some(&(_, number)) = self.0.find(spread(part), is_it) {
            return number;
        }
        let number = texts.len() as u32;
        self.0.insert_unique(spread(part), (part, number), |&(part, _)| spread(part));
        texts.push(of_made(made.len() as u32));
        made.push(text.into());
        number
    }
}

/// 2^64 by the golden ratio: Knuth's multiplicative hashing (The Art of Computer Programming, 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Finder<'_> {
    fn group(&mut self, text: &str) -> u32 {
        let Finder { heap, hasher, table, texts, made, .. } = self;
        table.number(heap, hasher, (texts, made), text, Text::Made)
    }

    /// The group of what is known of a text.
    fn part(&mut self, text: &str) -> u32 {
        let Finder { heap, hasher, parts, texts, made, .. } = self;
        match parts {
            Some(table) => table.number(heap, hasher, (texts, made), text, Text::Part),
            None => UNKNOWN,
        }
    }

    fn string(&mut self, string: StringIndex) -> u32 {
        match self.of_string.get(string.position()) {
            Some(&NONE) => {}
            Some(&group) => return group,
            None => return self.group(""),
        }
        let group = self.texts.len() as u32;
        self.texts.push(Text::Table(string));
        self.of_string[string.position()] = group;
        group
    }

    fn text(&self, group: u32) -> &str {
        self.texts[group as usize].get(self.heap, &self.made)
    }

    /// Whether all of a text is known.
    fn is_known(&self, group: u32) -> bool {
        group != UNKNOWN && !matches!(self.texts[group as usize], Text::Part(_))
    }

    /// Whether one of the halves is empty. DevTools: `isFlatConsString`.
    fn is_flat(&mut self, node: NodeIndex) -> bool {
        let Some((first, second)) = halves(self.heap, node) else { return false };
        // The root stands for a missing half. Its name is empty, but it is not a half.
        [first, second].into_iter().filter(|&half| half != NodeIndex(0)).any(|half| {
            if self.heap.nodes().kind(half) == NodeType::ConsString {
                let group = self.cons(half);
                self.is_known(group) && self.text(group).is_empty()
            } else {
                self.heap.node_name(half).is_empty()
            }
        })
    }

    /// The group of a concatenated string. Its first half can be such a string too, and so on a million times: the loop
    /// descends first, and concatenates on the way back.
    fn cons(&mut self, node: NodeIndex) -> u32 {
        let heap = self.heap;
        let mut spine = Vec::new();
        let mut at = node;
        let mut parts = Parts::default();
        loop {
            match self.of_cons.get(&at) {
                // The halves form a cycle: there is no text.
                Some(&(NONE | UNKNOWN)) => parts.is_unknown = true,
                Some(&group) => {
                    parts.text = self.text(group).to_owned();
                    parts.units = utf16_len(&parts.text);
                    parts.is_unknown = !self.is_known(group);
                }
                None => {
                    let is_cons = heap.nodes().kind(at) == NodeType::ConsString;
                    if let Some((first, second)) = is_cons.then(|| halves(heap, at)).flatten() {
                        self.of_cons.insert(at, NONE);
                        spine.push((at, second));
                        at = first;
                        continue;
                    }
                    parts.append(heap, at);
                }
            }
            break;
        }
        if spine.is_empty() {
            return self.group_of(&parts);
        }
        for (node, second) in spine.into_iter().rev() {
            if !parts.is_unknown || self.parts.is_some() {
                parts.append(heap, second);
            }
            let group = self.group_of(&parts);
            self.of_cons.insert(node, group);
        }
        self.of_cons[&node]
    }

    fn group_of(&mut self, parts: &Parts) -> u32 {
        match parts.is_whole() {
            true => self.group(&parts.text),
            false => self.part(&parts.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder, display_name};

    #[test]
    fn halves_are_put_together_and_flat_ones_passed_over() {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let cons = "concatenated string";
        let (ab, a, b) = (
            builder.node("string", "ab", 16),
            builder.node("string", "a", 16),
            builder.node("string", "b", 16),
        );
        let empty = builder.node("string", "", 8);
        // Equal strings without a size could not be saved.
        let without_size = [0, 0].map(|size| builder.node("string", "c", size));
        let made = builder.node(cons, "(concatenated string)", 32);
        let flat = builder.node(cons, "(concatenated string)", 32);
        for (whole, first, second) in [(made, a, b), (flat, ab, empty)] {
            builder.edge(whole, EdgeType::Internal, "first", first);
            builder.edge(whole, EdgeType::Internal, "second", second);
        }
        for string in [ab, a, b, empty, made, flat].into_iter().chain(without_size) {
            builder.edge(root, EdgeType::Element, "1", string);
        }
        let heap = builder.build();
        let found = duplicate_strings(&heap, &heap.nodes().self_sizes);
        assert_eq!(found, [Duplicate { string: "ab".into(), count: 2, size: 48 }]);
    }

    #[test]
    fn a_long_chain_is_put_together_once() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        let x = builder.node("string", "xyz", 16);
        let mut last = x;
        let mut chain = Vec::new();
        for _ in 0..100_000 {
            let next = builder.node("concatenated string", "", 32);
            builder.edge(next, EdgeType::Internal, "first", last);
            builder.edge(next, EdgeType::Internal, "second", x);
            last = next;
            chain.push(next);
        }
        let heap = builder.build();
        let found = duplicate_strings(&heap, &heap.nodes().self_sizes);
        // 341 times three units and one more make 1,024: what follows is not shown, and longer texts are not compared.
        let whole = "xyz".repeat(342);
        assert_eq!(found, []);
        assert_eq!(display_name(&heap, &[], chain[400]), whole);
        assert_eq!(display_name(&heap, &[], chain[1]), "xyzxyzxyz");
    }

    #[test]
    fn halves_that_go_round_in_a_circle_come_to_an_end() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        let one = builder.node("concatenated string", "", 32);
        let two = builder.node("concatenated string", "", 32);
        let text = builder.node("string", "t", 32);
        builder.edge(one, EdgeType::Internal, "first", two);
        builder.edge(one, EdgeType::Internal, "second", text);
        builder.edge(two, EdgeType::Internal, "first", one);
        builder.edge(two, EdgeType::Internal, "second", text);
        let heap = builder.build();
        assert_eq!(duplicate_strings(&heap, &heap.nodes().self_sizes), []);
    }

    /// Strings with their sizes; those of `/` are put together from a slice, whose text is not in the file.
    #[test]
    fn texts_that_the_file_does_not_have_are_no_duplicates() {
        let cut = |last: &str| format!("{}{last}", "x".repeat(1023));
        let long = |n: usize| "é".repeat(n);
        for (strings, expected) in [
            (vec![("a", 16), ("a", 16)], vec![(2, 32)]),
            (vec![("a", 16), ("a", 24)], vec![(2, 40)]),
            // Cut: other sizes are other texts, equal sizes are taken as equal texts.
            (vec![(&*cut("x"), 5000), (&cut("x"), 6000), (&cut("x"), 7000)], vec![]),
            (vec![(&cut("x"), 5000), (&cut("x"), 6000), (&cut("x"), 6000)], vec![(2, 12_000)]),
            (vec![(&cut("x"), 0), (&cut("x"), 0)], vec![]),
            (vec![(&cut(""), 1100), (&cut(""), 1200)], vec![(2, 2300)]),
            (vec![(&cut("\u{fffd}"), 5000), (&cut("\u{fffd}"), 6000)], vec![]),
            (vec![(&long(1024), 5000), (&long(1024), 6000)], vec![]),
            (vec![(&long(1023), 2100), (&long(1023), 2200)], vec![(2, 4300)]),
            (vec![("/", 32), ("/", 32), ("/", 32)], vec![]),
        ] {
            let mut builder = HeapBuilder::new();
            builder.node("synthetic", "", 0);
            for (at, &(text, size)) in strings.iter().enumerate() {
                if text != "/" {
                    builder.node("string", text, size);
                    continue;
                }
                let slice = builder.node("sliced string", "(sliced string)", 32);
                let parent = builder.node("string", &format!("/srv/app{at}/index.js"), 40);
                let rest = builder.node("string", &format!("/node_modules{at}"), 32);
                let made = builder.node("concatenated string", "(concatenated string)", size);
                builder.edge(slice, EdgeType::Internal, "parent", parent);
                builder.edge(made, EdgeType::Internal, "first", slice);
                builder.edge(made, EdgeType::Internal, "second", rest);
                // What holds such a string is as unknown.
                let around = builder.node("concatenated string", "(concatenated string)", size);
                builder.edge(around, EdgeType::Internal, "first", made);
                builder.edge(around, EdgeType::Internal, "second", rest);
            }
            let heap = builder.build();
            let found = duplicate_strings(&heap, &heap.nodes().self_sizes);
            let found: Vec<_> = found.iter().map(|found| (found.count, found.size)).collect();
            assert_eq!(found, expected, "{strings:?}");
        }
    }

    /// Bun has no edges to the halves.
    #[test]
    fn the_name_of_a_string_without_halves_is_its_text() {
        let mut builder = HeapBuilder::new();
        builder.node("synthetic", "", 0);
        let text = builder.node("string", "key of a rope", 24);
        let rope = builder.node("concatenated string", "key of a rope", 32);
        let placeholder = builder.node("concatenated string", "(concatenated string)", 32);
        builder.node("concatenated string", "(concatenated string)", 32);
        let around = builder.node("concatenated string", "(concatenated string)", 32);
        builder.edge(around, EdgeType::Internal, "first", rope);
        builder.edge(around, EdgeType::Internal, "second", text);
        let heap = builder.build();
        assert_eq!(display_name(&heap, &[], rope), "key of a rope");
        assert_eq!(display_name(&heap, &[], around), "key of a ropekey of a rope");
        assert_eq!(display_name(&heap, &[], placeholder), "(concatenated string)");
        let found = duplicate_strings(&heap, &heap.nodes().self_sizes);
        assert_eq!(found, [Duplicate { string: "key of a rope".into(), count: 2, size: 56 }]);
    }
}
