//! Traces of the JS Self-Profiling API: the result of `Profiler.stop()`, alone or in the envelopes in which pages
//! report it; one trace, or many in arrays and lines.
//! <https://wicg.github.io/js-self-profiling/#the-profilertrace-dictionary>
//!
//! An object is a trace if it has the arrays of a trace. Each trace is a document. Other values of the envelopes become
//! rows of `self_profile_info`.

mod envelope;
mod rows;
mod sniff;
mod trace;

pub use rows::Task;
pub(crate) use sniff::{has_array, recognises};

use crate::{
    Buffer, ByteOffset, Claim, Code, Finished, Input, Kept, Log, ReadOptions, Reader, Result,
    Summary, input,
    json::{Json, Step, Stop},
    profile::{self, log_stop, status},
};
use envelope::{Level, Levels};
use heapquarry_tables::{FileId, Reorder, SELF_PROFILE_FILES, SELF_PROFILE_INFO};
use rows::Pending;
use trace::{Section, Trace};

/// Bytes that are read before others may claim.
const PIECE: u64 = 1 << 20;

/// An input with self-profiling traces.
pub struct SelfProfiles<'a> {
    input: &'a dyn Input,
    first_id: FileId,
    name: String,
    rows: usize,
    json: Json<'a>,
    levels: Levels,
    /// The array of a trace that is being read.
    section: Option<Section>,
    /// Rows that have not been taken yet.
    pending: Pending,
    /// Traces that were distinguished from other objects.
    numbered: usize,
    /// Traces that have been read, by number, while earlier ones have not.
    waiting: Reorder<(Trace, Document)>,
    /// Memory of these.
    waiting_bytes: u64,
    documents: Vec<Document>,
    /// Anything unusual outside of traces.
    log: Log,
    ended: bool,
    /// Bytes that were already reported as read.
    bytes_reported: ByteOffset,
}

/// A trace that has been read.
struct Document {
    path: String,
    origin: Option<f64>,
    interval: Option<f64>,
    info: Vec<(String, String)>,
    bytes: u64,
    /// Samples, stacks, frames, resources.
    counts: [u64; 4],
    log: Log,
}

