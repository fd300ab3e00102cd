//! Detects the format by a member.

use crate::json::{names, opens};

/// Whether a member with this name, whose value begins like this, belongs to a CPU profile.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"nodes" => opens(value, b"[{") && names(value, &["callFrame", "hitCount"]),
        // A sampling heap profile has this too, but with sizes instead of counts.
        b"head" => {
            let named = ["functionName", "hitCount"];
            opens(value, b"{") && names(value, &named) && !names(value, &["selfSize"])
        }
        b"timeDeltas" => opens(value, b"["),
        _ => false,
    }
}
