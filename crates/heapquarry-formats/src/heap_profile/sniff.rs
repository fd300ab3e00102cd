//! Detects the format by a member.

use crate::json::{names, opens};

/// Whether a member with this name, whose value begins like this, belongs to a sampling heap profile.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"head" => opens(value, b"{") && names(value, &["selfSize"]),
        b"samples" => {
            opens(value, b"[{") && names(value, &["nodeId"]) && names(value, &["ordinal"])
        }
        _ => false,
    }
}
