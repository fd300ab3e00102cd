//! Sampling heap profiles: `.heapprofile`, `HeapProfiler.SamplingHeapProfile` of the DevTools protocol, with and
//! without ids and samples.
//! <https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile>
//!
//! Nodes are kept in compact form, because their sums are known only at the end. Of the samples only the offset is
//! kept; they are read after the nodes.

mod rows;
mod samples;
mod sniff;

pub use rows::Task;
pub(crate) use sniff::recognises;

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Input, Kept, Log, ReadOptions, Reader, Result,
    Summary,
    json::{Json, NONE, Step},
    profile::{
        self, Frames, Index, Nodes, NodesReader, Target, Ticks, Tree, add, log_stop, status,
    },
};
use heapquarry_tables::{FileId, JS_HEAP_SAMPLING_FILES, arrays, js_heap_sampling_files};
use rows::{Weighed, Work};
use samples::Samples;
use std::sync::Arc;

/// Bytes that are read before other workers may claim.
const PIECE: u64 = 1 << 20;

/// A document with a sampling heap profile.
pub struct HeapProfile<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    name: String,
    options: ReadOptions,
    json: Json<'a>,
    state: State<'a>,
    tree: Tree,
    frames: Frames,
    /// Memory of the nodes with their sums, which workers keep until all rows are made.
    bytes: u64,
    log: Log,
    met_head: bool,
    /// Offset after the `[` of the samples.
    samples_at: Option<ByteOffset>,
    totals: Totals,
    /// Whether the profile is the whole input.
    is_whole_input: bool,
    /// Where another document follows it.
    next: Option<ByteOffset>,
    /// Bytes that were already reported as read.
    bytes_reported: ByteOffset,
}

#[derive(Default)]
struct Totals {
    nodes: usize,
    self_size: i64,
    samples: u64,
    sample_size: i64,
}

enum State<'a> {
    Members,
    Nodes(NodesReader),
    Samples(Samples<'a>, Index),
    Rows(Arc<Weighed>, usize),
    End,
}

