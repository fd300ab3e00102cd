//! Profiles out of rows.

mod calls;
mod originals;
mod parts;

pub use calls::{Calls, GatheringCalls};
pub use originals::{Unnamed, with_originals};

use arrow_array::RecordBatch;
use heapquarry_base::Order;
use heapquarry_profile::{Assembly, Kind, Part, Profile};
use heapquarry_tables::{Projection, Table, sync::unpoisoned};
use parts::{Columns, Source, document, sources};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// Collects the parts of a profile from rows as they are decoded.
pub struct Gathering {
    kind: Kind,
    sources: &'static [Source],
    /// The only wanted document; `None` for all.
    only: Option<i32>,
    /// Parts, each with its table and the number of its row group.
    parts: Mutex<Vec<(&'static str, u64, Part)>>,
    /// Memory of the parts.
    bytes: AtomicU64,
}

impl Gathering {
    /// Of a profile of this kind, with its samples if requested; of one document only, or of all.
    pub fn new(kind: Kind, only: Option<i32>, samples: bool) -> Self {
        let (parts, bytes) = (Mutex::default(), AtomicU64::new(0));
        Gathering { kind, sources: sources(kind, samples), only, parts, bytes }
    }

    /// The required tables and columns.
    pub fn columns(&self) -> impl Iterator<Item = (&'static Table, &'static str)> + use<> {
        self.sources.iter().flat_map(|Source { table, columns, .. }| {
            ["file_id"].iter().chain(*columns).map(move |column| (*table, *column))
        })
    }

    /// Whether rows of this table are required.
    pub fn wants(&self, table: &'static Table) -> bool {
        self.source(table).is_some()
    }

    /// The required tables and columns.
    pub fn projection(&self) -> Projection {
        self.columns().fold(Projection::none(), |projection, (table, column)| {
            projection.with_column(table, column).expect("a declared column")
        })
    }

    fn source(&self, table: &'static Table) -> Option<&'static Source> {
        self.sources.iter().find(|source| source.table == table)
    }

    /// Takes rows of a table that is wanted; `seq` says in which order those of a table are.
    pub fn add(&self, table: &'static Table, seq: u64, batch: &RecordBatch) {
        if self.only.is_some() && document(table, batch) != self.only {
            return;
        }
        let Some(source) = self.source(table) else { return };
        let part = (source.part)(&Columns(table, batch));
        self.bytes.fetch_add(part.memory(), Relaxed);
        let mut parts = unpoisoned(self.parts.lock());
        parts.push((table.name, seq, part));
    }

    /// Memory of all that has been taken, in bytes, about.
    pub fn memory(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// The profile; `small` are the rows of small tables.
    pub fn finish(self, small: Vec<(&'static Table, RecordBatch)>) -> Profile {
        // They come after all others of their tables.
        small.iter().for_each(|(table, batch)| self.add(table, u64::MAX, batch));
        let mut parts = unpoisoned(self.parts.into_inner());
        parts.order_by_key(|(table, seq, _)| (*table, *seq));
        let mut assembly = Assembly::new(self.kind);
        parts.into_iter().for_each(|(_, _, part)| assembly.add(part));
        assembly.finish()
    }
}
