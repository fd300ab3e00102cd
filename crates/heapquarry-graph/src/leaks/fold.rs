//! Each visible node to its place.

use super::{
    classes::Classes,
    kinds::{Kinds, NOBODY},
    labels::{Labels, Rank, WEAK_VALUE},
    places::{Label, Places, ROOT},
    texts::{Local, Texts},
};
use crate::{Heap, NodeIndex};

/// Nodes of a list, a tree or a chain share one place if one of the same class is at most so many places above.
const NEAR: usize = 6;
/// No place yet.
const NOWHERE: u32 = u32::MAX;
/// How many ways are remembered: they fit into the cache of a core.
const REMEMBERED: usize = 1 << 11;

/// Where the visible nodes of a snapshot are.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// The place of each visible node.
    pub(super) places: Vec<u32>,
    /// Which node contains it: an instance of the place above its own.
    pub(super) containers: Vec<NodeIndex>,
    /// How old the *place* is: the number of the snapshot that has the anchor first. What hangs by a name is as old as
    /// what it hangs from, however often it is replaced, and no younger than it is itself: what it hangs from may have
    /// been replaced.
    pub(super) anchors: Vec<u8>,
    /// How old the place is if a property's anchor is the object itself: for the insides of what turns out to be a
    /// dictionary.
    pub(super) strict: Vec<u8>,
}

/// What a fold reads and adds to.
pub(super) struct Fold<'a> {
    pub(super) heap: &'a Heap,
    pub(super) classes: &'a Classes,
    pub(super) class_of: &'a [u32],
    pub(super) holders: &'a [NodeIndex],
    pub(super) labels: &'a Labels,
    pub(super) births: &'a [u8],
    pub(super) places: &'a mut Places,
    pub(super) texts: &'a mut Texts,
    /// Number of the snapshot, from 0.
    pub(super) snapshot: u8,
}

/// From which place a node hangs, and how: that decides where it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Step {
    parent: u32,
    label: Label,
    class: u32,
    is_string: bool,
}

/// Where a node goes.
#[derive(Clone, Copy)]
enum Goes {
    /// To the place of the container so many steps above what holds it.
    Up(usize),
    To(u32),
    /// There can be no more places.
    Nowhere,
}

/// Where nodes went last. Nodes that are alike come one after the other, and finding places takes longer than this.
struct Recent(Vec<Option<(Step, Goes)>>);

