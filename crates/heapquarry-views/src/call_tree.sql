-- The frames of each node's stack, distance 0 being the node itself.
CREATE OR REPLACE VIEW {view}_stack AS
WITH RECURSIVE up AS (
    SELECT file_id, node_index, node_index AS above, 0 AS distance FROM {nodes}
    UNION ALL
    SELECT up.file_id, up.node_index, n.parent_index, up.distance + 1
    FROM up JOIN {nodes} n ON n.file_id = up.file_id AND n.node_index = up.above
    WHERE n.parent_index >= 0
)
SELECT up.file_id, up.node_index, up.distance, n.{id}, n.function_name, n.url, n.line_number, n.column_number
FROM up JOIN {nodes} n ON n.file_id = up.file_id AND n.node_index = up.above;

-- By function, over all stacks. A function that calls itself counts once in {total}.
CREATE OR REPLACE VIEW {view}_function AS
WITH total AS (
    SELECT file_id, function_name, url, line_number, column_number, sum({self}) AS {total}
    FROM (SELECT DISTINCT s.file_id, s.node_index, s.function_name, s.url, s.line_number, s.column_number, n.{self}
          FROM {view}_stack s JOIN {nodes} n USING (file_id, node_index))
    GROUP BY ALL
)
SELECT s.*, t.{total}
FROM (SELECT file_id, function_name, url, line_number, column_number, count(*) AS nodes, {sums}
      FROM {nodes} GROUP BY ALL) s
JOIN total t ON t.file_id = s.file_id AND t.function_name IS NOT DISTINCT FROM s.function_name
            AND t.url IS NOT DISTINCT FROM s.url AND t.line_number IS NOT DISTINCT FROM s.line_number
            AND t.column_number IS NOT DISTINCT FROM s.column_number;
