//! Names of the functions and scripts of locations, which only the heap as a whole tells.

use arrow_array::{
    Array, ArrayRef, Int32Array, RecordBatch, StringArray, cast::AsArray, types::Int32Type,
};
use heapquarry_graph::{Functions, Heap, Original, Place};
use heapquarry_tables::{JS_HEAP_LOCATION, Type, arrays, js_heap_location::POSITIONS};
use std::sync::Arc;

/// Fills in the names of the scripts of locations, and what source maps tell of the places. The rows must have all
/// columns. `texts` are the names of the functions' scripts.
pub fn with_names(
    batch: &RecordBatch,
    heap: &Heap,
    functions: &Functions,
    texts: &ArrayRef,
) -> RecordBatch {
    let numbers = |column: usize| -> Int32Array {
        let numbers = arrays::expand(batch.column(column), Type::Int32).expect("no text");
        numbers.as_primitive::<Int32Type>().clone()
    };
    let ids = numbers(POSITIONS.script_id);
    let name = |id: Option<i32>| functions.script(id?).map(|number| number as i32);
    let names: Int32Array = ids.iter().map(name).collect();
    let mut columns = batch.columns().to_vec();
    columns[POSITIONS.script_name] = text_column(names, texts);
    if heap.has_originals() {
        let [lines, places] = [POSITIONS.line_number, POSITIONS.column_number].map(numbers);
        let original = |((script_id, line), column): ((Option<i32>, _), _)| {
            heap.original_at(Place { script_id: script_id?, line: line?, column: column? })
        };
        let originals: Vec<Option<&Original>> =
            ids.iter().zip(&lines).zip(&places).map(original).collect();
        let text = |of: fn(&Original) -> Option<&str>| {
            arrays::text(originals.iter().map(|original| original.and_then(of)))
        };
        let number = |of: fn(&Original) -> i64| -> ArrayRef {
            let from_zero = |original: &&Original| i32::try_from(of(original) - 1).ok();
            let numbers = originals.iter().map(|original| original.as_ref().and_then(from_zero));
            Arc::new(numbers.collect::<Int32Array>())
        };
        columns[POSITIONS.original_name] = text(|original| original.name.as_deref());
        columns[POSITIONS.original_source] = text(|original| Some(&original.source));
        columns[POSITIONS.original_line] = number(|original| original.line);
        columns[POSITIONS.original_column] = number(|original| original.column);
    }
    JS_HEAP_LOCATION.batch(columns)
}

/// A column of keys into the texts.
pub(super) fn text_column(keys: Int32Array, texts: &ArrayRef) -> ArrayRef {
    if keys.null_count() == keys.len() {
        return arrays::nulls(Type::Text, keys.len());
    }
    arrays::keyed(keys, texts.clone())
}

/// The texts that keys of functions and scripts refer to.
pub fn texts(functions: &Functions) -> ArrayRef {
    Arc::new(functions.texts().iter().map(Some).collect::<StringArray>())
}
