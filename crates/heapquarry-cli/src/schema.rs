//! The commands `schema` and `views`.

use crate::{
    args::{Schema, SchemaFormat, Views},
    failure::Failure,
};
use heapquarry::{
    report::{near, printable},
    tables::{self, render},
    views::{self, View},
};
use heapquarry_store::duckdb::Engine;
use std::io::Write;

/// Describes tables and views.
pub(crate) fn describe(args: &Schema, out: &mut impl Write) -> Result<(), Failure> {
    let mut views = views::all();
    let tables: Vec<_> = match &args.table {
        None => tables::all().collect(),
        Some(name) if views.iter().any(|view| view.full_name() == *name) => {
            views.retain(|view| view.full_name() == *name);
            // A table and a view of another schema can have the same name.
            tables::by_name(name).into_iter().collect()
        }
        Some(name) => {
            let Some(table) = tables::by_name(name) else { return Err(unknown(name, &views)) };
            views.clear();
            vec![table]
        }
    };
    let tables = tables.into_iter();
    let text = match args.format {
        SchemaFormat::Text => {
            let views = views.iter().map(text);
            tables.map(render::text).chain(views).collect::<Vec<_>>().join("\n")
        }
        SchemaFormat::Json => json(tables, &views),
        SchemaFormat::Sql => {
            let views = views.iter().map(|view| {
                let statement = view.statement(&view.full_name(), &view.sql);
                format!("-- {}\n{}\n", doc(view), statement.replacen(" OR REPLACE", "", 1))
            });
            render::sql(tables) + &views.collect::<String>()
        }
        SchemaFormat::Markdown => markdown(tables, &views),
    };
    Ok(out.write_all(text.as_bytes())?)
}

/// The error for what is neither a table nor a view.
fn unknown(name: &str, views: &[View]) -> Failure {
    let views: Vec<String> = views.iter().map(View::full_name).collect();
    let names = tables::all().map(|table| table.name).chain(views.iter().map(String::as_str));
    let near = near(name, names);
    Failure::Wrong(match near[..] {
        [] => format!("unknown table or view ({name:?}); `heapquarry schema` lists them"),
        _ => format!("unknown table or view ({name:?}): did you mean {}?", near.join(" or ")),
    })
}

fn doc(view: &View) -> String {
    let analysis = if view.needs_analysis() { " Needs `--analyze`." } else { "" };
    format!("{}{analysis}", view.doc)
}

fn text(view: &View) -> String {
    let sql = view.sql.replace('\n', "\n  ");
    let name = match &view.params {
        None => format!("{} (view)", view.full_name()),
        Some(params) => format!("{}({params}) (function)", view.full_name()),
    };
    format!("{name}\n  {}\n  {sql}\n", doc(view))
}

/// The document of the tables, with a further member `views`.
fn json<'a>(tables: impl Iterator<Item = &'a tables::Table>, views: &[View]) -> String {
    let views = views.iter().map(|view| {
        let view = serde_json::json!({
            "name": view.full_name(),
            "params": view.params,
            "doc": view.doc,
            "needs_analysis": view.needs_analysis(),
            "sql": view.sql,
        });
        view.to_string()
    });
    let views = views.collect::<Vec<_>>().join(",\n    ");
    let text = render::json(tables);
    let text = text.strip_suffix("]}\n").unwrap_or(&text);
    format!("{text}],\n  \"views\":[\n    {views}]}}\n")
}

fn markdown<'a>(tables: impl Iterator<Item = &'a tables::Table>, views: &[View]) -> String {
    let mut text = render::markdown(tables);
    if !views.is_empty() {
        text.push_str("\n## Views\n\nIn DuckDB: see [query](query.md).\n\n| view | meaning |\n| --- | --- |\n");
    }
    for view in views {
        text.push_str(&format!("| {} | {} |\n", view.full_name(), doc(view).replace('|', "\\|")));
    }
    text
}

/// Prints the views over directories, or writes a database with them.
pub(crate) fn views(args: &Views, out: &mut impl Write) -> Result<(), Failure> {
    if args.duckdb {
        let engine = Engine::find()?;
        for dir in &args.dirs {
            let path = engine.write_database(dir)?;
            writeln!(out, "{}", printable(&path.to_string_lossy()))?;
        }
        return Ok(());
    }
    let views = match &args.dirs[..] {
        [dir] => views::Views::of(dir)?,
        dirs => {
            let named =
                |dir: &std::path::PathBuf| (dir.to_string_lossy().into_owned(), dir.clone());
            views::Views::union(&dirs.iter().map(named).collect::<Vec<_>>())?
        }
    };
    let sql = views.schema(&args.schema).sql();
    // It is SQL that is read by a program, and a path that acts on a terminal is the user's own.
    Ok(out.write_all(sql.as_bytes())?)
}
