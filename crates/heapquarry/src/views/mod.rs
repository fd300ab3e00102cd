//! `views.sql` for DuckDB: the tables by name, common joins, and TraceStreamer's tables.

use heapquarry_sink::Layout;
use heapquarry_tables::{
    HTRACE_TABLES, JS_CPU_PROFILER_NODE, JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS, JS_HEAP_EDGES,
    JS_HEAP_FILES, JS_HEAP_INFO, JS_HEAP_LOCATION, JS_HEAP_NODES, JS_HEAP_SAMPLE,
    JS_HEAP_SAMPLING_NODE, JS_HEAP_STRING, JS_HEAP_TABLES, JS_HEAP_TRACE_FUNCTION_INFO,
    JS_HEAP_TRACE_NODE, MEMORY_TABLES, SELF_PROFILE_TABLES, TIMELINE_TABLES, TRACE_TABLES, Table,
};
use std::fmt::Write;

/// Tables that views over a heap need, which TraceStreamer has too.
static HEAP: [&Table; 9] = [
    &JS_HEAP_FILES,
    &JS_HEAP_INFO,
    &JS_HEAP_NODES,
    &JS_HEAP_EDGES,
    &JS_HEAP_STRING,
    &JS_HEAP_LOCATION,
    &JS_HEAP_SAMPLE,
    &JS_HEAP_TRACE_FUNCTION_INFO,
    &JS_HEAP_TRACE_NODE,
];

/// Further tables that views over an analysis need.
static ANALYSED: [&Table; 1] = [&JS_HEAP_ANALYSIS];

