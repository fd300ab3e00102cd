-- inputs: node8.heapsnapshot.gz node12-insession.heaptimeline.gz node18.heapsnapshot.gz node20-internals.heapsnapshot.gz node22.heapsnapshot.gz node24-numeric.heapsnapshot.gz node26.heapsnapshot.gz
-- What did each engine make of the texts of one object? As JSON, and long ones by their length.
-- Engines write the low 16 bits of an astral character, and a question mark for each byte of a lone surrogate.
SELECT e.name AS property, to_json(e.to_name[:60]) AS text, length(e.to_name) AS length, count(*) AS sources
FROM heap_edge e
WHERE e.from_type = 'object' AND e.from_name = 'Texts' AND e.type = 'property' AND e.name <> '__proto__'
  AND e.name <> 'cons' -- it holds the number of the process
GROUP BY ALL
ORDER BY ALL;
