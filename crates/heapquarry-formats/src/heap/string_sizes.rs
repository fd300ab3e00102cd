//! The sizes of the strings of a snapshot, before it is read.

use super::{locate::locate_strings, reader::members, source::Source, strings::StringCursor};
use crate::{Buffer, ByteOffset, Input, Locate, Log, Result, WINDOW};

/// Strings that are measured at a time, at most.
const MEASURED: usize = 128 << 10;

/// Measures strings piece by piece, at the speed of reading: number and bytes of some more of them, with escapes as
/// they are in the file, so at least as many as the text has.
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
            room: ByteOffset::end(input).saturating_sub(strings.open),
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
    type Item = Result<(u64, u64)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut source = Source::new(self.input, &mut self.buf, WINDOW, &mut self.log);
        let claimed = self.cursor.claim(&mut source, MEASURED).transpose()?;
        Some(claimed.map(|claimed| {
            let bytes = claimed.spans.iter().map(|span| u64::from(span.end - span.start)).sum();
            (claimed.spans.len() as u64, bytes)
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
    fn strings_are_measured_with_their_escapes() {
        for (document, expected) in [
            (r#"{"snapshot":{},"strings":["","a","bc","\n"]}"#, Some((4, 5))),
            (r#"{"snapshot":{},"strings":[]}"#, Some((0, 0))),
            (r#"{"strings":["abc"],"snapshot":{}}"#, Some((1, 3))),
            (r#"{"snapshot":{},"strings":["abc","cut"#, Some((1, 3))),
            (r#"{"snapshot":{}}"#, None),
        ] {
            let document = document.as_bytes().to_vec();
            let sizes = StringSizes::locate(&document).expect("no read fails");
            let found = sizes.map(|sizes| {
                let most = sizes.at_most();
                let measured = sizes.map(|size| size.expect("no read fails"));
                let all = measured.fold((0, 0), |all, some| (all.0 + some.0, all.1 + some.1));
                assert!(all.0 <= most.0 && all.1 <= most.1, "{all:?} {most:?}");
                all
            });
            assert_eq!(found, expected);
        }
    }
}
