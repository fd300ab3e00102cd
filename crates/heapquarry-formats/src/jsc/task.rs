//! Claimed row groups: first of the document's sections, which become columns, and then of the tables.

use super::{
    build::Built,
    edges::{self, EdgeColumns, Owners},
    nodes::{self, NodeColumns, NodeIds},
    rows,
};
use crate::{
    Log, Names, document,
    heap::{records::Records, strings::ClaimedStrings},
};
use arrow_array::{Array, LargeStringArray};
use heapquarry_tables::{FileId, JS_HEAP_EDGES, JS_HEAP_NODES, JS_HEAP_STRING, Table, pool::Pool};
use std::{ops::Range, sync::Arc};

/// A claimed row group that is not decoded yet.
#[derive(Debug)]
pub struct Task {
    pub(super) file_id: FileId,
    pub(super) names: Names,
    pub(super) work: Work,
}

/// What to do.
#[derive(Debug)]
pub(super) enum Work {
    Nodes(Records),
    Edges(Records, Arc<NodeIds>, EdgePass),
    /// Strings of this list.
    Strings(usize, ClaimedStrings),
    StringRows(Arc<Built>, Range<usize>),
    NodeRows(Arc<Built>, Range<usize>),
    KeptEdgeRows(Arc<Built>, Range<usize>),
}

/// What a read of the edges is for.
#[derive(Clone, Debug)]
pub(super) enum EdgePass {
    /// To count them by owner.
    Count,
    /// To keep them as columns.
    Keep,
    /// For their rows, once they have been counted.
    Rows(Arc<Built>),
}

/// The columns of a decoded task, for the reader.
#[derive(Debug)]
pub struct Done {
    pub(super) log: Log,
    pub(super) part: Part,
}

/// Columns, and the records that they are of.
#[derive(Debug)]
pub(super) enum Part {
    /// Of rows.
    None,
    Nodes(Range<u64>, NodeColumns),
    EdgeCounts(Range<u64>, Owners),
    Edges(Range<u64>, EdgeColumns),
    Strings(usize, Range<u64>, LargeStringArray),
}

/// Memory that a worker reuses for each task.
#[derive(Debug, Default)]
pub struct Scratch {
    pool: Pool<u32>,
}

impl document::Task for Task {
    type Done = Done;
    type Scratch = Scratch;

    fn tables(&self) -> Vec<&'static Table> {
        match self.work {
            Work::Edges(_, _, EdgePass::Rows(_)) | Work::KeptEdgeRows(..) => vec![&JS_HEAP_EDGES],
            Work::Nodes(_) | Work::Edges(..) | Work::Strings(..) => Vec::new(),
            Work::StringRows(..) => vec![&JS_HEAP_STRING],
            Work::NodeRows(..) => vec![&JS_HEAP_NODES],
        }
    }

    fn has_side_output(&self) -> bool {
        self.tables().is_empty()
    }

    fn decode(self, bytes: &[u8], scratch: &mut Scratch, rows: &mut document::Rows<'_>) -> Done {
        let (mut log, pool) = (Log::default(), &scratch.pool);
        let Task { file_id, names, work } = self;
        let part = match work {
            Work::Nodes(records) => {
                Part::Nodes(records.range(), nodes::decode(bytes, records, pool, &mut log))
            }
            Work::Edges(records, ids, pass) => match pass {
                EdgePass::Count => {
                    Part::EdgeCounts(records.range(), edges::count(bytes, records, &ids, pool))
                }
                EdgePass::Keep => Part::Edges(
                    records.range(),
                    edges::decode(bytes, records, &ids, pool, &mut log),
                ),
                EdgePass::Rows(built) => {
                    if rows.wants(&JS_HEAP_EDGES) {
                        let edges = edges::decode(bytes, records, &ids, pool, &mut log);
                        let first = records.first;
                        let batch =
                            rows::decoded_edges(file_id, &built, first, edges, names, &mut log);
                        rows.add(&JS_HEAP_EDGES, batch);
                    }
                    Part::None
                }
            },
            Work::Strings(list, claimed) => {
                let strings = claimed.decode(bytes, &mut log);
                let end = claimed.first + strings.len() as u64;
                Part::Strings(list, claimed.first..end, strings)
            }
            Work::StringRows(built, range) => {
                if rows.wants(&JS_HEAP_STRING) {
                    rows.add(&JS_HEAP_STRING, rows::strings(file_id, &built, range));
                }
                Part::None
            }
            Work::NodeRows(built, range) => {
                if rows.wants(&JS_HEAP_NODES) {
                    rows.add(&JS_HEAP_NODES, rows::nodes(file_id, &built, range, names));
                }
                Part::None
            }
            Work::KeptEdgeRows(built, range) => {
                if rows.wants(&JS_HEAP_EDGES) {
                    rows.add(&JS_HEAP_EDGES, rows::kept_edges(file_id, &built, range, names));
                }
                Part::None
            }
        };
        Done { log, part }
    }
}
