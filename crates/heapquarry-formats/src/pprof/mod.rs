//! Profiles in the format of pprof, of Go, pprof-nodejs, pprof-rs and many others: a message
//! `perftools.profiles.Profile` of Protocol Buffers.
//! <https://github.com/google/pprof/blob/main/proto/profile.proto>
//!
//! Producers write texts, functions and locations behind the samples that refer to them, so the message is read twice:
//! first everything but the samples, then these, in pieces that workers read beside each other. Stacks become a call
//! tree, in the order of the file, and only its nodes stay in memory.

mod batch;
mod rows;
mod samples;
mod sniff;
mod symbols;
mod wire;

pub use batch::Batch;
pub use rows::Task;
pub(crate) use sniff::recognises;

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Input, Kept, Log, ReadOptions, Reader, Result,
    Summary, input,
    json::Stop,
    profile::{overflow, status},
};
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use heapquarry_profile::stacks::{Totals, Tree};
use heapquarry_tables::{
    FileId, PPROF_COMMENT, PPROF_FILES, PPROF_NODE_VALUE, PPROF_SAMPLE_TYPE, arrays, pprof_comment,
    pprof_files, pprof_sample_type,
};
use rows::{Part, Work, given, one};
use samples::Samples;
use std::{ops::Range, sync::Arc};
use symbols::Symbols;
use wire::Top;

/// Bytes that are read before other workers may claim.
const PIECE: u64 = 1 << 20;

/// Types of values that are added up for each node. Real profiles have less than 20.
const MAX_SUMMED: usize = 256;

/// A document with a profile.
pub struct Pprof<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    name: String,
    options: ReadOptions,
    state: State<'a>,
    symbols: Arc<Symbols>,
    log: Log,
    totals: Vec<i64>,
    sample_count: u64,
    node_count: usize,
    /// Memory of the complete call tree, which workers keep until all rows are made.
    tree_bytes: u64,
    /// Bytes that were already reported as read.
    bytes_reported: u64,
}

