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
       t.tid_text, p.pid_text
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

-- As Perfetto has it: slices of threads, of operations, and instants, in one table.
CREATE OR REPLACE VIEW perfetto.slice AS
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
       thread_instruction_count, thread_instruction_delta, category AS cat, id AS slice_id, file_id
FROM main.slice
UNION ALL
SELECT id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur,
       NULL, NULL, category, id, file_id
FROM main.async_slice
UNION ALL
SELECT i.id, i.ts, 0, i.track_id, i.category, i.name,
       CASE WHEN i.scope = 'thread' AND s.id IS NOT NULL THEN s.depth + 1 ELSE 0 END,
       CASE WHEN i.scope = 'thread' THEN i.slice_id END, i.arg_set_id, NULL, NULL,
       NULL, NULL, i.category, i.id, i.file_id
FROM main.instant i LEFT JOIN main.slice s ON s.file_id = i.file_id AND s.id = i.slice_id
WHERE i.ph <> 'P';

CREATE OR REPLACE VIEW perfetto.thread AS
SELECT utid, utid AS id, tid, coalesce(name, tid_text) AS name, start_ts, end_ts, upid,
       is_main_thread, file_id
FROM main.thread;

CREATE OR REPLACE VIEW perfetto.process AS
SELECT upid, upid AS id, pid, coalesce(name, pid_text) AS name, start_ts, end_ts, file_id FROM main.process;

CREATE OR REPLACE VIEW perfetto.track AS SELECT id, name, type, parent_id, file_id FROM main.track;
CREATE OR REPLACE VIEW perfetto.thread_track AS
SELECT id, name, type, parent_id, utid, file_id FROM main.thread_track;
CREATE OR REPLACE VIEW perfetto.process_track AS
SELECT id, name, type, parent_id, upid, file_id FROM main.process_track;
CREATE OR REPLACE VIEW perfetto.counter AS SELECT id, ts, track_id, value, file_id FROM main.counter;
CREATE OR REPLACE VIEW perfetto.counter_track AS
SELECT id, name, type, parent_id, file_id FROM main.counter_track;
CREATE OR REPLACE VIEW perfetto.process_counter_track AS
SELECT id, name, type, parent_id, upid, file_id FROM main.counter_track;
CREATE OR REPLACE VIEW perfetto.flow AS
SELECT id, slice_out, slice_in, flow_id AS trace_id, file_id FROM main.flow
WHERE slice_out IS NOT NULL AND slice_in IS NOT NULL;
CREATE OR REPLACE VIEW perfetto.thread_slice AS
SELECT id, ts, dur, category, name, track_id, thread_name, utid, tid, upid, pid, process_name, depth,
       parent_id, arg_set_id, thread_ts, thread_dur, is_main_thread, file_id
FROM main.thread_slice;
