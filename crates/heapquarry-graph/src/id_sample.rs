//! Whether ids of two snapshots are of the same objects.
//!
//! V8 counts ids up and never gives one again, as long as somebody listens: it forgets them when the session of an
//! inspector ends. What is asked for after that has ids from the start, of other objects.

use crate::{HashMap, Heap, NodeIndex, NodeType, StringIndex};
use std::hash::BuildHasher;

/// Objects that are looked at.
const MOST: usize = 1 << 16;
/// Of a hundred objects that have an id in common, so many may be something else: what became of an object that V8
/// changed in place.
const MOST_DIFFERENT: u64 = 2;
/// Of a hundred objects so many must have an id in common.
const LEAST_COMMON: u64 = 1;

/// Bits of a type; the rest is of a name.
const TYPE: u32 = 8;

/// What some objects of a snapshot are, by their ids.
#[derive(Clone, Debug)]
pub struct IdSample {
    /// Ids are looked at if their half has none of these bits.
    skipped: i64,
    kinds: HashMap<i64, u64>,
}

/// Ids of a snapshot that are not those of another one's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostIds {
    /// Objects that were looked at in the first snapshot.
    pub sampled: u64,
    /// Of these, how many ids the other snapshot has too.
    pub common: u64,
    /// Of these, how many are of something else there.
    pub different: u64,
}

impl IdSample {
    /// Of the objects of a snapshot.
    pub fn new(heap: &Heap) -> Self {
        let every = heap.nodes().len().div_ceil(MOST).next_power_of_two();
        let skipped = every as i64 - 1;
        let mut names = HashMap::default();
        let kinds = Self::of(heap, skipped).map(|(id, node)| (id, kind(heap, node, &mut names)));
        IdSample { skipped, kinds: kinds.collect() }
    }

    /// Only odd ids are the engine's own: those of native objects are hashes, and JavaScriptCore has addresses, which
    /// are given again.
    fn of(heap: &Heap, skipped: i64) -> impl Iterator<Item = (i64, NodeIndex)> {
        let ids = heap.nodes().ids.iter().map(|id| id as i64).zip(heap.nodes().all());
        ids.filter(move |(id, _)| *id > 0 && id & 1 == 1 && id >> 1 & skipped == 0)
    }

    /// How ids of another snapshot differ, if they are not those of the same objects: they did not last, or the
    /// snapshots are of different processes.
    pub fn lost_in(&self, other: &Heap) -> Option<LostIds> {
        let sampled = self.kinds.len() as u64;
        let mut lost = LostIds { sampled, common: 0, different: 0 };
        let mut names = HashMap::default();
        for (id, node) in Self::of(other, self.skipped) {
            if let Some(&known) = self.kinds.get(&id) {
                lost.common += 1;
                lost.different += u64::from(differ(known, kind(other, node, &mut names)));
            }
        }
        let is_lost = lost.common * 100 < sampled * LEAST_COMMON
            || lost.different * 100 > lost.common * MOST_DIFFERENT;
        is_lost.then_some(lost)
    }
}

/// What stays of an object as long as it is there: its type, and for objects and functions a hash of the name, if there
/// is one.
fn kind(heap: &Heap, node: NodeIndex, names: &mut HashMap<StringIndex, u64>) -> u64 {
    let kind = heap.nodes().kind(node);
    if !matches!(kind, NodeType::Object | NodeType::Closure) {
        return kind as u64;
    }
    let name = heap.nodes().name_id(node);
    let hash = names.entry(name).or_insert_with(|| match heap.strings().get(name) {
        "" => 0,
        name => foldhash::fast::FixedState::default().hash_one(name),
    });
    *hash << TYPE | kind as u64
}

/// Whether these are of different objects. Names are unknown where the end of a file is missing.
fn differ(a: u64, b: u64) -> bool {
    let name = |kind: u64| kind >> TYPE;
    let of_type = |kind: u64| kind & ((1 << TYPE) - 1);
    of_type(a) != of_type(b) || (name(a) != name(b) && name(a) != 0 && name(b) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuilder;

    /// Type, class and id.
    type Object = (&'static str, &'static str, u64);

    fn heap(objects: &[Object]) -> Heap {
        let mut builder = HeapBuilder::new();
        for &(kind, name, id) in objects {
            let node = builder.node(kind, name, 8);
            builder.id(node, id);
        }
        builder.build()
    }

    #[test]
    fn ids_last_if_they_are_of_the_same_things() {
        const FOO: Object = ("object", "Foo", 1);
        const TEXT: Object = ("string", "a", 3);
        let lost = |sampled, common, different| Some(LostIds { sampled, common, different });
        for (first, other, expected) in [
            (&[FOO, TEXT][..], &[FOO, TEXT][..], None),
            // Texts of strings may be cut, and new objects may come.
            (&[FOO, TEXT], &[FOO, ("string", "b", 3), ("object", "Bar", 5)], None),
            // A class and its instances have one name.
            (&[FOO, ("closure", "Foo", 3)], &[("closure", "Foo", 3), FOO], None),
            (&[FOO, TEXT], &[("object", "Bar", 1), TEXT], lost(2, 2, 1)),
            (&[FOO, TEXT], &[("object", "", 1), TEXT], None),
            (&[FOO, TEXT], &[("closure", "Foo", 1), TEXT], lost(2, 2, 1)),
            (&[FOO, TEXT], &[FOO, ("number", "a", 3)], lost(2, 2, 1)),
            (&[FOO, TEXT], &[("object", "Foo", 7)], lost(2, 0, 0)),
            // Addresses and hashes may be given again.
            (&[("object", "Foo", 2)], &[("object", "Bar", 2)], None),
            (&[], &[FOO], None),
        ] {
            let found = IdSample::new(&heap(first)).lost_in(&heap(other));
            assert_eq!(found, expected, "{first:?} {other:?}");
        }
    }
}
