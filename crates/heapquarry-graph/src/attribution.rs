//! Which native context each node belongs to, and what keeps it alive: what DevTools of 2026 shows besides sizes.

use crate::{
    FixedBits, Heap,
    native_contexts::{NativeContexts, Realms, native_contexts, several_native_contexts},
    retained_by::{Keepers, RetainedBy, stack_roots, unreachable},
};

/// Which native context each node belongs to, and what keeps it alive: see
/// [`analyze_attributed`](crate::analyze_attributed).
#[derive(Clone, Debug)]
pub struct Attribution {
    /// See [`native_contexts`](crate::native_contexts). None if only several [are wanted](Realms) and there are not.
    pub native_contexts: Option<NativeContexts>,
    /// See [`retained_by`](crate::retained_by()).
    pub retained_by: RetainedBy,
    /// See [`stack_roots`](crate::stack_roots).
    pub stack_roots: FixedBits,
    /// See [`unreachable`](crate::unreachable).
    pub unreachable: FixedBits,
}

/// The part that needs no distances. It is found while the depth-first search for the dominators takes another core.
pub(crate) struct ByNames {
    native_contexts: Option<NativeContexts>,
    keepers: Keepers,
}

impl ByNames {
    pub(crate) fn new(heap: &Heap, realms: Realms, states: &[u8]) -> Self {
        let native_contexts = match realms {
            Realms::All => Some(native_contexts(heap)),
            Realms::OfSeveral => several_native_contexts(heap),
        };
        ByNames { native_contexts, keepers: Keepers::new(heap, states) }
    }

    /// The part that needs distances.
    pub(crate) fn finish(self, heap: &Heap, distances: &[i32]) -> Attribution {
        Attribution {
            native_contexts: self.native_contexts,
            retained_by: self.keepers.retained(heap, distances),
            stack_roots: stack_roots(heap).into(),
            unreachable: unreachable(heap, distances).into(),
        }
    }
}
