//! Renders the declarations as text, Markdown, JSON and SQL.

use crate::{SCHEMA_VERSION, Table, Type};
use std::fmt::Write;

/// Name of a type in DuckDB.
pub fn sql_type(ty: Type) -> &'static str {
    match ty {
        Type::Int32 => "INTEGER",
        Type::Int64 => "BIGINT",
        Type::Float64 => "DOUBLE",
        Type::Timestamp => "TIMESTAMP WITH TIME ZONE",
        Type::Text | Type::Label => "VARCHAR",
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Int32 => "INT32",
        Type::Int64 => "INT64",
        Type::Float64 => "DOUBLE",
        Type::Timestamp => "timestamp",
        Type::Text => "string",
        Type::Label => "dict",
    }
}

/// Text for a terminal: a table with its columns, types and meanings.
pub fn text(table: &Table) -> String {
    let mut out = format!("{}\n  {}\n", table.name, table.doc);
    let width = table.columns.iter().map(|c| c.name.len()).max().unwrap_or(0);
    let types = table.columns.iter().map(|c| type_name(c.ty).len()).fold(6, usize::max);
    for c in table.columns {
        let null = if c.nullable { "null" } else { "" };
        let _ =
            writeln!(out, "  {:width$}  {:types$} {null:4}  {}", c.name, type_name(c.ty), c.doc);
    }
    out
}

/// `docs/schema.md`: all tables.
pub fn markdown<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let generated = format!(
        "Schema version {SCHEMA_VERSION}. Generated from `crates/heapquarry-tables`: \
         `heapquarry schema --format markdown > docs/schema.md`."
    );
    let types = "`dict` is a dictionary-encoded string (`category` in pandas, `VARCHAR` in DuckDB). Columns and \
                 tables may be added; those below do not change.";
    let mut out = format!("# Tables\n\n{}\n\n{}\n", wrapped(&generated), wrapped(types));
    for table in tables {
        let _ = write!(
            out,
            "\n## {}\n\n{}\n\n| column | type | null | meaning |\n",
            table.name,
            wrapped(table.doc)
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

/// A paragraph in lines of at most 120 columns.
fn wrapped(text: &str) -> String {
    let (mut out, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let word_width = word.chars().count();
        if width > 0 && width + 1 + word_width > 120 {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word_width;
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

/// A JSON document: `{"schema_version":1,"tables":[{"name","doc","columns":[…]}]}`. A column has `name`, `type`,
/// `nullable`, `doc`, and `unit` if it has one.
pub fn json<'a>(tables: impl IntoIterator<Item = &'a Table>) -> String {
    let tables = tables.into_iter().map(|table| {
        let columns = table.columns.iter().map(|c| {
            let unit =
                c.unit.map_or(String::new(), |unit| format!(r#""unit":{:?},"#, unit.symbol()));
            format!(
                r#"{{"name":{:?},"type":{:?},"nullable":{},{unit}"doc":{}}}"#,
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

/// Quotes text for JSON. The docs are plain printable text, so two escapes are enough.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped_between_words() {
        assert_eq!(wrapped("a b"), "a b");
        let (word, long) = ("x".repeat(60), "y".repeat(130));
        assert_eq!(wrapped(&format!("{word} {word} z")), format!("{word}\n{word} z"));
        assert_eq!(wrapped(&format!("a {long} b")), format!("a\n{long}\nb"));
    }

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
