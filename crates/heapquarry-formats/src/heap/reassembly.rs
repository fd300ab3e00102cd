//! Reassembles what later sections need from the side outputs of a section's tasks.
//!
//! Workers join the parts, without the lock of the claims: to join the strings is to copy them.

use heapquarry_tables::Join;
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

/// What the tasks of a section join.
pub(crate) type Joined<A> = Join<A, <A as Assemble>::Part>;

pub(crate) struct Reading<A: Assemble> {
    joined: Arc<Joined<A>>,
    /// Number of tasks that are not complete.
    running: usize,
    /// Whether all tasks have been claimed.
    claimed: bool,
}

/// The operations of a reassembly that do not depend on its type.
pub(crate) trait Pending {
    /// A task starts.
    fn begin_task(&mut self);

    /// A task is complete, and has added its part.
    fn complete_task(&mut self);

    /// All tasks have been claimed.
    fn end(&mut self);

    /// The section will not come. Sections that depend on it get an empty whole.
    fn give_up(&mut self);

    /// Whether the section has been visited.
    fn is_visited(&self) -> bool;

    /// Whether tasks are running.
    fn is_reading(&self) -> bool;
}

impl<A: Assemble<Whole: Default> + Default> Pending for Reassembly<A> {
    fn begin_task(&mut self) {
        if let Reassembly::Reading(reading) = self {
            reading.running += 1;
        }
    }

    fn complete_task(&mut self) {
        if let Reassembly::Reading(reading) = self {
            reading.running -= 1;
        }
        self.finish();
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

impl<A: Assemble + Default> Reassembly<A> {
    /// The section starts.
    pub(crate) fn begin(&mut self, assembler: A) {
        let joined = Arc::new(Join::new(assembler));
        *self = Reassembly::Reading(Reading { joined, running: 0, claimed: false });
    }

    fn finish(&mut self) {
        if !matches!(self, Reassembly::Reading(Reading { running: 0, claimed: true, .. })) {
            return;
        }
        if let Reassembly::Reading(Reading { joined, .. }) =
            mem::replace(self, Reassembly::NotVisited)
        {
            *self = Reassembly::Ready(Arc::new(joined.take().finish()));
        }
    }

    /// What the tasks of the section join, while it is read.
    pub(crate) fn joined(&self) -> Option<&Arc<Joined<A>>> {
        match self {
            Reassembly::Reading(reading) => Some(&reading.joined),
            Reassembly::NotVisited | Reassembly::Ready(_) => None,
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
