//! Messages of the DevTools protocol, and the documents that they carry: heap snapshots and timelines in chunks of
//! text, profiles as objects, traces in arrays of events.
//!
//! A message is identified by its `method` and `id`, whatever the order of its members and the content of its text. A
//! chunk of a heap is a string of escaped JSON. It is unescaped in one pass from the message to a spool, where the
//! document is then as the engine sent it. A profile is part of its message and is read in place. The arrays of a trace
//! are copied to the spool one after the other, which is a trace too.
//!
//! Messages come in the records of `.htrace` containers ([`crate::htrace`]), or one after the other in a file.

mod message;
mod sniff;
mod tables;

pub use sniff::sniff;
pub use tables::{last_seen_object_ids, stats_updates};

use heapquarry_formats::{
    Buffer, ByteOffset, Code, Error, Input, Log, Result, bytes_at,
    json::{Json, Step, Stop},
};
use heapquarry_scan::{Unescaped, Unescaper};
use message::Until;
use sniff::separates;
use std::{io::Write, ops::Range};

/// Size of a read of a message in bytes.
const WINDOW: usize = 256 << 10;

/// The start of every heap.
const HEAP: &[u8] = b"{\"snapshot\"";

/// Types of heaps in `ArkTSConfig.type`.
const SNAPSHOT: i32 = 0;
const TIMELINE: i32 = 1;

/// The location of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRange {
    /// A range of the spool.
    Spool(Range<ByteOffset>),
    /// A range of the input.
    Input(Range<ByteOffset>),
}

/// A document that messages carried.
#[derive(Clone, Debug)]
pub struct Document {
    /// Position of the input that it began in, from 0.
    pub source: usize,
    /// Its location.
    pub place: DocumentRange,
    /// The name that TraceStreamer gives it: `Snapshot0` or `Timeline`. It does not name profiles and traces:
    /// `Profile0`, `Trace0`.
    pub name: String,
    /// Whether it is a heap.
    pub is_heap: bool,
    /// Start of a heap in ns of boot time, if known.
    pub start: Option<i64>,
    /// End of the heap in ns of boot time, if known.
    pub end: Option<i64>,
    /// Offset to add to the times of a profile to get boot time, in ns.
    pub to_boottime: Option<i64>,
    /// Damage found in its messages.
    pub log: Log,
}

/// A row of `js_heap_stats_update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsUpdate {
    /// Position of its heap among the heaps, from 0: the next one that ends.
    pub heap: usize,
    /// Time in ns of boot time.
    pub time: Option<i64>,
    /// Index, count and size of the fragment.
    pub fragment: [i64; 3],
}

/// A row of `js_heap_last_seen_object_id`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSeen {
    /// Position of its heap among the heaps, from 0: the next one that ends.
    pub heap: usize,
    /// Time in ns of boot time.
    pub time: Option<i64>,
    /// The id.
    pub id: i64,
    /// The time in the message, in ms.
    pub timestamp: Option<f64>,
}

/// State of reading messages, from one input or from several that continue one another.
#[derive(Debug, Default)]
pub struct Messages {
    /// Type of heap recording, from the configuration.
    pub(crate) heap_type: Option<i32>,
    /// Offset to add to the engine's times to get boot time, in ns.
    pub(crate) monotonic_to_boottime: Option<i64>,
    source: usize,
    documents: Vec<Document>,
    /// Bytes in the spool.
    spooled: ByteOffset,
    open: Option<Open>,
    /// The start of the timeline that is being recorded.
    tracking: Option<Option<i64>>,
    heaps: usize,
    timelines: usize,
    profiles: usize,
    traces: usize,
    /// The document of the trace that is being received.
    trace: Option<usize>,
    stats: Vec<StatsUpdate>,
    last_seen: Vec<LastSeen>,
    log: Log,
    buf: Buffer,
    text: Vec<u8>,
}

/// A heap that is being received.
#[derive(Debug)]
struct Open {
    source: usize,
    place: DocumentRange,
    start: Option<i64>,
    /// Time of its last chunk.
    last: Option<i64>,
    unescaper: Unescaper,
    report: Unescaped,
    /// Its last non-blank byte.
    last_byte: u8,
    log: Log,
}

/// Everything that messages held.
#[derive(Debug, Default)]
pub struct Contents {
    /// The documents, in the order in which they ended.
    pub documents: Vec<Document>,
    /// For each heap that [`StatsUpdate::heap`] and [`LastSeen::heap`] count, its position in `documents`.
    pub heaps: Vec<usize>,
    /// Sizes of a timeline while it was recorded.
    pub stats: Vec<StatsUpdate>,
    /// Last object ids while a timeline was recorded.
    pub last_seen: Vec<LastSeen>,
    /// Anything unusual after the last input.
    pub log: Log,
}

impl Messages {
    /// Before the first input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues with the next input.
    pub fn next_input(&mut self) {
        self.source += 1;
    }

