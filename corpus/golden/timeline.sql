-- inputs: handmade/v8-timeline.heaptimeline
-- How much of what was allocated in each interval is still alive?
SELECT s.timestamp_us, count(n.id) AS nodes, sum(n.self_size) AS self_size
FROM (SELECT *, lag(last_assigned_id, 1, 0) OVER (ORDER BY timestamp_us) AS previous FROM js_heap_sample) s
LEFT JOIN js_heap_nodes n ON n.id % 2 = 1 AND n.id > s.previous AND n.id <= s.last_assigned_id
GROUP BY ALL
ORDER BY s.timestamp_us;
