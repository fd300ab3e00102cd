-- inputs: node24.heaptimeline.gz node12-insession.heaptimeline.gz
-- Which functions of the program allocated what is still alive?
SELECT s.name AS source, a.function_name, a.line_number, a.type, count(*) AS nodes, sum(a.self_size) AS self_size
FROM heap_allocation a JOIN source s USING (file_id)
WHERE a.function_name LIKE 'leak%' OR a.function_name = 'Leak'
GROUP BY ALL
ORDER BY ALL;
