//! Which native context each node belongs to, and what keeps it alive: what DevTools of 2026 shows besides sizes.

use crate::{
    Bits, Heap,
    native_contexts::{NativeContexts, native_contexts},
    retained_by::{Keepers, RetainedBy, stack_roots, unreachable},
};

/// Which native context each node belongs to, and what keeps it alive: see
/// [`analyze_attributed`](crate::analyze_attributed).
#[derive(Clone, Debug)]
pub struct Attribution {
    /// See [`native_contexts`](crate::native_contexts).
    pub native_contexts: NativeContexts,
    /// See [`retained_by`](crate::retained_by()).
    pub retained_by: RetainedBy,
    /// See [`stack_roots`](crate::stack_roots).
    pub stack_roots: Bits,
    /// See [`unreachable`](crate::unreachable).
    pub unreachable: Bits,
}

/// The part that needs names.
pub(crate) struct ByNames {
    native_contexts: NativeContexts,
    keepers: Keepers,
}

impl ByNames {
    pub(crate) fn new(heap: &Heap, states: &[u8]) -> Self {
        ByNames { native_contexts: native_contexts(heap), keepers: Keepers::new(heap, states) }
    }

    /// The part that needs the edges.
    pub(crate) fn finish(self, heap: &Heap, distances: &[i32]) -> Attribution {
        Attribution {
            native_contexts: self.native_contexts,
            retained_by: self.keepers.retained(heap, distances),
            stack_roots: stack_roots(heap),
            unreachable: unreachable(heap, distances),
        }
    }
}
