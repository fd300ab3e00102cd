//! Heap snapshots and heap timelines: `.heapsnapshot`, `.heaptimeline`, as V8 writes them and as Hermes, Bun, Julia
//! and ArkTS do.
//!
//! A [`Snapshot`] hands out [`Task`]s: under a lock a worker *claims* the bytes of the next row group, outside of it
//! it *decodes* them into a record batch, and reports back what later sections need. With one worker that is:
//!
//! ```
//! use heapquarry_formats::heap;
//!
//! let json = br#"{"snapshot":{"meta":{
//!     "node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"]],
//!     "edge_fields":["type","name_or_index","to_node"],"edge_types":[["property"]]}},
//!     "nodes":[0,0,1,24,1, 0,0,3,16,0], "edges":[0,1,5], "strings":["Foo","bar"]}"#;
//! let mut rows = 0;
//! let summary = heap::read(json, 0, "demo", heap::Options::default(), |table, batch| {
//!     rows += batch.num_rows();
//!     println!("{}: {} rows", table.name, batch.num_rows());
//! })?;
//! assert_eq!((summary.counts.nodes, summary.counts.edges, summary.counts.strings), (2, 1, 2));
//! # Ok::<(), heapquarry_formats::Error>(())
//! ```

mod claim;
mod collect;
mod edges;
mod flat;
mod graph;
mod header;
mod join;
mod labels;
mod members;
mod nodes;
mod reader;
mod records;
mod sniff;
mod strings;
mod survey;
mod totals;
mod trace_tree;

pub use crate::document::Status;
pub use crate::options::{Locate, Names};
pub(crate) use sniff::recognises;
pub use sniff::sniff;
pub use survey::{Section as SurveySection, Survey, survey};
pub use totals::Counts;

use crate::{Buffer, Code, Error, Input, Log, Result, Severity, error::printable, input};
use arrow_array::RecordBatch;
use claim::{End, Records};
use collect::Collector;
use graph::Graph;
use header::Header;
use heapquarry_graph::HeapParts;
use heapquarry_tables as tables;
use heapquarry_tables::{Table, pool::Pool};
use join::Stage;
use members::{Member, ValueEnd, Walk};
use std::{collections::HashMap, sync::Arc};
use strings::{Claimed, Strings};
use trace_tree::{Chunk, Frames, Next, Piece, Tree};

/// The header of a real snapshot is 2 KB; beyond this it is refused.
const LONGEST_HEADER: u64 = 64 << 20;

/// How a snapshot is read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Text or numbers.
    pub names: Names,
    /// How the strings are found.
    pub locate: Locate,
    /// Rows of a row group, at least 1. Larger ones need more memory in each worker: about 60 bytes a row.
    pub row_group_rows: usize,
    /// Bytes read at a time, at least 1. The output does not depend on it.
    pub window: usize,
    /// Also gather the columns that the analysis of the heap needs, for [`Summary::heap`].
    pub collect: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            names: Names::Text,
            locate: Locate::Walk,
            row_group_rows: 128 << 10,
            window: 128 << 10,
            collect: false,
        }
    }
}

/// What a worker may do next.
#[derive(Debug)]
pub enum Claim {
    /// Decode this, with the bytes that are now in the buffer.
    Task(Task),
    /// Nothing until another task is complete.
    Wait,
    /// Nothing any more.
    End,
}

/// The rows of one row group, claimed but not decoded.
#[derive(Debug)]
pub struct Task {
    work: Work,
    shared: Arc<Shared>,
    log: Log,
}

#[derive(Debug)]
enum Work {
    Nodes(Records),
    Edges(Records, Arc<Graph>),
    Locations(Records, Arc<Graph>),
    Samples(Records),
    TraceFunctions(Records),
    /// Frames whose parents have to be found.
    TraceChunk(Chunk),
    TraceNodes(Box<Frames>),
    Strings(Claimed),
}

/// What decoding a task leaves behind for [`Snapshot::complete`].
#[derive(Debug)]
pub struct Done {
    log: Log,
    left: Left,
}

