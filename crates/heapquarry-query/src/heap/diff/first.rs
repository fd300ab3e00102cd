//! The first of the snapshots that are compared.

use super::Snapshot;
use crate::{
    answer::Caveat,
    diff::Comparing,
    heap::{Subject, owners::Owned},
    process::memory,
    refuse_incomparable,
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Locate, Located, Purpose, load_located, taken_of_base},
};
use heapquarry_formats::Format;
use heapquarry_graph::{DiffBase, Heap, IdSample, Leaks};
use heapquarry_process::Sample;
use heapquarry_report::Facts;
use std::{collections::HashMap, sync::Arc};

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
    /// Reads it, and analyses it as far as is needed. Of the last one, `held` bytes are in memory already.
    pub(crate) fn read(how: &Comparing<'_>, held: u64) -> Result<Self> {
        let (source, options) = (&how.before[0], &how.options.beside(held));
        let located = source.locate(options)?;
        match Subject::indexed(source, Some(&[]), options)? {
            Some(kept) => First::of(kept, how),
            None if how.facts.is_some() || how.by.is_some() => {
                First::of(Subject::read(source, located, Some(&[]), options)?, how)
            }
            None => First::bare(located, how, options),
        }
    }

    fn of(subject: Subject, how: &Comparing<'_>) -> Result<Self> {
        let (source, threads) = (&how.before[0], how.options.thread_count());
        let facts =
            how.facts.map(|wanted| subject.facts_without_classes(source, wanted)).transpose()?;
        let owned = how.by.map(|by| subject.owned(by, usize::MAX));
        let Subject { heap, analysis, process, note, .. } = subject;
        let read = Read { hunt: hunt(&heap, how), ids: IdSample::new(&heap), process, note };
        let base = DiffBase::new(heap, analysis, threads);
        Ok(First { facts, owned, ..read.with(base, source) })
    }

    /// Without an analysis.
    fn bare(located: Located, how: &Comparing<'_>, options: &RunOptions) -> Result<Self> {
        let source = &how.before[0];
        refuse_incomparable(source, located.format(), Format::Heap)?;
        let process = source.process_memory(options)?;
        let loaded = load_located(&located, &options.purpose(Purpose::Questions))?;
        let note = Caveat::of_defects(source, loaded.status, &loaded.log);
        let (hunt, ids) = (hunt(&loaded.heap, how), IdSample::new(&loaded.heap));
        let base = DiffBase::of(loaded.heap, options.thread_count());
        Ok(Read { hunt, ids, process, note }.with(base, source))
    }

    /// These options for other inputs that are read beside it.
    pub(crate) fn beside(&self, options: &RunOptions) -> RunOptions {
        options.beside(taken_of_base(self.snapshot.nodes))
    }
}

/// What is taken from it before its heap is dropped.
struct Read {
    hunt: Option<Leaks>,
    ids: IdSample,
    process: Option<Arc<Sample>>,
    note: Option<Caveat>,
}

impl Read {
    fn with(self, base: DiffBase, source: &Source) -> First {
        let Read { hunt, ids, process, note } = self;
        let snapshot = Snapshot {
            name: source.to_string(),
            nodes: base.nodes() as u64,
            size: base.total(),
            rss: process.as_deref().and_then(memory::rss),
            classes: HashMap::new(),
        };
        First { base, ids, facts: None, owned: None, hunt, snapshot, note }
    }
}

/// Begins to look for what grows, if that is looked for.
fn hunt(heap: &Heap, how: &Comparing<'_>) -> Option<Leaks> {
    let count = how.before.len();
    let mut hunt = (count >= how.series && count < Leaks::MOST_SNAPSHOTS).then(Leaks::new)?;
    hunt.add(heap, how.options.thread_count());
    Some(hunt)
}
