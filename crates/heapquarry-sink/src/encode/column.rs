//! Selects the encoder of a column, by its form and its shape.

use super::{
    Scratch, TextPages,
    bounds::{Bounds, TextBounds},
    chunk::{Chunk, ChunkWriter},
    constant, delta, float,
    int::{self, Int},
    integer, label, reference, runs, sequence,
    text::{self, Texts},
};
use crate::Error;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, PrimitiveArray, RunArray,
    cast::AsArray,
    types::{Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt32Type},
};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_schema::DataType;
use heapquarry_tables::{Shape, Type, arrays};
use parquet::errors::ParquetError;

/// Encodes one column of a row group.
pub(super) struct ColumnEncoder<'a> {
    pub(super) scratch: &'a mut Scratch,
    pub(super) chunk: ChunkWriter<'a>,
}

impl ColumnEncoder<'_> {
    /// Encodes a column with at least one row, in any form.
    pub(super) fn encode(self, array: &ArrayRef) -> Result<Chunk, Error> {
        let ty = self.chunk.column().ty;
        // Otherwise the pages would not match the schema of the file.
        assert!(holds(array.data_type(), ty), "{:?} is no form of {ty:?}", array.data_type());
        match array.data_type() {
            DataType::Int32 => self.ints(array.as_primitive::<Int32Type>()),
            DataType::Int64 => self.ints(array.as_primitive::<Int64Type>()),
            DataType::UInt32 => self.ints(array.as_primitive::<UInt32Type>()),
            DataType::Float64 => self.floats(array.as_primitive()),
            DataType::Timestamp(..) => self.ints(array.as_primitive::<TimestampMicrosecondType>()),
            DataType::Utf8 if ty == Type::Text => {
                self.texts(array.as_string::<i32>(), array.nulls())
            }
            DataType::LargeUtf8 if ty == Type::Text => {
                self.texts(array.as_string::<i64>(), array.nulls())
            }
            DataType::Utf8View if ty == Type::Text => {
                self.texts(array.as_string_view(), array.nulls())
            }
            DataType::Dictionary(..) => self.keys(array.as_dictionary()),
            DataType::RunEndEncoded(..) => self.runs(array.as_run(), array),
            _ => self.expanded(array),
        }
    }

    /// Encodes the plain form, for forms without an encoder of their own.
    fn expanded(self, array: &ArrayRef) -> Result<Chunk, Error> {
        let plain = arrays::expand(array, self.chunk.column().ty).map_err(ParquetError::from)?;
        self.encode(&plain)
    }

    fn ints<P>(self, array: &PrimitiveArray<P>) -> Result<Chunk, Error>
    where
        P: ArrowPrimitiveType<Native: Int>,
    {
        let ColumnEncoder { scratch, chunk: mut writer } = self;
        let chunk = &mut writer;
        let rows = chunk.rows(array.len(), array.nulls())?;
        let mut compact = Vec::new();
        let values = rows.compact(array.values(), &mut compact);
        match chunk.column().shape {
            _ if values.is_empty() => constant::nulls(chunk, &rows)?,
            Shape::Ascending => delta::encode(chunk, &rows, values)?,
            Shape::Sequence => sequence::encode(chunk, &rows, values)?,
            Shape::Reference => reference::encode(chunk, &rows, values)?,
            Shape::Constant
            | Shape::Number
            | Shape::LocalReference
            | Shape::Label
            | Shape::Text => integer::encode(scratch, chunk, &rows, values)?,
        }
        writer.finish(&rows)
    }

    fn floats(self, array: &PrimitiveArray<Float64Type>) -> Result<Chunk, Error> {
        let mut chunk = self.chunk;
        let rows = chunk.rows(array.len(), array.nulls())?;
        let mut compact = Vec::new();
        let values = rows.compact(array.values(), &mut compact);
        match values.is_empty() {
            true => constant::nulls(&mut chunk, &rows)?,
            false => float::encode(&mut chunk, &rows, values)?,
        }
        chunk.finish(&rows)
    }

    fn texts<V: Texts>(self, array: &V, nulls: Option<&NullBuffer>) -> Result<Chunk, Error> {
        let mut chunk = self.chunk;
        let rows = chunk.rows(array.count(), nulls)?;
        text::rows(&mut chunk, &rows, array)?;
        chunk.finish(&rows)
    }

    fn keys(self, array: &DictionaryArray<Int32Type>) -> Result<Chunk, Error> {
        let nulls = array.logical_nulls();
        self.keyed(array.keys().values(), nulls.as_ref(), array.values())
    }

    /// Text or labels, as keys into `values`.
    fn keyed(
        self,
        keys: &[i32],
        nulls: Option<&NullBuffer>,
        values: &ArrayRef,
    ) -> Result<Chunk, Error> {
        match values.data_type() {
            DataType::Utf8View => self.keyed_texts(keys, nulls, values.as_string_view()),
            DataType::LargeUtf8 => self.keyed_texts(keys, nulls, values.as_string::<i64>()),
            _ => self.keyed_texts(keys, nulls, values.as_string::<i32>()),
        }
    }

    fn keyed_texts<V: Texts>(
        self,
        keys: &[i32],
        nulls: Option<&NullBuffer>,
        values: &V,
    ) -> Result<Chunk, Error> {
        let ColumnEncoder { scratch, mut chunk } = self;
        let rows = chunk.rows(keys.len(), nulls)?;
        let mut compact = std::mem::take(&mut scratch.keys);
        let present = rows.compact(keys, &mut compact);
        let mut by_dictionary = None;
        match chunk.column().ty {
            _ if present.is_empty() => constant::nulls(&mut chunk, &rows)?,
            Type::Label => label::encode(scratch, &mut chunk, &rows, present, values)?,
            _ => by_dictionary = text::keyed(scratch, &mut chunk, &rows, present, values)?,
        }
        scratch.keys = compact;
        let nullable = chunk.column().nullable;
        if let Some(dictionary) = by_dictionary {
            let nulls = nulls.filter(|nulls| nulls.null_count() > 0).cloned();
            let (keys, pages) = (int::address_range(keys), chunk.pages());
            scratch.text_pages = Some(TextPages { nullable, nulls, keys, dictionary, pages });
        }
        chunk.finish(&rows)
    }

    fn runs(self, array: &RunArray<Int32Type>, whole: &ArrayRef) -> Result<Chunk, Error> {
        let values = array.values_slice();
        let ends = || array.run_ends().sliced_values().map(|end| end as usize);
        match values.data_type() {
            DataType::RunEndEncoded(..) => self.expanded(whole),
            DataType::Float64 if values.null_count() == 0 => self.expanded(whole),
            DataType::Timestamp(..) => self.expanded(whole),
            _ if values.len() == 1 => self.constant(array.len(), &values),
            DataType::Int32 => self.int_runs(ends(), values.as_primitive::<Int32Type>()),
            DataType::Int64 => self.int_runs(ends(), values.as_primitive::<Int64Type>()),
            DataType::UInt32 => self.int_runs(ends(), values.as_primitive::<UInt32Type>()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                self.text_runs(ends(), &values)
            }
            _ => self.expanded(whole),
        }
    }

    /// All rows have the only value of `value`.
    fn constant(self, len: usize, value: &ArrayRef) -> Result<Chunk, Error> {
        let mut chunk = self.chunk;
        if value.logical_null_count() == 1 {
            let rows = chunk.null_rows(len)?;
            constant::nulls(&mut chunk, &rows)?;
            return chunk.finish(&rows);
        }
        let (plain, bounds) = match value.data_type() {
            DataType::Int32 => one_int(value.as_primitive::<Int32Type>().value(0)),
            DataType::Int64 => one_int(value.as_primitive::<Int64Type>().value(0)),
            DataType::UInt32 => one_int(value.as_primitive::<UInt32Type>().value(0)),
            DataType::Utf8View => one_text(value.as_string_view().value(0)),
            DataType::LargeUtf8 => one_text(value.as_string::<i64>().value(0)),
            DataType::Utf8 => one_text(value.as_string::<i32>().value(0)),
            _ => {
                let key = value.as_dictionary::<Int32Type>();
                let value = key.values().slice(key.keys().value(0) as usize, 1);
                return ColumnEncoder { chunk, ..self }.constant(len, &value);
            }
        };
        let rows = chunk.rows(len, None)?;
        constant::encode(&mut chunk, &rows, &plain, &bounds)?;
        chunk.finish(&rows)
    }

    fn int_runs<P>(
        self,
        ends: impl Iterator<Item = usize>,
        values: &PrimitiveArray<P>,
    ) -> Result<Chunk, Error>
    where
        P: ArrowPrimitiveType<Native: Int>,
    {
        let mut chunk = self.chunk;
        let Some(nulls) = values.nulls().filter(|nulls| nulls.null_count() > 0) else {
            let ends: Vec<usize> = ends.collect();
            let rows = chunk.rows(ends.last().copied().unwrap_or(0), None)?;
            runs::encode(&mut chunk, &rows, &ends, values.values())?;
            return chunk.finish(&rows);
        };
        let (mut valid, mut ends_of_values, mut values_of_runs) =
            (BooleanBufferBuilder::new(0), Vec::new(), Vec::new());
        let (mut start, mut count) = (0, 0);
        for (run, end) in ends.enumerate() {
            valid.append_n(end - start, nulls.is_valid(run));
            if nulls.is_valid(run) {
                count += end - start;
                ends_of_values.push(count);
                values_of_runs.push(values.value(run));
            }
            start = end;
        }
        let nulls = NullBuffer::new(valid.finish());
        let rows = chunk.rows(start, Some(&nulls))?;
        match values_of_runs.is_empty() {
            true => constant::nulls(&mut chunk, &rows)?,
            false => runs::encode(&mut chunk, &rows, &ends_of_values, &values_of_runs)?,
        }
        chunk.finish(&rows)
    }

    /// Uses the number of each row's run as key.
    fn text_runs(
        self,
        ends: impl Iterator<Item = usize>,
        values: &ArrayRef,
    ) -> Result<Chunk, Error> {
        let mut keys = Vec::new();
        for (run, end) in ends.enumerate() {
            keys.resize(end, run as i32);
        }
        let nulls = values.nulls().map(|nulls| {
            NullBuffer::from_iter(keys.iter().map(|&run| nulls.is_valid(run as usize)))
        });
        self.keyed(&keys, nulls.as_ref(), values)
    }
}

/// Whether an array of type `form` has values of type `ty`.
fn holds(form: &DataType, ty: Type) -> bool {
    match form {
        DataType::RunEndEncoded(_, values) => holds(values.data_type(), ty),
        DataType::Dictionary(_, values) => holds(values, ty),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            matches!(ty, Type::Text | Type::Label)
        }
        DataType::UInt32 => ty == Type::Int64,
        plain => *plain == ty.arrow(),
    }
}

/// An integer in plain encoding, with its bounds.
fn one_int<T: Int>(value: T) -> (Vec<u8>, Bounds) {
    let mut plain = Vec::new();
    int::plain(&mut plain, &[value]);
    (plain, int::bounds(&[value]))
}

/// A text in plain encoding, with its bounds.
fn one_text(value: &str) -> (Vec<u8>, Bounds) {
    let (mut plain, mut bounds) = (Vec::new(), TextBounds::default());
    text::plain(&mut plain, value.as_bytes());
    bounds.add(value.as_bytes());
    (plain, bounds.finish())
}
