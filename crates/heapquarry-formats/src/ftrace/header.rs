//! What a text says of itself: the comments that it begins with.
//!
//! ```text
//! # tracer: nop
//! #
//! # entries-in-buffer/entries-written: 30624/31500   #P:4
//! ```

use super::lines::{self, End, Form};
use crate::trace::Metadata;

/// Adds a row for each name with its value, by where they stand: offsets are those of the text plus `offset`.
pub(super) fn read(form: Form, head: &[u8], offset: u64, prefix: &str, metadata: &mut Metadata) {
    let mut start = 0;
    while let End::Line(end, next) = lines::end(form, head, start) {
        let line = String::from_utf8_lossy(lines::trim(form, &head[start..end]));
        let at = offset + start as u64;
        match line.strip_prefix('#') {
            Some(comment) => {
                for (name, value) in members(comment) {
                    metadata.say(format!("{prefix}{name}"), value, at);
                }
            }
            // Behind what atrace says to its user.
            None if line.trim().is_empty() || line.trim_end() == "TRACE:" => {}
            None => break,
        }
        start = next;
    }
}

/// `name: value`, `a/b: 1/2`, and each with `#P:4`, the number of CPUs, behind it.
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
