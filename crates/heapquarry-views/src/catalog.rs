//! The views, as the `.sql` files here define them, and which tables they need.

use heapquarry_tables::{
    FTRACE_TABLES, HTRACE_TABLES, JS_CPU_PROFILER_NODE, JS_CPU_PROFILER_TABLES, JS_HEAP_ANALYSIS,
    JS_HEAP_EDGES, JS_HEAP_FILES, JS_HEAP_INFO, JS_HEAP_LOCATION, JS_HEAP_NODES, JS_HEAP_SAMPLE,
    JS_HEAP_SAMPLING_NODE, JS_HEAP_STRING, JS_HEAP_TABLES, JS_HEAP_TRACE_FUNCTION_INFO,
    JS_HEAP_TRACE_NODE, MEMORY_TABLES, PPROF_TABLES, SELF_PROFILE_TABLES, TIMELINE_TABLES,
    TRACE_TABLES, Table,
};

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
static GROUPS: [Group; 14] = [
    Group { tables: &[&HEAP], sql: include_str!("heap.sql") },
    Group { tables: &[&JS_HEAP_TABLES], sql: include_str!("scopes.sql") },
    Group { tables: &[&HEAP, &ANALYSED], sql: include_str!("analysis.sql") },
    Group { tables: &[&JS_CPU_PROFILER_TABLES], sql: include_str!("cpu_profile.sql") },
    Group { tables: &[&SELF_PROFILE_TABLES], sql: include_str!("self_profile.sql") },
    Group { tables: &[&PPROF_TABLES], sql: include_str!("pprof.sql") },
    Group { tables: &[&TIMELINE_TABLES], sql: include_str!("timeline.sql") },
    Group { tables: &[&TIMELINE_TABLES], sql: include_str!("perfetto.sql") },
    Group { tables: &[&TIMELINE_TABLES, &TRACE_TABLES], sql: include_str!("perfetto_args.sql") },
    Group { tables: &[&TIMELINE_TABLES, &FTRACE_TABLES], sql: include_str!("perfetto_sched.sql") },
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

/// A view over the tables of a directory, or a function of such a view.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View {
    /// `main`, or the schema with the tables of another tool: `tracestreamer`, `perfetto`.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The parameters of a function, which DuckDB calls a macro; `None` for a view.
    pub params: Option<String>,
    /// What a row is, or the value of a function.
    pub doc: String,
    /// The query; for a function its definition, which begins with `TABLE` if it has rows.
    pub sql: String,
    /// The tables that it needs, with all columns.
    pub tables: Vec<&'static Table>,
}

/// The beginning of each definition in the files.
const CREATE: &str = "CREATE OR REPLACE ";

impl View {
    /// Whether it needs tables of the heap analysis.
    pub fn needs_analysis(&self) -> bool {
        self.tables.contains(&ANALYSED[0])
    }

    /// The name as it is written in a query.
    pub fn full_name(&self) -> String {
        match self.schema.as_str() {
            "main" => self.name.clone(),
            schema => format!("{schema}.{}", self.name),
        }
    }

    /// The statement that makes it under this name, with this query in place of its own.
    pub fn statement(&self, name: &str, sql: &str) -> String {
        match &self.params {
            None => format!("CREATE OR REPLACE VIEW {name} AS\n{sql};"),
            Some(params) => format!("CREATE OR REPLACE MACRO {name}({params}) AS {sql};"),
        }
    }

