//! Fills the template.

mod data;

use crate::{
    assets::{SCRIPT, STYLE},
    model::{Block, Page},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use heapquarry_report::html::{Extra, heading, text, write_section};
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// The first bytes of each page, by which a file is known as one.
pub const MARK: &str = "<!doctype html>\n<!-- heapquarry report -->\n";

impl Page {
    /// Writes the page.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let is_drawn = self.blocks.iter().any(|block| matches!(block, Block::Drawing { .. }));
        self.head(is_drawn, out)?;
        writeln!(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>")?;
        self.navigation(out)?;
        writeln!(out, "<main id=\"main\">")?;
        heading(&self.report, out)?;
        let mut drawing = 0;
        for block in &self.blocks {
            match block {
                Block::Section { section, sql, note } => {
                    let extra = Extra { sql: *sql, lead: note.as_deref() };
                    write_section(section, &extra, out)?;
                }
                Block::Drawing { key, title, note, .. } => {
                    let (title, note) = (text(title), text(note));
                    writeln!(
                        out,
                        "<section id=\"{key}\" data-drawing=\"{drawing}\"><h2>{title}</h2><p class=\"lead\">{note}</p>\
                         <noscript><p class=\"note\">This part needs a script, which is off here.</p></noscript></section>"
                    )?;
                    drawing += 1;
                }
            }
        }
        writeln!(out, "</main>")?;
        writeln!(
            out,
            "<footer>heapquarry {}. The file is complete: it loads nothing and sends nothing.</footer>",
            env!("CARGO_PKG_VERSION")
        )?;
        if is_drawn {
            write!(out, "<script type=\"application/json\" id=\"data\">")?;
            data::write(&self.blocks, out)?;
            writeln!(out, "</script>\n<script>{SCRIPT}</script>")?;
        }
        writeln!(out, "</body>\n</html>")
    }

    fn head(&self, is_drawn: bool, out: &mut dyn Write) -> io::Result<()> {
        let script = if is_drawn { source_of(SCRIPT) } else { "'none'".into() };
        write!(out, "{MARK}<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
        writeln!(
            out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src {script}; style-src {}; \
             base-uri 'none'; form-action 'none'\">",
            source_of(STYLE)
        )?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<meta name=\"color-scheme\" content=\"light dark\">")?;
        writeln!(out, "<meta name=\"referrer\" content=\"no-referrer\">")?;
        writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>\n</head>", text(&self.title))
    }

    /// Links to the blocks, if there are several.
    fn navigation(&self, out: &mut dyn Write) -> io::Result<()> {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Section { section, .. } => (section.key, short(&section.title)),
            Block::Drawing { key, title, .. } => (*key, *title),
        });
        let blocks: Vec<_> = blocks.filter(|(_, title)| !title.is_empty()).collect();
        if blocks.len() < 3 {
            return Ok(());
        }
        write!(out, "<nav aria-label=\"Parts of the report\"><ul>")?;
        for (key, title) in blocks {
            write!(out, "<li><a href=\"#{key}\">{}</a></li>", text(title))?;
        }
        writeln!(out, "</ul></nav>")
    }
}

/// A heading up to its colon, for a link.
fn short(title: &str) -> &str {
    title.split(": ").next().unwrap_or(title).trim_end_matches('.')
}

/// An inline element as the policy names it.
fn source_of(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Drawing, Heap};
    use heapquarry_report::Report;

    #[test]
    fn a_page_without_drawings_has_no_script() {
        let mut out = Vec::new();
        Page::of_report(Report { subject: "</title><script>".into(), ..Report::default() })
            .write(&mut out)
            .unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.starts_with(MARK) && out.contains("script-src 'none'"));
        assert!(!out.contains("<script"), "{out}");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let mut heap = Heap::default();
        heap.texts.number("</script><script>alert(1)</script><!--");
        let drawing = Drawing::Heap(Box::new(heap));
        let block = Block::Drawing { key: "map", title: "Map", note: String::new(), drawing };
        let mut out = Vec::new();
        Page { blocks: vec![block], ..Page::default() }.write(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.matches("</script>").count(), 2);
        assert_eq!(out.matches("<!--").count(), 1, "the mark alone");
    }
}
