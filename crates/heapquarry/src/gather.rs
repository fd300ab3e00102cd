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
use heapquarry_rows::profile::Gathering;
use heapquarry_tables::{FileId, Projection, Table};
use std::sync::atomic::{AtomicU64, Ordering};

/// A sink that gathers the input of an analysis, and the rows of profiles if requested.
pub(crate) struct GatherSink {
    projection: Projection,
    gather: Gather,
    profiles: Option<Gathering>,
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
}

impl GatherSink {
    /// Gathers for an analysis.
    pub(crate) fn for_analysis() -> Self {
        GatherSink {
            projection: Projection::none(),
            gather: Gather::Always,
            profiles: None,
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
        let GatherSink { profiles, small, gathered, .. } = self;
        let profile = profiles.map(|profiles| profiles.finish(small));
        Ok(GatheredDocument { documents, parts: gathered, profile })
    }
}

impl Sink for GatherSink {
    type Handler<'s> = Rows<'s>;

    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.gather
    }

    fn kept(&self) -> u64 {
        self.profiles.as_ref().map_or(0, Gathering::memory)
    }

    fn number(&self, _: &'static Table) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    fn handler(&self) -> Rows<'_> {
        Rows(self.profiles.as_ref())
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

/// Receives rows of profiles.
pub(crate) struct Rows<'a>(Option<&'a Gathering>);

impl Handler for Rows<'_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        if let Some(profiles) = self.0 {
            profiles.add(table, number, &batch);
        }
        Ok(())
    }
}
