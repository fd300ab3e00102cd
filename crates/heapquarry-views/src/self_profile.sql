-- The frames of each stack, distance 0 being the innermost.
CREATE OR REPLACE VIEW self_profile_call AS
WITH RECURSIVE up AS (
    SELECT file_id, stack_id, stack_id AS above, 0 AS distance FROM self_profile_stack
    UNION ALL
    SELECT up.file_id, up.stack_id, s.parent_id, up.distance + 1
    FROM up JOIN self_profile_stack s ON s.file_id = up.file_id AND s.stack_id = up.above
    WHERE s.parent_id >= 0
)
SELECT up.file_id, up.stack_id, up.distance, s.frame_id, f.name, r.url, f.line_number, f.column_number
FROM up
JOIN self_profile_stack s ON s.file_id = up.file_id AND s.stack_id = up.above
LEFT JOIN self_profile_frame f ON f.file_id = s.file_id AND f.frame_id = s.frame_id
LEFT JOIN self_profile_resource r ON r.file_id = f.file_id AND r.resource_id = f.resource_id;

-- Samples by function over all traces: at the top of the stack, and anywhere in it.
CREATE OR REPLACE VIEW self_profile_function AS
WITH calls AS (
    SELECT c.*, s.sample_count FROM self_profile_call c JOIN self_profile_stack s USING (file_id, stack_id)
), self AS (
    SELECT name, url, line_number, column_number, sum(sample_count) AS self_samples
    FROM calls WHERE distance = 0 GROUP BY ALL
), total AS (
    SELECT name, url, line_number, column_number, sum(sample_count) AS total_samples
    FROM (SELECT DISTINCT file_id, stack_id, name, url, line_number, column_number, sample_count FROM calls)
    GROUP BY ALL
)
SELECT t.name, t.url, t.line_number, t.column_number, coalesce(s.self_samples, 0) AS self_samples, t.total_samples
FROM total t
LEFT JOIN self s ON s.name IS NOT DISTINCT FROM t.name AND s.url IS NOT DISTINCT FROM t.url
                AND s.line_number IS NOT DISTINCT FROM t.line_number
                AND s.column_number IS NOT DISTINCT FROM t.column_number;

-- Samples with what ran, and the time of day where the envelope tells it.
CREATE OR REPLACE VIEW self_profile_timeline AS
SELECT s.file_id, s.sample_index, s.timestamp_ms, epoch_ms((s.timestamp_ms + f.epoch_origin_ms)::BIGINT) AS wall_time,
       s.dur_ms, s.marker, s.stack_id, c.name, c.url, c.line_number, c.column_number
FROM self_profile_sample s
JOIN self_profile_files f USING (file_id)
LEFT JOIN self_profile_call c ON c.file_id = s.file_id AND c.stack_id = s.stack_id AND c.distance = 0;
