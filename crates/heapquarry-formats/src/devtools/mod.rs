//! Messages of the DevTools protocol, and the documents that they carry: heap snapshots and timelines in pieces of text, profiles as
//! objects.
//!
//! A message is told by its `method` and `id`, whatever the order of its members and whatever else stands in its text. A piece of
//! a heap is a string with JSON in it, and its quotes, backslashes and line breaks are escapes: they are resolved in one pass
//! from the message to a spool, where the document then is as the engine sent it. A profile is part of its message: it is read
//! where it is.
//!
//! Messages come in the records of `.htrace` containers ([`crate::htrace`]), or one after the other in a file.

mod message;
mod sniff;
mod tables;

pub use sniff::sniff;
pub use tables::{last_seen_object_ids, stats_updates};

use crate::{
    Buffer, Code, Error, Input, Log, Result,
    json::{Json, Stop},
};
use heapquarry_scan::{Unescaped, Unescaper};
use message::Until;
use sniff::separates;
use std::{io::Write, ops::Range};

/// Bytes of a message read at a time.
const WINDOW: usize = 256 << 10;

/// What every heap begins with.
const HEAP: &[u8] = b"{\"snapshot\"";

/// Types of heaps in `ArkTSConfig.type`.
const SNAPSHOT: i32 = 0;
const TIMELINE: i32 = 1;

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the spool.
    Spool(Range<u64>),
    /// In the input that was read.
    Input(Range<u64>),
}

/// A document that messages carried.
#[derive(Clone, Debug)]
pub struct Document {
    /// Which of the inputs that were read it began in, counted from 0.
    pub source: usize,
    /// Where it is.
    pub place: Place,
    /// As TraceStreamer calls it: `Snapshot0`, `Timeline`; and `Profile0`.
    pub name: String,
    /// Start of a heap in ns of boot time, if known.
    pub start: Option<i64>,
    /// Its end.
    pub end: Option<i64>,
    /// What is to be added to the times of a profile, in ns, to have boot time.
    pub to_boottime: Option<i64>,
    /// What was wrong with the way it came.
    pub log: Log,
}

/// A row of `js_heap_stats_update`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsUpdate {
    /// Which heap it belongs to, counted from 0: the next one that ends.
    pub heap: usize,
    /// When, in ns of boot time.
    pub time: Option<i64>,
    /// Index, count and size of the fragment.
    pub fragment: [i64; 3],
}

/// A row of `js_heap_last_seen_object_id`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSeen {
    /// Which heap it belongs to, counted from 0: the next one that ends.
    pub heap: usize,
    /// When, in ns of boot time.
    pub time: Option<i64>,
    /// The id.
    pub id: i64,
    /// The time in the message, in ms.
    pub timestamp: Option<f64>,
}

/// Messages that are being read, from one input or from several that go on with each other.
#[derive(Debug, Default)]
pub struct Messages {
    /// What the recording's configuration says is recorded of the heap.
    pub(crate) heap_type: Option<i32>,
    /// What is to be added to the engine's times to have boot time.
    pub(crate) monotonic_to_boottime: Option<i64>,
    source: usize,
    documents: Vec<Document>,
    /// Bytes in the spool.
    spooled: u64,
    open: Option<Open>,
    /// When a timeline began to be recorded.
    tracking: Option<Option<i64>>,
    heaps: usize,
    timelines: usize,
    profiles: usize,
    stats: Vec<StatsUpdate>,
    last_seen: Vec<LastSeen>,
    log: Log,
    buf: Buffer,
    text: Vec<u8>,
}

/// A heap that is being sent.
#[derive(Debug)]
struct Open {
    source: usize,
    place: Place,
    start: Option<i64>,
    /// Of its last piece.
    last: Option<i64>,
    unescaper: Unescaper,
    report: Unescaped,
    /// Its last byte that is no blank.
    last_byte: u8,
    log: Log,
}

/// Everything that messages held.
#[derive(Debug, Default)]
pub struct Contents {
    /// The documents, in the order in which they ended.
    pub documents: Vec<Document>,
    /// Which of the documents are the heaps that [`StatsUpdate::heap`] and [`LastSeen::heap`] count.
    pub heaps: Vec<usize>,
    /// Sizes of a timeline while it was recorded.
    pub stats: Vec<StatsUpdate>,
    /// Ids given out while a timeline was recorded.
    pub last_seen: Vec<LastSeen>,
    /// What was out of the ordinary behind the last input.
    pub log: Log,
}

impl Messages {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on with the next input.
    pub fn next_input(&mut self) {
        self.source += 1;
    }

    /// Whether a heap has begun and not ended: another input may go on with it.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What was out of the ordinary in the input that was read.
    pub fn take_log(&mut self) -> Log {
        std::mem::take(&mut self.log)
    }

