//! SQL over the tables of inputs.

use super::{Ask, Context, args, caveats, count, sources};
use crate::{
    Failure,
    answer::{Found, Page},
};
use heapquarry::RunOptions;
use heapquarry_query::Row;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

args! {
    /// A query.
    struct QueryArgs {
        /// One SELECT of DuckDB, with ORDER BY; without it: the tables and their columns
        #[serde(default)]
        sql: Option<String>,
    }
}

/// The result of a query.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QueryAnswer {
    columns: Vec<String>,
    rows: Rows,
}

/// Some rows of a result.
#[derive(Serialize, JsonSchema)]
struct Rows {
    /// Number of all rows, or one more than are counted.
    total: u64,
    offset: u64,
    rows: Vec<Vec<Value>>,
}

/// Rows of a result that are counted.
const MOST: usize = 10_000;

/// The tables. Views are among them.
const TABLES: &str = "SELECT table_name, string_agg(column_name, ' ' ORDER BY column_index) AS columns \
                      FROM duckdb_columns() WHERE NOT internal GROUP BY ALL ORDER BY ALL";

pub(crate) struct Query;

impl Ask for Query {
    const NAME: &'static str = "query";
    const WHAT: &'static str = "SQL of DuckDB over tables of any input (js_heap_nodes, js_heap_edges, heap_object, \
                                profile_function, slice, thread): read only. Several inputs are one set of tables with a \
                                column source.";
    type Args = QueryArgs;
    type Answer = QueryAnswer;

    fn ask(
        args: &QueryArgs,
        page: &Page,
        context: &Context,
        run: &RunOptions,
    ) -> Result<Found, Failure> {
        let (sources, has_changed) = sources(&args.input, context)?;
        let sql = args.sql.as_deref().unwrap_or(TABLES);
        let lines = context.sql.rows(&sources, sql, MOST + 1, run)?;
        let total = lines.len();
        let offset = page.offset_of("rows").min(total);
        let wanted = lines.iter().skip(offset).take(page.rows.saturating_mul(2));
        let rows =
            wanted.map(|line| serde_json::from_str(line)).collect::<Result<Vec<Row<Value>>, _>>();
        let rows = rows.map_err(|error| Failure::new(format!("a row of the result: {error}")))?;
        let columns = match rows.first() {
            Some(Row(row)) => row.iter().map(|(name, _)| name.clone()).collect(),
            None => Vec::new(),
        };
        let mut caveats = caveats(has_changed, &[]);
        if total > MOST {
            let most = count(MOST as u64);
            caveats.push(format!("there are more than {most} rows: only so many are counted"));
        }
        let values = |Row(row): Row<Value>| row.into_iter().map(|(_, value)| value).collect();
        let rows = Rows {
            total: total as u64,
            offset: offset as u64,
            rows: rows.into_iter().map(values).collect(),
        };
        let answer = QueryAnswer { columns, rows };
        let s = if total == 1 { "" } else { "s" };
        let more = if total > MOST { "more than " } else { "" };
        Ok(Found {
            summary: format!("{more}{} row{s}", count(total.min(MOST) as u64)),
            caveats,
            members: Found::members(&answer)?,
            next: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_keep_their_order() {
        let Row::<Value>(row) =
            serde_json::from_str(r#"{"z":1,"a":null,"m":[{"b":2,"a":1}]}"#).unwrap();
        let names: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["z", "a", "m"]);
    }
}