#[derive(Debug)]
enum Left {
    Nothing,
    Nodes(graph::Part),
    Strings(strings::Part),
    TraceNodes(Piece),
}

/// Space that a worker uses again for each task.
#[derive(Debug, Default)]
pub struct Scratch {
    pool: Pool<u32>,
}

/// What all tasks know.
#[derive(Debug)]
pub(crate) struct Shared {
    file_id: i32,
    header: Arc<Header>,
    /// Whether decoded strings are kept for the names.
    keeps_strings: bool,
    /// The strings, once they are all there.
    strings: Option<Strings>,
    /// Gathers columns for the analysis, if it is wanted.
    collector: Option<Arc<Collector>>,
}

impl Task {
    /// The table that the rows belong to.
    pub fn table(&self) -> &'static Table {
        match self.work {
            Work::Nodes(_) => &tables::JS_HEAP_NODES,
            Work::Edges(..) => &tables::JS_HEAP_EDGES,
            Work::Locations(..) => &tables::JS_HEAP_LOCATION,
            Work::Samples(_) => &tables::JS_HEAP_SAMPLE,
            Work::TraceFunctions(_) => &tables::JS_HEAP_TRACE_FUNCTION_INFO,
            Work::TraceChunk(_) | Work::TraceNodes(_) => &tables::JS_HEAP_TRACE_NODE,
            Work::Strings(_) => &tables::JS_HEAP_STRING,
        }
    }

    /// Whether decoding gives rows; those of others come with a later task.
    pub(crate) fn gives_rows(&self) -> bool {
        !matches!(self.work, Work::TraceChunk(_))
    }

    /// Whether later sections need what decoding this leaves behind, even if nobody wants its rows.
    pub fn has_side_output(&self) -> bool {
        match self.work {
            Work::Nodes(_) | Work::TraceChunk(_) => true,
            Work::Strings(_) => self.shared.keeps_strings,
            Work::Edges(..) | Work::Locations(..) => self.shared.collector.is_some(),
            _ => false,
        }
    }

    /// What later sections and the analysis need, without the rows.
    pub fn skim(self, bytes: &[u8], scratch: &mut Scratch) -> Done {
        let Task { work, shared, mut log } = self;
        let left = match work {
            Work::Nodes(records) => {
                let part = nodes::skim::<u32>(&shared, records, bytes, scratch, &mut log)
                    .or_else(|| nodes::skim::<i64>(&shared, records, bytes, scratch, &mut log));
                Left::Nodes(part.expect("64 bits hold all"))
            }
            Work::Edges(records, _) => {
                if let Some(collector) = &shared.collector {
                    let (header, pool) = (&shared.header, &scratch.pool);
                    collect::skim_edges::<u32>(collector, header, records, bytes, pool, &mut log)
                        .or_else(|| {
                            collect::skim_edges::<i64>(
                                collector, header, records, bytes, pool, &mut log,
                            )
                        })
                        .expect("64 bits hold all");
                }
                Left::Nothing
            }
            Work::Strings(claimed) => {
                let strings = claimed.decode(bytes, &mut log);
                Left::Strings(strings::Part { first: claimed.first, strings })
            }
            work => return Task { work, shared, log }.decode(bytes, scratch).1,
        };
        Done { log, left }
    }

    /// Turns the claimed bytes into rows; `None` if they come with a later task.
    pub fn decode(self, bytes: &[u8], scratch: &mut Scratch) -> (Option<RecordBatch>, Done) {
        let Task { work, shared, mut log } = self;
        let mut left = Left::Nothing;
        // With 32 bits if that will do, else with 64.
        macro_rules! decode {
            ($module:ident::$function:ident($($arg:expr),+)) => {
                $module::$function::<u32>(&shared, $($arg,)+ scratch, &mut log)
                    .or_else(|| $module::$function::<i64>(&shared, $($arg,)+ scratch, &mut log))
                    .expect("64 bits hold all")
            };
        }
        let batch = match work {
            Work::Nodes(records) => {
                let (batch, part) = decode!(nodes::decode(records, bytes));
                left = Left::Nodes(part);
                batch
            }
            Work::Edges(records, graph) => {
                decode!(edges::decode(&graph, records, bytes))
            }
            Work::Locations(records, graph) => {
                decode!(flat::locations(&graph, records, bytes))
            }
            Work::Samples(records) => decode!(flat::samples(records, bytes)),
            Work::TraceFunctions(records) => {
                decode!(flat::trace_functions(records, bytes))
            }
            Work::TraceChunk(chunk) => {
                let left = Left::TraceNodes(chunk.decode(bytes));
                return (None, Done { log, left });
            }
            Work::TraceNodes(frames) => frames.batch(&shared),
            Work::Strings(claimed) => {
                let strings = claimed.decode(bytes, &mut log);
                let batch = strings::rows(shared.file_id, claimed.first, &strings);
                if shared.keeps_strings {
                    left = Left::Strings(strings::Part { first: claimed.first, strings });
                }
                batch
            }
        };
        (Some(batch), Done { log, left })
    }
}

