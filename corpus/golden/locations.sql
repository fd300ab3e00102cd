-- inputs: node26.heapsnapshot.gz
-- Where were the functions of the program written?
SELECT l.name, l.line_number + 1 AS line, l.column_number + 1 AS "column"
FROM heap_location l
WHERE l.name IN ('leakDeep', 'leakPlain', 'oddKeys', 'closures', 'weak', 'buffers', 'sessionTo') AND l.type = 'closure'
ORDER BY ALL;
