//! The output of decoding a task besides its rows.

use super::{
    node_index::NodePart, scope_index::ScopePart, sections::trace_tree::Piece, strings::StringPart,
};

/// What later sections need of a decoded task, besides its rows.
#[derive(Debug)]
pub(crate) enum SideOutput {
    None,
    Nodes(NodePart),
    Scopes(ScopePart),
    Strings(StringPart),
    TraceTree(Piece),
}