    /// Whether a heap is unfinished: another input may continue it.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the log of the input that was read.
    pub fn take_log(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }

    /// Reads the message in a range of the input, recorded at `time`.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, or the spool cannot be written.
    pub fn read(
        &mut self,
        input: &dyn Input,
        place: Range<ByteOffset>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Result<()> {
        let until = Until { input, end: place.end };
        let window = WINDOW.min(usize::try_from(place.end - place.start).unwrap_or(WINDOW));
        let mut json = Json::reusing(&until, place.start, window, std::mem::take(&mut self.buf));
        let read = self.message(&mut json, time, spool);
        let stop = read.or_else(|stop| self.log_stop(stop, &until, place.start));
        self.buf = json.into_buffer();
        stop
    }

    /// Reads a file of messages: one after the other, on lines or not, or in an array.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, or the spool cannot be written.
    pub fn read_file(&mut self, input: &dyn Input, spool: &mut dyn Write) -> Result<()> {
        let mut json = Json::new(input, ByteOffset::START, WINDOW);
        loop {
            let at = json.at();
            match json.peek()? {
                None => return Ok(()),
                Some(b'{') => {
                    let read = self.message(&mut json, None, spool);
                    if let Err(stop) = read {
                        self.log_stop(stop, input, at)?;
                        json.skip_line()?;
                    }
                }
                Some(byte) if byte == b']' || separates(byte) => json.bump(),
                Some(_) => {
                    let found = bytes_at(input, at, 80)?;
                    self.log.add_excerpt(Code::BadMessage, at, &found, || {
                        "a line that is no message".into()
                    });
                    json.skip_line()?;
                }
            }
        }
    }

    fn log_stop(&mut self, stop: Stop, input: &dyn Input, at: ByteOffset) -> Result<()> {
        match stop {
            Stop::Failed(error) => return Err(error),
            Stop::Cut => self.log.add(Code::BadMessage, at, || {
                "a message that ends before its closing brace".into()
            }),
            Stop::Malformed { at, expected } => {
                let found = bytes_at(input, at, 80)?;
                self.log.add_excerpt(Code::BadMessage, at, &found, || {
                    format!("in a message: expected {expected}; the rest of it is not read")
                });
            }
        }
        Ok(())
    }

    /// Ends reading. What was received of an unfinished heap is kept.
    ///
    /// # Errors
    ///
    /// If the spool cannot be written.
    pub fn finish(mut self, spool: &mut dyn Write) -> Result<Contents> {
        self.close(None, false, spool)?;
        let heaps = self.documents.iter().enumerate();
        let heaps = heaps.filter(|(_, document)| document.is_heap);
        Ok(Contents {
            heaps: heaps.map(|(i, _)| i).collect(),
            documents: self.documents,
            stats: self.stats,
            last_seen: self.last_seen,
            log: self.log,
        })
    }

    /// Takes a chunk of a heap: the bytes of a string that [`Json`] passes on.
    fn chunk(&mut self, json: &mut Json<'_>, time: Option<i64>, spool: &mut dyn Write) -> Step<()> {
        let at = json.at();
        json.bump();
        let mut first = true;
        json.stream(|raw| {
            self.text.clear();
            let mut text = std::mem::take(&mut self.text);
            let begins = first && self.open.is_some() && {
                // Examines the first bytes before they go to the open document.
                let mut probe = Unescaper::new();
                let head = &raw[..raw.len().min(4 * HEAP.len())];
                probe.feed(head, &mut text);
                text.starts_with(HEAP)
            };
            text.clear();
            if begins {
                self.close(None, false, spool)?;
            }
            first = false;
            let open = self.open.get_or_insert_with(|| Open {
                source: self.source,
                place: DocumentRange::Spool(self.spooled..self.spooled),
                start: self.tracking.take().unwrap_or(time),
                last: time,
                unescaper: Unescaper::new(),
                report: Unescaped::default(),
                last_byte: 0,
                log: Log::default(),
            });
            let end = open.unescaper.feed(raw, &mut text);
            open.last = time.or(open.last);
            open.append(&text, &mut self.spooled, spool, at)?;
            self.text = text;
            Ok(end)
        })
    }

    /// Takes a heap that is an object in a message, as TraceStreamer extracts them from recordings.
    fn whole_heap(
        &mut self,
        place: Range<ByteOffset>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Result<()> {
        self.close(None, false, spool)?;
        self.open = Some(Open {
            source: self.source,
            place: DocumentRange::Input(place),
            start: self.tracking.take().unwrap_or(time),
            last: time,
            unescaper: Unescaper::new(),
            report: Unescaped::default(),
            last_byte: b'}',
            log: Log::default(),
        });
        Ok(())
    }

    /// Takes a profile.
    fn profile(&mut self, place: Range<ByteOffset>, time: Option<i64>) {
        self.documents.push(Document {
            source: self.source,
            place: DocumentRange::Input(place),
            name: format!("Profile{}", self.profiles),
            is_heap: false,
            start: None,
            end: time,
            to_boottime: self.monotonic_to_boottime,
            log: Log::default(),
        });
        self.profiles += 1;
    }

    /// Takes events of a trace: an array of the input.
    fn trace(
        &mut self,
        input: &dyn Input,
        place: Range<ByteOffset>,
        spool: &mut dyn Write,
    ) -> Result<()> {
        let document = self.trace.map(|at| &mut self.documents[at].place);
        let start = match document {
            // What was spooled between parts of it belongs to something else.
            Some(DocumentRange::Spool(whole)) if whole.end == self.spooled => whole.start,
            _ => {
                self.trace = Some(self.documents.len());
                self.documents.push(Document {
                    source: self.source,
                    place: DocumentRange::Spool(self.spooled..self.spooled),
                    name: format!("Trace{}", self.traces),
                    is_heap: false,
                    start: None,
                    end: None,
                    to_boottime: None,
                    log: Log::default(),
                });
                self.traces += 1;
                self.spooled
            }
        };
        let mut at = place.start;
        while at < place.end {
            let size = (place.end - at).min(WINDOW as u64) as usize;
            let bytes = bytes_at(input, at, size)?;
            if bytes.is_empty() {
                break;
            }
            spool.write_all(&bytes).map_err(|source| Error::spool(at, source))?;
            self.spooled += bytes.len() as u64;
            at += bytes.len() as u64;
        }
        if let Some(at) = self.trace {
            self.documents[at].place = DocumentRange::Spool(start..self.spooled);
        }
        Ok(())
    }

    /// Takes an answer to a command that reports only that the command is complete.
    fn done(&mut self, id: Option<i64>, time: Option<i64>, spool: &mut dyn Write) -> Result<()> {
        // The recorder numbers its commands: 1 ends a snapshot or starts a timeline, 2 ends the timeline, 3 is for CPU
        // profiles. In other inputs the numbers mean nothing, and a heap ends where its text ends.
        let recorded = self.heap_type.is_some() || time.is_some();
        let ends = match (&self.open, id) {
            (None, _) => false,
            (Some(_), Some(1 | 2)) if recorded => true,
            (Some(open), _) => !recorded && open.last_byte == b'}',
        };
        if ends {
            return self.close(time, true, spool);
        }
        if self.open.is_none() && id == Some(1) && self.heap_type != Some(SNAPSHOT) {
            self.tracking = Some(time);
        }
        if id == Some(2) && self.open.is_none() {
            self.tracking = None;
        }
        Ok(())
    }

    /// Ends the open heap, if any.
    fn close(&mut self, time: Option<i64>, told: bool, spool: &mut dyn Write) -> Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let mut text = Vec::new();
        let report = open.unescaper.finish(&mut text);
        open.report.lone_surrogates += report.lone_surrogates;
        open.report.bad_escapes += report.bad_escapes;
        let whole = text.is_empty();
        if !whole {
            open.append(&text, &mut self.spooled, spool, ByteOffset::START)?;
        }
        let Open { source, place, start, last, report, mut log, last_byte, .. } = open;
        if !told && (self.heap_type.is_some() || last_byte != b'}') {
            log.add(Code::UnfinishedDump, None, || {
                "no message says that the heap is complete".into()
            });
        }
        let name = if self.heap_type == Some(TIMELINE) {
            self.timelines += 1;
            match self.timelines {
                1 => "Timeline".into(),
                n => format!("Timeline{}", n - 1),
            }
        } else {
            format!("Snapshot{}", self.heaps)
        };
        for (count, code) in
            [(report.lone_surrogates, Code::LoneSurrogate), (report.bad_escapes, Code::BadEscape)]
        {
            if count > 0 {
                log.add(code, None, || format!("{count} in the messages that carried it"));
            }
        }
        self.heaps += 1;
        let end = if told { time } else { time.or(last) };
        let is_heap = true;
        let document =
            Document { source, place, name, is_heap, start, end, to_boottime: None, log };
        self.documents.push(document);
        Ok(())
    }
}

impl Open {
    /// Appends text.
    fn append(
        &mut self,
        text: &[u8],
        spooled: &mut ByteOffset,
        spool: &mut dyn Write,
        at: ByteOffset,
    ) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(byte) = text.iter().rev().find(|byte| !byte.is_ascii_whitespace()) {
            self.last_byte = *byte;
        }
        match &mut self.place {
            DocumentRange::Spool(place) => place.end += text.len() as u64,
            // Text after a complete heap does not belong to it.
            DocumentRange::Input(_) => return Ok(()),
        }
        *spooled += text.len() as u64;
        spool.write_all(text).map_err(|source| Error::spool(at, source))
    }
}
