//! Names for plain objects: objects with the same properties are taken for the same kind.

use crate::{
    EdgeType, HashMap, Heap, NodeIndex, StringIndex, Strings,
    known::Role,
    names::{formatted, utf16_len},
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use heapquarry_base::Order;
use std::hash::BuildHasher;

/// Maximum length of an interface's name in UTF-16 units, unless it has only one property. DevTools:
/// `MAX_INTERFACE_NAME_LENGTH`.
const MAX_NAME_LENGTH: usize = 120;
/// DevTools: `MIN_OBJECT_COUNT_PER_INTERFACE`.
const MIN_OBJECTS: u64 = 2;
/// DevTools: `MIN_OBJECT_PROPORTION_PER_INTERFACE`.
const MIN_PROPORTION: u64 = 1000;

/// Properties that many plain objects have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name of the class: `{x, y}`.
    pub name: String,
    /// The properties.
    pub properties: Vec<String>,
}

/// The interfaces of a snapshot, the most frequent first. They hold text, so those of one snapshot can be looked up in
/// another. DevTools: `inferInterfaceDefinitions`.
pub fn interfaces(heap: &Heap, threads: usize) -> Vec<Interface> {
    Properties::new(heap).interfaces(heap, threads)
}

/// Numbers for the names of plain objects' properties; equal text has an equal number.
pub(crate) struct Properties {
    /// For each string, its number plus 1; 0 if it is not such a name.
    of_string: Vec<u32>,
    /// For each number, the string.
    strings: Vec<StringIndex>,
    /// For each number, the length of the displayed name in UTF-16 units.
    lengths: Vec<usize>,
    table: HashTable<u32>,
    hasher: RandomState,
}

impl Properties {
    pub(crate) fn new(heap: &Heap) -> Self {
        let mut properties = Properties {
            of_string: vec![0; heap.strings().len()],
            strings: Vec::new(),
            lengths: Vec::new(),
            table: HashTable::new(),
            hasher: RandomState::default(),
        };
        for node in heap.nodes().all() {
            if heap.is_plain_object(node) {
                for name in names(heap, node) {
                    properties.add(heap.strings(), name);
                }
            }
        }
        properties
    }

    fn add(&mut self, strings: &dyn Strings, string: StringIndex) {
        if self.of_string.get(string.position()).is_none_or(|number| *number != 0) {
            return;
        }
        let text = strings.get(string);
        let hash = self.hasher.hash_one(text);
        let known = self.find(strings, text);
        let number = known.unwrap_or_else(|| {
            let number = self.strings.len() as u32;
            self.strings.push(string);
            self.lengths.push(utf16_len(&formatted(text)));
            let (hasher, names) = (&self.hasher, &self.strings);
            let rehash = |&number: &u32| hasher.hash_one(strings.get(names[number as usize]));
            self.table.insert_unique(hash, number, rehash);
            number
        });
        self.of_string[string.position()] = number + 1;
    }

    /// The number of a name.
    pub(crate) fn find(&self, strings: &dyn Strings, text: &str) -> Option<u32> {
        let is_it = |&number: &u32| strings.get(self.strings[number as usize]) == text;
        self.table.find(self.hasher.hash_one(text), is_it).copied()
    }

    /// Number of names.
    pub(crate) fn len(&self) -> usize {
        self.strings.len()
    }

