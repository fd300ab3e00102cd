//! Heap snapshots of JavaScriptCore: what Safari's Web Inspector exports and `Bun.generateHeapSnapshot()` returns.
//! <https://github.com/WebKit/WebKit/blob/main/Source/JavaScriptCore/heap/HeapSnapshotBuilder.cpp>
//!
//! An object of flat arrays: `nodes` of 4 values each (7 in snapshots for debugging the collector), `edges` of 4 values
//! each with the ids of both ends, and lists of names. Names come after the records that use them, and the number of
//! edges of a node is known only after all edges. So the nodes are read into columns first, and the edges are counted;
//! then come the rows, for which the edges are read again. Records are read and counted as those of V8's snapshots are.

mod build;
mod edges;
mod nodes;
mod rows;
mod sniff;
mod task;

pub use task::{Done, Scratch, Task};

pub(crate) use sniff::{Sign, sign};

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Gathered, Input, Log, ReadOptions, Reader, Result,
    WINDOW,
    ahead::Ahead,
    heap::{
        collect::{InOrder, List},
        members::{Member, Members, peek},
        records::RecordCursor,
        source::{End, Source, skip_value},
        strings::StringCursor,
    },
    input,
    json::{Json, Stop, Value, text},
    profile::{log_stop, next_document},
};
use arrow_array::LargeStringArray;
use build::{Built, Edges, Parsed};
use edges::{EdgeColumns, EdgeCounts};
use heapquarry_tables::{FileId, JS_HEAP_ANALYSIS_TABLES, JS_HEAP_EDGES, Table};
use nodes::{NodeColumns, NodeIds};
use std::sync::Arc;
use task::{EdgePass, Part, Work};

/// The tables that an analysis derives from the gathered graph.
pub(crate) static DERIVED: &[&[&Table]] = &[&JS_HEAP_ANALYSIS_TABLES];

/// Values of an edge.
const EDGE_WIDTH: usize = 4;
/// Members other than sections are not read beyond this many entries. Real files have four types of edges.
const MOST_EDGE_TYPES: usize = 255;
/// The versions whose records have the known fields.
const KNOWN_VERSIONS: std::ops::RangeInclusive<i64> = 1..=3;

/// A snapshot of JavaScriptCore being read.
pub struct Snapshot<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    name: String,
    options: ReadOptions,
    members: Members,
    /// Whether there are no more members.
    ended: bool,
    /// Where the sections are that have been visited.
    visited: Vec<(Section, ByteOffset)>,
    /// The section being claimed.
    current: Option<Current>,
    /// The edges, if they come before the nodes: they are read last.
    deferred: Option<ByteOffset>,
    /// Tasks whose columns are still to come.
    running: usize,
    /// Values of a node.
    node_width: usize,
    nodes: InOrder<NodeColumns>,
    /// The nodes by their ids, once they are complete.
    ids: Option<Arc<NodeIds>>,
    /// Where the edges are that have been counted, and not been read again.
    counted: Option<ByteOffset>,
    edge_counts: InOrder<EdgeCounts>,
    edges: InOrder<EdgeColumns>,
    /// The lists of strings, in pieces.
    strings: [InOrder<List<LargeStringArray>>; 3],
    edge_types: Option<Vec<String>>,
    state: State,
    /// Where another document follows this one.
    next: Option<ByteOffset>,
    log: Log,
}

/// What is done after the document has been read.
enum State {
    Reading,
    /// Rows of the strings, of the nodes, of the edges, from this position on.
    Strings(Arc<Built>, usize),
    Nodes(Arc<Built>, usize),
    Edges(Arc<Built>, usize),
    End(Arc<Built>),
}

/// A section that becomes columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Nodes,
    Edges,
    /// A list of strings, by its position in the string table.
    Strings(usize),
}

/// The lists of strings, in the order in which they become the string table.
const STRING_LISTS: [&str; 3] = ["nodeClassNames", "edgeNames", "labels"];

