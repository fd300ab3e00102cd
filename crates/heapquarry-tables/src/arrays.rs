//! The compact forms of columns, and the way back to plain ones.

use crate::Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RunArray, StringArray,
    builder::StringBuilder, cast::AsArray, new_null_array, types::Int32Type,
};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

/// `rows` times one value, as a single run.
pub fn constant_i32(value: Option<i32>, rows: usize) -> ArrayRef {
    constant(Arc::new(Int32Array::from(vec![value])), rows)
}

/// `rows` times null, as a single run.
pub fn nulls(ty: Type, rows: usize) -> ArrayRef {
    let values = match ty {
        Type::Text | Type::Label => DataType::Utf8,
        plain => plain.arrow(),
    };
    constant(new_null_array(&values, 1), rows)
}

/// `rows` times the only value of `values`, as a single run.
fn constant(values: ArrayRef, rows: usize) -> ArrayRef {
    if rows == 0 {
        return runs(Vec::new(), values.slice(0, 0));
    }
    runs(vec![i32::try_from(rows).expect("batches stay below 2^31 rows")], values)
}

/// Runs: value `i` stands in all rows from the end of the run before to `ends[i]`.
///
/// # Panics
/// If `ends` do not grow or are not as many as the values.
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

/// Plain labels, for small tables.
pub fn labels<'a>(rows: impl IntoIterator<Item = &'a str>) -> ArrayRef {
    Arc::new(rows.into_iter().collect::<DictionaryArray<Int32Type>>())
}

/// Whether arrays of type `form` can stand for a column of type `ty`: the plain type itself, for INT64 also
/// `UInt32`, for text also keys, and runs of all these.
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

/// A column in its plain form.
///
/// # Errors
/// If it is more than 2 GiB of text.
pub fn expand(array: &ArrayRef, ty: Type) -> Result<ArrayRef, ArrowError> {
    let plain = match array.data_type() {
        DataType::RunEndEncoded(..) => expand_runs(array.as_run::<Int32Type>())?,
        _ => array.clone(),
    };
    if plain.data_type() == &ty.arrow() {
        return Ok(plain);
    }
    if plain.data_type() == &DataType::UInt32 {
        return arrow_cast::cast(&plain, &DataType::Int64);
    }
    // Through plain text: the values may be views, and keys need not be compact.
    let text = arrow_cast::cast(&plain, &DataType::Utf8)?;
    match ty {
        Type::Label => Ok(labels_of(text.as_string())),
        _ => Ok(text),
    }
}

fn labels_of(text: &StringArray) -> ArrayRef {
    Arc::new(text.iter().collect::<DictionaryArray<Int32Type>>())
}

fn expand_runs(array: &RunArray<Int32Type>) -> Result<ArrayRef, ArrowError> {
    let mut rows = Vec::with_capacity(array.len());
    let (offset, end) = (array.offset(), array.offset() + array.len());
    for (run, &run_end) in array.run_ends().values().iter().enumerate() {
        rows.resize((run_end as usize).clamp(offset, end) - offset, run as i64);
    }
    arrow_select::take::take(array.values(), &Int64Array::from(rows), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::UInt32Array;

    #[test]
    fn every_form_expands_to_the_plain_column() {
        let keys = Int32Array::from(vec![Some(1), None, Some(0)]);
        let utf8: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let view: ArrayRef = Arc::new(arrow_array::StringViewArray::from(vec!["a", "b"]));
        let large: ArrayRef = Arc::new(arrow_array::LargeStringArray::from(vec!["a", "b"]));
        let text = |rows: [Option<&str>; 3]| -> ArrayRef { text(rows) };
        let number =
            |rows: [Option<i64>; 3]| -> ArrayRef { Arc::new(Int64Array::from(rows.to_vec())) };
        let two: ArrayRef = Arc::new(Int64Array::from(vec![7, 9]));
        let narrow = |rows: Vec<u32>| -> ArrayRef { Arc::new(UInt32Array::from(rows)) };
        let most = i64::from(u32::MAX);
        let bab = [Some("b"), None, Some("a")];
        for (form, ty, expected) in [
            (keyed(keys.clone(), utf8.clone()), Type::Text, text(bab)),
            (keyed(keys.clone(), view), Type::Text, text(bab)),
            (keyed(keys.clone(), large), Type::Text, text(bab)),
            (keyed(keys, utf8), Type::Label, Arc::new(labels_of(text(bab).as_string()))),
            (nulls(Type::Text, 3), Type::Text, text([None; 3])),
            (nulls(Type::Int64, 3), Type::Int64, number([None; 3])),
            (runs(vec![1, 3], two.clone()), Type::Int64, number([Some(7), Some(9), Some(9)])),
            (runs(vec![2, 5], two).slice(1, 3), Type::Int64, number([Some(7), Some(9), Some(9)])),
            (narrow(vec![0, u32::MAX]), Type::Int64, Arc::new(Int64Array::from(vec![0, most]))),
            (runs(vec![2], narrow(vec![5])), Type::Int64, Arc::new(Int64Array::from(vec![5, 5]))),
            (constant_i32(Some(4), 0), Type::Int32, Arc::new(Int32Array::from(Vec::<i32>::new()))),
        ] {
            assert!(is_form_of(form.data_type(), ty));
            let plain = expand(&form, ty).unwrap();
            let texts = |a: &ArrayRef| arrow_cast::cast(a, &DataType::Utf8).unwrap();
            assert_eq!(plain.data_type(), &ty.arrow());
            assert_eq!(&texts(&plain), &texts(&expected));
        }
    }

    #[test]
    #[should_panic(expected = "no form of")]
    fn a_batch_of_other_types_is_refused() {
        crate::JS_HEAP_SAMPLE.batch(vec![
            constant_i32(Some(0), 1),
            nulls(Type::Text, 1),
            nulls(Type::Int64, 1),
        ]);
    }
}
