//! Text in UTF-16, as PowerShell writes what it redirects to a file.

use std::io::{self, Read};

/// Reads UTF-16 as UTF-8. Half a character is an error of kind `InvalidData`.
pub(super) struct Utf16<R> {
    reader: R,
    is_big_endian: bool,
    /// Bytes that were read: at most those of one character are left over.
    raw: Vec<u8>,
    text: String,
    /// Bytes of `text` that were handed out.
    done: usize,
    /// Whether half a character follows `text`.
    is_broken: bool,
}

/// Bytes that are read at once.
const PIECE: u64 = 64 << 10;

impl<R: Read> Utf16<R> {
    /// A reader without its byte order mark.
    pub(super) fn new(reader: R, is_big_endian: bool) -> Self {
        let (raw, text) = Default::default();
        Utf16 { reader, is_big_endian, raw, text, done: 0, is_broken: false }
    }

    /// Converts the next piece, up to what is broken; nothing at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.done = 0;
        let is_end = self.reader.by_ref().take(PIECE).read_to_end(&mut self.raw)? == 0;
        let (pairs, _) = self.raw.as_chunks::<2>();
        let unit = |&pair: &[u8; 2]| match self.is_big_endian {
            true => u16::from_be_bytes(pair),
            false => u16::from_le_bytes(pair),
        };
        let mut units = pairs.len();
        // The other half of the last character may be in the next piece.
        let is_half = pairs.last().is_some_and(|pair| (0xD800..0xDC00).contains(&unit(pair)));
        if is_half && !is_end {
            units -= 1;
        }
        for found in char::decode_utf16(pairs[..units].iter().map(unit)) {
            let Ok(found) = found else {
                self.is_broken = true;
                return Ok(());
            };
            self.text.push(found);
        }
        self.raw.drain(..2 * units);
        self.is_broken = is_end && !self.raw.is_empty();
        Ok(())
    }
}

fn half() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "half a character in UTF-16 text")
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.done == self.text.len() && !self.is_broken {
            self.refill()?;
        }
        if self.done == self.text.len() && self.is_broken {
            return Err(half());
        }
        let rest = &self.text.as_bytes()[self.done..];
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        self.done += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte after the other.
    struct Slow<'b>(&'b [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1).min(buf.len());
            self.0.read(&mut buf[..count])
        }
    }

    #[test]
    fn text_is_converted_whatever_the_pieces() {
        for text in ["", "a", "{\"ü\":\"😀€\"}\r\n", &"😀".repeat(40_000), &"x😀".repeat(40_000)]
        {
            for is_big_endian in [false, true] {
                let bytes: Vec<u8> = text
                    .encode_utf16()
                    .flat_map(
                        |unit| if is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() },
                    )
                    .collect();
                for reader in [&mut &bytes[..] as &mut dyn Read, &mut Slow(&bytes)] {
                    let mut found = String::new();
                    Utf16::new(reader, is_big_endian).read_to_string(&mut found).unwrap();
                    assert!(found == text, "{} bytes", text.len());
                }
            }
        }
    }

    #[test]
    fn half_a_character_is_an_error() {
        for (bytes, expected) in [
            (&b"a\0b"[..], "a"),
            (b"a\0\x00\xd8", "a"),
            (b"a\0\x00\xdcb\0", "a"),
            (b"\x3d\xd8a\0", ""),
        ] {
            let mut found = Vec::new();
            let error = Utf16::new(bytes, false).read_to_end(&mut found).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert_eq!(found, expected.as_bytes());
        }
    }
}
