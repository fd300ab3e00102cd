//! Files, and ranges of files, that are read at a position.

use heapquarry_formats::{Code, Input, Log};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::SystemTime,
};

/// An open file.
pub(crate) struct OpenFile {
    file: File,
    /// Size and time when it was opened; `None` for a temporary file, which nobody else can change.
    opened: Option<Stamp>,
    /// Whether a read found fewer bytes than the size promised.
    is_short: AtomicBool,
}

/// What tells whether a file has changed.
#[derive(Clone, Copy, PartialEq)]
struct Stamp {
    len: u64,
    /// `None` if the file system does not record it.
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Stamp { len: metadata.len(), modified: metadata.modified().ok() })
    }
}

impl OpenFile {
    /// A file that nobody else can change.
    pub(crate) fn temporary(file: File) -> Self {
        OpenFile { file, opened: None, is_short: AtomicBool::new(false) }
    }

    /// Writes all bytes at the position.
    pub(crate) fn write_all_at(&self, data: &[u8], at: u64) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::write_all_at(&self.file, data, at);
        #[cfg(windows)]
        {
            let mut written = 0;
            while written < data.len() {
                let (rest, at) = (&data[written..], at + written as u64);
                written += std::os::windows::fs::FileExt::seek_write(&self.file, rest, at)?;
            }
            Ok(())
        }
    }

    /// Reads at least one byte of those that existed when the file was opened.
    pub(crate) fn read_at(&self, buf: &mut [u8], at: u64) -> io::Result<usize> {
        let read = loop {
            #[cfg(unix)]
            let read = std::os::unix::fs::FileExt::read_at(&self.file, buf, at);
            #[cfg(windows)]
            let read = std::os::windows::fs::FileExt::seek_read(&self.file, buf, at);
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        if read == 0 {
            if self.opened.is_none() {
                // The file was truncated after it was opened.
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.is_short.store(true, Ordering::Relaxed);
        }
        Ok(read)
    }

    /// Describes how the file changed since it was opened; `None` if it did not.
    fn change(&self) -> Option<String> {
        let opened = self.opened?;
        match Stamp::of(&self.file) {
            Ok(now) if now.len != opened.len => {
                Some(format!("it had {} bytes first, and {} in the end", opened.len, now.len))
            }
            Ok(now) if now != opened => Some("it was written to".into()),
            _ if self.is_short.load(Ordering::Relaxed) => Some("its end was missing".into()),
            _ => None,
        }
    }
}

/// What a [`FileInput`] is a range of.
#[derive(Clone)]
enum Whole {
    File(Arc<OpenFile>),
    Other(Arc<dyn Input>),
}

/// A range of an input, or all of it. Clones share the input.
#[derive(Clone)]
pub struct FileInput {
    whole: Whole,
    start: u64,
    len: u64,
}

impl FileInput {
    /// All of a file, with the size it has now.
    pub fn open(file: File) -> io::Result<Self> {
        let stamp = Stamp::of(&file)?;
        let file = OpenFile { file, opened: Some(stamp), is_short: AtomicBool::new(false) };
        Ok(FileInput::part(Arc::new(file), 0, stamp.len))
    }

    /// All of an input.
    pub fn of(whole: Arc<dyn Input>) -> Self {
        let len = whole.size();
        FileInput { whole: Whole::Other(whole), start: 0, len }
    }

    /// A part of a file.
    pub(crate) fn part(file: Arc<OpenFile>, start: u64, len: u64) -> Self {
        FileInput { whole: Whole::File(file), start, len }
    }

    /// Whether the file has at least one byte, whatever size the system reports.
    pub(crate) fn begins(&self) -> bool {
        matches!(&self.whole, Whole::File(file) if (&file.file).read(&mut [0]).is_ok_and(|n| n > 0))
    }

    /// Logs that the file changed since it was opened: the bytes that were read may not fit together.
    pub fn log_change(&self, log: &mut Log) {
        if let Whole::File(file) = &self.whole
            && let Some(change) = file.change()
        {
            log.add(Code::InputChanged, None, || {
                format!("the file was changed while it was read: {change}")
            });
        }
    }

    /// `len` bytes from `start`, fewer at the end of the input.
    pub(crate) fn slice(&self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        let len = len.min(self.len - start);
        FileInput { whole: self.whole.clone(), start: self.start + start, len }
    }

    /// From `start` to the end.
    pub(crate) fn from(&self, start: u64) -> Self {
        self.slice(start, u64::MAX)
    }

    /// The first `len` bytes, fewer only if the input is shorter.
    pub fn head(&self, len: usize) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.reader().take(len as u64).read_to_end(&mut head)?;
        Ok(head)
    }

    /// Reads from the beginning.
    pub(crate) fn reader(&self) -> Reader<Self> {
        Reader::new(self.clone())
    }
}

impl Input for FileInput {
    fn size(&self) -> u64 {
        self.len
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.len.saturating_sub(offset);
        let room = usize::try_from(rest).map_or(buf.len(), |rest| rest.min(buf.len()));
        if room == 0 {
            return Ok(0);
        }
        let (buf, at) = (&mut buf[..room], self.start.saturating_add(offset));
        match &self.whole {
            Whole::File(file) => file.read_at(buf, at),
            Whole::Other(input) => input.read_at(buf, at),
        }
    }
}

