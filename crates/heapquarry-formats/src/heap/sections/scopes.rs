//! The `scopes` section: rows of `js_heap_scope`, and what the sections of variables and uses need of the scopes.

use super::{Decode, RecordTask};
use crate::{
    Code,
    heap::{
        collect::ScopeFields,
        context::Context,
        fields::{Field, FieldList},
        ownership::OwnershipPart,
        records::Value,
        scope_index::ScopePart,
        side_output::SideOutput,
    },
};
use arrow_array::RecordBatch;
use heapquarry_tables::js_heap_scope;

const FIELDS: [Field; 5] = [
    Field::required("script_node_index"),
    Field::required("scope_id").signed(),
    Field::required("depth"),
    Field::required("scope_context_vars_count"),
    Field::required("scope_uses_count"),
];

pub(crate) struct Scopes;

impl Decode for Scopes {
    const FIELDS: FieldList = FieldList { key: "scope_fields", fields: &FIELDS };

    fn has_side_output(_: &Context) -> bool {
        true
    }

    fn decode<T: Value>(task: &mut RecordTask<'_>) -> Option<(RecordBatch, SideOutput)> {
        let [mut script, scope_id, depth, context_vars, uses] = task.read::<T, _>(&FIELDS)?;
        let (first, rows) = (task.records.first, task.records.rows);
        let part = ScopePart {
            first,
            context_vars: OwnershipPart::new(first, rows, &context_vars),
            uses: OwnershipPart::new(first, rows, &uses),
        };
        task.node_positions(&mut script, "script_node_index", Code::ScopeOutOfRange);
        if let Some(collector) = &task.context.collector {
            let fields = ScopeFields {
                script: &script,
                id: &scope_id,
                depth: &depth,
                variables: &context_vars,
                uses: &uses,
            };
            collector.scopes(task.records, &fields);
        }
        let columns = js_heap_scope::Columns {
            file_id: task.file_id(),
            scope_index: task.positions(),
            script_node_index: task.int64(script),
            scope_id: task.int32(scope_id, "scope_id"),
            depth: task.int32(depth, "depth"),
            context_var_count: task.int32(context_vars, "scope_context_vars_count"),
            use_count: task.int32(uses, "scope_uses_count"),
        };
        Some((columns.into_batch(), SideOutput::Scopes(part)))
    }
}
