use crate::{Error, Result};
use std::{io, ops::Deref};

/// Bytes that can be read at a position, from any thread: a file, memory, an object store.
pub trait Input: Send + Sync {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// Reads some bytes at `offset`; 0 only at the end or beyond it.
    ///
    /// # Errors
    /// Whatever the operating system says.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl<T: AsRef<[u8]> + Send + Sync> Input for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.as_ref();
        let from = usize::try_from(offset).map_or(bytes.len(), |o| o.min(bytes.len()));
        let n = buf.len().min(bytes.len() - from);
        buf[..n].copy_from_slice(&bytes[from..from + n]);
        Ok(n)
    }
}

/// Bytes read from an input. Unlike a `Vec` it remembers how much of its memory has been filled before, and does
/// not fill it again before each read.
#[derive(Debug, Default)]
pub struct Buffer {
    /// Everything that has ever been read, or room for it.
    memory: Vec<u8>,
    len: usize,
}

impl Buffer {
    /// Bytes of memory that it takes.
    pub fn capacity(&self) -> usize {
        self.memory.capacity()
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes that many bytes from the front.
    pub(crate) fn shift(&mut self, bytes: usize) {
        self.memory.copy_within(bytes..self.len, 0);
        self.len -= bytes;
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

/// Appends up to `window` bytes at `offset` to `buf`; the number read, 0 only at the end.
pub(crate) fn append(
    input: &dyn Input,
    buf: &mut Buffer,
    offset: u64,
    window: usize,
) -> Result<usize> {
    let old = buf.len;
    if buf.memory.len() < old + window {
        buf.memory.resize(old + window, 0);
    }
    let read = loop {
        match input.read_at(&mut buf.memory[old..old + window], offset) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other.map_err(|e| Error::io(offset, e))?,
        }
    };
    buf.len += read;
    Ok(read)
}

/// Up to `len` bytes at `offset`, fewer only at the end.
pub(crate) fn bytes_at(input: &dyn Input, offset: u64, len: usize) -> Result<Vec<u8>> {
    let mut buf = Buffer::default();
    while buf.len() < len {
        let (at, window) = (offset + buf.len() as u64, len - buf.len());
        if append(input, &mut buf, at, window)? == 0 {
            break;
        }
    }
    buf.memory.truncate(buf.len);
    Ok(buf.memory)
}
