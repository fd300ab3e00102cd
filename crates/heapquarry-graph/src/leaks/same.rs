//! Containers that are the same objects at different places: the ways to them differ from snapshot to snapshot, as a
//! timer, a promise or an iterator leads to them while it is there. Their places are one.

use super::{
    counts::Counts,
    ids::{Ids, Ranks},
    places::{Places, ROOT},
};
use crate::HashMap;
use heapquarry_base::Order;
use std::collections::BTreeMap;

/// A container that was there in the first snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Container {
    pub(super) id: u64,
    pub(super) place: u32,
}

/// Where the containers of the first snapshot stand in it. There are millions, of which nobody asks: of later snapshots
/// only those are kept that moved.
#[derive(Debug)]
pub(super) struct Standing {
    ids: Ids,
    ranks: Ranks,
    /// In the order of ids.
    places: Vec<u32>,
}

impl Standing {
    pub(super) fn new(containers: &[Container]) -> Self {
        let ids = Ids::new(&containers.iter().map(|container| container.id).collect());
        let ranks = ids.ranks();
        let mut places = vec![ROOT; ranks.len(&ids)];
        for container in containers {
            if let Some(rank) = ranks.get(&ids, container.id) {
                places[rank] = container.place;
            }
        }
        Standing { ids, ranks, places }
    }

    #[inline]
    fn place(&self, id: u64) -> Option<u32> {
        self.ranks.get(&self.ids, id).map(|rank| self.places[rank])
    }

    /// Whether a container of the first snapshot stands elsewhere there.
    #[inline]
    pub(super) fn is_elsewhere(&self, Container { id, place }: Container) -> bool {
        self.place(id).is_some_and(|before| before != place)
    }
}

/// For places that are one with another, that one: the least deep of them, of several the first.
pub(super) fn joined(places: &Places, standing: &Standing, counts: &[Counts]) -> HashMap<u32, u32> {
    let mut joined = HashMap::default();
    for (way, containers) in ways(standing, counts) {
        let is_alone = |place: u32| {
            let stands_there = |at: usize| u64::from(way[at] == place) * containers;
            let members = counts.iter().map(|counts| counts.of.get(place as usize));
            members.enumerate().all(|(at, count)| {
                count.map_or(0, |count| u64::from(count.members)) == stands_there(at)
            })
        };
        let mut different = way.clone();
        different.order_by_key(|&place| (places.get(place).depth, place));
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

/// How many of the containers that moved went which way: their places by snapshot.
fn ways(standing: &Standing, counts: &[Counts]) -> BTreeMap<Vec<u32>, u64> {
    let mut ways: HashMap<u64, Vec<u32>> = HashMap::default();
    for (at, counts) in (0..).zip(counts) {
        for container in &counts.moved {
            let Some(start) = standing.place(container.id) else { continue };
            let way = ways.entry(container.id).or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_containers_that_moved_are_elsewhere() {
        let first = [(3, 1), (5, 2), (1 << 40, 3), (7, 4)];
        let container = |(id, place)| Container { id, place };
        let standing = Standing::new(&first.map(container));
        for (id, place) in first {
            assert_eq!(standing.place(id), Some(place), "{id}");
            assert!(!standing.is_elsewhere(Container { id, place }), "{id}");
            assert!(standing.is_elsewhere(Container { id, place: 9 }), "{id}");
        }
        for id in [0, 4, 8, 9, 1 << 41] {
            assert_eq!(standing.place(id), None, "{id}");
            assert!(!standing.is_elsewhere(Container { id, place: 9 }), "{id}");
        }
    }

    #[test]
    fn the_way_of_a_container_has_its_place_in_each_snapshot() {
        let container = |(id, place)| Container { id, place };
        let standing = Standing::new(&[(1, 10), (3, 10), (5, 10), (7, 20)].map(container));
        let moved = [&[][..], &[(1, 11), (3, 11)], &[(1, 11), (5, 12), (3, 11)], &[(9, 13)]];
        let counts = moved.map(|moved| Counts {
            moved: moved.iter().copied().map(container).collect(),
            ..Counts::default()
        });
        let expected = [(vec![10, 10, 12, 10], 1), (vec![10, 11, 11, 10], 2)];
        assert_eq!(ways(&standing, &counts), BTreeMap::from(expected));
    }
}
