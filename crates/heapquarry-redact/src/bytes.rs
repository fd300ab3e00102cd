//! The bytes of a document, window by window.

use crate::outcome::{Step, Stop};
use heapquarry_formats::Input;
use heapquarry_scan::{Work, is_blank, vectorized};

/// Bytes read at a time; few in tests, so that their documents have many windows and pieces.
const WINDOW: usize = if cfg!(test) { 1 << 14 } else { 1 << 20 };

/// A longer string is not read into memory.
const LONGEST: usize = 1 << 30;

/// A position in a document. What is before it was read.
pub(crate) struct Bytes<'a> {
    input: &'a dyn Input,
    buf: Vec<u8>,
    /// Offset of the buffer in the document.
    base: u64,
    pos: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(input: &'a dyn Input) -> Self {
        Bytes { input, buf: Vec::new(), base: 0, pos: 0 }
    }

    /// Offset of the position.
    pub(crate) fn at(&self) -> u64 {
        self.base + self.pos as u64
    }

    /// The error of something unexpected at the position.
    pub(crate) fn cut<T>(&self) -> Step<T> {
        Err(Stop::Cut(self.at()))
    }

    /// What is in the buffer from the position on.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buf[self.pos..]
    }

    /// Goes back to an offset in the document.
    pub(crate) fn seek(&mut self, at: u64) {
        self.buf.clear();
        (self.base, self.pos) = (at, 0);
    }

    /// Moves over bytes that are in the buffer.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.pos += bytes;
    }

    /// Reads more, and keeps what is after the position. `false` at the end of the document.
    pub(crate) fn fill(&mut self) -> Step<bool> {
        self.buf.drain(..self.pos);
        self.base += self.pos as u64;
        self.pos = 0;
        let len = self.buf.len();
        // Larger for long strings, so that these take linear time.
        let window = WINDOW.max(len);
        self.buf.resize(len + window, 0);
        let read = loop {
            match self.input.read_at(&mut self.buf[len..], self.base + len as u64) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let read = read.inspect_err(|_| self.buf.truncate(len))?;
        self.buf.truncate(len + read);
        Ok(read > 0)
    }

    /// The byte at the position; `None` at the end.
    pub(crate) fn peek(&mut self) -> Step<Option<u8>> {
        loop {
            if let Some(&byte) = self.buf.get(self.pos) {
                return Ok(Some(byte));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// So many bytes from the position on, or fewer at the end of the document.
    pub(crate) fn ahead(&mut self, bytes: usize) -> Step<&[u8]> {
        while self.rest().len() < bytes && self.fill()? {}
        let rest = self.rest();
        Ok(&rest[..bytes.min(rest.len())])
    }

    /// The next byte that is not blank; blanks before it are copied.
    pub(crate) fn next(&mut self, out: &mut Vec<u8>) -> Step<u8> {
        loop {
            match self.peek()? {
                Some(byte) if is_blank(byte) => {
                    out.push(byte);
                    self.pos += 1;
                }
                Some(byte) => return Ok(byte),
                None => return self.cut(),
            }
        }
    }

    /// Passes the byte that was seen.
    pub(crate) fn copy(&mut self, out: &mut Vec<u8>) {
        out.push(self.buf[self.pos]);
        self.pos += 1;
    }

    /// The string at the position, with quotes, as it is written. The position is then after it.
    pub(crate) fn string(&mut self) -> Step<&[u8]> {
        let mut end = 1;
        loop {
            let found = self.rest().get(end..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest));
            match found {
                Some(at) if self.rest()[end + at] == b'"' => {
                    let start = self.pos;
                    self.pos += end + at + 1;
                    return Ok(&self.buf[start..self.pos]);
                }
                Some(at) => end += at + 2,
                None => {
                    end = end.max(self.rest().len());
                    if end > LONGEST || !self.fill()? {
                        return self.cut();
                    }
                }
            }
        }
    }

    /// Copies numbers of an array and the commas after them, as many as are in the buffer: most of a snapshot is that.
    /// `false` if there are none that can be copied so.
    pub(crate) fn numbers(&mut self, out: &mut Vec<u8>) -> bool {
        let rest = self.rest();
        let plain = vectorized(Plain(rest));
        let Some(last) = memchr::memrchr(b',', &rest[..plain]) else { return false };
        out.extend(&rest[..=last]);
        self.pos += last + 1;
        true
    }

    /// Copies a number, `true`, `false` or `null`.
    pub(crate) fn scalar(&mut self, out: &mut Vec<u8>) -> Step<()> {
        const LONGEST: usize = 64;
        let start = out.len();
        while let Some(byte) = self.peek()?.filter(|byte| is_scalar(*byte)) {
            if out.len() - start == LONGEST {
                break;
            }
            out.push(byte);
            self.pos += 1;
        }
        let is_number = |text: &[u8]| {
            let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            text.len() < LONGEST && text.iter().all(is_part) && text.iter().any(u8::is_ascii_digit)
        };
        let text = &out[start..];
        let is_known = matches!(text, b"true" | b"false" | b"null" | b"NaN" | b"Infinity");
        match is_known || is_number(text) {
            true => Ok(()),
            false => {
                out.truncate(start);
                self.cut()
            }
        }
    }
}

/// Bytes at the beginning that are numbers and commas, in whole chunks.
struct Plain<'b>(&'b [u8]);

impl Work for Plain<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        // 64 bytes without a comma are no number.
        const CHUNK: usize = 64;
        let is_plain = |chunk: &&[u8; CHUNK]| {
            let (mut all, mut has_comma) = (true, false);
            // Without branches, so that the compiler makes vectors of it.
            for &byte in *chunk {
                let is_part = matches!(byte, b'0'..=b'9' | b',' | b'-' | b'.') | is_blank(byte);
                all &= is_part;
                has_comma |= byte == b',';
            }
            all & has_comma
        };
        self.0.as_chunks().0.iter().take_while(is_plain).count() * CHUNK
    }
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)
}