impl<'a> SelfProfiles<'a> {
    /// Starts reading. The first trace gets the number `file_id`, the others those after it.
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
        let json = profile::reader(input, ByteOffset::START, options.window, &mut log)?;
        Ok(SelfProfiles {
            input,
            first_id: file_id,
            name: name.into(),
            rows: options.row_group_rows.max(1),
            json,
            levels: Levels::default(),
            section: None,
            pending: Pending::default(),
            numbered: 0,
            waiting: Reorder::default(),
            waiting_bytes: 0,
            documents: Vec::new(),
            log,
            ended: false,
            bytes_reported: ByteOffset::START,
        })
    }

    /// `file_id` of the first document that is not finished.
    fn next_id(&self) -> FileId {
        self.first_id.plus(self.documents.len())
    }

    /// Reads a part; returns whether the input continues.
    fn read_on(&mut self) -> Step<bool> {
        let until = self.json.at() + PIECE;
        while self.json.at() < until && !self.pending.is_full(self.rows) {
            if let Some(section) = self.section {
                let id = self.next_id();
                if !self.levels.trace().read(section, &mut self.json, until)? {
                    self.section = None;
                }
                let trace = self.levels.trace();
                if trace.is_certain && trace.number.is_none() {
                    trace.number = Some(self.numbered);
                    self.numbered += 1;
                }
                // A trace can have any number of samples: their rows are taken as they come.
                if trace.pending() >= self.rows && trace.number == Some(self.documents.len()) {
                    trace.flush_samples(id, &mut self.pending, false);
                }
            } else if !self.step()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads a token between the arrays of traces; returns `false` at the end of the input.
    fn step(&mut self) -> Step<bool> {
        let json = &mut self.json;
        let Some(level) = self.levels.last() else {
            // Texts one after the other, on lines or in an array: separators are ignored.
            match json.peek()? {
                None => return Ok(false),
                Some(b'{') => {
                    let at = json.at();
                    json.bump();
                    self.levels.open(Level::object(String::new(), at));
                }
                Some(b'[' | b']' | b',' | 0x1E) => json.bump(),
                Some(_) => {
                    let at = json.at();
                    json.skip_value()?;
                    if json.at() == at {
                        return json.malformed("an object");
                    }
                }
            }
            return Ok(true);
        };
        if level.is_array {
            match json.next()? {
                b',' => json.bump(),
                b']' => {
                    json.bump();
                    self.levels.close_array();
                }
                b'{' => {
                    let at = json.at();
                    json.bump();
                    self.levels.open(Level::object(String::new(), at));
                }
                b'}' | b':' => return json.malformed("an object, `,` or `]`"),
                _ => json.skip_value()?,
            }
            return Ok(true);
        }
        let Some(key) = json.key()? else {
            let at = json.at();
            if let Some(found) = self.levels.close_object(at) {
                self.finish_all(found);
            }
            return Ok(true);
        };
        let name = String::from_utf8_lossy(json.bytes(&key.span)).into_owned();
        let first = json.next()?;
        let at = json.at();
        match first {
            b'[' => {
                if let Some(section) = Section::by_name(&name) {
                    json.bump();
                    if self.levels.trace().begin(section, at) {
                        self.section = Some(section);
                    } else {
                        // The array occurs a second time.
                        self.levels.skip_array(json)?;
                    }
                } else if self.levels.may_open() && is_array_of_objects(self.input, at)? {
                    json.bump();
                    self.levels.open(Level::array(name));
                } else {
                    json.skip_value()?;
                }
            }
            b'{' if self.levels.may_open() => {
                json.bump();
                self.levels.open(Level::object(name, at));
            }
            _ => self.levels.keep(name, json)?,
        }
        Ok(true)
    }

    /// Traces whose outermost envelope has been read.
    fn finish_all(&mut self, found: envelope::Found) {
        let envelope::Found { traces, info } = found;
        let number = |key: &str| {
            let value =
                info.iter().find(|(name, _)| name == key || name.ends_with(&format!(".{key}")));
            value.and_then(|(_, value)| value.parse::<f64>().ok()).filter(|value| value.is_finite())
        };
        let clocks = number("clocksOrigin.timeStamp").zip(number("clocksOrigin.relative"));
        let origin =
            clocks.map(|(epoch, relative)| epoch - relative).or_else(|| number("timeOrigin"));
        for (path, bytes, trace) in traces {
            let document = Document {
                path,
                origin,
                interval: number("sampleInterval"),
                info: info.clone(),
                bytes,
                counts: [0; 4],
                log: Log::default(),
            };
            let number = trace.number.unwrap_or(self.numbered);
            self.numbered = self.numbered.max(number + 1);
            let number = number as u64;
            self.waiting_bytes += trace.memory();
            let is_new = self.waiting.insert(number..number + 1, (trace, document));
            assert!(is_new, "each trace has a number of its own");
        }
        // The rows of a trace come before those of the next.
        while let Some((mut trace, mut document)) = self.waiting.next() {
            self.waiting_bytes -= trace.memory();
            document.counts = trace.finish(self.next_id(), &mut self.pending);
            document.log = trace.log;
            self.documents.push(document);
        }
    }

    /// The input has been read to its end, or to where it cannot be read further.
    fn end(&mut self, stop: Option<Stop>) -> Result<()> {
        self.ended = true;
        let mut log = std::mem::take(&mut self.log);
        self.json.log_zeros(&mut log);
        if let Some(stop) = stop {
            log_stop(stop, self.input, &mut log)?;
            let at = self.json.at();
            while !self.levels.is_empty() {
                if let Some(found) = self.levels.close(at) {
                    self.finish_all(found);
                }
            }
        }
        if self.documents.is_empty() {
            log.add(Code::MissingSection, None, || "there is no trace".into());
            self.finish_all(envelope::Found {
                traces: vec![(String::new(), self.input.size(), Trace::default())],
                info: Vec::new(),
            });
        }
        if let Some(last) = self.documents.last_mut() {
            last.log.merge(log);
        }
        Ok(())
    }
}

/// Whether an array begins with an object.
fn is_array_of_objects(input: &dyn Input, at: ByteOffset) -> Result<bool> {
    Ok(crate::json::opens(&input::bytes_at(input, at, 64)?, b"[{"))
}

impl Reader for SelfProfiles<'_> {
    type Task = Task;
    type Ahead = ();

    fn claim(&mut self, _: &mut Buffer) -> Result<Claim<Task>> {
        if !self.ended {
            match self.read_on() {
                Ok(true) => {}
                Ok(false) => self.end(None)?,
                Err(stop) => self.end(Some(stop))?,
            }
        }
        let at = self.json.at().max(self.bytes_reported);
        let read = at - std::mem::replace(&mut self.bytes_reported, at);
        Ok(match self.pending.take(self.rows, self.ended) {
            Some(task) => Claim::Task(task, read),
            None if self.ended => Claim::End,
            None => Claim::Progress(read),
        })
    }

    fn kept(&self) -> Kept {
        // The rows of a trace are made all at once.
        let bytes = 2 * (self.levels.memory() + self.waiting_bytes) + self.pending.memory();
        Kept { bytes, events: 0 }
    }

    fn complete(&mut self, (): ()) {}

    fn finish(self) -> Finished {
        let files = rows::files(self.first_id, &self.name, &self.documents);
        let info = rows::info(self.first_id, &self.documents);
        let several = self.documents.len() > 1;
        let summaries = (0..).zip(self.documents).map(|(index, document): (usize, Document)| {
            let names = ["samples", "stacks", "frames", "resources"];
            Summary {
                name: several.then(|| format!("{}#{index}", self.name)),
                format: "selfprofile",
                producer: None,
                bytes: document.bytes,
                status: status(&document.log),
                counts: names.into_iter().zip(document.counts).collect(),
                log: document.log,
            }
        });
        let batches = vec![(&SELF_PROFILE_FILES, files), (&SELF_PROFILE_INFO, info)];
        Finished { batches, documents: summaries.collect(), gathered: None, next: None }
    }
}