    /// The names, in the order of their numbers.
    pub(crate) fn strings(&self) -> impl Iterator<Item = StringIndex> + '_ {
        self.strings.iter().copied()
    }

    /// The properties of a plain object, by number.
    pub(crate) fn of<'a>(
        &'a self,
        heap: &'a Heap,
        node: NodeIndex,
    ) -> impl Iterator<Item = u32> + 'a {
        let number = |name: StringIndex| self.of_string.get(name.position())?.checked_sub(1);
        names(heap, node).filter_map(number)
    }

    /// The properties in the name of an object's interface, as far as there is room.
    fn candidate(&self, heap: &Heap, node: NodeIndex, properties: &mut Vec<u32>) {
        properties.clear();
        let mut length = 1;
        for number in self.of(heap, node) {
            let own = self.lengths[number as usize];
            if length > 1 && length + own > MAX_NAME_LENGTH {
                break;
            }
            // With `, ` unless it is the first.
            length += own + if length > 1 { 2 } else { 0 };
            properties.push(number);
        }
    }

    /// The key that distinguishes candidates: the text of their names, to which leading empty names add nothing.
    fn key<'a>(&self, candidate: &'a [u32]) -> &'a [u32] {
        let empty = candidate.iter().take_while(|&&number| self.lengths[number as usize] == 0);
        &candidate[empty.count()..]
    }

    pub(crate) fn interfaces(&self, heap: &Heap, threads: usize) -> Vec<Interface> {
        let counted = heap.by_nodes(threads, |range| {
            let mut counts = Counts::new(self, heap);
            let mut objects = 0u64;
            for node in NodeIndex::each(range) {
                if heap.is_plain_object(node) {
                    objects += 1;
                    counts.add(node, 1);
                }
            }
            (objects, counts.counts)
        });
        let objects: u64 = counted.iter().map(|(objects, _)| objects).sum();
        let mut all = Counts::new(self, heap);
        for (first, count) in counted.into_iter().flat_map(|(_, counts)| counts) {
            all.add(first, count);
        }
        let mut counts = all.counts;
        // The most frequent first; among equals, the first in the file.
        counts.order_by_key(|&(first, count)| (std::cmp::Reverse(count), first));
        let enough = |count: u64| count >= MIN_OBJECTS && count * MIN_PROPORTION >= objects;
        let frequent = counts.into_iter().take_while(|&(_, count)| enough(count));
        frequent.map(|(first, _)| self.interface(heap, first)).collect()
    }

    fn interface(&self, heap: &Heap, node: NodeIndex) -> Interface {
        let mut candidate = Vec::new();
        self.candidate(heap, node, &mut candidate);
        let text = |&number: &u32| heap.strings().get(self.strings[number as usize]);
        let shown: Vec<_> = self.key(&candidate).iter().map(|n| formatted(text(n))).collect();
        Interface {
            name: format!("{{{}}}", shown.join(", ")),
            properties: candidate.iter().map(|number| text(number).to_owned()).collect(),
        }
    }
}

/// The names of an object's properties, as string indices.
fn names(heap: &Heap, node: NodeIndex) -> impl Iterator<Item = StringIndex> + '_ {
    let edges = heap.edges();
    edges
        .of(node)
        .filter(|&edge| edges.kind(edge) == EdgeType::Property)
        .map(|edge| edges.string(edge))
        .filter(|&name| heap.known.role(name) != Role::Proto)
}

/// Counts of each candidate. Candidates are not stored: each is identified by its first object.
struct Counts<'a> {
    properties: &'a Properties,
    heap: &'a Heap,
    /// Hash and position of each candidate.
    table: HashTable<(u64, u32)>,
    /// First object and number of objects.
    counts: Vec<(NodeIndex, u64)>,
    own: Vec<u32>,
    other: Vec<u32>,
}

impl<'a> Counts<'a> {
    fn new(properties: &'a Properties, heap: &'a Heap) -> Self {
        Counts {
            properties,
            heap,
            table: HashTable::new(),
            counts: Vec::new(),
            own: Vec::new(),
            other: Vec::new(),
        }
    }

    fn add(&mut self, node: NodeIndex, count: u64) {
        let Counts { properties, heap, table, counts, own, other } = self;
        properties.candidate(heap, node, own);
        if own.is_empty() {
            return;
        }
        let hasher = &properties.hasher;
        let key = properties.key(own);
        let hash = hasher.hash_one(key);
        let same = |&(_, at): &(u64, u32)| {
            properties.candidate(heap, counts[at as usize].0, other);
            properties.key(other) == key
        };
        if let Some(&(_, at)) = table.find(hash, same) {
            counts[at as usize].1 += count;
            return;
        }
        table.insert_unique(hash, (hash, counts.len() as u32), |&(hash, _)| hash);
        counts.push((node, count));
    }
}

/// Finds the interface of an object.
pub(crate) struct Matcher<'a> {
    properties: &'a Properties,
    heap: &'a Heap,
    finder: Finder,
}

/// A thread's cache of objects that it has matched.
#[derive(Default)]
pub(crate) struct Memory {
    /// Hash, first object and interface of each list of properties.
    table: HashTable<(u64, NodeIndex, Option<u32>)>,
    own: Vec<u32>,
    other: Vec<u32>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(
        properties: &'a Properties,
        heap: &'a Heap,
        interfaces: &[Interface],
    ) -> Self {
        let number = |name: &str| properties.find(heap.strings(), name);
        let finder = Finder::new(interfaces, properties.len(), number);
        Matcher { properties, heap, finder }
    }