/// The sections that become tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Section {
    Nodes,
    Edges,
    TraceFunctionInfos,
    TraceTree,
    Samples,
    Locations,
    Strings,
}

impl Section {
    const ALL: [Section; 7] = [
        Section::Nodes,
        Section::Edges,
        Section::TraceFunctionInfos,
        Section::TraceTree,
        Section::Samples,
        Section::Locations,
        Section::Strings,
    ];

    fn name(self) -> &'static str {
        match self {
            Section::Nodes => "nodes",
            Section::Edges => "edges",
            Section::TraceFunctionInfos => "trace_function_infos",
            Section::TraceTree => "trace_tree",
            Section::Samples => "samples",
            Section::Locations => "locations",
            Section::Strings => "strings",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    fn needs_nodes(self) -> bool {
        matches!(self, Section::Edges | Section::Locations)
    }

    fn needs_strings(self) -> bool {
        matches!(self, Section::Nodes | Section::Edges | Section::TraceFunctionInfos)
    }
}

/// The section that is being claimed.
#[derive(Debug)]
struct Current {
    section: Section,
    cursor: Cursor,
    /// Whether the walk over the members stands at it, and goes on behind it.
    in_place: bool,
}

#[derive(Debug)]
enum Cursor {
    Records(claim::Cursor),
    Strings(strings::Cursor),
    TraceTree(Box<Tree>),
}

/// A heap snapshot being read.
pub struct Snapshot<'a> {
    input: &'a dyn Input,
    options: Options,
    file_id: i32,
    name: String,
    walk: Walk,
    /// Whether the walk has come to its end.
    walked: bool,
    current: Option<Current>,
    /// A section that the walk stands at and that waits for others.
    parked: Option<(Section, u64)>,
    /// Sections that were passed over because others had to come first.
    deferred: Vec<(Section, u64)>,
    /// Sections met so far, and where.
    met: HashMap<Section, u64>,
    /// Where the strings begin and how they ended, if they are read out of turn.
    strings_first: Option<(u64, Option<End>)>,
    shared: Option<Arc<Shared>>,
    nodes: Stage<graph::Builder>,
    strings: Stage<strings::Builder>,
    counts: Counts,
    log: Log,
}

