-- Each argument also as text, in display_value.
CREATE OR REPLACE VIEW perfetto.args AS
SELECT arg_set_id, flat_key, key, int_value, string_value, real_value, value_type,
       CASE value_type WHEN 'bool' THEN CASE int_value WHEN 0 THEN 'false' ELSE 'true' END
           ELSE coalesce(string_value, int_value::VARCHAR, real_value::VARCHAR) END AS display_value,
       file_id
FROM main.args;

-- An argument as text; cast it to compare it with numbers. Of several traces, the file must be named: of_file := file_id.
CREATE OR REPLACE MACRO perfetto.extract_arg(arg_set, arg_key, of_file := NULL) AS (
SELECT CASE WHEN count(DISTINCT "its file") > 1
    THEN error('several traces have these arguments: extract_arg(arg_set_id, key, of_file := file_id)')
    ELSE max("its value") END
FROM (
    SELECT arg_set_id AS "its set", key AS "its key", file_id AS "its file",
           coalesce(string_value, int_value::VARCHAR, real_value::VARCHAR) AS "its value"
    FROM main.args
) WHERE "its set" = arg_set AND "its key" = arg_key AND (of_file IS NULL OR "its file" = of_file));
