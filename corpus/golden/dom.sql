-- inputs: chromium.heapsnapshot.gz
-- What of the page hangs in the air? Elements by attachment to the document.
SELECT name, detachedness, count(*) AS nodes
FROM js_heap_nodes
WHERE type = 'native' AND (name LIKE '<section%' OR name LIKE '<span%' OR name LIKE '<li%' OR name LIKE '<custom%')
GROUP BY ALL
ORDER BY ALL;
