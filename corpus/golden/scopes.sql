-- inputs: handmade/v8-2026-scopes.heapsnapshot chromium.heapsnapshot.gz
-- Which variables do scopes keep in a context, and how many scopes use each of them?
SELECT s.name AS source, left(v.script, 50) AS script, v.scope_id, v.depth, v.slot_index, v.name, v.use_count
FROM heap_scope_variable v JOIN source s USING (file_id)
ORDER BY file_id, v.scope_index, v.slot_index;
