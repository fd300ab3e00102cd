//! Rule (a), for what several hold: the place that grows and holds most of what is new is the owner.

use super::{ROOT, Rules, grows};
use crate::{
    EdgeType, HashMap, NodeIndex,
    edges::TYPE,
    leaks::{labels::counts, last::Last},
};
use std::{cmp::Reverse, collections::BTreeMap};

/// How the members of places that several hold are held.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// For a place, those that grow and hold at least half of its new members by edges, those that hold most first;
    /// nothing for places of which there is none.
    pub(super) holders: HashMap<u32, Vec<u32>>,
    /// For a place that grows, those right below the root of which at least half of the new members are held by what is
    /// at or below it.
    pub(super) reached: BTreeMap<u32, Vec<u32>>,
}

/// No place that grows.
const NONE: u32 = u32::MAX;

impl Sharing {
    /// For places that grow, and those of them that several hold.
    pub(super) fn new(rules: &Rules<'_>, last: &Last<'_>, growing: &[u32], shared: &[u32]) -> Self {
        let mut found = Sharing::default();
        if shared.is_empty() {
            return found;
        }
        let places = rules.places();
        // The growing place at or above each place.
        let mut region = vec![NONE; places.len()];
        growing.iter().for_each(|&place| region[place as usize] = place);
        for place in 1..places.len() {
            if region[place] == NONE {
                region[place] = region[places.get(place as u32).parent as usize];
            }
        }
        let mut is_wanted = vec![false; places.len()];
        shared.iter().for_each(|&place| is_wanted[place as usize] = true);
        // These bits fit into a cache, places do not.
        let mut is_new_member = last.heap.no_nodes();
        for node in last.visible().filter(|&node| !last.is_old(node)) {
            if is_wanted[last.place(node) as usize] {
                is_new_member.set(node);
            }
        }
        let mut grows_there: Vec<Option<bool>> = vec![None; places.len()];
        // Each new member once with each place that holds it.
        let mut held: Vec<(NodeIndex, u32)> = Vec::new();
        // Each once with each region from which it is held, if it is right below the root.
        let mut reached: Vec<(NodeIndex, u32)> = Vec::new();
        let edges = last.heap.edges();
        for node in last.nodes() {
            let Some(holder) = last.edge_holder(node) else { continue };
            let place = last.place(holder);
            for edge in edges.of(node) {
                let (kind, target) = (edges.kinds[edge], edges.targets[edge]);
                if !is_new_member.get(target) || !counts(kind) || last.place(target) == place {
                    continue;
                }
                let (of, from) = (last.place(target), region[place as usize]);
                if from != NONE && from != of && places.get(of).parent == ROOT {
                    reached.push((target, from));
                }
                let is_old = last.folded.anchors[holder.position()] <= 1
                    || (kind & TYPE == EdgeType::Element as u8 && last.is_old(holder));
                let grown = &mut grows_there[place as usize];
                // What leaks holds what leaks with it: where it is not known what is new, that is no owner.
                let is_owner = || {
                    grows(&rules.entries(place))
                        && (rules.has_births || !grows(&rules.members(place)))
                };
                if is_old && *grown.get_or_insert_with(is_owner) {
                    held.push((target, place));
                }
            }
        }
        let new = last.new_members(&is_wanted);
        let holds_half =
            |&((of, _), count): &((u32, u32), u64)| count * 2 >= new.get(&of).copied().unwrap_or(0);
        let mut counted = by_place(last, held);
        counted.sort_unstable_by_key(|&((of, place), count)| (of, Reverse(count), place));
        for ((of, place), _) in counted.into_iter().filter(holds_half) {
            found.holders.entry(of).or_default().push(place);
        }
        let mut counted = by_place(last, reached);
        counted.sort_unstable();
        for ((of, from), _) in counted.into_iter().filter(holds_half) {
            found.reached.entry(from).or_default().push(of);
        }
        found
    }
}

/// How many different nodes of each place come with each other place.
fn by_place(last: &Last<'_>, mut pairs: Vec<(NodeIndex, u32)>) -> Vec<((u32, u32), u64)> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut counts: HashMap<(u32, u32), u64> = HashMap::default();
    for (node, other) in pairs {
        *counts.entry((last.place(node), other)).or_default() += 1;
    }
    counts.into_iter().collect()
}
