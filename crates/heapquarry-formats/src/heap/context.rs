//! What every task knows of its snapshot.

use super::{
    collect::Collector, header::Header, node_index::NodeIndex, scope_index::ScopeIndex,
    strings::StringTable,
};
use heapquarry_tables::FileId;
use std::sync::Arc;

/// What every task knows of its snapshot. There is a new one whenever something that tasks wait for is complete.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) file_id: FileId,
    pub(crate) header: Arc<Header>,
    /// Whether decoded strings are kept.
    pub(crate) keeps_strings: bool,
    /// The strings, when they are complete, if names are to be text.
    pub(crate) strings: Option<StringTable>,
    /// The nodes, when they are complete; before that there are none.
    pub(crate) nodes: Arc<NodeIndex>,
    /// The scopes, when they are complete; before that there are none.
    pub(crate) scopes: Arc<ScopeIndex>,
    /// Gathers columns for the analysis, if it is wanted.
    pub(crate) collector: Option<Arc<Collector>>,
}
