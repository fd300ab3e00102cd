//! The `samples` section: rows of `js_heap_sample`.

use super::{Decode, RecordTask};
use crate::heap::{
    fields::{Field, FieldList},
    records::Value,
    side_output::SideOutput,
};
use arrow_array::RecordBatch;
use heapquarry_tables::js_heap_sample;

const FIELDS: [Field; 2] = [Field::required("timestamp_us"), Field::required("last_assigned_id")];

pub(crate) struct Samples;

impl Decode for Samples {
    const FIELDS: FieldList = FieldList { key: "sample_fields", fields: &FIELDS };

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let [time, id] = task.read::<T, _>(&FIELDS)?;
        let columns = js_heap_sample::Columns {
            file_id: task.file_id(),
            timestamp_us: task.int64(time),
            last_assigned_id: task.int64(id),
        };
        Some((columns.into_batch(), SideOutput::None))
    }
}
