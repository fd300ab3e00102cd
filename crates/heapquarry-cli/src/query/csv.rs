//! CSV to Markdown. DuckDB's own Markdown puts line ends and bars of strings into the table.

use heapquarry::report::markdown::words;
use heapquarry_store::duckdb::pass_on;
use std::io::{self, Read, Write};

/// Writes rows of CSV as a table of Markdown.
pub(super) fn markdown(csv: impl Read, out: &mut dyn Write) -> io::Result<()> {
    // Lines of a row that is not at its end.
    let mut row = String::new();
    let mut is_header = true;
    pass_on(csv, &mut |line| {
        row.push_str(&String::from_utf8_lossy(line));
        // Within a field, quotes are doubled: their number is even outside of fields.
        if row.matches('"').count() % 2 == 1 {
            return Ok(());
        }
        let cells = fields(row.trim_end_matches(['\n', '\r']));
        row.clear();
        let shown: Vec<_> = cells.iter().map(|cell| words(cell)).collect();
        writeln!(out, "| {} |", shown.join(" | "))?;
        if std::mem::take(&mut is_header) {
            writeln!(out, "|{}", " --- |".repeat(cells.len()))?;
        }
        Ok(())
    })
}

/// The fields of a row.
fn fields(row: &str) -> Vec<String> {
    let (mut fields, mut field, mut in_quotes) = (Vec::new(), String::new(), false);
    let mut chars = row.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if in_quotes && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_csv_are_rows_of_a_table() {
        let mut out = Vec::new();
        let csv = "a,\"b,c\"\n1,\n\"x\"\"\n|y\",\"\u{1b}\"\n";
        markdown(csv.as_bytes(), &mut out).unwrap();
        let expected = "| a | b,c |\n| --- | --- |\n| 1 |  |\n| x\"\\\\n\\|y | \\\\u{1b} |\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
