//! What a program leaks, from two or more snapshots of one process.
//!
//! The dominator tree of each snapshot is folded into one trie of *places*. A place is not an object but a way to it
//! from the root: names of fields and variables stay as they are, elements of a collection (an array's element, a Map's
//! entry, the value of a dictionary's key) are `[]` of their class, lists, trees and chains are one place, and storage
//! of the engine is walked through. Objects of different snapshots at one place are the same to the program. A leak is
//! a place where *old containers get new members in every step*, and the number of members grows in every step.
//!
//! The snapshots are [added](Leaks::add) one after the other, each heap can be dropped before the next is read; the
//! last is needed to [tell](Leaks::find) what was found. Stable paths and growth in each round are ideas of BLeak (J.
//! Vilk, E. Berger: "BLeak: Automatically Debugging Memory Leaks in Web Applications", 2018).

mod candidates;
mod classes;
mod counts;
mod cut;
mod dictionaries;
mod finding;
mod fold;
mod ids;
mod inspected;
mod jsc;
mod kinds;
mod labels;
mod last;
mod made;
mod merge;
mod momentary;
mod names;
#[cfg(test)]
mod oracle;
mod paths;
mod places;
mod same;
mod scripts;
mod texts;
mod words;

pub use candidates::LeakKind;
pub use cut::Confidence;
pub use finding::{Content, Leak, LeakGroup, LeakStep};
pub(crate) use kinds::Kinds;
pub(crate) use names::{is_global, is_variable, joined, module, push_part, render};
pub(crate) use paths::{Cheapest, Up, step_cost};
pub(crate) use words::Words;

use crate::{
    Bits, Heap, LostIds, NodeIndex,
    dominators::{Deferred, dominators_with},
};
use candidates::Rules;
use classes::Classes;
use counts::{Counting, Counts};
use dictionaries::Grown;
use fold::{Fold, Folded};
use heapquarry_base::threads::join;
use ids::Births;
use labels::Labels;
use last::Last;
use momentary::Momentary;
use places::Places;
use same::Standing;
use texts::Texts;

/// The search for leaks: snapshots of one process, in the order of time.
#[derive(Debug, Default)]
pub struct Leaks {
    texts: Texts,
    classes: Classes,
    births: Births,
    places: Places,
    counts: Vec<Counts>,
    /// Containers of the first snapshot.
    standing: Option<Standing>,
    /// Memory that the dominators of each snapshot need.
    spare: Vec<u32>,
}

/// What is known of a snapshot that was added; of the last it is needed to tell what was found.
pub struct FoldedHeap {
    words: Words,
    kinds: Kinds,
    holders: Vec<NodeIndex>,
    class_of: Vec<u32>,
    births: Vec<u8>,
    folded: Folded,
}

impl std::fmt::Debug for FoldedHeap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FoldedHeap").field("nodes", &self.holders.len()).finish_non_exhaustive()
    }
}

impl Leaks {
    /// The largest number of snapshots that can be told apart.
    pub const MOST_SNAPSHOTS: usize = 250;

    /// No snapshots yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next snapshot. The result does not depend on the number of threads.
    ///
    /// # Panics
    /// If there are [`Leaks::MOST_SNAPSHOTS`] already.
    pub fn add(&mut self, heap: &Heap, threads: usize) -> FoldedHeap {
        assert!(self.counts.len() < Self::MOST_SNAPSHOTS, "too many snapshots");
        let snapshot = self.counts.len() as u8;
        self.births.look_at(heap);
        let exchanged = heap.exchanged(|id| self.births.birth(id));
        let (texts, classes, births) = (&mut self.texts, &mut self.classes, &mut self.births);
        let spare = &mut self.spare;
        let has_ids = births.lost().is_none();
        let (dominators, (words, mut kinds, class_of, births)) = join(
            threads,
            || {
                let Momentary { owners, waiting } = Momentary::new(heap);
                let deferred = Deferred { exchanged, owners, ..Deferred::NONE };
                let held = |page: &Bits, deferred: &mut _| {
                    momentary::references(heap, &waiting, page, deferred);
                };
                dominators_with(heap, deferred, held, spare)
            },
            || {
                let words = Words::new(heap.strings(), 1);
                let kinds = Kinds::new(heap, &words, 1);
                let class_of = classes.classify(heap, &words, &kinds, texts, has_ids);
                (words, kinds, class_of, births.of(heap))
            },
        );
        let holders = kinds.visible_dominators(dominators);
        let labels = Labels::new(heap, &words, &kinds, &holders, threads);
        let fold = Fold {
            heap,
            classes: &self.classes,
            class_of: &class_of,
            holders: &holders,
            labels: &labels,
            births: &births,
            places: &mut self.places,
            texts: &mut self.texts,
            snapshot,
        };
        let mut folded = fold.run(&mut kinds);
        if self.births.lost().is_some() {
            // All is new: containers are taken as old.
            folded.anchors.fill(1);
            folded.strict.fill(1);
        }
        drop(labels);
        let counting = Counting {
            heap,
            words: &words,
            kinds: &kinds,
            holders: &holders,
            class_of: &class_of,
            births: &births,
            folded: &folded,
            places: &self.places,
            standing: self.standing.as_ref(),
            snapshot: snapshot + 1,
        };
        let mut counts = counting.run(threads);
        self.standing.get_or_insert_with(|| Standing::new(&std::mem::take(&mut counts.moved)));
        self.counts.push(counts);
        FoldedHeap { words, kinds, holders, class_of, births, folded }
    }

    /// Bytes of each snapshot: the sizes of its nodes.
    pub fn sizes(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|counts| counts.bytes)
    }

    /// How ids differ between snapshots, if they do not last: then it is not known which objects are old, and only the
    /// numbers at each place are compared.
    pub fn lost_ids(&self) -> Option<LostIds> {
        self.births.lost().copied()
    }

    /// What leaks, the worst first, given the heap that was added last. Nothing if there are less than two snapshots.
    pub fn find(mut self, heap: &Heap, mut last: FoldedHeap) -> Vec<Leak> {
        let standing = match self.standing.take() {
            Some(standing) if self.counts.len() > 1 => standing,
            _ => return Vec::new(),
        };
        self.spare = Vec::new();
        let grown = Grown::new(&self.places, &standing, std::mem::take(&mut self.counts));
        drop(standing);
        for place in &mut last.folded.places {
            *place = grown.number.get(*place as usize).copied().unwrap_or(places::ROOT);
        }
        let has_births = self.births.lost().is_none();
        let rules = Rules::new(&grown, &self.classes, &self.texts, has_births);
        let last = Last {
            heap,
            words: &last.words,
            kinds: &last.kinds,
            holders: &last.holders,
            class_of: &last.class_of,
            births: &last.births,
            folded: &last.folded,
            classes: &self.classes,
            texts: &self.texts,
        };
        let ranked = cut::rank(&rules, rules.candidates(&last));
        finding::tell(&rules, &last, &ranked)
    }
}
