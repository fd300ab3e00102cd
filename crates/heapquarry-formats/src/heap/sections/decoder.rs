//! Turns the records of a section into rows.

use crate::{
    Log,
    heap::{
        context::Context,
        fields::{Field, FieldList, Fields},
        header::Enumeration,
        records::{self, Column, Records, Value, ValueLocator},
        side_output::SideOutput,
    },
};
use arrow_array::{ArrayRef, RecordBatch};
use heapquarry_tables::{Columns, pool::Pool};

/// Decodes the records of one section.
///
/// The methods with a `T` return `None` if a value does not fit it. They are called with `u32` first, which suffices
/// for nearly all tasks of nearly all files, and then with `i64`, which represents every value.
pub(crate) trait Decode {
    /// The fields of its records.
    const FIELDS: FieldList;

    /// Reserves memory for the columns of the analysis. `most` is the maximum number of records in the section.
    fn reserve(_context: &Context, _most: u64) {}

    /// Whether the side output is needed.
    fn has_side_output(_context: &Context) -> bool {
        false
    }

    /// The rows and the side output.
    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)>;

    /// The side output alone, if nobody wants the rows.
    fn decode_side_output<T: Value>(task: &mut RecordTask<'_>) -> Option<SideOutput> {
        Self::decode::<T>(task).map(|(_, side_output)| side_output)
    }
}

/// A [`Decode`] as a value.
#[derive(Debug)]
pub(crate) struct RecordDecoder {
    pub(crate) fields: &'static FieldList,
    pub(crate) reserve: fn(&Context, u64),
    pub(crate) has_side_output: fn(&Context) -> bool,
    pub(crate) decode: fn(RecordTask<'_>) -> (RecordBatch, SideOutput),
    pub(crate) decode_side_output: fn(RecordTask<'_>) -> SideOutput,
}

impl RecordDecoder {
    pub(crate) const fn of<D: Decode>() -> Self {
        RecordDecoder {
            fields: const { &D::FIELDS },
            reserve: D::reserve,
            has_side_output: D::has_side_output,
            decode: |mut task| {
                let narrow = D::decode::<u32>(&mut task);
                narrow.or_else(|| D::decode::<i64>(&mut task)).expect("64 bits hold every value")
            },
            decode_side_output: |mut task| {
                let narrow = D::decode_side_output::<u32>(&mut task);
                narrow
                    .or_else(|| D::decode_side_output::<i64>(&mut task))
                    .expect("64 bits hold every value")
            },
        }
    }
}

/// Claimed records and the means to decode them.
pub(crate) struct RecordTask<'a> {
    pub(crate) context: &'a Context,
    /// The fields that the records have in this file.
    pub(crate) fields: &'a Fields,
    pub(crate) records: Records,
    pub(crate) bytes: &'a [u8],
    pub(crate) pool: &'a Pool<u32>,
    pub(crate) log: &'a mut Log,
    /// The wanted columns of its table. Others need not be decoded.
    pub(crate) columns: Columns,
}

impl<'a> RecordTask<'a> {
    /// Reads some fields; `None` if a value does not fit a `T`.
    pub(crate) fn read<T: Value, const N: usize>(
        &mut self,
        wanted: &[Field; N],
    ) -> Option<[Column<T>; N]> {
        records::read(self.bytes, self.records, self.fields, wanted, self.pool, self.log)
    }

    /// Locates the values of a field.
    pub(crate) fn locator(&self, field: &str) -> ValueLocator<'a> {
        let field = self.fields.position(field).unwrap_or(0);
        ValueLocator { bytes: self.bytes, records: self.records, field }
    }

    /// The column `file_id`.
    pub(crate) fn file_id(&self) -> ArrayRef {
        self.context.file_id.column(self.records.rows)
    }

    /// The positions of the records in their section, as a column.
    pub(crate) fn positions(&self) -> ArrayRef {
        records::sequence(self.records.first, self.records.rows, self.pool)
    }

    /// The values of a field as an INT64 column.
    pub(crate) fn int64<T: Value>(&self, column: Column<T>) -> ArrayRef {
        column.int64(self.records.rows, self.pool)
    }

    /// The values of a field as an INT32 column. Values that do not fit become null and are logged.
    pub(crate) fn int32<T: Value>(&mut self, column: Column<T>, field: &str) -> ArrayRef {
        let locator = self.locator(field);
        column.int32(self.records.rows, locator, self.pool, self.log)
    }

    /// The values of the field `type` as names of the file's enumeration.
    pub(crate) fn labels<T: Value>(&mut self, kind: Column<T>, types: &Enumeration) -> ArrayRef {
        let locator = self.locator("type");
        records::labels(kind, types, self.records.rows, locator, self.pool, self.log)
    }
}