    fn used_properties(&self, node: NodeIndex, properties: &mut Vec<u32>) {
        properties.clear();
        let used = |number: &u32| self.finder.uses(*number);
        properties.extend(self.properties.of(self.heap, node).filter(used));
    }

    /// The interface of a plain object.
    pub(crate) fn find(&self, node: NodeIndex, memory: &mut Memory) -> Option<u32> {
        self.used_properties(node, &mut memory.own);
        if memory.own.is_empty() {
            return self.finder.find(&[]);
        }
        let hasher = &self.properties.hasher;
        let hash = hasher.hash_one(&memory.own);
        let Memory { table, own, other } = memory;
        let known = table.find(hash, |&(_, node, _)| {
            self.used_properties(node, other);
            own == other
        });
        if let Some(&(.., found)) = known {
            return found;
        }
        let mut sorted = own.clone();
        sorted.sort_unstable();
        let found = self.finder.find(&sorted);
        table.insert_unique(hash, (hash, node, found), |&(hash, ..)| hash);
        found
    }
}

/// Finds the interface for properties.
pub(crate) struct Finder {
    /// The state that follows a state through a property.
    next: HashMap<(u32, u32), u32>,
    /// For each state, the greatest property with a transition.
    greatest: Vec<Option<u32>>,
    /// For each state, the interface that is complete there, and the number of its properties.
    matches: Vec<Option<(usize, usize)>>,
    /// Whether a property occurs in any interface.
    used: Vec<bool>,
}

impl Finder {
    /// `number` is that of a property among as many as there are. DevTools: `applyInterfaceDefinitions`, first half.
    pub(crate) fn new(
        interfaces: &[Interface],
        properties: usize,
        number: impl Fn(&str) -> Option<u32>,
    ) -> Self {
        let mut finder = Finder {
            next: HashMap::default(),
            greatest: vec![None],
            matches: vec![None],
            used: vec![false; properties],
        };
        for (index, interface) in interfaces.iter().enumerate() {
            let numbers: Option<Vec<u32>> =
                interface.properties.iter().map(|name| number(name)).collect();
            // An interface with a property that no object has matches nothing.
            let Some(mut numbers) = numbers else { continue };
            numbers.sort_unstable();
            let mut state = 0;
            for &number in &numbers {
                finder.used[number as usize] = true;
                let fresh = finder.greatest.len() as u32;
                let next = *finder.next.entry((state, number)).or_insert(fresh);
                if next == fresh {
                    finder.greatest.push(None);
                    finder.matches.push(None);
                    let greatest = &mut finder.greatest[state as usize];
                    *greatest = (*greatest).max(Some(number));
                }
                state = next;
            }
            finder.matches[state as usize].get_or_insert((index, numbers.len()));
        }
        finder
    }

    /// Whether a property occurs in any interface.
    pub(crate) fn uses(&self, property: u32) -> bool {
        self.used[property as usize]
    }

    /// Of the interfaces that have no other properties than these, the one with the most properties, then the first.
    /// The properties are sorted. DevTools: `applyInterfaceDefinitions`, second half.
    pub(crate) fn find(&self, properties: &[u32]) -> Option<u32> {
        // More properties win, then the earlier interface.
        let rank = |state: u32| {
            let of = self.matches[state as usize];
            of.map(|(index, properties)| (properties, std::cmp::Reverse(index)))
        };
        let mut best = rank(0);
        let (mut states, mut kept) = (vec![0], Vec::new());
        for &property in properties {
            kept.clear();
            let mut reached = Vec::new();
            for &state in &states {
                if self.greatest[state as usize].is_some_and(|greatest| greatest > property) {
                    kept.push(state);
                }
                if let Some(&next) = self.next.get(&(state, property)) {
                    best = best.max(rank(next));
                    reached.push(next);
                }
            }
            // A duplicate property can reach a state again.
            let is_new = |next: &u32| !states.contains(next);
            kept.extend(reached.into_iter().filter(is_new));
            std::mem::swap(&mut states, &mut kept);
        }
        best.map(|(_, index)| index.0 as u32)
    }
}
