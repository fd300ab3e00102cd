-- inputs: node24.heaptimeline.gz
-- The calls that lead to the deepest place that allocated, innermost first; runs of one function as one row.
WITH RECURSIVE stack AS (
    SELECT *, 0 AS position FROM (SELECT * FROM js_heap_trace_node ORDER BY depth DESC, id LIMIT 1)
    UNION ALL
    SELECT t.*, stack.position + 1 FROM stack JOIN js_heap_trace_node t ON t.id = stack.parent_id
)
SELECT f.name, f.line_number, count(*) AS frames
FROM stack JOIN js_heap_trace_function_info f ON f.function_index = stack.function_info_index
GROUP BY ALL
ORDER BY min(stack.position);
