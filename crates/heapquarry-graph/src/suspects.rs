//! What holds the memory of one snapshot.
//!
//! An accumulation point is an object whose bytes are spread over many: no other object holds most of them for it
//! (Eclipse Memory Analyzer: <https://eclipse.dev/mat/>, "Leak Suspects"). A global object holds nearly everything, so
//! points are ranked by what they hold without the points below them.

use crate::{Analysis, Heap, NodeIndex, NodeType, Party, Sources, TopDominators, Ways};
use std::cmp::Reverse;

/// Characters of a name, at most; one that is cut ends with `…`.
const NAME_CHARS: usize = 60;
/// Points that are told, at most.
pub const SUSPECTS: usize = 12;
/// A point holds at least this share of all bytes, in percent.
const LEAST: u64 = 1;
/// One that holds as much for another, in percent, is the better point.
const MOST_IN_ONE: u64 = 80;
/// The table or elements of a collection hold at least as much of what the collection holds, in percent.
const ALL_BUT_RESTS: u64 = 95;

/// Nodes among which points are searched: those that retain most.
const SEARCHED: usize = 20_000;

/// An accumulation point.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The object.
    pub node: NodeIndex,
    /// What it is called, cut at its longest; its class if it has no name of its own.
    pub name: String,
    /// The way from the root to it.
    pub way: String,
    /// Who wrote the code that holds it.
    pub party: Party,
    /// What it holds without the points below it, in bytes.
    pub own: u64,
}

/// Accumulation points, by what they hold without each other, at most `most`. `ways` are those to some nodes.
pub fn suspects<'a>(
    heap: &'a Heap,
    analysis: &Analysis,
    most: usize,
    sources: &Sources<'_>,
    ways: impl FnOnce(&[NodeIndex]) -> Ways<'a>,
) -> Vec<Suspect> {
    let kept = &TopDominators::new(heap, analysis, SEARCHED);
    let mut points = Points { heap, analysis, kept }.find();
    points.truncate(most);
    if points.is_empty() {
        return Vec::new();
    }
    let nodes: Vec<NodeIndex> = points.iter().map(|&(at, _)| kept.nodes[at]).collect();
    let ways = ways(&nodes);
    let suspect = |(node, own): (NodeIndex, u64)| {
        let path = ways.path(node);
        Suspect {
            node,
            name: cut(sources.name(&analysis.detachedness, node)),
            way: ways.text(&path, sources, &analysis.detachedness),
            party: ways.party(&path, sources),
            own,
        }
    };
    nodes.into_iter().zip(points.iter().map(|&(_, own)| own)).map(suspect).collect()
}

/// Whether bytes are at least so many percent of all.
fn is_share(bytes: u64, percent: u64, of: u64) -> bool {
    u128::from(bytes) * 100 >= u128::from(of) * u128::from(percent)
}

fn cut(name: String) -> String {
    if name.chars().nth(NAME_CHARS).is_none() {
        return name;
    }
    name.chars().take(NAME_CHARS - 1).chain(['…']).collect()
}

/// What points are searched in.
struct Points<'a> {
    heap: &'a Heap,
    analysis: &'a Analysis,
    kept: &'a TopDominators,
}

impl Points<'_> {
    /// Positions of points, and what each holds without the points below it.
    fn find(&self) -> Vec<(usize, u64)> {
        let kept = self.kept;
        let total = self.analysis.statistics.total;
        let is_much = |own: u64| is_share(own, LEAST, total);
        let len = kept.nodes.len();
        let retained = |at: usize| self.retained(at);
        // What the largest child of each holds, and what the points below it hold.
        let (mut largest, mut below) = (vec![0u64; len], vec![0u64; len]);
        let mut points = Vec::new();
        // Children come after their parents.
        for at in (1..len).rev() {
            let parent = kept.parents[at] as usize;
            largest[parent] = largest[parent].max(retained(at));
            let spreads = !is_share(largest[at], MOST_IN_ONE, retained(at));
            let mut held = below[at];
            if spreads && is_much(retained(at)) {
                let node = self.owner(at);
                let own = retained(at).saturating_sub(below[at]);
                if is_much(own)
                    && let Some(node) = node
                {
                    points.push((node, own));
                    held = retained(at);
                }
            }
            below[parent] = below[parent].saturating_add(held);
        }
        points.sort_unstable_by_key(|&(at, own)| (Reverse(own), at));
        points.dedup_by_key(|(at, _)| *at);
        points
    }

    fn retained(&self, at: usize) -> u64 {
        self.analysis.retained_sizes.get(self.kept.nodes[at].position())
    }

    /// The object of the program that a point belongs to: the map of a table, the array of its elements.
    fn owner(&self, at: usize) -> Option<usize> {
        let kind = |at: usize| self.heap.nodes().kind(self.kept.nodes[at]);
        let is_shown = |at: usize| kind(at).is_of_the_program();
        let parent = self.kept.parents[at] as usize;
        // The parent's own size has that of its table.
        let own = self.analysis.shallow_sizes.get(self.kept.nodes[parent].position());
        let of_parent = kind(at) == NodeType::Array
            && parent != 0
            && is_shown(parent)
            && is_share(
                self.retained(at),
                ALL_BUT_RESTS,
                self.retained(parent).saturating_sub(own),
            );
        if of_parent {
            return Some(parent);
        }
        is_shown(at).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeType, HeapBuilder, analyze};

    /// What is found in a heap whose variable leads to an object of many small ones.
    fn found(class: &str, members: usize, size: u64) -> Vec<(String, u64)> {
        let mut builder = HeapBuilder::new();
        let root = builder.node("synthetic", "", 0);
        let holder = builder.node("object", class, 8);
        builder.edge(root, EdgeType::Shortcut, "holder", holder);
        for at in 0..members {
            let member = builder.node("object", "Point", size);
            builder.edge(holder, EdgeType::Property, &format!("p{at}"), member);
        }
        let heap = builder.build();
        let analysis = analyze(&heap, 1);
        let (sources, ways) = (Sources::new(&heap), |nodes: &[_]| Ways::new(&heap, nodes, 1));
        let found = suspects(&heap, &analysis, SUSPECTS, &sources, ways);
        found.into_iter().map(|one| (one.name, one.own)).collect()
    }

    #[test]
    fn small_heaps_have_points_too() {
        assert_eq!(found("Store", 200, 10), [("Store".to_string(), 2008)]);
    }

    #[test]
    fn a_share_is_exact() {
        assert!(is_share(80, 80, 100) && !is_share(79, 80, 100));
        assert!(is_share(80, 80, 99) && !is_share(79, 80, 99));
        assert!(is_share(u64::MAX, 100, u64::MAX) && !is_share(u64::MAX - 1, 100, u64::MAX));
    }

    #[test]
    fn a_name_that_is_cut_says_so() {
        let name = |chars| found(&"ß".repeat(chars), 200, 10).remove(0).0;
        assert_eq!(name(60), "ß".repeat(60));
        assert_eq!(name(61), format!("{}…", "ß".repeat(59)));
    }
}
