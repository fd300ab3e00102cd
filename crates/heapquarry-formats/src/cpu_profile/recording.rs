//! A CPU profile while it is read, in one piece or several: from a file, or from the chunks of a trace.

use super::samples::{Clock, Column, Source};
use crate::{
    ByteOffset, Code, Input, Log, Result,
    json::{Json, NONE, Step, Value, odd_integer, text},
    profile::{self, Frames, NodesReader, Shape, Target, Ticks, Time, Tree},
};
use heapquarry_tables::FileId;
use std::{collections::BTreeSet, sync::Arc};

/// Origin of a profile in a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Number of the trace's document.
    pub trace_file_id: FileId,
    /// The event that begins or holds it.
    pub event: Option<u64>,
    /// Its id.
    pub id: Option<String>,
    /// The profiled process, as a number.
    pub pid: Option<i64>,
    /// The profiled process, as text.
    pub pid_text: Option<String>,
    /// The profiled thread, as a number.
    pub tid: Option<i64>,
    /// The profiled thread, as text.
    pub tid_text: Option<String>,
    /// Start in nanoseconds of the trace's clock; `None` to use the profile's own start.
    pub start: Option<i64>,
}

/// A member at the top of the profile without a column in another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) key: String,
    pub(super) int: Option<i64>,
    pub(super) text: Option<String>,
}

/// Maximum length of such a value.
const MAX_FACT: usize = 64 << 10;

/// A CPU profile that is being read.
#[derive(Debug, Default)]
pub struct Recording {
    pub(super) tree: Tree,
    pub(super) frames: Frames,
    pub(super) ticks: Ticks,
    pub(super) source: Source,
    start: Time,
    end: Time,
    pub(super) facts: Vec<Fact>,
    /// Stack ids that events of a trace use, and the node at the top of each stack.
    pub(super) trace_ids: Vec<(i64, i64)>,
    /// Its origin, if it is in a trace.
    pub(super) origin: Option<Origin>,
    pub(super) log: Log,
    /// Members read so far.
    seen: BTreeSet<&'static str>,
    /// Whether it has the old form, whose start and end are in seconds.
    nested: bool,
}

/// The next step for a member.
pub(super) enum Member {
    /// It has been read.
    Done,
    /// The nodes, which are large: to be read in parts.
    Nodes(NodesReader),
}

/// How to read arrays of samples.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// Store their offsets, and read them when they are needed.
    Locate,
    /// Store their values, after those of earlier chunks.
    Hold,
}

impl Recording {
    /// An empty recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty recording of a profile in a trace.
    pub fn in_trace(origin: Origin) -> Self {
        Recording { origin: Some(origin), ..Self::default() }
    }

