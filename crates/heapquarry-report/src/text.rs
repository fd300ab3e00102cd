//! A report as text that fits a terminal.

use crate::{
    Body, Cell, Column, Report, Section, Table, Value,
    printable::{cut, printable, width},
    verdict,
    wrap::wrap,
};
use std::io::{self, Write};

/// Layout of text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Width of the terminal in columns. `None`: there is no terminal; lines have any length, and names are cut at 120.
    pub width: Option<usize>,
    /// Whether headings are bold and exceeded limits red.
    pub color: bool,
}

/// Names are cut to this length even if there is room: a string of a heap may have megabytes.
const LONGEST: usize = 120;
/// Names are not cut below this length; columns are omitted instead.
const SHORTEST: usize = 12;
const GAP: usize = 2;
/// Notes are cut at this length only: they can name what has no end in the input.
const LONGEST_NOTE: usize = 4_000;

/// Writes a report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for line in lines(&report.subject, 2, style) {
        writeln!(out, "{}", style.bold(&line))?;
    }
    for note in &report.notes {
        for line in lines(&format!("note: {note}"), "note: ".len(), style) {
            writeln!(out, "{}", style.red(&line))?;
        }
    }
    for section in &report.sections {
        write_section(section, style, out)?;
    }
    for section in [verdict::section(report), verdict::kept_section(report)].into_iter().flatten() {
        write_section(&section, style, out)?;
    }
    if !report.checks.is_empty() {
        let line = verdict::line(&report.checks);
        let exceeded = report.exceeded().next().is_some();
        writeln!(out, "\n{}", if exceeded { style.red(&line) } else { line })?;
    }
    Ok(())
}

fn write_section(section: &Section, style: Style, out: &mut dyn Write) -> io::Result<()> {
    // A list without a title has those of its items.
    if !section.title.is_empty() {
        writeln!(out)?;
        for line in heading(&section.title, style) {
            writeln!(out, "{}", style.bold(&line))?;
        }
    }
    match &section.body {
        Body::Text(text) => write_text(text, style, out),
        Body::Values(values) => write_values(values, style, out),
        Body::Table(table) => write_table(table, style, out),
        Body::List(items) => {
            items.iter().flatten().try_for_each(|section| write_section(section, style, out))
        }
    }
}

/// Sentences, in lines that can be read where there is no terminal, too.
fn write_text(text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let room = style.width.unwrap_or(LONGEST).saturating_sub(GAP).max(1);
    let text = printable(text);
    let lines = wrap(&cut(&text, LONGEST_NOTE), room, 0);
    lines.iter().try_for_each(|line| writeln!(out, "{:GAP$}{line}", ""))
}

fn write_values(values: &[Value], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let titles = values.iter().map(|v| width(v.title)).max().unwrap_or(0);
    let cells: Vec<String> = values.iter().map(|v| show(&v.cell)).collect();
    let numbers = values.iter().zip(&cells).filter(|(v, _)| v.cell.is_number());
    let digits = numbers.map(|(_, c)| width(c)).max().unwrap_or(0);
    let room = style.width.unwrap_or(usize::MAX).saturating_sub(titles + 2 * GAP).max(1);
    for (value, cell) in values.iter().zip(&cells) {
        let pad = if value.cell.is_number() { digits.saturating_sub(width(cell)) } else { 0 };
        let title = pad_right(value.title, titles);
        let room = room.min(LONGEST);
        // Sentences and commands are whole; names can have no end.
        let lines = match value.cell {
            Cell::Text(_) => wrap(&cut(cell, LONGEST_NOTE), room, 0),
            _ => vec![cut(cell, room).into_owned()],
        };
        for (at, line) in lines.iter().enumerate() {
            let title = if at == 0 { title.as_str() } else { "" };
            writeln!(out, "  {title:titles$}  {:pad$}{line}", "")?;
        }
    }
    Ok(())
}

