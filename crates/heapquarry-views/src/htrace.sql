-- It calls track_allocations trace_allocation.
CREATE OR REPLACE VIEW tracestreamer.js_config AS
SELECT pid, type, "interval", capture_numeric_value, track_allocations AS trace_allocation, enable_cpu_profiler,
       cpu_profiler_interval
FROM main.js_config;
