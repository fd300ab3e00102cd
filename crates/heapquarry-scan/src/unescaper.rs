//! Resolves the escapes of a string that arrives in pieces.
//!
//! # Algorithm
//!
//! In a document carried as a string, every quote and line break is an escape: one in 15 to 20
//! bytes. So each block of 64 bytes is copied as a whole, wherever its first backslash or quote is;
//! what was copied after that mark is then overwritten:
//!
//! ```text
//! bytes   { \ " a \ " : 5 , \ n
//! marks   0 1 1 0 1 1 0 0 0 1 0      backslashes and quotes
//! copied  {  -> then `"`, -> then a... from here again
//! ```
//!
//! Escapes of one letter are a table. All others, and the end of a piece, are read one byte at a
//! time.

use crate::{
    kernel::Kernel,
    simd::{Algorithm, BLOCK, Isa},
    unescape::{Unescaped, push},
};

/// Extracts the text of strings that arrive in pieces of any size, up to their closing quotes, as
/// [`unescape`](crate::unescape) does for a whole string.
///
/// One text can be cut into several strings, even between the two halves of a character beyond
/// U+FFFF that is written as `\ud83d\ude00`.
///
/// ```
/// use heapquarry_scan::Unescaper;
///
/// let (mut unescaper, mut text) = (Unescaper::new(), Vec::new());
/// assert_eq!(unescaper.feed(br"a\nb\", &mut text), None);
/// assert_eq!(unescaper.feed(br#"ud83d"}"#, &mut text), Some(6));
/// assert_eq!(unescaper.feed(br#"\ude00""#, &mut text), Some(7));
/// unescaper.finish(&mut text);
/// assert_eq!(text, "a\nb😀".as_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct Unescaper {
    kernel: Kernel,
    state: State,
    /// The first half of a character beyond U+FFFF, whose second half may follow.
    high: Option<u32>,
    report: Unescaped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// After a backslash.
    Escape,
    /// After `\u` and this many digits, with this value.
    Unicode(u8, u32),
}

/// The character for an escape of one letter; 0 if there is none.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    letters[b'"' as usize] = b'"';
    letters[b'\\' as usize] = b'\\';
    letters[b'/' as usize] = b'/';
    letters[b'b' as usize] = 8;
    letters[b'f' as usize] = 12;
    letters[b'n' as usize] = b'\n';
    letters[b'r' as usize] = b'\r';
    letters[b't' as usize] = b'\t';
    letters
};

impl Default for Unescaper {
    fn default() -> Self {
        Self::new()
    }
}

impl Unescaper {
    /// An unescaper positioned after the opening quote of a string.
    pub fn new() -> Self {
        Self::with(Kernel::chosen())
    }

    /// An unescaper that uses this kernel.
    pub(crate) fn with(kernel: Kernel) -> Self {
        Self { kernel, state: State::Text, high: None, report: Unescaped::default() }
    }

    /// Appends the text of the next bytes of a string to `out`. If the string ends in them, returns
    /// how many bytes belong to it, its quote included. The unescaper is then ready for another
    /// string, which continues the text.
    pub fn feed(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        let mut at = 0;
        while at < raw.len() {
            if self.state == State::Text && self.high.is_none() {
                at += self.kernel.run(Copy { raw: &raw[at..], out });
            }
            let &byte = raw.get(at)?;
            at += 1;
            if self.step(byte, out) {
                return Some(at);
            }
        }
        None
    }

    /// Reads one byte, and returns whether it ends the string.
    fn step(&mut self, byte: u8, out: &mut Vec<u8>) -> bool {
        match self.state {
            State::Text => match byte {
                b'\\' => self.state = State::Escape,
                b'"' => return true,
                _ => {
                    self.lone(out);
                    out.push(byte);
                }
            },
            State::Escape => {
                self.state = State::Text;
                if byte == b'u' {
                    self.state = State::Unicode(0, 0);
                    return false;
                }
                self.lone(out);
                let letter = LETTERS[usize::from(byte)];
                self.report.bad_escapes += u32::from(letter == 0);
                out.push(if letter == 0 { byte } else { letter });
            }
            State::Unicode(digits, value) => {
                let Some(digit) = char::from(byte).to_digit(16) else {
                    self.broken(out);
                    return self.step(byte, out);
                };
                let value = value << 4 | digit;
                self.state = State::Unicode(digits + 1, value);
                if digits == 3 {
                    self.state = State::Text;
                    self.unit(value, out);
                }
            }
        }
        false
    }

    /// Handles a UTF-16 unit.
    fn unit(&mut self, unit: u32, out: &mut Vec<u8>) {
        if let (Some(high), 0xDC00..0xE000) = (self.high, unit) {
            self.high = None;
            let code = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
            push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), out);
            return;
        }
        self.lone(out);
        match char::from_u32(unit) {
            Some(character) => push(character, out),
            None if unit < 0xDC00 => self.high = Some(unit),
            None => {
                self.report.lone_surrogates += 1;
                push(char::REPLACEMENT_CHARACTER, out);
            }
        }
    }

    /// Handles a first half whose second half is missing.
    fn lone(&mut self, out: &mut Vec<u8>) {
        if self.high.take().is_some() {
            self.report.lone_surrogates += 1;
            push(char::REPLACEMENT_CHARACTER, out);
        }
    }

    /// Handles an escape with too few digits.
    fn broken(&mut self, out: &mut Vec<u8>) {
        self.lone(out);
        self.state = State::Text;
        self.report.bad_escapes += 1;
        push(char::REPLACEMENT_CHARACTER, out);
    }

    /// Ends the text, and returns what had to be replaced, including an incomplete escape at its
    /// end.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Unescaped {
        match self.state {
            State::Text => {}
            State::Escape => {
                self.state = State::Text;
                self.report.bad_escapes += 1;
            }
            State::Unicode(..) => self.broken(out),
        }
        self.lone(out);
        std::mem::take(&mut self.report)
    }
}

/// Copies text and escapes of one letter up to anything else; returns how many bytes it read.
struct Copy<'a> {
    raw: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Algorithm for Copy<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { raw, out } = self;
        // Escapes of one letter get shorter, so the text fits, and so does a block after it.
        let start = out.len();
        out.resize(start + raw.len() + BLOCK, 0);
        let to = &mut out[start..];
        let (mut at, mut len) = (0, 0);
        while let Some(bytes) = raw[at..].first_chunk::<BLOCK>() {
            let block = isa.load(bytes);
            let marks = isa.equal(block, b'\\') | isa.equal(block, b'"');
            to[len..len + BLOCK].copy_from_slice(bytes);
            if marks == 0 {
                at += BLOCK;
                len += BLOCK;
                continue;
            }
            let text = marks.trailing_zeros() as usize;
            at += text;
            len += text;
            let letter = match raw[at..] {
                [b'\\', letter, ..] => LETTERS[usize::from(letter)],
                _ => 0,
            };
            if letter == 0 {
                break;
            }
            to[len] = letter;
            at += 2;
            len += 1;
        }
        if raw.len() - at < BLOCK {
            let rest = &raw[at..];
            let text = memchr::memchr2(b'\\', b'"', rest).unwrap_or(rest.len());
            to[len..len + text].copy_from_slice(&rest[..text]);
            at += text;
            len += text;
        }
        out.truncate(start + len);
        at
    }
}
