//! Files, and parts of files, that are read at positions.

use heapquarry_formats::Input;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

/// A part of an input, or all of it. Clones share the input.
#[derive(Clone)]
pub(crate) struct FileInput {
    whole: Arc<dyn Input>,
    start: u64,
    len: u64,
}

impl FileInput {
    /// The first `len` bytes.
    pub(super) fn new(file: File, len: u64) -> Self {
        FileInput { whole: Arc::new(DiskFile(file, len)), start: 0, len }
    }

    /// All of an input.
    pub(super) fn of(whole: Arc<dyn Input>) -> Self {
        let len = whole.size();
        FileInput { whole, start: 0, len }
    }

    /// `len` bytes from `start` on, as far as they are there.
    pub(super) fn slice(&self, start: u64, len: u64) -> Self {
        let start = start.min(self.len);
        let len = len.min(self.len - start);
        FileInput { whole: Arc::clone(&self.whole), start: self.start + start, len }
    }

    /// From `start` to the end.
    pub(super) fn from(&self, start: u64) -> Self {
        self.slice(start, u64::MAX)
    }

    /// The first bytes, at most `len`, fewer only if there are no more.
    pub(super) fn head(&self, len: usize) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        self.reader().take(len as u64).read_to_end(&mut head)?;
        Ok(head)
    }

    /// Reads from the beginning.
    pub(super) fn reader(&self) -> Reader<Self> {
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
        self.whole.read_at(&mut buf[..room], self.start.saturating_add(offset))
    }
}

/// A file on disk, and its length when it was opened.
struct DiskFile(File, u64);

impl Input for DiskFile {
    fn size(&self) -> u64 {
        self.1
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&self.0, buf, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&self.0, buf, offset);
    }
}

/// Reads one byte after the other.
pub(super) struct Reader<I> {
    input: I,
    at: u64,
}

impl<I> Reader<I> {
    /// From the beginning.
    pub(super) fn new(input: I) -> Self {
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

/// XXH3-128 of the length and of 64 blocks of 64 KiB spread evenly over the input, the first and the last among
/// them; of all bytes if there are no more than that. Tells files apart at no cost; it is no proof of integrity.
pub(crate) fn fingerprint(input: &dyn Input) -> io::Result<String> {
    const BLOCK: u64 = 64 << 10;
    const BLOCKS: u64 = 64;
    let len = input.size();
    let mut hash = xxhash_rust::xxh3::Xxh3Default::new();
    hash.update(&len.to_le_bytes());
    let mut block = vec![0; BLOCK as usize];
    let mut update = |from: u64, to: u64| {
        let mut at = from;
        while at < to {
            let room = (to - at).min(BLOCK) as usize;
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
        update(0, len)?;
    } else {
        for i in 0..BLOCKS {
            // In 128 bits, as a length times a block number may not fit 64.
            let from = (u128::from(len - BLOCK) * u128::from(i) / u128::from(BLOCKS - 1)) as u64;
            update(from, from + BLOCK)?;
        }
    }
    Ok(format!("xxh3:{:032x}", hash.digest128()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_part_has_its_own_positions_and_end() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let whole = FileInput::new(file, 10);
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
