//! The tables of converted directories in DuckDB: each by its name, joins over them, and the tables of other tools.
//!
//! [`Views`] renders the SQL that defines the views for one directory, or for the union of several. Its paths are
//! absolute, so the views read what they were made for, whatever DuckDB's search path and working directory are.
//!
//! ```no_run
//! use heapquarry_views::Views;
//!
//! println!("{}", Views::of("app.tables")?.schema("app").sql());
//! # Ok::<(), heapquarry_input::Error>(())
//! ```
#![forbid(unsafe_code)]

mod catalog;
mod confine;
mod copy;
mod files;
mod of_dir;
mod script;

pub use catalog::View;
pub use files::literal;
pub use of_dir::{ViewedInput, Views};
pub use script::portable;

use heapquarry_tables::JS_HEAP_ANALYSIS_TABLES;

/// All views, without those of TraceStreamer's tables that stay empty.
pub fn all() -> Vec<View> {
    catalog::all()
}

/// Whether a query needs the tables of the heap analysis: whether one of them, or a view over them, is mentioned
/// anywhere in its text, strings and comments included.
pub fn mention_analysis(sql: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<String> = sql.split(|c| !is_word(c)).map(str::to_ascii_lowercase).collect();
    let views = all();
    let views = views.iter().filter(|view| view.needs_analysis()).map(|view| view.name.as_str());
    let tables = JS_HEAP_ANALYSIS_TABLES.iter().map(|table| table.name);
    views.chain(tables).any(|name| words.iter().any(|word| word == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_analysis_is_needed_where_a_name_is_mentioned() {
        for sql in [
            "FROM js_heap_analysis",
            "select * from JS_HEAP_CLASS;",
            "SELECT a FROM \"heap_object\" o",
            "FROM main.js_heap_statistics",
            "-- js_heap_duplicate_string",
        ] {
            assert!(mention_analysis(sql), "{sql}");
        }
        for sql in ["", "FROM js_heap_nodes", "FROM heap_objects", "FROM my_js_heap_class"] {
            assert!(!mention_analysis(sql), "{sql}");
        }
    }
}
