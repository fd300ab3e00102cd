//! The lists of native contexts.

use super::{ListSink, Lists, Unfit};
use crate::{
    NativeContexts, NodeIndex,
    native_contexts::{Number, Numbers},
};

impl NativeContexts {
    /// Gives its lists to a sink.
    pub(crate) fn put_lists<S: ListSink>(&self, sink: &mut S) -> Result<(), S::Error> {
        sink.list("native_contexts", self.contexts.iter().map(|node| node.0))?;
        // In the width that so many contexts need, as they were attributed.
        match &self.of {
            Numbers::Narrow(of) => sink.list("realms", of.iter().copied()),
            Numbers::Wide(of) => sink.list("realms", of.iter().copied()),
        }
    }

    /// Those of stored lists; `None` if they have none.
    pub(crate) fn from_lists(lists: &mut Lists, nodes: usize) -> Result<Option<Self>, Unfit> {
        let contexts = lists.optional("native_contexts", Lists::words)?;
        let Some(contexts) = contexts else { return Ok(None) };
        let contexts: Vec<NodeIndex> = contexts.iter().copied().map(NodeIndex).collect();
        let is_narrow = contexts.len() <= usize::from(u8::UNKNOWN);
        let exist = contexts.iter().all(|node| node.position() < nodes);
        let unfit = Unfit { list: "realms" };
        let of = match is_narrow {
            true => Numbers::Narrow(
                fitting(lists.bytes("realms")?.into_vec(), nodes, contexts.len()).ok_or(unfit)?,
            ),
            false => Numbers::Wide(
                fitting(lists.words("realms")?.into_vec(), nodes, contexts.len()).ok_or(unfit)?,
            ),
        };
        match exist {
            true => Ok(Some(NativeContexts { contexts, of })),
            false => Err(Unfit { list: "native_contexts" }),
        }
    }
}

/// The numbers, if there is one for each node, and each has a meaning.
fn fitting<N: Number>(of: Vec<N>, nodes: usize, contexts: usize) -> Option<Vec<N>> {
    let has_meaning = |&n: &N| n == N::NONE || n == N::SHARED || n.get() < contexts;
    (of.len() == nodes && of.iter().all(has_meaning)).then_some(of)
}