    /// What SQL calls it: `VIEW`, `MACRO`, or `MACRO TABLE` if it has rows.
    pub fn kind(&self) -> &'static str {
        match self.params {
            None => "VIEW",
            Some(_) if self.sql.starts_with("TABLE") => "MACRO TABLE",
            Some(_) => "MACRO",
        }
    }

    /// The names of its columns, where each is written out.
    pub(super) fn columns(&self) -> Vec<&str> {
        let list = self.sql.split_once("SELECT").and_then(|(_, rest)| rest.split_once("FROM"));
        let columns = list.map_or("", |(list, _)| list).split(',').map(str::trim);
        columns.map(|column| column.rsplit(['.', ' ']).next().unwrap_or(column)).collect()
    }

    fn parse(file: &str, tables: &[&'static Table]) -> Vec<Self> {
        let (mut views, mut doc) = (Vec::new(), Vec::new());
        let mut lines = file.lines();
        while let Some(line) = lines.next() {
            if let Some(comment) = line.strip_prefix("-- ") {
                doc.push(comment);
                continue;
            }
            let Some(definition) = line.strip_prefix(CREATE) else {
                doc.clear();
                continue;
            };
            let (full_name, rest) = definition.split_once(" AS").expect("a name and a query");
            let (kind, full_name) = full_name.split_once(' ').expect("VIEW or MACRO, and a name");
            let (full_name, params) = match full_name.strip_suffix(')').filter(|_| kind == "MACRO")
            {
                Some(name) => {
                    let (name, params) = name.split_once('(').expect("parameters in parentheses");
                    (name, Some(params.into()))
                }
                None => (full_name, None),
            };
            let mut sql = vec![rest.trim_start()];
            while !sql.last().is_some_and(|line| line.ends_with(';')) {
                sql.push(lines.next().expect("a semicolon at the end"));
            }
            let sql = sql.join("\n").trim_start().trim_end_matches(';').to_owned();
            let (schema, name) = full_name.split_once('.').unwrap_or(("main", full_name));
            let own = std::mem::take(&mut doc).join(" ");
            let doc = match schema {
                "tracestreamer" => format!("TraceStreamer's table {name}. {own}"),
                "perfetto" if params.is_some() => format!("Perfetto's function {name}. {own}"),
                "perfetto" => format!("Perfetto's table {name}. {own}"),
                _ => own,
            };
            let (schema, name, doc) = (schema.into(), name.into(), doc.trim_end().into());
            views.push(View { schema, name, params, doc, sql, tables: tables.to_vec() });
        }
        views
    }

    /// A table of TraceStreamer that no document fills.
    fn empty(name: &str, columns: &str) -> Self {
        let columns = columns.split(", ").map(|column| {
            let (name, ty) = column.trim().split_once(' ').expect("a name and a type");
            format!("NULL::{ty} AS {name}")
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        View {
            schema: "tracestreamer".into(),
            name: name.into(),
            params: None,
            doc: format!("TraceStreamer's table {name}."),
            sql: format!("SELECT {columns} WHERE false"),
            tables: Vec::new(),
        }
    }
}

/// All views, in an order in which they can be made.
pub(super) fn all() -> Vec<View> {
    over(|_| true)
}

/// The views over these tables.
fn over(has: impl Fn(&&'static Table) -> bool) -> Vec<View> {
    let trees = CALL_TREES.iter().filter(|tree| has(&tree.nodes));
    let trees = trees.flat_map(|tree| View::parse(&tree.sql(), &[tree.nodes]));
    let groups = GROUPS.iter().map(|group| (group.sql, group.tables.concat()));
    let groups = groups.filter(|(_, tables)| tables.iter().all(&has));
    trees.chain(groups.flat_map(|(sql, tables)| View::parse(sql, &tables))).collect()
}

/// The views that these tables suffice for. If there are any, also those of TraceStreamer's tables that stay empty.
pub(super) fn of(tables: &[&'static Table]) -> Vec<View> {
    let mut views = over(|table| tables.contains(table));
    if !views.is_empty() {
        let is_there = |views: &[View], name: &str| {
            views.iter().any(|view| view.schema == "tracestreamer" && view.name == name)
        };
        for (name, columns) in TRACESTREAMER {
            if !is_there(&views, name) {
                views.push(View::empty(name, columns));
            }
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_tracestreamer_is_there_whatever_was_read() {
        for group in &GROUPS {
            let views = of(&group.tables.concat());
            for (name, _) in TRACESTREAMER {
                let is_it = |view: &&View| view.schema == "tracestreamer" && view.name == name;
                assert_eq!(views.iter().filter(is_it).count(), 1, "{name}");
            }
        }
    }

    #[test]
    fn every_view_says_what_it_is() {
        let views = all();
        for view in &views {
            assert!(view.doc.ends_with('.') && view.doc.len() > 15, "{}: {}", view.name, view.doc);
            assert!(!view.sql.contains(CREATE) && !view.sql.ends_with(';'), "{}", view.name);
            let same = |other: &&View| other.full_name() == view.full_name();
            assert_eq!(views.iter().filter(same).count(), 1, "{}", view.name);
        }
        let files = GROUPS.iter().map(|group| group.sql.matches(CREATE).count()).sum::<usize>();
        assert_eq!(views.len(), files + 2 * 2);
        let analysed: Vec<_> = views.iter().filter(|view| view.needs_analysis()).collect();
        assert_eq!(analysed.len(), 1);
        assert_eq!(analysed[0].columns()[..3], ["file_id", "node_index", "id"]);
        assert_eq!(*analysed[0].columns().last().unwrap(), "is_unreachable");
    }
}
