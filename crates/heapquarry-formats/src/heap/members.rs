//! The top-level members of a document, in any order.

use crate::{Buffer, ByteOffset, Input, Result, input};

/// Maximum length of a member's name. Names in snapshots are short.
const LONGEST_KEY: usize = 1 << 16;

/// The next member or end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// A member; `at` is the offset of its value.
    Value { name: String, key_at: ByteOffset, at: ByteOffset },
    /// The closing brace; the offset is after it.
    End { at: ByteOffset },
    /// The document ends without a closing brace.
    Cut,
    /// Something invalid at this offset.
    Malformed { at: ByteOffset, expected: &'static str },
}

/// A position between top-level members.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    pub(crate) at: ByteOffset,
    window: usize,
    started: bool,
}

impl Members {
    pub(crate) fn new(at: ByteOffset, window: usize) -> Self {
        Members { at, window, started: false }
    }

    /// The next member. The caller then sets [`Members::at`] to the end of its value.
    pub(crate) fn next(&mut self, input: &dyn Input) -> Result<Member> {
        let mut bytes = Bytes::new(input, self.at, self.window);
        if !self.started {
            match bytes.skip_blanks()? {
                None => return Ok(Member::Cut),
                Some(b'{') => bytes.bump(),
                Some(_) => {
                    return Ok(Member::Malformed { at: bytes.at(), expected: "`{`" });
                }
            }
            self.started = true;
        }
        let key_at = loop {
            match bytes.skip_blanks()? {
                None => return Ok(Member::Cut),
                // Producers differ in where they write commas. Only the keys count.
                Some(b',') => bytes.bump(),
                Some(b'}') => return Ok(Member::End { at: bytes.at() + 1 }),
                Some(b'"') => break bytes.at(),
                Some(_) => {
                    let expected = "`,`, `}` or the name of a section";
                    return Ok(Member::Malformed { at: bytes.at(), expected });
                }
            }
        };
        let Some(raw) = bytes.string()? else {
            return Ok(if bytes.ended() {
                Member::Cut
            } else {
                Member::Malformed { at: key_at, expected: "the name of a section" }
            });
        };
        let mut name = Vec::new();
        heapquarry_scan::unescape(&raw, &mut name);
        let name = String::from_utf8_lossy(&name).into_owned();
        match bytes.skip_blanks()? {
            None => return Ok(Member::Cut),
            Some(b':') => bytes.bump(),
            Some(_) => return Ok(Member::Malformed { at: bytes.at(), expected: "`:`" }),
        }
        match bytes.skip_blanks()? {
            None => Ok(Member::Cut),
            Some(b',' | b'}' | b']' | b':') => {
                Ok(Member::Malformed { at: bytes.at(), expected: "a value" })
            }
            Some(_) => {
                self.at = bytes.at();
                Ok(Member::Value { name, key_at, at: self.at })
            }
        }
    }
}

/// The first non-blank byte at or after `at`, and its offset.
pub(crate) fn peek(
    input: &dyn Input,
    at: ByteOffset,
    window: usize,
) -> Result<Option<(u8, ByteOffset)>> {
    let mut bytes = Bytes::new(input, at, window);
    Ok(bytes.skip_blanks()?.map(|b| (b, bytes.at())))
}

/// A forward reader over small windows.
struct Bytes<'a> {
    input: &'a dyn Input,
    buf: Buffer,
    base: ByteOffset,
    pos: usize,
    window: usize,
}

impl<'a> Bytes<'a> {
    fn new(input: &'a dyn Input, base: ByteOffset, window: usize) -> Self {
        // Members are close together, so a small window suffices.
        Bytes { input, buf: Buffer::default(), base, pos: 0, window: window.min(4096) }
    }

    fn at(&self) -> ByteOffset {
        self.base + self.pos as u64
    }

    fn bump(&mut self) {
        self.pos += 1;
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        if self.pos == self.buf.len() {
            self.base += self.pos as u64;
            self.buf.clear();
            self.pos = 0;
            input::append(self.input, &mut self.buf, self.base, self.window)?;
        }
        Ok(self.buf.get(self.pos).copied())
    }

    fn ended(&mut self) -> bool {
        matches!(self.peek(), Ok(None))
    }

    fn skip_blanks(&mut self) -> Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.bump(),
                other => return Ok(other),
            }
        }
    }

    /// The string at the position, without its quotes; `None` if it is too long or not closed.
    fn string(&mut self) -> Result<Option<Vec<u8>>> {
        let mut raw = Vec::new();
        let mut escaped = false;
        self.bump();
        while let Some(b) = self.peek()? {
            if raw.len() > LONGEST_KEY {
                return Ok(None);
            }
            self.bump();
            match b {
                b'"' if !escaped => return Ok(Some(raw)),
                _ => escaped = b == b'\\' && !escaped,
            }
            raw.push(b);
        }
        Ok(None)
    }
}
