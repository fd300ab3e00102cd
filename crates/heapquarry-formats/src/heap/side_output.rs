//! What decoding a task gives besides rows.

use super::{
    node_index::NodePart, scope_index::ScopePart, sections::trace_tree::Piece, strings::StringPart,
};

/// What decoding a task gives besides rows: what later sections need.
#[derive(Debug)]
pub(crate) enum SideOutput {
    None,
    Nodes(NodePart),
    Scopes(ScopePart),
    Strings(StringPart),
    TraceTree(Piece),
}
