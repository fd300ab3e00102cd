//! Derives the rows of an analysis from what was gathered while a document was decoded.

use crate::{
    Result, RunOptions,
    drive::hand_in,
    heap::{self, NodeRows},
    sink::{Handler, Sink},
    trace::{TraceRows, conclude},
};
use heapquarry_formats::{Gathered, Log};
use heapquarry_graph as graph;
use heapquarry_tables::JS_HEAP_ANALYSIS;
use std::path::Path;

/// Analyses the gathered data, and passes the rows to the sink. Contradictions are added to the document's log.
pub(crate) fn derive<S: Sink>(
    gathered: Gathered,
    document: Document<'_>,
    sink: &S,
    run: &RunOptions,
) -> Result<()> {
    let Document { path, file_id, row_group_rows, log } = document;
    match gathered {
        Gathered::Heap(parts) => {
            let threads = run.thread_count();
            let mut heap = heap::assemble(path, *parts, threads)?;
            let analysis = graph::analyze_in_place(&mut heap, threads);
            let mut handler = sink.handler();
            for (table, batch) in heap::totals(file_id, &analysis, row_group_rows) {
                if sink.projection().wants(table) {
                    let batch = sink.projection().project(table, batch);
                    handler.handle(table, sink.number(table), batch)?;
                }
            }
            let rows = NodeRows::new(file_id, &heap, &analysis);
            let nodes = heap.nodes().len();
            let starts = (0..nodes).step_by(row_group_rows);
            let groups = starts.map(|start| start..nodes.min(start + row_group_rows));
            let groups = groups.map(|group| (&JS_HEAP_ANALYSIS, group)).collect();
            hand_in(groups, |group| rows.batch(group.clone()), sink, run)
        }
        Gathered::Trace(parts) => {
            let timeline = conclude(*parts, log);
            let rows = TraceRows::new(file_id, &timeline, row_group_rows);
            let groups = rows.groups().into_iter().map(|group| (group.table, group)).collect();
            hand_in(groups, |group| rows.batch(group), sink, run)
        }
    }
}

/// The document of the rows.
pub(crate) struct Document<'a> {
    pub(crate) path: &'a Path,
    pub(crate) file_id: i32,
    pub(crate) row_group_rows: usize,
    pub(crate) log: &'a mut Log,
}