impl Section {
    fn by_name(name: &str) -> Option<Self> {
        match name {
            "nodes" => Some(Section::Nodes),
            "edges" => Some(Section::Edges),
            name => STRING_LISTS.iter().position(|list| *list == name).map(Section::Strings),
        }
    }
}

/// The section being claimed.
struct Current {
    cursor: Cursor,
    /// Whether the walk over the members has reached it and resumes after it.
    in_place: bool,
    /// Whether it is read once more. Its end, and what it lacks, have been logged.
    again: bool,
}

enum Cursor {
    Nodes(RecordCursor),
    Edges(RecordCursor, EdgePass),
    Strings(usize, StringCursor),
}

impl<'a> Snapshot<'a> {
    /// Starts reading. `file_id` goes into every row, `name` into `js_heap_files`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(
        input: &'a dyn Input,
        file_id: FileId,
        name: &str,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut log = Log::default();
        let start = input::start(input, &mut log)?;
        let window = options.window.max(1);
        Ok(Snapshot {
            input,
            file_id,
            name: name.into(),
            options: options.clone().window(window),
            members: Members::new(start, window),
            ended: false,
            visited: Vec::new(),
            current: None,
            deferred: None,
            running: 0,
            node_width: nodes::WIDTH,
            nodes: InOrder::default(),
            ids: None,
            counted: None,
            edge_counts: InOrder::default(),
            edges: InOrder::default(),
            strings: Default::default(),
            edge_types: None,
            state: State::Reading,
            next: None,
            log,
        })
    }

    /// Visits the next member of the document.
    fn advance(&mut self) -> Result<()> {
        match self.members.next(self.input)? {
            Member::Value { name, key_at, at } => self.visit(&name, key_at, at),
            Member::End { at } => {
                self.ended = true;
                let mut rest = Json::new(self.input, at, 4096.min(self.options.window));
                self.next = next_document(&mut rest, self.input, &mut self.log)?;
                Ok(())
            }
            Member::Cut => self.stop(Stop::Cut),
            Member::Malformed { at, expected } => self.stop(Stop::Malformed { at, expected }),
        }
    }

    fn visit(&mut self, name: &str, key_at: ByteOffset, at: ByteOffset) -> Result<()> {
        let Some(section) = Section::by_name(name) else {
            match name {
                "version" => self.read_version(at)?,
                "edgeTypes" => self.read_edge_types(at)?,
                // The type is seen in the width of the nodes. Why roots are roots is not kept.
                "type" | "roots" => {}
                _ => self
                    .log
                    .add(Code::UnknownSection, key_at, || format!("section {name:?}: skipped")),
            }
            return self.skip(at);
        };
        if let Some((_, first)) = self.visited.iter().find(|(visited, _)| *visited == section) {
            let first = *first;
            self.log.add(Code::DuplicateSection, key_at, || {
                format!("section {name:?}: the one at byte {first} is kept")
            });
            return self.skip(at);
        }
        self.visited.push((section, at));
        if !matches!(peek(self.input, at, 1)?, Some((b'[', _))) {
            self.log.add(Code::MissingSection, key_at, || format!("{name:?} is no array"));
            return self.skip(at);
        }
        let cursor = match section {
            Section::Nodes => {
                self.node_width = nodes::width(self.input, at)?;
                Cursor::Nodes(RecordCursor::new("nodes", at, self.node_width))
            }
            Section::Edges => {
                // Also if the nodes are being read.
                self.deferred = Some(at);
                if self.has_visited(Section::Nodes) {
                    self.members.at = at;
                    return Ok(());
                }
                return self.skip(at);
            }
            Section::Strings(list) => Cursor::Strings(list, StringCursor::new(at)),
        };
        self.current = Some(Current { cursor, in_place: true, again: false });
        Ok(())
    }

    fn has_visited(&self, section: Section) -> bool {
        self.visited.iter().any(|(visited, _)| *visited == section)
    }

    fn read_version(&mut self, at: ByteOffset) -> Result<()> {
        let mut json = Json::new(self.input, at, 64);
        if let Ok(Value::Int(version)) = json.value()
            && !KNOWN_VERSIONS.contains(&version)
        {
            self.log.add(Code::UnknownField, at, || {
                format!("version {version} is read like version {}", KNOWN_VERSIONS.end())
            });
        }
        Ok(())
    }

    /// Reads the names of the types of edges, as far as they are there.
    fn read_edge_types(&mut self, at: ByteOffset) -> Result<()> {
        let mut json = Json::new(self.input, at, 4096.min(self.options.window));
        let mut names = Vec::new();
        let mut read = || {
            if !json.eat(b'[')? {
                return json.malformed("`[`");
            }
            while json.next()? != b']' && names.len() < MOST_EDGE_TYPES {
                if let Value::Text(name) = json.value()? {
                    names.push(text(json.bytes(&name.span), name.escaped).0);
                }
                json.eat(b',')?;
            }
            Ok(())
        };
        match read() {
            Err(Stop::Failed(error)) => return Err(error),
            // Skipping it finds the same, and logs it.
            Ok(()) | Err(Stop::Cut | Stop::Malformed { .. }) => {}
        }
        if self.edge_types.is_none() && !names.is_empty() {
            self.edge_types = Some(names);
        }
        Ok(())
    }

    /// Skips the value at `at`; to the end of the document if it is not closed.
    fn skip(&mut self, at: ByteOffset) -> Result<()> {
        match skip_value(self.input, at, self.options.window)? {
            Some(end) => {
                self.members.at = end;
                Ok(())
            }
            None => self.stop(Stop::Cut),
        }
    }

    /// Ends the walk over the members early.
    fn stop(&mut self, stop: Stop) -> Result<()> {
        self.ended = true;
        log_stop(stop, self.input, &mut self.log)
    }

    /// The next rows of the current section; `None` at its end.
    fn claim_section(&mut self, buf: &mut Buffer) -> Result<Option<Claim<Task>>> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let rows = self.options.row_group_rows.max(1);
        let mut logged = Log::default();
        let log = if current.again { &mut logged } else { &mut self.log };
        let mut source = Source::new(self.input, buf, self.options.window, log);
        let work = match &mut current.cursor {
            Cursor::Nodes(cursor) => cursor.claim(&mut source, rows)?.map(Work::Nodes),
            Cursor::Edges(cursor, pass) => {
                let ids = self.ids.clone().unwrap_or_default();
                let records = cursor.claim(&mut source, rows)?;
                records.map(|records| Work::Edges(records, ids, pass.clone()))
            }
            Cursor::Strings(list, cursor) => {
                cursor.claim(&mut source, rows)?.map(|strings| Work::Strings(*list, strings))
            }
        };
        let whole = source.claimed();
        let Some(work) = work else {
            self.end_section()?;
            return Ok(None);
        };
        // Each of two reads is half of the progress.
        let half = whole / 2;
        let bytes = match (&work, self.options.projection.wants(&JS_HEAP_EDGES)) {
            (Work::Edges(_, _, EdgePass::Count), true) => whole - half,
            _ if current.again => half,
            _ => whole,
        };
        if !matches!(work, Work::Edges(_, _, EdgePass::Rows(_))) {
            self.running += 1;
        }
        Ok(Some(Claim::Task(self.task(work), bytes)))
    }

    fn task(&self, work: Work) -> Task {
        Task { file_id: self.file_id, names: self.options.names, work }
    }

    /// Ends the current section after its last claim.
    fn end_section(&mut self) -> Result<()> {
        let Some(Current { cursor, in_place, again }) = self.current.take() else { return Ok(()) };
        if again {
            return Ok(());
        }
        let end = match &cursor {
            Cursor::Nodes(cursor) | Cursor::Edges(cursor, _) => cursor.end(),
            Cursor::Strings(_, cursor) => cursor.end(),
        };
        match end.unwrap_or(End::Cut) {
            End::Closed(at) if in_place => self.members.at = at,
            // Skipping it has found its end, or has logged that there is none.
            End::Closed(_) | End::Cut if !in_place => {}
            End::Closed(_) | End::Cut => self.stop(Stop::Cut)?,
            End::Malformed(at) => {
                let expected = "a value or the end of the section";
                self.stop(Stop::Malformed { at, expected })?;
            }
        }
        Ok(())
    }

    /// Starts to read the edges, once all nodes are there.
    fn begin_edges(&mut self, at: ByteOffset) {
        let nodes = &mut self.nodes.whole;
        nodes.sort(&mut self.log);
        self.ids = Some(Arc::new(NodeIds::new(nodes)));
        let pass = if self.options.gathers(&DERIVED.concat()) {
            EdgePass::Keep
        } else {
            self.counted = Some(at);
            EdgePass::Count
        };
        let in_place = self.members.at == at;
        self.read_edges(at, pass, in_place, false);
    }

    fn read_edges(&mut self, at: ByteOffset, pass: EdgePass, in_place: bool, again: bool) {
        let cursor = Cursor::Edges(RecordCursor::new("edges", at, EDGE_WIDTH), pass);
        self.current = Some(Current { cursor, in_place, again });
    }

    /// Makes the heap of what has been read.
    fn build(&mut self) -> Arc<Built> {
        let mut parsed = Parsed {
            nodes: std::mem::take(&mut self.nodes.whole),
            edges: match self.counted {
                Some(_) => Edges::Counted(std::mem::take(&mut self.edge_counts.whole)),
                None => Edges::Kept(std::mem::take(&mut self.edges.whole)),
            },
            strings: std::mem::take(&mut self.strings).map(|list| list.whole.0),
            edge_types: self.edge_types.take(),
            is_whole: !self.log.has(Code::Truncated) && !self.log.has(Code::Malformed),
        };
        if self.ids.is_none() {
            parsed.nodes.sort(&mut self.log);
        }
        if parsed.is_whole {
            let lists =
                [(Section::Strings(0), STRING_LISTS[0]), (Section::Strings(1), STRING_LISTS[1])];
            for (section, name) in
                [(Section::Nodes, "nodes"), (Section::Edges, "edges")].into_iter().chain(lists)
            {
                if !self.has_visited(section) {
                    self.log.add(Code::MissingSection, None, || format!("there is no {name:?}"));
                }
            }
            if parsed.edge_types.is_none() {
                self.log.add(Code::MissingSection, None, || "there is no \"edgeTypes\"".into());
            }
        }
        Arc::new(parsed.build(&mut self.log))
    }

    /// Begins to read the edges again, if they have to be kept: they are not in the order of their owners.
    fn keeps_edges(&mut self) -> bool {
        let Some(at) = self.counted.take_if(|_| self.edge_counts.whole.is_unordered) else {
            return false;
        };
        self.read_edges(at, EdgePass::Keep, false, true);
        true
    }

    /// The next rows of what has been built; `None` if nothing is left but what has begun to be read.
    fn next_rows(&mut self) -> Option<Work> {
        let rows = self.options.row_group_rows.max(1);
        let part = |next: usize, all: usize| (next < all).then(|| next..(next + rows).min(all));
        loop {
            let (next, work) = match &self.state {
                State::Reading => (State::Strings(self.build(), 0), None),
                State::Strings(built, next) => match built.string_rows(*next, rows) {
                    Some(range) => (
                        State::Strings(built.clone(), range.end),
                        Some(Work::StringRows(built.clone(), range)),
                    ),
                    None => (State::Nodes(built.clone(), 0), None),
                },
                State::Nodes(built, next) => match part(*next, built.node_count()) {
                    Some(range) => (
                        State::Nodes(built.clone(), range.end),
                        Some(Work::NodeRows(built.clone(), range)),
                    ),
                    None => (State::Edges(built.clone(), 0), None),
                },
                State::Edges(built, next) => match part(*next, built.kept_edges()) {
                    Some(range) => (
                        State::Edges(built.clone(), range.end),
                        Some(Work::KeptEdgeRows(built.clone(), range)),
                    ),
                    None => (State::End(built.clone()), None),
                },
                State::End(built) => {
                    if let Some(at) = self.counted.take()
                        && self.options.projection.wants(&JS_HEAP_EDGES)
                    {
                        let pass = EdgePass::Rows(built.clone());
                        self.read_edges(at, pass, false, true);
                    }
                    return None;
                }
            };
            self.state = next;
            if work.is_some() {
                return work;
            }
        }
    }
}

