//! Rule (d): a class grows in every step although no one place of it does: its objects move between several, as
//! between two arrays that swap their roles.

use super::{Candidate, LeakKind, Rules, grows_by, growth, steps};
use crate::leaks::places::Label;
use std::collections::BTreeMap;

/// Objects by which a class must grow in each step.
const LEAST: u64 = 5;

/// The deepest places that explain the growth of such classes.
pub(super) fn find(rules: &Rules<'_>, covered: &[bool]) -> Vec<Candidate> {
    let mut by_class: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for place in rules.all().filter(|&place| rules.label(place) != Label::ENGINE) {
        by_class.entry(rules.places().get(place).class).or_default().push(place);
    }
    let is_wanted = |class: u32| {
        let name = rules.classes.name(class, rules.texts);
        !rules.classes.is_generic(class) && name.is_some_and(|name| !name.starts_with("Detached"))
    };
    by_class.retain(|&class, places| {
        is_wanted(class) && places.iter().all(|&place| !covered[place as usize])
    });
    by_class.into_values().filter_map(|places| of_class(rules, &places)).collect()
}

fn of_class(rules: &Rules<'_>, places: &[u32]) -> Option<Candidate> {
    let mut total = vec![0; rules.snapshots()];
    places.iter().for_each(|&place| add(&mut total, &rules.members(place)));
    let accretes = |counts: &Vec<super::Count>| {
        places.iter().any(|&place| counts[place as usize].accreted > 0)
    };
    if !grows_by(&total, LEAST) || !rules.grown.counts[1..].iter().all(accretes) {
        return None;
    }
    let mut above: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for &place in places {
        let members = rules.members(place);
        for at in rules.places().above(place) {
            add(above.entry(at).or_insert_with(|| vec![0; total.len()]), &members);
        }
    }
    let explains = |(_, sum): &(&u32, &Vec<u64>)| {
        grows_by(sum, LEAST) && growth(sum).saturating_mul(2) >= growth(&total)
    };
    let deepest =
        |(at, _): &(&u32, &Vec<u64>)| (rules.places().get(**at).depth, std::cmp::Reverse(**at));
    let (&owner, counts) = above.iter().filter(explains).max_by_key(deepest)?;
    let owners = rules.members(owner);
    if owners.first() == Some(&0) || owners.first() != owners.last() {
        return None;
    }
    let is_below =
        |place: &u32| *place == owner || rules.places().above(*place).any(|above| above == owner);
    let groups: Vec<u32> = places.iter().copied().filter(is_below).collect();
    let most = |&&place: &&u32| (rules.members(place).last().copied(), std::cmp::Reverse(place));
    let lead = groups.iter().max_by_key(most).copied();
    let sums = rules.sums(&groups);
    Some(Candidate {
        kind: LeakKind::Moving,
        owner,
        lead,
        also: Vec::new(),
        grows_with: Vec::new(),
        counts: counts.clone(),
        steps: steps(&sums),
        bytes: growth(&sums),
        groups,
    })
}

fn add(sum: &mut [u64], numbers: &[u64]) {
    sum.iter_mut().zip(numbers).for_each(|(sum, n)| *sum += n);
}
