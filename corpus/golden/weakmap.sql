-- inputs: node24-numeric.heapsnapshot.gz
-- Who keeps the values of the WeakMap alive? Each entry has an edge from its table and one from its key.
SELECT e.type, regexp_replace(e.name, '\d+', 'N', 'g') AS name, e.from_type, e.from_name, e.to_name, count(*) AS edges
FROM heap_edge e
WHERE e.name LIKE '%in WeakMap%' AND e.to_name = 'Object' AND EXISTS (
    FROM heap_edge v WHERE v.file_id = e.file_id AND v.from_node_id = e.to_node_id AND v.name = 'back')
GROUP BY ALL
ORDER BY ALL;
