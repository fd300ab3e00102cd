//! OpenHarmony `.htrace` containers: sections of records, some of which have messages of the ArkTS engine about its
//! heap.
//!
//! A section is a header of 1024 bytes and records, each a length and a message `ProfilerPluginData`. Lengths, counts
//! and checksums in the header are often wrong in intact files. They are compared with the content, and nothing depends
//! on them: a section ends where the next one begins. An invalid record does not affect others: reading continues with
//! the next valid one.

mod header;
// As prost-build writes it.
#[rustfmt::skip]
#[allow(missing_docs, reason = "what has none speaks for itself, as in the .proto file")]
pub mod proto;
mod record;
mod tables;
mod window;

pub use header::{Clocks, DataType, HEADER, Header, MAGIC};
pub use record::Record;
pub use tables::{config, plugins, sections};

use crate::devtools::Messages;
use heapquarry_formats::{ByteOffset, Code, Error, Input, Log, Result, bytes_at};
use prost::Message;
use proto::ArkTsConfig;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, io::Write, ops::Range};
use window::Window;

/// Names of records with messages of the engine, today and until June 2023.
const DATA: [&str; 2] = ["arkts-plugin", "js-memory"];
/// The names of their configurations.
const CONFIG: [&str; 2] = ["arkts-plugin_config", "js-memory_config"];

/// Whether records of this name are read: those of the ArkTS engine, and their configurations.
pub fn is_of_engine(name: &str) -> bool {
    DATA.into_iter().chain(CONFIG).any(|known| known == name)
}

/// A configuration takes about 30 bytes.
const MAX_CONFIG: u64 = 64 << 10;

/// Number of record names that are used to resynchronise after damage.
const MAX_KNOWN_NAMES: usize = 64;

/// Number of candidate positions that are tried after an invalid record.
const MAX_CANDIDATES: usize = 1000;

