//! Something that later sections need, put together from what the tasks of its own section leave behind.

use heapquarry_tables::Reorder;
use std::{mem, ops::Range, sync::Arc};

/// Puts the parts of a whole together, in order.
pub(crate) trait Assemble {
    /// What a task leaves behind.
    type Part;
    /// What is made of all parts.
    type Whole;

    /// The records of its section that a part stands for.
    fn range(part: &Self::Part) -> Range<u64>;

    /// Adds the next part.
    fn push(&mut self, part: Self::Part);

    /// Ends it.
    fn finish(self) -> Self::Whole;
}

/// How far it is.
pub(crate) enum Reassembly<A: Assemble> {
    /// The section has not been visited.
    NotMet,
    /// Its tasks are under way.
    Reading(Reading<A>),
    /// It is complete, or will never come.
    Ready(Arc<A::Whole>),
}

pub(crate) struct Reading<A: Assemble> {
    assembler: A,
    /// Parts by their records: tasks end in any order.
    parts: Reorder<A::Part>,
    /// Tasks that are not complete.
    running: usize,
    /// Whether there are no more tasks.
    claimed: bool,
}

/// What of it does not depend on its type.
pub(crate) trait Pending {
    /// A task begins.
    fn begin_task(&mut self);

    /// There are no more tasks.
    fn end(&mut self);

    /// The section will not come: whoever needs it finds nothing.
    fn give_up(&mut self);

    /// Whether the section has been visited.
    fn is_met(&self) -> bool;

    /// Whether tasks are under way.
    fn is_reading(&self) -> bool;
}

impl<A: Assemble<Whole: Default>> Pending for Reassembly<A> {
    fn begin_task(&mut self) {
        if let Reassembly::Reading(reading) = self {
            reading.running += 1;
        }
    }

    fn end(&mut self) {
        if let Reassembly::Reading(reading) = self {
            reading.claimed = true;
        }
        self.finish();
    }

    fn give_up(&mut self) {
        if !self.is_met() {
            *self = Reassembly::Ready(Arc::default());
        }
    }

    fn is_met(&self) -> bool {
        !matches!(self, Reassembly::NotMet)
    }

    fn is_reading(&self) -> bool {
        matches!(self, Reassembly::Reading(_))
    }
}

impl<A: Assemble> Reassembly<A> {
    /// The section begins.
    pub(crate) fn begin(&mut self, assembler: A) {
        let (parts, running, claimed) = Default::default();
        *self = Reassembly::Reading(Reading { assembler, parts, running, claimed });
    }

    /// A task is complete.
    pub(crate) fn complete_task(&mut self, part: A::Part) {
        if let Reassembly::Reading(reading) = self {
            assert!(reading.parts.insert(A::range(&part), part), "records are read once");
            reading.running -= 1;
            while let Some(part) = reading.parts.next() {
                reading.assembler.push(part);
            }
        }
        self.finish();
    }

    fn finish(&mut self) {
        if !matches!(self, Reassembly::Reading(Reading { running: 0, claimed: true, .. })) {
            return;
        }
        if let Reassembly::Reading(Reading { assembler, parts, .. }) =
            mem::replace(self, Reassembly::NotMet)
        {
            debug_assert!(parts.is_empty());
            *self = Reassembly::Ready(Arc::new(assembler.finish()));
        }
    }

    /// The whole, if it is complete.
    pub(crate) fn ready(&self) -> Option<&Arc<A::Whole>> {
        match self {
            Reassembly::Ready(whole) => Some(whole),
            Reassembly::NotMet | Reassembly::Reading(_) => None,
        }
    }
}
