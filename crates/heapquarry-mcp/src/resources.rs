//! Texts that a client can read.

use heapquarry::tables;
use std::fmt::Write as _;

/// A text that a client can read.
pub struct Text {
    /// Its address.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The text itself.
    pub read: fn() -> String,
}

/// All texts.
pub(crate) const ALL: [Text; 2] = [
    Text {
        uri: "skill://heapquarry/SKILL.md",
        name: "SKILL.md",
        what: "How to find a memory leak or slow code: which snapshots to take, what to ask in which order",
        read: || include_str!("../SKILL.md").into(),
    },
    Text {
        uri: "heapquarry://tables",
        name: "tables",
        what: "The tables that `query` knows, and what a row of each is",
        read: tables_in_words,
    },
];

fn tables_in_words() -> String {
    let mut text = String::new();
    for table in tables::all() {
        let doc = table.doc.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing into memory does not fail.
        let _ = writeln!(text, "{}: {doc}", table.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page for agents is one that clients take as a skill, and that a model reads as a whole.
    #[test]
    fn the_skill_is_short() {
        let text = (ALL[0].read)();
        assert!(text.lines().count() <= 150, "{}", text.lines().count());
        let head =
            text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).unwrap().0;
        // A value goes on in lines that are indented.
        let value = |name: &str| {
            let start = format!("{name}: ");
            let mut lines = head.lines().skip_while(|line| !line.starts_with(&start));
            let first = lines.next().unwrap_or_default().len().saturating_sub(start.len());
            first + lines.take_while(|line| line.starts_with(' ')).map(str::len).sum::<usize>()
        };
        for (name, most) in [("name", 64), ("description", 1024), ("compatibility", 500)] {
            assert!((1..=most).contains(&value(name)), "{name}: {}", value(name));
        }
    }
}
