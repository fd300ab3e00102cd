//! What is on a page.

mod curves;
mod flame;
mod growth;
mod heap;
mod numbers;
mod texts;
mod trace;

pub use curves::{Curve, Curves};
pub use flame::{Calls, Flame, Frames};
pub use growth::Growth;
pub use heap::{Classes, Edges, Groups, Heap, Nodes};
pub use numbers::Numbers;
pub use texts::Texts;
pub use trace::{Arguments, Counter, Flows, Lanes, Slices, Trace};

use heapquarry_report::{Report, Section};
use serde::Serialize;

/// A page. The sections of its report are not written; its blocks are.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Title of the window.
    pub title: String,
    /// The heading, with notes and checks.
    pub report: Report,
    /// What follows, in order.
    pub blocks: Vec<Block>,
    /// The parts of a page of several documents. One of them is shown at a time.
    pub parts: Vec<Part>,
}

impl Page {
    /// A page with the sections of a report, and no script.
    pub fn of_report(report: Report) -> Self {
        let blocks = report.sections.iter().cloned().map(Block::section).collect();
        Page {
            title: format!("{}: {}", report.command, report.subject),
            report,
            blocks,
            parts: Vec::new(),
        }
    }
}

/// A document, or several that are drawn together.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Its heading.
    pub title: String,
    /// What it shows, in order.
    pub blocks: Vec<Block>,
}

/// What a page shows in one place.
#[derive(Clone, Debug)]
pub enum Block {
    /// Values or tables.
    Section {
        /// The section.
        section: Section,
        /// The query that gives the same rows from converted tables, if there is one.
        sql: Option<&'static str>,
        /// A sentence below the heading: how to read it.
        note: Option<String>,
    },
    /// Something that the script draws.
    Drawing {
        /// Its `id` in the page.
        key: &'static str,
        /// Its heading.
        title: &'static str,
        /// A sentence below the heading: how to read it.
        note: String,
        /// Its data.
        drawing: Drawing,
    },
}

impl Block {
    /// A section without a query.
    pub fn section(section: Section) -> Self {
        Block::Section { section, sql: None, note: None }
    }
}

/// Data that the script draws.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Drawing {
    /// A heap by its dominators: treemap and icicle, and the pages of its objects.
    Heap(Box<Heap>),
    /// The classes of the heap before, as a table.
    Classes,
    /// Classes in several snapshots.
    Growth(Growth),
    /// A call tree: a flame graph.
    Flame(Box<Flame>),
    /// A trace: threads over time.
    Trace(Box<Trace>),
    /// Memory over time.
    Curves(Curves),
}
