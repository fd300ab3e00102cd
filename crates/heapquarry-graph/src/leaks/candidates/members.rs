//! Rule (a): old containers get new members in every step, and the number of members grows in every step.

use super::{
    Candidate, LeakKind, ROOT, Rules, grows, growth,
    mixture::{Mixture, counts},
    shared::Sharing,
    steps,
};
use crate::leaks::{last::Last, places::Label};
use std::collections::{BTreeMap, VecDeque, btree_map::Entry};

/// The candidates, and which places grow.
pub(super) fn find(rules: &Rules<'_>, last: &Last<'_>) -> (Vec<Candidate>, Vec<bool>) {
    let mut growing = vec![false; rules.places().len()];
    for place in rules.all() {
        // Accretion keeps the insides out: those of a new session grow in number, but in new containers.
        growing[place as usize] = rules.label(place) != Label::ENGINE
            && grows(&rules.members(place))
            && rules.accretes(place);
    }
    // What hangs by a name from what grows is part of it.
    let is_part = |place: u32| {
        !rules.label(place).is_one_of_many() && growing[rules.places().get(place).parent as usize]
    };
    let is_own = |&place: &u32| {
        growing[place as usize] && !is_part(place) && !rides_along(rules, &growing, place)
    };
    let groups: Vec<u32> = rules.all().filter(is_own).collect();
    // The dominator of what several hold is not its owner, nor is the root.
    let is_shared = |place: &u32| {
        rules.label(*place) == Label::SHARED || rules.places().get(*place).parent == ROOT
    };
    let shared: Vec<u32> = groups.iter().copied().filter(is_shared).collect();
    let Sharing { mut holders, reached } = Sharing::new(rules, last, &groups, &shared);
    // Keys and values of a Map are one finding.
    let mut by_owner: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    let mut owners: BTreeMap<u32, u32> = BTreeMap::new();
    for place in groups {
        let parent = rules.places().get(place).parent;
        let (owner, also) = match holders.remove(&place) {
            Some(found) => (found[0], found[1..].iter().copied().take(3).collect()),
            None if parent == ROOT => continue,
            None => (parent, Vec::new()),
        };
        let (groups, others) = by_owner.entry(owner).or_default();
        groups.push(place);
        owners.insert(place, owner);
        others.extend(also);
    }
    let mut below = ownerless(owners, &reached);
    let found = by_owner.into_iter().map(|(owner, (groups, mut also))| {
        also.sort_unstable();
        also.dedup();
        let below = below.remove(&owner).unwrap_or_default();
        candidate(rules, owner, groups, also, &below)
    });
    (found.collect(), growing)
}

/// Whether a place grows with its containers, which are leaked themselves: each has as many members as before, although
/// not the same, like the last value of leaked streams.
fn rides_along(rules: &Rules<'_>, growing: &[bool], place: u32) -> bool {
    let owner = rules.places().get(place).parent;
    if owner == ROOT {
        return false;
    }
    let is_growing = |place: u32| growing[place as usize];
    let is_leaked = is_growing(owner) || rules.places().above(owner).any(is_growing);
    is_leaked && rules.has_no_more(place)
}

/// Places that hang from nothing but the root, by the owner whose members lead to them, if need be through each other:
/// a page's window does not belong to the object that stands for the page, as other parts of the page know it too.
fn ownerless(
    mut owners: BTreeMap<u32, u32>,
    reached: &BTreeMap<u32, Vec<u32>>,
) -> BTreeMap<u32, Vec<u32>> {
    let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut queue: VecDeque<(u32, u32)> = owners.iter().map(|(&place, &of)| (place, of)).collect();
    while let Some((place, owner)) = queue.pop_front() {
        for &next in reached.get(&place).into_iter().flatten() {
            if let Entry::Vacant(entry) = owners.entry(next) {
                entry.insert(owner);
                below.entry(owner).or_default().push(next);
                queue.push_back((next, owner));
            }
        }
    }
    below
}

/// `below` are places that the members lead to.
fn candidate(
    rules: &Rules<'_>,
    owner: u32,
    groups: Vec<u32>,
    also: Vec<u32>,
    below: &[u32],
) -> Candidate {
    let sums = rules.sums_with_code(&[&groups, below].concat());
    let most = |&&place: &&u32| (growth(&rules.sums(&[place])), std::cmp::Reverse(place));
    let lead = groups.iter().max_by_key(most);
    let lead = lead.map(|&lead| Mixture::majority(rules, lead, &groups));
    let own = growth(&rules.bytes(owner)).max(0);
    Candidate {
        kind: LeakKind::Count,
        owner,
        counts: lead
            .map(|lead| counts(rules, &Mixture::new(rules, lead, &groups).all))
            .unwrap_or_default(),
        lead,
        also,
        grows_with: Vec::new(),
        steps: steps(&sums),
        bytes: growth(&sums).saturating_add(own),
        groups,
    }
}
