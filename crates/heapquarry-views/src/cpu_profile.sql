-- Each sample with the function that ran.
CREATE OR REPLACE VIEW cpu_profile_sample AS
SELECT s.file_id, s.sample_index, s.ts_us, s.dur_us, s.function_id, n.node_index, n.function_name, n.url,
       n.line_number, n.column_number, n.depth
FROM js_cpu_profiler_sample s
LEFT JOIN (SELECT *, row_number() OVER (PARTITION BY file_id, function_id ORDER BY node_index) AS nth
           FROM js_cpu_profiler_node) n
       ON n.file_id = s.file_id AND n.function_id = s.function_id AND n.nth = 1;

-- Self time as Chrome DevTools reckons it for its tables: the recorded time, shared out by hit counts.
CREATE OR REPLACE VIEW cpu_profile_devtools_self_time AS
SELECT n.file_id, n.node_index, n.function_id, n.function_name, n.url,
       n.hit_count * (f.end_time_us - f.start_time_us) / 1000.0 / nullif(f.hit_count, 0) AS self_time_ms
FROM js_cpu_profiler_node n JOIN js_cpu_profiler_files f USING (file_id);

-- ArkTS: time by state, which is the last suffix of a function's name, as in `foo(NAPI)`.
CREATE OR REPLACE VIEW cpu_profile_ark_state AS
SELECT file_id, coalesce(nullif(regexp_extract(function_name, '\((GC|BUILTIN|NAPI|ARKUI_ENGINE|JIT|AINT-D|CINT|AINT|AOT|RUNTIME)\)$', 1), ''), 'OTHER') AS state,
       sum(self_time_us) AS self_time_us
FROM js_cpu_profiler_node GROUP BY ALL;

CREATE OR REPLACE VIEW tracestreamer.data_dict AS
SELECT row_number() OVER (ORDER BY data) - 1 AS id, data
FROM (SELECT function_name AS data FROM main.js_cpu_profiler_node
      UNION SELECT url FROM main.js_cpu_profiler_node)
WHERE data IS NOT NULL;

-- It has no file_id: it mixes the profiles of a run. Line -1 is 4294967295, no parent is 0.
CREATE OR REPLACE VIEW tracestreamer.js_cpu_profiler_node AS
WITH children AS (
    SELECT file_id, parent_index, string_agg(function_id::VARCHAR, ',' ORDER BY node_index) AS children
    FROM main.js_cpu_profiler_node GROUP BY ALL
)
SELECT n.function_id, names.id AS function_index, n.script_id, urls.id AS url_index,
       CASE WHEN n.line_number < 0 THEN n.line_number + 4294967296 ELSE n.line_number END AS line_number,
       n.column_number, n.hit_count, coalesce(c.children, '') AS children,
       CASE WHEN n.parent_index < 0 THEN 0 ELSE n.parent_id END AS parent_id
FROM main.js_cpu_profiler_node n
LEFT JOIN children c ON c.file_id = n.file_id AND c.parent_index = n.node_index
LEFT JOIN tracestreamer.data_dict names ON names.data = n.function_name
LEFT JOIN tracestreamer.data_dict urls ON urls.data = n.url;

-- Neighbouring samples of one node are one row. The first starts at the start of the profile, as TraceStreamer leaves
-- the first delta out: its times are earlier than ts_us by that delta. The last run ends with the last sample. Times are those of the
-- device since it was started, where the container tells.
CREATE OR REPLACE VIEW tracestreamer.js_cpu_profiler_sample AS
WITH steps AS (
    SELECT s.file_id, s.sample_index, s.function_id,
           s.ts_us - coalesce(first(s.delta_us) OVER file, 0) AS start_us,
           lead(s.ts_us, 1, s.ts_us) OVER file - coalesce(first(s.delta_us) OVER file, 0) AS end_us,
           s.function_id IS DISTINCT FROM lag(s.function_id) OVER file
               OR s.sample_index = 0 AS begins
    FROM main.js_cpu_profiler_sample s
    WINDOW file AS (PARTITION BY s.file_id ORDER BY s.sample_index ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
), runs AS (
    SELECT *, sum(begins::INTEGER) OVER (PARTITION BY file_id ORDER BY sample_index) AS run FROM steps
), merged AS (
    SELECT file_id, run, first(function_id ORDER BY sample_index) AS function_id,
           first(start_us ORDER BY sample_index) * 1000 AS start_time, last(end_us ORDER BY sample_index) * 1000 AS end_time
    FROM runs GROUP BY file_id, run
)
SELECT row_number() OVER (ORDER BY file_id, run) - 1 AS id, function_id,
       start_time + boot AS start_time, end_time + boot AS end_time, end_time - start_time AS dur
FROM merged
JOIN (SELECT file_id, coalesce(start_time_ns - start_time_us * 1000, 0) AS boot FROM main.js_cpu_profiler_files) USING (file_id);
