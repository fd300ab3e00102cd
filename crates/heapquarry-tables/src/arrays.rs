//! Compact forms of columns, and their expansion to plain ones.

use crate::Type;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, Int32Array, PrimitiveArray, RunArray,
    StringArray, StringViewArray,
    array::StringArrayType,
    builder::{StringBuilder, StringViewBuilder},
    cast::AsArray,
    new_null_array,
    types::{Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt32Type},
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType};
use std::{collections::HashMap, sync::Arc};

/// One value repeated `rows` times, as a single run.
pub fn constant_i32(value: Option<i32>, rows: usize) -> ArrayRef {
    constant(Arc::new(Int32Array::from(vec![value])), rows)
}

/// Null repeated `rows` times, as a single run.
pub fn nulls(ty: Type, rows: usize) -> ArrayRef {
    let values = match ty {
        Type::Text | Type::Label => DataType::Utf8,
        plain => plain.arrow(),
    };
    constant(new_null_array(&values, 1), rows)
}

/// The only value of `values` repeated `rows` times, as a single run.
fn constant(values: ArrayRef, rows: usize) -> ArrayRef {
    if rows == 0 {
        return runs(Vec::new(), values.slice(0, 0));
    }
    runs(vec![i32::try_from(rows).expect("batches stay below 2^31 rows")], values)
}

/// Runs: value `i` fills the rows from the end of the previous run up to `ends[i]`.
///
/// # Panics
/// If `ends` are not strictly ascending, or not as many as the values.
pub fn runs(ends: impl Into<ScalarBuffer<i32>>, values: ArrayRef) -> ArrayRef {
    let array = RunArray::<Int32Type>::try_new(&Int32Array::new(ends.into(), None), &values);
    Arc::new(array.expect("run ends grow and match their values"))
}

/// Text as keys into `values`, which may be `Utf8`, `LargeUtf8` or `Utf8View`; a null key is a null.
///
/// # Panics
/// If a key is out of range.
pub fn keyed(keys: Int32Array, values: ArrayRef) -> ArrayRef {
    Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).expect("keys are in range"))
}

/// Plain text rows, for small tables.
pub fn text<S: AsRef<str>>(rows: impl IntoIterator<Item = Option<S>>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    rows.into_iter().for_each(|row| builder.append_option(row));
    Arc::new(builder.finish())
}

/// Text rows of which many can share a long one: each text is there once.
pub fn shared_text<'a>(rows: impl IntoIterator<Item = &'a str>) -> ArrayRef {
    let (mut numbers, mut texts) = (HashMap::new(), StringViewBuilder::new());
    let key = |text: &'a str| {
        let next = numbers.len() as i32;
        *numbers.entry(text).or_insert_with(|| {
            texts.append_value(text);
            next
        })
    };
    let keys: Int32Array = rows.into_iter().map(key).map(Some).collect();
    keyed(keys, Arc::new(texts.finish()))
}

/// Plain labels, for small tables.
pub fn labels<'a, S: Into<Option<&'a str>>>(rows: impl IntoIterator<Item = S>) -> ArrayRef {
    Arc::new(rows.into_iter().map(Into::into).collect::<DictionaryArray<Int32Type>>())
}

/// Times in microseconds since 1970.
pub fn timestamps(rows: impl IntoIterator<Item = Option<i64>>) -> ArrayRef {
    let times: PrimitiveArray<TimestampMicrosecondType> = rows.into_iter().collect();
    Arc::new(times.with_timezone("UTC"))
}

