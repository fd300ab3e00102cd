//! A report as GitHub-flavoured Markdown, for comments and step summaries.

use crate::{Body, Cell, Report, Section, Table, printable, printable::cut, text::show, verdict};
use std::io::{self, Write};

/// Maximum length of a name in a table.
const LONGEST: usize = 120;

/// Writes a report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}: {}", report.command, code(&report.subject))?;
    for note in &report.notes {
        writeln!(out, "\n> {}", words(note))?;
    }
    if !report.checks.is_empty() {
        let exceeded = report.exceeded().next().is_some();
        let mark = if exceeded { "❌" } else { "✅" };
        writeln!(out, "\n{mark} {}", verdict::line(&report.checks))?;
    }
    for section in [verdict::section(report), verdict::kept_section(report)].into_iter().flatten() {
        write_section(&section, out)?;
    }
    report.sections.iter().try_for_each(|section| write_section(section, out))
}

fn write_section(section: &Section, out: &mut dyn Write) -> io::Result<()> {
    if !section.title.is_empty() {
        writeln!(out, "\n### {}", words(&section.title))?;
    }
    match &section.body {
        Body::Text(text) => writeln!(out, "\n{}", words(text)),
        Body::Values(values) => {
            writeln!(out)?;
            writeln!(out, "| | |\n| --- | ---: |")?;
            values.iter().try_for_each(|v| writeln!(out, "| {} | {} |", v.title, cell(&v.cell)))
        }
        Body::Table(table) => {
            writeln!(out)?;
            write_table(table, out)
        }
        Body::List(items) => {
            items.iter().flatten().try_for_each(|section| write_section(section, out))
        }
    }
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let (rows, more) = table.visible();
    if rows.is_empty() && more == 0 {
        return writeln!(out, "{}", if table.none.is_empty() { "none" } else { table.none });
    }
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|&i| rows.iter().any(|row| row[i] != Cell::Empty))
        .collect();
    let (mut head, mut rule) = (String::from("|"), String::from("|"));
    for &i in &shown {
        let right = rows.iter().all(|row| row[i].is_number() || row[i] == Cell::Empty);
        head += &format!(" {} |", words(table.columns[i].title));
        rule += if right { " ---: |" } else { " --- |" };
    }
    if !rows.is_empty() {
        writeln!(out, "{head}\n{rule}")?;
    }
    for row in rows {
        let cells: Vec<String> = shown.iter().map(|&i| cell(&row[i])).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    if more > 0 {
        writeln!(out, "\n… and {more} more")?;
    }
    Ok(())
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Name(_) => code(&cut(&show(cell), LONGEST)),
        _ => words(&show(cell)),
    }
}

/// Text without markup, on one line.
pub fn words(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '@' | '&')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text of an input as a code span, so that markup, links and mentions have no effect. In a table a bar must be escaped
/// even there.
fn code(text: &str) -> String {
    let text = printable(text).replace('|', "\\|");
    if text.is_empty() {
        return String::new();
    }
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let is_edge = |c: char| c == '`' || c == ' ';
    let pad = if text.starts_with(is_edge) || text.ends_with(is_edge) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_whatever_stands_in_them() {
        for (name, expected) in [
            ("Foo @12", "`Foo @12`"),
            ("a|b", r"`a\|b`"),
            ("a`b", "``a`b``"),
            ("``", "``` `` ```"),
            (" x", "`  x `"),
            ("<img src=x>", "`<img src=x>`"),
            ("a\nb", r"`a\nb`"),
            ("", ""),
        ] {
            assert_eq!(code(name), expected);
        }
        assert_eq!(words("a_b <c> | d"), r"a\_b \<c\> \| d");
    }
}
