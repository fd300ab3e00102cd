//! Traces in the Trace Event Format, as JSON: an array of events, an object with `traceEvents`, or one event per line.
//!
//! Producers follow no common standard, and half of them are killed before they close their brackets. So only its
//! brackets determine where an event ends (`claim`). Its content is read as JSON if it is valid, and otherwise as what
//! it most probably means (`json`). Values that fit no column exactly are kept as JSON, and each guess is a row of
//! `import_log`.
//!
//! Under the lock events are only located, at memory speed; each worker decodes its own.

mod args;
mod calls;
mod claim;
mod collect;
mod columns;
mod document;
mod event;
mod extra;
mod fields;
mod frames;
mod json;
mod members;
mod memory;
mod metadata;
mod profiles;
mod repair;
mod resync;
mod sampled;
mod samples;
mod second_pass;
mod sniff;
mod stored;
mod task;
mod unescape;

pub use document::Document;
pub(crate) use sniff::{is_empty, is_event, recognises};
pub use stored::{EventRow, events};
pub use task::{Done, Scratch, Task};

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Gathered, Input, Kept, Log, ReadOptions, Reader,
    Result, Summary, TraceParts,
    ahead::Ahead,
    ftrace::{Within, gathers},
    input,
    json::{Json, Step, Stop},
    metadata::Metadata,
    number,
    profile::{log_stop, status},
};
use claim::{Cursor, End};
use collect::Collected;
use frames::Frames;
use heapquarry_tables::{FileId, JS_CPU_PROFILER_TABLES, MEMORY_TABLES, TRACE_METADATA};
use profiles::Profiles;
use sampled::Sampled;
use samples::Samples;
use second_pass::Deferred;
use std::{collections::VecDeque, sync::Arc};
use task::{Events, Keep};

/// Maximum size of a member of `stackFrames` or `samples` in bytes; larger ones are skipped.
const MAX_RECORD: usize = 1 << 20;

/// Enough of a text to detect ftrace text.
const HEAD_BYTES: usize = 64 << 10;

/// Bytes of frames and samples that are read before other workers may claim.
const PIECE: u64 = 1 << 20;

/// A trace being read, without ftrace text inside it: see [`Document`].
pub struct Trace<'a> {
    input: &'a dyn Input,
    file_id: FileId,
    rows: usize,
    window: usize,
    json: Json<'a>,
    /// Whether it begins with the input.
    is_whole_input: bool,
    position: Position,
    /// Events claimed so far.
    events: u64,
    frames: Frames,
    samples: Samples,
    metadata: Metadata,
    /// Offset of the text of `systemTraceEvents`, if it is ftrace text.
    system: Option<ByteOffset>,
    collected: Option<Arc<Collected>>,
    /// The CPU profiles, if they are wanted.
    profiles: Option<Profiles<'a>>,
    /// Frames and samples for profiles, likewise.
    sampled: Option<Sampled>,
    /// The memory dumps, if they are wanted.
    dumps: Option<VecDeque<Deferred>>,
    /// Number of undecoded tasks with events.
    pending: u64,
    log: Log,
    /// Bytes that were already reported as read.
    bytes_reported: ByteOffset,
}

/// Position of reading.
enum Position {
    /// Before the first bracket.
    Start,
    /// Between members of the outermost object.
    Members,
    /// Among events.
    Events(Cursor),
    /// In `stackFrames`.
    Frames,
    /// In `samples`.
    Samples,
    /// After the end.
    End,
}

