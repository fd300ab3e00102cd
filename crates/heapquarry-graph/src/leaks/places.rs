//! The trie of places. A place is not an object but a way to it from the root, the same in all snapshots.

use super::texts::Texts;
use crate::HashMap;

/// The root of the trie.
pub(super) const ROOT: u32 = 0;
/// Below this no new places are made: programs do not nest deeper, folds of unforeseen shapes might.
const DEEPEST: u8 = 64;
/// Nor beyond so many, of some 100 bytes each.
const MOST: usize = 1 << 22;

/// What leads from a place to one below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Label(u32);

impl Label {
    /// An element of a collection: of an array, an entry, the value of a dictionary's key.
    pub(super) const MEMBER: Label = Label(u32::MAX);
    /// Somewhere below: several hold it.
    pub(super) const SHARED: Label = Label(u32::MAX - 1);
    /// Through the engine.
    pub(super) const ENGINE: Label = Label(u32::MAX - 2);
    pub(super) const PROTOTYPE: Label = Label(u32::MAX - 3);
    pub(super) const WEAK_VALUE: Label = Label(u32::MAX - 4);

    /// A property of that name.
    pub(super) fn property(text: u32) -> Self {
        Label(text.saturating_mul(2).saturating_add(1))
    }

    /// A variable or an internal reference of that name.
    pub(super) fn named(text: u32) -> Self {
        Label(text.saturating_mul(2))
    }

    pub(super) fn is_property(self) -> bool {
        self < Label::WEAK_VALUE && self.0 % 2 == 1
    }

    /// Different for different labels.
    pub(super) fn number(self) -> u32 {
        self.0
    }

    /// Whether places below one are told apart by class too.
    pub(super) fn is_keyed(self) -> bool {
        self >= Label::ENGINE
    }

    /// Whether it is an element of a collection.
    pub(super) fn is_one_of_many(self) -> bool {
        self == Label::MEMBER || self == Label::SHARED
    }

    pub(super) fn text(self, texts: &Texts) -> &str {
        match self {
            Label::MEMBER => "[]",
            Label::SHARED => "~",
            Label::ENGINE => "(engine)",
            Label::PROTOTYPE => "__proto__",
            Label::WEAK_VALUE => "(WeakMap value)",
            Label(number) => texts.get(number / 2),
        }
    }
}

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) parent: u32,
    pub(super) label: Label,
    /// Of the first that was met there.
    pub(super) class: u32,
    pub(super) depth: u8,
    /// The snapshot, from 0, in which it was met first.
    pub(super) first: u8,
}

/// All places. Each stands behind the one above it.
#[derive(Debug)]
pub(super) struct Places {
    all: Vec<Place>,
    numbers: HashMap<(u32, Label, u32), u32>,
}

impl Default for Places {
    fn default() -> Self {
        let root =
            Place { parent: ROOT, label: Label::SHARED, class: u32::MAX, depth: 0, first: 0 };
        Places { all: vec![root], numbers: HashMap::default() }
    }
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    #[inline]
    pub(super) fn get(&self, place: u32) -> &Place {
        &self.all[place as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Place)> {
        (0..).zip(&self.all)
    }

    /// The place below another, which is made if need be; `None` if there can be no more.
    pub(super) fn below(
        &mut self,
        parent: u32,
        label: Label,
        class: u32,
        snapshot: u8,
    ) -> Option<u32> {
        let key = (parent, label, if label.is_keyed() { class } else { u32::MAX });
        if let Some(&place) = self.numbers.get(&key) {
            return Some(place);
        }
        let depth = self.all[parent as usize].depth;
        if depth >= DEEPEST || self.all.len() >= MOST {
            return None;
        }
        let place = self.all.len() as u32;
        self.all.push(Place { parent, label, class, depth: depth + 1, first: snapshot });
        self.numbers.insert(key, place);
        Some(place)
    }

    /// The places above a place, the nearest first, without the root.
    pub(super) fn above(&self, place: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(self.get(place).parent), |&at| Some(self.get(at).parent))
            .take_while(|&at| at != ROOT)
    }
}