fn write_table(table: &Table, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (rows, more) = table.visible();
    if rows.is_empty() && more == 0 {
        return writeln!(out, "  {}", if table.none.is_empty() { "none" } else { table.none });
    }
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(show).collect()).collect();
    let columns = lay_out(table, rows, &cells, style.width);
    let mut line = String::new();
    for (text, column) in columns.iter().map(|c| (c.column.title, c)) {
        push(&mut line, text, column);
    }
    if !rows.is_empty() {
        writeln!(out, "{}", style.dim(line.trim_end()))?;
    }
    for row in &cells {
        line.clear();
        for column in &columns {
            push(&mut line, &row[column.index], column);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    if more > 0 {
        writeln!(out, "  … and {more} more")?;
    }
    Ok(())
}

/// A visible column.
struct Shown<'a> {
    index: usize,
    column: &'a Column,
    width: usize,
    /// Whether it is aligned to the right: numbers are, text is not.
    right: bool,
    /// Minimum width: text can be cut, numbers cannot.
    narrowest: usize,
}

/// Selects the visible columns and their widths. Text is cut, the widest first; then optional columns are omitted, the
/// last first.
fn lay_out<'a>(
    table: &'a Table,
    rows: &[Vec<Cell>],
    cells: &[Vec<String>],
    room: Option<usize>,
) -> Vec<Shown<'a>> {
    let mut shown: Vec<Shown<'a>> = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let used = cells.iter().map(|row| width(&row[index])).max().unwrap_or(0);
        // A column without values is omitted.
        if rows.iter().all(|row| row[index] == Cell::Empty) {
            continue;
        }
        let right = rows.iter().all(|row| row[index].is_number() || row[index] == Cell::Empty);
        let width = used.max(width(column.title)).min(LONGEST);
        let narrowest = if right { width } else { width.min(SHORTEST) };
        shown.push(Shown { index, column, width, right, narrowest });
    }
    let Some(room) = room else { return shown };
    let needed = |shown: &[Shown<'_>]| -> usize { shown.iter().map(|c| c.narrowest + GAP).sum() };
    while needed(&shown) > room {
        let Some(last) = shown.iter().rposition(|c| c.column.optional) else { break };
        shown.remove(last);
    }
    loop {
        let total: usize = shown.iter().map(|c| c.width + GAP).sum();
        let widest = shown.iter_mut().filter(|c| c.width > c.narrowest).max_by_key(|c| c.width);
        match widest {
            Some(column) if total > room => column.width -= 1,
            _ => return shown,
        }
    }
}

fn push(line: &mut String, text: &str, column: &Shown<'_>) {
    let text = cut(text, column.width);
    let blanks = column.width - width(&text);
    line.extend(std::iter::repeat_n(' ', GAP));
    if column.right {
        line.extend(std::iter::repeat_n(' ', blanks));
        *line += &text;
    } else {
        *line += &text;
        line.extend(std::iter::repeat_n(' ', blanks));
    }
}

/// A cell as people see it.
pub(crate) fn show(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => printable(text).into_owned(),
        Cell::Name(name) => {
            // Longer than ever shown, so that a long string is not escaped to its end.
            let end = name.char_indices().nth(2 * LONGEST).map_or(name.len(), |(at, _)| at);
            printable(&name[..end]).into_owned()
        }
        Cell::Word(_, word) => (*word).into(),
        Cell::Number(n, unit) => unit.format(*n).to_string(),
        // With an exponent if that is shorter.
        Cell::Float(n) => format!("{n:?}"),
        Cell::Change(n, unit) => unit.format_change(*n).to_string(),
        Cell::List(cells) => cells.iter().map(show).collect::<Vec<_>>().join(", "),
    }
}

/// A sentence, whole, in as many lines as it needs.
fn lines(text: &str, indent: usize, style: Style) -> Vec<String> {
    let text = printable(text);
    let text = cut(&text, LONGEST_NOTE);
    match style.width {
        Some(room) => wrap(&text, room, indent),
        None => vec![text.into_owned()],
    }
}

fn heading(text: &str, style: Style) -> Vec<String> {
    lines(&cut(&printable(text), LONGEST * 2), GAP, style)
}

fn pad_right(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(width(text)))
}

impl Style {
    fn bold(self, text: &str) -> String {
        self.sgr("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.sgr("2", text)
    }

    fn red(self, text: &str) -> String {
        self.sgr("31", text)
    }

    /// ECMA-48 "select graphic rendition", and back.
    fn sgr(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}
