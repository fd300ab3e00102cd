//! The `scope_context_vars` section: rows of `js_heap_scope_context_var`. The file does not give the scope of a
//! variable; the counts of the scopes determine it.

use super::{Decode, RecordTask};
use crate::heap::{
    context::Context,
    fields::{Field, FieldList},
    records::Value,
    side_output::SideOutput,
};
use arrow_array::RecordBatch;
use heapquarry_tables::js_heap_scope_context_var;

const FIELDS: [Field; 1] = [Field::required("name")];

pub(crate) struct ScopeContextVars;

impl Decode for ScopeContextVars {
    const FIELDS: FieldList = FieldList { key: "scope_context_var_fields", fields: &FIELDS };

    fn has_side_output(context: &Context) -> bool {
        context.collector.is_some()
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let [name] = task.read::<T, _>(&FIELDS)?;
        if let Some(collector) = &task.context.collector {
            collector.scope_variables(task.records, &name);
        }
        let [name, name_id] = task.names(name, "name");
        let owners = &task.context.scopes.context_vars;
        let [scope_index, slot_index] = task.scopes(owners, "name");
        let columns = js_heap_scope_context_var::Columns {
            file_id: task.file_id(),
            context_var_index: task.positions(),
            scope_index,
            slot_index,
            name,
            name_id,
        };
        Some((columns.into_batch(), SideOutput::None))
    }
}
