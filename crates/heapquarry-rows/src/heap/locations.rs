//! Names of the functions and scripts of locations, which only the heap as a whole tells.

use arrow_array::{
    Array, ArrayRef, Int32Array, RecordBatch, StringArray, cast::AsArray, types::Int32Type,
};
use heapquarry_graph::Functions;
use heapquarry_tables::{JS_HEAP_LOCATION, Type, arrays, js_heap_location::POSITIONS};
use std::sync::Arc;

/// Fills in the script names of locations, which must have all columns. `texts` are the names of the functions'
/// scripts.
pub fn with_script_names(
    batch: &RecordBatch,
    functions: &Functions,
    texts: &ArrayRef,
) -> RecordBatch {
    let ids = arrays::expand(batch.column(POSITIONS.script_id), Type::Int32).expect("no text");
    let ids = ids.as_primitive::<Int32Type>();
    let name = |id: Option<i32>| functions.script(id?).map(|number| number as i32);
    let names: Int32Array = ids.iter().map(name).collect();
    let mut columns = batch.columns().to_vec();
    columns[POSITIONS.script_name] = text_column(names, texts);
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
