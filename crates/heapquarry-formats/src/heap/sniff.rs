//! Recognises the format by its first bytes.

use super::sections::{NODES, Section};
use crate::{Sniff, without_mark};
use heapquarry_scan::BYTE_ORDER_MARK;

/// Whether a document with this start is a heap snapshot: an object whose first member is `snapshot`, or a section of
/// numbers or strings.
pub fn sniff(head: &[u8]) -> Sniff {
    if head.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(head) {
        return Sniff::More;
    }
    let head = without_mark(head).trim_ascii_start();
    let Some((&first, rest)) = head.split_first() else { return Sniff::More };
    if first != b'{' {
        return Sniff::No;
    }
    let rest = rest.trim_ascii_start();
    let Some((&quote, rest)) = rest.split_first() else { return Sniff::More };
    if quote != b'"' {
        return Sniff::No;
    }
    let Some(end) = rest.iter().take(64).position(|&b| b == b'"') else {
        // No section has a longer name.
        return if rest.len() < 64 { Sniff::More } else { Sniff::No };
    };
    let key = std::str::from_utf8(&rest[..end]).unwrap_or_default();
    let value = rest[end + 1..].trim_ascii_start();
    let Some(value) = value.strip_prefix(b":").map(<[u8]>::trim_ascii_start) else {
        return if value.is_empty() { Sniff::More } else { Sniff::No };
    };
    // A CPU profile also begins with `nodes`, but its nodes are objects.
    let flat = |value: &[u8]| match value.trim_ascii_start().first() {
        None => Sniff::More,
        Some(b'0'..=b'9' | b'-' | b'"' | b']') => Sniff::Yes,
        Some(_) => Sniff::No,
    };
    match (key, value.split_first()) {
        (_, None) => Sniff::More,
        ("snapshot", Some((b'{', _))) => Sniff::Yes,
        (key, Some((b'[', items))) if Section::by_name(key).is_some() => flat(items),
        _ => Sniff::No,
    }
}

/// Whether a member with this name and this start of its value belongs to a heap snapshot and to no other format.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    let value = value.trim_ascii_start();
    match (key, value.split_first()) {
        (b"snapshot", Some((b'{', _))) => true,
        // CPU profiles also have nodes, and samples that are numbers; sampling heap profiles have samples.
        (b"samples", _) => false,
        (key, Some((b'[', items))) => {
            let section = std::str::from_utf8(key).ok().and_then(Section::by_name);
            match items.trim_ascii_start().first() {
                Some(b'0'..=b'9' | b'-' | b'"') => section.is_some(),
                Some(b']') => section.is_some_and(|section| *section != NODES),
                _ => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell() {
        for (head, expected) in [
            (&br#"{"snapshot":{"meta""#[..], Sniff::Yes),
            (b"\xEF\xBB\xBF \n{ \"snapshot\" : {", Sniff::Yes),
            (br#"{"strings":["a"]"#, Sniff::Yes),
            (br#"{"trace_tree": [], "#, Sniff::Yes),
            (br#"{"nodes":[9,1"#, Sniff::Yes),
            (br#"{"nodes":[{"id":1"#, Sniff::No),
            (br#"{"traceEvents":[{"#, Sniff::No),
            (br#"{"snapshot":"#, Sniff::More),
            (br#"{"snap"#, Sniff::More),
            (b"", Sniff::More),
            (b"{", Sniff::More),
            (b"{}", Sniff::No),
            (b"[1,2]", Sniff::No),
            (b"<!DOCTYPE html>", Sniff::No),
            (b"\x89PNG\r\n", Sniff::No),
        ] {
            assert_eq!(sniff(head), expected, "{}", String::from_utf8_lossy(head));
        }
    }
}
