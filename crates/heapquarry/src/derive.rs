//! Derives the rows of an analysis from what was gathered while a document was decoded.

use crate::{
    Error, ErrorKind, Result, RunOptions,
    drive::hand_in,
    maps::Maps,
    originals::{heap::translate, profile::ScriptMaps},
    sink::Sink,
};
use arrow_array::RecordBatch;
use heapquarry_base::threads::join;
use heapquarry_formats::{Code, Gathered, Log};
use heapquarry_graph::{self as graph, HeapParts};
use heapquarry_rows::{
    heap,
    trace::{TraceRows, conclude},
};
use heapquarry_tables::{
    FileId, JS_HEAP_ANALYSIS, JS_HEAP_ANALYSIS_TABLES, JS_HEAP_CONTEXT_VARIABLE, JS_HEAP_LOCATION,
    JS_HEAP_PACKAGE, JS_HEAP_SUSPECT, Table, js_heap_analysis,
};
use std::path::Path;

/// Runs the analysis of the gathered data and passes the rows to the sink. Contradictions are added to the document's
/// log.
pub(crate) fn derive(
    gathered: Gathered,
    document: Document<'_>,
    sink: &dyn Sink,
    run: &RunOptions,
) -> Result<()> {
    let Document { path, file_id, row_group_rows, log, locations, maps, scripts } = document;
    let projection = sink.projection();
    match gathered {
        Gathered::Heap(parts) => {
            let threads = run.thread_count();
            let mut heap = assemble(path, *parts, threads)?;
            if maps.is_some() {
                *scripts = ScriptMaps::of(&heap);
            }
            let wants_packages = projection.wants(&JS_HEAP_PACKAGE);
            if let Some(maps) = maps
                && (wants_packages || !locations.is_empty())
            {
                for note in translate(&mut heap, maps) {
                    log.add(Code::SourceMap, None, || note);
                }
            }
            let named = js_heap_analysis::wanted(projection.columns(&JS_HEAP_ANALYSIS));
            let functions = match named.function_name || named.script_name || !locations.is_empty()
            {
                true => graph::Functions::new(&heap, threads),
                false => graph::Functions::default(),
            };
            let texts = heap::texts(&functions);
            let groups = locations.into_iter().map(|batch| (&JS_HEAP_LOCATION, batch)).collect();
            let named = |batch: &_| heap::with_names(batch, &heap, &functions, &texts);
            hand_in(groups, named, sink, run)?;
            let owners = wants_packages.then(|| graph::CodeOwners::of_their_own(&heap, threads));
            // All other columns have what the file says.
            heap.set_originals(graph::Originals::default());
            let wants_suspects = projection.wants(&JS_HEAP_SUSPECT);
            if !wants_suspects && !projection.wants_any(&JS_HEAP_ANALYSIS_TABLES) {
                return Ok(());
            }
            let attribute = heap::wants_attribution(projection);
            let captured = match projection.wants(&JS_HEAP_CONTEXT_VARIABLE) {
                true => heap::captured(&heap, threads),
                false => Vec::new(),
            };
            // The ways to suspects need the edges.
            let (analysis, owners) = if wants_suspects {
                let analysis = match attribute {
                    true => graph::analyze_attributed(&heap, graph::Realms::All, threads),
                    false => graph::analyze(&heap, threads),
                };
                (analysis, owners.map(|owners| graph::PackageOwners::new(&heap, owners)))
            } else if let Some(owners) = owners {
                let (analysis, owners) =
                    graph::analyze_with_packages(&mut heap, attribute, owners, threads);
                (analysis, Some(owners))
            } else {
                (graph::analyze_in_place(&mut heap, attribute, threads), None)
            };
            let hand_over = |groups: Vec<(&'static Table, RecordBatch)>| {
                let mut handler = sink.handler();
                let mut wanted = groups.into_iter().filter(|(table, _)| projection.wants(table));
                wanted.try_for_each(|(table, batch)| {
                    handler.handle(table, sink.number(table), projection.project(table, batch))
                })
            };
            hand_over(heap::totals(file_id, &heap, &analysis, &captured, row_group_rows))?;
            let rows = heap::NodeRows::new(file_id, &heap, &analysis, (&functions, texts));
            let nodes = heap.nodes().len();
            let starts = (0..nodes).step_by(row_group_rows);
            let groups = starts.map(|start| start..nodes.min(start + row_group_rows));
            let groups = groups.map(|group| (&JS_HEAP_ANALYSIS, group)).collect();
            if wants_suspects {
                sink.expect(&[&JS_HEAP_SUSPECT])?;
            }
            let (written, groups) = join(
                threads,
                || hand_in(groups, |group| rows.batch(group.clone()), sink, run),
                || last_of_heap(file_id, &heap, &analysis, owners, wants_suspects, threads),
            );
            written?;
            hand_over(groups)
        }
        Gathered::Trace(parts) => {
            let timeline = conclude(*parts, log, run.thread_count());
            let rows = TraceRows::new(file_id, &timeline, row_group_rows);
            let groups = rows.groups().into_iter().map(|group| (group.table, group)).collect();
            hand_in(groups, |group| rows.batch(group), sink, run)
        }
    }
}

/// The rows that take one thread long to find: of packages, if the owners of nodes are given, and of suspects.
fn last_of_heap(
    file_id: FileId,
    heap: &graph::Heap,
    analysis: &graph::Analysis,
    owners: Option<graph::PackageOwners>,
    wants_suspects: bool,
    threads: usize,
) -> Vec<(&'static Table, RecordBatch)> {
    let mut groups = Vec::new();
    if let Some(owners) = owners {
        let sums = owners.sums(heap, analysis, threads);
        groups.push((&JS_HEAP_PACKAGE, heap::packages(file_id, &sums)));
    }
    if wants_suspects {
        let (sources, most) = (graph::Sources::new(heap), graph::SUSPECTS);
        let ways = |nodes: &[graph::NodeIndex]| graph::Ways::new(heap, nodes, threads);
        let found = graph::suspects(heap, analysis, most, &sources, ways);
        groups.push((&JS_HEAP_SUSPECT, heap::suspects(file_id, heap, analysis, &found)));
    }
    groups
}

/// Builds the heap; fails if it has more nodes than can be numbered.
pub(crate) fn assemble(path: &Path, parts: HeapParts, threads: usize) -> Result<graph::Heap> {
    let nodes = parts.node_types.len();
    if u32::try_from(nodes).is_ok_and(|nodes| nodes < u32::MAX - 1) {
        return Ok(graph::Heap::new(parts, threads));
    }
    Err(Error::new(ErrorKind::TooManyNodes { path: path.into(), nodes: nodes as u64 }))
}

/// Takes the rows of `js_heap_location` out of those that are held back.
pub(crate) fn take_locations(held: &mut Vec<(&'static Table, RecordBatch)>) -> Vec<RecordBatch> {
    let locations = held.extract_if(.., |(table, _)| **table == JS_HEAP_LOCATION);
    locations.map(|(_, batch)| batch).collect()
}

/// The document that the rows belong to.
pub(crate) struct Document<'a> {
    pub(crate) path: &'a Path,
    pub(crate) file_id: FileId,
    pub(crate) row_group_rows: usize,
    pub(crate) log: &'a mut Log,
    /// Rows of `js_heap_location` that still need the names of their scripts.
    pub(crate) locations: Vec<RecordBatch>,
    /// Its source maps, if there are some.
    pub(crate) maps: Option<&'a Maps>,
    /// What its scripts say of their source maps is put here, if there are some.
    pub(crate) scripts: &'a mut ScriptMaps,
}
