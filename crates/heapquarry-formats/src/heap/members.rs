//! Walks the top-level members of the document, whatever their order.

use crate::{Buffer, Input, Result, input};
use heapquarry_scan::{Skipped, Skipper};

/// Names of members are short; a longer one is no snapshot's.
const LONGEST_KEY: usize = 1 << 16;

/// What the walk meets next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// A member of that name; its value begins at that offset.
    Value { name: String, key_at: u64, at: u64 },
    /// The closing brace, before that offset.
    End { at: u64 },
    /// The document ends without one.
    Cut,
    /// Something at that offset that cannot stand there.
    Malformed { at: u64, expected: &'static str },
}

/// How a skipped value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueEnd {
    /// Before that offset.
    At(u64),
    /// It does not: the document ends within it.
    Cut,
}

/// A position between top-level members.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) at: u64,
    window: usize,
    started: bool,
}

impl Walk {
    pub(crate) fn new(at: u64, window: usize) -> Self {
        Walk { at, window, started: false }
    }

    /// The next member. The caller then sets [`Walk::at`] to the end of its value.
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
                // Writers differ in how careful they are with commas; the keys are what counts.
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

/// Finds the end of the value at `at`, reading it in windows.
pub(crate) fn skip_value(input: &dyn Input, at: u64, window: usize) -> Result<ValueEnd> {
    let mut skipper = Skipper::new();
    let (mut at, mut buf) = (at, Buffer::default());
    loop {
        buf.clear();
        let n = input::append(input, &mut buf, at, window)?;
        if n == 0 {
            return Ok(ValueEnd::Cut);
        }
        match skipper.feed(&buf) {
            Skipped::Done(n) => return Ok(ValueEnd::At(at + n as u64)),
            Skipped::More => at += n as u64,
        }
    }
}

/// The first byte at or after `at` that is no blank, and where.
pub(crate) fn peek(input: &dyn Input, at: u64, window: usize) -> Result<Option<(u8, u64)>> {
    let mut bytes = Bytes::new(input, at, window);
    Ok(bytes.skip_blanks()?.map(|b| (b, bytes.at())))
}

/// Looks for the string section from the end: the offset of its `[`, if it is certain that it is the last member.
pub(crate) fn strings_from_end(input: &dyn Input, window: usize) -> Result<Option<u64>> {
    // An unescaped `"strings":[` cannot stand inside a string, so this is a key; it is a key of the
    // document itself if the document ends with its value.
    let Some(open) = last_strings(input, window)? else { return Ok(None) };
    let ValueEnd::At(close) = skip_value(input, open, window)? else { return Ok(None) };
    let Some((b'}', brace)) = peek(input, close, 64)? else { return Ok(None) };
    Ok(peek(input, brace + 1, 64)?.is_none().then_some(open))
}

/// The offset of the `[` of the last member of that name, of whatever object: mostly the string section. In milliseconds,
/// as it does not read what is in it; whoever walks the document learns whether it is the right one.
pub(crate) fn last_strings(input: &dyn Input, window: usize) -> Result<Option<u64>> {
    const KEY: &[u8] = b"\"strings\"";
    let mut end = input.size();
    let colon = 'found: loop {
        let start = end.saturating_sub(window.max(2 * KEY.len()) as u64);
        let buf = input::bytes_at(input, start, (end - start) as usize)?;
        // Searching forwards is ten times faster, and there is seldom more than one.
        let found: Vec<usize> = memchr::memmem::find_iter(&buf, KEY).collect();
        for x in found.into_iter().rev() {
            // Not the end of a longer key.
            let escaped =
                start + x as u64 > 0 && input::bytes_at(input, start + x as u64 - 1, 1)? == b"\\";
            if escaped {
                continue;
            }
            // Programs have properties of that name: then it is a string like others, with no colon after it.
            if let Some((b':', colon)) = peek(input, start + (x + KEY.len()) as u64, 64)? {
                break 'found colon;
            }
        }
        if start == 0 {
            return Ok(None);
        }
        end = start + KEY.len() as u64 - 1;
    };
    let open = peek(input, colon + 1, 64)?.filter(|&(byte, _)| byte == b'[');
    Ok(open.map(|(_, open)| open))
}

/// A forward reader over small windows.
struct Bytes<'a> {
    input: &'a dyn Input,
    buf: Buffer,
    base: u64,
    pos: usize,
    window: usize,
}

impl<'a> Bytes<'a> {
    fn new(input: &'a dyn Input, base: u64, window: usize) -> Self {
        // Members lie close together; no need for a whole window.
        Bytes { input, buf: Buffer::default(), base, pos: 0, window: window.min(4096) }
    }

    fn at(&self) -> u64 {
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

    /// The string at the position, without its quotes; `None` if it has no end within reason.
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
