//! Holds back the rows of `js_heap_location` until the heap is complete, because the names of their scripts depend on
//! its nodes.

use crate::{
    Result,
    sink::{Handler, Sink},
};
use arrow_array::RecordBatch;
use heapquarry_formats::Gather;
use heapquarry_tables::{
    JS_HEAP_LOCATION, Projection, Table, js_heap_location::POSITIONS, sync::unpoisoned,
};
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

/// Row groups of locations by their numbers.
type Batches = Mutex<Vec<(u64, RecordBatch)>>;

/// A sink that passes all rows on, except those that are held back.
pub(crate) struct Deferred<'a, S> {
    sink: &'a S,
    /// With all columns of the table that is held back.
    projection: Projection,
    locations: Option<(AtomicU64, Batches)>,
}

/// Whether columns of locations are wanted that depend on the whole heap: the names of scripts, and what source maps
/// tell.
pub(crate) fn wants_names(projection: &Projection) -> bool {
    let columns = projection.columns(&JS_HEAP_LOCATION);
    [
        POSITIONS.script_name,
        POSITIONS.original_name,
        POSITIONS.original_source,
        POSITIONS.original_line,
        POSITIONS.original_column,
    ]
    .iter()
    .any(|&column| columns.has(column))
}

impl<'a, S: Sink> Deferred<'a, S> {
    /// `is_gathered`: the heap will be available.
    pub(crate) fn new(sink: &'a S, is_gathered: bool) -> Self {
        let projection = sink.projection().clone();
        if !is_gathered || !wants_names(&projection) {
            return Deferred { sink, projection, locations: None };
        }
        let projection = projection.with(&[&JS_HEAP_LOCATION]);
        Deferred { sink, projection, locations: Some(Default::default()) }
    }

    /// The rows that were held back, in order.
    pub(crate) fn into_locations(self) -> Vec<RecordBatch> {
        let batches = self.locations.map(|(_, batches)| unpoisoned(batches.into_inner()));
        let mut batches = batches.unwrap_or_default();
        batches.sort_unstable_by_key(|(number, _)| *number);
        batches.into_iter().map(|(_, batch)| batch).collect()
    }
}

impl<S: Sink> Sink for Deferred<'_, S> {
    type Handler<'s>
        = Holder<'s, S::Handler<'s>>
    where
        Self: 's;

    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.sink.gather()
    }

    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        self.sink.expect(tables)
    }

    fn number(&self, table: &'static Table) -> u64 {
        match &self.locations {
            Some((next, _)) if *table == JS_HEAP_LOCATION => next.fetch_add(1, Ordering::Relaxed),
            _ => self.sink.number(table),
        }
    }

    fn handler(&self) -> Self::Handler<'_> {
        let locations = self.locations.as_ref().map(|(_, batches)| batches);
        Holder { handler: self.sink.handler(), locations }
    }

    fn cancel(&self) {
        self.sink.cancel();
    }

    fn rows(&mut self, _: &'static Table, _: RecordBatch) -> Result<()> {
        unreachable!("small tables go to the sink itself")
    }
}

/// A worker's handle to the sink.
pub(crate) struct Holder<'s, H> {
    handler: H,
    locations: Option<&'s Batches>,
}

impl<H: Handler> Handler for Holder<'_, H> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        match self.locations {
            Some(locations) if *table == JS_HEAP_LOCATION => {
                unpoisoned(locations.lock()).push((number, batch));
                Ok(())
            }
            _ => self.handler.handle(table, number, batch),
        }
    }
}