enum State<'a> {
    /// Everything but the samples.
    Symbols(Box<(Top<'a>, Symbols)>),
    /// Rows of a table of symbols, from this position on.
    Mappings(usize),
    Locations(usize),
    Lines(usize),
    Functions(usize),
    Samples(Box<Samples>),
    Nodes(Box<Tree>),
    /// The sums of a type of values, from this node on.
    Values(Arc<Tree>, Arc<Totals>, usize),
    End,
}

impl<'a> Pprof<'a> {
    /// Starts to read. `file_id` goes into every row, `name` into `pprof_files`.
    pub fn new(input: &'a dyn Input, file_id: FileId, name: &str, options: &ReadOptions) -> Self {
        let top = Top::new(input, ByteOffset::START, input.end(), options.window.max(1));
        Pprof {
            input,
            file_id,
            name: name.into(),
            options: options.clone(),
            state: State::Symbols(Box::new((top, Symbols::default()))),
            symbols: Arc::default(),
            log: Log::default(),
            totals: Vec::new(),
            sample_count: 0,
            node_count: 0,
            tree_bytes: 0,
            bytes_reported: 0,
        }
    }

    /// Reads a piece of everything but the samples.
    fn read_symbols(&mut self, mut reading: Box<(Top<'a>, Symbols)>) -> Result<()> {
        let (top, symbols) = &mut *reading;
        let until = top.offset() + PIECE;
        let stop = loop {
            if top.offset() >= until {
                self.state = State::Symbols(reading);
                return Ok(());
            }
            match top.next() {
                Ok(Some(field)) => symbols.take(field, &mut self.log),
                Ok(None) => break None,
                Err(stop) => break Some(stop),
            }
            if let Some(second) = symbols.second {
                self.begin_again(second);
                return Ok(());
            }
        };
        if let Some(stop) = stop {
            self.log_stop(stop)?;
        }
        let (_, mut symbols) = *reading;
        symbols.end(&mut self.log);
        if symbols.types.is_empty() {
            self.log.add(Code::MissingSection, None, || "there are no types of values".into());
        }
        if symbols.types.len() > MAX_SUMMED {
            self.log.add(Code::BadRecord, None, || {
                format!("more than {MAX_SUMMED} types of values: others are not added up by node")
            });
        }
        self.symbols = Arc::new(symbols);
        self.state = State::Mappings(0);
        Ok(())
    }

    /// Reads the symbols again, up to where another profile begins.
    fn begin_again(&mut self, end: ByteOffset) {
        self.log = Log::default();
        self.log
            .add(Code::SecondDocument, end, || "another profile follows; it is not read".into());
        let top = Top::new(self.input, ByteOffset::START, end, self.options.window.max(1));
        self.state = State::Symbols(Box::new((top, Symbols::default())));
    }

    /// Logs why reading ended early; an error only if the input cannot be read.
    fn log_stop(&mut self, stop: Stop) -> Result<()> {
        match stop {
            Stop::Failed(error) => return Err(error),
            Stop::Cut => self.log.add(Code::Truncated, self.input.end(), || {
                "the document ends within a field".into()
            }),
            Stop::Malformed { at, expected } => {
                // Used only in the message; empty if it cannot be read.
                let found = input::bytes_at(self.input, at, 80).unwrap_or_default();
                self.log.add_excerpt(Code::Malformed, at, &found, || {
                    format!("expected {expected}; what follows is not read")
                });
            }
        }
        Ok(())
    }

    /// All tables of symbols have their rows: the samples follow.
    fn begin_samples(&mut self, rows: usize) {
        let types = self.symbols.types.len();
        self.state = State::Samples(Box::new(Samples::new(
            self.input.size(),
            types,
            types.min(MAX_SUMMED),
            rows,
            &self.options.projection,
        )));
    }

    /// Advances in the samples.
    fn claim_samples(
        &mut self,
        mut samples: Box<Samples>,
        rows: usize,
        buf: &mut Buffer,
    ) -> Result<Claim<Work>> {
        let claim = if let Some(block) = samples.block() {
            rows_of(Part::Samples(block))
        } else if samples.tree.left() >= rows {
            // Others make rows of nodes while this worker goes on.
            rows_of(Part::Nodes(samples.tree.take(rows)))
        } else if samples.take(&self.symbols, &mut self.log) {
            Claim::Progress(0)
        } else if let Some((number, piece)) = samples.give(&self.symbols) {
            self.read(&piece, buf)?;
            Claim::Task(Work::Read(number, piece.start), 0)
        } else if samples.is_behind() {
            Claim::Wait
        } else {
            return Ok(self.end_samples(samples));
        };
        self.state = State::Samples(samples);
        Ok(claim)
    }

    /// Reads these bytes, fewer only if the input has changed.
    fn read(&self, bytes: &Range<ByteOffset>, buf: &mut Buffer) -> Result<()> {
        buf.clear();
        let length = (bytes.end - bytes.start) as usize;
        while buf.len() < length {
            let (at, rest) = (bytes.start + buf.len() as u64, length - buf.len());
            if input::append(self.input, buf, at, rest)? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// All samples have been taken. The last ones are rows.
    fn end_samples(&mut self, mut samples: Box<Samples>) -> Claim<Work> {
        samples.end();
        let (block, count) = (samples.block(), samples.count());
        let Samples { tree, totals, .. } = *samples;
        self.tree_bytes = tree.memory();
        (self.sample_count, self.node_count, self.totals) = (count, tree.len(), totals);
        self.state = State::Nodes(Box::new(tree));
        block.map_or(Claim::Progress(0), |block| rows_of(Part::Samples(block)))
    }

    /// Advances by one part.
    fn advance(&mut self, buf: &mut Buffer) -> Result<Claim<Work>> {
        let rows = self.options.row_group_rows.max(1);
        let symbols = self.symbols.clone();
        // The next rows of a table, as long as it has some.
        let part = |next: usize, all: usize| (next < all).then(|| next..(next + rows).min(all));
        match std::mem::replace(&mut self.state, State::End) {
            State::Symbols(reading) => self.read_symbols(reading)?,
            State::Mappings(next) => match part(next, symbols.mappings.len()) {
                Some(range) => {
                    self.state = State::Mappings(range.end);
                    return Ok(rows_of(Part::Mappings(range)));
                }
                None => self.state = State::Locations(0),
            },
            State::Locations(next) => match part(next, symbols.locations.len()) {
                Some(range) => {
                    self.state = State::Locations(range.end);
                    return Ok(rows_of(Part::Locations(range)));
                }
                None => self.state = State::Lines(0),
            },
            State::Lines(next) => match part(next, symbols.lines.len()) {
                Some(range) => {
                    self.state = State::Lines(range.end);
                    return Ok(rows_of(Part::Lines(range)));
                }
                None => self.state = State::Functions(0),
            },
            State::Functions(next) => match part(next, symbols.functions.len()) {
                Some(range) => {
                    self.state = State::Functions(range.end);
                    return Ok(rows_of(Part::Functions(range)));
                }
                None => self.begin_samples(rows),
            },
            State::Samples(samples) => return self.claim_samples(samples, rows, buf),
            State::Nodes(mut tree) if tree.left() > 0 => {
                let nodes = tree.take(rows);
                self.state = State::Nodes(tree);
                return Ok(rows_of(Part::Nodes(nodes)));
            }
            State::Nodes(mut tree) => {
                tree.end_nodes();
                self.begin_values(Arc::new(*tree), 0);
            }
            State::Values(tree, totals, next) => match totals.part(next, rows) {
                Some(range) => {
                    self.state = State::Values(tree, totals.clone(), range.end);
                    return Ok(rows_of(Part::Values(totals, range)));
                }
                None => self.begin_values(tree, totals.value() + 1),
            },
            State::End => return Ok(Claim::End),
        }
        Ok(Claim::Progress(0))
    }

    /// Adds up a type of values, if there is one.
    fn begin_values(&mut self, tree: Arc<Tree>, value: usize) {
        let types = self.symbols.types.len().min(MAX_SUMMED);
        if value < types && self.options.projection.wants(&PPROF_NODE_VALUE) {
            let totals =
                Totals::new(tree.clone(), value, types, || overflow("total_value", &mut self.log));
            self.state = State::Values(tree, Arc::new(totals), 0);
        }
    }
}

/// Rows to be made.
fn rows_of(part: Part) -> Claim<Work> {
    Claim::Task(Work::Rows(part), 0)
}

impl Reader for Pprof<'_> {
    type Task = Task;
    type Ahead = ();

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        let (file_id, symbols) = (self.file_id, self.symbols.clone());
        let claim = self.advance(buf)?.map(|work| Task { file_id, symbols, work });
        // The samples are read a second time.
        let at = match &self.state {
            State::Symbols(reading) => reading.0.offset().0.max(self.bytes_reported),
            _ => self.input.size(),
        };
        let read = at - std::mem::replace(&mut self.bytes_reported, at);
        Ok(match claim {
            Claim::Task(task, _) => Claim::Task(task, read),
            Claim::Progress(_) => Claim::Progress(read),
            other => other,
        })
    }

    fn kept(&self) -> Kept {
        // Whatever is made of the rows copies the texts once.
        let bytes = match &self.state {
            State::Symbols(reading) => reading.1.memory() + reading.1.texts.bytes(),
            State::Samples(samples) => samples.tree.memory() + self.symbols.texts.bytes(),
            _ => self.tree_bytes,
        };
        Kept { bytes: self.symbols.memory() + bytes, events: 0 }
    }

    fn complete(&mut self, read: Option<(usize, Batch)>) {
        if let (State::Samples(samples), Some((number, batch))) = (&mut self.state, read) {
            samples.complete(number, batch);
        }
    }

    fn finish(self) -> Finished {
        let Pprof { symbols, totals, .. } = &self;
        let text = |index: i64| symbols.texts.column([index].into_iter());
        let number = |value: i64| given([value].into_iter());
        let count = |value: usize| one(Some(value as i64));
        let period = symbols.period_type.unwrap_or_default();
        let default = symbols.default_value().and_then(|at| i32::try_from(at).ok());
        let files = pprof_files::Columns {
            file_id: self.file_id.column(1),
            file_name: arrays::text([Some(&self.name)]),
            time_ns: number(symbols.time),
            duration_ns: number(symbols.duration),
            period: number(symbols.period),
            period_type: text(period.kind),
            period_unit: text(period.unit),
            default_value_index: Arc::new(Int32Array::from(vec![default])),
            default_sample_type: text(symbols.default_type),
            drop_frames: text(symbols.drop_frames),
            keep_frames: text(symbols.keep_frames),
            doc_url: text(symbols.doc_url),
            sample_count: count(self.sample_count as usize),
            node_count: count(self.node_count),
            location_count: count(symbols.locations.len()),
            function_count: count(symbols.functions.len()),
            mapping_count: count(symbols.mappings.len()),
        }
        .into_batch();
        let numbers = |values: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
        let comments = pprof_comment::Columns {
            file_id: self.file_id.column(symbols.comments.len()),
            comment_index: numbers((0..symbols.comments.len() as i64).collect()),
            comment: symbols.texts.column(symbols.comments.iter().copied()),
        }
        .into_batch();
        let types = symbols.types.len();
        let mut sums = totals.clone();
        sums.resize(types, 0);
        let sample_types = pprof_sample_type::Columns {
            file_id: self.file_id.column(types),
            value_index: Arc::new(Int32Array::from_iter_values(0..types as i32)),
            value_type: symbols.texts.column(symbols.types.iter().map(|one| one.kind)),
            unit: symbols.texts.column(symbols.types.iter().map(|one| one.unit)),
            total_value: numbers(sums),
        }
        .into_batch();
        let counts = vec![
            ("samples", self.sample_count),
            ("nodes", self.node_count as u64),
            ("functions", symbols.functions.len() as u64),
        ];
        let batches = vec![
            (&PPROF_FILES, files),
            (&PPROF_COMMENT, comments),
            (&PPROF_SAMPLE_TYPE, sample_types),
        ];
        let summary = Summary {
            name: None,
            format: "pprof",
            producer: None,
            bytes: self.input.size(),
            status: status(&self.log),
            counts,
            log: self.log,
        };
        Finished { batches, documents: vec![summary], gathered: None, next: None }
    }
}
