use crate::{Error, Result};
use std::io;

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

/// Appends up to `window` bytes at `offset` to `buf`; the number read, 0 only at the end.
pub(crate) fn append(
    input: &dyn Input,
    buf: &mut Vec<u8>,
    offset: u64,
    window: usize,
) -> Result<usize> {
    let old = buf.len();
    buf.resize(old + window, 0);
    let read = loop {
        match input.read_at(&mut buf[old..], offset) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    buf.truncate(old + *read.as_ref().unwrap_or(&0));
    read.map_err(|e| Error::io(offset, e))
}

/// Up to `len` bytes at `offset`, fewer only at the end.
pub(crate) fn bytes_at(input: &dyn Input, offset: u64, len: usize) -> Result<Vec<u8>> {
    let mut buf = Vec::new();
    while buf.len() < len {
        let (at, window) = (offset + buf.len() as u64, len - buf.len());
        if append(input, &mut buf, at, window)? == 0 {
            break;
        }
    }
    Ok(buf)
}
