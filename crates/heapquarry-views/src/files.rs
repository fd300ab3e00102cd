//! How SQL names the files of a table.

use heapquarry_input::{Error, ErrorKind, Result};
use heapquarry_report::printable;
use std::{borrow::Cow, fmt::Write, path::Path};

/// A string as an expression of SQL. Characters that act on a terminal are written as numbers, so that the text is on
/// one line and can be shown.
pub fn literal(text: &str) -> String {
    let is_plain = |text: &str| matches!(printable(text), Cow::Borrowed(_));
    let plain = format!("'{}'", text.replace('\'', "''"));
    if is_plain(&plain) {
        return plain;
    }
    let mut out = String::from("('");
    for c in text.chars() {
        match c {
            '\'' => out.push_str("''"),
            c if c == '#' || !is_plain(c.encode_utf8(&mut [0; 4])) => {
                let _ = write!(out, "' || chr({}) || '", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "')"
}

/// A name in double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The absolute path of a directory as text.
///
/// # Errors
///
/// If the path is not Unicode: SQL cannot name it.
pub(super) fn absolute(dir: &Path) -> Result<String> {
    let fail = |source| Error::new(ErrorKind::Input { path: dir.into(), doing: "open", source });
    let path = std::path::absolute(dir).map_err(fail)?;
    let text = path.to_str().ok_or_else(|| {
        fail(std::io::Error::other("its path is not Unicode, so SQL cannot name it"))
    })?;
    Ok(text.into())
}

/// A path with the characters escaped that DuckDB takes for patterns.
pub(super) fn pattern(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '*' | '?' | '[' => escaped.extend(['[', c, ']']),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_patterns_are_escaped() {
        for (text, expected) in [
            ("it's $x", "'it''s $x'"),
            ("a'\n\u{1b}", r"('a''' || chr(10) || '' || chr(27) || '')"),
            ("a##[b#", r"('a' || chr(35) || '' || chr(35) || '[b' || chr(35) || '')"),
            ("\u{202e}", r"('' || chr(8238) || '')"),
        ] {
            assert_eq!(literal(text), expected);
        }
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!(pattern("/a/[b]*?'$"), "/a/[[]b][*][?]'$");
    }
}
