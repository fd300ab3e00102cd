//! What sections provide for each other, and its state.

use super::{
    Recounted,
    context::{Context, Joining},
    header::Header,
    node_index::{NodeIndex, NodeIndexBuilder},
    reassembly::{Pending, Reassembly},
    scope_index::ScopeIndex,
    sections::Dependency,
    strings::{StringTable, StringTableBuilder},
};
use crate::Scratch;
use std::sync::Arc;

/// What sections provide for each other, and its state.
pub(crate) struct Dependencies {
    nodes: Reassembly<NodeIndexBuilder>,
    strings: Reassembly<StringTableBuilder>,
    scopes: Reassembly<ScopeIndex>,
    /// Whether names are wanted as text. Otherwise no section waits for the strings.
    names: bool,
    /// Whether decoded strings are kept.
    keeps_strings: bool,
    /// Where long strings are put.
    scratch: Option<Arc<dyn Scratch>>,
    /// What was found by counting, if that was necessary.
    recounted: Option<Arc<Recounted>>,
}

impl Dependencies {
    /// `names`: names are wanted as text. `collect`: the strings are needed in any case.
    pub(crate) fn new(
        names: bool,
        collect: bool,
        scratch: Option<Arc<dyn Scratch>>,
        recounted: Option<Arc<Recounted>>,
    ) -> Self {
        Dependencies {
            nodes: Reassembly::NotVisited,
            strings: Reassembly::NotVisited,
            scopes: Reassembly::NotVisited,
            names,
            keeps_strings: names || collect,
            scratch,
            recounted,
        }
    }

    /// Whether decoded strings are kept.
    pub(crate) fn keeps_strings(&self) -> bool {
        self.keeps_strings
    }

    fn get(&self, dependency: Dependency) -> &dyn Pending {
        match dependency {
            Dependency::Nodes => &self.nodes,
            Dependency::Strings => &self.strings,
            Dependency::Scopes => &self.scopes,
        }
    }

    fn get_mut(&mut self, dependency: Dependency) -> &mut dyn Pending {
        match dependency {
            Dependency::Nodes => &mut self.nodes,
            Dependency::Strings => &mut self.strings,
            Dependency::Scopes => &mut self.scopes,
        }
    }

    /// The section that provides it starts. It has at most `most` records and `bytes` bytes.
    pub(crate) fn begin(&mut self, provided: Dependency, header: &Header, most: u64, bytes: u64) {
        match provided {
            Dependency::Nodes => {
                let nodes = header.node_count.unwrap_or(0).min(most);
                let builder = NodeIndexBuilder::with_capacity(nodes as usize);
                self.nodes.begin(builder.recounted(self.recounted.clone()));
            }
            Dependency::Strings => {
                if self.keeps_strings {
                    let builder = StringTableBuilder::with_capacity(bytes as usize);
                    self.strings.begin(builder.with_scratch(self.scratch.clone()));
                }
            }
            Dependency::Scopes => self.scopes.begin(ScopeIndex::default()),
        }
    }

    /// A task of the section that provides it starts.
    pub(crate) fn begin_task(&mut self, provided: Dependency) {
        self.get_mut(provided).begin_task();
    }

    /// A task of the section that provides it is complete.
    pub(crate) fn complete_task(&mut self, provided: Dependency) {
        self.get_mut(provided).complete_task();
    }

    /// What the tasks of the sections that are read now join.
    pub(crate) fn joining(&self) -> Joining {
        Joining {
            nodes: self.nodes.joined().cloned(),
            strings: self.strings.joined().cloned(),
            scopes: self.scopes.joined().cloned(),
        }
    }

    /// All tasks of the section that provides it have been claimed.
    pub(crate) fn end(&mut self, provided: Dependency) {
        self.get_mut(provided).end();
    }

    /// No more sections will come. What has not been visited and is lost will never be complete.
    pub(crate) fn give_up(&mut self, is_lost: impl Fn(Dependency) -> bool) {
        let lost = Dependency::ALL.into_iter().filter(|dependency| is_lost(*dependency));
        lost.for_each(|dependency| self.get_mut(dependency).give_up());
    }

    /// Whether tasks of a section that provides something are running.
    pub(crate) fn is_reading(&self) -> bool {
        Dependency::ALL.into_iter().any(|dependency| self.get(dependency).is_reading())
    }

    /// Whether all of these are complete.
    pub(crate) fn are_ready(&self, needs: &[Dependency]) -> bool {
        needs.iter().all(|need| match need {
            Dependency::Nodes => self.nodes.ready().is_some(),
            Dependency::Strings => !self.names || self.strings.ready().is_some(),
            Dependency::Scopes => self.scopes.ready().is_some(),
        })
    }

    /// Whether all of these will be complete: then it is better to wait than to skip a section.
    pub(crate) fn are_coming(&self, needs: &[Dependency]) -> bool {
        needs.iter().all(|need| match need {
            Dependency::Nodes => self.nodes.is_visited(),
            // Strings are read first, wherever they are.
            Dependency::Strings => true,
            Dependency::Scopes => self.scopes.is_visited(),
        })
    }

    /// The nodes, once complete.
    pub(crate) fn nodes(&self) -> Option<&NodeIndex> {
        self.nodes.ready().map(|nodes| &**nodes)
    }

    /// The scopes, once complete.
    pub(crate) fn scopes(&self) -> Option<&ScopeIndex> {
        self.scopes.ready().map(|scopes| &**scopes)
    }

    /// The strings, if they are kept; `None` until complete.
    pub(crate) fn strings(&self) -> Option<&StringTable> {
        self.strings.ready().map(|strings| &**strings)
    }

    /// Rows of a row group of a section with these needs: so many, or fewer if they have names that are long.
    pub(crate) fn group_rows(&self, needs: &[Dependency], most: usize) -> usize {
        let is_named = self.names && needs.contains(&Dependency::Strings);
        let strings = self.strings().filter(|_| is_named);
        strings.map_or(most, |strings| strings.group_rows(most))
    }

    /// Puts what is complete into the context of later tasks.
    pub(crate) fn share(&self, context: &mut Arc<Context>) {
        let nodes = self.nodes.ready().filter(|nodes| !Arc::ptr_eq(nodes, &context.nodes));
        let strings = self.strings().filter(|_| self.names && context.strings.is_none());
        let scopes = self.scopes.ready().filter(|scopes| !Arc::ptr_eq(scopes, &context.scopes));
        if nodes.is_none() && strings.is_none() && scopes.is_none() {
            return;
        }
        let context = Arc::make_mut(context);
        if let Some(nodes) = nodes {
            context.nodes = nodes.clone();
        }
        if let Some(strings) = strings {
            context.strings = Some(strings.clone());
        }
        if let Some(scopes) = scopes {
            context.scopes = scopes.clone();
        }
    }
}
