//! Reads a snapshot: chooses the next section, and passes on what later sections need.

use super::{
    DERIVED, Recounted,
    collect::Collector,
    context::{Context, Joining},
    dependencies::Dependencies,
    header::Header,
    locate::locate_strings,
    members::Members,
    records::RecordCursor,
    sections::{
        Content, EDGES, NODES, RecordDecoder, STRINGS, Section, field_lists,
        trace_tree::{Next, Tree},
        wants_names,
    },
    side_output::Completed,
    source::{End, Source, skip_value},
    strings::StringCursor,
    summary::{self, Counts},
    task::{Done, Task, Work},
    walk::{HEADER, Visit, Walk},
};
use crate::{
    Buffer, ByteOffset, Claim, Code, Error, Finished, Gathered, Input, Log, Names, ReadOptions,
    Reader, Recount, Result, ahead::Ahead, input, printable,
};
use heapquarry_tables::FileId;
use std::sync::Arc;

/// The header of a real snapshot has 2 KB. Longer ones than this are an error.
pub(crate) const LONGEST_HEADER: u64 = 64 << 20;
/// What a document without a header lacks.
pub(crate) const EXPECTED_HEADER: &str =
    "a header (\"snapshot\") with the fields of nodes and edges";

/// A heap snapshot being read.
pub struct Snapshot<'a> {
    input: &'a dyn Input,
    /// Rows of a row group.
    rows: usize,
    /// Bytes read at a time.
    window: usize,
    /// Whether the columns that the analysis needs are gathered.
    gathers: bool,
    file_id: FileId,
    name: String,
    walk: Walk<'a>,
    /// The section being claimed.
    current: Option<Current>,
    /// A section that the walk has reached and that waits for others.
    parked: Option<(&'static Section, ByteOffset)>,
    /// Sections that were skipped because others had to come first.
    deferred: Vec<(&'static Section, ByteOffset)>,
    dependencies: Dependencies,
    /// The context of the next tasks; `None` before the header.
    context: Option<Arc<Context>>,
    counts: Counts,
    /// Whether missing records are an error.
    fails_if_miscounted: bool,
    /// Whether the nodes have their `]`.
    nodes_closed: bool,
    /// What was found by counting, if that was necessary.
    recounted: Option<Arc<Recounted>>,
    log: Log,
}

/// The section being claimed.
struct Current {
    section: &'static Section,
    cursor: Cursor,
    /// Whether the walk has reached it and resumes after it.
    in_place: bool,
}

enum Cursor {
    Records(&'static RecordDecoder, RecordCursor),
    Strings(StringCursor),
    TraceTree(Box<Tree>),
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
        Self::open(input, file_id, name, options, None)
    }

    /// Starts reading an input whose records have been counted.
    pub(crate) fn recounted(
        input: &'a dyn Input,
        file_id: FileId,
        name: &str,
        options: &ReadOptions,
        recounted: Arc<Recounted>,
    ) -> Result<Self> {
        Self::open(input, file_id, name, options, Some(recounted))
    }

    fn open(
        input: &'a dyn Input,
        file_id: FileId,
        name: &str,
        options: &ReadOptions,
        recounted: Option<Arc<Recounted>>,
    ) -> Result<Self> {
        let mut log = recounted.as_ref().map(|found| found.log.clone()).unwrap_or_default();
        let (window, gathers) = (options.window.max(1), options.gathers(&DERIVED.concat()));
        let members = members(input, window, &mut log)?;
        let strings = match options.names {
            Names::Text if wants_names(&options.projection) => {
                locate_strings(input, &members, options.locate, window)?
            }
            Names::Text | Names::Id => None,
        };
        Ok(Snapshot {
            input,
            rows: options.row_group_rows.max(1),
            window,
            gathers,
            file_id,
            name: name.into(),
            walk: Walk::new(input, members, strings, window),
            current: None,
            parked: None,
            deferred: Vec::new(),
            dependencies: Dependencies::new(
                strings.is_some(),
                gathers,
                options.scratch.clone(),
                recounted.clone(),
            ),
            context: None,
            counts: Counts::default(),
            fails_if_miscounted: options.recount == Recount::IfNeeded,
            nodes_closed: false,
            recounted,
            log,
        })
    }

    /// Whether a section can be decoded now.
    fn is_ready(&self, section: &Section) -> bool {
        self.context.is_some() && self.dependencies.are_ready(section.needs)
    }

    /// Whether a section can be decoded now or once the running tasks are complete.
    fn is_coming(&self, section: &Section) -> bool {
        let dependencies = &self.dependencies;
        let needs = section.needs;
        self.context.is_some() && (dependencies.are_ready(needs) || dependencies.are_coming(needs))
    }

    /// Visits the next member of the document.
    fn advance(&mut self) -> Result<()> {
        match self.walk.advance(self.context.is_some(), &mut self.log)? {
            Visit::Header(at) => self.read_header(at),
            Visit::Section(section, at) => self.visit_section(section, at),
            Visit::Other => Ok(()),
        }
    }

    fn visit_section(&mut self, section: &'static Section, at: ByteOffset) -> Result<()> {
        if *section == STRINGS
            && let Some(end) = self.walk.early_strings(at)
        {
            return match end {
                Some(end) => self.walk.resume(section, end, &mut self.log),
                // Skipped: it comes before the header.
                None => self.walk.skip(at, &mut self.log),
            };
        }
        if self.is_ready(section) {
            self.begin(section, at, true);
        } else if self.is_coming(section) {
            self.parked = Some((section, at));
        } else {
            // If it is not closed, its content up to the end counts.
            self.walk.skip(at, &mut self.log)?;
            self.deferred.push((section, at));
        }
        Ok(())
    }

    fn read_header(&mut self, at: ByteOffset) -> Result<()> {
        let Some(end) = skip_value(self.input, at, self.window)? else {
            let expected = format!("the rest of the header ({HEADER:?})");
            return Err(Error::malformed(self.input.end(), expected, END_OF_DOCUMENT));
        };
        if end - at > LONGEST_HEADER {
            let expected = format!("a header ({HEADER:?}) of at most {LONGEST_HEADER} bytes");
            return Err(Error::malformed(at, expected, format!("{} bytes", end - at)));
        }
        let json = input::bytes_at(self.input, at, (end - at) as usize)?;
        let header = Header::parse(json, at, field_lists(), &mut self.log)?;
        let collector = self.gathers.then(|| Arc::new(Collector::new(&header)));
        self.context = Some(Arc::new(Context {
            file_id: self.file_id,
            header: Arc::new(header),
            keeps_strings: self.dependencies.keeps_strings(),
            strings: None,
            nodes: Arc::default(),
            scopes: Arc::default(),
            collector,
            joining: Joining::default(),
        }));
        self.walk.resume_at(end);
        if let Some(open) = self.walk.located_strings() {
            self.begin(&STRINGS, open, false);
        }
        Ok(())
    }

    /// Starts claiming the section whose `[` is at `open`.
    fn begin(&mut self, section: &'static Section, open: ByteOffset, in_place: bool) {
        let context = self.context.as_ref().expect("sections begin after the header");
        let header = &context.header;
        let mut most = u64::MAX;
        let cursor = match &section.content {
            Content::Records(decoder) => {
                let width = header.fields(decoder.fields).width();
                // Limited by the input, whatever the header declares: a value takes at least two bytes.
                most = self.input.size() / (2 * width.max(1)) as u64;
                (decoder.reserve)(context, most);
                let lost = self.recounted.as_ref().map(|recounted| recounted.lost(section));
                let cursor = RecordCursor::new(section.name, open, width);
                Cursor::Records(decoder, cursor.without(lost.unwrap_or_default()))
            }
            Content::TraceTree(fields) => {
                Cursor::TraceTree(Box::new(Tree::new(open, header.fields(fields))))
            }
            Content::Strings => Cursor::Strings(StringCursor::new(open)),
        };
        if let Some(provided) = section.provides {
            let bytes = self.input.end().saturating_sub(open);
            self.dependencies.begin(provided, header, most, bytes);
            let context = self.context.as_mut().expect("sections begin after the header");
            Arc::make_mut(context).joining = self.dependencies.joining();
        }
        self.current = Some(Current { section, cursor, in_place });
    }

    /// The next rows of the current section; `None` at its end.
    fn claim_section(&mut self, buf: &mut Buffer) -> Result<Option<Claim<Task>>> {
        let Some(current) = &mut self.current else { return Ok(None) };
        let rows = self.dependencies.group_rows(current.section.needs, self.rows);
        let mut source = Source::new(self.input, buf, self.window, &mut self.log);
        let work = match &mut current.cursor {
            Cursor::Records(decoder, cursor) => {
                cursor.claim(&mut source, rows)?.map(|records| Work::Records(decoder, records))
            }
            Cursor::Strings(cursor) => cursor.claim(&mut source, rows)?.map(Work::Strings),
            Cursor::TraceTree(tree) => match tree.claim(&mut source, rows)? {
                Next::Chunk(chunk) => Some(Work::TraceChunk(chunk)),
                Next::Frames(frames) => Some(Work::TraceFrames(frames)),
                Next::Wait => return Ok(Some(Claim::Wait)),
                Next::End => None,
            },
        };
        let bytes = source.claimed();
        let Some(work) = work else {
            self.end_section()?;
            return Ok(None);
        };
        if let Some(provided) = current.section.provides {
            self.dependencies.begin_task(provided);
        }
        let context = self.context.clone().expect("sections begin after the header");
        let task = Task::new(current.section.table, work, context);
        Ok(Some(Claim::Task(task, bytes)))
    }

    /// Ends the current section after its last claim.
    fn end_section(&mut self) -> Result<()> {
        let Some(Current { section, cursor, in_place }) = self.current.take() else {
            return Ok(());
        };
        let (count, end) = match &cursor {
            Cursor::Records(_, cursor) => (cursor.rows, cursor.end()),
            Cursor::Strings(cursor) => (cursor.count(), cursor.end()),
            Cursor::TraceTree(tree) => (tree.rows(), tree.end()),
        };
        self.counts.set(section, count);
        if let Some(provided) = section.provides {
            self.dependencies.end(provided);
            self.share();
        }
        let end = end.unwrap_or(End::Cut);
        if let Cursor::Records(_, cursor) = &cursor {
            self.check_count(section, cursor, end)?;
        }
        if in_place {
            self.walk.resume(section, end, &mut self.log)?;
        } else if !self.walk.keep_end(section, end) {
            self.walk.log_end(section, end, &mut self.log);
        }
        Ok(())
    }

    /// Fails, if that is wanted, when records are missing in the middle: then values belong to other fields, and edges
    /// to other nodes.
    fn check_count(&mut self, section: &Section, cursor: &RecordCursor, end: End) -> Result<()> {
        let is_closed = matches!(end, End::Closed(_));
        if *section == NODES {
            self.nodes_closed = is_closed;
            return Ok(());
        }
        let is_miscounted = if *section == EDGES && is_closed {
            let owned = self.dependencies.nodes().map_or(0, |nodes| nodes.edges.total);
            cursor.rows != owned
        } else if *section == EDGES {
            // The end of the edges is missing too, so only the nodes can be counted.
            let declared = self.context.as_ref().and_then(|context| context.header.node_count);
            declared.is_some_and(|declared| declared != self.counts.of(&NODES))
        } else {
            is_closed && cursor.rest() > 0
        };
        match is_miscounted && self.nodes_closed && self.fails_if_miscounted {
            true => Err(Error::miscounted()),
            false => Ok(()),
        }
    }

    /// Passes dependencies to the context of later tasks as soon as they are complete.
    fn share(&mut self) {
        if let Some(context) = &mut self.context {
            self.dependencies.share(context);
        }
    }

    fn no_header(&self) -> Error {
        let at = self.walk.at();
        let found = match input::bytes_at(self.input, at, 40) {
            Ok(found) if !found.is_empty() => printable(&found, 40),
            _ => END_OF_DOCUMENT.into(),
        };
        Error::malformed(at, EXPECTED_HEADER, found)
    }
}

impl<'a> Reader for Snapshot<'a> {
    type Task = Task;
    type Ahead = Ahead<'a>;

    fn ahead(&mut self) -> Option<Ahead<'a>> {
        match &mut self.current.as_mut()?.cursor {
            Cursor::Records(_, cursor) => cursor.ahead(self.input, self.window),
            Cursor::Strings(cursor) => cursor.ahead(self.input, self.window),
            Cursor::TraceTree(_) => None,
        }
    }

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        loop {
            if self.current.is_some() {
                if let Some(claim) = self.claim_section(buf)? {
                    return Ok(claim);
                }
            } else if let Some((section, at)) = self.parked {
                if !self.is_ready(section) {
                    return Ok(Claim::Wait);
                }
                self.parked = None;
                self.begin(section, at, true);
            } else if let Some(i) =
                self.deferred.iter().position(|(section, _)| self.is_coming(section))
            {
                // Never another section that is ready: the order of row groups would depend on timing.
                if !self.is_ready(self.deferred[i].0) {
                    return Ok(Claim::Wait);
                }
                let (section, at) = self.deferred.remove(i);
                self.begin(section, at, false);
            } else if !self.walk.has_ended() {
                self.advance()?;
            } else if self.context.is_none() {
                return Err(self.no_header());
            } else if self.dependencies.is_reading() {
                return Ok(Claim::Wait);
            } else if self.deferred.is_empty() {
                return Ok(Claim::End);
            } else {
                // For example edges without nodes: then their rows are all there is.
                let deferred = &self.deferred;
                self.dependencies.give_up(|dependency| {
                    deferred.iter().all(|(section, _)| section.provides != Some(dependency))
                });
                self.share();
            }
        }
    }

    fn complete(&mut self, done: Done) {
        let Done { log, completed } = done;
        self.log.merge(log);
        match (completed, &mut self.current) {
            (Completed::Task(provided), _) => self.dependencies.complete_task(provided),
            (
                Completed::TraceTree(piece),
                Some(Current { cursor: Cursor::TraceTree(tree), .. }),
            ) => {
                tree.complete(piece, &mut self.log);
            }
            (Completed::TraceTree(_) | Completed::Nothing, _) => {}
        }
        self.share();
    }

    fn finish(self) -> Finished {
        let context = self.context.expect("claim() ends only after the header");
        let header = &context.header;
        let collector = context.collector.as_ref();
        let lost = self.dependencies.nodes().and_then(|nodes| nodes.lost);
        let strings = self.dependencies.strings();
        let heap = collector.map(|collector| collector.finish(header, strings, lost));
        let read = summary::Read {
            file_id: self.file_id,
            name: &self.name,
            header,
            nodes: self.dependencies.nodes(),
            scopes: self.dependencies.scopes(),
            walk: &self.walk,
            counts: &self.counts,
        };
        let next = self.walk.next_document();
        let (batches, summary) = read.finish(self.input.size(), self.log);
        // Without the owners of edges there is no graph.
        let heap = heap.filter(|_| !summary.log.has(Code::OwnersUnknown));
        let gathered = heap.map(|heap| Gathered::Heap(Box::new(heap)));
        Finished { batches, documents: vec![summary], gathered, next }
    }
}

const END_OF_DOCUMENT: &str = "the end of the document";

/// The members of a document, after a byte order mark if it has one.
pub(crate) fn members(input: &dyn Input, window: usize, log: &mut Log) -> Result<Members> {
    Ok(Members::new(input::start(input, log)?, window))
}
