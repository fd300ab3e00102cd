//! The nodes of each class, in groups by the ways to them.

use super::Found;
use crate::{Bits, Column, NodeIndex, PackedColumn, text_list::Texts};
use heapquarry_base::threads;
use std::{cmp::Reverse, collections::BinaryHeap, ops::Range};

/// The nodes of each class, in groups of those that are [reached in the same way](crate::Ways::groups).
#[derive(Clone, Debug)]
pub struct Members {
    /// For each class where its groups begin, and the number of groups.
    pub(crate) classes: Column<u32>,
    /// For each group where its nodes begin, and the number of nodes.
    pub(crate) groups: Column<u32>,
    /// The shallow sizes of the nodes of each group together, in bytes.
    pub(crate) sizes: Column<u64>,
    /// What the first node of each group retains, in bytes.
    pub(crate) retained: Column<u64>,
    /// Of each group the node that retains most first, of equal ones the first in the file.
    pub(crate) nodes: Column<NodeIndex>,
    /// The way to the first node of each group in words, or nothing if they are not known.
    pub(crate) ways: Texts,
}

/// One of so many nodes is many.
const MANY: usize = 8;

/// Nodes of one class that are reached in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberGroup<'a> {
    /// The class.
    pub class: u32,
    /// The one that retains most first, of equal ones the first in the file.
    pub nodes: &'a [NodeIndex],
    /// Their shallow sizes together, in bytes.
    pub size: u64,
    /// What the first retains, in bytes.
    pub retained: u64,
    /// The way to the first, if it is known, as [`Ways::text`](crate::Ways::text) tells it of a heap without source
    /// maps.
    pub way: Option<&'a str>,
}

impl Members {
    /// `groups` are the number of the group of each node, and how many there are.
    pub(super) fn new(found: Found<'_>, groups: (Vec<u32>, usize), threads: usize) -> Self {
        let Found { shallow_sizes, retained_sizes, classes, .. } = found;
        let (of, count) = groups;
        let mut starts = starts(of.iter().copied(), count);
        let mut nodes = NodeIndex::zeroed(of.len());
        for at in (0..of.len()).rev() {
            let start = &mut starts[of[at] as usize];
            *start -= 1;
            nodes[*start as usize] = NodeIndex::at(at);
        }
        drop(of);
        let rank = |node: NodeIndex| (Reverse(retained_sizes.get(node.position())), node);
        sort_groups(&mut nodes, &starts, rank, threads);
        let range =
            |group: u32| starts[group as usize] as usize..starts[group as usize + 1] as usize;
        let class = |group: u32| classes.of[nodes[range(group).start].position()];
        let mut order: Vec<(u32, u32)> = (0..count as u32)
            .filter(|&group| !range(group).is_empty())
            .map(|g| (class(g), g))
            .collect();
        order.sort_unstable_by_key(|&(class, group)| (class, nodes[range(group).start]));
        let each = || order.iter().map(|&(_, group)| &nodes[range(group)]);
        let mut end = 0;
        let ends = each().map(|nodes| {
            end += nodes.len() as u32;
            end
        });
        let size = |nodes: &[NodeIndex]| {
            let sizes = nodes.iter().map(|node| shallow_sizes.get(node.position()));
            sizes.fold(0, u64::saturating_add)
        };
        Members {
            groups: std::iter::once(0).chain(ends).collect(),
            sizes: each().map(size).collect(),
            retained: each().map(|nodes| retained_sizes.get(nodes[0].position())).collect(),
            ways: Texts::default(),
            nodes: each().flatten().copied().collect(),
            classes: {
                let mut starts = vec![0; classes.classes.len() + 1];
                order.iter().for_each(|&(class, _)| starts[class as usize + 1] += 1);
                let sum = |sum: &mut u32, count: u32| {
                    *sum += count;
                    Some(*sum)
                };
                starts.into_iter().scan(0, sum).collect()
            },
        }
    }