impl<'a> Snapshot<'a> {
    /// Starts reading. `file_id` goes into every row, `name` into `js_heap_files`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: &'a dyn Input, file_id: i32, name: &str, options: Options) -> Result<Self> {
        let mut log = Log::default();
        let start = if input::bytes_at(input, 0, 3)? == b"\xEF\xBB\xBF" {
            log.add(Code::ByteOrderMark, 0, || "a UTF-8 byte order mark".into());
            3
        } else {
            0
        };
        let mut snapshot = Snapshot {
            input,
            options,
            file_id,
            name: name.into(),
            walk: Walk::new(start, options.window),
            walked: false,
            current: None,
            parked: None,
            deferred: Vec::new(),
            met: HashMap::new(),
            strings_first: None,
            shared: None,
            nodes: Stage::NotMet,
            strings: Stage::NotMet,
            counts: Counts::default(),
            log,
        };
        if options.names == Names::Text {
            snapshot.strings_first = snapshot.locate_strings()?.map(|open| (open, None));
        }
        Ok(snapshot)
    }

    /// Offset of the `[` of the strings.
    fn locate_strings(&self) -> Result<Option<u64>> {
        let input = self.input;
        let window = self.options.window.max(64 << 10);
        if self.options.locate == Locate::FromEnd
            && let Some(open) = members::last_strings(input, window)?
        {
            return Ok(Some(open));
        }
        let mut walk = self.walk.clone();
        loop {
            match walk.next(input)? {
                Member::Value { name, at, .. } if name == Section::Strings.name() => {
                    let array = matches!(members::peek(input, at, 1)?, Some((b'[', _)));
                    return Ok(array.then_some(at));
                }
                Member::Value { at, .. } => match members::skip_value(input, at, window)? {
                    ValueEnd::At(end) => walk.at = end,
                    ValueEnd::Cut => return Ok(None),
                },
                Member::End { .. } | Member::Cut => return Ok(None),
                // Behind whatever this is, the strings may be whole.
                Member::Malformed { .. } => return members::strings_from_end(input, window),
            }
        }
    }

    /// The next row group, its bytes in `buf`. To be called under a lock; it reads, but does not decode.
    ///
    /// # Errors
    /// If the input cannot be read, or is so broken that nothing can be kept.
    pub fn claim(&mut self, buf: &mut Buffer) -> Result<Claim> {
        loop {
            if self.current.is_some() {
                if let Some(claim) = self.claim_current(buf)? {
                    return Ok(claim);
                }
                continue;
            }
            if let Some((section, at)) = self.parked {
                if !self.is_ready(section) {
                    return Ok(Claim::Wait);
                }
                self.parked = None;
                self.begin(section, at, true);
                continue;
            }
            if let Some(i) = self.deferred.iter().position(|&(section, _)| self.is_ready(section)) {
                let (section, at) = self.deferred.remove(i);
                self.begin(section, at, false);
                continue;
            }
            if !self.walked {
                self.walk_on()?;
                continue;
            }
            if self.shared.is_none() {
                return Err(self.no_header());
            }
            if self.nodes.is_reading() || self.strings.is_reading() {
                return Ok(Claim::Wait);
            }
            if self.deferred.is_empty() {
                return Ok(Claim::End);
            }
            // Edges or locations without nodes: their rows are all that there is.
            self.nodes = Stage::Ready(Arc::default());
        }
    }

    /// What the next claim will probably read, while a section of numbers is claimed.
    fn ahead(&mut self) -> Option<claim::Ahead<'a>> {
        match &mut self.current.as_mut()?.cursor {
            Cursor::Records(cursor) => cursor.ahead(self.input, self.options.window),
            _ => None,
        }
    }

    /// Takes back what a decoded task leaves behind.
    pub fn complete(&mut self, done: Done) {
        self.log.merge(done.log);
        match done.left {
            Left::Nothing => {}
            Left::Nodes(part) => self.nodes.add(part),
            Left::Strings(part) => self.strings.add(part),
            Left::TraceNodes(piece) => {
                if let Some(Current { cursor: Cursor::TraceTree(tree), .. }) = &mut self.current {
                    tree.complete(piece, &mut self.log);
                }
            }
        }
        self.share_strings();
    }

    /// Tasks get the strings as soon as they are all there.
    fn share_strings(&mut self) {
        if self.strings_first.is_some()
            && let (Some(strings), Some(shared)) = (self.strings.ready(), &mut self.shared)
            && shared.strings.is_none()
        {
            *shared = Arc::new(Shared {
                file_id: shared.file_id,
                header: shared.header.clone(),
                keeps_strings: shared.keeps_strings,
                strings: Some(Strings::clone(strings)),
                collector: shared.collector.clone(),
            });
        }
    }

    /// What a section needs is there.
    fn is_ready(&self, section: Section) -> bool {
        self.shared.is_some()
            && (!section.needs_nodes() || self.nodes.ready().is_some())
            && (!section.needs_strings() || !self.waits_for_strings())
    }

    /// What a section needs is on its way: better wait than pass it over.
    fn is_coming(&self, section: Section) -> bool {
        self.shared.is_some() && (!section.needs_nodes() || !matches!(self.nodes, Stage::NotMet))
    }

    fn waits_for_strings(&self) -> bool {
        self.strings_first.is_some() && self.strings.ready().is_none()
    }

    fn begin(&mut self, section: Section, open: u64, in_place: bool) {
        let shared = self.shared.as_ref().expect("sections begin after the header");
        let (header, keeps_strings) = (&shared.header, shared.keeps_strings);
        let records = |fields: &header::Fields| {
            Cursor::Records(claim::Cursor::new(section.name(), open, fields.width()))
        };
        let cursor = match section {
            Section::Nodes => records(&header.node_fields),
            Section::Edges => records(&header.edge_fields),
            Section::TraceFunctionInfos => records(&header.trace_function_info_fields),
            Section::Samples => records(&header.sample_fields),
            Section::Locations => records(&header.location_fields),
            Section::TraceTree => {
                let fields = &header.trace_node_fields;
                let names = (0..fields.width()).map(|i| fields.name(i));
                Cursor::TraceTree(Tree::new(open, names).into())
            }
            Section::Strings => Cursor::Strings(strings::Cursor::new(open)),
        };
        if let Some(collector) = &shared.collector {
            // A record takes two bytes a field at least.
            let most = |width: usize| self.input.size() / (2 * width.max(1)) as u64;
            match section {
                Section::Nodes => {
                    let count = header.node_count.unwrap_or(0);
                    let count = count.min(most(header.node_fields.width()));
                    collector.expect_nodes(count as usize, header);
                }
                Section::Edges => {
                    let count = self.nodes.ready().map_or(0, |graph| graph.edges);
                    let count = count.min(most(header.edge_fields.width()));
                    collector.expect_edges(count as usize);
                }
                _ => {}
            }
        }
        match section {
            // Not more than there can be: a value takes two bytes at least.
            Section::Nodes => {
                let most = self.input.size() / (2 * header.node_fields.width().max(1) as u64);
                let nodes = header.node_count.unwrap_or(0).min(most);
                self.nodes.begin(graph::Builder::with_capacity(nodes as usize));
            }
            Section::Strings if keeps_strings => {
                let most = self.input.size().saturating_sub(open);
                self.strings.begin(strings::Builder::with_capacity(most as usize));
            }
            _ => {}
        }
        self.current = Some(Current { section, cursor, in_place });
    }

    /// What is next in the current section; nothing at its end.
    fn claim_current(&mut self, buf: &mut Buffer) -> Result<Option<Claim>> {
        let Options { row_group_rows: rows, window, .. } = self.options;
        let rows = rows.max(1);
        let (input, current) = (self.input, self.current.as_mut().expect("checked by the caller"));
        let graph = || self.nodes.ready().cloned().unwrap_or_default();
        let work =
            match &mut current.cursor {
                Cursor::Records(cursor) => cursor
                    .claim(input, buf, rows, window, &mut self.log)?
                    .map(|records| match current.section {
                        Section::Nodes => Work::Nodes(records),
                        Section::Edges => Work::Edges(records, graph()),
                        Section::Locations => Work::Locations(records, graph()),
                        Section::Samples => Work::Samples(records),
                        _ => Work::TraceFunctions(records),
                    }),
                Cursor::Strings(cursor) => {
                    cursor.claim(input, buf, rows, window, &mut self.log)?.map(Work::Strings)
                }
                Cursor::TraceTree(tree) => {
                    match tree.claim(input, buf, rows, window, &mut self.log)? {
                        Next::Chunk(chunk) => Some(Work::TraceChunk(chunk)),
                        Next::Frames(frames) => Some(Work::TraceNodes(frames)),
                        Next::Wait => return Ok(Some(Claim::Wait)),
                        Next::End => None,
                    }
                }
            };
        let Some(work) = work else {
            self.end_current()?;
            return Ok(None);
        };
        match &work {
            Work::Nodes(_) => self.nodes.task(),
            Work::Strings(_) => self.strings.task(),
            _ => {}
        }
        let shared = self.shared.clone().expect("sections begin after the header");
        Ok(Some(Claim::Task(Task { work, shared, log: Log::default() })))
    }

    /// The current section has been claimed to its end.
    fn end_current(&mut self) -> Result<()> {
        let Some(Current { section, cursor, in_place }) = self.current.take() else {
            return Ok(());
        };
        let (count, end) = match &cursor {
            Cursor::Records(cursor) => (cursor.rows, cursor.end()),
            Cursor::Strings(cursor) => (cursor.count(), cursor.end()),
            Cursor::TraceTree(tree) => (tree.rows(), tree.end()),
        };
        let counts = &mut self.counts;
        *match section {
            Section::Nodes => &mut counts.nodes,
            Section::Edges => &mut counts.edges,
            Section::TraceFunctionInfos => &mut counts.trace_functions,
            Section::TraceTree => &mut counts.trace_nodes,
            Section::Samples => &mut counts.samples,
            Section::Locations => &mut counts.locations,
            Section::Strings => &mut counts.strings,
        } = count;
        match section {
            Section::Nodes => self.nodes.claimed(),
            Section::Strings => {
                self.strings.claimed();
                self.share_strings();
            }
            _ => {}
        }
        let end = end.unwrap_or(End::Cut);
        if in_place {
            self.go_on(section.name(), end)?;
        } else if let (Section::Strings, Some((_, known))) = (section, &mut self.strings_first)
            && !self.met.contains_key(&section)
        {
            // Its end counts when the walk comes to it.
            *known = Some(end);
        } else if let End::Malformed(at) = end {
            self.log_malformed(at, &format!("a value or the end of {}", section.name()));
        }
        Ok(())
    }

    /// The walk goes on behind a section, if it can.
    fn go_on(&mut self, section: &str, end: End) -> Result<()> {
        match end {
            End::Closed(at) => self.walk.at = at,
            End::Cut => self.cut()?,
            End::Malformed(at) => {
                self.end_walk()?;
                self.log_malformed(at, &format!("a value or the end of {section}"));
            }
        }
        Ok(())
    }

    fn cut(&mut self) -> Result<()> {
        self.log.add(Code::Truncated, self.input.size(), || {
            "the document ends before its closing brace".into()
        });
        self.end_walk()
    }

    /// The walk is over. Strings that were looked for from the end must be a section that it has met.
    fn end_walk(&mut self) -> Result<()> {
        self.walked = true;
        let met = self.strings_first.is_none() || self.met.contains_key(&Section::Strings);
        if self.options.locate == Locate::FromEnd && !met {
            return Err(Error::misplaced());
        }
        Ok(())
    }

    fn log_malformed(&mut self, at: u64, expected: &str) {
        // Only for the message: if it cannot be read, it stays empty.
        let found = input::bytes_at(self.input, at, 80).unwrap_or_default();
        self.log.add_excerpt(Code::Malformed, at, &found, || {
            format!("expected {expected}; what follows is not read")
        });
    }

    /// Meets the next member.
    fn walk_on(&mut self) -> Result<()> {
        match self.walk.next(self.input)? {
            Member::Value { name, key_at, at } => self.meet(&name, key_at, at)?,
            Member::End { at } => {
                self.end_walk()?;
                if let Some((_, at)) = members::peek(self.input, at, 4096)? {
                    let found = input::bytes_at(self.input, at, 80)?;
                    self.log.add_excerpt(Code::TrailingData, at, &found, || {
                        format!("{} bytes behind the closing brace", self.input.size() - at)
                    });
                }
            }
            Member::Cut => self.cut()?,
            Member::Malformed { at, expected } => {
                self.end_walk()?;
                self.log_malformed(at, expected);
            }
        }
        Ok(())
    }

    fn meet(&mut self, name: &str, key_at: u64, at: u64) -> Result<()> {
        if name == "snapshot" && self.shared.is_none() {
            return self.read_header(at);
        }
        let Some(section) = Section::by_name(name) else {
            let (code, message) = match name {
                "snapshot" => (Code::DuplicateSection, "the first is kept"),
                _ => (Code::UnknownSection, "skipped"),
            };
            self.log.add(code, key_at, || format!("section {name:?}: {message}"));
            return self.skip(at);
        };
        let elsewhere = self.strings_first.map(|(open, _)| open).filter(|&open| open != at);
        let elsewhere = elsewhere.filter(|_| section == Section::Strings);
        if elsewhere.is_some() && self.options.locate == Locate::FromEnd {
            return Err(Error::misplaced());
        }
        // Behind damage strings are taken from the end, and none that may come before them.
        if let Some(first) = self.met.get(&section).copied().or(elsewhere) {
            self.log.add(Code::DuplicateSection, key_at, || {
                format!("section {name:?}: the one at byte {first} is kept")
            });
            return self.skip(at);
        }
        self.met.insert(section, at);
        if !matches!(members::peek(self.input, at, 1)?, Some((b'[', _))) {
            self.log.add(Code::MissingSection, key_at, || format!("{name:?} is no array"));
            return self.skip(at);
        }
        match self.strings_first {
            Some((open, Some(end))) if open == at => self.go_on(name, end)?,
            // Not begun, as they come before the header.
            Some((open, None)) if open == at => self.skip(at)?,
            _ if self.is_ready(section) => self.begin(section, at, true),
            _ if self.is_coming(section) => self.parked = Some((section, at)),
            _ => {
                // If it has no end, what there is of it counts.
                self.skip(at)?;
                self.deferred.push((section, at));
            }
        }
        Ok(())
    }

    /// Passes over the value at `at`, to the end of the document if it has none.
    fn skip(&mut self, at: u64) -> Result<()> {
        match members::skip_value(self.input, at, self.options.window)? {
            ValueEnd::At(end) => self.walk.at = end,
            ValueEnd::Cut => self.cut()?,
        }
        Ok(())
    }

    fn read_header(&mut self, at: u64) -> Result<()> {
        let ValueEnd::At(end) = members::skip_value(self.input, at, self.options.window)? else {
            let found = "the end of the document";
            return Err(Error::malformed(
                self.input.size(),
                "the rest of the header (\"snapshot\")",
                found,
            ));
        };
        if end - at > LONGEST_HEADER {
            let expected = format!("a header (\"snapshot\") of at most {LONGEST_HEADER} bytes");
            return Err(Error::malformed(at, expected, format!("{} bytes", end - at)));
        }
        let json = input::bytes_at(self.input, at, (end - at) as usize)?;
        let header = Arc::new(Header::parse(json, at, &mut self.log)?);
        self.shared = Some(Arc::new(Shared {
            file_id: self.file_id,
            keeps_strings: self.strings_first.is_some() || self.options.collect,
            strings: None,
            collector: self.options.collect.then(|| Arc::new(Collector::new(&header))),
            header,
        }));
        self.walk.at = end;
        if let Some((open, None)) = self.strings_first {
            self.begin(Section::Strings, open, false);
        }
        Ok(())
    }

    fn no_header(&self) -> Error {
        let at = self.walk.at;
        let found = match input::bytes_at(self.input, at, 40) {
            Ok(found) if !found.is_empty() => printable(&found, 40),
            _ => "the end of the document".into(),
        };
        Error::malformed(at, "a header (\"snapshot\") with the fields of nodes and edges", found)
    }

    /// Ends reading, after [`Claim::End`] and when all tasks are complete: the rows that stand for the whole
    /// snapshot, and what is to be said of it.
    ///
    /// # Panics
    /// If it has not come to its end.
    pub fn finish(mut self) -> (Vec<(&'static Table, RecordBatch)>, Summary) {
        let shared = self.shared.take().expect("claim() ends only after the header");
        let header = &shared.header;
        if let Stage::Ready(graph) = &self.nodes {
            let size = i64::try_from(graph.self_size);
            self.counts.self_size = size.unwrap_or_else(|_| {
                self.log.add(Code::ValueOutOfRange, None, || "the sum of self sizes".into());
                if graph.self_size < 0 { i64::MIN } else { i64::MAX }
            });
        }
        let status = if self.log.has(Code::Truncated) || self.log.has(Code::Malformed) {
            Status::Truncated
        } else {
            self.check_counts(header);
            if self.log.count(Severity::DataLoss) > 0 { Status::Repaired } else { Status::Complete }
        };
        let batches = vec![
            (&tables::JS_HEAP_FILES, totals::files(self.file_id, &self.name, header, &self.counts)),
            (&tables::JS_HEAP_INFO, totals::info(self.file_id, header)),
        ];
        let heap = shared.collector.as_ref().map(|collector| {
            collector.finish(header, self.strings.ready().map(|strings| &**strings))
        });
        let summary = Summary {
            heap,
            counts: self.counts,
            timeline: self.counts.samples > 0,
            producer: header.producer.name(),
            status,
            log: self.log,
        };
        (batches, summary)
    }

    /// What a document that is there to its end should add up to.
    fn check_counts(&mut self, header: &Header) {
        for section in [Section::Nodes, Section::Edges, Section::Strings] {
            if !self.met.contains_key(&section) {
                self.log.add(Code::MissingSection, None, || {
                    format!("there is no {:?}", section.name())
                });
            }
        }
        let counts = &self.counts;
        for (code, declared, read) in [
            (Code::NodeCountMismatch, header.node_count, counts.nodes),
            (Code::EdgeCountMismatch, header.edge_count, counts.edges),
            (Code::TraceFunctionCountMismatch, header.trace_function_count, counts.trace_functions),
        ] {
            if let Some(declared) = declared.filter(|&declared| declared != read) {
                self.log.add(code, None, || {
                    format!("the header declares {declared}, there are {read}")
                });
            }
        }
        if let Stage::Ready(graph) = &self.nodes
            && graph.edges > counts.edges
        {
            self.log.add(Code::EdgesMissing, None, || {
                format!(
                    "the nodes' edge counts add up to {}, there are {}",
                    graph.edges, counts.edges
                )
            });
        }
    }
}

