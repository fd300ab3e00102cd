//! What questions about single objects need of the whole heap. A kept index has it beside the analysis.

use crate::{Column, Dominated, PackedColumn, Retainers};
use std::sync::OnceLock;

/// References and dominators turned around, and the ways to all objects.
#[derive(Clone, Debug)]
pub struct Ready {
    pub(crate) retainers: Retainers,
    pub(crate) dominated: Dominated,
    /// Once they are searched for, which takes longer than the rest.
    pub(crate) ways: OnceLock<WayLists>,
}

/// The cheapest [ways](crate::Ways) to all nodes, and what they are told with.
#[derive(Clone, Debug)]
pub(crate) struct WayLists {
    /// What each string means, as a number.
    pub(crate) words: Column<u8>,
    /// What each node is, as flags.
    pub(crate) kinds: Column<u8>,
    /// What the way to each node costs.
    pub(crate) costs: Column<u32>,
    /// The edge by which each node is reached.
    pub(crate) edges: PackedColumn,
}

impl Ready {
    /// The references to each node.
    pub fn retainers(&self) -> &Retainers {
        &self.retainers
    }

    /// Whether the ways to all nodes are known.
    pub fn has_ways(&self) -> bool {
        self.ways.get().is_some()
    }

    /// The nodes that each node dominates.
    pub fn dominated(&self) -> &Dominated {
        &self.dominated
    }
}
