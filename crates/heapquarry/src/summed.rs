//! Adds the totals of functions to the rows of profiles.

use crate::{
    Document, Result,
    sink::{Handler, Sink},
};
use arrow_array::{Int32Array, Int64Array, RecordBatch};
use heapquarry_formats::{Gather, Gathered};
use heapquarry_profile::{Kind, Profile};
use heapquarry_rows::profile::Gathering;
use heapquarry_tables::{
    FileId, JS_CPU_PROFILER_NODE, JS_HEAP_SAMPLING_NODE, PPROF_NODE, PROFILE_FUNCTION, Projection,
    SELF_PROFILE_STACK, Table, arrays, profile_function,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Functions of each profile.
const MOST: usize = 1_000;
/// The kinds of profiles, and a table of each.
static KINDS: [(Kind, &Table); 4] = [
    (Kind::Cpu, &JS_CPU_PROFILER_NODE),
    (Kind::Heap, &JS_HEAP_SAMPLING_NODE),
    (Kind::SelfProfile, &SELF_PROFILE_STACK),
    (Kind::Pprof, &PPROF_NODE),
];

/// A sink that passes rows on, and adds those of `profile_function`.
pub(crate) struct Summed<'a> {
    sink: &'a mut dyn Sink,
    /// The tables and columns that the sink wants.
    wanted: Projection,
    /// The tables and columns that the sink wants, and those that the sums are made from.
    projection: Projection,
    /// The profile that is read.
    profile: Option<(Kind, Gathering)>,
    /// Its small tables.
    small: Vec<(&'static Table, RecordBatch)>,
    /// Number of the next row group that is only gathered.
    next: AtomicU64,
}

impl<'a> Summed<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        let wanted = sink.projection().clone();
        let mut projection = wanted.clone();
        for (table, column) in KINDS.iter().flat_map(|(kind, _)| gathering(*kind).columns()) {
            if !wanted.columns(table).is_all_of(table) {
                projection = projection.with_column(table, column).expect("a declared column");
            }
        }
        let (profile, small, next) = (None, Vec::new(), AtomicU64::new(0));
        Summed { sink, wanted, projection, profile, small, next }
    }

    fn of_wanted(&self, tables: &[&'static Table]) -> Vec<&'static Table> {
        tables.iter().copied().filter(|table| self.wanted.wants(table)).collect()
    }
}

fn gathering(kind: Kind) -> Gathering {
    Gathering::new(kind, None, false)
}

impl Sink for Summed<'_> {
    fn projection(&self) -> &Projection {
        &self.projection
    }

    fn gather(&self) -> Gather {
        self.sink.gather()
    }

    fn begin(&mut self, name: &str, tables: &[&'static Table]) -> Result<()> {
        let kind = KINDS.iter().find(|(_, table)| tables.contains(table)).map(|(kind, _)| *kind);
        self.profile = kind.map(|kind| (kind, gathering(kind)));
        self.small.clear();
        let wanted = self.of_wanted(tables);
        self.sink.begin(name, &wanted)
    }

    fn expect(&self, tables: &[&'static Table]) -> Result<()> {
        self.sink.expect(&self.of_wanted(tables))
    }

    fn kept(&self) -> u64 {
        let profile = self.profile.as_ref().map_or(0, |(_, profile)| profile.memory());
        self.sink.kept().saturating_add(profile)
    }

    fn number(&self, table: &'static Table) -> u64 {
        match self.wanted.wants(table) {
            true => self.sink.number(table),
            false => self.next.fetch_add(1, Ordering::Relaxed),
        }
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        let profile = self.profile.as_ref().map(|(_, profile)| profile);
        Box::new(Adder { handler: self.sink.handler(), wanted: &self.wanted, profile })
    }

    fn cancel(&self) {
        self.sink.cancel();
    }

    fn roll_back(&mut self) -> Result<bool> {
        self.profile = self.profile.take().map(|(kind, _)| (kind, gathering(kind)));
        self.small.clear();
        self.sink.roll_back()
    }

    fn gathered(&mut self, gathered: Gathered) -> Result<Option<Gathered>> {
        self.sink.gathered(gathered)
    }

    fn rows(&mut self, table: &'static Table, batch: RecordBatch) -> Result<()> {
        if self.profile.as_ref().is_some_and(|(_, profile)| profile.wants(table)) {
            self.small.push((table, batch.clone()));
        }
        match self.wanted.wants(table) {
            true => self.sink.rows(table, cut(&self.wanted, table, batch)),
            false => Ok(()),
        }
    }

    fn end(&mut self, first: FileId, documents: &[Document]) -> Result<()> {
        if let Some((_, profile)) = self.profile.take() {
            let mut profile = profile.finish(std::mem::take(&mut self.small));
            profile.show_default();
            let rows = self.wanted.project(&PROFILE_FUNCTION, rows(first, &profile));
            self.sink.rows(&PROFILE_FUNCTION, rows)?;
        }
        self.sink.end(first, documents)
    }
}

/// A worker's handle to the sink.
struct Adder<'s> {
    handler: Box<dyn Handler + 's>,
    wanted: &'s Projection,
    profile: Option<&'s Gathering>,
}

impl Handler for Adder<'_> {
    fn handle(&mut self, table: &'static Table, number: u64, batch: RecordBatch) -> Result<()> {
        if let Some(profile) = self.profile.filter(|profile| profile.wants(table)) {
            profile.add(table, number, &batch);
        }
        match self.wanted.wants(table) {
            true => self.handler.handle(table, number, cut(self.wanted, table, batch)),
            false => Ok(()),
        }
    }
}

/// The wanted columns of a batch.
fn cut(wanted: &Projection, table: &'static Table, batch: RecordBatch) -> RecordBatch {
    let columns = wanted.columns(table);
    let present = table.columns_of(&batch).of(table);
    let positions = present.enumerate().filter(|(_, column)| columns.has(*column));
    let positions: Vec<usize> = positions.map(|(at, _)| at).collect();
    match positions.len() == batch.num_columns() {
        true => batch,
        false => batch.project(&positions).expect("positions of its columns"),
    }
}

/// Rows of `profile_function`.
fn rows(file_id: FileId, profile: &Profile) -> RecordBatch {
    let mut totals = profile.totals();
    totals.truncate(MOST);
    profile_function::Columns {
        file_id: file_id.column(totals.len()),
        function_name: arrays::shared_text(totals.iter().map(|one| &*one.function.name)),
        url: arrays::shared_text(totals.iter().map(|one| &*one.function.url)),
        line_number: Arc::new(totals.iter().map(|one| one.function.line).collect::<Int32Array>()),
        column_number: Arc::new(
            totals.iter().map(|one| one.function.column).collect::<Int32Array>(),
        ),
        unit: arrays::labels(totals.iter().map(|_| profile.unit())),
        self_value: Arc::new(Int64Array::from_iter_values(totals.iter().map(|one| one.own))),
        total_value: Arc::new(Int64Array::from_iter_values(totals.iter().map(|one| one.total))),
    }
    .into_batch()
}
