//! Rule (a): old containers get new members in every step, and the number of members grows in every step.

use super::{Candidate, LeakKind, ROOT, Rules, grows, growth, shared, steps};
use crate::leaks::{last::Last, places::Label};
use std::collections::BTreeMap;

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
    let groups: Vec<u32> =
        rules.all().filter(|&place| growing[place as usize] && !is_part(place)).collect();
    // The dominator of what several hold is not its owner, nor is the root.
    let is_shared = |place: &u32| {
        rules.label(*place) == Label::SHARED || rules.places().get(*place).parent == ROOT
    };
    let shared: Vec<u32> = groups.iter().copied().filter(is_shared).collect();
    let mut holders = shared::holders(rules, last, &shared);
    // Keys and values of a Map are one finding.
    let mut by_owner: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for place in groups {
        let parent = rules.places().get(place).parent;
        let (owner, also) = match holders.remove(&place) {
            Some(found) => (found[0], found[1..].iter().copied().take(3).collect()),
            None if parent == ROOT => continue,
            None => (parent, Vec::new()),
        };
        let (groups, others) = by_owner.entry(owner).or_default();
        groups.push(place);
        others.extend(also);
    }
    let found = by_owner.into_iter().map(|(owner, (groups, mut also))| {
        also.sort_unstable();
        also.dedup();
        candidate(rules, owner, groups, also)
    });
    (found.collect(), growing)
}

fn candidate(rules: &Rules<'_>, owner: u32, groups: Vec<u32>, also: Vec<u32>) -> Candidate {
    let sums = rules.sums(&groups);
    let most = |&&place: &&u32| (growth(&rules.sums(&[place])), std::cmp::Reverse(place));
    let lead = groups.iter().max_by_key(most).copied();
    let own = growth(&rules.bytes(owner)).max(0);
    Candidate {
        kind: LeakKind::Count,
        owner,
        counts: lead.map(|lead| rules.members(lead)).unwrap_or_default(),
        lead,
        also,
        steps: steps(&sums),
        bytes: growth(&sums).saturating_add(own),
        groups,
    }
}
