//! Sections as HTML without a script: the body of a page. `heapquarry-html` puts a page around it.
//!
//! The markup has no `style` and no `on…` attributes, so it works under a strict Content Security Policy.

use crate::{
    Body, Cell, Report, Section, Table, Unit, Value, printable, printable::cut, text::show, verdict,
};
use std::io::{self, Write};

/// Names are cut at this length: a string of a heap may have megabytes.
const LONGEST: usize = 160;

/// Writes the heading and all sections of a report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    heading(report, out)?;
    report.sections.iter().try_for_each(|section| write_section(section, &Extra::default(), out))
}

/// Writes the heading with the name of the input, the notes, the verdict in one line, the exceeded limits and the kept
/// ones.
///
/// # Errors
/// Those of the writer.
pub fn heading(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<header><p class=\"command\">{}</p>", text(&report.command))?;
    writeln!(out, "<h1>{}</h1>", text(&report.subject))?;
    for note in &report.notes {
        writeln!(out, "<p class=\"note\" role=\"note\">{}</p>", text(note))?;
    }
    if !report.checks.is_empty() {
        let class = if report.exceeded().next().is_some() { "bad" } else { "good" };
        let line = verdict::line(&report.checks);
        writeln!(out, "<p class=\"verdict {class}\">{}</p>", text(&line))?;
    }
    writeln!(out, "</header>")?;
    let sections = [verdict::section(report), verdict::kept_section(report)];
    let mut sections = sections.into_iter().flatten();
    sections.try_for_each(|section| write_section(&section, &Extra::default(), out))
}

/// What a page says of a section besides its content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra<'a> {
    /// Its `id` in the page, if that is not its key.
    pub id: Option<&'a str>,
    /// The query that gives the same rows from converted tables: the attribute `data-sql`.
    pub sql: Option<&'a str>,
    /// How to read it: a sentence below the heading.
    pub lead: Option<&'a str>,
}

/// Writes a section.
///
/// # Errors
/// Those of the writer.
pub fn write_section(section: &Section, extra: &Extra<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<section id=\"{}\"", text(extra.id.unwrap_or(section.key)))?;
    if let Some(sql) = extra.sql {
        write!(out, " data-sql=\"{}\"", text(sql))?;
    }
    writeln!(out, ">")?;
    write_body(section, 2, extra.lead, out)?;
    writeln!(out, "</section>")
}

/// Sections nest two deep at most: a list has values and tables.
fn write_body(
    section: &Section,
    level: u8,
    lead: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !section.title.is_empty() {
        writeln!(out, "<h{level}>{}</h{level}>", text(&section.title))?;
    }
    if let Some(lead) = lead {
        writeln!(out, "<p class=\"lead\">{}</p>", text(lead))?;
    }
    match &section.body {
        Body::Text(sentences) => writeln!(out, "<p>{}</p>", text(sentences)),
        Body::Values(values) => write_values(values, out),
        Body::Table(table) => write_table(table, &section.title, out),
        Body::List(items) => items.iter().try_for_each(|item| {
            writeln!(out, "<article>")?;
            item.iter()
                .try_for_each(|section| write_body(section, (level + 1).min(6), None, out))?;
            writeln!(out, "</article>")
        }),
    }
}

fn write_values(values: &[Value], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<dl>")?;
    for value in values {
        let class = if value.cell.is_number() { " class=\"number\"" } else { "" };
        let (title, cell) = (text(value.title), show(&value.cell));
        let cell = cut(&cell, LONGEST);
        writeln!(out, "<div><dt>{title}</dt><dd{class}>{}</dd></div>", text(&cell))?;
    }
    writeln!(out, "</dl>")
}