    /// Reads the message at a place of the input, recorded at that time.
    ///
    /// # Errors
    /// If the input cannot be read, or the spool not be written.
    pub fn read(
        &mut self,
        input: &dyn Input,
        place: Range<u64>,
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

    /// Reads a file of messages: one after the other, in lines or not, or in an array.
    ///
    /// # Errors
    /// If the input cannot be read, or the spool not be written.
    pub fn read_file(&mut self, input: &dyn Input, spool: &mut dyn Write) -> Result<()> {
        let mut json = Json::new(input, 0, WINDOW);
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
                    let found = crate::input::bytes_at(input, at, 80)?;
                    self.log.add_excerpt(Code::BadMessage, at, &found, || {
                        "a line that is no message".into()
                    });
                    json.skip_line()?;
                }
            }
        }
    }

    fn log_stop(&mut self, stop: Stop, input: &dyn Input, at: u64) -> Result<()> {
        match stop {
            Stop::Failed(error) => return Err(error),
            Stop::Cut => self.log.add(Code::BadMessage, at, || {
                "a message that ends before its closing brace".into()
            }),
            Stop::Malformed { at, expected } => {
                let found = crate::input::bytes_at(input, at, 80)?;
                self.log.add_excerpt(Code::BadMessage, at, &found, || {
                    format!("in a message: expected {expected}; the rest of it is not read")
                });
            }
        }
        Ok(())
    }

    /// Ends reading. A heap that has not ended is kept as far as it came.
    ///
    /// # Errors
    /// If the spool cannot be written.
    pub fn finish(mut self, spool: &mut dyn Write) -> Result<Contents> {
        self.close(None, false, spool)?;
        let heaps = self.documents.iter().enumerate();
        let heaps = heaps.filter(|(_, document)| !document.name.starts_with("Profile"));
        Ok(Contents {
            heaps: heaps.map(|(i, _)| i).collect(),
            documents: self.documents,
            stats: self.stats,
            last_seen: self.last_seen,
            log: self.log,
        })
    }

    /// Takes a piece of a heap: what [`Json`] hands out of a string.
    fn chunk(
        &mut self,
        json: &mut Json<'_>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> crate::json::Step<()> {
        let at = json.at();
        json.bump();
        let mut first = true;
        json.stream(|raw| {
            self.text.clear();
            let mut text = std::mem::take(&mut self.text);
            let begins = first && self.open.is_some() && {
                // Of what stands at the front, before it goes to the document that is open.
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
                place: Place::Spool(self.spooled..self.spooled),
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

    /// A heap that is an object in a message, as TraceStreamer cuts them out of recordings.
    fn whole_heap(
        &mut self,
        place: Range<u64>,
        time: Option<i64>,
        spool: &mut dyn Write,
    ) -> Result<()> {
        self.close(None, false, spool)?;
        self.open = Some(Open {
            source: self.source,
            place: Place::Input(place),
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
    fn profile(&mut self, place: Range<u64>, time: Option<i64>) {
        self.documents.push(Document {
            source: self.source,
            place: Place::Input(place),
            name: format!("Profile{}", self.profiles),
            start: None,
            end: time,
            to_boottime: self.monotonic_to_boottime,
            log: Log::default(),
        });
        self.profiles += 1;
    }

    /// Takes the answer to a command that has nothing to say but that it was carried out.
    fn done(&mut self, id: Option<i64>, time: Option<i64>, spool: &mut dyn Write) -> Result<()> {
        // A recording of the profiler numbers its commands: 1 ends a snapshot, or begins a timeline, which 2 ends; 3 is for
        // CPU profiles. Elsewhere numbers say nothing, and a heap is at its end when its text is.
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

    /// Ends the heap that is open, if one is.
    fn close(&mut self, time: Option<i64>, told: bool, spool: &mut dyn Write) -> Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let mut text = Vec::new();
        let report = open.unescaper.finish(&mut text);
        open.report.lone_surrogates += report.lone_surrogates;
        open.report.bad_escapes += report.bad_escapes;
        let whole = text.is_empty();
        if !whole {
            open.append(&text, &mut self.spooled, spool, 0)?;
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
        let document = Document { source, place, name, start, end, to_boottime: None, log };
        self.documents.push(document);
        Ok(())
    }
}

impl Open {
    /// Appends a piece of text.
    fn append(
        &mut self,
        text: &[u8],
        spooled: &mut u64,
        spool: &mut dyn Write,
        at: u64,
    ) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if let Some(byte) = text.iter().rev().find(|byte| !byte.is_ascii_whitespace()) {
            self.last_byte = *byte;
        }
        match &mut self.place {
            Place::Spool(place) => place.end += text.len() as u64,
            // Pieces of text behind a whole heap are none of it.
            Place::Input(_) => return Ok(()),
        }
        *spooled += text.len() as u64;
        spool.write_all(text).map_err(|source| Error::spool(at, source))
    }
}
