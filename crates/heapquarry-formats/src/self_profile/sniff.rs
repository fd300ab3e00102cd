//! Detects the format by a member.

use crate::json::{names, opens};

/// Whether a member with this name, whose value begins like this, belongs to a self-profiling trace.
pub(crate) fn recognises(key: &[u8], value: &[u8]) -> bool {
    match key {
        b"stacks" => opens(value, b"[{") && names(value, &["frameId"]),
        // Other profilers also have time stamps, but other call stacks: Dart's samples have them in place.
        b"samples" => {
            let stamped =
                names(value, &["timestamp"]) && !names(value, &["stack_id", "nodeId", "stack"]);
            opens(value, b"[{") && (names(value, &["stackId"]) || stamped)
        }
        _ => false,
    }
}

/// Whether a trace has an array of that name.
pub(crate) fn has_array(key: &[u8]) -> bool {
    matches!(key, b"frames" | b"resources" | b"samples" | b"stacks")
}
