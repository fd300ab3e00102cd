//! The summary of a snapshot that has been read.

use super::{
    header::Header,
    node_index::NodeIndex,
    scope_index::ScopeIndex,
    sections::{
        EDGES, NODES, SAMPLES, SCOPE_CONTEXT_VARS, SCOPE_USES, SECTIONS, STRINGS, Section,
        TRACE_FUNCTIONS,
    },
    totals,
    walk::Walk,
};
use crate::{Code, Log, Severity, Status, Summary};
use arrow_array::RecordBatch;
use heapquarry_tables::{FileId, JS_HEAP_FILES, JS_HEAP_INFO, Table};

/// Number of records read per section.
#[derive(Debug, Default)]
pub(crate) struct Counts(Vec<(&'static Section, u64)>);

impl Counts {
    pub(crate) fn set(&mut self, section: &'static Section, records: u64) {
        self.0.push((section, records));
    }

    /// Whether a section has been read.
    fn has(&self, section: &Section) -> bool {
        self.0.iter().any(|(counted, _)| *counted == section)
    }

    pub(crate) fn of(&self, section: &Section) -> u64 {
        self.0.iter().find(|(counted, _)| *counted == section).map_or(0, |(_, records)| *records)
    }
}

/// A snapshot that was read.
pub(crate) struct Read<'a> {
    pub(crate) file_id: FileId,
    pub(crate) name: &'a str,
    pub(crate) header: &'a Header,
    pub(crate) nodes: Option<&'a NodeIndex>,
    pub(crate) scopes: Option<&'a ScopeIndex>,
    pub(crate) walk: &'a Walk<'a>,
    pub(crate) counts: &'a Counts,
}

impl Read<'_> {
    /// The rows for the snapshot as a whole, and its summary. `bytes` is its size.
    pub(crate) fn finish(
        &self,
        bytes: u64,
        mut log: Log,
    ) -> (Vec<(&'static Table, RecordBatch)>, Summary) {
        let Read { file_id, name, header, counts, .. } = *self;
        let self_size = self.self_size(&mut log);
        let status = if log.has(Code::Truncated) || log.has(Code::Malformed) {
            Status::Truncated
        } else {
            self.check(&mut log);
            if log.count(Severity::DataLoss) > 0 { Status::Repaired } else { Status::Complete }
        };
        let batches = vec![
            (&JS_HEAP_FILES, totals::files(file_id, name, header, counts, self_size)),
            (&JS_HEAP_INFO, totals::info(file_id, header)),
        ];
        let counted = [&NODES, &EDGES, &STRINGS];
        let summary = Summary {
            name: None,
            format: if counts.of(&SAMPLES) > 0 { "heaptimeline" } else { "heapsnapshot" },
            producer: header.producer.name(),
            bytes,
            status,
            counts: counted.map(|section| (section.name, counts.of(section))).to_vec(),
            log,
        };
        (batches, summary)
    }

    /// Sum of the nodes' self sizes in bytes.
    fn self_size(&self, log: &mut Log) -> i64 {
        let size = self.nodes.map_or(0, |nodes| nodes.self_size);
        i64::try_from(size).unwrap_or_else(|_| {
            log.add(Code::ValueOutOfRange, None, || "the sum of self sizes".into());
            if size < 0 { i64::MIN } else { i64::MAX }
        })
    }

    /// Checks totals, if the document was read to its end.
    fn check(&self, log: &mut Log) {
        let Read { header, counts, .. } = *self;
        let is_missing = |section: &&&Section| section.required && !self.walk.has_visited(section);
        for section in SECTIONS.iter().filter(is_missing) {
            log.add(Code::MissingSection, None, || format!("there is no {:?}", section.name));
        }
        let duplicates = self.nodes.map_or(0, NodeIndex::duplicate_ids);
        if duplicates > 0 {
            log.add(Code::DuplicateId, None, || {
                format!("{duplicates} nodes have the id of an earlier one: what is told by id is of several")
            });
        }
        let functions = Code::TraceFunctionCountMismatch;
        for (fewer, other, declared, section) in [
            (Code::NodesMissing, Code::NodeCountMismatch, header.node_count, &NODES),
            (Code::EdgesMissing, Code::EdgeCountMismatch, header.edge_count, &EDGES),
            (functions, functions, header.trace_function_count, &TRACE_FUNCTIONS),
        ] {
            let read = counts.of(section);
            if let Some(declared) = declared.filter(|&declared| declared != read) {
                let code = if read < declared { fewer } else { other };
                log.add(code, None, || format!("the header declares {declared}, there are {read}"));
            }
        }
        let (owned, edges) = (self.nodes.map_or(0, |nodes| nodes.edges.total), counts.of(&EDGES));
        if owned > edges && header.edge_count != Some(owned) {
            log.add(Code::EdgesMissing, None, || {
                format!("the nodes' edge counts add up to {owned}, there are {edges}")
            });
        }
        // Edges belong to nodes by their order: if one is missing anywhere, all behind it belong to others.
        let are_unknown = self.nodes.is_some_and(|nodes| nodes.owners_unknown);
        if are_unknown || owned != edges && counts.has(&EDGES) && counts.of(&NODES) > 0 {
            log.add(Code::OwnersUnknown, None, || {
                format!(
                    "the nodes' edge counts add up to {owned}, there are {edges} edges: which node owns which edge is \
                     unknown, and nothing is analysed"
                )
            });
        }
        let owned = |owned: fn(&ScopeIndex) -> u64| self.scopes.map_or(0, owned);
        for (section, owned) in [
            (&SCOPE_CONTEXT_VARS, owned(|scopes| scopes.context_vars.total)),
            (&SCOPE_USES, owned(|scopes| scopes.uses.total)),
        ] {
            let read = counts.of(section);
            if owned > read {
                log.add(Code::ScopeRecordsMissing, None, || {
                    format!(
                        "the scopes' counts of {:?} add up to {owned}, there are {read}",
                        section.name
                    )
                });
            }
        }
    }
}
