-- The tracks of threads. Ids count within a file, so joins go by file_id too.
CREATE OR REPLACE VIEW thread_track AS
SELECT file_id, id, name, type, parent_id, utid FROM track WHERE type = 'thread_execution';

-- The tracks of processes.
CREATE OR REPLACE VIEW process_track AS
SELECT file_id, id, name, type, parent_id, upid FROM track
WHERE type IN ('chrome_process_instant', 'legacy_async_process_slice', 'atrace_async_slice',
               'atrace_async_slice_for_track');

-- The tracks of counters.
CREATE OR REPLACE VIEW counter_track AS
SELECT file_id, id, name, type, parent_id, upid, counter_name, counter_key, async_id AS counter_id
FROM track WHERE type IN ('json_counter', 'atrace_counter');

-- The same as counter_track, under Perfetto's name.
CREATE OR REPLACE VIEW process_counter_track AS SELECT * FROM counter_track;

-- Slices of threads, with thread and process.
CREATE OR REPLACE VIEW thread_slice AS
SELECT s.file_id, s.id, s.ts, s.dur, s.category, s.name, s.track_id, t.name AS thread_name, s.utid,
       t.tid, t.upid, p.pid, p.name AS process_name, s.depth, s.parent_id, s.arg_set_id,
       s.thread_ts, s.thread_dur, t.is_main_thread, s.self_dur, s.ending, s.is_overlapping,
       t.tid_text, p.pid_text, s.is_aggregate
FROM slice s
JOIN thread t ON t.file_id = s.file_id AND t.utid = s.utid
JOIN process p ON p.file_id = t.file_id AND p.upid = t.upid;

-- Asynchronous operations, with their process.
CREATE OR REPLACE VIEW process_slice AS
SELECT s.file_id, s.id, s.ts, s.dur, s.category, s.name, s.track_id, s.upid, p.pid,
       p.name AS process_name, s.depth, s.parent_id, s.arg_set_id, s.thread_ts, s.thread_dur,
       k.async_id, k.id_kind, k.scope, s.ending, p.pid_text
FROM async_slice s
JOIN track k ON k.file_id = s.file_id AND k.id = s.track_id
JOIN process p ON p.file_id = s.file_id AND p.upid = s.upid;

-- Values of counters, with how long each was valid.
CREATE OR REPLACE VIEW counter_value AS
SELECT c.file_id, c.id, c.ts,
       lead(c.ts) OVER (PARTITION BY c.file_id, c.track_id ORDER BY c.ts, c.id) - c.ts AS dur,
       k.counter_name, k.counter_key, k.async_id AS counter_id, c.value, c.int_value, c.track_id,
       k.upid, p.pid, p.name AS process_name
FROM counter c
JOIN track k ON k.file_id = c.file_id AND k.id = c.track_id
JOIN process p ON p.file_id = k.file_id AND p.upid = k.upid;
