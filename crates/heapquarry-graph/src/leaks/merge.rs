//! Which candidates are parts of one leak.

use super::{
    candidates::{Candidate, LeakKind, Rules, growth, steps},
    cut::{LEAST_STEP, Ranked},
    places::ROOT,
};
use crate::HashMap;
use heapquarry_base::Order;

/// Of candidates, the best first, those that are leaks of their own; the others' bytes are theirs.
pub(super) fn merge(rules: &Rules<'_>, ranked: Vec<Ranked>) -> Vec<Ranked> {
    let ranked = without_what_is_below(rules, without_what_is_brought(rules, ranked));
    let mut told: Vec<Ranked> = Vec::new();
    for one in ranked {
        let owner = one.candidate.owner;
        // A second index of the same objects: both must let go.
        if let Some(first) = told.iter_mut().find(|first| first.candidate.also.contains(&owner)) {
            first.take(&one);
        } else if let Some(first) = told.iter_mut().find(|first| grow_together(rules, first, &one))
        {
            first.candidate.grows_with.push(owner);
            first.take(&one);
        } else {
            told.push(one);
        }
    }
    told
}

impl Ranked {
    fn take(&mut self, other: &Ranked) {
        let candidate = &mut self.candidate;
        candidate.bytes = candidate.bytes.saturating_add(other.candidate.bytes);
        for (step, more) in candidate.steps.iter_mut().zip(&other.candidate.steps) {
            *step = step.saturating_add(*more);
        }
    }
}

/// Drops what the members of another candidate below it bring along, whose bytes it was counted with. Chains are one
/// place: listeners of a signal that each lead to a further signal make more signals where the first one hangs by its
/// name, but it is the listeners that nobody removes.
fn without_what_is_brought(rules: &Rules<'_>, mut ranked: Vec<Ranked>) -> Vec<Ranked> {
    let is_of_many = |place: u32| rules.label(place).is_one_of_many();
    let slots = ranked.iter().enumerate().filter_map(|(at, ranked)| {
        let Candidate { kind: LeakKind::Count, lead: Some(lead), .. } = ranked.candidate else {
            return None;
        };
        (!is_of_many(lead)).then_some((lead, at))
    });
    let slots: HashMap<u32, usize> = slots.collect();
    let mut is_brought = vec![false; ranked.len()];
    for at in 0..ranked.len() {
        let Candidate { kind: LeakKind::Count, owner, .. } = ranked[at].candidate else { continue };
        let around = std::iter::once(owner).chain(rules.places().above(owner));
        let brings = around.filter_map(|place| slots.get(&place).copied()).find(|&other| {
            let (one, other_steps) =
                (steps(&ranked[at].candidate.counts), steps(&ranked[other].candidate.counts));
            other != at && one.iter().zip(&other_steps).all(|(one, other)| one >= other)
        });
        if let Some(other) = brings.filter(|&other| !is_brought[other]) {
            is_brought[other] = true;
            let around = &ranked[other];
            let (bytes, steps, score) =
                (around.candidate.bytes, around.candidate.steps.clone(), around.score);
            let one = &mut ranked[at];
            (one.candidate.bytes, one.candidate.steps) = (bytes, steps);
            one.score = one.score.max(score);
        }
    }
    let mut brought = is_brought.into_iter();
    ranked.retain(|_| !brought.next().unwrap_or(false));
    ranked.order_by_key(|r| (std::cmp::Reverse(r.score), r.candidate.owner));
    ranked
}

/// Drops what would be nothing without another candidate below it: a table of lists that got one more list, while the
/// leak is in one of the lists.
fn without_what_is_below(rules: &Rules<'_>, ranked: Vec<Ranked>) -> Vec<Ranked> {
    let mut is_group = vec![false; rules.places().len()];
    for ranked in &ranked {
        ranked.candidate.groups.iter().for_each(|&place| is_group[place as usize] = true);
    }
    // Growth of the nearest candidates below each place.
    let mut below = vec![0i64; rules.places().len()];
    for place in (1..rules.places().len() as u32).rev() {
        let growth = match is_group[place as usize] {
            true => growth(&rules.sums(&[place])),
            false => below[place as usize],
        };
        let parent = rules.places().get(place).parent;
        if parent != ROOT {
            let sum = &mut below[parent as usize];
            *sum = sum.saturating_add(growth);
        }
    }
    let is_one = |ranked: &Ranked| {
        let candidate = &ranked.candidate;
        let others = candidate.groups.iter().map(|&place| below[place as usize]);
        let own = candidate.bytes.saturating_sub(others.fold(0, i64::saturating_add));
        own >= LEAST_STEP.saturating_mul(candidate.steps.len() as i64)
    };
    ranked.into_iter().filter(is_one).collect()
}

/// Whether two places are fields of one object, of which the second has nothing but numbers, strings or further
/// references for what is in the first: the columns of a table, the index of a cache.
fn grow_together(rules: &Rules<'_>, first: &Ranked, second: &Ranked) -> bool {
    let (first, second) = (&first.candidate, &second.candidate);
    let parent = |owner: u32| rules.places().get(owner).parent;
    let object = parent(first.owner);
    // Variables have nothing in common but their function, whose scope has no name, nor has the root.
    if object != parent(second.owner)
        || rules.class_name(object).is_none()
        || first.kind != LeakKind::Count
    {
        return false;
    }
    let is_text = |place: u32| rules.class_name(place) == Some("(string)");
    match (second.kind, second.lead) {
        (LeakKind::Bytes, None) => !is_text(second.owner),
        (LeakKind::References, None) => steps(&first.counts) == steps(&second.counts),
        (LeakKind::Count, Some(lead)) => {
            is_text(lead) && steps(&first.counts) == steps(&second.counts)
        }
        _ => false,
    }
}
