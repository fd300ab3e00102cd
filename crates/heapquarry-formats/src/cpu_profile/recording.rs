//! What is read of a CPU profile, in one piece or in many: a file, or the chunks that a trace is interspersed with.

use super::samples::{Clock, Column, Source};
use crate::{
    Code, Input, Log, Result,
    json::{Json, NONE, Step, Value, text},
    profile::{self, Frames, NodesReader, Shape, Ticks, Tree},
};
use std::{collections::BTreeSet, sync::Arc};

/// Where in a trace a profile is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Number of the trace's document.
    pub trace_file_id: i32,
    /// The event that begins it or holds it.
    pub event: Option<u64>,
    /// Its id.
    pub id: Option<String>,
    /// The process that was profiled, as a number.
    pub pid: Option<i64>,
    /// The same as a text.
    pub pid_text: Option<String>,
    /// The thread that was profiled, as a number.
    pub tid: Option<i64>,
    /// The same as a text.
    pub tid_text: Option<String>,
    /// When it starts, in nanoseconds of the trace's clock; `None` if that is what it says itself.
    pub start: Option<i64>,
}

/// A value of the profile's top that stands in no other table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) key: String,
    pub(super) int: Option<i64>,
    pub(super) text: Option<String>,
}

/// Longest text that is kept as a fact.
const LONGEST_FACT: usize = 64 << 10;

/// A time as the file has it.
#[derive(Clone, Copy, Debug, Default)]
enum Time {
    #[default]
    Unknown,
    Whole(i64),
    Fraction(f64),
}

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
    /// Ids that events of a trace have for a stack, and the node at its top.
    pub(super) trace_ids: Vec<(i64, i64)>,
    /// If it is in a trace.
    pub(super) origin: Option<Origin>,
    pub(super) log: Log,
    /// Members that were met.
    met: BTreeSet<&'static str>,
    /// Whether it has the old form, which counts its start and end in seconds.
    nested: bool,
}

/// What is to be done with a member.
pub(super) enum Member {
    /// It has been read.
    Done,
    /// It is the nodes, which are large: to be read piece by piece.
    Nodes(NodesReader),
}

/// What is to be done with arrays of samples.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// To know where they are, and read them when they are needed.
    Locate,
    /// To keep their values, behind those of the pieces before.
    Hold,
}

impl Recording {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing yet of a profile in a trace.
    pub fn in_trace(origin: Origin) -> Self {
        Recording { origin: Some(origin), ..Self::default() }
    }

