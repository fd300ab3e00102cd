-- inputs: handmade/hermes-zero-counts.heapsnapshot handmade/strings-of-every-kind.heapsnapshot handmade/julia-2022.heapsnapshot handmade/unknown-sections.heapsnapshot handmade/byte-order-mark.heapsnapshot
-- What was out of the ordinary?
SELECT s.name, s.status, l.byte_offset, l.severity, l.code, l.excerpt, l.occurrences
FROM import_log l JOIN source s USING (file_id)
ORDER BY file_id, l.byte_offset NULLS FIRST, l.code;
