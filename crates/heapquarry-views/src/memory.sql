-- Memory dumps with their processes.
CREATE OR REPLACE VIEW memory_snapshot AS
SELECT d.*, p.upid, p.name AS process_name
FROM memory_dump d
LEFT JOIN process p ON p.file_id = d.file_id AND p.pid IS NOT DISTINCT FROM d.pid AND p.pid_text IS NOT DISTINCT FROM d.pid_text;

-- What each allocator held in a dump, as a tree of paths.
CREATE OR REPLACE VIEW memory_snapshot_node AS
SELECT d.file_id, d.dump_id, d.ts, d.level_of_detail, d.ph, d.upid, d.process_name, a.event_index, a.node_index, a.path, a.name,
       a.depth, split_part(a.path, '/', 1) AS allocator, CASE WHEN a.depth > 0 THEN regexp_replace(a.path, '/[^/]*$', '') END AS parent_path,
       a.guid, a.flags, a.size_bytes, a.object_count
FROM memory_allocator a JOIN memory_snapshot d ON d.file_id = a.file_id AND d.id = a.event_index;

-- Nodes that own or retain others of the same dump, whose processes may differ.
CREATE OR REPLACE VIEW memory_snapshot_edge AS
SELECT d.file_id, d.dump_id, e.type, e.importance,
       source.upid AS source_upid, source.path AS source_path, source.size_bytes AS source_size_bytes,
       target.upid AS target_upid, target.path AS target_path, target.size_bytes AS target_size_bytes,
       e.event_index, e.edge_index
FROM memory_edge e
JOIN memory_dump d ON d.file_id = e.file_id AND d.id = e.event_index
LEFT JOIN memory_snapshot_node source
       ON source.file_id = d.file_id AND source.dump_id = d.dump_id AND source.guid = e.source_guid
LEFT JOIN memory_snapshot_node target
       ON target.file_id = d.file_id AND target.dump_id = d.dump_id AND target.guid = e.target_guid;
