-- inputs: handmade/ark-7.0.heapsnapshot
-- A query as it is written for TraceStreamer: raw numbers, and the strings looked up by hand.
SELECT n.id, t.str_value AS type, s.string AS name, count(e.edge_index) AS retainers, e.to_node
FROM tracestreamer.js_heap_nodes n
JOIN (SELECT str_value, row_number() OVER () - 1 AS number FROM tracestreamer.js_heap_info WHERE key = 'node_types' AND type = 0) t
  ON t.number = n.type
JOIN tracestreamer.js_heap_string s ON s.file_index = n.name
LEFT JOIN tracestreamer.js_heap_edges e ON e.to_node_id = n.id
GROUP BY ALL
ORDER BY n.id;
