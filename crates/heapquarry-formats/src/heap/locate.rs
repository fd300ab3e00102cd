//! Finds the strings ahead of the sections that precede them, because names as text need them first.

use super::{
    members::{Member, Members, peek},
    sections::STRINGS,
    source::skip_value,
};
use crate::{ByteOffset, Input, Locate, Result, input};

/// Minimum size of a read in bytes.
const LEAST_WINDOW: usize = 64 << 10;

/// Location of the strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocatedStrings {
    /// Offset of their `[`.
    pub(crate) open: ByteOffset,
    /// Whether they may belong to a nested object instead of the document.
    pub(crate) unchecked: bool,
}

/// Finds the strings of a document whose members begin at `members`.
pub(crate) fn locate_strings(
    input: &dyn Input,
    members: &Members,
    locate: Locate,
    window: usize,
) -> Result<Option<LocatedStrings>> {
    let window = window.max(LEAST_WINDOW);
    if locate == Locate::FromEnd
        && let Some(open) = last_strings(input, window)?
    {
        return Ok(Some(LocatedStrings { open, unchecked: true }));
    }
    let open = first_strings(input, members.clone(), window)?;
    Ok(open.map(|open| LocatedStrings { open, unchecked: false }))
}

/// Offset of the `[` of the document's first strings section.
fn first_strings(
    input: &dyn Input,
    mut members: Members,
    window: usize,
) -> Result<Option<ByteOffset>> {
    loop {
        match members.next(input)? {
            Member::Value { name, at, .. } if name == STRINGS.name => {
                let array = matches!(peek(input, at, 1)?, Some((b'[', _)));
                return Ok(array.then_some(at));
            }
            Member::Value { at, .. } => match skip_value(input, at, window)? {
                Some(end) => members.at = end,
                None => return Ok(None),
            },
            Member::End { .. } | Member::Cut => return Ok(None),
            // The strings may be intact after the damage.
            Member::Malformed { .. } => return strings_from_end(input, window),
        }
    }
}

/// Searches backwards from the end: the offset of the `[` of the strings, if they are the last member of the object
/// that ends there.
fn strings_from_end(input: &dyn Input, window: usize) -> Result<Option<ByteOffset>> {
    // An unescaped `"strings":[` cannot be inside a string, so it is a key. It is a key of the document if the document
    // ends with its value.
    let Some(open) = last_strings(input, window)? else { return Ok(None) };
    let Some(close) = skip_value(input, open, window)? else { return Ok(None) };
    let Some((b'}', brace)) = peek(input, close, 64)? else { return Ok(None) };
    Ok(peek(input, brace + 1, 64)?.is_none().then_some(open))
}

/// Offset of the `[` of the last member of that name, in any object: mostly it is the strings of the document. This
/// takes milliseconds, since the strings themselves are not read. The walk over the document verifies later that they
/// are its own.
fn last_strings(input: &dyn Input, window: usize) -> Result<Option<ByteOffset>> {
    const KEY: &[u8] = b"\"strings\"";
    let mut end = ByteOffset::end(input);
    let colon = 'found: loop {
        let start = ByteOffset(end.0.saturating_sub(window.max(2 * KEY.len()) as u64));
        let buf = input::bytes_at(input, start, (end - start) as usize)?;
        // A forward search is ten times faster, and there is rarely more than one match.
        let found: Vec<usize> = memchr::memmem::find_iter(&buf, KEY).collect();
        for x in found.into_iter().rev() {
            // Skips the end of a longer key.
            let escaped = start + x as u64 > ByteOffset::START
                && input::bytes_at(input, start + x as u64 - 1, 1)? == b"\\";
            if escaped {
                continue;
            }
            // Programs also have properties of that name. Such a string is not followed by a colon.
            if let Some((b':', colon)) = peek(input, start + (x + KEY.len()) as u64, 64)? {
                break 'found colon;
            }
        }
        if start == ByteOffset::START {
            return Ok(None);
        }
        end = start + KEY.len() as u64 - 1;
    };
    let open = peek(input, colon + 1, 64)?.filter(|&(byte, _)| byte == b'[');
    Ok(open.map(|(_, open)| open))
}
