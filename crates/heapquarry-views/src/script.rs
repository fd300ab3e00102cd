//! Renders the definitions of views.

use super::{
    Views,
    catalog::{self, View},
    files::{literal, pattern, quoted},
    of_dir::Input,
};
use heapquarry_sink::{Layout, StoredTable};
use heapquarry_tables::{
    JS_CPU_PROFILER_FILES, JS_HEAP_ANALYSIS, JS_HEAP_ANALYSIS_TABLES, JS_HEAP_NODES,
    JS_HEAP_TABLES, SOURCE, Table, render::sql_type,
};
use std::fmt::Write;

/// Views that get no further column `source` in a union: that of a table reaches them, or they have no `file_id`.
const AS_THEY_ARE: [&str; 4] =
    ["heap_node", "memory_snapshot", "process_counter_track", "self_profile_function"];

/// The statements for directories at their present places.
pub(super) fn absolute(views: &Views) -> String {
    let names = Names::new(&views.schema);
    let mut script = Script { sql: String::new(), names, comments: views.comments };
    if views.schema != "main" {
        let _ = writeln!(script.sql, "CREATE SCHEMA IF NOT EXISTS {};", script.names.main);
    }
    let has = |table: &&'static Table, whole: bool| {
        let mut stored = views.inputs.iter().flat_map(|input| &input.tables);
        stored.any(|(t, stored)| t == table && (!whole || stored.is_whole))
            // A view over a union needs all columns in all of them.
            && (!whole || views.inputs.iter().flat_map(|i| &i.tables).all(|(t, s)| t != table || s.is_whole))
    };
    let all: Vec<&'static Table> = heapquarry_tables::all().collect();
    for table in all.iter().filter(|table| has(table, false)) {
        let parts: Vec<String> =
            views.inputs.iter().filter_map(|input| part(views, input, table)).collect();
        script.table(table, &parts.join("\nUNION ALL BY NAME\n"), has(table, true));
    }
    let whole: Vec<&'static Table> = all.into_iter().filter(|table| has(table, true)).collect();
    let sources = views.is_union.then(|| sources(&views.inputs));
    script.views(&whole, sources.as_deref());
    script.sql
}

/// The rows of a table in one directory.
fn part(views: &Views, input: &Input, table: &'static Table) -> Option<String> {
    let (_, stored) = input.tables.iter().find(|(t, _)| *t == table)?;
    let mut replaced = Vec::new();
    if let (true, first @ 1..) = (views.is_union, input.first.0) {
        replaced.push(format!("file_id + {first} AS file_id"));
        if table == &JS_CPU_PROFILER_FILES && stored.is_whole {
            replaced.push(format!("trace_file_id + {first} AS trace_file_id"));
        }
    }
    if let (Some(path), true) = (&input.path, table == &SOURCE && stored.is_whole) {
        replaced.push(format!("{} AS path", literal(path)));
    }
    let replaced = match replaced.is_empty() {
        true => String::new(),
        false => format!(" REPLACE ({})", replaced.join(", ")),
    };
    let source = match views.is_union {
        true => format!(", {} AS source", literal(&input.name)),
        false => String::new(),
    };
    let files = literal(&named(input, *stored, table));
    Some(format!("SELECT *{replaced}{source} FROM {}", read(&files)))
}

/// The column `source` by the numbers of the documents.
fn sources(inputs: &[Input]) -> String {
    let mut sql = String::from("CASE");
    for input in inputs {
        let end = input.first.plus(input.documents);
        let _ = write!(sql, " WHEN file_id < {end} THEN {}", literal(&input.name));
    }
    sql + " END"
}

/// How the views name the files of a table: a pattern.
pub(super) fn named(input: &Input, stored: StoredTable, table: &Table) -> String {
    pattern(&input.dir) + &below(stored.layout, table)
}

/// The path of a table's files in their directory.
fn below(layout: Layout, table: &Table) -> String {
    match layout {
        Layout::Flat => format!("/{}.parquet", table.name),
        Layout::Hive => format!("/{}/*/*.parquet", table.name),
    }
}

/// Otherwise a folder above the directory called `date=today` would become a column.
fn read(files: &str) -> String {
    format!("read_parquet({files}, hive_partitioning = false)")
}

