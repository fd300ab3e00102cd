//! Plain objects that are used as dictionaries: their properties are entries, whatever they are called.
//!
//! One snapshot does not tell: `usage["monday"]` is a property like any other. It is a dictionary if it has many
//! properties, or more in each snapshot than in the one before, and in each under names that were not there.

use super::{
    counts::{Count, Counts, Held},
    places::{Label, Places, ROOT},
    same::{Standing, joined},
};
use crate::HashMap;
use heapquarry_base::Order;

/// All snapshots at once, with the entries of dictionaries at one place, and containers that moved.
#[derive(Debug, Default)]
pub(super) struct Grown {
    pub(super) places: Places,
    /// By snapshot and place.
    pub(super) counts: Vec<Vec<Count>>,
    /// By snapshot, place and class.
    pub(super) held: Vec<HashMap<(u32, u32), Held>>,
    /// The place here of each place of the fold.
    pub(super) number: Vec<u32>,
}

impl Grown {
    pub(super) fn new(places: &Places, standing: &Standing, counts: Vec<Counts>) -> Self {
        let snapshots = counts.len();
        let mut grown = Grown {
            number: vec![ROOT; places.len()],
            counts: vec![vec![Count::default()]; snapshots],
            ..Grown::default()
        };
        let mut merged = vec![Inside::Not];
        let mut is_dictionary = vec![false];
        let joined = joined(places, standing, &counts);
        let mut by_depth: Vec<u32> = (1..places.len() as u32).collect();
        by_depth.order_by_key(|&place| (places.get(place).depth, place));
        for (to, from) in grown.counts.iter_mut().zip(&counts) {
            if let Some(count) = from.of.first() {
                to[0] = *count;
            }
        }
        // Level by level, as what is merged above decides what is one below.
        for level in by_depth.chunk_by(|&a, &b| places.get(a).depth == places.get(b).depth) {
            for parent in grown.dictionaries(places, level, snapshots) {
                is_dictionary[parent as usize] = true;
            }
            for &old in level {
                let place = places.get(old);
                let parent = grown.number[place.parent as usize];
                let is_entry = place.label.is_property() && is_dictionary[parent as usize];
                let label = if is_entry { Label::MEMBER } else { place.label };
                let new = match joined.get(&old) {
                    Some(&first) => grown.number[first as usize],
                    None => grown
                        .places
                        .below(parent, label, place.class, place.first)
                        .unwrap_or(parent),
                };
                grown.number[old as usize] = new;
                if new as usize == merged.len() {
                    merged.push(merged[parent as usize].below(is_entry));
                    is_dictionary.push(false);
                    grown.counts.iter_mut().for_each(|counts| counts.push(Count::default()));
                }
                for (to, from) in grown.counts.iter_mut().zip(&counts) {
                    // Earlier snapshots do not know of later places.
                    let Some(count) = from.of.get(old as usize) else { continue };
                    let mut count = *count;
                    if merged[new as usize] == Inside::Deep {
                        count.accreted = count.accreted_strictly;
                    }
                    to[new as usize].add(&count);
                }
            }
        }
        for (place, is_dictionary) in is_dictionary.iter().enumerate() {
            if *is_dictionary || grown.counts.iter().any(|counts| counts[place].dictionaries > 0) {
                for counts in &mut grown.counts {
                    let count = &mut counts[place];
                    count.entries = count.entries.saturating_add(count.properties);
                }
            }
        }
        grown.held =
            counts.into_iter().map(|counts| renumber(&counts.held, &grown.number)).collect();
        grown
    }

    /// Which of the places above this level are dictionaries with entries that are named like properties.
    fn dictionaries(&self, places: &Places, level: &[u32], snapshots: usize) -> Vec<u32> {
        // The first snapshot of each name, by place.
        let mut names: HashMap<(u32, Label), u8> = HashMap::default();
        for &old in level {
            let place = places.get(old);
            let parent = self.number[place.parent as usize];
            if place.label.is_property() && self.may_be_one(parent) {
                let first = names.entry((parent, place.label)).or_insert(place.first);
                *first = (*first).min(place.first);
            }
        }
        let mut fresh: HashMap<u32, Vec<bool>> = HashMap::default();
        for (&(parent, _), &first) in &names {
            let fresh = fresh.entry(parent).or_insert_with(|| vec![false; snapshots]);
            fresh[usize::from(first)] = true;
        }
        let is_one = |parent: u32, fresh: &[bool]| {
            let counts = || self.counts.iter().map(|counts| &counts[parent as usize]);
            counts().any(|count| count.dictionaries > 0)
                || (1..snapshots).all(|snapshot| fresh[snapshot])
        };
        fresh.retain(|&parent, fresh| is_one(parent, fresh));
        fresh.into_keys().collect()
    }

    fn may_be_one(&self, place: u32) -> bool {
        let counts = || self.counts.iter().map(|counts| &counts[place as usize]);
        place != ROOT
            && (counts().any(|count| count.dictionaries > 0)
                || counts().map(|count| count.properties).is_sorted_by(|a, b| a < b))
    }
}

/// How a place is related to dictionaries that were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Not,
    /// An entry of one.
    Entry,
    /// Within an entry: what is new with the entry is no accretion.
    Deep,
}

impl Inside {
    fn below(self, is_entry: bool) -> Self {
        match self {
            Inside::Not if is_entry => Inside::Entry,
            Inside::Not => Inside::Not,
            Inside::Entry | Inside::Deep => Inside::Deep,
        }
    }
}

fn renumber(held: &HashMap<(u32, u32), Held>, number: &[u32]) -> HashMap<(u32, u32), Held> {
    let mut by_new: HashMap<(u32, u32), Held> = HashMap::default();
    for (&(place, class), &held) in held {
        by_new.entry((number[place as usize], class)).or_default().add(held);
    }
    by_new
}
