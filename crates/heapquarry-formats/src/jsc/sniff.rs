//! Recognises the format by its members.

/// What a member of the outermost object tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Only JavaScriptCore writes it.
    Sure,
    /// JavaScriptCore writes it before the nodes (version 3), and V8 does not.
    Type,
    /// JavaScriptCore writes it before the nodes in versions 1 and 2. So do others, so members after the nodes decide.
    Version,
}

/// What the name of a member and the start of its value tell; `None` is nothing.
pub(crate) fn sign(key: &[u8], value: &[u8]) -> Option<Sign> {
    let value = value.trim_ascii_start();
    let begins = |start: &[u8]| value.starts_with(start);
    match key {
        b"nodeClassNames" | b"edgeTypes" | b"edgeNames" if begins(b"[") => Some(Sign::Sure),
        b"type" if begins(b"\"Inspector\"") || begins(b"\"GCDebugging\"") => Some(Sign::Type),
        b"version" if value.first().is_some_and(u8::is_ascii_digit) => Some(Sign::Version),
        _ => None,
    }
}
