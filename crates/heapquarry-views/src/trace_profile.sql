-- CPU profiles in traces: whose they are, and when they were taken.
CREATE OR REPLACE VIEW trace_cpu_profile AS
SELECT f.file_id, f.trace_file_id, f.profile_id, t.utid, p.upid, t.name AS thread_name, p.name AS process_name, f.tid, f.pid,
       f.start_time_ns AS ts, f.end_time_ns - f.start_time_ns AS dur, f.node_count, f.sample_count
FROM js_cpu_profiler_files f
LEFT JOIN process p ON p.file_id = f.trace_file_id AND p.pid IS NOT DISTINCT FROM f.pid
    AND p.pid_text IS NOT DISTINCT FROM CASE WHEN f.pid IS NULL THEN f.pid_text END
LEFT JOIN thread t ON t.file_id = f.trace_file_id AND t.upid = p.upid AND t.tid IS NOT DISTINCT FROM f.tid
    AND t.tid_text IS NOT DISTINCT FROM CASE WHEN f.tid IS NULL THEN f.tid_text END
WHERE f.trace_file_id IS NOT NULL;

-- Samples of these profiles on the clock of the trace.
CREATE OR REPLACE VIEW trace_cpu_sample AS
SELECT f.trace_file_id, p.utid, s.file_id, s.sample_index, f.start_time_ns + (s.ts_us - f.start_time_us) * 1000 AS ts,
       s.dur_us * 1000 AS dur, s.function_id, s.node_index, s.function_name, s.url, s.line_number, s.column_number, s.depth
FROM cpu_profile_sample s
JOIN js_cpu_profiler_files f ON f.file_id = s.file_id
JOIN trace_cpu_profile p ON p.file_id = s.file_id;

-- The stack that was sampled for an event; all of it is in cpu_profile_stack.
CREATE OR REPLACE VIEW event_stack AS
SELECT a.file_id AS trace_file_id, a.arg_set_id AS event_index, n.file_id, n.node_index, n.function_id, n.function_name, n.url,
       n.line_number, n.column_number
FROM args a
JOIN js_cpu_profiler_files f ON f.trace_file_id = a.file_id
JOIN js_cpu_profiler_trace_id s ON s.file_id = f.file_id AND s.trace_id = a.int_value
JOIN js_cpu_profiler_node n ON n.file_id = s.file_id AND n.function_id = s.function_id
WHERE a.key IN ('args.data.sampleTraceId', 'args.sampleTraceId');
