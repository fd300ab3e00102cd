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
