//! Rule (a), for what several hold: the place that grows and holds most of what is new is the owner.

use super::{Rules, grows};
use crate::{
    EdgeType, HashMap,
    edges::TYPE,
    leaks::{kinds::NOBODY, labels::counts, last::Last},
};
use std::cmp::Reverse;

/// For each of these places, those that hold at least half of its new members by edges, those that hold most first;
/// nothing for places of which there is none.
pub(super) fn holders(
    rules: &Rules<'_>,
    last: &Last<'_>,
    shared: &[u32],
) -> HashMap<u32, Vec<u32>> {
    let mut found = HashMap::default();
    if shared.is_empty() {
        return found;
    }
    let mut is_wanted = vec![false; rules.places().len()];
    shared.iter().for_each(|&place| is_wanted[place as usize] = true);
    // These bits fit into a cache, places do not.
    let mut is_new_member = last.heap.no_nodes();
    for node in last.visible().filter(|&node| !last.is_old(node)) {
        if is_wanted[last.place(node) as usize] {
            is_new_member.set(node);
        }
    }
    let mut grows_there: Vec<Option<bool>> = vec![None; rules.places().len()];
    // Each new member once with each place that holds it.
    let mut held: Vec<(u32, u32)> = Vec::new();
    let edges = last.heap.edges();
    for node in last.nodes() {
        let is_visible = last.kinds.is_visible(node);
        let holder = match (is_visible, last.kinds.is_engine(node)) {
            (true, _) => node,
            (false, true) => continue,
            (false, false) => last.holders[node as usize],
        };
        if holder == NOBODY {
            continue;
        }
        let place = last.place(holder);
        for edge in edges.of(node) {
            let (kind, target) = (edges.kinds[edge], edges.targets[edge]);
            if !is_new_member.get(target) || !counts(kind) || last.place(target) == place {
                continue;
            }
            let is_old = last.folded.anchors[holder as usize] <= 1
                || (kind & TYPE == EdgeType::Element as u8 && last.is_old(holder));
            let grown = &mut grows_there[place as usize];
            if is_old && *grown.get_or_insert_with(|| grows(&rules.entries(place))) {
                held.push((target, place));
            }
        }
    }
    held.sort_unstable();
    held.dedup();
    let mut by_place: HashMap<(u32, u32), u64> = HashMap::default();
    for (target, place) in held {
        *by_place.entry((last.place(target), place)).or_default() += 1;
    }
    let new = last.new_members(&is_wanted);
    let mut counted: Vec<_> = by_place.into_iter().collect();
    counted.sort_unstable_by_key(|&((of, place), count)| (of, Reverse(count), place));
    for ((of, place), count) in counted {
        if count * 2 >= new.get(&of).copied().unwrap_or(0) {
            found.entry(of).or_insert_with(Vec::new).push(place);
        }
    }
    found
}
