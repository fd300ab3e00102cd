//! What all tasks know about their snapshot.

use super::{
    collect::Collector,
    header::Header,
    node_index::{NodeIndex, NodeIndexBuilder},
    reassembly::{Assemble, Joined},
    scope_index::ScopeIndex,
    sections::Dependency,
    side_output::{Completed, SideOutput},
    strings::{StringTable, StringTableBuilder},
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
    /// What tasks join.
    pub(crate) joining: Joining,
}

/// What the tasks of the sections that are read now join for later ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joining {
    pub(crate) nodes: Option<Arc<Joined<NodeIndexBuilder>>>,
    pub(crate) strings: Option<Arc<Joined<StringTableBuilder>>>,
    pub(crate) scopes: Option<Arc<Joined<ScopeIndex>>>,
}

impl Joining {
    /// Joins the side output of a task with that of others.
    pub(crate) fn add(&self, side_output: SideOutput) -> Completed {
        fn to<A: Assemble + Default>(joined: Option<&Arc<Joined<A>>>, part: A::Part) {
            if let Some(joined) = joined {
                joined.add(A::range(&part), part, A::push);
            }
        }
        Completed::Task(match side_output {
            SideOutput::None => return Completed::Nothing,
            SideOutput::TraceTree(piece) => return Completed::TraceTree(piece),
            SideOutput::Nodes(part) => {
                to(self.nodes.as_ref(), part);
                Dependency::Nodes
            }
            SideOutput::Strings(part) => {
                to(self.strings.as_ref(), part);
                Dependency::Strings
            }
            SideOutput::Scopes(part) => {
                to(self.scopes.as_ref(), part);
                Dependency::Scopes
            }
        })
    }
}