/// The file `views.sql` of a directory, which does not depend on where the directory is. `manifest` is the SHA-256
/// digest of the manifest. The views find the directory by a variable with this digest in its name, which no other
/// directory uses. Before it is set, the manifest in the directory is compared.
pub fn portable(layout: Layout, whole: &[&'static Table], manifest: &[u8]) -> String {
    let digest: String = manifest.iter().map(|byte| format!("{byte:02x}")).collect();
    let variable = format!("heapquarry_{}", &digest[..16]);
    let sql = format!(
        "-- For DuckDB 1.2 or later. First tell where this directory is:\n\
         --   SET VARIABLE heapquarry_dir = '/the/absolute/path/of/this/directory';\n\
         -- `heapquarry views DIR` prints views that need no variable, for any schema.\n\n\
         SET VARIABLE {variable} = CASE\n\
         \x20 WHEN coalesce(getvariable('heapquarry_dir'), '') = ''\n\
         \x20 THEN error('first: SET VARIABLE heapquarry_dir = ''<the absolute path of this directory>''')\n\
         \x20 WHEN NOT regexp_matches(getvariable('heapquarry_dir'), '^([/\\\\]|[A-Za-z]:|[a-z0-9]+://)')\n\
         \x20 THEN error('heapquarry_dir is not an absolute path: ' || getvariable('heapquarry_dir'))\n\
         \x20 ELSE regexp_replace(getvariable('heapquarry_dir'), '([*?\\[])', '[\\1]', 'g') END;\n\
         SELECT error('heapquarry_dir is another directory than this views.sql: ' || getvariable('heapquarry_dir'))\n\
         FROM read_text(getvariable('{variable}') || '/_manifest.json')\n\
         WHERE sha256(content) <> '{digest}';\n\n"
    );
    let mut script = Script { sql, names: Names::new("main"), comments: false };
    let unset = format!("(first SET VARIABLE {variable} = its directory)");
    for table in whole {
        let files = format!(
            "coalesce(getvariable('{variable}'), '{unset}') || {}",
            literal(&below(layout, table))
        );
        script.table(table, &format!("SELECT * FROM {}", read(&files)), true);
    }
    script.views(whole, None);
    script.sql
}

/// Names of the schemas.
struct Names {
    main: String,
    tracestreamer: String,
    perfetto: String,
}

impl Names {
    fn new(schema: &str) -> Self {
        let beside = |tool: &str| match schema {
            "main" => tool.to_owned(),
            schema => quoted(&format!("{schema}_{tool}")),
        };
        let main = if schema == "main" { schema.to_owned() } else { quoted(schema) };
        Names { main, tracestreamer: beside("tracestreamer"), perfetto: beside("perfetto") }
    }

    fn of(&self, schema: &str) -> &str {
        match schema {
            "tracestreamer" => &self.tracestreamer,
            "perfetto" => &self.perfetto,
            _ => &self.main,
        }
    }

    /// A query with all names of tables and views qualified. `known` are those of the schema `main`.
    fn qualified(&self, sql: &str, known: &[&str]) -> String {
        let mut out = String::with_capacity(sql.len() + 256);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut previous = "";
        let mut rest = sql;
        while let Some(start) = rest.find(is_word) {
            let (between, word) = rest.split_at(start);
            let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
            let (word, after) = word.split_at(end);
            out.push_str(between);
            let follows = matches!(previous, "FROM" | "JOIN") && between.trim().is_empty();
            match word {
                "main" | "tracestreamer" | "perfetto" if after.starts_with('.') => {
                    out.push_str(self.of(word));
                }
                name if follows && !after.starts_with('.') && known.contains(&name) => {
                    let _ = write!(out, "{}.{name}", self.main);
                }
                word => out.push_str(word),
            }
            (previous, rest) = (word, after);
        }
        out + rest
    }
}

/// The statements.
struct Script {
    sql: String,
    names: Names,
    comments: bool,
}

impl Script {
    /// A table. Its columns have comments if all are there.
    fn table(&mut self, table: &Table, query: &str, is_whole: bool) {
        let name = format!("{}.{}", self.names.main, table.name);
        let _ = writeln!(self.sql, "CREATE OR REPLACE VIEW {name} AS\n{query};");
        if self.comments {
            let _ = writeln!(self.sql, "COMMENT ON VIEW {name} IS {};", literal(table.doc));
            if is_whole {
                self.comment_columns(&name, table);
            }
        }
    }

    fn comment_columns(&mut self, name: &str, table: &Table) {
        for column in table.columns {
            let (column, doc) = (column.name, literal(column.doc));
            let _ = writeln!(self.sql, "COMMENT ON COLUMN {name}.{column} IS {doc};");
        }
    }

    /// The views that these tables suffice for, and what is missing of the analysis.
    fn views(&mut self, tables: &[&'static Table], sources: Option<&str>) {
        let views = catalog::of(tables);
        for schema in ["tracestreamer", "perfetto"] {
            if views.iter().any(|view| view.schema == schema) {
                let _ =
                    writeln!(self.sql, "CREATE SCHEMA IF NOT EXISTS {};", self.names.of(schema));
            }
        }
        let names: Vec<String> = views
            .iter()
            .filter(|view| view.schema == "main")
            .map(|view| view.name.clone())
            .chain(tables.iter().map(|table| table.name.to_owned()))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for view in &views {
            let query = self.names.qualified(&view.sql, &names);
            let query = match sources {
                Some(sources) if view.schema == "main" && !AS_THEY_ARE.contains(&&*view.name) => {
                    format!(
                        "SELECT *, {sources} AS source FROM (
{query}
)"
                    )
                }
                _ => query,
            };
            self.view(view, &query);
        }
        if JS_HEAP_TABLES.iter().all(|table| tables.contains(table)) {
            self.missing(tables, sources.is_some());
        }
    }

    fn view(&mut self, view: &View, query: &str) {
        let name = format!("{}.{}", self.names.of(&view.schema), view.name);
        let _ = writeln!(self.sql, "{}", view.statement(&name, query));
        if self.comments {
            let kind = view.kind();
            let _ = writeln!(self.sql, "COMMENT ON {kind} {name} IS {};", literal(&view.doc));
        }
    }

    /// Views in place of what the analysis of a heap would write: any query of them is an error that says so.
    fn missing(&mut self, tables: &[&'static Table], is_union: bool) {
        let all = catalog::all();
        let views = all.iter().filter(|view| {
            view.needs_analysis() && !view.tables.iter().all(|table| tables.contains(table))
        });
        let of_views = views.map(|view| {
            let columns = view.columns().into_iter().map(|name| (name, column_type(name)));
            (view.name.as_str(), columns.collect::<Vec<_>>())
        });
        let missing = JS_HEAP_ANALYSIS_TABLES.iter().filter(|table| !tables.contains(table));
        let of_tables = missing.map(|table| {
            let columns = table.columns.iter().map(|c| (c.name, sql_type(c.ty)));
            (table.name, columns.collect::<Vec<_>>())
        });
        for (name, columns) in of_tables.chain(of_views).collect::<Vec<_>>() {
            let error = literal(&format!(
                "{name} needs the analysis of the heap: convert the input with --analyze"
            ));
            // Each column for itself: a constant could be all that a query needs.
            let columns = columns.iter().copied().chain(is_union.then_some(("source", "VARCHAR")));
            let columns = columns.map(|(name, ty)| format!("error({error})::{ty} AS {name}"));
            let columns = columns.collect::<Vec<_>>().join(", ");
            let name = format!("{}.{name}", self.names.main);
            let _ = writeln!(
                self.sql,
                "CREATE OR REPLACE VIEW {name} AS\nSELECT {columns} WHERE error({error})::BOOLEAN;"
            );
        }
    }
}

/// The type of a column of the views over an analysis, which join nodes with what it says of them.
fn column_type(name: &str) -> &'static str {
    let mut columns =
        [&JS_HEAP_NODES, &JS_HEAP_ANALYSIS].into_iter().flat_map(|table| table.columns);
    columns.find(|column| column.name == name).map_or("VARCHAR", |column| sql_type(column.ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn names_are_qualified_where_tables_are_read() {
        let names = Names::new("a b");
        let known = ["slice", "thread"];
        for (sql, expected) in [
            ("SELECT slice FROM slice s", "SELECT slice FROM \"a b\".slice s"),
            (
                "FROM main.slice JOIN\nthread USING (x)",
                "FROM \"a b\".slice JOIN\n\"a b\".thread USING (x)",
            ),
            ("FROM tracestreamer.slice", "FROM \"a b_tracestreamer\".slice"),
            ("FROM (SELECT 'é' FROM other)", "FROM (SELECT 'é' FROM other)"),
            ("FROM slice.x", "FROM slice.x"),
        ] {
            assert_eq!(names.qualified(sql, &known), expected);
        }
        assert_eq!(Names::new("main").qualified("FROM perfetto.slice", &[]), "FROM perfetto.slice");
    }

    #[test]
    fn the_portable_file_does_not_depend_on_its_place_but_on_the_manifest() {
        let sql = |text: &str| portable(Layout::Flat, &[&SOURCE], &Sha256::digest(text));
        assert_eq!(sql("{}"), sql("{}"));
        assert_ne!(sql("{}"), sql("{} "));
        assert!(sql("{}").contains("getvariable('heapquarry_44136fa355b3678a')"), "{}", sql("{}"));
    }
}