/// About how many nodes and edges a document has: the sizes of their sections, and how many values there are in the
/// middle of each. It does not say so itself.
///
/// # Errors
/// If the input cannot be read.
pub fn estimated(input: &dyn Input) -> Result<(u64, u64)> {
    let mut members = Members::new(input::start(input, &mut Log::default())?, WINDOW);
    let (mut nodes, mut edges) = (0, 0);
    while let Member::Value { name, at, .. } = members.next(input)? {
        let end = skip_value(input, at, WINDOW)?.unwrap_or(input.end());
        match Section::by_name(&name) {
            Some(Section::Nodes) => {
                nodes = values(input, at, end)? / nodes::width(input, at)? as u64
            }
            Some(Section::Edges) => edges = values(input, at, end)? / EDGE_WIDTH as u64,
            _ => {}
        }
        members.at = end;
    }
    Ok((nodes, edges))
}

/// About how many values the section between these offsets has.
fn values(input: &dyn Input, start: ByteOffset, end: ByteOffset) -> Result<u64> {
    let bytes = end - start;
    let looked_at = bytes.min(WINDOW as u64);
    let middle = input::bytes_at(input, start + (bytes - looked_at) / 2, looked_at as usize)?;
    let commas = memchr::memchr_iter(b',', &middle).count() as u128;
    Ok((u128::from(bytes) * commas / u128::from(looked_at.max(1))) as u64)
}

