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
-- Slices of threads, and instants in them, with thread and process.
CREATE OR REPLACE VIEW perfetto.thread_slice AS
SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name, t.name AS thread_name,
       t.utid, t.tid, t.is_main_thread, p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id,
       s.arg_set_id, s.thread_ts, s.thread_dur, s.file_id
FROM perfetto.slice s
JOIN perfetto.thread_track k ON k.file_id = s.file_id AND k.id = s.track_id
JOIN perfetto.thread t ON t.file_id = k.file_id AND t.utid = k.utid
LEFT JOIN perfetto.process p ON p.file_id = t.file_id AND p.upid = t.upid;

-- Slices of processes, and instants in them, with their process.
CREATE OR REPLACE VIEW perfetto.process_slice AS
SELECT s.id, s.ts, s.dur, s.category, s.name, s.track_id, k.name AS track_name,
       p.name AS process_name, p.upid, p.pid, s.depth, s.parent_id, s.arg_set_id, s.thread_ts,
       s.thread_dur, s.file_id
FROM perfetto.slice s
JOIN perfetto.process_track k ON k.file_id = s.file_id AND k.id = s.track_id
JOIN perfetto.process p ON p.file_id = k.file_id AND p.upid = k.upid;

-- Both.
CREATE OR REPLACE VIEW perfetto.thread_or_process_slice AS
SELECT id, ts, dur, category, name, track_id, track_name, thread_name, utid, tid, is_main_thread,
       process_name, upid, pid, depth, parent_id, arg_set_id, file_id
FROM perfetto.thread_slice
UNION ALL
SELECT id, ts, dur, category, name, track_id, track_name, NULL, NULL, NULL, NULL,
       process_name, upid, pid, depth, parent_id, arg_set_id, file_id
FROM perfetto.process_slice;

-- The same as slice.
CREATE OR REPLACE VIEW perfetto.slices AS SELECT * FROM perfetto.slice;

-- Slices without a duration.
CREATE OR REPLACE VIEW perfetto.instant AS
SELECT ts, track_id, name, arg_set_id, file_id FROM perfetto.slice WHERE dur = 0;

-- Values of counters, with the names of their tracks.
CREATE OR REPLACE VIEW perfetto.counters AS
SELECT c.id, c.ts, c.track_id, c.value, k.name, c.file_id
FROM perfetto.counter c
JOIN perfetto.counter_track k ON k.file_id = c.file_id AND k.id = c.track_id;

-- In functions, columns that are compared with arguments have names of their own: DuckDB replaces parameters as text, so an
-- argument `id` would be the `id` of the nearest table.

-- The slices that contain one.
CREATE OR REPLACE MACRO perfetto.ancestor_slice(slice_id) AS TABLE
SELECT s.* FROM (
    SELECT "its file", "its track", "its depth", "its ts", "its end" FROM (
        SELECT id AS "its id", file_id AS "its file", track_id AS "its track", depth AS "its depth",
               ts AS "its ts", CASE dur WHEN -1 THEN ts ELSE ts + dur END AS "its end"
        FROM perfetto.slice
    ) WHERE "its id" = slice_id
)
JOIN perfetto.slice s ON s.file_id = "its file" AND s.track_id = "its track" AND s.depth < "its depth"
    AND s.ts <= "its ts" AND (s.dur = -1 OR s.ts + s.dur >= "its end");

-- The slices in one.
CREATE OR REPLACE MACRO perfetto.descendant_slice(slice_id) AS TABLE
SELECT s.* FROM (
    SELECT "its file", "its track", "its depth", "its ts", "its end" FROM (
        SELECT id AS "its id", file_id AS "its file", track_id AS "its track", depth AS "its depth",
               ts AS "its ts", CASE dur WHEN -1 THEN NULL ELSE ts + dur END AS "its end"
        FROM perfetto.slice
    ) WHERE "its id" = slice_id
)
JOIN perfetto.slice s ON s.file_id = "its file" AND s.track_id = "its track" AND s.depth > "its depth"
    AND s.ts >= "its ts"
    AND ("its end" IS NULL OR CASE s.dur WHEN -1 THEN s.ts ELSE s.ts + s.dur END <= "its end");

-- Whether the first slice contains the second.
CREATE OR REPLACE MACRO perfetto.slice_is_ancestor(ancestor_id, descendant_id) AS (
SELECT count(*) > 0 FROM (
    SELECT a.id AS "outer id", d.id AS "inner id"
    FROM perfetto.slice a
    JOIN perfetto.slice d ON d.file_id = a.file_id AND d.track_id = a.track_id AND d.depth > a.depth
        AND d.ts >= a.ts AND (a.dur = -1 OR a.ts + a.dur >= d.ts + d.dur)
) WHERE "outer id" = ancestor_id AND "inner id" = descendant_id);

-- The value below which so many percent of all are.
CREATE OR REPLACE MACRO perfetto.percentile(number, percent) AS quantile_cont(number, percent / 100.0);

-- The second argument if the first is true, or else the third.
CREATE OR REPLACE MACRO perfetto.iif(condition, yes, no) AS CASE WHEN condition THEN yes ELSE no END;
