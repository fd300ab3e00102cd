//! The first of the snapshots that are compared.

use super::Snapshot;
use crate::{
    answer::Caveat,
    diff::Comparing,
    heap::{Subject, owners::Owned},
};
use heapquarry::{
    Result, RunOptions,
    engine::{Locate, taken_of_base},
};
use heapquarry_graph::{DiffBase, IdSample, Leaks};
use heapquarry_report::Facts;

/// What a comparison keeps of the first snapshot. Its heap is dropped before the last one is read: a comparison takes
/// little more memory than the larger of them.
pub(crate) struct First {
    pub(super) base: DiffBase,
    pub(super) ids: IdSample,
    /// Its figures without those of classes, if requested.
    pub(super) facts: Option<Facts>,
    /// What belongs to each owner, if requested.
    pub(super) owned: Option<Owned>,
    /// What grows from it on, if that is looked for.
    pub(super) hunt: Option<Leaks>,
    /// Its plain objects have no names yet.
    pub(super) snapshot: Snapshot,
    /// How it was read.
    pub(super) note: Option<Caveat>,
}

impl First {
    /// Reads and analyses it. Of the last one, `held` bytes are in memory already.
    pub(crate) fn read(how: &Comparing<'_>, held: u64) -> Result<Self> {
        let &Comparing { before, facts, by, series, options, .. } = how;
        let (source, options) = (&before[0], &options.beside(held));
        let threads = options.thread_count();
        let subject = Subject::open(source, source.locate(options)?, Some(&[]), options)?;
        let facts =
            facts.map(|wanted| subject.facts_without_classes(source, wanted)).transpose()?;
        let owned = by.map(|by| subject.owned(by, usize::MAX));
        let is_series = before.len() >= series && before.len() < Leaks::MOST_SNAPSHOTS;
        let mut hunt = is_series.then(Leaks::new);
        if let Some(hunt) = &mut hunt {
            hunt.add(&subject.heap, threads);
        }
        let (ids, snapshot) = (IdSample::new(&subject.heap), Snapshot::new(source, &subject));
        let Subject { heap, analysis, note, .. } = subject;
        let base = DiffBase::new(heap, analysis, threads);
        Ok(First { base, ids, facts, owned, hunt, snapshot, note })
    }

    /// These options for other inputs that are read beside it.
    pub(crate) fn beside(&self, options: &RunOptions) -> RunOptions {
        options.beside(taken_of_base(self.snapshot.nodes))
    }
}
