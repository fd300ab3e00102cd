-- The variables that scopes keep in contexts, with the number of scopes that use each of them. A script is a node.
CREATE OR REPLACE VIEW heap_scope_variable AS
WITH uses AS (
    SELECT u.file_id, s.script_node_index, u.declaring_scope_id, u.slot_index, count(*) AS use_count
    FROM js_heap_scope_use u
    JOIN js_heap_scope s ON s.file_id = u.file_id AND s.scope_index = u.scope_index
    GROUP BY ALL
)
SELECT v.file_id, v.context_var_index, v.scope_index, s.scope_id, s.depth, s.script_node_index,
       n.name AS script, v.slot_index, coalesce(v.name, t.string) AS name,
       coalesce(uses.use_count, 0) AS use_count
FROM js_heap_scope_context_var v
JOIN js_heap_scope s ON s.file_id = v.file_id AND s.scope_index = v.scope_index
LEFT JOIN heap_node n ON n.file_id = s.file_id AND n.node_index = s.script_node_index
LEFT JOIN js_heap_string t ON t.file_id = v.file_id AND t.string_index = v.name_id
LEFT JOIN uses ON uses.file_id = s.file_id AND uses.script_node_index = s.script_node_index
      AND uses.declaring_scope_id = s.scope_id AND uses.slot_index = v.slot_index;
