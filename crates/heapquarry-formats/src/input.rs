use crate::{ByteOffset, Code, Error, Log, Result};
use heapquarry_scan::BYTE_ORDER_MARK;
use std::{io, ops::Deref};

/// Bytes that can be read at a position, from any thread: a file, memory, an object store.
pub trait Input: Send + Sync {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// Reads some bytes at `offset`; 0 only at the end or beyond it.
    ///
    /// A message of the operating system; it becomes part of the error.
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

/// Bytes read from an input. Unlike a `Vec` it tracks how much of its memory is initialised, and does not initialise it
/// again before each read. It can also hold bytes that were read ahead.
#[derive(Debug, Default)]
pub struct Buffer {
    /// All bytes ever read, and initialised space.
    memory: Vec<u8>,
    /// Position of the first byte in `memory`.
    start: usize,
    len: usize,
    ahead: Ahead,
}

/// Bytes read ahead, at the start of a buffer's memory.
#[derive(Debug, Default)]
struct Ahead {
    /// Their offset in the input.
    offset: ByteOffset,
    len: usize,
    /// A note for each full window.
    notes: Vec<u32>,
    /// Size of a window in bytes.
    window: usize,
}

impl Buffer {
    /// Capacity of its memory in bytes.
    pub fn capacity(&self) -> usize {
        self.memory.capacity()
    }

    /// Empties it, including bytes read ahead, which may be of another input.
    pub fn clear(&mut self) {
        (self.start, self.len, self.ahead.len) = (0, 0, 0);
    }

    /// Empties it, to be filled from this offset on.
    pub(crate) fn clear_for(&mut self, offset: ByteOffset) {
        let ahead = &self.ahead;
        match offset.checked_sub(ahead.offset).filter(|&skip| skip < ahead.len as u64) {
            Some(skip) => (self.start, self.len) = (skip as usize, 0),
            None => self.clear(),
        }
    }

    /// Reads `len` bytes at `offset` ahead; fewer at the end of the input or if it cannot be read. Later reads up to
    /// the next [`Buffer::clear`] use these bytes. `note` returns a number for each window, which [`Buffer::note`]
    /// returns.
    pub(crate) fn read_ahead(
        &mut self,
        input: &dyn Input,
        offset: ByteOffset,
        len: usize,
        window: usize,
        note: impl Fn(&[u8]) -> u32,
    ) {
        self.clear();
        self.ahead.notes.clear();
        self.ahead.window = window;
        for end in (window..=len.next_multiple_of(window)).step_by(window) {
            while self.len < end {
                let (at, missing) = (offset + self.len as u64, end - self.len);
                if !append(input, self, at, missing).is_ok_and(|read| read > 0) {
                    break;
                }
            }
            if self.len < end {
                break;
            }
            self.ahead.notes.push(note(&self.memory[end - window..end]));
        }
        (self.ahead.offset, self.ahead.len) = (offset, self.len);
        self.len = 0;
    }

    /// The note for the next bytes, if they are a full window that was read ahead.
    pub(crate) fn note(&self) -> Option<u32> {
        let (at, Ahead { len, notes, window, .. }) = (self.start + self.len, &self.ahead);
        let whole = at < *len && at.is_multiple_of(*window);
        whole.then(|| notes.get(at / window).copied()).flatten()
    }

    /// Number of the next bytes that have been read ahead, up to the end of their window.
    fn next(&self, offset: ByteOffset) -> Option<usize> {
        let at = self.start + self.len;
        let is_next = at < self.ahead.len && self.ahead.offset + at as u64 == offset;
        let window = self.ahead.window;
        is_next.then(|| (self.ahead.len - at).min(window - at % window))
    }

    /// Removes this many bytes from the front.
    pub(crate) fn shift(&mut self, bytes: usize) {
        let (start, end) = (self.start + bytes, self.start + self.len);
        self.memory.copy_within(start..end, 0);
        self.clear();
        self.len = end - start;
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }
}

/// Appends up to `window` bytes at `offset` to `buf`. Returns their number: 0 only at the end. Bytes read ahead are
/// appended as they are, whatever the window.
pub(crate) fn append(
    input: &dyn Input,
    buf: &mut Buffer,
    offset: ByteOffset,
    window: usize,
) -> Result<usize> {
    if let Some(read) = buf.next(offset) {
        buf.len += read;
        return Ok(read);
    }
    let old = buf.start + buf.len;
    if buf.memory.len() < old + window {
        buf.memory.resize(old + window, 0);
    }
    let read = loop {
        match input.read_at(&mut buf.memory[old..old + window], offset.0) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other.map_err(|e| Error::io(offset, e))?,
        }
    };
    buf.len += read;
    Ok(read)
}

/// Up to `len` bytes at `offset`, fewer only at the end.
pub(crate) fn bytes_at(input: &dyn Input, offset: ByteOffset, len: usize) -> Result<Vec<u8>> {
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

/// Offset of the text of a document: after its byte order mark, which is logged.
pub(crate) fn start(input: &dyn Input, log: &mut Log) -> Result<ByteOffset> {
    if bytes_at(input, ByteOffset::START, BYTE_ORDER_MARK.len())? != BYTE_ORDER_MARK {
        return Ok(ByteOffset::START);
    }
    log.add(Code::ByteOrderMark, ByteOffset::START, || "a UTF-8 byte order mark".into());
    Ok(ByteOffset(BYTE_ORDER_MARK.len() as u64))
}

/// The first bytes of a document without its byte order mark.
pub fn without_mark(head: &[u8]) -> &[u8] {
    head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head)
}
