//! The start of what somebody sends, which must look like something that can be read.

use super::{packing::PROBE_BYTES, recognise::may_be_known};
use crate::{Result, sniff};
use std::path::PathBuf;

/// The start of content that somebody sends, and that is kept before it is read. Its first MiB must look like a known
/// format: otherwise a sender without end fills the disk before anybody looks.
#[derive(Debug)]
pub struct Head {
    name: PathBuf,
    /// Empty once it was looked at.
    head: Vec<u8>,
    is_known: bool,
    is_private: bool,
}

impl Head {
    /// Of content with this name, which errors have.
    pub fn new(name: impl Into<PathBuf>) -> Self {
        Head { name: name.into(), head: Vec::new(), is_known: false, is_private: false }
    }

    /// Of content that errors must not quote.
    #[must_use]
    pub fn private(mut self, is_private: bool) -> Self {
        self.is_private = is_private;
        self
    }

    /// Takes the next bytes. Content shorter than 1 MiB is not looked at: to read it tells.
    ///
    /// # Errors
    ///
    /// If the content is of no known format.
    pub fn take(&mut self, data: &[u8]) -> Result<()> {
        if self.is_known {
            return Ok(());
        }
        let missing = PROBE_BYTES as usize - self.head.len();
        self.head.extend_from_slice(&data[..missing.min(data.len())]);
        if self.head.len() < PROBE_BYTES as usize {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        self.is_known = may_be_known(&head);
        match self.is_known {
            true => Ok(()),
            false if self.is_private => Err(sniff::unknown(&self.name, sniff::UNQUOTED.into())),
            false => Err(sniff::unknown_content(&self.name, &head)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_quotes_only_what_is_not_private() {
        for is_private in [false, true] {
            let mut content = b"secret".to_vec();
            content.resize(PROBE_BYTES as usize, b' ');
            let error = Head::new("x").private(is_private).take(&content).unwrap_err().to_string();
            assert_eq!(error.contains("secret"), !is_private, "{error}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_within_the_first_mebibyte() {
        for (start, is_known) in
            [(&b"{\"a\":"[..], true), (b"\x1f\x8b", true), (b"9,9,", false), (b"    ", false)]
        {
            for piece in [7000, PROBE_BYTES as usize - 1, PROBE_BYTES as usize, 3 << 20] {
                let (mut head, mut taken) = (Head::new("x"), 0);
                let mut content = start.to_vec();
                content.resize(piece, b' ');
                let refused = loop {
                    if taken > 3 << 20 {
                        break false;
                    }
                    if head.take(&content).is_err() {
                        break true;
                    }
                    taken += piece;
                    content.fill(b' ');
                };
                assert_eq!(refused, !is_known, "{start:?} in pieces of {piece}");
                assert!(!refused || taken < PROBE_BYTES as usize, "{taken}");
            }
        }
    }
}
