//! The objects and arrays around traces, and the values in them.

use super::trace::Trace;
use crate::ByteOffset;
use crate::json::{Json, Step, Value, text};

/// Maximum nesting of objects and arrays that are searched for traces.
const MAX_DEPTH: usize = 6;

/// Maximum number of envelope values that are kept for a document.
const MAX_INFO: usize = 200;

/// Maximum length of an envelope value that is kept.
const MAX_TEXT: usize = 4 << 10;

/// An open object or array.
#[derive(Debug)]
pub(super) struct Level {
    name: String,
    pub(super) is_array: bool,
    /// Its offset.
    start: ByteOffset,
    trace: Option<Box<Trace>>,
    /// Values in it, with their names.
    info: Vec<(String, String)>,
    /// Traces in it, each with its path and length.
    found: Vec<(String, u64, Trace)>,
}

impl Level {
    pub(super) fn object(name: String, start: ByteOffset) -> Self {
        Level { name, is_array: false, start, trace: None, info: Vec::new(), found: Vec::new() }
    }

    pub(super) fn array(name: String) -> Self {
        Level { is_array: true, ..Level::object(name, ByteOffset::START) }
    }
}

/// Traces, and the values of their envelopes.
pub(super) struct Found {
    pub(super) traces: Vec<(String, u64, Trace)>,
    pub(super) info: Vec<(String, String)>,
}

/// The open levels, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Levels {
    open: Vec<Level>,
    /// Memory of the traces that have been found in them.
    found: u64,
}

impl Levels {
    /// Memory of all traces in them, in bytes, about.
    pub(super) fn memory(&self) -> u64 {
        let open = self.open.iter().filter_map(|level| level.trace.as_ref());
        open.fold(self.found, |sum, trace| sum + trace.memory())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn last(&self) -> Option<&Level> {
        self.open.last()
    }

    /// Whether another level may be opened.
    pub(super) fn may_open(&self) -> bool {
        self.open.len() < MAX_DEPTH
    }

    pub(super) fn open(&mut self, level: Level) {
        self.open.push(level);
    }

    /// The trace that the innermost object is or may be.
    pub(super) fn trace(&mut self) -> &mut Trace {
        let level = self.open.last_mut().expect("arrays of traces are in an object");
        level.trace.get_or_insert_default()
    }

    /// Skips an array.
    pub(super) fn skip_array(&mut self, json: &mut Json<'_>) -> Step<()> {
        json.skip()
    }

    /// Keeps a value of the innermost object.
    pub(super) fn keep(&mut self, name: String, json: &mut Json<'_>) -> Step<()> {
        let value = match json.value()? {
            Value::Int(value) => value.to_string(),
            Value::Text(t) if t.span.len() <= MAX_TEXT => text(json.bytes(&t.span), t.escaped).0,
            Value::Odd(_, span) if span.len() <= MAX_TEXT => {
                String::from_utf8_lossy(json.bytes(&span)).into_owned()
            }
            _ => return Ok(()),
        };
        if let Some(level) = self.open.last_mut().filter(|level| level.info.len() < MAX_INFO) {
            level.info.push((name, value));
        }
        Ok(())
    }

    pub(super) fn close_array(&mut self) {
        self.open.pop();
    }

    /// Closes the innermost level.
    pub(super) fn close(&mut self, end: ByteOffset) -> Option<Found> {
        if self.last().is_some_and(|level| level.is_array) {
            self.close_array();
            return None;
        }
        self.close_object(end)
    }

    /// Closes the innermost object, which ends at the offset `end`. Returns the traces in it, if it is an outermost
    /// envelope.
    pub(super) fn close_object(&mut self, end: ByteOffset) -> Option<Found> {
        let mut level = self.open.pop()?;
        if let Some(trace) = level.trace.take().filter(|trace| trace.is_one()) {
            self.found += trace.memory();
            level.found.push((String::new(), end.saturating_sub(level.start), *trace));
        }
        match self.open.last_mut().filter(|outer| !outer.is_array) {
            Some(outer) => {
                let within = |inner: &str| match inner {
                    "" => level.name.clone(),
                    _ => format!("{}.{inner}", level.name),
                };
                let room = MAX_INFO.saturating_sub(outer.info.len());
                let info = level.info.iter().take(room);
                outer.info.extend(info.map(|(key, value)| (within(key), value.clone())));
                let found = level.found.drain(..);
                outer.found.extend(found.map(|(path, bytes, trace)| (within(&path), bytes, trace)));
                None
            }
            None if level.found.is_empty() => None,
            None => {
                self.found -= level.found.iter().map(|(.., trace)| trace.memory()).sum::<u64>();
                Some(Found { traces: level.found, info: level.info })
            }
        }
    }
}
