//! What holds the memory of one snapshot.
//!
//! An accumulation point is an object whose bytes are spread over many: no other object holds most of them for it
//! (Eclipse Memory Analyzer: <https://eclipse.dev/mat/>, "Leak Suspects"). A global object holds nearly everything, so
//! points are ranked by what they hold without the points below them.

use super::{Subject, kept::Kept};
use crate::query::sections::table;
use heapquarry_graph::{NodeIndex, NodeType, Sources, Ways};
use heapquarry_report::{Cell, Column, Section};
use std::cmp::Reverse;

/// Characters of a name.
const LONGEST: usize = 60;
/// Points that are told.
const MOST: usize = 12;
/// A point holds at least this share of all bytes, in percent.
const LEAST: u64 = 1;
/// One that holds as much for another, in percent, is the better point.
const MOST_IN_ONE: u64 = 80;

impl Subject {
    /// Accumulation points, by what they hold without each other; with the way from the root to each.
    pub(super) fn suspects(&self, kept: &Kept) -> Section {
        let points = self.points(kept);
        let nodes: Vec<NodeIndex> = points.iter().map(|&(at, _)| kept.nodes[at]).collect();
        let ways = (!nodes.is_empty()).then(|| Ways::new(&self.heap, &nodes, self.threads));
        let sources = Sources::new(&self.heap);
        let total = self.analysis.statistics.total;
        let rows = points.iter().map(|&(at, own)| {
            let node = kept.nodes[at];
            let way = ways
                .as_ref()
                .map(|ways| ways.text(&ways.path(node), &sources, &self.analysis.detachedness));
            let class = &self.analysis.classes.class(node).name;
            let name = sources.name(&self.analysis.detachedness, node);
            let name: String = name.chars().take(LONGEST).collect();
            vec![
                self.class_name(node),
                if name == *class { Cell::Empty } else { Cell::name(name) },
                Cell::name(way.unwrap_or_default()),
                self.id(node),
                Cell::bytes(self.retained(node)),
                Cell::bytes(own),
                Cell::share(own, total),
            ]
        });
        let columns = vec![
            Column::new("class_name", "Object"),
            Column::optional("name", "Name"),
            Column::new("way", "Held by"),
            Column::new("id", "Id"),
            Column::new("retained_size", "Retained"),
            Column::optional("own_size", "Without the others"),
            Column::new("share_percent", "Share"),
        ];
        let none = "the memory is spread: no object of the program accumulates 1 % of it";
        table("suspects", "What holds the memory", columns, rows.collect(), MOST, none)
    }

    /// Positions of points, and what each holds without the points below it.
    fn points(&self, kept: &Kept) -> Vec<(usize, u64)> {
        let total = self.analysis.statistics.total;
        let least = total / 100 * LEAST;
        let len = kept.nodes.len();
        let retained = |at: usize| self.retained(kept.nodes[at]);
        // What the largest child of each holds, and what the points below it hold.
        let (mut largest, mut below) = (vec![0u64; len], vec![0u64; len]);
        let mut points = Vec::new();
        // Children come after their parents.
        for at in (1..len).rev() {
            let parent = kept.parents[at] as usize;
            largest[parent] = largest[parent].max(retained(at));
            let spreads = largest[at] < retained(at) / 100 * MOST_IN_ONE;
            let mut held = below[at];
            if spreads && retained(at) >= least {
                let node = self.owner(kept, at);
                let own = retained(at).saturating_sub(below[at]);
                if own >= least
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
        points.truncate(MOST);
        points
    }

    /// The object of the program that a point belongs to: the map of a table, the array of its elements.
    fn owner(&self, kept: &Kept, at: usize) -> Option<usize> {
        let is_storage = |at: usize| self.heap.nodes().kind(kept.nodes[at]) == NodeType::Array;
        let is_shown = |at: usize| self.is_of_the_program(kept.nodes[at]);
        let parent = kept.parents[at] as usize;
        let of_parent = is_storage(at)
            && parent != 0
            && is_shown(parent)
            && self.retained(kept.nodes[at]) >= self.retained(kept.nodes[parent]) / 100 * 95;
        if of_parent {
            return Some(parent);
        }
        is_shown(at).then_some(at)
    }
}
