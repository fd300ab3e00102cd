//! The summary of the isolates of a process: its main thread and its workers, each with a heap of its own.

use super::{Subject, answer::Totals};
use crate::{
    answer::{Bytes, Caveat, List, Share, answer},
    process::ProcessMemory,
    view::{Col, Shown, View, table, values},
};
use heapquarry::{
    Result, RunOptions, Source,
    engine::{Locate, check_text},
};
use heapquarry_base::Order;
use heapquarry_process::Isolate;
use heapquarry_report::{Cell, Section};
use std::cmp::Reverse;

answer! {
    /// What is in the heaps of a process: that of its main thread, and those of its workers.
    pub struct IsolatesSummary {
        /// Sums over all of them.
        pub totals: IsolateTotals,
        /// The resident memory of the whole process, right before the first snapshot; absent if it is not stored.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub process: Option<ProcessMemory>,
        /// The isolates, the largest first.
        pub isolates: List<IsolateHeap>,
    }

    /// Sums over several heaps.
    pub struct IsolateTotals {
        /// Number of heaps.
        pub isolate_count: u64,
        /// Their sizes, with native memory outside of them.
        pub size: Bytes,
        /// Number of their nodes.
        pub node_count: u64,
        /// Number of their edges.
        pub edge_count: u64,
    }

    /// The heap of an isolate.
    pub struct IsolateHeap {
        /// The input that is this heap alone.
        pub input: String,
        /// `main`, or the id of the worker among the targets of the port.
        pub isolate: String,
        /// What it calls itself, if it does.
        pub title: Option<String>,
        /// What it runs, if it says so.
        pub url: Option<String>,
        /// Share of the sizes of all heaps.
        pub share_percent: Option<Share>,
        /// Sizes and counts of its heap.
        pub totals: Totals,
    }
}

/// What is in the heaps of isolates, of which `top` are listed. Each is read, added up and forgotten before the next
/// one is read.
pub(crate) fn isolates(
    top: Option<usize>,
    found: &[(Source, Isolate)],
    options: &RunOptions,
) -> Result<(Vec<Caveat>, IsolatesSummary)> {
    let (mut caveats, mut process, mut heaps) = (Vec::new(), None, Vec::new());
    for (source, isolate) in found {
        let heap = match Subject::indexed(source, None, options)? {
            Some(kept) => kept,
            None => Subject::read(source, source.locate(options)?, None, options)?,
        };
        check_text(&source.path, &heap.heap)?;
        caveats.extend(heap.caveats().cloned());
        process = process.or_else(|| heap.process.as_deref().and_then(ProcessMemory::of));
        heaps.push(IsolateHeap {
            input: source.to_string(),
            isolate: isolate.id.clone(),
            title: isolate.title.clone(),
            url: isolate.url.clone(),
            share_percent: None,
            totals: heap.totals(),
        });
    }
    let sum = |of: fn(&Totals) -> u64| {
        heaps.iter().fold(0, |sum: u64, heap| sum.saturating_add(of(&heap.totals)))
    };
    let totals = IsolateTotals {
        isolate_count: heaps.len() as u64,
        size: Bytes(sum(|totals| totals.size.0)),
        node_count: sum(|totals| totals.node_count),
        edge_count: sum(|totals| totals.edge_count),
    };
    for heap in &mut heaps {
        heap.share_percent = Share::of(heap.totals.size.0, totals.size.0);
    }
    heaps.order_by_key(|heap| Reverse(heap.totals.size.0));
    let isolates = List::of(heaps, top, |heap| heap);
    Ok((caveats, IsolatesSummary { totals, process, isolates }))
}

impl View for IsolatesSummary {
    fn sections(&self, shown: usize) -> Vec<Section> {
        let IsolateTotals { isolate_count, size, node_count, edge_count } = &self.totals;
        let totals = [
            ("Isolates", isolate_count.cell()),
            ("Size", size.cell()),
            ("Nodes", node_count.cell()),
            ("Edges", edge_count.cell()),
        ];
        let mut sections = vec![
            values("totals", "Heaps of the process", totals),
            table("isolates", "Isolates by size of their heap", &self.isolates, ISOLATES, shown),
        ];
        sections.extend(self.process.as_ref().map(ProcessMemory::section));
        sections
    }
}

const ISOLATES: &[Col<IsolateHeap>] = &[
    Col::new("Isolate", |row| row.isolate.cell()),
    Col::optional("Title", |row| row.title.as_deref().map_or(Cell::Empty, Cell::name)),
    Col::optional("Runs", |row| row.url.as_deref().map_or(Cell::Empty, Cell::name)),
    Col::new("Size", |row| row.totals.size.cell()),
    Col::optional("Share", |row| row.share_percent.cell()),
    Col::new("Nodes", |row| row.totals.node_count.cell()),
    Col::optional("Classes", |row| row.totals.class_count.cell()),
    Col::new("Input", |row| row.input.cell()),
];
