-- The arguments of each slice: those of its beginning and its end, which wins where both have a member.
CREATE OR REPLACE VIEW slice_args AS
WITH part AS (
    SELECT file_id, id AS slice_id, id AS event_index, 0 AS place FROM slice
    UNION ALL
    SELECT file_id, id, end_event_index, 1 FROM slice WHERE ending = 'matched'
    UNION ALL
    SELECT file_id, id, id, 0 FROM async_slice
    UNION ALL
    SELECT file_id, id, end_event_index, 1 FROM async_slice WHERE ending = 'matched'
)
SELECT a.file_id, p.slice_id, a.flat_key, a.key, a.int_value, a.string_value, a.real_value, a.value_type
FROM part p JOIN args a ON a.file_id = p.file_id AND a.arg_set_id = p.event_index
QUALIFY p.place = max(p.place) OVER (PARTITION BY a.file_id, p.slice_id, split_part(a.flat_key, '.', 2));

-- What a snapshot shows, as JSON.
CREATE OR REPLACE VIEW object_state AS
SELECT s.file_id, s.id, s.ts, s.object_id, o.type_name, o.object_ref, o.upid, o.created_ts,
       o.destroyed_ts, json_extract(e.args, '$.snapshot') AS snapshot
FROM object_snapshot s
JOIN object o ON o.file_id = s.file_id AND o.id = s.object_id
JOIN trace_event e ON e.file_id = s.file_id AND e.event_index = s.id;

-- Where arguments refer to an object with {"id_ref": ...}: the one that the id means at that time.
CREATE OR REPLACE VIEW object_reference AS
SELECT a.file_id, a.arg_set_id AS event_index, a.key, o.id AS object_id, o.type_name, o.object_ref
FROM args a
JOIN trace_event e ON e.file_id = a.file_id AND e.event_index = a.arg_set_id
JOIN object o ON o.file_id = a.file_id AND o.object_ref = coalesce(a.string_value, a.int_value::VARCHAR)
JOIN process p ON p.file_id = o.file_id AND p.upid = o.upid
WHERE a.flat_key LIKE '%.id_ref'
  AND (o.id_kind = 'global'
       OR (p.pid IS NOT DISTINCT FROM e.pid AND (p.pid_text IS NULL OR p.pid_text = e.pid_text)))
  AND e.ts >= coalesce(o.created_ts, e.ts) AND e.ts < coalesce(o.destroyed_ts, e.ts + 1);

-- All that metadata events say of processes and threads, and when: names, labels, places in order, uptimes, numbers of CPUs. The tables
-- process and thread have what was said last.
CREATE OR REPLACE VIEW metadata_history AS
SELECT e.file_id, e.event_index, e.ts, e.name AS kind, p.upid, t.utid, a.key, a.string_value, a.int_value, a.real_value
FROM trace_event e
JOIN args a ON a.file_id = e.file_id AND a.arg_set_id = e.event_index
LEFT JOIN process p ON p.file_id = e.file_id AND p.pid IS NOT DISTINCT FROM e.pid
    AND p.pid_text IS NOT DISTINCT FROM CASE WHEN e.pid IS NULL THEN e.pid_text END
LEFT JOIN thread t ON t.file_id = e.file_id AND t.upid = p.upid AND t.tid IS NOT DISTINCT FROM e.tid
    AND t.tid_text IS NOT DISTINCT FROM CASE WHEN e.tid IS NULL THEN e.tid_text END
WHERE e.ph = 'M';