/// What is to be said of a snapshot that was read.
#[derive(Debug)]
pub struct Summary {
    /// Records read.
    pub counts: Counts,
    /// It has samples: a timeline, not a mere snapshot.
    pub timeline: bool,
    /// Who wrote it, as far as the header tells.
    pub producer: Option<&'static str>,
    /// Whether it was whole.
    pub status: Status,
    /// What was out of the ordinary.
    pub log: Log,
    /// The columns of the heap, if [`Options::collect`] was set.
    pub heap: Option<HeapParts>,
}

/// Reads a snapshot with one thread, handing each batch to `emit`.
///
/// # Errors
/// If the input cannot be read, or is so broken that nothing can be kept.
pub fn read(
    input: &dyn Input,
    file_id: i32,
    name: &str,
    options: Options,
    mut emit: impl FnMut(&'static Table, RecordBatch),
) -> Result<Summary> {
    let mut snapshot = Snapshot::new(input, file_id, name, options)?;
    let (mut buf, mut scratch) = (Buffer::default(), Scratch::default());
    loop {
        match snapshot.claim(&mut buf)? {
            Claim::Task(task) => {
                let table = task.table();
                let (batch, done) = task.decode(&buf, &mut scratch);
                snapshot.complete(done);
                if let Some(batch) = batch {
                    emit(table, batch);
                }
            }
            Claim::Wait => unreachable!("no other task is under way"),
            Claim::End => break,
        }
    }
    let (batches, summary) = snapshot.finish();
    batches.into_iter().for_each(|(table, batch)| emit(table, batch));
    Ok(summary)
}