/// Reads sequentially.
pub(crate) struct Reader<I> {
    input: I,
    at: u64,
}

impl<I> Reader<I> {
    /// From the beginning.
    pub(crate) fn new(input: I) -> Self {
        Reader { input, at: 0 }
    }
}

impl<I: Input> Read for Reader<I> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read_at(buf, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<I: Input> Seek for Reader<I> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.input.size().checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// XXH3-128 of the length and of the bytes of `fingerprint_ranges`, of all bytes if there are none. Cheap; tells
/// files apart, but does not prove integrity.
pub fn fingerprint(input: &dyn Input) -> io::Result<String> {
    let len = input.size();
    let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
    hash.update(&len.to_le_bytes());
    let mut block = vec![0; BLOCK as usize];
    let mut update = |Range { start, end }: Range<u64>| {
        let mut at = start;
        while at < end {
            let room = (end - at).min(BLOCK) as usize;
            match input.read_at(&mut block[..room], at)? {
                0 => break,
                n => {
                    hash.update(&block[..n]);
                    at += n as u64;
                }
            }
        }
        io::Result::Ok(())
    };
    if len <= BLOCK * BLOCKS {
        update(0..len)?;
    }
    fingerprint_ranges(len).try_for_each(update)?;
    Ok(format!("xxh3:{:032x}", hash.digest128()))
}

/// Size and number of the blocks of a fingerprint.
const BLOCK: u64 = 64 << 10;
const BLOCKS: u64 = 64;

/// 64 blocks of 64 KiB that are spread evenly over an input of that length, the first and the last included; none if it
/// is not longer than that.
pub(crate) fn fingerprint_ranges(len: u64) -> impl Iterator<Item = Range<u64>> {
    let count = if len > BLOCK * BLOCKS { BLOCKS } else { 0 };
    (0..count).map(move |i| {
        // In 128 bits, since a length times a block number may exceed 64.
        let from = (u128::from(len - BLOCK) * u128::from(i) / u128::from(BLOCKS - 1)) as u64;
        from..from + BLOCK
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_part_has_its_own_positions_and_end() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let whole = FileInput::open(file).unwrap();
        for (part, expected) in [
            (whole.slice(2, 3), "234"),
            (whole.slice(2, 3).slice(1, 9), "34"),
            (whole.from(8), "89"),
            (whole.from(11), ""),
        ] {
            let mut text = String::new();
            part.reader().read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), part.size()), (expected, expected.len() as u64));
            let mut byte = [0];
            let last = part.size().saturating_sub(1);
            part.read_at(&mut byte, last).unwrap();
            assert_eq!(expected.as_bytes().last().copied().unwrap_or(0), byte[0]);
            assert_eq!(part.read_at(&mut byte, part.size()).unwrap(), 0);
        }
        let mut reader = whole.reader();
        assert_eq!(reader.seek(SeekFrom::End(-3)).unwrap(), 7);
        assert!(reader.seek(SeekFrom::Current(-8)).is_err());
    }

    #[test]
    fn a_file_that_changes_is_noticed() {
        let change = |act: &dyn Fn(&mut File, &FileInput)| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"0123456789").unwrap();
            let input = FileInput::open(file.try_clone().unwrap()).unwrap();
            act(&mut file, &input);
            let mut log = Log::default();
            input.log_change(&mut log);
            log.into_entries().pop().map(|entry| entry.message)
        };
        let read = |input: &FileInput| input.head(10).unwrap().len();
        assert_eq!(change(&|_, input| assert_eq!(read(input), 10)), None);
        let shrunk = change(&|file, input| {
            file.set_len(5).unwrap();
            assert_eq!(read(input), 5);
        });
        assert!(shrunk.unwrap().ends_with("it had 10 bytes first, and 5 in the end"));
        let grown = change(&|file, input| {
            file.write_all(b"more").unwrap();
            assert_eq!(read(input), 10);
        });
        assert!(grown.unwrap().ends_with("it had 10 bytes first, and 14 in the end"));
        let written = change(&|file, _| {
            let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
            file.set_modified(long_ago).unwrap();
        });
        assert!(written.unwrap().ends_with("it was written to"));
        // The end is missing only for a while.
        let healed = change(&|file, input| {
            let modified = file.metadata().unwrap().modified().unwrap();
            file.set_len(5).unwrap();
            read(input);
            file.set_len(10).unwrap();
            file.set_modified(modified).unwrap();
        });
        assert!(healed.unwrap().ends_with("its end was missing"));
    }

    #[test]
    fn fingerprints_differ_in_length_and_in_the_sampled_bytes() {
        let base = vec![7u8; 10 << 20];
        let print = |bytes: &Vec<u8>| fingerprint(bytes).unwrap();
        let mut seen = std::collections::HashSet::from([print(&base)]);
        for change in [0, 5, (10 << 20) - 1] {
            let mut other = base.clone();
            other[change] = 8;
            assert!(seen.insert(print(&other)), "byte {change}");
        }
        assert!(seen.insert(print(&base[1..].to_vec())));
        assert!(seen.insert(print(&b"abc".to_vec())) && seen.insert(print(&b"abd".to_vec())));
    }
}
