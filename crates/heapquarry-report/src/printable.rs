//! Makes text of an input safe to show: one line, without anything that a terminal or CI runner interprets.

use std::borrow::Cow;
use unicode_width::UnicodeWidthChar;

/// Escapes control characters and characters that reorder or hide text: `\n`, `\u{1b}`. Also escapes the first
/// character of what GitHub's runner takes for a command: `::` at the beginning of a line, `##[` anywhere.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let command = text.trim_start().starts_with("::").then(|| text.find(':')).flatten();
    if command.is_none() && !text.contains("##[") && !text.chars().any(is_unsafe) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            ':' if Some(at) == command => out.push_str("\\u{3a}"),
            '#' if text[at..].starts_with("##[") => out.push_str("\\u{23}"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.into()
}

/// Control characters; line and paragraph separators; characters that change the text direction, or are invisible.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Width in columns of a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Cuts text to at most that many columns; `…` marks the cut.
pub(crate) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let mut used = 0;
    let mut fits = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used < columns {
            fits = at + c.len_utf8();
        }
        if used > columns {
            return format!("{}…", &text[..fits]).into();
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_that_it_obeys() {
        for (text, expected) in [
            ("plain Größe 漢字", "plain Größe 漢字"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\x1b[31mred", "\\u{1b}[31mred"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("user\u{202e}nimda", "user\\u{202e}nimda"),
            ("\0", "\\u{0}"),
            ("::error::x", "\\u{3a}:error::x"),
            (" ::stop", " \\u{3a}:stop"),
            ("std::vec", "std::vec"),
            ("a ##[add-path]b", "a \\u{23}#[add-path]b"),
            ("###[x]", "#\\u{23}#[x]"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn text_is_cut_by_columns_not_bytes() {
        for (text, columns, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("abcd", 1, "…"),
            ("漢字漢", 6, "漢字漢"),
            ("漢字漢", 5, "漢字…"),
            ("漢字漢", 4, "漢…"),
            ("ééé", 2, "é…"),
            ("", 0, ""),
        ] {
            assert_eq!(cut(text, columns), expected, "{text} {columns}");
            assert!(width(&cut(text, columns)) <= columns);
        }
    }
}
