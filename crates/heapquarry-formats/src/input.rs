use crate::{
    ByteOffset, Code, Error, Log, Result,
    ahead::{self, Notes},
};
use heapquarry_scan::BYTE_ORDER_MARK;
use std::{io, ops::Deref};

/// Bytes that can be read at a position, from any thread: a file, memory, an object store.
pub trait Input: Send + Sync {
    /// Length in bytes.
    fn size(&self) -> u64;

    /// The offset behind its last byte.
    fn end(&self) -> ByteOffset {
        ByteOffset(self.size())
    }

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
    notes: Notes,
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
        match self.position_ahead(offset) {
            Some(position) => (self.start, self.len) = (position, 0),
            None => self.clear(),
        }
    }

    /// Reads bytes ahead; fewer than are wanted at the end of the input or if it cannot be read. Later reads up to the
    /// next [`Buffer::clear`] use these bytes. `look` gets each full window.
    pub(crate) fn read_ahead(&mut self, wanted: &ahead::Ahead<'_>, mut look: impl FnMut(&[u8])) {
        self.clear();
        let &ahead::Ahead { input, offset, len, window, .. } = wanted;
        while self.len < len {
            let from = self.len;
            let end = len.min(from + window);
            while self.len < end {
                let (at, missing) = (offset + self.len as u64, end - self.len);
                if !append(input, self, at, missing).is_ok_and(|read| read > 0) {
                    break;
                }
            }
            if self.len < from + window {
                break;
            }
            look(&self.memory[from..end]);
        }
        self.ahead = Ahead { offset, len: self.len, notes: Notes::None, window };
        self.len = 0;
    }

    /// The bytes that were read ahead.
    pub(crate) fn bytes_ahead(&self) -> &[u8] {
        &self.memory[..self.ahead.len]
    }

    /// Keeps what was found in the bytes that were read ahead.
    pub(crate) fn set_notes(&mut self, notes: Notes) {
        self.ahead.notes = notes;
    }

    /// Takes what was found in the bytes that were read ahead.
    pub(crate) fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.ahead.notes)
    }

    /// The position of an offset in the bytes that were read ahead.
    pub(crate) fn position_ahead(&self, offset: ByteOffset) -> Option<usize> {
        let position = offset.checked_sub(self.ahead.offset)?;
        (position < self.ahead.len as u64).then_some(position as usize)
    }

    /// Fills it with the first bytes that were read ahead. Returns their offset.
    pub(crate) fn fill_from_ahead(&mut self, len: usize) -> ByteOffset {
        (self.start, self.len) = (0, len.min(self.ahead.len));
        self.ahead.offset
    }

    /// The number of commas in the next bytes, if they are a full window that was read ahead.
    pub(crate) fn commas(&self) -> Option<u32> {
        let (at, Ahead { len, notes, window, .. }) = (self.start + self.len, &self.ahead);
        let Notes::Commas(commas) = notes else { return None };
        let whole = at < *len && at.is_multiple_of(*window);
        whole.then(|| commas.get(at / window).copied()).flatten()
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
pub fn append(
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
pub fn bytes_at(input: &dyn Input, offset: ByteOffset, len: usize) -> Result<Vec<u8>> {
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
