//! What stands at each place of one snapshot: how many, how many bytes, how much of it is new.

use super::{
    fold::Folded,
    kinds::{Kinds, NOBODY},
    labels::{counts, is_dictionary, properties},
    places::{Label, Places, ROOT},
    same::{Container, Standing},
    words::{Word, Words},
};
use crate::{Bits, EdgeType::*, HashMap, Heap, NodeIndex, NodeType, edges::TYPE};
use std::ops::Range;

/// Numbers of a place in a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Nodes.
    pub(super) members: u32,
    /// Those that the first snapshot has.
    pub(super) old: u32,
    /// Members that are new although what contains them is not.
    pub(super) accreted: u32,
    /// Members that are new although what contains them is not, where properties are entries.
    pub(super) accreted_strictly: u32,
    /// Members that are new in a container that is new too, but took over older members of the one before: the head of
    /// a chain, a copy with one more entry.
    pub(super) carried: u32,
    /// Elements, and entries of Maps and Sets.
    pub(super) entries: u32,
    pub(super) properties: u32,
    /// Members with so many properties that they are dictionaries.
    pub(super) dictionaries: u32,
    /// Of the members and their storage.
    pub(super) bytes: u64,
    /// What the engine keeps for the members alone: compiled code, mostly.
    pub(super) code: u64,
}

impl Count {
    pub(super) fn add(&mut self, other: &Count) {
        self.members = self.members.saturating_add(other.members);
        self.old = self.old.saturating_add(other.old);
        self.accreted = self.accreted.saturating_add(other.accreted);
        self.accreted_strictly = self.accreted_strictly.saturating_add(other.accreted_strictly);
        self.carried = self.carried.saturating_add(other.carried);
        self.entries = self.entries.saturating_add(other.entries);
        self.properties = self.properties.saturating_add(other.properties);
        self.dictionaries = self.dictionaries.saturating_add(other.dictionaries);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.code = self.code.saturating_add(other.code);
    }
}

/// References from containers at a place to objects of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) all: u64,
    /// Those to what the first snapshot has.
    pub(super) old: u64,
}

impl Held {
    pub(super) fn add(&mut self, other: Held) {
        self.all += other.all;
        self.old += other.old;
    }
}

/// The numbers of one snapshot.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// By place.
    pub(super) of: Vec<Count>,
    /// By place and class.
    pub(super) held: HashMap<(u32, u32), Held>,
    /// Objects of the first snapshot, with some entries, that stand elsewhere now; in the first snapshot all of them.
    pub(super) moved: Vec<Container>,
    /// Of the whole snapshot.
    pub(super) bytes: u64,
}

/// Entries and properties from which on an object is a container of its own.
const CONTAINER: u32 = 4;

/// What the numbers are made of.
pub(super) struct Counting<'a> {
    pub(super) heap: &'a Heap,
    pub(super) words: &'a Words,
    pub(super) kinds: &'a Kinds,
    pub(super) holders: &'a [NodeIndex],
    pub(super) class_of: &'a [u32],
    pub(super) births: &'a [u8],
    pub(super) folded: &'a Folded,
    pub(super) places: &'a Places,
    /// Of the first snapshot, if it is another one.
    pub(super) standing: Option<&'a Standing>,
    /// Number of the snapshot, from 1.
    pub(super) snapshot: u8,
}

