//! Holds back the rows of some tables until a document is complete, because names in them depend on all of it: those of
//! the scripts of `js_heap_location` on the nodes of the heap, and what source maps tell on all places of a script.

use crate::{
    Result,
    sink::{Handler, Sink},
};
use arrow_array::{Array, ArrayRef, RecordBatch, cast::AsArray, types::Int32Type};
use heapquarry_base::Order;
use heapquarry_formats::Gather;
use heapquarry_rows::profile::with_originals;
use heapquarry_tables::{
    JS_HEAP_LOCATION, Projection, Table, js_heap_location::POSITIONS, sync::unpoisoned,
};
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// The row groups of a table, by their numbers.
struct Held {
    table: &'static Table,
    next: AtomicU64,
    batches: Mutex<Vec<(u64, RecordBatch)>>,
}

/// A sink that passes all rows on, except those that are held back.
pub(crate) struct Deferred<'a> {
    sink: &'a dyn Sink,
    /// With all columns of the tables that are held back.
    projection: Projection,
    held: Vec<Held>,
    /// Memory of all rows that are held back.
    bytes: AtomicU64,
    /// Where the dictionaries are that count in it: row groups share them.
    texts: Mutex<HashSet<usize>>,
}

/// Whether columns of locations are wanted that depend on the whole heap: the names of scripts, and what source maps
/// tell.
pub(crate) fn wants_names(projection: &Projection) -> bool {
    projection.columns(&JS_HEAP_LOCATION).has(POSITIONS.script_name) || wants_originals(projection)
}

/// Whether columns of locations are wanted that source maps tell.
pub(crate) fn wants_originals(projection: &Projection) -> bool {
    let columns = projection.columns(&JS_HEAP_LOCATION);
    [
        POSITIONS.original_name,
        POSITIONS.original_source,
        POSITIONS.original_line,
        POSITIONS.original_column,
    ]
    .iter()
    .any(|&column| columns.has(column))
}

impl<'a> Deferred<'a> {
    /// `is_gathered`: the heap will be available. `has_maps`: there are source maps.
    pub(crate) fn new(sink: &'a dyn Sink, is_gathered: bool, has_maps: bool) -> Self {
        let projection = sink.projection().clone();
        let mut tables: Vec<&'static Table> = Vec::new();
        if is_gathered && wants_names(&projection) {
            tables.push(&JS_HEAP_LOCATION);
        }
        if has_maps {
            tables.extend(with_originals(&projection));
        }
        let projection = projection.with(&tables);
        let hold = |table| Held { table, next: AtomicU64::default(), batches: Mutex::default() };
        let held = tables.into_iter().map(hold).collect();
        Deferred { sink, projection, held, bytes: AtomicU64::new(0), texts: Mutex::default() }
    }

    /// The rows that were held back: table by table, and those of a table in order.
    pub(crate) fn into_rows(self) -> Vec<(&'static Table, RecordBatch)> {
        let mut rows = Vec::new();
        for Held { table, batches, .. } in self.held {
            let mut batches = unpoisoned(batches.into_inner());
            batches.order_by_key(|(number, _)| *number);
            rows.extend(batches.into_iter().map(|(_, batch)| (table, batch)));
        }
        rows
    }
}

/// What is held back of a table, if it is.
fn of_table<'h>(held: &'h [Held], table: &Table) -> Option<&'h Held> {
    held.iter().find(|held| held.table == table)
}

impl Sink for Deferred<'_> {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.sink.gather()
    }

    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        self.sink.expect(tables)
    }

    fn kept(&self) -> u64 {
        self.sink.kept().saturating_add(self.bytes.load(Ordering::Relaxed))
    }

    fn number(&self, table: &'static Table) -> u64 {
        match of_table(&self.held, table) {
            Some(held) => held.next.fetch_add(1, Ordering::Relaxed),
            None => self.sink.number(table),
        }
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(Holder { handler: self.sink.handler(), of: self })
    }

    fn cancel(&self) {
        self.sink.cancel();
    }

    fn rows(&mut self, _: &'static Table, _: RecordBatch) -> Result<()> {
        unreachable!("small tables go to the sink itself")
    }
}

/// Memory of a column in bytes, without that of a dictionary among these. Then it is.
fn memory(column: &ArrayRef, known: &mut HashSet<usize>) -> u64 {
    let bytes = match column.as_dictionary_opt::<Int32Type>() {
        Some(column) => {
            let texts = column.values();
            let is_new = known.insert(Arc::as_ptr(texts).addr());
            column.keys().get_array_memory_size()
                + if is_new { texts.get_array_memory_size() } else { 0 }
        }
        None => column.get_array_memory_size(),
    };
    bytes as u64
}

/// A worker's handle to the sink.
struct Holder<'s, 'a> {
    handler: Box<dyn Handler + 's>,
    of: &'s Deferred<'a>,
}

impl Handler for Holder<'_, '_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        match of_table(&self.of.held, table) {
            Some(held) => {
                let mut texts = unpoisoned(self.of.texts.lock());
                let columns = batch.columns().iter();
                let bytes = columns.map(|column| memory(column, &mut texts)).sum();
                self.of.bytes.fetch_add(bytes, Ordering::Relaxed);
                unpoisoned(held.batches.lock()).push((number, batch));
                Ok(())
            }
            None => self.handler.handle(table, number, batch),
        }
    }
}