impl<'a> Trace<'a> {
    /// Starts to read the object or array at `offset`. If that is not the start, only this value is read: the answer
    /// of a protocol holds it. Otherwise all values of the input are one trace.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(
        input: &'a dyn Input,
        offset: ByteOffset,
        file_id: FileId,
        options: &ReadOptions,
    ) -> Result<Self> {
        let mut log = Log::default();
        let is_whole_input = offset == ByteOffset::START;
        let start = if is_whole_input { input::start(input, &mut log)? } else { offset };
        let wants = |tables: &[_]| options.projection.wants_any(tables);
        Ok(Trace {
            input,
            file_id,
            rows: options.row_group_rows.max(1),
            window: options.window,
            json: Json::new(input, start, options.window),
            is_whole_input,
            position: Position::Start,
            events: 0,
            frames: Frames::default(),
            samples: Samples::default(),
            metadata: Metadata::default(),
            system: None,
            collected: gathers(options).then(Arc::default),
            sampled: wants(&JS_CPU_PROFILER_TABLES).then(Sampled::default),
            profiles: wants(&JS_CPU_PROFILER_TABLES)
                .then(|| Profiles::new(input, file_id, options.clone())),
            dumps: wants(&MEMORY_TABLES).then(VecDeque::new),
            pending: 0,
            log,
            bytes_reported: offset,
        })
    }

    /// The ftrace text in a string of the trace (`systemTraceEvents`), after [`Claim::End`].
    pub(crate) fn system(&self) -> Option<Within> {
        self.system.map(|offset| Within { offset, events: self.events, syncs: Vec::new() })
    }

    /// Continues to the next events, or to a part of something else.
    fn step(&mut self) -> Step<()> {
        let until = self.json.at() + PIECE;
        match self.position {
            Position::Start => match self.json.next()? {
                b'[' => {
                    self.json.bump();
                    self.position = Position::Events(Cursor::array(self.json.at()));
                }
                b'{' if sniff::is_line(self.input, self.json.at())? => {
                    self.position = Position::Events(Cursor::lines(self.json.at()));
                }
                b'{' => {
                    self.json.bump();
                    self.position = Position::Members;
                }
                _ => return self.json.malformed("`[` or `{`"),
            },
            Position::Members => self.member()?,
            Position::Frames => {
                while self.json.at() < until {
                    let Some(key) = self.json.key()? else {
                        self.position = Position::Members;
                        break;
                    };
                    let key = self.json.bytes(&key.span).to_vec();
                    self.json.next()?;
                    let at = self.json.at();
                    match self.json.whole(MAX_RECORD)? {
                        Some(record) => {
                            let bytes = self.json.bytes(&record);
                            let row = self.frames.add(&key, bytes, at, &mut self.log);
                            if let Some((sampled, row)) = self.sampled.as_mut().zip(row) {
                                sampled.add_frame(row);
                            }
                        }
                        None => self.too_long(at),
                    }
                }
            }
            Position::Samples => {
                while self.json.at() < until {
                    match self.json.next()? {
                        b',' => self.json.bump(),
                        b']' => {
                            self.json.bump();
                            self.position = Position::Members;
                            break;
                        }
                        b'}' | b':' => return self.json.malformed("an object, `,` or `]`"),
                        _ => {
                            let at = self.json.at();
                            match self.json.whole(MAX_RECORD)? {
                                Some(record) => {
                                    let bytes = self.json.bytes(&record);
                                    let row = self.samples.add(bytes, at, &mut self.log);
                                    if let Some((sampled, row)) = self.sampled.as_mut().zip(row) {
                                        sampled.add_sample(row);
                                    }
                                }
                                None => self.too_long(at),
                            }
                        }
                    }
                }
            }
            Position::Events(_) | Position::End => {}
        }
        Ok(())
    }

    fn too_long(&mut self, at: ByteOffset) {
        self.log.add(Code::StringTooLong, at, || {
            format!("a record of more than {} MiB is left out", MAX_RECORD >> 20)
        });
    }

    /// Reads a member of the outermost object, or its end.
    fn member(&mut self) -> Step<()> {
        let json = &mut self.json;
        let Some(key) = json.key()? else {
            self.position = Position::End;
            return self.rest();
        };
        let name = crate::json::text(json.bytes(&key.span), key.escaped).0;
        match (name.as_str(), json.next()?) {
            ("traceEvents", b'[') => {
                json.bump();
                self.position = Position::Events(Cursor::member(json.at()));
            }
            ("stackFrames", b'{') => {
                json.bump();
                self.position = Position::Frames;
            }
            ("samples", b'[') => {
                json.bump();
                self.position = Position::Samples;
            }
            ("systemTraceEvents", b'"')
                if crate::ftrace::recognises_string(&input::bytes_at(
                    self.input,
                    json.at() + 1,
                    HEAD_BYTES,
                )?) =>
            {
                self.system = Some(json.at() + 1);
                json.skip()?;
            }
            _ => metadata::read(&mut self.metadata, &name, json, &mut self.log)?,
        }
        Ok(())
    }

    /// Handles bytes after the end: recorders that append to a file leave several objects or arrays in it.
    fn rest(&mut self) -> Step<()> {
        if !self.is_whole_input {
            return Ok(());
        }
        let next = self.json.peek()?;
        let at = self.json.at();
        match next {
            Some(b'{' | b'[') => {
                self.log.add(Code::MoreDocuments, at, || {
                    "another object or array follows; its events are part of this trace".into()
                });
                self.position = Position::Start;
            }
            Some(_) => {
                self.log.add(Code::TrailingData, at, || "there is more behind the end".into());
            }
            None => {}
        }
        Ok(())
    }

    /// The next rows that are not events.
    fn other_rows(&mut self) -> Option<Task> {
        let end = matches!(self.position, Position::End);
        let table = self.frames.take(self.file_id, self.rows, end);
        let table = table.or_else(|| self.samples.take(self.file_id, self.rows, end));
        table.map(|(table, batch)| Task::Rows(table, batch))
    }

    /// Memory of what is kept besides the events, in bytes, about.
    fn memory(&self) -> u64 {
        let sampled = self.sampled.as_ref().map_or(0, Sampled::memory);
        let profiles = self.profiles.as_ref().map_or(0, Profiles::memory);
        let dumps = self.dumps.as_ref().map_or(0, |dumps| second_pass::memory(dumps.len()));
        self.metadata.memory() + sampled + profiles + dumps
    }

    /// The next rows of the second pass, after all events have been read.
    fn second_pass_rows(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        if self.profiles.is_none() && self.dumps.is_none() {
            return Ok(Claim::End);
        }
        if self.pending > 0 {
            return Ok(Claim::Wait);
        }
        if let Some(dumps) = &mut self.dumps {
            // Tasks complete in any order.
            dumps.make_contiguous().sort_unstable_by_key(|dump| dump.event);
            let claimed = memory::claim(dumps, self.input, self.file_id, buf, self.window)?;
            if let Some(dumps) = claimed {
                return Ok(Claim::Task(Task::Dumps(dumps), 0));
            }
        }
        if let Some((profiles, sampled)) = self.profiles.as_mut().zip(self.sampled.take()) {
            profiles.add_sampled(sampled);
        }
        let claim = self.profiles.as_mut().map_or(Ok(Claim::End), Profiles::claim)?;
        Ok(claim.map(Task::Profile))
    }

    /// Bytes read since the last report.
    fn bytes_read(&mut self) -> u64 {
        let at = match &self.position {
            Position::Events(cursor) => cursor.at(),
            _ => self.json.at(),
        };
        let at = at.max(self.bytes_reported);
        at - std::mem::replace(&mut self.bytes_reported, at)
    }

    fn claim_events(&mut self, buf: &mut Buffer) -> Result<Option<Task>> {
        let Position::Events(cursor) = &mut self.position else { return Ok(None) };
        let claimed = cursor.claim(self.input, buf, self.rows, self.window, &mut self.log)?;
        let end = claimed.end;
        let first = self.events;
        self.events += claimed.extents.len() as u64;
        if let Some(end) = end {
            let (at, position) = match end {
                End::Closed(at) if cursor.is_member() => (at, Position::Members),
                End::Closed(at) | End::Over(at) => (at, Position::End),
            };
            let closed = matches!(end, End::Closed(_));
            self.json.log_zeros(&mut self.log);
            self.json = Json::new(self.input, at, self.window);
            self.position = position;
            if closed && matches!(self.position, Position::End) {
                match self.rest() {
                    Ok(()) => {}
                    Err(Stop::Failed(error)) => return Err(error),
                    Err(_) => {}
                }
            }
        }
        if claimed.extents.is_empty() {
            return Ok(None);
        }
        self.pending += 1;
        Ok(Some(Task::Events(Events {
            file_id: self.file_id,
            first,
            offset: claimed.offset,
            extents: claimed.extents,
            keep: Keep {
                events: self.collected.clone(),
                notes: self.profiles.is_some() || self.dumps.is_some(),
            },
        })))
    }
}