impl Counting<'_> {
    pub(super) fn run(&self, threads: usize) -> Counts {
        let heirs = self.heirs();
        let parts = self.heap.by_nodes(threads, |nodes| self.part(nodes, &heirs));
        let mut parts = parts.into_iter();
        let mut sum = parts.next().unwrap_or_default();
        for part in parts {
            for (count, other) in sum.of.iter_mut().zip(&part.of) {
                count.add(other);
            }
            for (key, held) in part.held {
                sum.held.entry(key).or_default().add(held);
            }
            sum.moved.extend(part.moved);
            sum.bytes = sum.bytes.saturating_add(part.bytes);
        }
        sum
    }

    /// Containers that are new, with members that are older.
    fn heirs(&self) -> Bits {
        let mut heirs = self.heap.no_nodes();
        for (&birth, &container) in self.births.iter().zip(&self.folded.containers) {
            if birth < self.snapshot
                && container != NOBODY
                && self.folded.anchors[container.position()] == self.snapshot
            {
                heirs.set(container);
            }
        }
        heirs
    }

    fn part(&self, nodes: Range<usize>, heirs: &Bits) -> Counts {
        let mut counts = Counts {
            of: vec![Count::default(); self.places.len()],
            held: HashMap::default(),
            moved: Vec::new(),
            bytes: 0,
        };
        for node in NodeIndex::each(nodes) {
            let size = self.heap.nodes.self_size(node);
            counts.bytes = counts.bytes.saturating_add(size);
            let place = if self.kinds.is_visible(node) {
                self.member(node, heirs, &mut counts)
            } else if self.kinds.is_engine(node) || self.is_bookkeeping(node) {
                if let Some(&place) = self.place_of_holder(node)
                    && self.kinds.is_engine(node)
                {
                    let code = &mut counts.of[place as usize].code;
                    *code = code.saturating_add(size);
                }
                continue;
            } else {
                self.place_of_holder(node).copied().unwrap_or(ROOT)
            };
            let bytes = &mut counts.of[place as usize].bytes;
            *bytes = bytes.saturating_add(size);
        }
        counts
    }

    /// The place of the visible node that alone holds another one.
    fn place_of_holder(&self, node: NodeIndex) -> Option<&u32> {
        match self.holders[node.position()] {
            NOBODY => None,
            holder => Some(&self.folded.places[holder.position()]),
        }
    }

    fn is_bookkeeping(&self, node: NodeIndex) -> bool {
        self.words.get(self.heap.nodes.name_id(node)) == Word::Bookkeeping
    }

    /// An array of `null` refers to nothing.
    fn is_oddball(&self, node: NodeIndex) -> bool {
        self.words.get(self.heap.nodes.name_id(node)) == Word::Oddball
    }

    /// Counts a visible node, and tells its place.
    fn member(&self, node: NodeIndex, heirs: &Bits, counts: &mut Counts) -> u32 {
        let at = node.position();
        let place = self.folded.places[at];
        let container = self.folded.containers[at];
        let age = |ages: &[u8]| if container == NOBODY { 1 } else { ages[container.position()] };
        let held_since = age(&self.folded.anchors);
        let count = &mut counts.of[place as usize];
        // Pieces of a rope that is an element of a collection are no members.
        let label = self.places.get(place).label;
        let is_piece = self.kinds.is_folded(node)
            && self.kinds.is_string(node)
            && (label == Label::MEMBER || label == Label::SHARED);
        if !is_piece {
            count.members = count.members.saturating_add(1);
            count.old += u32::from(self.births[at] == 1);
            if self.births[at] == self.snapshot {
                let is_accreted = held_since < self.snapshot;
                count.accreted += u32::from(is_accreted);
                count.carried +=
                    u32::from(!is_accreted && container != NOBODY && heirs.get(container));
                count.accreted_strictly += u32::from(age(&self.folded.strict) < self.snapshot);
            }
        }
        if self.kinds.is_object(node) {
            let is_old = held_since == 1 || self.folded.anchors[at] == 1;
            self.entries(node, place, is_old, counts);
        }
        place
    }

    fn entries(&self, node: NodeIndex, place: u32, is_old: bool, counts: &mut Counts) {
        let edges = self.heap.edges();
        let mut tally =
            Tally { held: &mut counts.held, place, class: u32::MAX, run: Held::default() };
        let mut entries = 0u32;
        let is_dictionary = is_dictionary(self.heap, self.kinds, node);
        for edge in edges.of(node) {
            let target = edges.targets[edge];
            match edges.kinds[edge] & TYPE {
                t if t == Element as u8 => {
                    let is_object = self.kinds.is_visible(target) || !self.is_oddball(target);
                    entries = entries.saturating_add(u32::from(is_object));
                    self.held(target, &mut tally);
                }
                t if t == Property as u8 && is_dictionary => self.held(target, &mut tally),
                t if t == Internal as u8
                    && self.words.get(edges.string(edge)) == Word::Table
                    && self.heap.nodes.kind(target) == NodeType::Array =>
                {
                    for entry in edges.of(target) {
                        let held = edges.targets[entry];
                        let kind = edges.kinds[entry];
                        let t = kind & TYPE;
                        let is_entry =
                            t == Internal as u8 || t == Hidden as u8 || t == Element as u8;
                        if counts_and(kind, is_entry) && self.kinds.is_visible(held) {
                            entries = entries.saturating_add(1);
                            self.held(held, &mut tally);
                        }
                    }
                }
                _ => {}
            }
        }
        tally.flush();
        let is_of_first = self.births[node.position()] == 1;
        if is_old || is_of_first {
            let properties = u32::try_from(properties(self.heap, node)).unwrap_or(u32::MAX);
            if is_of_first && entries.saturating_add(properties) >= CONTAINER {
                let container = Container { id: self.heap.nodes.ids.get(node.position()), place };
                if self.standing.is_none_or(|standing| standing.is_elsewhere(container)) {
                    counts.moved.push(container);
                }
            }
            if !is_old {
                return;
            }
            let count = &mut counts.of[place as usize];
            count.entries = count.entries.saturating_add(entries);
            count.properties = count.properties.saturating_add(properties);
            count.dictionaries += u32::from(is_dictionary);
        }
    }

    #[inline]
    fn held(&self, target: NodeIndex, tally: &mut Tally<'_>) {
        if self.kinds.is_visible(target) {
            let is_old = self.births[target.position()] == 1;
            tally.add(self.class_of[target.position()], is_old);
        }
    }
}

fn counts_and(kind: u8, is_entry: bool) -> bool {
    counts(kind) && is_entry
}

/// References of one container by class, of which the same often comes again at once.
struct Tally<'a> {
    held: &'a mut HashMap<(u32, u32), Held>,
    place: u32,
    class: u32,
    run: Held,
}

impl Tally<'_> {
    #[inline]
    fn add(&mut self, class: u32, is_old: bool) {
        if class != self.class {
            self.flush();
            self.class = class;
        }
        self.run.all += 1;
        self.run.old += u64::from(is_old);
    }

    fn flush(&mut self) {
        if self.run.all > 0 {
            self.held.entry((self.place, self.class)).or_default().add(self.run);
            self.run = Held::default();
        }
    }
}
