//! Reassembles what later sections need from the side outputs of a section's tasks.

use heapquarry_tables::Reorder;
use std::{mem, ops::Range, sync::Arc};

/// Joins the parts of a whole in order.
pub(crate) trait Assemble {
    /// The side output of a task.
    type Part;
    /// The result of joining all parts.
    type Whole;

    /// The records of the section that a part covers.
    fn range(part: &Self::Part) -> Range<u64>;

    /// Adds the next part.
    fn push(&mut self, part: Self::Part);

    /// Returns the whole.
    fn finish(self) -> Self::Whole;
}

/// State of a reassembly.
pub(crate) enum Reassembly<A: Assemble> {
    /// The section has not been visited.
    NotVisited,
    /// Its tasks are running.
    Reading(Reading<A>),
    /// It is complete, or the section will never come.
    Ready(Arc<A::Whole>),
}

pub(crate) struct Reading<A: Assemble> {
    assembler: A,
    /// Parts by their records: tasks complete in any order.
    parts: Reorder<A::Part>,
    /// Number of tasks that are not complete.
    running: usize,
    /// Whether all tasks have been claimed.
    claimed: bool,
}

/// The operations of a reassembly that do not depend on its type.
pub(crate) trait Pending {
    /// A task starts.
    fn begin_task(&mut self);

    /// All tasks have been claimed.
    fn end(&mut self);

    /// The section will not come. Sections that depend on it get an empty whole.
    fn give_up(&mut self);

    /// Whether the section has been visited.
    fn is_visited(&self) -> bool;

    /// Whether tasks are running.
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
        if !self.is_visited() {
            *self = Reassembly::Ready(Arc::default());
        }
    }

    fn is_visited(&self) -> bool {
        !matches!(self, Reassembly::NotVisited)
    }

    fn is_reading(&self) -> bool {
        matches!(self, Reassembly::Reading(_))
    }
}

impl<A: Assemble> Reassembly<A> {
    /// The section starts.
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
            mem::replace(self, Reassembly::NotVisited)
        {
            debug_assert!(parts.is_empty());
            *self = Reassembly::Ready(Arc::new(assembler.finish()));
        }
    }

    /// The whole, once complete.
    pub(crate) fn ready(&self) -> Option<&Arc<A::Whole>> {
        match self {
            Reassembly::Ready(whole) => Some(whole),
            Reassembly::NotVisited | Reassembly::Reading(_) => None,
        }
    }
}
