//! Something that later sections need, joined from what the tasks of its own section leave behind.

use std::{collections::BTreeMap, sync::Arc};

/// Takes the parts of a whole in order.
pub(crate) trait Join {
    /// What a task leaves behind.
    type Part;
    /// What is made of all parts.
    type Whole;

    /// Ordinal of the record that the next part begins with.
    fn next(&self) -> u64;

    /// Ordinal of the record that a part begins with.
    fn first(part: &Self::Part) -> u64;

    /// Adds the next part.
    fn push(&mut self, part: Self::Part);

    /// Ends it.
    fn finish(self) -> Self::Whole;
}

/// Where the joining stands.
pub(crate) enum Stage<J: Join> {
    /// The section has not been met.
    NotMet,
    /// Its tasks are under way.
    Reading(Reading<J>),
    /// It is there, or will never be.
    Ready(Arc<J::Whole>),
}

pub(crate) struct Reading<J: Join> {
    join: J,
    /// Parts that came before their turn: tasks end in any order.
    early: BTreeMap<u64, J::Part>,
    /// Tasks that are not complete.
    running: usize,
    /// Whether there are no more tasks.
    claimed: bool,
}

impl<J: Join> Stage<J> {
    /// The section begins.
    pub(crate) fn begin(&mut self, join: J) {
        *self =
            Stage::Reading(Reading { join, early: BTreeMap::new(), running: 0, claimed: false });
    }

    /// A task begins.
    pub(crate) fn task(&mut self) {
        if let Stage::Reading(reading) = self {
            reading.running += 1;
        }
    }

    /// A task is complete.
    pub(crate) fn add(&mut self, part: J::Part) {
        if let Stage::Reading(Reading { join, early, running, .. }) = self {
            early.insert(J::first(&part), part);
            *running -= 1;
            while let Some(part) = early.remove(&join.next()) {
                join.push(part);
            }
        }
        self.finish();
    }

    /// There are no more tasks.
    pub(crate) fn claimed(&mut self) {
        if let Stage::Reading(reading) = self {
            reading.claimed = true;
        }
        self.finish();
    }

    fn finish(&mut self) {
        if !matches!(self, Stage::Reading(Reading { running: 0, claimed: true, .. })) {
            return;
        }
        if let Stage::Reading(Reading { join, early, .. }) = std::mem::replace(self, Stage::NotMet)
        {
            debug_assert!(early.is_empty());
            *self = Stage::Ready(Arc::new(join.finish()));
        }
    }

    /// The whole, if it is there.
    pub(crate) fn ready(&self) -> Option<&Arc<J::Whole>> {
        match self {
            Stage::Ready(whole) => Some(whole),
            _ => None,
        }
    }

    /// Whether tasks are under way.
    pub(crate) fn is_reading(&self) -> bool {
        matches!(self, Stage::Reading(_))
    }
}