impl<'a> Reader for Trace<'a> {
    type Task = Task;
    type Ahead = Ahead<'a>;

    fn ahead(&mut self) -> Option<Ahead<'a>> {
        match &mut self.position {
            Position::Events(cursor) => cursor.ahead(self.input, self.window),
            _ => None,
        }
    }

    fn kept(&self) -> Kept {
        let events = if self.collected.is_some() { self.events } else { 0 };
        let strings = self.collected.as_ref().map_or(0, |collected| collected.text());
        Kept { events, bytes: strings + self.memory() }
    }

    fn claim(&mut self, buf: &mut Buffer) -> Result<Claim<Task>> {
        if let Some(task) = self.other_rows() {
            return Ok(Claim::Task(task, self.bytes_read()));
        }
        if matches!(self.position, Position::End) {
            return self.second_pass_rows(buf);
        }
        if let Some(task) = self.claim_events(buf)? {
            return Ok(Claim::Task(task, self.bytes_read()));
        }
        if let Err(stop) = self.step() {
            self.position = Position::End;
            log_stop(stop, self.input, &mut self.log)?;
        }
        Ok(Claim::Progress(self.bytes_read()))
    }

    fn complete(&mut self, done: Done) {
        self.log.merge(done.log);
        if let Some(deferred) = done.deferred {
            self.pending -= 1;
            let (dumps, profiles) =
                deferred.into_iter().partition(|deferred| deferred.role.is_dump());
            if let Some(all) = &mut self.dumps {
                all.extend::<Vec<_>>(dumps);
            }
            if let Some(all) = &mut self.profiles {
                all.add(profiles);
            }
        }
    }

    fn finish(mut self) -> Finished {
        self.json.log_zeros(&mut self.log);
        let mut counts = vec![
            ("events", self.events),
            ("stack_frames", self.frames.count()),
            ("samples", self.samples.count()),
        ];
        let (mut batches, profiles) = self.profiles.map(Profiles::finish).unwrap_or_default();
        if !profiles.is_empty() {
            counts.push(("cpu_profiles", profiles.len() as u64));
        }
        let summary = Summary {
            name: None,
            format: "trace",
            producer: metadata::producer(&self.metadata),
            bytes: self.input.size(),
            status: status(&self.log),
            counts,
            log: self.log,
        };
        batches.push((&TRACE_METADATA, self.metadata.batch(self.file_id)));
        Finished {
            batches,
            documents: std::iter::once(summary).chain(profiles).collect(),
            gathered: self.collected.map(|collected| {
                let events = collected.take();
                Gathered::Trace(Box::new(TraceParts { events, ..TraceParts::default() }))
            }),
            next: None,
        }
    }
}
