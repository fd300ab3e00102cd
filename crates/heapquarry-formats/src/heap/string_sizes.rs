//! The sizes of the strings of a snapshot, before it is read.

use super::{locate::locate_strings, reader::members, source::Source, strings::StringCursor};
use crate::{Buffer, Input, Locate, Log, Result, WINDOW};

/// Strings that are measured at a time, at most.
const MEASURED: usize = 128 << 10;

/// The longest escape, `\u0041`, stands for a byte or more.
const LONGEST_ESCAPE: u64 = 6;

/// Some strings and their text, which is between two sizes as long as it is not decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Number of strings.
    pub strings: u64,
    /// Bytes of text at least.
    pub least: u64,
    /// Bytes of text at most: those that they take in the file.
    pub most: u64,
}

/// Measures strings piece by piece, at the speed of reading.
pub struct StringSizes<'a> {
    input: &'a dyn Input,
    cursor: StringCursor,
    /// Bytes of the document from the strings on.
    room: u64,
    buf: Buffer,
    log: Log,
}

impl<'a> StringSizes<'a> {
    /// Finds the strings with a few reads; `None` if there are none.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn locate(input: &'a dyn Input) -> Result<Option<Self>> {
        let mut log = Log::default();
        let members = members(input, WINDOW, &mut log)?;
        let located = locate_strings(input, &members, Locate::FromEnd, WINDOW)?;
        Ok(located.map(|strings| StringSizes {
            input,
            cursor: StringCursor::new(strings.open),
            room: input.end().saturating_sub(strings.open),
            buf: Buffer::default(),
            log,
        }))
    }

    /// The number and the bytes that the strings have at most, without measuring them.
    pub fn at_most(&self) -> (u64, u64) {
        /// An empty string and its comma.
        const SHORTEST: u64 = 3;
        (self.room / SHORTEST, self.room)
    }
}

impl Iterator for StringSizes<'_> {
    type Item = Result<Measured>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut source = Source::new(self.input, &mut self.buf, WINDOW, &mut self.log);
        let claimed = self.cursor.claim(&mut source, MEASURED).transpose()?;
        Some(claimed.map(|claimed| {
            let strings = claimed.spans.len() as u64;
            claimed.spans.iter().fold(Measured { strings, ..Measured::default() }, |sum, span| {
                let bytes = u64::from(span.end - span.start);
                let least = if span.escaped { bytes.div_ceil(LONGEST_ESCAPE) } else { bytes };
                Measured { least: sum.least + least, most: sum.most + bytes, ..sum }
            })
        }))
    }
}

impl std::fmt::Debug for StringSizes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StringSizes").field("room", &self.room).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_measured_with_and_without_their_escapes() {
        for (document, expected) in [
            (r#"{"snapshot":{},"strings":["","a","bc","\n"]}"#, Some((4, 4, 5))),
            (r#"{"snapshot":{},"strings":["\u5806\u5806","\u0041"]}"#, Some((2, 3, 18))),
            (r#"{"snapshot":{},"strings":[]}"#, Some((0, 0, 0))),
            (r#"{"strings":["abc"],"snapshot":{}}"#, Some((1, 3, 3))),
            (r#"{"snapshot":{},"strings":["abc","cut"#, Some((1, 3, 3))),
            (r#"{"snapshot":{}}"#, None),
        ] {
            let document = document.as_bytes().to_vec();
            let sizes = StringSizes::locate(&document).expect("no read fails");
            let found = sizes.map(|sizes| {
                let most = sizes.at_most();
                let measured = sizes.map(|size| size.expect("no read fails"));
                let all = measured.fold((0, 0, 0), |all, Measured { strings, least, most }| {
                    (all.0 + strings, all.1 + least, all.2 + most)
                });
                assert!(all.0 <= most.0 && all.2 <= most.1, "{all:?} {most:?}");
                all
            });
            assert_eq!(found, expected);
        }
    }
}
