-- inputs: node8.heapsnapshot.gz node18.heapsnapshot.gz node26.heapsnapshot.gz chromium.heapsnapshot.gz
-- Which types of nodes does each engine write? Node 8 uses one that it does not declare.
SELECT s.name AS source, n.type, count(*) AS nodes
FROM js_heap_nodes n JOIN source s USING (file_id)
GROUP BY ALL
ORDER BY ALL;
