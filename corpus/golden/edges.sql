-- inputs: handmade/ark-4.0.heapsnapshot handmade/ark-5.0.heapsnapshot handmade/julia-2022.heapsnapshot handmade/v8-types-beyond-enum.heapsnapshot
-- All edges with what they join. In Ark 4.0 every edge has a name, in Ark 5.0 and later all but elements.
SELECT file_id, edge_index, type, name, name_or_index, from_name, to_type, to_name
FROM heap_edge
ORDER BY file_id, edge_index;
