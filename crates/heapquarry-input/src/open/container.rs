//! Containers of messages: `.htrace` files and files of DevTools messages. Documents are read in place, or copied to
//! one spool.

use super::spool::{Piece, Spool};
use crate::{
    Container, Error, ErrorKind, FileInput, Opened, Result, Spooling,
    contents::{Rows, Times},
    devtools::{self, DocumentRange, Messages},
    htrace::{self, HEADER, Header, Section},
    sniff,
};
use heapquarry_formats::{ByteOffset, Code, Input, Log};
use std::{
    collections::HashMap,
    io::BufWriter,
    path::{Path, PathBuf},
    thread,
};

/// An input, or what is left of it when outer layers have been taken off.
pub(super) struct Layer {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) input: FileInput,
    pub(super) log: Log,
}

/// Containers that continue one another, and what they hold.
pub(super) struct Group<'a> {
    spooling: &'a Spooling<'a>,
    spool: BufWriter<Piece<'a>>,
    messages: Messages,
    inputs: Vec<Layer>,
    rows: Vec<Rows>,
    check_sums: bool,
}

impl<'a> Group<'a> {
    /// A group whose documents go to a piece of `spool`. Nothing else may be written to `spool` meanwhile.
    pub(super) fn new(spool: &Spool<'a>, check_sums: bool) -> Self {
        Group {
            spooling: spool.spooling(),
            // Chunks of heaps are larger than any buffer and bypass it.
            spool: BufWriter::new(spool.piece()),
            messages: Messages::new(),
            inputs: Vec::new(),
            rows: Vec::new(),
            check_sums,
        }
    }

    /// Whether a heap is unfinished, so that another file may continue it.
    pub(super) fn is_open(&self) -> bool {
        self.messages.is_open()
    }

    fn begin(&mut self) {
        if !self.inputs.is_empty() {
            self.messages.next_input();
        }
    }

    /// Reads a file of messages.
    pub(super) fn read_messages(&mut self, mut layer: Layer) -> Result<()> {
        self.begin();
        let input = self.spooling.guard(&layer.input);
        let read = self.messages.read_file(&input, &mut self.spool);
        read.map_err(|e| fail(&layer.path, e))?;
        layer.log.merge(self.messages.take_log());
        self.rows.push(Rows::default());
        self.inputs.push(layer);
        Ok(())
    }

    /// Reads an `.htrace` container.
    pub(super) fn read_htrace(&mut self, mut layer: Layer) -> Result<()> {
        self.begin();
        let file = &layer.input;
        let input = &self.spooling.guard(file);
        let (contents, sums) = thread::scope(|scope| {
            // The messages are read on one thread; checksums are computed on another.
            let check = self.check_sums;
            let add_up = move || match check {
                true => declared_sums(file, input),
                false => Ok(HashMap::new()),
            };
            let sums = thread::Builder::new().spawn_scoped(scope, add_up);
            let contents = htrace::read(input, &mut self.messages, &mut self.spool);
            let sums = match sums {
                Ok(sums) => sums.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => add_up(),
            };
            (contents, sums)
        });
        let contents = contents.map_err(|e| fail(&layer.path, e))?;
        let sums = sums.map_err(|e| fail(&layer.path, e))?;
        layer.log.merge(contents.log);
        let mut rows = Rows { htrace: true, ..Rows::default() };
        for section in &contents.sections {
            let theirs = section.header.sha256;
            let sum = match sums.get(&(section.offset, section.end)) {
                Some(sum) => *sum,
                None if !self.check_sums || theirs == [0; 32] => [0; 32],
                None => sum(input, section).map_err(|e| fail(&layer.path, e))?,
            };
            if self.check_sums && theirs != [0; 32] && sum != theirs {
                layer.log.add(Code::SectionSum, section.offset, || {
                    "the SHA-256 in the header is another one than that of the section".into()
                });
            }
            rows.sums.push(sum);
        }
        rows.sections = contents.sections;
        rows.plugins = contents.plugins;
        rows.configs = contents.configs;
        self.rows.push(rows);
        self.inputs.push(layer);
        Ok(())
    }

