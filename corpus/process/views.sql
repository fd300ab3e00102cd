-- For DuckDB 1.2 or later. First tell where this directory is:
--   SET VARIABLE heapquarry_dir = '/the/absolute/path/of/this/directory';
-- `heapquarry views DIR` prints views that need no variable, for any schema.

SET VARIABLE heapquarry_6f3f84ead31a792a = CASE
  WHEN coalesce(getvariable('heapquarry_dir'), '') = ''
  THEN error('first: SET VARIABLE heapquarry_dir = ''<the absolute path of this directory>''')
  WHEN NOT regexp_matches(getvariable('heapquarry_dir'), '^([/\\]|[A-Za-z]:|[a-z0-9]+://)')
  THEN error('heapquarry_dir is not an absolute path: ' || getvariable('heapquarry_dir'))
  ELSE regexp_replace(getvariable('heapquarry_dir'), '([*?\[])', '[\1]', 'g') END;
SELECT error('heapquarry_dir is another directory than this views.sql: ' || getvariable('heapquarry_dir'))
FROM read_text(getvariable('heapquarry_6f3f84ead31a792a') || '/_manifest.json')
WHERE sha256(content) <> '6f3f84ead31a792a96f66a44efb0fdc79620d6b517a4185b076d0f02e3843034';

CREATE OR REPLACE VIEW main.process_watch AS
SELECT * FROM read_parquet(coalesce(getvariable('heapquarry_6f3f84ead31a792a'), '(first SET VARIABLE heapquarry_6f3f84ead31a792a = its directory)') || '/process_watch.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW main.process_sample AS
SELECT * FROM read_parquet(coalesce(getvariable('heapquarry_6f3f84ead31a792a'), '(first SET VARIABLE heapquarry_6f3f84ead31a792a = its directory)') || '/process_sample.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW main.process_map AS
SELECT * FROM read_parquet(coalesce(getvariable('heapquarry_6f3f84ead31a792a'), '(first SET VARIABLE heapquarry_6f3f84ead31a792a = its directory)') || '/process_map.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW main.heap_space_sample AS
SELECT * FROM read_parquet(coalesce(getvariable('heapquarry_6f3f84ead31a792a'), '(first SET VARIABLE heapquarry_6f3f84ead31a792a = its directory)') || '/heap_space_sample.parquet', hive_partitioning = false);
CREATE OR REPLACE VIEW main.process_collection AS
SELECT * FROM read_parquet(coalesce(getvariable('heapquarry_6f3f84ead31a792a'), '(first SET VARIABLE heapquarry_6f3f84ead31a792a = its directory)') || '/process_collection.parquet', hive_partitioning = false);
