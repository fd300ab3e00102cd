//! Makes text of an input safe to show. Every name, path and message of an input goes through here before it is
//! printed.
//!
//! Terminals obey control characters, and CI runners obey lines that look like their commands. Both must never act on
//! what a stranger wrote. [`printable`] is for text, [`json`] for JSON, where the value stays the same.

use serde_json::{
    Value,
    ser::{CompactFormatter, Formatter, PrettyFormatter},
};
use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
};
use unicode_width::UnicodeWidthChar;

/// One line that nothing interprets. Escapes control characters and characters that reorder or hide text: `\n`,
/// `\u{1b}`. Also escapes the first character of what CI runners take for a command: `::` at the beginning of a line,
/// and `##[`, `##vso[` and the like anywhere.
pub fn printable(text: &str) -> Cow<'_, str> {
    let command = text.trim_start().starts_with("::").then(|| text.find(':')).flatten();
    if command.is_none() && !may_act(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            ':' if Some(at) == command => out.push_str("\\u{3a}"),
            '#' if is_command(&text[at..]) => out.push_str("\\u{23}"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unsafe(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.into()
}

/// Text of several lines, each of them [`printable`].
pub fn lines(text: &str) -> String {
    text.lines().map(printable).collect::<Vec<_>>().join("\n")
}

/// Whether text begins like a command of a CI runner: `##[` of GitHub Actions, `##vso[` of Azure Pipelines,
/// `##teamcity[`. Runners find these within a line.
fn is_command(text: &str) -> bool {
    text.strip_prefix("##").is_some_and(|rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[')
    })
}

/// Control characters; line and paragraph separators; characters that change the text direction, or are invisible.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether there is something to escape, apart from `::`. Nearly every text is plain ASCII, where it is known at once.
fn may_act(text: &str) -> bool {
    let is_plain = text.bytes().fold(true, |plain, byte| plain & (b' '..=b'~').contains(&byte));
    !is_plain && text.chars().any(is_unsafe) || text.contains("##")
}

/// JSON of another program on one line, with everything that [`printable`] would escape written as `\uXXXX`. Ends of
/// lines and tabs can only be between values: they become blanks.
pub fn json_text(text: &str) -> Cow<'_, str> {
    if !may_act(text) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if is_unsafe(c) || text[at..].starts_with("##") => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            c => out.push(c),
        }
    }
    out.into()
}

/// Writes a value as JSON, indented if so wanted. In strings everything that [`printable`] would escape is written as
/// `\uXXXX`: it is the same value, and nothing acts on it.
///
/// # Errors
/// Those of the writer.
pub fn json(
    value: &dyn erased_serde::Serialize,
    indented: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let result = if indented {
        let formatter = Escaping(PrettyFormatter::new());
        erased_serde::serialize(value, &mut serde_json::Serializer::with_formatter(out, formatter))
    } else {
        let formatter = Escaping(CompactFormatter);
        erased_serde::serialize(value, &mut serde_json::Serializer::with_formatter(out, formatter))
    };
    result.map_err(io::Error::from)
}

/// A value in the form of JSON, to change it before it is written.
///
/// # Errors
/// If it has no such form: a key that is no text, for example.
pub fn json_value(value: &dyn erased_serde::Serialize) -> serde_json::Result<Value> {
    erased_serde::serialize(value, serde_json::value::Serializer)
}

/// Escapes what is in strings, and leaves the rest to another formatter.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // A fragment has no control characters below U+0020: they have escapes of their own.
        self.0.write_string_fragment(out, &json_text(fragment))
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Width in columns of a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Characters of a column: letters with their marks, which have no width of their own.
const MOST_OF_COLUMN: usize = 4;

/// Cuts text to at most that many columns; `…` marks the cut. Marks without end, which have no width, are cut, too.
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let mut used = 0;
    let mut fits = 0;
    for (number, (at, c)) in text.char_indices().enumerate() {
        used += c.width().unwrap_or(0);
        let has_room = number < columns.saturating_mul(MOST_OF_COLUMN);
        if used < columns && has_room {
            fits = at + c.len_utf8();
        }
        if used > columns || !has_room {
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
            ("##vso[task.setvariable]x", "\\u{23}#vso[task.setvariable]x"),
            ("##teamcity[x]", "\\u{23}#teamcity[x]"),
            ("## title [x]", "## title [x]"),
            ("a\u{61c}b\u{ad}c", "a\\u{61c}b\\u{ad}c"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn json_has_the_same_value_and_nothing_to_obey() {
        let text = "\x1b[0m \u{9b}m \u{7f} \u{202e} \u{e0041} \u{1d173} ## ###[x] ##vso[y] \"\\ \n 漢字 ✅";
        let value = serde_json::json!({ text: [text, 1, {}] });
        for indented in [true, false] {
            let mut out = Vec::new();
            json(&value, indented, &mut out).unwrap();
            assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), value);
            let out = String::from_utf8(out).unwrap();
            assert!(out.contains("漢字 ✅") && !out.contains("##"), "{out}");
            assert!(out.split('\n').all(|line| !line.chars().any(is_unsafe)), "{out}");
            // What needs no escape is written as serde_json does.
            let plain = serde_json::json!({"a": [1, {"b": "c # d"}], "e": []});
            let mut out = Vec::new();
            json(&plain, indented, &mut out).unwrap();
            let expected = if indented { format!("{plain:#}") } else { plain.to_string() };
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn json_of_others_is_one_line_of_the_same_value() {
        for (text, expected) in [
            (r#"{"a": "::b"}"#, r#"{"a": "::b"}"#),
            ("{\r\n\t\"a\":\n1}", "{   \"a\": 1}"),
            ("[\"\u{9b}\u{7f}漢\"]", r#"["\u009b\u007f漢"]"#),
            ("[\"##vso[x]\"]", r#"["\u0023#vso[x]"]"#),
            ("[\"\u{e0041}\"]", r#"["\udb40\udc41"]"#),
        ] {
            assert_eq!(json_text(text), expected);
            let value = |text| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(value(text), value(expected));
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