    /// Adds a chunk of the profile: the object at `offset` of the input. It can have any members of a profile, as
    /// `args.data` of the events `Profile` and `ProfileChunk`, or `cpuProfile` in it. Nodes, samples and times follow
    /// those of earlier chunks.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn add(&mut self, input: &dyn Input, offset: ByteOffset) -> Result<()> {
        let mut json = Json::new(input, offset, crate::WINDOW);
        let read = self.add_object(&mut json);
        read.or_else(|stop| profile::log_stop(stop, input, &mut self.log))
    }

    /// Adds a chunk of the profile: the object at the position of a reader.
    pub(crate) fn add_object(&mut self, json: &mut Json<'_>) -> Step<()> {
        if !json.eat(b'{')? {
            return json.malformed("`{`");
        }
        let read = self.add_members(json);
        self.source.align();
        read
    }

    /// Adds a node, and names its parent if it has one: name and script of its function, and line and column, from 0.
    pub(crate) fn add_node(
        &mut self,
        id: i64,
        parent: Option<i64>,
        name: &str,
        url: Option<&str>,
        [line, column]: [Option<i64>; 2],
    ) {
        let Some(node) = self.tree.add(None) else { return };
        self.tree.ids.set(node as usize, id);
        if let Some(parent) = parent {
            self.tree.name_parent(node, parent);
        }
        let name = self.frames.texts.number(name);
        let url = url.map_or(profile::Frame::EMPTY.url, |url| self.frames.texts.number(url));
        let [line, column] = [line, column].map(|position| position.unwrap_or(NONE));
        let frame = profile::Frame { name, url, line, column, ..profile::Frame::EMPTY };
        self.tree.frames[node as usize] = self.frames.number(frame);
    }

    /// Sets all samples: the ids of their nodes, and when each was taken, in microseconds, if that is known.
    /// [`NONE`] stands for what is not.
    pub(crate) fn set_samples(&mut self, ids: Vec<i64>, times: Option<Vec<i64>>) {
        self.source.read = ids.len();
        self.source.ids = Column::Held(Arc::new(ids));
        self.source.clock = Clock::Timestamps;
        if let Some(times) = times {
            self.source.times = Column::Held(Arc::new(times));
        }
    }

    fn add_members(&mut self, json: &mut Json<'_>) -> Step<()> {
        // The members of `cpuProfile` are members of the chunk.
        let mut depth = 1;
        while depth > 0 {
            let Some(key) = json.key()? else {
                depth -= 1;
                continue;
            };
            let name = json.bytes(&key.span).to_vec();
            if name == b"cpuProfile" && json.next()? == b'{' {
                json.bump();
                depth += 1;
                continue;
            }
            if let Member::Nodes(mut reader) = self.member(&name, json, Arrays::Hold)? {
                self.read_nodes(&mut reader, json, ByteOffset(u64::MAX))?;
            }
        }
        Ok(())
    }

    /// Reads nodes; returns whether all have been read.
    pub(super) fn read_nodes(
        &mut self,
        reader: &mut NodesReader,
        json: &mut Json<'_>,
        until: ByteOffset,
    ) -> Step<bool> {
        let Recording { tree, frames, ticks, log, .. } = self;
        let mut target = Target { tree, frames, ticks, log };
        let read = reader.read(json, &mut target, until);
        if read.is_err() {
            reader.abandon(&mut target);
        }
        read
    }

    /// Reads the value of a member at the current position.
    pub(super) fn member(
        &mut self,
        name: &[u8],
        json: &mut Json<'_>,
        arrays: Arrays,
    ) -> Step<Member> {
        json.next()?;
        let at = json.at();
        match name {
            b"nodes" | b"head" => {
                if self.is_again("nodes", at, arrays) {
                    json.skip()?;
                } else if let Some(reader) = NodesReader::begin(json, &mut self.tree)? {
                    self.nested |= reader.shape() == Shape::Nested;
                    return Ok(Member::Nodes(reader));
                } else {
                    self.no_array("nodes", at);
                    json.skip_value()?;
                }
            }
            b"samples" => self.array("samples", json, arrays)?,
            b"timeDeltas" => self.array("timeDeltas", json, arrays)?,
            b"timestamps" => self.array("timestamps", json, arrays)?,
            b"lines" => self.array("lines", json, arrays)?,
            b"columns" => self.array("columns", json, arrays)?,
            b"trace_ids" => self.trace_ids(json)?,
            b"startTime" => self.start = Time::read(json, "startTime", &mut self.log)?,
            b"endTime" => self.end = Time::read(json, "endTime", &mut self.log)?,
            // Data that only the editor uses.
            b"$vscode" => json.skip()?,
            _ => self.fact(name, json)?,
        }
        Ok(Member::Done)
    }

    #[cfg(test)]
    pub(crate) fn node_count(&self) -> u64 {
        self.tree.len() as u64
    }

    /// Memory that it takes, in bytes, about. Whatever is made of the rows copies the texts once.
    pub(crate) fn memory(&self) -> u64 {
        let ticks = size_of::<(u32, i64, i64)>() * self.ticks.nodes.len();
        let others = (ticks + size_of::<(i64, i64)>() * self.trace_ids.len()) as u64;
        let texts = self.frames.memory() + self.frames.texts.memory();
        self.tree.memory() + texts + self.source.memory() + others
    }

    pub(crate) fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(super) fn has_nodes(&self) -> bool {
        self.seen.contains("nodes")
    }

    /// Whether a chunk has a member twice.
    fn is_again(&mut self, name: &'static str, at: ByteOffset, arrays: Arrays) -> bool {
        let again = !self.seen.insert(name) && arrays == Arrays::Locate;
        if again {
            self.log.add(Code::DuplicateSection, at, || format!("{name:?}: the first is kept"));
        }
        again
    }

    fn no_array(&mut self, name: &str, at: ByteOffset) {
        self.log.add(Code::MissingSection, at, || format!("{name:?} is no array"));
    }

    fn array(&mut self, name: &'static str, json: &mut Json<'_>, arrays: Arrays) -> Step<()> {
        let at = json.at();
        let other = match name {
            "timeDeltas" => self.seen.contains("timestamps"),
            "timestamps" => self.seen.contains("timeDeltas"),
            _ => false,
        };
        if self.is_again(name, at, arrays) || other {
            return json.skip();
        }
        if json.next()? != b'[' {
            self.no_array(name, at);
            return json.skip_value();
        }
        let source = &mut self.source;
        let read = source.read;
        let (column, mut times) = match name {
            "samples" => (&mut source.ids, None),
            "lines" => (&mut source.lines, None),
            "columns" => (&mut source.columns, None),
            _ => {
                let timestamps = name == "timestamps";
                source.clock = if timestamps { Clock::Timestamps } else { Clock::Deltas };
                (&mut source.times, Some(source.clock.times()))
            }
        };
        match arrays {
            Arrays::Locate => {
                *column = Column::Located(at + 1);
                json.skip()
            }
            Arrays::Hold => {
                if !matches!(column, Column::Held(_)) {
                    // Earlier chunks do not have it.
                    *column = Column::Held(Arc::new(vec![NONE; read]));
                }
                let Column::Held(values) = column else { unreachable!("it was just set") };
                let values = Arc::get_mut(values).expect("not shared before it is read");
                json.bump();
                let log = &mut self.log;
                // A chunk is rounded on its own.
                while !json.integers(values, 8 << 10, |odd, at, raw| match &mut times {
                    Some(times) => times.odd(odd, at, raw, name, log),
                    None => odd_integer(odd, at, raw, name, log),
                })? {}
                Ok(())
            }
        }
    }

    /// Reads ids of stacks that events refer to, and their nodes.
    fn trace_ids(&mut self, json: &mut Json<'_>) -> Step<()> {
        if json.next()? != b'{' {
            return json.skip_value();
        }
        json.bump();
        while let Some(key) = json.key()? {
            let at = json.at();
            let id = std::str::from_utf8(json.bytes(&key.span)).ok().and_then(|id| id.parse().ok());
            let excerpt = json.bytes(&key.span).to_vec();
            let node = profile::integer(json, "trace_ids", &mut self.log)?;
            match id {
                Some(id) => self.trace_ids.push((id, node)),
                None => self.log.add_excerpt(Code::NotANumber, at, &excerpt, || {
                    "trace_ids: an id that is no number".into()
                }),
            }
        }
        Ok(())
    }

    /// Start and end in microseconds.
    pub(super) fn span(&mut self) -> (i64, i64) {
        // The old form uses seconds, usually whole ones.
        let unit = if self.nested { 1_000_000 } else { 1 };
        let log = &mut self.log;
        let start = self.start.micros(unit, "startTime", log);
        let mut end = self.end.micros(unit, "endTime", log);
        if self.frames.wrapped && end != NONE && start != NONE && end < start {
            // Both are truncated to 32 bits.
            end = end.saturating_add(1 << 32);
            log.add(Code::WrappedNumber, None, || "endTime: more than 32 bits".into());
        }
        match self.origin.as_ref().and_then(|origin| origin.start) {
            Some(of_trace) => self.move_to(start, end, of_trace),
            None => (start, end),
        }
    }

    /// Converts start and end to the clock of the trace, which can differ from the engine's.
    fn move_to(&mut self, start: i64, end: i64, of_trace: i64) -> (i64, i64) {
        for (key, time) in [("startTime", start), ("endTime", end)] {
            if time != NONE {
                self.facts.push(Fact { key: key.into(), int: Some(time), text: None });
            }
        }
        let moved = of_trace.div_euclid(1000);
        let known = start != NONE && end != NONE;
        (moved, if known { moved.saturating_add(end.saturating_sub(start)) } else { NONE })
    }

    /// Stores a value without a column in another table.
    fn fact(&mut self, name: &[u8], json: &mut Json<'_>) -> Step<()> {
        let at = json.at();
        let key = String::from_utf8_lossy(name).into_owned();
        let (int, text) = match json.value()? {
            Value::Int(value) => (Some(value), None),
            Value::Text(t) if t.span.len() <= MAX_FACT => {
                (None, Some(text(json.bytes(&t.span), t.escaped).0))
            }
            Value::Odd(_, span) if span.len() <= MAX_FACT => {
                (None, Some(String::from_utf8_lossy(json.bytes(&span)).into_owned()))
            }
            _ => {
                self.log.add(Code::UnknownSection, at, || format!("{key:?}: skipped"));
                return Ok(());
            }
        };
        let fact = Fact { key, int, text };
        // Each chunk of a trace can repeat it.
        if self.facts.len() < crate::LISTED && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        Ok(())
    }
}