/// Whether arrays of type `form` can represent a column of type `ty`: the plain type itself, for INT64 also `UInt32`,
/// for text also dictionary keys, and runs of all these.
pub(crate) fn is_form_of(form: &DataType, ty: Type) -> bool {
    let textual =
        |d: &DataType| matches!(d, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match form {
        DataType::RunEndEncoded(ends, values) => {
            *ends.data_type() == DataType::Int32 && is_form_of(values.data_type(), ty)
        }
        DataType::Dictionary(keys, values) => {
            **keys == DataType::Int32 && textual(values) && matches!(ty, Type::Text | Type::Label)
        }
        plain if textual(plain) => matches!(ty, Type::Text | Type::Label),
        DataType::UInt32 => ty == Type::Int64,
        plain => *plain == ty.arrow(),
    }
}

/// Expands a column to its plain form.
///
/// # Errors
/// If it has more than 2 GiB of text.
pub fn expand(array: &ArrayRef, ty: Type) -> Result<ArrayRef, ArrowError> {
    let plain = match array.data_type() {
        DataType::RunEndEncoded(..) => expand_runs(array.as_run::<Int32Type>())?,
        _ => array.clone(),
    };
    if plain.data_type() == &ty.arrow() {
        return Ok(plain);
    }
    if let Some(numbers) = plain.as_primitive_opt::<UInt32Type>() {
        return Ok(Arc::new(numbers.unary::<_, Int64Type>(i64::from)));
    }
    // Labels too go through plain text: the values may be views, and keys need not be compact.
    let text = expand_text(&plain)?;
    match ty {
        Type::Label => Ok(Arc::new(labels_of(&text))),
        _ => Ok(Arc::new(text)),
    }
}

/// A column of texts as keys into texts, of which several can be equal; a null key is a null. Texts of a dictionary are
/// not copied.
///
/// # Errors
/// If the texts take more than 2 GiB.
///
/// # Panics
/// If the column has no texts.
pub fn indexed(array: &ArrayRef) -> Result<(Int32Array, Texts), ArrowError> {
    let plain = match array.data_type() {
        DataType::RunEndEncoded(..) => expand_runs(array.as_run::<Int32Type>())?,
        _ => array.clone(),
    };
    let Some(array) = plain.as_dictionary_opt::<Int32Type>() else {
        return indexed(&(Arc::new(labels_of(&expand_text(&plain)?)) as ArrayRef));
    };
    let values = array.values();
    let texts = match (values.as_string_opt::<i32>(), values.as_string_view_opt()) {
        (Some(values), _) => Texts::Plain(values.clone()),
        (None, Some(values)) => Texts::Views(values.clone()),
        (None, None) => Texts::Plain(expand_text(values)?),
    };
    Ok((array.keys().clone(), texts))
}

/// The texts of a dictionary.
#[derive(Clone, Debug)]
pub enum Texts {
    /// One after the other.
    Plain(StringArray),
    /// In several buffers.
    Views(StringViewArray),
}

impl Texts {
    /// The text at a position; `None` for a null.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&str> {
        match self {
            Texts::Plain(texts) => texts.is_valid(at).then(|| texts.value(at)),
            Texts::Views(texts) => texts.is_valid(at).then(|| texts.value(at)),
        }
    }

    /// All texts.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        let len = match self {
            Texts::Plain(texts) => texts.len(),
            Texts::Views(texts) => texts.len(),
        };
        (0..len).map(|at| self.get(at))
    }
}

fn labels_of(text: &StringArray) -> DictionaryArray<Int32Type> {
    text.iter().collect()
}

/// The number of bytes of text in a column's plain form; 0 if it holds no text.
pub fn text_bytes(array: &ArrayRef) -> u64 {
    let DataType::RunEndEncoded(..) = array.data_type() else {
        return text_length(array).map_or(0, |length| (0..array.len()).map(length).sum());
    };
    let runs = array.as_run::<Int32Type>();
    let Some(length) = text_length(runs.values()) else { return 0 };
    let (offset, end) = (runs.offset(), runs.offset() + runs.len());
    let ends =
        runs.run_ends().values().iter().map(|&run_end| (run_end as usize).clamp(offset, end));
    let starts = std::iter::once(offset).chain(ends.clone());
    let rows = starts.zip(ends).map(|(start, end)| (end - start) as u64);
    rows.enumerate().map(|(run, rows)| rows.saturating_mul(length(run))).sum()
}

