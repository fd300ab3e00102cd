//! What other sections need of the scopes: how many variables and uses each owns.

use super::{
    ownership::{Ownership, OwnershipPart},
    reassembly::Assemble,
};
use std::ops::Range;

/// The side output of one task of scopes.
#[derive(Debug)]
pub(crate) struct ScopePart {
    /// Position of the first scope.
    pub(crate) first: u64,
    pub(crate) context_vars: OwnershipPart,
    pub(crate) uses: OwnershipPart,
}

/// All scopes of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct ScopeIndex {
    /// Which scope declares each variable.
    pub(crate) context_vars: Ownership,
    /// Which scope each use belongs to.
    pub(crate) uses: Ownership,
}

impl Assemble for ScopeIndex {
    type Part = ScopePart;
    type Whole = ScopeIndex;

    fn range(part: &ScopePart) -> Range<u64> {
        part.first..part.first + part.uses.owners()
    }

    fn push(&mut self, part: ScopePart) {
        self.context_vars.push(part.context_vars);
        self.uses.push(part.uses);
    }

    fn finish(mut self) -> ScopeIndex {
        self.context_vars.finish();
        self.uses.finish();
        self
    }
}