    /// Adds a piece of the profile: the object at `offset` of the input, which has any of a profile's members, as
    /// `args.data` of the events `Profile` and `ProfileChunk` has, or `cpuProfile` in it. Nodes, samples and times follow
    /// those of earlier pieces.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn add(&mut self, input: &dyn Input, offset: u64) -> Result<()> {
        let mut json = Json::new(input, offset, crate::WINDOW);
        let read = self.add_object(&mut json);
        read.or_else(|stop| profile::log_stop(stop, input, &mut self.log))
    }

    /// The same at the position of a reader.
    pub(crate) fn add_object(&mut self, json: &mut Json<'_>) -> Step<()> {
        if !json.eat(b'{')? {
            return json.malformed("`{`");
        }
        let read = self.add_members(json);
        self.source.align();
        read
    }

    fn add_members(&mut self, json: &mut Json<'_>) -> Step<()> {
        // The members of `cpuProfile` are those of the piece.
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
                self.read_nodes(&mut reader, json, u64::MAX)?;
            }
        }
        Ok(())
    }

    /// Reads nodes; whether all have been read.
    pub(super) fn read_nodes(
        &mut self,
        reader: &mut NodesReader,
        json: &mut Json<'_>,
        until: u64,
    ) -> Step<bool> {
        let Recording { tree, frames, ticks, log, .. } = self;
        let read = reader.read(json, tree, frames, ticks, log, until);
        if read.is_err() {
            reader.abandon(tree, frames, ticks);
        }
        read
    }

    /// Reads the value of a member, which the position stands before.
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
            b"startTime" => self.start = self.time("startTime", json)?,
            b"endTime" => self.end = self.time("endTime", json)?,
            // What editors keep for themselves.
            b"$vscode" => json.skip()?,
            _ => self.fact(name, json)?,
        }
        Ok(Member::Done)
    }

    pub(crate) fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(super) fn has_nodes(&self) -> bool {
        self.met.contains("nodes")
    }

    /// Whether a member comes a second time in one piece.
    fn is_again(&mut self, name: &'static str, at: u64, arrays: Arrays) -> bool {
        let again = !self.met.insert(name) && arrays == Arrays::Locate;
        if again {
            self.log.add(Code::DuplicateSection, at, || format!("{name:?}: the first is kept"));
        }
        again
    }

    fn no_array(&mut self, name: &str, at: u64) {
        self.log.add(Code::MissingSection, at, || format!("{name:?} is no array"));
    }

    fn array(&mut self, name: &'static str, json: &mut Json<'_>, arrays: Arrays) -> Step<()> {
        let at = json.at();
        let other = match name {
            "timeDeltas" => self.met.contains("timestamps"),
            "timestamps" => self.met.contains("timeDeltas"),
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
        let column = match name {
            "samples" => &mut source.ids,
            "lines" => &mut source.lines,
            "columns" => &mut source.columns,
            _ => {
                let timestamps = name == "timestamps";
                source.clock = if timestamps { Clock::Timestamps } else { Clock::Deltas };
                &mut source.times
            }
        };
        match arrays {
            Arrays::Locate => {
                *column = Column::Located(at + 1);
                json.skip()
            }
            Arrays::Hold => {
                if !matches!(column, Column::Held(_)) {
                    // Earlier pieces do not have it.
                    *column = Column::Held(Arc::new(vec![NONE; read]));
                }
                let Column::Held(values) = column else { unreachable!("it was just set") };
                let values = Arc::get_mut(values).expect("not shared before it is read");
                json.bump();
                let log = &mut self.log;
                while !json.integers(values, 8 << 10, |odd, at, raw| {
                    profile::odd_integer(odd, at, raw, name, log)
                })? {}
                Ok(())
            }
        }
    }

    /// Of stacks that events refer to the id and the node.
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

    /// A time, in whatever unit it is.
    fn time(&mut self, name: &'static str, json: &mut Json<'_>) -> Step<Time> {
        let at = json.at();
        let value = json.value()?;
        let raw = match &value {
            Value::Int(value) => return Ok(Time::Whole(*value)),
            Value::Odd(_, span) => json.bytes(span),
            _ => b"",
        };
        let number = std::str::from_utf8(raw).ok().and_then(|text| text.parse::<f64>().ok());
        if let Some(number) = number.filter(|number| number.is_finite()) {
            return Ok(Time::Fraction(number));
        }
        self.log.add_excerpt(Code::NotANumber, at, raw, || format!("{name}: no time"));
        Ok(Time::Unknown)
    }

    /// Start and end in microseconds.
    pub(super) fn span(&mut self) -> (i64, i64) {
        // The old form counts seconds, and mostly whole ones.
        let unit = if self.nested { 1_000_000 } else { 1 };
        let log = &mut self.log;
        let mut in_us = |time: Time, name: &str| match time {
            Time::Unknown => NONE,
            Time::Whole(value) => value.saturating_mul(unit).max(NONE + 1),
            Time::Fraction(value) => {
                let value = value * unit as f64;
                // Seconds times a million are rarely exact.
                if (value - value.round()).abs() > 1e-3 {
                    log.add(Code::RoundedTime, None, || format!("{name}: rounded to microseconds"));
                }
                (value.round() as i64).max(NONE + 1)
            }
        };
        let (start, mut end) = (in_us(self.start, "startTime"), in_us(self.end, "endTime"));
        if self.frames.wrapped && end != NONE && start != NONE && end < start {
            // Both are cut to 32 bits.
            end = end.saturating_add(1 << 32);
            log.add(Code::WrappedNumber, None, || "endTime: more than 32 bits".into());
        }
        match self.origin.as_ref().and_then(|origin| origin.start) {
            Some(of_trace) => self.move_to(start, end, of_trace),
            None => (start, end),
        }
    }

    /// Moves start and end to the clock of the trace, which need not be that of the engine.
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

    /// Keeps a value that stands in no other table.
    fn fact(&mut self, name: &[u8], json: &mut Json<'_>) -> Step<()> {
        let at = json.at();
        let key = String::from_utf8_lossy(name).into_owned();
        let (int, text) = match json.value()? {
            Value::Int(value) => (Some(value), None),
            Value::Text(t) if t.span.len() <= LONGEST_FACT => {
                (None, Some(text(json.bytes(&t.span), t.escaped).0))
            }
            Value::Odd(_, span) if span.len() <= LONGEST_FACT => {
                (None, Some(String::from_utf8_lossy(json.bytes(&span)).into_owned()))
            }
            _ => {
                self.log.add(Code::UnknownSection, at, || format!("{key:?}: skipped"));
                return Ok(());
            }
        };
        let fact = Fact { key, int, text };
        // Each chunk of a trace may say it again.
        if self.facts.len() < crate::LISTED && !self.facts.contains(&fact) {
            self.facts.push(fact);
        }
        Ok(())
    }
}