/// The length of a row's text in bytes, in any form but runs; `None` if the column holds no text.
fn text_length<'a>(array: &'a ArrayRef) -> Option<Box<dyn Fn(usize) -> u64 + 'a>> {
    if let Some(array) = array.as_dictionary_opt::<Int32Type>() {
        let (keys, length) = (array.keys(), text_length(array.values())?);
        return Some(Box::new(move |row| match keys.is_valid(row) {
            true => length(keys.value(row) as usize),
            false => 0,
        }));
    }
    Some(match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            Box::new(|row| array.value_length(row) as u64)
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            Box::new(|row| array.value_length(row) as u64)
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            Box::new(|row| array.value(row).len() as u64)
        }
        _ => return None,
    })
}

/// Text in any form but runs. arrow-cast does this too, but takes as long to build as all our own crates.
fn expand_text(array: &ArrayRef) -> Result<StringArray, ArrowError> {
    let (keys, values) = match array.as_dictionary_opt::<Int32Type>() {
        Some(array) => (Some(array.keys()), array.values()),
        None => (None, array),
    };
    match values.data_type() {
        DataType::LargeUtf8 => copy_text(keys, values.as_string::<i64>()),
        DataType::Utf8View => copy_text(keys, values.as_string_view()),
        _ => copy_text(keys, values.as_string::<i32>()),
    }
}

/// The values that `keys` name, without keys all of them.
fn copy_text<'a>(
    keys: Option<&Int32Array>,
    values: impl StringArrayType<'a>,
) -> Result<StringArray, ArrowError> {
    let value = |at: usize| values.is_valid(at).then(|| values.value(at));
    let rows = (0..keys.map_or(values.len(), Array::len)).map(|row| match keys {
        Some(keys) if keys.is_null(row) => None,
        Some(keys) => value(keys.value(row) as usize),
        None => value(row),
    });
    let bytes = rows.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(ArrowError::OffsetOverflowError(bytes));
    }
    let mut builder = StringBuilder::with_capacity(rows.len(), bytes);
    rows.for_each(|row| builder.append_option(row));
    Ok(builder.finish())
}

/// Runs row by row. arrow-select does this too, and brings 0.7 MB of code for types that no column has.
fn expand_runs(array: &RunArray<Int32Type>) -> Result<ArrayRef, ArrowError> {
    let mut rows = Vec::with_capacity(array.len());
    let (offset, end) = (array.offset(), array.offset() + array.len());
    for (run, &run_end) in array.run_ends().values().iter().enumerate() {
        rows.resize((run_end as usize).clamp(offset, end) - offset, run as i32);
    }
    let values = array.values();
    if let Some(values) = values.as_dictionary_opt::<Int32Type>() {
        return Ok(keyed(repeat(values.keys(), &rows), values.values().clone()));
    }
    Ok(match values.data_type() {
        DataType::Int32 => Arc::new(repeat(values.as_primitive::<Int32Type>(), &rows)),
        DataType::Int64 => Arc::new(repeat(values.as_primitive::<Int64Type>(), &rows)),
        DataType::UInt32 => Arc::new(repeat(values.as_primitive::<UInt32Type>(), &rows)),
        DataType::Float64 => Arc::new(repeat(values.as_primitive::<Float64Type>(), &rows)),
        DataType::Timestamp(..) => {
            let times = repeat(values.as_primitive::<TimestampMicrosecondType>(), &rows);
            Arc::new(times.with_data_type(values.data_type().clone()))
        }
        _ => Arc::new(expand_text(&keyed(rows.into(), values.clone()))?),
    })
}

