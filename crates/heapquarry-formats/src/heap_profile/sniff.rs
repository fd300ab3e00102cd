//! Recognises the format by a member.

use crate::sniff::{names, opens};

/// Whether a member with that name, whose value begins like this, is one of a sampling heap profile.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"head" => opens(value, b"{") && names(value, &["selfSize"]),
        b"samples" => {
            opens(value, b"[{") && names(value, &["nodeId"]) && names(value, &["ordinal"])
        }
        _ => false,
    }
}
