-- inputs: handmade/ark-4.0.heapsnapshot handmade/ark-5.0.heapsnapshot handmade/ark-7.0.heapsnapshot handmade/julia-1.11.heapsnapshot handmade/hermes-zero-counts.heapsnapshot handmade/bun.heapsnapshot handmade/v8-2012-five-fields.heapsnapshot
-- What do the headers tell?
SELECT s.name, s.format, s.producer, f.self_size, f.node_count, f.declared_node_count, f.edge_count, f.string_count,
       f.node_field_count, f.extra_native_bytes
FROM js_heap_files f JOIN source s USING (file_id)
ORDER BY file_id;
