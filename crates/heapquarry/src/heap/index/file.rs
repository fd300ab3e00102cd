//! One file of lists. A format of its own: Arrow's files hold all columns of a batch in memory when they are written
//! and when they are read, and have no checksums; Parquet decodes longer than the analysis takes.
//!
//! [`MAGIC`]; the lists one after the other, each at a multiple of [`ALIGNMENT`], numbers in the order of bytes of this
//! machine, so that a mapped file is the lists; the directory, in JSON; its length, its XXH3 and [`MAGIC`] again. The
//! directory has the XXH3 of each list.

use crate::RunOptions;
use bytes::Bytes;
use heapquarry_formats::Input;
use heapquarry_graph::{Column, List, ListSink, Lists, Number};
use heapquarry_input::FileInput;
use heapquarry_sink::careful;
use heapquarry_tables::fallible;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    any::Any,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub(super) const MAGIC: [u8; 8] = *b"HQINDEX\n";
/// Length and checksum of the directory, and [`MAGIC`].
const TAIL: usize = 24;
/// Bytes that are read or written at a time.
const PIECE: usize = 256 << 10;
/// That of the widest numbers.
const ALIGNMENT: usize = 8;
/// Lists of up to so many bytes are always checked: it takes no time.
const SHORT: usize = 1 << 20;

/// Why a file is not used.
#[derive(Debug)]
pub(super) enum Fault {
    /// It is not what was written.
    Damaged(String),
    /// It cannot be read.
    Io(io::Error),
    /// The work was cancelled.
    Cancelled,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Io(error)
    }
}

fn damaged<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Damaged(what.into()))
}

#[derive(Serialize, Deserialize)]
struct Directory<A> {
    /// Whether numbers have their lowest byte first.
    is_little_endian: bool,
    /// What the lists are of.
    about: A,
    lists: Vec<Entry>,
}

/// Where a list is.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    name: String,
    /// Bytes of a number.
    width: u8,
    /// Numbers.
    count: u64,
    /// Of the numbers and what is between them and the next list.
    xxh3: u64,
}

impl Entry {
    /// Its size in bytes; `None` if no file has as many.
    fn bytes(&self) -> Option<u64> {
        self.count.checked_mul(self.width.into())
    }

    /// Its numbers, which these bytes are.
    fn numbers(&self, bytes: Bytes) -> Result<List, Fault> {
        let list = match self.width {
            1 => Column::from_bytes(bytes).map(List::Bytes),
            2 => Column::from_bytes(bytes).map(List::Shorts),
            4 => Column::from_bytes(bytes).map(List::Words),
            _ => Column::from_bytes(bytes).map(List::Longs),
        };
        list.map_or_else(|| damaged(format!("its list {} lies between", self.name)), Ok)
    }

    fn damaged<T>(&self) -> Result<T, Fault> {
        damaged(format!("the checksum of its list {} is wrong", self.name))
    }

    /// Where the next list begins if this one begins there.
    fn end(&self, at: u64) -> Option<u64> {
        let bytes = self.bytes().filter(|_| matches!(self.width, 1 | 2 | 4 | 8))?;
        at.checked_add(bytes)?.checked_next_multiple_of(ALIGNMENT as u64)
    }
}

/// Writes lists, and the directory last.
pub(super) struct Writer {
    file: File,
    piece: Vec<u8>,
    lists: Vec<Entry>,
    run: RunOptions,
}

impl Writer {
    /// A new file for its owner alone.
    pub(super) fn create(path: &Path, run: &RunOptions) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = careful(options.write(true).create_new(true)).open(path)?;
        file.write_all(&MAGIC)?;
        let piece = Vec::with_capacity(PIECE);
        Ok(Writer { file, piece, lists: Vec::new(), run: run.clone() })
    }

    /// Writes the directory.
    pub(super) fn finish<A: Serialize>(mut self, about: A) -> io::Result<()> {
        let mut tail = {
            let is_little_endian = cfg!(target_endian = "little");
            serde_json::to_vec(&Directory { is_little_endian, about, lists: self.lists })?
        };
        let (len, xxh3) = (tail.len() as u64, xxh3_64(&tail));
        tail.extend(len.to_le_bytes());
        tail.extend(xxh3.to_le_bytes());
        tail.extend(MAGIC);
        self.file.write_all(&tail)
    }

    /// Writes the piece.
    fn flush(&mut self, hash: &mut Xxh3) -> io::Result<()> {
        if self.run.cancel.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        hash.update(&self.piece);
        self.file.write_all(&self.piece)?;
        self.piece.clear();
        Ok(())
    }

    /// Writes the last piece of a list of numbers of so many bytes.
    fn end(&mut self, name: &str, width: usize, count: u64, mut hash: Xxh3) -> io::Result<()> {
        self.flush(&mut hash)?;
        let bytes = count as usize * width;
        let padding = &[0; ALIGNMENT][..bytes.next_multiple_of(ALIGNMENT) - bytes];
        hash.update(padding);
        self.file.write_all(padding)?;
        let (name, width) = (name.into(), width as u8);
        self.lists.push(Entry { name, width, count, xxh3: hash.digest() });
        Ok(())
    }
}

impl ListSink for Writer {
    type Error = io::Error;

