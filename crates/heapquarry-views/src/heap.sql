-- Nodes, with names as text whichever --names was given.
CREATE OR REPLACE VIEW heap_node AS
SELECT n.* REPLACE (coalesce(n.name, s.string) AS name)
FROM js_heap_nodes n
LEFT JOIN js_heap_string s ON s.file_id = n.file_id AND s.string_index = n.name_id;

-- Edges, with their names as text and the nodes at both ends.
CREATE OR REPLACE VIEW heap_edge AS
WITH rules AS (
    -- Which edges carry a number instead of a name: ArkTS has rules of its own.
    SELECT file_id, CASE WHEN producer IS DISTINCT FROM 'ark' THEN ['element', 'hidden']
                         WHEN file_id IN (SELECT file_id FROM js_heap_nodes WHERE native_size IS NOT NULL)
                         THEN ['element'] ELSE [] END AS numbered
    FROM source
), again AS (
    -- Nodes of damaged files that have the id of an earlier one: an edge is told once.
    SELECT file_id, node_index FROM js_heap_nodes
    WHERE file_id IN (SELECT file_id FROM import_log WHERE code = 'duplicate_id')
    QUALIFY row_number() OVER (PARTITION BY file_id, id ORDER BY node_index) > 1
), first_of_id AS NOT MATERIALIZED (
    SELECT n.* FROM heap_node n ANTI JOIN again USING (file_id, node_index)
)
SELECT e.file_id, e.edge_index, e.type,
       CASE WHEN NOT coalesce(list_contains(r.numbered, e.type), false)
            THEN coalesce(e.name, s.string) END AS name,
       e.name_or_index, e.from_node_id, f.type AS from_type, f.name AS from_name,
       e.to_node_id, t.type AS to_type, t.name AS to_name, t.self_size AS to_self_size
FROM js_heap_edges e
JOIN rules r ON r.file_id = e.file_id
LEFT JOIN js_heap_string s ON s.file_id = e.file_id AND s.string_index = e.name_or_index
LEFT JOIN first_of_id f ON f.file_id = e.file_id AND f.id = e.from_node_id
LEFT JOIN first_of_id t ON t.file_id = e.file_id AND t.id = e.to_node_id;

-- Objects and native objects by type and name: how many, and their own size in bytes.
CREATE OR REPLACE VIEW heap_class AS
SELECT file_id, type, name, count(*) AS count, sum(self_size) AS self_size
FROM heap_node
WHERE type IN ('object', 'native')
GROUP BY ALL;

-- Where in a script the function of a node is.
CREATE OR REPLACE VIEW heap_location AS
SELECT n.file_id, n.node_index, n.id, n.type, n.name, l.script_id, l.line_number, l.column_number, l.script_name
FROM js_heap_location l
JOIN heap_node n ON n.file_id = l.file_id AND n.node_index = l.node_index;

-- Nodes of timelines, with the function that allocated them.
CREATE OR REPLACE VIEW heap_allocation AS
SELECT n.file_id, n.node_index, n.id, n.type, n.name, n.self_size, n.trace_node_id,
       coalesce(f.name, fs.string) AS function_name,
       coalesce(f.script_name, ss.string) AS script_name, f.line_number, f.column_number
FROM heap_node n
JOIN js_heap_trace_node t ON t.file_id = n.file_id AND t.id = n.trace_node_id
LEFT JOIN js_heap_trace_function_info f
       ON f.file_id = t.file_id AND f.function_index = t.function_info_index
LEFT JOIN js_heap_string fs ON fs.file_id = f.file_id AND fs.string_index = f.name_id
LEFT JOIN js_heap_string ss ON ss.file_id = f.file_id AND ss.string_index = f.script_name_id;

CREATE OR REPLACE VIEW tracestreamer.js_heap_files AS
SELECT file_id AS id, file_name, start_time_ns AS start_time, end_time_ns AS end_time, self_size
FROM main.js_heap_files;

CREATE OR REPLACE VIEW tracestreamer.js_heap_info AS
SELECT file_id, key, type, int_value, str_value FROM main.js_heap_info;

CREATE OR REPLACE VIEW tracestreamer.js_heap_nodes AS
WITH types AS (
    SELECT file_id, str_value, min(ordinal) AS number FROM main.js_heap_info
    WHERE key = 'node_types' AND type = 0 GROUP BY ALL
)
SELECT n.file_id, n.node_index, coalesce(types.number, TRY_CAST(n.type AS BIGINT)) AS type,
       n.name_id AS name, n.id, n.self_size, n.edge_count, n.trace_node_id, n.detachedness
FROM main.js_heap_nodes n
LEFT JOIN types ON types.file_id = n.file_id AND types.str_value = n.type;

CREATE OR REPLACE VIEW tracestreamer.js_heap_edges AS
WITH types AS (
    SELECT file_id, str_value, min(ordinal) AS number FROM main.js_heap_info
    WHERE key = 'edge_types' AND type = 0 GROUP BY ALL
), starts AS (
    SELECT n.file_id, n.id, min(n.node_index) * any_value(f.node_field_count) AS start
    FROM main.js_heap_nodes n JOIN main.js_heap_files f USING (file_id) GROUP BY ALL
)
SELECT e.file_id, e.edge_index, coalesce(types.number, TRY_CAST(e.type AS BIGINT)) AS type,
       e.name_or_index, starts.start AS to_node, e.from_node_id, e.to_node_id
FROM main.js_heap_edges e
LEFT JOIN types ON types.file_id = e.file_id AND types.str_value = e.type
LEFT JOIN starts ON starts.file_id = e.file_id AND starts.id = e.to_node_id;

CREATE OR REPLACE VIEW tracestreamer.js_heap_string AS
SELECT file_id, string_index AS file_index, string FROM main.js_heap_string;

CREATE OR REPLACE VIEW tracestreamer.js_heap_location AS
SELECT l.file_id, l.node_index * f.node_field_count AS object_index, l.script_id,
       l.line_number AS line, l.column_number AS "column"
FROM main.js_heap_location l JOIN main.js_heap_files f USING (file_id);

CREATE OR REPLACE VIEW tracestreamer.js_heap_sample AS
SELECT file_id, timestamp_us, last_assigned_id FROM main.js_heap_sample;

CREATE OR REPLACE VIEW tracestreamer.js_heap_trace_function_info AS
SELECT file_id, function_index, function_id, name_id AS name, script_name_id AS script_name,
       script_id, line_number AS line, column_number AS "column"
FROM main.js_heap_trace_function_info;

CREATE OR REPLACE VIEW tracestreamer.js_heap_trace_node AS
SELECT file_id, id, function_info_index, count, size, parent_id FROM main.js_heap_trace_node;
