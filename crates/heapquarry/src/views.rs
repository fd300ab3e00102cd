//! `views.sql`: the tables by name, the joins that people want first, and TraceStreamer's tables, for DuckDB.

use heapquarry_sink::Layout;
use heapquarry_tables::{JS_HEAP_ANALYSIS, JS_HEAP_TABLES, Table};
use std::fmt::Write;

/// Views over heap tables; they need all of these.
const HEAP_VIEWS: &str = include_str!("views.sql");

/// Views over those and the analysis.
const ANALYSIS_VIEWS: &str = include_str!("views_analysis.sql");

/// TraceStreamer's tables that no document of these formats fills.
const EMPTY: [(&str, &str); 4] = [
    (
        "js_config",
        "NULL::INTEGER AS pid, NULL::INTEGER AS type, NULL::INTEGER AS \"interval\", \
         NULL::INTEGER AS capture_numeric_value, NULL::INTEGER AS trace_allocation, \
         NULL::INTEGER AS enable_cpu_profiler, NULL::INTEGER AS cpu_profiler_interval",
    ),
    (
        "js_cpu_profiler_node",
        "NULL::INTEGER AS function_id, NULL::INTEGER AS function_index, NULL::VARCHAR AS script_id, \
         NULL::INTEGER AS url_index, NULL::INTEGER AS line_number, NULL::INTEGER AS column_number, \
         NULL::INTEGER AS hit_count, NULL::VARCHAR AS children, NULL::INTEGER AS parent_id",
    ),
    (
        "js_cpu_profiler_sample",
        "NULL::INTEGER AS id, NULL::INTEGER AS function_id, NULL::BIGINT AS start_time, \
         NULL::BIGINT AS end_time, NULL::BIGINT AS dur",
    ),
    ("data_dict", "NULL::INTEGER AS id, NULL::VARCHAR AS data"),
];

pub(crate) fn sql(layout: Layout, tables: &[&'static Table]) -> String {
    let mut sql = String::from(
        "-- For DuckDB. File names are relative to this directory: start DuckDB in it, or first\n\
         -- SET file_search_path = '<this directory>';\n\n",
    );
    for table in tables {
        let name = table.name;
        let files = match layout {
            Layout::Flat => format!("'{name}.parquet'"),
            // The token of the path would become a column that the flat layout does not have.
            _ => format!("'{name}/*/*.parquet', hive_partitioning = false"),
        };
        let _ =
            writeln!(sql, "CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet({files});");
    }
    sql.push('\n');
    if JS_HEAP_TABLES.iter().all(|table| tables.contains(table)) {
        sql.push_str(HEAP_VIEWS);
        if tables.contains(&&JS_HEAP_ANALYSIS) {
            sql.push_str(ANALYSIS_VIEWS);
        }
        for (name, columns) in EMPTY {
            let _ = writeln!(
                sql,
                "\nCREATE OR REPLACE VIEW tracestreamer.{name} AS\nSELECT {columns} WHERE false;"
            );
        }
    }
    sql
}
