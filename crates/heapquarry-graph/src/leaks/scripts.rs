//! Where what leaks comes from.

use super::{classes::internal, last::Last, words::Word};
use crate::{
    HashMap, NodeIndex,
    sources::{SourcePlace, Sources, is_own},
};

/// The scripts of a heap.
pub(super) struct Scripts<'a>(Sources<'a>);

impl<'a> Scripts<'a> {
    pub(super) fn new(last: &Last<'a>) -> Self {
        Scripts(Sources::new(last.heap))
    }

    /// Where the function is written, or the constructor of the object.
    pub(super) fn place(&self, node: NodeIndex) -> Option<SourcePlace> {
        self.0.place(node)
    }

    /// Where the function or constructor is written, if in a script of the program, and the class that is made there.
    pub(super) fn own_place(&self, last: &Last<'_>, node: NodeIndex) -> Option<SourcePlace> {
        let place = self.0.place(node).filter(|place| is_own(&place.script))?;
        Some(SourcePlace { what: last.class_name(node), ..place })
    }
}

/// The functions that see the variables of each of some scopes: those that are right in it, else those one scope
/// further in. In file order.
pub(super) fn functions_of(
    last: &Last<'_>,
    scopes: &[NodeIndex],
) -> HashMap<NodeIndex, Vec<NodeIndex>> {
    let mut direct: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::default();
    let mut nested: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::default();
    if scopes.is_empty() {
        return direct;
    }
    for node in last.visible().filter(|&node| last.kinds.is_function(node)) {
        let Some(scope) = internal(last.heap, last.words, node, Word::Context) else { continue };
        if scopes.contains(&scope) {
            direct.entry(scope).or_default().push(node);
        }
        if last.kinds.is_scope(scope)
            && let Some(outer) = internal(last.heap, last.words, scope, Word::Previous)
            && scopes.contains(&outer)
        {
            nested.entry(outer).or_default().push(node);
        }
    }
    for (scope, functions) in nested {
        direct.entry(scope).or_default().extend(functions);
    }
    direct
}
