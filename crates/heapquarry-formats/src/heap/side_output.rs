//! The output of decoding a task besides its rows.

use super::{
    node_index::NodePart,
    scope_index::ScopePart,
    sections::{Dependency, trace_tree::Piece},
    strings::StringPart,
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

/// What is left of it for the reader, once it is joined with that of other tasks.
#[derive(Debug)]
pub(crate) enum Completed {
    Nothing,
    /// A task of the section that provides this.
    Task(Dependency),
    TraceTree(Piece),
}
