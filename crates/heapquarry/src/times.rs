//! Times that only a container declares: they are added to the rows of its documents.

use arrow_array::{Array, Int64Array, RecordBatch, cast::AsArray};
use heapquarry_input::Times;
use heapquarry_tables::{JS_CPU_PROFILER_FILES, JS_HEAP_FILES, Table};
use std::sync::Arc;

/// Adds the times of its document to a batch, if its table has such columns.
pub(crate) fn put(table: &'static Table, batch: RecordBatch, times: &Times) -> RecordBatch {
    let (start, end) = if *table == JS_HEAP_FILES {
        (times.start, times.end)
    } else if *table == JS_CPU_PROFILER_FILES && times.to_boottime.is_some() {
        // The profile's own times are on another clock.
        let plain = table.expand(&batch).expect("one row");
        let in_boottime = |name: &str| {
            let column: &Int64Array =
                plain.column(table.column(name).expect("it is declared")).as_primitive();
            let own = (!column.is_empty() && column.is_valid(0)).then(|| column.value(0))?;
            own.checked_mul(1000)?.checked_add(times.to_boottime?)
        };
        (in_boottime("start_time_us"), in_boottime("end_time_us"))
    } else {
        return batch;
    };
    let mut columns = batch.columns().to_vec();
    for (name, time) in [("start_time_ns", start), ("end_time_ns", end)] {
        let column = table.column(name).expect("it is declared");
        columns[column] = Arc::new(Int64Array::from(vec![time; batch.num_rows()]));
    }
    table.batch(columns)
}
