//! Decides by the first bytes whether something is worth decompressing.

use super::{
    MAX_PREAMBLE, Packing, VIEWER_LINE, archive, atrace_preamble, page, preamble, tarball,
};
use crate::{devtools, htrace};

/// Whether content with this start may be of a known format, compressed or not. JSON objects and arrays may be: only
/// more content would tell.
pub(super) fn may_be_known(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    matches!(text.first(), Some(b'{' | b'[' | b',' | 0x1E))
        || Packing::of(head).is_some()
        || archive::recognises(head)
        || tarball::recognises(head)
        || page::recognises(head)
        || htrace::recognises(head)
        || head.starts_with(VIEWER_LINE)
        || preamble::length(&head[..head.len().min(preamble::HEAD)]).is_some()
        || atrace_preamble(&head[..head.len().min(MAX_PREAMBLE)]).is_some()
        || devtools::sniff(&head).unwrap_or(false)
        || heapquarry_formats::sniff(&head).is_ok_and(|found| found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_known_is_refused() {
        for (head, expected) in [
            (&b"{\"x\":"[..], true),
            (b"\xEF\xBB\xBF \n[", true),
            (b"\x1f\x8b\x08", true),
            (b"PK\x03\x04", true),
            (&[&[b'x'; 257][..], b"ustar\x0000"].concat(), true),
            (b"<!DOCTYPE html>", true),
            (b"OHOSPROF", true),
            (b"MarkPositionJSON->x", true),
            (b"capturing trace... done\nTRACE:\nhello", false),
            (b"capturing trace... done\nTRACE:\n\x78\x9c", true),
            (b"# tracer: nop\n", true),
            (b"\0\0\0\0", false),
            (b"hello", false),
            (b"\x89PNG", false),
            (b"", false),
        ] {
            assert_eq!(may_be_known(head), expected, "{}", head.escape_ascii());
        }
    }
}
