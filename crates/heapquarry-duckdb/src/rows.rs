//! The rows of a table, as many at a time as DuckDB takes.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, cast::AsArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;
use heapquarry::{
    BatchOptions, Document, Entry, ErrorKind, Severity, Source, TableBatches, reader, schema,
    tables::IMPORT_LOG,
};
use std::sync::Arc;

/// Rows in a vector of DuckDB: its own constant, of all versions so far.
const VECTOR: usize = 2048;

pub(crate) struct Rows {
    batches: TableBatches,
    /// The columns that DuckDB asked for, each as its place among those that are read; `None` for the number of a row,
    /// which DuckDB asks for when a query uses no column.
    columns: Vec<Option<usize>>,
    schema: SchemaRef,
    /// What is left of the last batch.
    batch: Option<RecordBatch>,
    /// Rows that were handed over.
    count: i64,
    /// Whether rows are wanted although others are lost.
    allows_losses: bool,
}

impl Rows {
    /// The columns at these places of a table. A place that the table does not have stands for the number of a row.
    pub(crate) fn new(
        source: &Source,
        table: &str,
        allows_losses: bool,
        places: &[u64],
    ) -> heapquarry::Result<Self> {
        let all = schema(table, &[])?;
        let place =
            |&place: &u64| usize::try_from(place).ok().filter(|&at| at < all.fields().len());
        let places: Vec<Option<usize>> = places.iter().map(place).collect();
        let mut read: Vec<usize> = places.iter().flatten().copied().collect();
        if read.is_empty() {
            read.push(0);
        }
        read.sort_unstable();
        read.dedup();
        let names = read.iter().map(|&at| format!("{table}.{}", all.field(at).name()));
        let options = BatchOptions::default().columns(names.collect()).analyze(true);
        let at = |place| read.binary_search(&place).expect("each place is read");
        let field = |place: &Option<usize>| match place {
            Some(place) => flat_field(all.field(*place)),
            None => Field::new("rowid", DataType::Int64, false),
        };
        Ok(Rows {
            batches: reader(&[source], table, &options)?,
            schema: Arc::new(Schema::new(places.iter().map(field).collect::<Vec<_>>())),
            columns: places.into_iter().map(|place| place.map(at)).collect(),
            batch: None,
            count: 0,
            // The log says itself what is lost.
            allows_losses: allows_losses || table == IMPORT_LOG.name,
        })
    }

    /// The next rows; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let batch = loop {
            let next = match self.batch.take() {
                Some(left) => Some(left),
                None => self.batches.next().transpose()?,
            };
            match next {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => break batch,
                None => return self.whole().map(|()| None),
            }
        };
        let rows = batch.num_rows().min(VECTOR);
        self.batch = Some(batch.slice(rows, batch.num_rows() - rows));
        let batch = batch.slice(0, rows);
        let first = self.count;
        self.count += rows as i64;
        let numbers =
            || Arc::new(Int64Array::from_iter_values(first..first + rows as i64)) as ArrayRef;
        let column =
            |place: &Option<usize>| place.map_or_else(numbers, |at| batch.column(at).clone());
        let columns =
            self.columns.iter().map(|place| flat(column(place))).collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options).map(Some)
    }

    /// At the end: fails if data was lost, as a query cannot tell by its rows.
    fn whole(&self) -> Result<(), ArrowError> {
        if self.allows_losses {
            return Ok(());
        }
        let is_loss = |entry: &&Entry| entry.code.severity() != Severity::Info;
        let loss = |document: &Document| {
            let first = document.log.iter().find(is_loss)?;
            Some((document.path.clone(), document.defects, first.clone()))
        };
        let Some((path, defects, first)) = self.batches.documents().iter().find_map(loss) else {
            return Ok(());
        };
        let error = heapquarry::Error::from(ErrorKind::Strict { path, defects, first });
        Err(ArrowError::ExternalError(Box::new(error)))
    }
}

/// DuckDB's crate takes no dictionaries: their values are repeated.
fn flat(column: ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.as_any_dictionary_opt() {
        Some(dictionary) => take(dictionary.values(), dictionary.keys(), None),
        None => Ok(column),
    }
}

/// A field with the type that [`flat`] gives.
pub(crate) fn flat_field(field: &Field) -> Field {
    match field.data_type() {
        DataType::Dictionary(_, values) => field.clone().with_data_type((**values).clone()),
        _ => field.clone(),
    }
}
