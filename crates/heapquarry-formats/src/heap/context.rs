//! What all tasks know about their snapshot.

use super::{
    collect::Collector, header::Header, node_index::NodeIndex, scope_index::ScopeIndex,
    strings::StringTable,
};
use heapquarry_tables::FileId;
use std::sync::Arc;

/// What all tasks know about their snapshot. A new one is made whenever a dependency of tasks is complete.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) file_id: FileId,
    pub(crate) header: Arc<Header>,
    /// Whether decoded strings are kept.
    pub(crate) keeps_strings: bool,
    /// The strings, if names are wanted as text; `None` until complete.
    pub(crate) strings: Option<StringTable>,
    /// The nodes; empty until complete.
    pub(crate) nodes: Arc<NodeIndex>,
    /// The scopes; empty until complete.
    pub(crate) scopes: Arc<ScopeIndex>,
    /// Gathers columns for the analysis, if requested.
    pub(crate) collector: Option<Arc<Collector>>,
}