impl<'a> HeapProfile<'a> {
    /// Starts to read the object at `offset`. `file_id` goes into every row, `name` into `js_heap_sampling_files`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(
        input: &'a dyn Input,
        offset: ByteOffset,
        file_id: FileId,
        name: &str,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut log = Log::default();
        let mut json = profile::reader(input, offset, options.window, &mut log)?;
        let is_object = profile::enter(&mut json, input, &mut log)?;
        let state = if is_object { State::Members } else { State::End };
        Ok(HeapProfile {
            input,
            file_id,
            name: name.into(),
            options: options.clone(),
            json,
            state,
            tree: Tree::default(),
            frames: Frames::default(),
            bytes: 0,
            log,
            met_head: false,
            samples_at: None,
            totals: Totals::default(),
            is_whole_input: offset == ByteOffset::START,
            next: None,
            bytes_reported: offset,
        })
    }

    /// Reads the next member of the document; returns whether there was one.
    fn read_member(&mut self) -> Step<bool> {
        let HeapProfile { json, log, .. } = self;
        let Some(key) = json.key()? else { return Ok(false) };
        let name = String::from_utf8_lossy(json.bytes(&key.span)).into_owned();
        let (first, at) = (json.next()?, json.at());
        let again = match name.as_str() {
            "head" => self.met_head,
            "samples" => self.samples_at.is_some(),
            _ => {
                log.add(Code::UnknownSection, at, || format!("{name:?}: skipped"));
                json.skip_value()?;
                return Ok(true);
            }
        };
        match (name.as_str(), first) {
            _ if again => {
                log.add(Code::DuplicateSection, at, || format!("{name:?}: the first is kept"));
                json.skip()?;
            }
            ("head", b'{') => {
                self.met_head = true;
                if let Some(nodes) = NodesReader::begin(json, &mut self.tree)? {
                    self.state = State::Nodes(nodes);
                }
            }
            ("samples", b'[') => {
                self.samples_at = Some(at + 1);
                json.skip()?;
            }
            _ => {
                log.add(Code::MissingSection, at, || format!("{name:?}: neither object nor array"));
                json.skip_value()?;
            }
        }
        Ok(true)
    }

    /// Reads a part of the nodes.
    fn read_nodes(&mut self, mut nodes: NodesReader) -> Step<()> {
        let HeapProfile { json, tree, frames, log, .. } = self;
        let until = json.at() + PIECE;
        // CPU profiles have lines with samples; heap profiles do not.
        let mut target = Target { tree, frames, ticks: &mut Ticks::default(), log };
        match nodes.read(json, &mut target, until) {
            Ok(true) => self.state = State::Members,
            Ok(false) => self.state = State::Nodes(nodes),
            Err(stop) => {
                nodes.abandon(&mut target);
                return Err(stop);
            }
        }
        Ok(())
    }

    fn check_end(&mut self) -> Result<()> {
        if self.is_whole_input {
            self.next = profile::next_document(&mut self.json, self.input, &mut self.log)?;
        }
        if !self.met_head {
            self.log.add(Code::MissingSection, None, || "there is no \"head\"".into());
        }
        Ok(())
    }

    /// The document has been read, except the samples.
    fn index(&mut self) {
        let HeapProfile { json, tree, frames, log, .. } = self;
        json.log_zeros(log);
        let missing = tree.ids.iter().filter(|&id| id == NONE).count();
        if missing == tree.len() && missing > 0 {
            log.add(Code::IdsAssigned, None, || {
                "nodes have no ids: node_id is their position, from 1".into()
            });
            tree.ids = (1..=tree.len() as i64).collect();
        } else if missing > 0 {
            log.add(Code::MissingField, None, || format!("{missing} nodes have no id"));
        }
        frames.free_lookup();
        self.totals.nodes = tree.len();
        let index = Index::new(&tree.ids, log);
        let last_node = tree.ids.iter().max().unwrap_or(NONE);
        let samples = Samples::new(self.input, self.samples_at, self.options.window, last_node);
        self.state = State::Samples(samples, index);
    }

    /// Computes the sums of the nodes.
    fn compute_sums(&mut self, index: &Index) {
        let HeapProfile { tree, frames, log, .. } = self;
        let calls = tree.calls(index, log);
        let tree = std::mem::take(tree);
        let unsized_nodes = tree.weights.iter().filter(|&size| size == NONE).count();
        if unsized_nodes > 0 {
            log.add(Code::MissingField, None, || format!("nodes without a size: {unsized_nodes}"));
        }
        let sizes = || tree.weights.iter().map(|size| if size == NONE { 0 } else { size });
        sizes().for_each(|size| add(&mut self.totals.self_size, size, "self_size", log));
        let totals = calls.totals(sizes(), "total_size", log);
        let nodes = Nodes::new(tree, calls, std::mem::take(frames));
        self.bytes = nodes.memory();
        self.state = State::Rows(Arc::new(Weighed { nodes, totals }), 0);
    }

    /// Advances by one part; returns rows if there are any.
    fn advance(&mut self) -> Result<Option<Work>> {
        let rows = self.options.row_group_rows.max(1);
        let read = match std::mem::replace(&mut self.state, State::End) {
            State::Members => {
                self.state = State::Members;
                match self.read_member() {
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        self.check_end()?;
                        self.index();
                        Ok(())
                    }
                    Err(stop) => Err(stop),
                }
            }
            State::Nodes(nodes) => self.read_nodes(nodes),
            State::Samples(mut samples, index) => {
                let block = samples.next(rows, &index, &mut self.log)?;
                let Some(block) = block else {
                    self.compute_sums(&index);
                    return Ok(None);
                };
                self.totals.samples += block.sizes.len() as u64;
                for &size in block.sizes.iter().filter(|&&size| size != NONE) {
                    add(&mut self.totals.sample_size, size, "sample_size", &mut self.log);
                }
                self.state = State::Samples(samples, index);
                return Ok(Some(Work::Samples(block)));
            }
            State::Rows(weighed, next) => {
                let range = next..(next + rows).min(self.totals.nodes);
                if range.is_empty() {
                    return Ok(None);
                }
                self.state = State::Rows(weighed.clone(), range.end);
                return Ok(Some(Work::Nodes(weighed, range)));
            }
            State::End => return Ok(None),
        };
        if let Err(stop) = read {
            log_stop(stop, self.input, &mut self.log)?;
            self.index();
        }
        Ok(None)
    }
}

impl Reader for HeapProfile<'_> {
    type Task = Task;
    type Ahead = ();

    fn claim(&mut self, _: &mut Buffer) -> Result<Claim<Task>> {
        let work = self.advance()?;
        let at = self.json.at().max(self.bytes_reported);
        let read = at - std::mem::replace(&mut self.bytes_reported, at);
        Ok(match work {
            Some(work) => Claim::Task(Task { file_id: self.file_id, work }, read),
            None if matches!(self.state, State::End) => Claim::End,
            None => Claim::Progress(read),
        })
    }

    fn kept(&self) -> Kept {
        // Whatever is made of the rows copies the texts once.
        let texts = self.frames.memory() + self.frames.texts.memory();
        Kept { bytes: self.tree.memory() + texts + self.bytes, events: 0 }
    }

    fn complete(&mut self, (): ()) {}

    fn finish(self) -> Finished {
        let Totals { nodes, self_size, samples, sample_size } = self.totals;
        let number = |value: i64| crate::profile::int64(vec![value]);
        let files = js_heap_sampling_files::Columns {
            file_id: self.file_id.column(1),
            file_name: arrays::text([Some(&self.name)]),
            node_count: number(nodes as i64),
            sample_count: number(samples as i64),
            self_size: number(self_size),
            sample_size: number(sample_size),
        }
        .into_batch();
        let summary = Summary {
            name: None,
            format: "heapprofile",
            producer: None,
            bytes: self.input.size(),
            status: status(&self.log),
            counts: vec![("nodes", nodes as u64), ("samples", samples)],
            log: self.log,
        };
        let batches = vec![(&JS_HEAP_SAMPLING_FILES, files)];
        Finished { batches, documents: vec![summary], gathered: None, next: self.next }
    }
}