fn write_table(table: &Table, title: &str, out: &mut dyn Write) -> io::Result<()> {
    let (rows, more) = table.visible();
    if rows.is_empty() {
        let none = match (more, table.none) {
            (0, "") => "none".into(),
            (0, none) => none.to_string(),
            (more, _) => format!("{more} rows, none of them here"),
        };
        return writeln!(out, "<p class=\"none\">{}</p>", text(&none));
    }
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|&i| rows.iter().any(|row| row[i] != Cell::Empty))
        .collect();
    let is_number = |i: usize| rows.iter().all(|row| row[i].is_number() || row[i] == Cell::Empty);
    writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">",
        text(title)
    )?;
    write!(out, "<table><thead><tr>")?;
    for &i in &shown {
        let class = if is_number(i) { " class=\"number\"" } else { "" };
        write!(out, "<th scope=\"col\"{class}>{}</th>", text(table.columns[i].title))?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for row in rows {
        write!(out, "<tr>")?;
        for &i in &shown {
            write_cell(&row[i], out)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div>")?;
    if more > 0 {
        writeln!(out, "<p class=\"more\">… and {more} more</p>")?;
    }
    Ok(())
}

/// `data-v` is what a script sorts by.
fn write_cell(cell: &Cell, out: &mut dyn Write) -> io::Result<()> {
    let shown = text(&cut(&show(cell), LONGEST)).into_owned();
    match cell {
        Cell::Number(value, Unit::Share) => {
            // Attributes of SVG are no styles. A share is in ten-thousandths of a percent.
            let percent = (*value as f64 / 10_000.0).clamp(0.0, 100.0);
            write!(
                out,
                "<td class=\"number share\" data-v=\"{value}\"><svg class=\"bar\" aria-hidden=\"true\"><rect \
                 width=\"{percent:.2}%\" height=\"100%\"/></svg>{shown}</td>"
            )
        }
        Cell::Number(value, unit) => {
            let class = if *unit == Unit::Id { "id" } else { "number" };
            write!(out, "<td class=\"{class}\" data-v=\"{value}\">{shown}</td>")
        }
        Cell::Change(value, _) => {
            let class = match value {
                1.. => " up",
                0 => "",
                _ => " down",
            };
            write!(out, "<td class=\"number{class}\" data-v=\"{value}\">{shown}</td>")
        }
        Cell::Word(value, _) => write!(out, "<td class=\"number\" data-v=\"{value}\">{shown}</td>"),
        Cell::Float(value) => write!(out, "<td class=\"number\" data-v=\"{value}\">{shown}</td>"),
        Cell::Name(_) => write!(out, "<td class=\"name\">{shown}</td>"),
        Cell::Empty | Cell::Text(_) | Cell::List(_) => {
            write!(out, "<td>{shown}</td>")
        }
    }
}

/// Text that is no markup, within an element or a quoted attribute. Control characters are escaped as everywhere.
pub fn text(text: &str) -> std::borrow::Cow<'_, str> {
    let text = printable(text);
    if !text.contains(['<', '>', '&', '"', '\'']) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn text_of_an_input_is_no_markup() {
        for (given, expected) in [
            ("plain", "plain"),
            ("<script>", "&lt;script&gt;"),
            ("a\"b'c&d", "a&quot;b&#39;c&amp;d"),
            ("a\nb\u{202e}", "a\\nb\\u{202e}"),
        ] {
            assert_eq!(text(given), expected);
        }
    }

    #[test]
    fn sections_are_tables_and_lists() {
        let table = Table {
            columns: vec![Column::new("Class"), Column::new("Share")],
            rows: vec![vec![Cell::name("</td><b>"), Cell::share(1, 4)]],
            shown: Some(1),
            omitted: 3,
            none: "",
        };
        let section = Section { key: "classes", title: "Classes".into(), body: Body::Table(table) };
        let report = Report { subject: "<a>".into(), sections: vec![section], ..Report::default() };
        let mut out = Vec::new();
        write(&report, &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        for part in [
            "<h1>&lt;a&gt;</h1>",
            "<section id=\"classes\">",
            "<td class=\"name\">&lt;/td&gt;&lt;b&gt;</td>",
            "<rect width=\"25.00%\"",
            "25.0 %",
            "and 3 more",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
        assert!(!out.contains(" style="), "{out}");
    }
}
