-- inputs: node22.heapsnapshot.gz
-- Which classes of the program hold how much?
SELECT type, name, count, self_size
FROM heap_class
WHERE name IN ('Größe', 'Base', 'Derived', 'Secret', 'Texts', 'renamed "old" \ style', 'OldStyle')
ORDER BY name;