impl<'a> Reader for Snapshot<'a> {
    type Task = Task;
    type Ahead = Ahead<'a>;

    fn ahead(&mut self) -> Option<Ahead<'a>> {
        match &mut self.current.as_mut()?.cursor {
            Cursor::Nodes(cursor) | Cursor::Edges(cursor, _) => {
                cursor.ahead(self.input, self.options.window)
            }
            Cursor::Strings(_, cursor) => cursor.ahead(self.input, self.options.window),
        }
    }

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        loop {
            let reached = self.deferred.filter(|at| self.members.at == *at || self.ended);
            if self.current.is_some() {
                if let Some(claim) = self.claim_section(buf)? {
                    return Ok(claim);
                }
            } else if reached.is_some() && self.running > 0 {
                return Ok(Claim::Wait);
            } else if let Some(at) = reached {
                self.begin_edges(at);
                self.deferred = None;
            } else if !self.ended {
                self.advance()?;
            } else if self.running > 0 {
                return Ok(Claim::Wait);
            } else if self.keeps_edges() {
            } else if let Some(work) = self.next_rows() {
                return Ok(Claim::Task(self.task(work), 0));
            } else if self.current.is_none() {
                return Ok(Claim::End);
            }
        }
    }

    fn complete(&mut self, done: Done) {
        let Done { log, part } = done;
        self.log.merge(log);
        match part {
            Part::None => return,
            Part::Nodes(range, part) => self.nodes.add(range, part),
            Part::EdgeCounts(range, part) => self.edge_counts.add(range, part),
            Part::Edges(range, part) => self.edges.add(range, part),
            Part::Strings(list, range, part) => self.strings[list].add(range, vec![part]),
        }
        self.running -= 1;
    }

    fn finish(mut self) -> Finished {
        let built = match self.state {
            State::End(built) => built,
            // Only if it was not read to its end.
            _ => self.build(),
        };
        let (batches, summary) =
            built.finish(self.file_id, &self.name, self.input.size(), self.node_width, self.log);
        let gathered = self
            .options
            .gathers(&DERIVED.concat())
            .then(|| Gathered::Heap(Box::new(Arc::unwrap_or_clone(built).parts)));
        Finished { batches, documents: vec![summary], gathered, next: self.next }
    }
}
