//! Every heapquarry table, declared once.
//!
//! A [`Table`] is a name, a sentence of documentation and its [`Column`]s. This one declaration determines the Arrow
//! schema ([`Table::schema`]), the Parquet files, `docs/schema.md`, `heapquarry schema` ([`render`]) and the column
//! encoders of the Parquet sink ([`Shape`]).
//!
//! Rows are passed on as Arrow record batches in **compact form**: a constant column is one run, a text column is
//! dictionary keys into the snapshot's own strings, an INT64 column whose numbers fit is `UInt32`, a column that the
//! file does not have is one run of null. [`Table::expand`] turns such a batch into the plain schema that users see.
//! Each table has a module of its name, in which a batch is made of an array for each column, by name.
//!
//! ```
//! use heapquarry_tables::{JS_HEAP_SAMPLE, arrays, js_heap_sample};
//! use std::sync::Arc;
//!
//! let batch = js_heap_sample::Columns {
//!     file_id: arrays::constant_i32(Some(0), 2),
//!     timestamp_us: Arc::new(arrow_array::Int64Array::from(vec![0, 50_000])),
//!     last_assigned_id: Arc::new(arrow_array::Int64Array::from(vec![17, 42_571])),
//! }
//! .into_batch();
//! let plain = JS_HEAP_SAMPLE.expand(&batch).unwrap();
//! assert_eq!(plain.schema(), JS_HEAP_SAMPLE.schema());
//! ```
//!
//! Types for passing rows between threads are here too, because all crates that make or take batches use them: [`pool`]
//! reuses their memory, [`Reorder`] restores their order, [`sync`] is for locks. [`log`] collects the rows of
//! `import_log`.
//!
//! This crate knows nothing of input formats, files or Parquet.
#![forbid(unsafe_code)]

mod analysis;
pub mod arrays;
mod batch;
mod byte_offset;
mod common;
mod declare;
pub mod fallible;
mod file_id;
mod ftrace;
mod htrace;
mod join;
mod js_cpu_profiler;
mod js_heap;
mod js_heap_diff;
mod js_heap_sampling;
mod js_profile_diff;
pub mod log;
mod memory;
pub mod pool;
mod pprof;
mod projection;
pub mod render;
mod reorder;
mod self_profile;
mod timeline;
mod trace;
mod trace_diff;
mod unit;
mod watch;

pub use analysis::*;
pub use batch::*;
pub use byte_offset::ByteOffset;
pub use common::*;
pub use file_id::{FILE_ID, FileId};
pub use ftrace::*;
pub use heapquarry_base::sync;
pub use htrace::*;
pub use join::Join;
pub use js_cpu_profiler::*;
pub use js_heap::*;
pub use js_heap_diff::*;
pub use js_heap_sampling::*;
pub use js_profile_diff::*;
pub use memory::*;
pub use pprof::*;
pub use projection::{Columns, Projection};
pub use reorder::Reorder;
pub use self_profile::*;
pub use timeline::*;
pub use trace::*;
pub use trace_diff::*;
pub use unit::{Time, Unit};
pub use watch::*;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use std::sync::{Arc, OnceLock};

/// Version of the table schemas, written to every file. It is incremented when a column or table is added. Columns
/// never change their name, type or meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// All tables, in the order in which they are documented.
pub fn all() -> impl Iterator<Item = &'static Table> {
    let groups: [&'static [&'static Table]; 18] = [
        &JS_HEAP_TABLES,
        &JS_HEAP_ANALYSIS_TABLES,
        &JS_HEAP_DIFF_TABLES,
        &JS_CPU_PROFILER_TABLES,
        &JS_HEAP_SAMPLING_TABLES,
        &SELF_PROFILE_TABLES,
        &PPROF_TABLES,
        &JS_PROFILE_DIFF_TABLES,
        &TRACE_TABLES,
        &TIMELINE_TABLES,
        &MEMORY_TABLES,
        &FTRACE_TABLES,
        &TRACE_DIFF_TABLES,
        &HTRACE_TABLES,
        &DEVTOOLS_TABLES,
        &PROCESS_TABLES,
        &ISOLATE_TABLES,
        &BATCH_TABLES,
    ];
    [&SOURCE, &IMPORT_LOG].into_iter().chain(groups.into_iter().flatten().copied())
}

/// The table of that name.
pub fn by_name(name: &str) -> Option<&'static Table> {
    all().find(|table| table.name == name)
}

/// A table: its name, its columns and what it holds.
pub struct Table {
    /// Name of the table and stem of its file.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// The columns, in file order.
    pub columns: &'static [Column],
    schema: OnceLock<SchemaRef>,
}

/// A column of a [`Table`].
pub struct Column {
    /// Name: lower snake case, never a word that DuckDB requires to be quoted.
    pub name: &'static str,
    /// Logical type, as users see it.
    pub ty: Type,
    /// Whether values can be NULL.
    pub nullable: bool,
    /// Distribution of the values, for the encoder.
    pub shape: Shape,
    /// Unit of its numbers; `None` for text, counts, ids and positions, and where it differs from row to row.
    pub unit: Option<Unit>,
    /// What its times are; `None` for times on the clock of the file, for durations, and for all other columns.
    pub time: Option<Time>,
    /// Meaning, unit and range.
    pub doc: &'static str,
}

/// The logical types that heapquarry writes: types that DuckDB, pandas and Spark read alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Signed 32-bit integer.
    Int32,
    /// Signed 64-bit integer.
    Int64,
    /// Floating-point number of 64 bits.
    Float64,
    /// Point in time in UTC, to the microsecond.
    Timestamp,
    /// UTF-8 text.
    Text,
    /// UTF-8 text from a small enumeration: a dictionary in Arrow, `category` in pandas.
    Label,
}