/// The value of a run for each row.
fn repeat<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>, rows: &[i32]) -> PrimitiveArray<T> {
    let value = |&run: &i32| values.is_valid(run as usize).then(|| values.value(run as usize));
    rows.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float64Array, Int64Array, UInt32Array};

    #[test]
    fn every_form_expands_to_the_plain_column() {
        let keys = Int32Array::from(vec![Some(1), None, Some(0)]);
        let utf8: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let view: ArrayRef = Arc::new(arrow_array::StringViewArray::from(vec!["a", "b"]));
        let large: ArrayRef = Arc::new(arrow_array::LargeStringArray::from(vec!["a", "b"]));
        let text = |rows: &[Option<&str>]| -> ArrayRef { text(rows.iter().copied()) };
        let number =
            |rows: [Option<i64>; 3]| -> ArrayRef { Arc::new(Int64Array::from(rows.to_vec())) };
        let two: ArrayRef = Arc::new(Int64Array::from(vec![7, 9]));
        let narrow = |rows: Vec<u32>| -> ArrayRef { Arc::new(UInt32Array::from(rows)) };
        let most = i64::from(u32::MAX);
        let bab = [Some("b"), None, Some("a")];
        for (form, ty, expected) in [
            (keyed(keys.clone(), utf8.clone()), Type::Text, text(&bab)),
            (keyed(keys.clone(), view), Type::Text, text(&bab)),
            (keyed(keys.clone(), large.clone()), Type::Text, text(&bab)),
            (large, Type::Text, text(&[Some("a"), Some("b")])),
            (keyed(keys, utf8), Type::Label, Arc::new(labels_of(text(&bab).as_string()))),
            (nulls(Type::Text, 3), Type::Text, text(&[None; 3])),
            (nulls(Type::Int64, 3), Type::Int64, number([None; 3])),
            (
                runs(vec![2, 5], text(&bab[..2])).slice(1, 3),
                Type::Text,
                text(&[Some("b"), None, None]),
            ),
            (runs(vec![1, 3], two.clone()), Type::Int64, number([Some(7), Some(9), Some(9)])),
            (runs(vec![2, 5], two).slice(1, 3), Type::Int64, number([Some(7), Some(9), Some(9)])),
            (narrow(vec![0, u32::MAX]), Type::Int64, Arc::new(Int64Array::from(vec![0, most]))),
            (
                runs(vec![2], Arc::new(Float64Array::from(vec![0.5]))),
                Type::Float64,
                Arc::new(Float64Array::from(vec![0.5, 0.5])),
            ),
            (
                runs(vec![1, 3], keyed(vec![1, 0].into(), text(&bab[..2]))),
                Type::Text,
                text(&[None, Some("b"), Some("b")]),
            ),
            (
                runs(vec![1, 3], timestamps([Some(5), None])),
                Type::Timestamp,
                timestamps([Some(5), None, None]),
            ),
            (nulls(Type::Timestamp, 2), Type::Timestamp, timestamps([None; 2])),
            (runs(vec![2], narrow(vec![5])), Type::Int64, Arc::new(Int64Array::from(vec![5, 5]))),
            (constant_i32(Some(4), 0), Type::Int32, Arc::new(Int32Array::from(Vec::<i32>::new()))),
        ] {
            assert!(is_form_of(form.data_type(), ty));
            let plain = expand(&form, ty).unwrap();
            assert_eq!(plain.data_type(), &ty.arrow());
            assert_eq!(&plain, &expected);
            if ty == Type::Text {
                let bytes = plain.as_string::<i32>().iter().flatten().map(str::len).sum::<usize>();
                assert_eq!(text_bytes(&form), bytes as u64);
            } else if ty != Type::Label {
                assert_eq!(text_bytes(&form), 0);
            }
        }
    }

    #[test]
    fn more_text_than_a_plain_column_holds_is_an_error() {
        let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1 << 20)]));
        for (rows, fits) in [(16, true), (2048, false)] {
            let form = keyed(vec![0; rows].into(), long.clone());
            assert_eq!(text_bytes(&form), (rows as u64) << 20);
            assert_eq!(expand(&form, Type::Text).is_ok(), fits, "{rows} MiB");
        }
    }

    #[test]
    #[should_panic(expected = "not a form of")]
    fn a_batch_of_other_types_is_refused() {
        crate::JS_HEAP_SAMPLE.batch(vec![
            constant_i32(Some(0), 1),
            nulls(Type::Text, 1),
            nulls(Type::Int64, 1),
        ]);
    }
}