/// Views over the tables of a format. They need all of these tables.
struct Group {
    tables: &'static [&'static [&'static Table]],
    sql: &'static str,
}

/// In order: later ones may use the views of earlier ones.
static GROUPS: [Group; 10] = [
    Group { tables: &[&HEAP], sql: include_str!("heap.sql") },
    Group { tables: &[&JS_HEAP_TABLES], sql: include_str!("scopes.sql") },
    Group { tables: &[&HEAP, &ANALYSED], sql: include_str!("analysis.sql") },
    Group { tables: &[&JS_CPU_PROFILER_TABLES], sql: include_str!("cpu_profile.sql") },
    Group { tables: &[&SELF_PROFILE_TABLES], sql: include_str!("self_profile.sql") },
    Group { tables: &[&TIMELINE_TABLES], sql: include_str!("timeline.sql") },
    Group { tables: &[&TIMELINE_TABLES, &TRACE_TABLES], sql: include_str!("timeline_args.sql") },
    Group { tables: &[&TIMELINE_TABLES, &MEMORY_TABLES], sql: include_str!("memory.sql") },
    Group {
        tables: &[&TIMELINE_TABLES, &TRACE_TABLES, &JS_CPU_PROFILER_TABLES],
        sql: include_str!("trace_profile.sql"),
    },
    Group { tables: &[&HTRACE_TABLES], sql: include_str!("htrace.sql") },
];

/// Views over a table of calls, the same for all of these.
struct CallTree {
    nodes: &'static Table,
    /// Names of its views, of the columns with ids and sums, and of what is summed by function, as `call_tree.sql` uses
    /// them.
    names: [(&'static str, &'static str); 5],
}

static CALL_TREES: [CallTree; 2] = [
    CallTree {
        nodes: &JS_CPU_PROFILER_NODE,
        names: [
            ("{view}", "cpu_profile"),
            ("{id}", "function_id"),
            ("{self}", "self_time_us"),
            ("{total}", "total_time_us"),
            ("{sums}", "sum(hit_count) AS hit_count, sum(self_time_us) AS self_time_us"),
        ],
    },
    CallTree {
        nodes: &JS_HEAP_SAMPLING_NODE,
        names: [
            ("{view}", "heap_profile"),
            ("{id}", "node_id"),
            ("{self}", "self_size"),
            ("{total}", "total_size"),
            ("{sums}", "sum(self_size) AS self_size"),
        ],
    },
];

impl CallTree {
    fn sql(&self) -> String {
        let sql = include_str!("call_tree.sql").replace("{nodes}", self.nodes.name);
        self.names.iter().fold(sql, |sql, (name, meaning)| sql.replace(name, meaning))
    }
}

/// TraceStreamer's tables with their columns, for tables that no document fills.
const TRACESTREAMER: [(&str, &str); 13] = [
    (
        "js_config",
        "pid INTEGER, type INTEGER, \"interval\" INTEGER, capture_numeric_value INTEGER, \
         trace_allocation INTEGER, enable_cpu_profiler INTEGER, cpu_profiler_interval INTEGER",
    ),
    (
        "js_heap_files",
        "id INTEGER, file_name VARCHAR, start_time BIGINT, end_time BIGINT, self_size BIGINT",
    ),
    (
        "js_heap_info",
        "file_id INTEGER, key VARCHAR, type INTEGER, int_value BIGINT, str_value VARCHAR",
    ),
    (
        "js_heap_nodes",
        "file_id INTEGER, node_index BIGINT, type BIGINT, name INTEGER, id BIGINT, self_size BIGINT, \
         edge_count INTEGER, trace_node_id INTEGER, detachedness INTEGER",
    ),
    (
        "js_heap_edges",
        "file_id INTEGER, edge_index BIGINT, type BIGINT, name_or_index BIGINT, to_node BIGINT, \
         from_node_id BIGINT, to_node_id BIGINT",
    ),
    ("js_heap_string", "file_id INTEGER, file_index INTEGER, string VARCHAR"),
    (
        "js_heap_location",
        "file_id INTEGER, object_index BIGINT, script_id INTEGER, line INTEGER, \"column\" INTEGER",
    ),
    ("js_heap_sample", "file_id INTEGER, timestamp_us BIGINT, last_assigned_id BIGINT"),
    (
        "js_heap_trace_function_info",
        "file_id INTEGER, function_index INTEGER, function_id BIGINT, name INTEGER, script_name INTEGER, \
         script_id INTEGER, line INTEGER, \"column\" INTEGER",
    ),
    (
        "js_heap_trace_node",
        "file_id INTEGER, id BIGINT, function_info_index INTEGER, count BIGINT, size BIGINT, parent_id BIGINT",
    ),
    (
        "js_cpu_profiler_node",
        "function_id BIGINT, function_index BIGINT, script_id VARCHAR, url_index BIGINT, \
         line_number BIGINT, column_number INTEGER, hit_count BIGINT, children VARCHAR, parent_id BIGINT",
    ),
    (
        "js_cpu_profiler_sample",
        "id BIGINT, function_id BIGINT, start_time BIGINT, end_time BIGINT, dur BIGINT",
    ),
    ("data_dict", "id BIGINT, data VARCHAR"),
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
            // Otherwise the folder name in the path would become a column, which the flat layout does not have.
            _ => format!("'{name}/*/*.parquet', hive_partitioning = false"),
        };
        let _ =
            writeln!(sql, "CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet({files});");
    }
    let groups =
        GROUPS.iter().filter(|group| group.tables.concat().iter().all(|t| tables.contains(t)));
    let trees = CALL_TREES.iter().filter(|tree| tables.contains(&tree.nodes));
    let groups: Vec<String> =
        trees.map(CallTree::sql).chain(groups.map(|group| group.sql.into())).collect();
    if groups.is_empty() {
        return sql;
    }
    sql.push_str("\nCREATE SCHEMA IF NOT EXISTS tracestreamer;\n");
    for group in &groups {
        sql.push('\n');
        sql.push_str(group);
    }
    for (name, columns) in TRACESTREAMER {
        if groups.iter().any(|group| group.contains(&format!("VIEW tracestreamer.{name} AS"))) {
            continue;
        }
        let columns = columns.split(", ").map(|column| {
            let (name, ty) = column.trim().split_once(' ').expect("a name and a type");
            format!("NULL::{ty} AS {name}")
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            sql,
            "\nCREATE OR REPLACE VIEW tracestreamer.{name} AS\nSELECT {columns} WHERE false;"
        );
    }
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_tracestreamer_is_there_whatever_was_read() {
        for group in &GROUPS {
            let sql = sql(Layout::Flat, &group.tables.concat());
            for (name, _) in TRACESTREAMER {
                let view = format!("CREATE OR REPLACE VIEW tracestreamer.{name} AS");
                assert_eq!(sql.matches(&view).count(), 1, "{name}");
            }
        }
    }
}