    /// Ends reading and returns the documents of a known format and their containers. `known` is the number of
    /// documents before them.
    pub(super) fn finish(mut self, known: usize) -> Result<(Vec<Opened>, Vec<Container>)> {
        let first = self.inputs[0].path.clone();
        let contents = std::mem::take(&mut self.messages).finish(&mut self.spool);
        let contents = contents.map_err(|e| fail(&first, e))?;
        let fail = |source| {
            let path = first.clone();
            Error::new(ErrorKind::Input { path, doing: "spool", source })
        };
        let piece = self.spool.into_inner().map_err(|e| fail(e.into_error()))?;
        let spool = piece.finish().map_err(fail)?;
        let (mut documents, mut places, mut counts) =
            (Vec::new(), Vec::new(), vec![0; self.inputs.len()]);
        for document in contents.documents {
            let devtools::Document { source, place, name, start, end, to_boottime, log, .. } =
                document;
            let layer = &mut self.inputs[source];
            let input = match place {
                DocumentRange::Spool(place) => spool.slice(place.start.0, place.end - place.start),
                DocumentRange::Input(place) => {
                    layer.input.slice(place.start.0, place.end - place.start)
                }
            };
            let times = Times { start, end, to_boottime };
            let path = layer.path.clone();
            let opened = Opened { path, name, input, log, times, is_part: true };
            if sniff::format(&opened)?.is_some() {
                places.push(Some(known + documents.len()));
                counts[source] += 1;
                documents.push(opened);
                continue;
            }
            places.push(None);
            let head = opened.input.head(40).unwrap_or_default();
            layer.log.merge(opened.log);
            layer.log.add(Code::UnknownDocument, None, || {
                format!(
                    "{}, {} bytes, is of no format that heapquarry knows: {:?}",
                    opened.name,
                    opened.input.size(),
                    String::from_utf8_lossy(&head)
                )
            });
        }
        if let Some(rows) = self.rows.first_mut() {
            rows.heaps = contents.heaps.iter().map(|&heap| places[heap]).collect();
            rows.stats = contents.stats;
            rows.last_seen = contents.last_seen;
        }
        let containers = self.inputs.into_iter().zip(self.rows).zip(counts);
        let containers = containers.map(|((layer, rows), documents)| {
            let Layer { path, name, input, mut log } = layer;
            if rows.has_nothing() {
                log.add(Code::NothingToRead, None, || {
                    let others = rows.others();
                    format!(
                        "no data of the ArkTS engine, only {others}; record with the arkts-plugin to have heaps and profiles"
                    )
                });
            }
            let format = if rows.htrace { "htrace" } else { "devtools" };
            Container { path, name, input, format, documents, log, rows: Some(rows) }
        });
        Ok((documents, containers.collect()))
    }
}

fn fail(path: &Path, source: heapquarry_formats::Error) -> Error {
    Error::new(ErrorKind::Format { path: path.into(), source })
}

/// Checksums of sections by start and end, as their headers declare them.
type Sums = HashMap<(ByteOffset, ByteOffset), [u8; 32]>;

fn declared_sums(file: &FileInput, input: &dyn Input) -> heapquarry_formats::Result<Sums> {
    let (mut sums, mut offset) = (HashMap::new(), ByteOffset::START);
    let head = |offset: ByteOffset| file.from(offset.0).head(HEADER).unwrap_or_default();
    while let Some(header) = Header::parse(&head(offset)) {
        let end = offset.saturating_add(header.length);
        if header.length <= HEADER as u64 || end > input.end() {
            break;
        }
        if header.sha256 != [0; 32] {
            sums.insert((offset, end), htrace::sha256(input, offset + HEADER as u64..end)?);
        }
        offset = end;
    }
    Ok(sums)
}

fn sum(input: &dyn Input, section: &Section) -> heapquarry_formats::Result<[u8; 32]> {
    let start = (section.offset + HEADER as u64).min(section.end);
    htrace::sha256(input, start..section.end)
}
