//! The lists of what questions about single objects need.

use super::{ListSink, Lists, Unfit, put_packed};
use crate::{Dominated, Ready, Retainers, ready::WayLists};

impl Ready {
    /// Gives all its lists to a sink, in a fixed order.
    ///
    /// # Errors
    /// The first of the sink.
    pub fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        let Ready { retainers, dominated, ways } = self;
        let ways = ways.get().expect("the ways of an index are searched for");
        put_packed(sink, "retainer_starts", &retainers.starts)?;
        put_packed(sink, "retainers", &retainers.edges)?;
        sink.list("dominated_starts", dominated.starts.iter().copied())?;
        sink.list("dominated", dominated.nodes.iter().map(|node| node.0))?;
        sink.list("string_words", ways.words.iter().copied())?;
        sink.list("node_kinds", ways.kinds.iter().copied())?;
        sink.list("way_costs", ways.costs.iter().copied())?;
        put_packed(sink, "way_edges", &ways.edges)
    }

    /// What [`Ready::put_lists`] gave, which is not looked at.
    pub(super) fn as_written(lists: &mut Lists) -> Result<Self, Unfit> {
        let starts = lists.packed("retainer_starts")?;
        let retainers = Retainers { starts, edges: lists.packed("retainers")? };
        let starts = lists.words("dominated_starts")?;
        let dominated = Dominated { starts, nodes: lists.words("dominated")?.cast() };
        let ways = WayLists {
            words: lists.bytes("string_words")?,
            kinds: lists.bytes("node_kinds")?,
            costs: lists.words("way_costs")?,
            edges: lists.packed("way_edges")?,
        };
        Ok(Ready { retainers, dominated, ways: ways.into() })
    }
}