impl Fold<'_> {
    /// In file order, as nodes that belong together stand close, but each behind its dominators.
    pub(super) fn run(mut self, kinds: &mut Kinds) -> Folded {
        let nodes = self.heap.nodes.len();
        let mut folded = Folded {
            places: vec![NOWHERE; nodes],
            containers: vec![NOBODY; nodes],
            anchors: vec![1; nodes],
            strict: vec![1; nodes],
        };
        let mut local = Local::new(self.heap.strings());
        let mut recent = Recent(vec![None; REMEMBERED]);
        let mut waiting = Vec::new();
        for node in self.heap.nodes.all() {
            let mut at = node;
            if !kinds.is_visible(at) {
                continue;
            }
            while at != NOBODY && folded.places[at.position()] == NOWHERE {
                waiting.push(at);
                at = self.holders[at.position()];
            }
            while let Some(node) = waiting.pop() {
                self.place(node, kinds, &mut local, &mut recent, &mut folded);
            }
        }
        folded
    }

    fn place(
        &mut self,
        node: NodeIndex,
        kinds: &mut Kinds,
        local: &mut Local<'_>,
        recent: &mut Recent,
        to: &mut Folded,
    ) {
        let at = node.position();
        let (holder, class, birth) = (self.holders[at], self.class_of[at], self.births[at]);
        let parent = if holder == NOBODY { ROOT } else { to.places[holder.position()] };
        let label = self.label(node, kinds, local);
        let step = Step { parent, label, class, is_string: kinds.is_string(node) };
        match recent.goes(step, || self.goes(step)) {
            Goes::Up(up) => {
                // The instance that it joins: containers lead from place to place.
                let mut instance = holder;
                for _ in 0..up {
                    instance = to.containers[instance.position()];
                }
                to.join(at, instance, birth);
                kinds.fold(node);
            }
            Goes::To(place) => {
                let held_by =
                    |ages: &[u8]| if holder == NOBODY { 1 } else { ages[holder.position()] };
                to.places[at] = place;
                to.containers[at] = holder;
                let of = |ages: &[u8]| birth.min(held_by(ages));
                to.anchors[at] = if label.is_keyed() { birth } else { of(&to.anchors) };
                let own = label.is_keyed() || label.is_property();
                to.strict[at] = if own { birth } else { of(&to.strict) };
            }
            Goes::Nowhere if holder != NOBODY => {
                to.join(at, holder, birth);
                kinds.fold(node);
            }
            Goes::Nowhere => to.places[at] = ROOT,
        }
    }

    fn goes(&mut self, Step { parent, label, class, is_string }: Step) -> Goes {
        if let Some(up) = self.above_alike(parent, label, class, is_string) {
            return Goes::Up(up);
        }
        self.places.below(parent, label, class, self.snapshot).map_or(Goes::Nowhere, Goes::To)
    }

    fn label(&mut self, node: NodeIndex, kinds: &Kinds, local: &mut Local<'_>) -> Label {
        let (rank, name) = self.labels.get(node);
        let by_name = matches!(rank, Rank::Named | Rank::Member | Rank::Internal);
        if kinds.is_via_engine(node) && !by_name {
            return Label::ENGINE;
        }
        match rank {
            Rank::Named => {
                let text = local.number(self.texts, name);
                let holder = self.holders[node.position()];
                if kinds.is_scope(holder) { Label::named(text) } else { Label::property(text) }
            }
            Rank::Member | Rank::Stored => Label::MEMBER,
            Rank::Internal if name == WEAK_VALUE => Label::WEAK_VALUE,
            Rank::Internal => Label::named(local.number(self.texts, name)),
            Rank::Prototype => Label::PROTOTYPE,
            Rank::Engine => Label::ENGINE,
            Rank::Shared => Label::SHARED,
        }
    }

    /// How far above a place, if it is near, one of the same class stands: then both are parts of one structure.
    fn above_alike(&self, place: u32, label: Label, class: u32, is_string: bool) -> Option<usize> {
        if place == ROOT {
            return None;
        }
        if is_string || !self.classes.is_generic(class) {
            let mut at = place;
            for up in 0..NEAR {
                if self.places.get(at).class == class {
                    return Some(up);
                }
                at = self.places.get(at).parent;
                if at == ROOT {
                    return None;
                }
            }
            return None;
        }
        // Arrays in arrays are common; only if they are in arrays again they are one structure.
        let parent = self.places.get(place);
        let above = self.places.get(parent.parent);
        let is_alike = |place: &super::places::Place| place.class == class && place.label == label;
        (parent.parent != ROOT && is_alike(parent) && is_alike(above)).then_some(0)
    }
}

impl Recent {
    /// Where a node goes: what it is for a step once, it stays.
    #[inline]
    fn goes(&mut self, step: Step, find: impl FnOnce() -> Goes) -> Goes {
        /// Odd, and without a pattern: the golden ratio.
        const FACTOR: u32 = 0x9e37_79b9;
        let parts = [step.parent, step.label.number(), step.class];
        let hash = parts.iter().fold(u32::from(step.is_string), |hash, part| {
            (hash.rotate_left(5) ^ part).wrapping_mul(FACTOR)
        });
        let entry = &mut self.0[(hash >> (u32::BITS - REMEMBERED.ilog2())) as usize];
        match entry {
            Some((known, goes)) if *known == step => *goes,
            _ => entry.insert((step, find())).1,
        }
    }
}

impl Folded {
    /// Puts a node at the place of another.
    fn join(&mut self, node: usize, instance: NodeIndex, birth: u8) {
        let at = instance.position();
        self.places[node] = self.places[at];
        self.containers[node] = self.containers[at];
        self.anchors[node] = birth;
        self.strict[node] = birth;
    }
}
