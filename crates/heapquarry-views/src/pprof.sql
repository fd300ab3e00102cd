-- The calls of each node's stack, distance 0 being the innermost.
CREATE OR REPLACE VIEW pprof_stack AS
WITH RECURSIVE up AS (
    SELECT file_id, node_index, node_index AS above, 0 AS distance FROM pprof_node
    UNION ALL
    SELECT up.file_id, up.node_index, n.parent_index, up.distance + 1
    FROM up JOIN pprof_node n ON n.file_id = up.file_id AND n.node_index = up.above
    WHERE n.parent_index >= 0
)
SELECT up.file_id, up.node_index, up.distance, n.location_id, n.function_id, n.function_name, n.url, n.line_number,
       n.at_line_number, n.address
FROM up JOIN pprof_node n ON n.file_id = up.file_id AND n.node_index = up.above;

-- The values of samples with their types and units, and the innermost call.
CREATE OR REPLACE VIEW pprof_sample_value AS
SELECT v.file_id, v.sample_index, v.value_index, t.value_type, t.unit, v.sample_value, s.node_index, n.function_name,
       n.url, n.line_number, n.at_line_number
FROM pprof_value v
JOIN pprof_sample_type t USING (file_id, value_index)
JOIN pprof_sample s USING (file_id, sample_index)
LEFT JOIN pprof_node n ON n.file_id = s.file_id AND n.node_index = s.node_index;

-- Values of each type by function, over all stacks. A function that calls itself counts once in total_value.
CREATE OR REPLACE VIEW pprof_function_value AS
WITH own AS (
    SELECT v.file_id, v.value_index, n.function_name, n.url, n.line_number, sum(v.self_value) AS self_value
    FROM pprof_node_value v JOIN pprof_node n USING (file_id, node_index) GROUP BY ALL
), total AS (
    SELECT file_id, value_index, function_name, url, line_number, sum(self_value) AS total_value
    FROM (SELECT DISTINCT s.file_id, s.node_index, s.function_name, s.url, s.line_number, v.value_index, v.self_value
          FROM pprof_stack s JOIN pprof_node_value v USING (file_id, node_index))
    GROUP BY ALL
)
SELECT o.file_id, o.value_index, t.value_type, t.unit, o.function_name, o.url, o.line_number, o.self_value, total.total_value
FROM own o
JOIN pprof_sample_type t USING (file_id, value_index)
JOIN total ON total.file_id = o.file_id AND total.value_index = o.value_index
          AND total.function_name IS NOT DISTINCT FROM o.function_name AND total.url IS NOT DISTINCT FROM o.url
          AND total.line_number IS NOT DISTINCT FROM o.line_number;