/// Whether a document with these first bytes is such a container.
pub fn recognises(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// A section that was read.
#[derive(Clone, Debug)]
pub struct Section {
    /// Offset of its header.
    pub offset: ByteOffset,
    /// Offset of its end.
    pub end: ByteOffset,
    /// Its header.
    pub header: Header,
    /// Number of records.
    pub records: u64,
    /// Number of configurations among them.
    pub configs: u64,
}

/// Contents of a container besides documents.
#[derive(Debug, Default)]
pub struct Contents {
    /// Its sections.
    pub sections: Vec<Section>,
    /// For each record name, the number of records and the bytes of their data.
    pub plugins: BTreeMap<String, (u64, u64)>,
    /// Configurations of the recording of the engine.
    pub configs: Vec<ArkTsConfig>,
    /// Everything unusual.
    pub log: Log,
}

/// Reads a container, and passes the messages of the engine to `messages`. An unfinished dump stays open there.
///
/// # Errors
/// If the input cannot be read, or the spool cannot be written.
pub fn read(input: &dyn Input, messages: &mut Messages, spool: &mut dyn Write) -> Result<Contents> {
    let mut records = Records::new(input);
    let mut configs = Vec::new();
    while let Some(record) = records.next()? {
        let clocks = records.clocks();
        if DATA.contains(&record.name.as_str()) {
            let Some(place) = record::result(&mut records.window, &record.data)? else {
                records.log.add(Code::BadRecord, record.offset, || {
                    format!("a record {:?} without a message", record.name)
                });
                continue;
            };
            messages.monotonic_to_boottime = clocks.monotonic_to_boottime();
            let offset = clocks.to_boottime(record.clock).unwrap_or(0);
            let time = record.time.map(|time| time.saturating_add(offset));
            messages.read(input, place, time, spool)?;
        } else if CONFIG.contains(&record.name.as_str()) {
            let length = (record.data.end - record.data.start).min(MAX_CONFIG) as usize;
            let bytes = records.window.get(record.data.start, length)?;
            match ArkTsConfig::decode(bytes) {
                Ok(config) => {
                    messages.heap_type = Some(config.r#type);
                    configs.push(config);
                }
                Err(error) => records.log.add(Code::BadRecord, record.offset, || {
                    format!("a record {:?} that cannot be read: {error}", record.name)
                }),
            }
        }
    }
    let Records { sections, plugins, mut log, .. } = records;
    log.merge(messages.take_log());
    Ok(Contents { sections, plugins, configs, log })
}

/// The SHA-256 of a part of an input.
///
/// # Errors
/// If the input cannot be read.
pub fn sha256(input: &dyn Input, place: Range<ByteOffset>) -> Result<[u8; 32]> {
    let mut buf = vec![0; 256 << 10];
    let (mut hash, mut at) = (Sha256::new(), place.start);
    while at < place.end {
        let room = buf.len().min(usize::try_from(place.end - at).unwrap_or(usize::MAX));
        match input.read_at(&mut buf[..room], at.0).map_err(|e| Error::io(at, e))? {
            0 => break,
            read => {
                hash.update(&buf[..read]);
                at += read as u64;
            }
        }
    }
    Ok(hash.finalize().into())
}

/// The records of a container, in order.
struct Records<'a> {
    input: &'a dyn Input,
    window: Window<'a>,
    at: ByteOffset,
    /// Whether the position is within the records of the last section.
    inside: bool,
    sections: Vec<Section>,
    plugins: BTreeMap<String, (u64, u64)>,
    log: Log,
}

impl<'a> Records<'a> {
    fn new(input: &'a dyn Input) -> Self {
        Records {
            input,
            window: Window::new(input),
            at: ByteOffset::START,
            inside: false,
            sections: Vec::new(),
            plugins: BTreeMap::new(),
            log: Log::default(),
        }
    }

    /// The clocks of the section, or of the first section that has any.
    fn clocks(&self) -> Clocks {
        let has_clocks = |section: &&Section| section.header.clocks.boottime != 0;
        let own = self.sections.last().filter(has_clocks);
        let found = own.or_else(|| self.sections.iter().find(has_clocks));
        found.map(|section| section.header.clocks).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Option<Record>> {
        let limit = self.window.end();
        while self.at < limit {
            let is_header = self.window.get(self.at, MAGIC.len())? == MAGIC;
            if is_header || !self.inside {
                self.close_section();
                self.open_section(is_header)?;
            } else if let Some(record) = self.record()? {
                let section = self.sections.last_mut().expect("it is inside of one");
                section.records += 1;
                section.configs += u64::from(record.name.ends_with("_config"));
                let (records, bytes) = self.plugins.entry(record.name.clone()).or_default();
                *records += 1;
                *bytes += record.data.end - record.data.start;
                return Ok(Some(record));
            }
        }
        self.close_section();
        Ok(None)
    }

    /// Reads a header, if there is one, and skips content that is not records.
    fn open_section(&mut self, is_header: bool) -> Result<()> {
        let (offset, limit) = (self.at, self.window.end());
        if !is_header {
            let found = bytes_at(self.input, offset, 40)?;
            self.log.add_excerpt(Code::BadRecord, offset, &found, || {
                "expected the header of a section: passed over up to the next one".into()
            });
            self.at = self.find_header(offset)?.unwrap_or(limit);
            return Ok(());
        }
        let bytes = self.window.get(offset, HEADER)?;
        let header = Header::parse(bytes).expect("it begins as one");
        if bytes.len() < HEADER {
            let length = bytes.len();
            self.log.add(Code::Truncated, limit, || {
                format!("the header of a section ends after {length} bytes")
            });
            self.at = limit;
        } else {
            self.at += HEADER as u64;
        }
        self.inside = header.data_type == DataType::Records;
        if !self.inside && self.begins_with_record()? {
            let data_type = header.data_type.number();
            self.log.add(Code::SectionHeader, offset, || {
                format!("data type {data_type}, but what follows is records")
            });
            self.inside = true;
        }
        if !self.inside {
            let end = offset.saturating_add(header.length);
            let fits = header.length > HEADER as u64 && end <= limit;
            let at_end = fits && (end == limit || self.window.get(end, MAGIC.len())? == MAGIC);
            self.at = match at_end {
                true => end,
                false => self.find_header(self.at)?.unwrap_or(limit),
            };
        }
        let end = self.at;
        self.sections.push(Section { offset, end, header, records: 0, configs: 0 });
        if !self.inside {
            self.check_length();
        }
        Ok(())
    }

    fn find_header(&mut self, from: ByteOffset) -> Result<Option<ByteOffset>> {
        let limit = self.window.end();
        let magic = memchr::memmem::Finder::new(MAGIC);
        self.window.search(from, limit, MAGIC.len(), |bytes| magic.find(bytes))
    }

    fn begins_with_record(&mut self) -> Result<bool> {
        let at = self.at;
        Ok(self.valid_record(at)?.is_some_and(|record| {
            !record.name.is_empty() && record.name.bytes().all(|byte| byte.is_ascii_graphic())
        }))
    }

    /// Compares the records with the header.
    fn close_section(&mut self) {
        if !std::mem::take(&mut self.inside) {
            return;
        }
        let end = self.at;
        let Some(section) = self.sections.last_mut() else { return };
        section.end = end;
        let (segments, records) = (u64::from(section.header.segments), section.records);
        let counts = [2 * records, records, 2 * (records - section.configs)];
        if !counts.contains(&segments) {
            let offset = section.offset;
            self.log.add(Code::SectionHeader, offset, || {
                format!("the header counts {segments} segments, there are {records} records")
            });
        }
        self.check_length();
    }

    fn check_length(&mut self) {
        let Some(Section { offset, end, header, .. }) = self.sections.last() else { return };
        let (offset, length, found) = (*offset, header.length, *end - *offset);
        if length != found {
            self.log.add(Code::SectionHeader, offset, || {
                format!("the header says {length} bytes, the section has {found}")
            });
        }
    }

    /// The record at a position, if it is entirely valid.
    fn valid_record(&mut self, at: ByteOffset) -> Result<Option<Record>> {
        let Some(length) = self.window.get(at, 4)?.first_chunk() else { return Ok(None) };
        let (from, length) = (at + 4, u64::from(u32::from_le_bytes(*length)));
        if length == 0 || length > self.window.end() - from {
            return Ok(None);
        }
        let (record, whole) = record::parse(&mut self.window, from, from + length)?;
        Ok(whole.is_ok().then_some(Record { offset: at, ..record }))
    }

    /// The record at the current position, which then advances.
    fn record(&mut self) -> Result<Option<Record>> {
        let (at, limit) = (self.at, self.window.end());
        if let Some(record) = self.valid_record(at)? {
            self.at = record.end;
            return Ok(Some(record));
        }
        if self.window.get(at, 4)? == [0; 4] {
            self.log.add(Code::BadRecord, at, || "a record of length 0".into());
            self.at += 4;
            return Ok(None);
        }
        let next = self.find_record(at + 1)?;
        self.at = next.unwrap_or(limit);
        if limit - at <= 4 {
            self.log.add(Code::Truncated, limit, || "a record's length is cut".into());
            return Ok(None);
        }
        // The next record may begin within the declared length of this one.
        let from = (at + 4).min(self.at);
        let (record, _) = record::parse(&mut self.window, from, self.at)?;
        let has_data = !record.data.is_empty();
        let end = self.at;
        match next {
            None => self
                .log
                .add(Code::Truncated, limit, || "the last record is cut, or makes no sense".into()),
            Some(next) => self.log.add(Code::BadRecord, at, || {
                format!("a record that makes no sense; the next one that does is at byte {next}")
            }),
        }
        Ok(has_data.then_some(Record { offset: at, end, ..record }))
    }

    /// The next position of a record with a known name, or of a section.
    fn find_record(&mut self, from: ByteOffset) -> Result<Option<ByteOffset>> {
        let seen = self.plugins.keys().take(MAX_KNOWN_NAMES).map(String::as_str);
        let names = DATA.into_iter().chain(CONFIG).chain(seen);
        // Field 1 with this length.
        let key = |name: &str| [&[0x0A, name.len() as u8], name.as_bytes()].concat();
        let keys: Vec<_> = names.filter(|name| name.len() < 128).map(key).collect();
        let longest = keys.iter().map(Vec::len).max().unwrap_or(0);
        let finders: Vec<_> = keys.iter().map(memchr::memmem::Finder::new).collect();
        let magic = memchr::memmem::Finder::new(MAGIC);
        let limit = self.window.end();
        let mut at = from;
        // Give up after many candidates: the content is full of such names, and none is a record.
        for _ in 0..MAX_CANDIDATES {
            // The length precedes the name.
            let found = self.window.search(at, limit, longest + 4, |bytes| {
                let name = |finder: &memchr::memmem::Finder<'_>| {
                    bytes.get(4..).and_then(|bytes| finder.find(bytes))
                };
                finders.iter().filter_map(name).chain(magic.find(bytes)).min()
            })?;
            let Some(found) = found else { return Ok(None) };
            if self.window.get(found, MAGIC.len())? == MAGIC || self.valid_record(found)?.is_some()
            {
                return Ok(Some(found));
            }
            at = found + 1;
        }
        Ok(None)
    }
}
