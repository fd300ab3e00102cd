//! The forms of text. Strings of an input must not act on a terminal, so each line is made printable.

use crate::print;
use heapquarry::report::{printable, printable::json_text};
use std::io::{self, Write};

/// Width of the terminal if it tells none.
const WIDTH: usize = 120;

/// What DuckDB is told of tables: in a terminal as many rows as `limit` says, with their types; else all rows.
pub(super) fn table(limit: Option<usize>) -> String {
    match limit {
        Some(rows) => {
            let width = print::columns().unwrap_or(WIDTH);
            format!(".mode duckbox\n.maxrows {rows}\n.maxwidth {width}\n")
        }
        None => ".mode box\n".into(),
    }
}

/// Writes a line for people.
pub(super) fn printed(line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let line = String::from_utf8_lossy(line);
    writeln!(out, "{}", printable(line.trim_end_matches(['\n', '\r'])))
}

/// Writes a line of JSON.
pub(super) fn json(line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let line = String::from_utf8_lossy(line);
    writeln!(out, "{}", json_text(line.trim_end_matches(['\n', '\r'])))
}
