//! The header of a text: the comments at its beginning.
//!
//! ```text
//! # tracer: nop
//! #
//! # entries-in-buffer/entries-written: 30624/31500   #P:4
//! ```

use super::{
    line::{self, Line},
    lines::{self, End, Form},
};
use crate::{ByteOffset, metadata::Metadata};

/// Adds a row for each name and value, in order of their positions: offsets are those of the text plus `offset`.
pub(super) fn read(
    form: Form,
    head: &[u8],
    offset: ByteOffset,
    prefix: &str,
    metadata: &mut Metadata,
) {
    let mut start = 0;
    while let End::Line(end, next) = lines::end(form, head, start) {
        let line = String::from_utf8_lossy(lines::trim(form, &head[start..end]));
        let at = offset + start as u64;
        match line.strip_prefix('#') {
            Some(comment) => {
                for (name, value) in members(comment) {
                    metadata.add_text(format!("{prefix}{name}"), value, at);
                }
            }
            // After atrace's messages to its user.
            // Notes of recorders, or nothing.
            None if matches!(line::parse(&line), Line::Comment) => {}
            None => break,
        }
        start = next;
    }
}

/// Splits `name: value` and `a/b: 1/2`, each optionally followed by `#P:4`, the number of CPUs.
fn members(comment: &str) -> Vec<(&str, &str)> {
    let Some((name, value)) = comment.trim().split_once(": ") else { return Vec::new() };
    if name.contains(char::is_whitespace) {
        return Vec::new();
    }
    let (value, cpus) = match value.split_once("#P:") {
        Some((value, cpus)) => (value, Some(("#P", cpus.trim()))),
        None => (value, None),
    };
    let value = value.trim();
    let names = name.split('/');
    let members: Vec<_> = match names.clone().count() == value.split('/').count() {
        true => names.zip(value.split('/')).collect(),
        false => vec![(name, value)],
    };
    members.into_iter().chain(cpus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_comments() {
        for (comment, expected) in [
            (" tracer: nop", &[("tracer", "nop")][..]),
            (
                " entries-in-buffer/entries-written: 30624/31500   #P:4",
                &[("entries-in-buffer", "30624"), ("entries-written", "31500"), ("#P", "4")],
            ),
            (" path: /a/b", &[("path", "/a/b")]),
            ("           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION", &[]),
            (" => Started at: here", &[]),
            ("", &[]),
        ] {
            assert_eq!(members(comment), expected, "{comment}");
        }
    }
}
