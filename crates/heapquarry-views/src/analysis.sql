-- Nodes with what the analysis says of them.
CREATE OR REPLACE VIEW heap_object AS
SELECT n.file_id, n.node_index, n.id, n.type, n.name, a.class_name, a.distance, n.self_size, a.shallow_size,
       a.retained_size, a.retained_native_size, a.dominator_id, a.detachedness, a.class_index, n.edge_count, n.trace_node_id,
       a.function_name, a.script_name, a.native_context_id, a.is_context_shared, a.retained_by_detached, a.retained_by_console,
       a.retained_by_event_handlers, a.retained_by_contexts, a.is_stack_root, a.is_unreachable
FROM heap_node n
JOIN js_heap_analysis a ON a.file_id = n.file_id AND a.node_index = n.node_index;
