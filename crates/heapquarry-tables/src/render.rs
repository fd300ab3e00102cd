//! The declarations as text, Markdown, JSON and SQL.

use crate::{SCHEMA_VERSION, Table, Type};
use std::fmt::Write;

/// Name of a type in DuckDB.
pub fn sql_type(ty: Type) -> &'static str {
    match ty {
        Type::Int32 => "INTEGER",
        Type::Int64 => "BIGINT",
        Type::Float64 => "DOUBLE",
        Type::Text | Type::Label => "VARCHAR",
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Int32 => "INT32",
        Type::Int64 => "INT64",
        Type::Float64 => "DOUBLE",
        Type::Text => "string",
        Type::Label => "dict",
    }
}

/// For a terminal: a table with its columns, types and meanings.
pub fn text(table: &Table) -> String {
    let mut out = format!("{}\n  {}\n", table.name, table.doc);
    let width = table.columns.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for c in table.columns {
        let null = if c.nullable { "null" } else { "" };
        let _ = writeln!(out, "  {:width$}  {:6} {null:4}  {}", c.name, type_name(c.ty), c.doc);
    }
    out
}

/// `docs/schema.md`: all tables.
pub fn markdown<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let mut out = format!(
        "# Tables\n\nSchema version {SCHEMA_VERSION}. Generated from `crates/heapquarry-tables`: \
         `heapquarry schema --format markdown > docs/schema.md`.\n\n\
         `dict` is a dictionary-encoded string (`category` in pandas, `VARCHAR` in DuckDB). Columns and \
         tables may be added; those below do not change.\n"
    );
    for table in tables {
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\n| column | type | null | meaning |\n",
            table.name, table.doc
        );
        out.push_str("| --- | --- | --- | --- |\n");
        for c in table.columns {
            let null = if c.nullable { "yes" } else { "" };
            let doc = c.doc.replace('|', "\\|");
            let _ = writeln!(out, "| {} | {} | {null} | {doc} |", c.name, type_name(c.ty));
        }
    }
    out
}

/// `CREATE TABLE` statements for DuckDB.
pub fn sql<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let mut out = String::new();
    for table in tables {
        let _ = writeln!(out, "-- {}\nCREATE TABLE {} (", table.doc, table.name);
        for (i, c) in table.columns.iter().enumerate() {
            let comma = if i + 1 < table.columns.len() { "," } else { "" };
            let null = if c.nullable { "" } else { " NOT NULL" };
            let _ = writeln!(out, "  {} {}{null}{comma} -- {}", c.name, sql_type(c.ty), c.doc);
        }
        out.push_str(");\n");
    }
    out
}

/// A JSON document: `{"schema_version":1,"tables":[{"name","doc","columns":[{"name","type","nullable","doc"}]}]}`.
pub fn json<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let tables = tables.into_iter().map(|table| {
        let columns = table.columns.iter().map(|c| {
            format!(
                r#"{{"name":{:?},"type":{:?},"nullable":{},"doc":{}}}"#,
                c.name,
                type_name(c.ty),
                c.nullable,
                quoted(c.doc)
            )
        });
        let columns = columns.collect::<Vec<_>>().join(",\n      ");
        format!(
            "{{\"name\":{:?},\"doc\":{},\"columns\":[\n      {columns}]}}",
            table.name,
            quoted(table.doc)
        )
    });
    let tables = tables.collect::<Vec<_>>().join(",\n    ");
    format!("{{\"schema_version\":{SCHEMA_VERSION},\"tables\":[\n    {tables}]}}\n")
}

/// Our docs are plain printable text, so quoting needs two escapes only.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderings_name_every_column() {
        let all = || crate::all();
        for rendered in
            [markdown(all()), sql(all()), json(all()), all().map(text).collect::<String>()]
        {
            for table in all() {
                assert!(rendered.contains(table.name));
                for c in table.columns {
                    assert!(rendered.contains(c.name), "{}.{}", table.name, c.name);
                }
            }
        }
    }
}
