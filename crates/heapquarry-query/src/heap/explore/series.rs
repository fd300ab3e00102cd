//! A heap as the last of several snapshots of one process.

use super::{ClassGrowth, Growth, GrowthAnswer};
use crate::{
    Session,
    answer::{Bytes, BytesChange},
    diff::Comparing,
    heap::{
        Subject,
        diff::{Comparison, First, Totals},
        leaks::verdict,
    },
    listing::Page,
    sections::signed,
};
use heapquarry::Result;
use heapquarry_graph::{ClassDiff, NodeIndex};
use std::{collections::HashMap, sync::Arc};

/// What became of it since the first snapshot.
pub(super) struct Series {
    /// All of them.
    pub(super) session: Session,
    pub(super) found: Comparison,
    /// Positions of the classes that changed, by their keys.
    changed: HashMap<String, usize>,
}

impl Series {
    /// Reads the snapshots, one at a time, and the last one with the attribution of its nodes.
    pub(super) fn new(session: &Session) -> Result<(Self, Arc<Subject>)> {
        let sources = session.sources();
        let (source, before) = sources.split_last().expect("a series has several");
        let (facts, by, series, output) = (None, None, 1, None);
        let options = session.options();
        let how = Comparing { source, before, facts, by, series, output, options };
        let first = First::read(&how, session.last().held())?;
        let last = session.last().under(&first.beside(options)).attributed_heap()?;
        let found = Comparison::new(&how, first, &last)?;
        let changed = found.classes.iter().map(|diff| diff.class_key.clone()).zip(0..).collect();
        Ok((Series { session: session.clone(), found, changed }, last))
    }

    /// The classes that the first snapshot has and the last has not.
    pub(super) fn gone(&self) -> impl Iterator<Item = &ClassDiff> {
        let (_, last) = self.found.ends();
        self.found.classes.iter().filter(|diff| last.of(&diff.class_key).count == 0)
    }

    /// By how much the number of objects of a class grew, and what they retain.
    pub(super) fn deltas(&self, class_key: &str) -> (i64, i64) {
        let (first, last) = self.found.ends();
        let count = self.changed.get(class_key).map(|&at| self.found.classes[at].count_delta());
        let retained = |totals: &Totals| signed(totals.retained);
        (count.unwrap_or(0), retained(last.of(class_key)) - retained(first.of(class_key)))
    }

    /// What became of a class.
    pub(super) fn of_class(&self, class_name: &str, class_key: &str) -> ClassGrowth {
        let unchanged = || ClassDiff {
            class_name: class_name.into(),
            class_key: class_key.into(),
            added_count: 0,
            removed_count: 0,
            added_size: 0,
            removed_size: 0,
        };
        let counts = self.found.snapshots.iter().map(|snapshot| snapshot.of(class_key).count);
        ClassGrowth {
            counts: counts.collect(),
            change: match self.changed.get(class_key) {
                Some(&at) => self.found.change(&self.found.classes[at]),
                None => self.found.change(&unchanged()),
            },
        }
    }

    /// By how much grew what an object retains: of a new one all of it. `None` if that is not known.
    pub(super) fn delta(&self, last: &Subject, node: NodeIndex) -> Option<i64> {
        let before = || self.found.before(last, node).unwrap_or(0);
        self.found.has_same_ids.then(|| signed(last.retained(node)) - signed(before()))
    }

    /// What became of an object; `None` if that is not known.
    pub(super) fn of_object(&self, last: &Subject, node: NodeIndex) -> Option<Growth> {
        Some(Growth {
            base_retained_size: self.found.before(last, node).map(Bytes),
            retained_delta: BytesChange(self.delta(last, node)?),
        })
    }

    pub(super) fn growth(&self, page: Page) -> GrowthAnswer {
        let leaks = self.found.leaks.as_ref();
        let (first, last) = self.found.ends();
        let growth = signed(last.size) - signed(first.size);
        GrowthAnswer {
            snapshots: self.found.sizes(),
            verdict: leaks.map(|leaks| verdict(leaks, growth)),
            findings: leaks.map(|leaks| page.of(leaks, |leak| leak.clone())),
        }
    }
}
