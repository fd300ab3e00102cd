//! Strings that occur more than once.

use crate::{
    HashMap, Heap, NodeIndex, NodeType, Packed, StringIndex,
    names::{LONGEST_CONS, append_leaves, halves, utf16_len},
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

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

/// Strings that more than one node holds, sorted by size. DevTools: `createNamedFilter`, "duplicatedStrings".
pub fn duplicate_strings(heap: &Heap, sizes: &Packed) -> Vec<Duplicate> {
    let groups = Groups::new(heap);
    groups.duplicates(heap, sizes)
}

/// Stands for no group.
const NONE: u32 = u32::MAX;

/// Nodes grouped by the string that they hold.
pub(crate) struct Groups {
    /// The text of each group.
    texts: Vec<Text>,
    /// Node and group.
    members: Vec<(NodeIndex, u32)>,
}

/// Text of the string table, or concatenated text.
enum Text {
    Table(StringIndex),
    Made(Box<str>),
}

struct Finder<'a> {
    heap: &'a Heap,
    hasher: RandomState,
    table: HashTable<u32>,
    texts: Vec<Text>,
    /// Group of each string of the table.
    of_string: Vec<u32>,
    /// Groups of the concatenated strings found so far.
    of_cons: HashMap<NodeIndex, u32>,
}

impl Groups {
    pub(crate) fn new(heap: &Heap) -> Self {
        let mut finder = Finder {
            heap,
            hasher: RandomState::default(),
            table: HashTable::new(),
            texts: Vec::new(),
            of_string: vec![NONE; heap.strings().len()],
            of_cons: HashMap::default(),
        };
        let mut members = Vec::new();
        for node in heap.nodes().all() {
            let group = match heap.nodes().kind(node) {
                // JavaScriptCore does not tell the text of strings.
                NodeType::String if heap.nodes().name_id(node) == StringIndex::NONE => continue,
                NodeType::String => finder.string(heap.nodes().name_id(node)),
                NodeType::ConsString => {
                    // The engine flattens strings: such a string shares the memory of its other half.
                    if finder.is_flat(node) {
                        continue;
                    }
                    finder.cons(node)
                }
                _ => continue,
            };
            members.push((node, group));
        }
        Groups { texts: finder.texts, members }
    }

    pub(crate) fn duplicates(self, heap: &Heap, sizes: &Packed) -> Vec<Duplicate> {
        // Per group: nodes, nodes with a size, and their size.
        let mut sums = vec![(0u64, 0u64, 0u64); self.texts.len()];
        for (node, group) in self.members {
            let own = sizes.get(node.position());
            let (nodes, count, size) = &mut sums[group as usize];
            *nodes += 1;
            *count += u64::from(own > 0);
            *size = size.saturating_add(own);
        }
        let all = self.texts.into_iter().zip(sums);
        let mut duplicates: Vec<Duplicate> = all
            .filter(|(_, (nodes, count, _))| *nodes > 1 && *count > 0)
            .map(|(text, (_, count, size))| {
                let string = match text {
                    Text::Table(string) => heap.strings().get(string).to_owned(),
                    Text::Made(text) => text.into(),
                };
                Duplicate { string, count, size }
            })
            .collect();
        duplicates.sort_unstable_by(|a, b| {
            (b.size, b.count).cmp(&(a.size, a.count)).then_with(|| a.string.cmp(&b.string))
        });
        duplicates
    }
}

impl Finder<'_> {
    fn text(heap: &Heap, texts: &[Text], group: u32) -> String {
        match &texts[group as usize] {
            Text::Table(string) => heap.strings().get(*string).to_owned(),
            Text::Made(text) => text.to_string(),
        }
    }

    fn group(&mut self, text: &str, make: impl FnOnce() -> Text) -> u32 {
        let Finder { heap, hasher, table, texts, .. } = self;
        let get = |group: u32| match &texts[group as usize] {
            Text::Table(string) => heap.strings().get(*string),
            Text::Made(text) => &**text,
        };
        let hash = hasher.hash_one(text);
        if let Some(&group) = table.find(hash, |&group| get(group) == text) {
            return group;
        }
        let group = texts.len() as u32;
        table.insert_unique(hash, group, |&group| hasher.hash_one(get(group)));
        texts.push(make());
        group
    }

    fn string(&mut self, string: StringIndex) -> u32 {
        match self.of_string.get(string.position()) {
            Some(&NONE) => {}
            Some(&group) => return group,
            None => return self.group("", || Text::Made("".into())),
        }
        let heap = self.heap;
        let group = self.group(heap.strings().get(string), || Text::Table(string));
        self.of_string[string.position()] = group;
        group
    }

    /// Whether one of the halves is empty. DevTools: `isFlatConsString`.
    fn is_flat(&mut self, node: NodeIndex) -> bool {
        let (first, second) = halves(self.heap, node);
        // The root stands for a missing half. Its name is empty, but it is not a half.
        [first, second].into_iter().filter(|&half| half != NodeIndex(0)).any(|half| {
            if self.heap.nodes().kind(half) == NodeType::ConsString {
                let group = self.cons(half);
                Self::text(self.heap, &self.texts, group).is_empty()
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
        let mut text = loop {
            if let Some(&group) = self.of_cons.get(&at) {
                // The halves form a cycle: there is no text.
                break if group == NONE {
                    String::new()
                } else {
                    Self::text(heap, &self.texts, group)
                };
            }
            if heap.nodes().kind(at) != NodeType::ConsString {
                break heap.node_name(at).to_owned();
            }
            self.of_cons.insert(at, NONE);
            let (first, second) = halves(heap, at);
            spine.push((at, second));
            at = first;
        };
        let mut units = utf16_len(&text);
        let mut group = NONE;
        for (node, second) in spine.into_iter().rev() {
            // Once the text is long enough, longer strings with this prefix are not distinguished.
            if units < LONGEST_CONS || group == NONE {
                units = append_leaves(heap, second, units, &mut text);
                group = self.group(&text, || Text::Made(text.as_str().into()));
            }
            self.of_cons.insert(node, group);
        }
        if group == NONE { self.of_cons[&node] } else { group }
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
        // 341 times three units and one more make 1,024; longer texts are equal from there on.
        let whole = "xyz".repeat(342);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].string.as_str(), found[0].count), (whole.as_str(), 100_000 - 340));
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
        assert_eq!(duplicate_strings(&heap, &heap.nodes().self_sizes).len(), 1);
    }
}
