//! Gathers in memory what queries need: the graph of a heap, the events of a trace, the rows of a profile.

use crate::{
    Document, Result, RunOptions,
    located::{Located, Place},
    read::{Job, read_document},
    sink::{Handler, Sink},
};
use arrow_array::RecordBatch;
use heapquarry_formats::{Gather, Gathered, Names, ReadOptions, Recount};
use heapquarry_profile::Profile;
use heapquarry_rows::profile::{Calls, Gathering, GatheringCalls};
use heapquarry_tables::{FileId, Projection, SCRIPT_CALL, Table};
use std::sync::atomic::{AtomicU64, Ordering};

/// A sink that gathers the input of an analysis, and the rows of profiles and calls if requested.
pub(crate) struct GatherSink {
    projection: Projection,
    gather: Gather,
    profiles: Option<Gathering>,
    calls: Option<GatheringCalls>,
    small: Vec<(&'static Table, RecordBatch)>,
    number: AtomicU64,
    gathered: Option<Gathered>,
}

/// The result for one document.
pub(crate) struct GatheredDocument {
    /// The document, and those that come with it, such as CPU profiles in a trace.
    pub(crate) documents: Vec<Document>,
    /// The input of an analysis, if requested.
    pub(crate) parts: Option<Gathered>,
    /// The profile, if requested.
    pub(crate) profile: Option<Profile>,
    /// The calls of a trace; none unless requested.
    pub(crate) calls: Calls,
}

impl GatherSink {
    /// Gathers for an analysis.
    pub(crate) fn for_analysis() -> Self {
        GatherSink {
            projection: Projection::none(),
            gather: Gather::Always,
            profiles: None,
            calls: None,
            small: Vec::new(),
            number: AtomicU64::new(0),
            gathered: None,
        }
    }

    /// Gathers the rows of profiles.
    pub(crate) fn for_profile(profiles: Gathering) -> Self {
        GatherSink { gather: Gather::Never, ..Self::for_analysis().and_profile(profiles) }
    }

    /// Gathers the rows of profiles as well.
    pub(crate) fn and_profile(self, profiles: Gathering) -> Self {
        GatherSink { projection: profiles.projection(), profiles: Some(profiles), ..self }
    }

    /// Gathers the calls of a trace as well.
    pub(crate) fn and_calls(self) -> Self {
        let projection = GatheringCalls::with(self.projection);
        GatherSink { projection, calls: Some(GatheringCalls::default()), ..self }
    }

    /// Reads a document into this sink.
    pub(crate) fn read(mut self, located: &Located, run: &RunOptions) -> Result<GatheredDocument> {
        let documents = match &located.0 {
            Place::File(opened, _) | Place::InTrace(opened, _) => {
                let options = ReadOptions::default().names(Names::Id).recount(Recount::IfNeeded);
                let job = Job::new(options, run);
                read_document(opened, FileId(0), &job, &mut self)?
            }
            Place::Stored(stored) => stored.read(&mut self, run)?,
        };
        let GatherSink { profiles, calls, small, gathered, .. } = self;
        let profile = profiles.map(|profiles| profiles.finish(small));
        let calls = calls.map(GatheringCalls::finish).unwrap_or_default();
        Ok(GatheredDocument { documents, parts: gathered, profile, calls })
    }
}

impl Sink for GatherSink {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.gather
    }

    fn kept(&self) -> u64 {
        let calls = self.calls.as_ref().map_or(0, GatheringCalls::memory);
        self.profiles.as_ref().map_or(0, Gathering::memory).saturating_add(calls)
    }

    fn number(&self, _: &'static Table) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(Rows { profiles: self.profiles.as_ref(), calls: self.calls.as_ref() })
    }

    fn roll_back(&mut self) -> Result<bool> {
        // Only heaps are read again, and of these no rows are gathered.
        Ok(true)
    }

    fn gathered(&mut self, gathered: Gathered) -> Result<Option<Gathered>> {
        self.gathered = Some(gathered);
        Ok(None)
    }

    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()> {
        self.small.push((table, batch));
        Ok(())
    }
}

/// Receives rows of profiles and calls.
pub(crate) struct Rows<'a> {
    profiles: Option<&'a Gathering>,
    calls: Option<&'a GatheringCalls>,
}

impl Handler for Rows<'_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        if *table == SCRIPT_CALL {
            if let Some(calls) = self.calls {
                calls.add(number, &batch);
            }
        } else if let Some(profiles) = self.profiles {
            profiles.add(table, number, &batch);
        }
        Ok(())
    }
}
