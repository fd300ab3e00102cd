//! Fills the template.

mod data;

use crate::{
    assets::{SCRIPT, STYLE},
    model::{Block, Page, Part},
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
        let is_drawn = self.all_blocks().any(|block| matches!(block, Block::Drawing { .. }));
        self.head(is_drawn, out)?;
        writeln!(out, "<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>")?;
        match &self.parts[..] {
            [] => navigation("Parts of the report", links(&self.blocks, ""), out)?,
            parts => navigation("Parts of the report", self.links_to(parts), out)?,
        }
        writeln!(out, "<main id=\"main\">")?;
        heading(&self.report, out)?;
        let mut drawing = 0;
        write_blocks(&self.blocks, "", &mut drawing, out)?;
        for (number, part) in (1..).zip(&self.parts) {
            let (title, suffix) = (text(&part.title), format!("-{number}"));
            writeln!(out, "<div class=\"part\" id=\"part{suffix}\"><h2>{title}</h2>")?;
            let label = format!("Parts of {}", part.title);
            navigation(&label, links(&part.blocks, &suffix), out)?;
            write_blocks(&part.blocks, &suffix, &mut drawing, out)?;
            writeln!(out, "</div>")?;
        }
        writeln!(out, "</main>")?;
        writeln!(
            out,
            "<footer>heapquarry {}. The file is complete: it loads nothing and sends nothing.</footer>",
            env!("CARGO_PKG_VERSION")
        )?;
        if is_drawn {
            write!(out, "<script type=\"application/json\" id=\"data\">")?;
            data::write(self.all_blocks(), out)?;
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

    /// The blocks of the page, then those of each part.
    fn all_blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().chain(self.parts.iter().flat_map(|part| &part.blocks))
    }

    /// Links to the blocks of the page, then to its parts.
    fn links_to<'a>(&'a self, parts: &'a [Part]) -> Vec<(String, &'a str)> {
        let parts = (1..).zip(parts).map(|(number, part)| (format!("part-{number}"), &*part.title));
        links(&self.blocks, "").into_iter().chain(parts).collect()
    }
}

/// Writes blocks, whose ids end with a suffix. Drawings are counted on.
fn write_blocks(
    blocks: &[Block],
    suffix: &str,
    drawing: &mut usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    for block in blocks {
        match block {
            Block::Section { section, sql, note } => {
                let id = format!("{}{suffix}", section.key);
                let extra = Extra { id: Some(&id), sql: *sql, lead: note.as_deref() };
                write_section(section, &extra, out)?;
            }
            Block::Drawing { key, title, note, .. } => {
                let (title, note) = (text(title), text(note));
                writeln!(
                    out,
                    "<section id=\"{key}{suffix}\" data-drawing=\"{drawing}\"><h2>{title}</h2><p class=\"lead\">{note}</p>\
                     <noscript><p class=\"note\">This part needs a script, which is off here.</p></noscript></section>"
                )?;
                *drawing += 1;
            }
        }
    }
    Ok(())
}

/// The ids and headings of blocks.
fn links<'a>(blocks: &'a [Block], suffix: &str) -> Vec<(String, &'a str)> {
    let blocks = blocks.iter().map(|block| match block {
        Block::Section { section, .. } => (section.key, short(&section.title)),
        Block::Drawing { key, title, .. } => (*key, *title),
    });
    let blocks = blocks.filter(|(_, title)| !title.is_empty());
    blocks.map(|(key, title)| (format!("{key}{suffix}"), title)).collect()
}

/// Links, if there are several.
fn navigation(label: &str, links: Vec<(String, &str)>, out: &mut dyn Write) -> io::Result<()> {
    if links.len() < 3 {
        return Ok(());
    }
    write!(out, "<nav aria-label=\"{}\"><ul>", text(label))?;
    for (id, title) in links {
        write!(out, "<li><a href=\"#{id}\">{}</a></li>", text(title))?;
    }
    writeln!(out, "</ul></nav>")
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

    #[test]
    fn parts_have_ids_of_their_own_and_text_in_their_headings() {
        let part = |title: &str| {
            let drawing = Drawing::Heap(Box::default());
            let block = Block::Drawing { key: "map", title: "Map", note: String::new(), drawing };
            Part { title: title.into(), blocks: vec![block] }
        };
        let parts = vec![part("a"), part("<b>"), part("c")];
        let mut out = Vec::new();
        Page { parts, ..Page::default() }.write(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        for (number, title) in [(1, "a"), (2, "&lt;b&gt;"), (3, "c")] {
            let id = format!("id=\"part-{number}\"><h2>{title}</h2>");
            let map = format!("id=\"map-{number}\" data-drawing=\"{}\"", number - 1);
            let link = format!("<a href=\"#part-{number}\">{title}</a>");
            assert!([id, map, link].iter().all(|text| out.contains(text)), "{out}");
        }
        assert!(!out.contains("<b>"));
    }
}