/// How the values of a column are usually distributed. The sink selects the encoder by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value for a whole file.
    Constant,
    /// Consecutive numbers, counting up by one.
    Sequence,
    /// Mostly ascending numbers: ids, time stamps, owners in runs.
    Ascending,
    /// Values of a small enumeration.
    Label,
    /// Numbers with many repetitions: sizes, counts, string indices, line numbers.
    Number,
    /// References to any row, with few repetitions nearby.
    Reference,
    /// References to any row, most of them to the same rows as references nearby.
    LocalReference,
    /// Text.
    Text,
}

impl Type {
    /// The Arrow type.
    pub fn arrow(self) -> DataType {
        match self {
            Type::Int32 => DataType::Int32,
            Type::Int64 => DataType::Int64,
            Type::Float64 => DataType::Float64,
            Type::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Type::Text => DataType::Utf8,
            Type::Label => {
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
            }
        }
    }
}

impl Table {
    /// The maximum number of columns of a table: the bits of [`Columns`].
    pub const MAX_COLUMNS: usize = 64;

    /// Declares a table; `const`, so that tables can be statics.
    const fn new(name: &'static str, doc: &'static str, columns: &'static [Column]) -> Self {
        assert!(columns.len() <= Self::MAX_COLUMNS);
        Table { name, doc, columns, schema: OnceLock::new() }
    }

    /// The plain Arrow schema, which readers of the files see.
    pub fn schema(&self) -> SchemaRef {
        self.schema
            .get_or_init(|| {
                let fields = self.columns.iter();
                Arc::new(Schema::new(
                    fields
                        .map(|c| Field::new(c.name, c.ty.arrow(), c.nullable))
                        .collect::<Vec<_>>(),
                ))
            })
            .clone()
    }

    /// Position of the column of that name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// A batch in compact form: one array for each column, in order, each of the column's type or a run-end
    /// or dictionary form of it (see [`arrays`]). For code that is the same for all tables: where the table is known,
    /// the module of its name takes the columns by name.
    ///
    /// # Panics
    /// If there is not one array per column, or if an array has another length or type, or has nulls in a non-nullable
    /// column. Only our own decoders make batches, so this is a programming error.
    pub fn batch(&self, arrays: Vec<ArrayRef>) -> RecordBatch {
        self.batch_of(arrays.into_iter().map(Some).collect())
    }

    /// A batch of some of the columns, in their order: arrays of the columns that are `None` were not wanted.
    ///
    /// # Panics
    /// If the arrays do not fit the columns, as [`Table::batch`] says.
    pub fn batch_of(&self, arrays: Vec<Option<ArrayRef>>) -> RecordBatch {
        assert_eq!(arrays.len(), self.columns.len(), "{}: number of columns", self.name);
        let rows = arrays.iter().flatten().next().map_or(0, |array| array.len());
        let columns = self.columns.iter().zip(arrays);
        let columns = columns.filter_map(|(column, array)| Some((column, array?)));
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
            .map(|(column, array)| {
                assert!(
                    arrays::is_form_of(array.data_type(), column.ty),
                    "{}.{}: {:?} is not a form of {:?}",
                    self.name,
                    column.name,
                    array.data_type(),
                    column.ty
                );
                let ty = array.data_type().clone();
                (Field::new(column.name, ty, column.nullable), array)
            })
            .unzip();
        let schema = Arc::new(Schema::new(fields));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, arrays, &options)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// The plain Arrow schema of some of the columns.
    pub fn schema_of(&self, columns: Columns) -> SchemaRef {
        if columns.is_all_of(self) {
            return self.schema();
        }
        let positions: Vec<usize> = columns.of(self).collect();
        Arc::new(self.schema().project(&positions).expect("positions of columns"))
    }

    /// The columns that a batch of this table has.
    ///
    /// # Panics
    /// If it has a column that the table does not have.
    pub fn columns_of(&self, batch: &RecordBatch) -> Columns {
        if batch.num_columns() == self.columns.len() {
            return Columns::ALL;
        }
        let schema = batch.schema_ref();
        let position = |name: &str| self.column(name).expect("a column of this table");
        let names = schema.fields().iter().map(|field| position(field.name()));
        names.fold(Columns::NONE, Columns::with)
    }

    /// The rows of a batch in the plain schema: runs and text keys are expanded. A batch of some of the columns keeps
    /// these columns.
    ///
    /// # Errors
    /// If a text column has more than 2 GiB of text in one batch.
    pub fn expand(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let present = self.columns_of(batch);
        let columns = present.of(self).map(|at| &self.columns[at]).zip(batch.columns());
        let columns =
            columns.map(|(c, array)| arrays::expand(array, c.ty)).collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema_of(present), columns, &options)
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({})", self.name)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
impl Eq for Table {}
impl std::hash::Hash for Table {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_quoting_and_file_id_comes_first() {
        // Reserved words of DuckDB that could name a column, tried in DuckDB 1.4 and 2.0.
        let reserved = [
            "from", "to", "end", "order", "group", "column", "offset", "table", "limit", "overlaps",
        ];
        for table in all() {
            assert_eq!(table.columns[0].name, "file_id", "{}", table.name);
            let mut seen = std::collections::HashSet::new();
            for c in table.columns {
                assert!(seen.insert(c.name), "{}.{} twice", table.name, c.name);
                assert!(!reserved.contains(&c.name), "{}.{}", table.name, c.name);
                assert!(
                    c.name
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit())
                );
                assert!(c.doc.ends_with('.'), "{}.{}: {}", table.name, c.name, c.doc);
            }
        }
    }

    #[test]
    fn tables_are_found_by_name() {
        for table in all() {
            assert_eq!(by_name(table.name), Some(table));
        }
        assert_eq!(by_name("js_heap"), None);
    }
}
