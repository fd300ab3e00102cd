-- inputs: node24.heaptimeline.gz node12-insession.heaptimeline.gz
-- Which functions of the program allocated objects that are still alive?
SELECT s.name AS source, a.function_name, a.line_number, a.name, count(*) AS objects
FROM heap_allocation a JOIN source s USING (file_id)
WHERE a.function_name LIKE 'leak%' AND a.type = 'object' AND a.name IN ('Object', 'Leak', 'Array')
GROUP BY ALL
ORDER BY ALL;
