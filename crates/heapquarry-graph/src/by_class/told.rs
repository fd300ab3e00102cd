//! The ways to groups in words, so that whoever asks for a class need not look at all that is on the way to each group.

use super::{Found, Members};
use crate::{Heap, NodeIndex, Sources, Ways, text_list::Texts};
use heapquarry_base::threads;

/// Groups whose ways are told. Of more than these they would take too much room and time.
const MOST: usize = 1 << 19;

/// The way to the first node of each group. None with source maps: the words depend on which of them are given.
pub(super) fn ways(
    heap: &Heap,
    found: Found<'_>,
    members: &Members,
    ways: &Ways<'_>,
    threads: usize,
) -> Texts {
    if heap.has_originals() || members.firsts().len() > MOST {
        return Texts::default();
    }
    let firsts: Vec<NodeIndex> = members.firsts().collect();
    let sources = Sources::new(heap).with_threads(threads);
    let text = |&node: &NodeIndex| ways.text(&ways.path(node), &sources, found.detachedness);
    let parts = threads::ranges(firsts.len(), threads, |range| {
        firsts[range].iter().map(text).collect::<Vec<_>>()
    });
    parts.iter().flatten().map(String::as_str).collect()
}