    /// The groups of a class, in no order that means anything.
    pub fn groups(&self, class: u32) -> impl ExactSizeIterator<Item = MemberGroup<'_>> {
        self.groups_of(class).map(move |group| MemberGroup {
            class,
            nodes: &self.nodes[self.groups[group] as usize..self.groups[group + 1] as usize],
            size: self.sizes[group],
            retained: self.retained[group],
            way: self.ways.known(group),
        })
    }

    /// The first node of each group.
    pub(super) fn firsts(&self) -> impl ExactSizeIterator<Item = NodeIndex> {
        let starts = &self.groups[..self.sizes.len()];
        starts.iter().map(|&start| self.nodes[start as usize])
    }

    fn groups_of(&self, class: u32) -> Range<usize> {
        let class = class as usize;
        self.classes[class] as usize..self.classes[class + 1] as usize
    }

    /// The nodes of a class, group by group.
    pub fn of(&self, class: u32) -> &[NodeIndex] {
        let Range { start, end } = self.groups_of(class);
        &self.nodes[self.groups[start] as usize..self.groups[end] as usize]
    }

    /// The shallow sizes of the nodes of a class together, in bytes.
    pub fn shallow_size(&self, class: u32) -> u64 {
        self.sizes[self.groups_of(class)].iter().copied().fold(0, u64::saturating_add)
    }

    /// The nodes of classes that retain so much at least, in file order: so what else is to be known of them lies
    /// together. `retained_sizes` are those of all nodes.
    pub fn retaining(
        &self,
        classes: impl IntoIterator<Item = u32>,
        least: u64,
        retained_sizes: &PackedColumn,
    ) -> Vec<NodeIndex> {
        self.at_most(self.nodes.len(), classes, least, retained_sizes).unwrap_or_default()
    }

    /// The nodes of all classes that retain so much at least, in file order; `None` if there are so many that it is as
    /// quick to look at each node of the heap.
    pub fn few_retaining(
        &self,
        least: u64,
        retained_sizes: &PackedColumn,
    ) -> Option<Vec<NodeIndex>> {
        let classes = 0..self.classes.len().saturating_sub(1) as u32;
        self.at_most(self.nodes.len() / MANY, classes, least, retained_sizes)
    }

    /// `None` if there are more than so many.
    fn at_most(
        &self,
        most: usize,
        classes: impl IntoIterator<Item = u32>,
        least: u64,
        retained_sizes: &PackedColumn,
    ) -> Option<Vec<NodeIndex>> {
        let (mut found, mut count) = (Bits::new(self.nodes.len()), 0);
        let groups = classes.into_iter().flat_map(|class| self.groups(class));
        for MemberGroup { nodes, .. } in groups.filter(|group| group.retained >= least) {
            let retains_it = |node: &NodeIndex| retained_sizes.get(node.position()) >= least;
            let end = if least == 0 { nodes.len() } else { nodes.partition_point(retains_it) };
            count += end;
            if count > most {
                return None;
            }
            nodes[..end].iter().for_each(|&node| found.set(node));
        }
        let mut nodes = Vec::with_capacity(count);
        nodes.extend(found.nodes());
        Some(nodes)
    }

    /// The nodes of classes that retain most, these first, of equal ones the first in the file; at most `most`.
    /// `retained_sizes` are those of all nodes.
    pub fn largest(
        &self,
        classes: &[u32],
        most: usize,
        retained_sizes: &PackedColumn,
    ) -> Vec<NodeIndex> {
        let rank = |nodes: &[NodeIndex]| {
            let first = *nodes.first()?;
            Some((retained_sizes.get(first.position()), Reverse(first)))
        };
        // What retains most is in groups whose first ones do.
        let mut firsts: Vec<_> = classes.iter().flat_map(|&class| self.groups(class)).collect();
        let key = |group: &MemberGroup<'_>| (Reverse(group.retained), group.nodes.first().copied());
        if most < firsts.len() {
            firsts.select_nth_unstable_by_key(most, key);
            firsts.truncate(most);
        }
        let mut next: BinaryHeap<_> =
            firsts.iter().filter_map(|group| Some((rank(group.nodes)?, group.nodes))).collect();
        let mut found = Vec::new();
        while found.len() < most
            && let Some((_, nodes)) = next.pop()
        {
            found.push(nodes[0]);
            next.extend(rank(&nodes[1..]).map(|rank| (rank, &nodes[1..])));
        }
        found
    }
}

/// Where each of so many groups ends, and the number of all.
fn starts(of: impl Iterator<Item = u32>, count: usize) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    of.for_each(|group| starts[group as usize] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

/// Sorts the nodes of each group, on several threads.
fn sort_groups<K: Ord>(
    nodes: &mut [NodeIndex],
    starts: &[u32],
    rank: impl Fn(NodeIndex) -> K + Sync,
    threads: usize,
) {
    let mut rest = nodes;
    let parts = threads::bounds(starts.len() - 1, threads.saturating_mul(8)).map(|groups| {
        let len = starts[groups.end] - starts[groups.start];
        let (part, others) = std::mem::take(&mut rest).split_at_mut(len as usize);
        rest = others;
        (groups, part)
    });
    threads::each(parts.collect(), |(groups, mut part)| {
        for group in groups {
            let len = starts[group + 1] - starts[group];
            let (nodes, others) = std::mem::take(&mut part).split_at_mut(len as usize);
            part = others;
            nodes.sort_unstable_by_key(|&node| rank(node));
        }
    });
}
