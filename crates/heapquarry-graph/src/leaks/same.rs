//! Containers that are the same objects at different places: the ways to them differ from snapshot to snapshot, as a
//! timer, a promise or an iterator leads to them while it is there. Their places are one.

use super::{
    counts::Counts,
    places::{Places, ROOT},
};
use crate::HashMap;
use std::collections::BTreeMap;

/// A container that was there in the first snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) id: u64,
    pub(super) place: u32,
}

/// For places that are one with another, that one: the least deep of them, of several the first.
pub(super) fn joined(places: &Places, counts: &[Counts]) -> HashMap<u32, u32> {
    let mut joined = HashMap::default();
    for (way, containers) in ways(counts) {
        let is_alone = |place: u32| {
            let stands_there = |at: usize| u64::from(way[at] == place) * containers;
            let members = counts.iter().map(|counts| counts.of.get(place as usize));
            members.enumerate().all(|(at, count)| {
                count.map_or(0, |count| u64::from(count.members)) == stands_there(at)
            })
        };
        let mut different = way.clone();
        different.sort_unstable_by_key(|&place| (places.get(place).depth, place));
        different.dedup();
        let class = |place: u32| places.get(place).class;
        let [first, rest @ ..] = &different[..] else { continue };
        let is_one =
            |&place: &u32| place != ROOT && class(place) == class(*first) && is_alone(place);
        // A place within another one of them: the object holds itself.
        let is_nested = rest.iter().any(|&place| places.above(place).any(|at| way.contains(&at)));
        if !rest.is_empty() && different.iter().all(is_one) && !is_nested {
            joined.extend(rest.iter().map(|&place| (place, *first)));
        }
    }
    joined
}

/// How many containers went which way: their places by snapshot, of those that are in all.
fn ways(counts: &[Counts]) -> BTreeMap<Vec<u32>, u64> {
    let mut ways: HashMap<u64, Vec<u32>> = HashMap::default();
    let [first, rest @ ..] = counts else { return BTreeMap::new() };
    // Of most containers nobody asks: only of those that moved.
    let before: HashMap<u64, u32> =
        first.containers.iter().map(|container| (container.id, container.place)).collect();
    for (at, counts) in (1..).zip(rest) {
        for container in &counts.containers {
            let Some(&start) = before.get(&container.id) else { continue };
            let way = match ways.get_mut(&container.id) {
                Some(way) => way,
                None if container.place == start => continue,
                None => ways.entry(container.id).or_insert_with(|| vec![start; at]),
            };
            way.resize(at, start);
            way.push(container.place);
        }
    }
    let mut numbers = BTreeMap::new();
    for (_, mut way) in ways {
        way.resize(counts.len(), way[0]);
        *numbers.entry(way).or_default() += 1;
    }
    numbers
}
