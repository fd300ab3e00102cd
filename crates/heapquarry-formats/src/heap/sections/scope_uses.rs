//! The `scope_uses` section: rows of `js_heap_scope_use`. The file does not give the scope of a use; the counts of the
//! scopes determine it.

use super::{Decode, RecordTask};
use crate::heap::{
    context::Context,
    fields::{Field, FieldList},
    records::Value,
    side_output::SideOutput,
};
use arrow_array::RecordBatch;
use heapquarry_tables::js_heap_scope_use;

const FIELDS: [Field; 2] =
    [Field::required("declaring_scope_id").signed(), Field::required("slot_index")];

pub(crate) struct ScopeUses;

impl Decode for ScopeUses {
    const FIELDS: FieldList = FieldList { key: "scope_use_fields", fields: &FIELDS };

    fn has_side_output(context: &Context) -> bool {
        context.collector.is_some()
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let [declaring_scope_id, slot_index] = task.read::<T, _>(&FIELDS)?;
        let [scope_index, _] = task.scopes(&task.context.scopes.uses, "declaring_scope_id");
        if let Some(collector) = &task.context.collector {
            collector.scope_uses(task.records, &declaring_scope_id, &slot_index);
        }
        let columns = js_heap_scope_use::Columns {
            file_id: task.file_id(),
            use_index: task.positions(),
            scope_index,
            declaring_scope_id: task.int32(declaring_scope_id, "declaring_scope_id"),
            slot_index: task.int32(slot_index, "slot_index"),
        };
        Some((columns.into_batch(), SideOutput::None))
    }
}