    fn list<N: Number>(
        &mut self,
        name: &'static str,
        values: impl Iterator<Item = N>,
    ) -> io::Result<()> {
        let (mut count, mut hash) = (0, Xxh3::new());
        for value in values {
            self.piece.extend_from_slice(value.bytes().as_ref());
            count += 1;
            if self.piece.len() + size_of::<N>() > PIECE {
                self.flush(&mut hash)?;
            }
        }
        self.end(name, size_of::<N>(), count, hash)
    }
}

/// An open file of lists, of which nothing but the directory was read.
pub(super) struct Reader<A> {
    pub(super) about: A,
    file: File,
    input: FileInput,
    /// With the offset in the file.
    lists: Vec<(Entry, u64)>,
}

impl<A: DeserializeOwned + Sync> Reader<A> {
    /// Opens a plain file and reads its directory.
    pub(super) fn open(path: &Path) -> Result<Self, Fault> {
        let file = careful(OpenOptions::new().read(true)).open(path)?;
        if !file.metadata()?.is_file() {
            return damaged("it is no plain file");
        }
        let input = FileInput::open(file.try_clone()?)?;
        let size = input.size();
        let mut head = [0; MAGIC.len()];
        let mut tail = [0; TAIL];
        let Some(tail_at) = size.checked_sub(TAIL as u64) else { return damaged("it is cut") };
        read(&input, &mut head, 0)?;
        read(&input, &mut tail, tail_at)?;
        if head != MAGIC || tail[16..] != MAGIC {
            return damaged("it does not begin and end as one");
        }
        let number = |at: usize| u64::from_le_bytes(tail[at..at + 8].try_into().expect("8 bytes"));
        let (len, xxh3) = (number(0), number(8));
        let Some(directory_at) = tail_at.checked_sub(len) else { return damaged("it is cut") };
        let mut directory = zeroed(len)?;
        read(&input, &mut directory, directory_at)?;
        if xxh3_64(&directory) != xxh3 {
            return damaged("the checksum of its directory is wrong");
        }
        let Ok(directory) = serde_json::from_slice::<Directory<A>>(&directory) else {
            return damaged("another version wrote it");
        };
        if directory.is_little_endian != cfg!(target_endian = "little") {
            return damaged("a machine with another order of bytes wrote it");
        }
        let mut at = MAGIC.len() as u64;
        let mut lists = Vec::new();
        for list in directory.lists {
            let Some(end) = list.end(at).filter(|&end| end <= directory_at) else {
                return damaged("its lists are longer than it is");
            };
            lists.push((list, at));
            at = end;
        }
        match at == directory_at {
            true => Ok(Reader { about: directory.about, file, input, lists }),
            false => damaged("its lists are shorter than it is"),
        }
    }

    /// The lists in the mapped file, of which only the short ones are checked. `held` is dropped after the last.
    pub(super) fn mapped(&self, held: Box<dyn Any + Send>) -> Result<Lists, Fault> {
        let map = heapquarry_map::map(&self.file, held)?;
        let all = map.bytes();
        let list = |(list, at): &(Entry, u64)| {
            let place = list
                .end(*at)
                .and_then(|end| Some(usize::try_from(*at).ok()?..usize::try_from(end).ok()?));
            // The file was longer when its directory was read.
            let Some(place) = place.filter(|place| place.end <= all.len()) else {
                return damaged("it is cut");
            };
            let bytes = all.slice(place);
            if bytes.len() <= SHORT && xxh3_64(&bytes) != list.xxh3 {
                return list.damaged();
            }
            let numbers = bytes.slice(..list.bytes().unwrap_or(0) as usize);
            Ok((list.name.clone(), list.numbers(numbers)?))
        };
        let lists: Lists = self.lists.iter().map(list).collect::<Result<_, _>>()?;
        Ok(lists.mapped(move |most| map.release_beyond(most)))
    }

    /// Reads all lists, and checks them, on all threads.
    pub(super) fn check(&self, run: &RunOptions) -> Result<(), Fault> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut piece = vec![0; PIECE];
            while let Some((list, at)) = self.lists.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.check_list(list, *at, &mut piece, run)?;
            }
            Ok(())
        };
        run.on_threads(self.lists.len(), work).into_iter().collect()
    }

    fn check_list(
        &self,
        list: &Entry,
        mut at: u64,
        piece: &mut [u8],
        run: &RunOptions,
    ) -> Result<(), Fault> {
        let end = list.end(at).unwrap_or(u64::MAX);
        let mut hash = Xxh3::new();
        while at < end {
            if run.cancel.is_cancelled() {
                return Err(Fault::Cancelled);
            }
            let bytes = (end - at).min(PIECE as u64);
            let piece = &mut piece[..bytes as usize];
            read(&self.input, piece, at)?;
            hash.update(piece);
            at += bytes;
        }
        match hash.digest() == list.xxh3 {
            true => Ok(()),
            false => list.damaged(),
        }
    }
}

fn zeroed(len: u64) -> io::Result<Vec<u8>> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    fallible::reserve_exact(&mut bytes, len)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    bytes.resize(len, 0);
    Ok(bytes)
}

/// Fills the buffer.
fn read(input: &impl Input, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match input.read_at(buffer, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                buffer = &mut buffer[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}
