//! Text in lines that fit a terminal.

use crate::printable::{printable, width};

/// The text in lines of at most `room` columns, broken at blanks; all but the first begin with `indent` blanks. Only a
/// word that does not fit a line of its own is broken elsewhere. `text` is printable, and so is each line: one that
/// would begin with `::` gets longer.
pub(crate) fn wrap(text: &str, room: usize, indent: usize) -> Vec<String> {
    let indent = indent.min(room / 2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let is_first = line.trim_start().is_empty();
        if !is_first && used + 1 + width(word) > room {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            used = indent;
        } else if !is_first {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let columns = width(c.encode_utf8(&mut [0; 4]));
            if used + columns > room && used > indent {
                lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
                used = indent;
            }
            line.push(c);
            used += columns;
        }
    }
    lines.push(line);
    lines.into_iter().map(|line| printable(&line).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_nothing_is_lost() {
        for (text, room, indent, lines) in [
            ("a note", 80, 6, &["a note"][..]),
            ("note: one two three", 9, 2, &["note: one", "  two", "  three"]),
            ("note: /a/long/path end", 10, 2, &["note:", "  /a/long/", "  path end"]),
            ("漢字漢字", 4, 2, &["漢字", "  漢", "  字"]),
            ("", 10, 2, &[""]),
            ("ab", 0, 4, &["a", "b"]),
            ("a note ::error::x", 8, 2, &["a note", "  \\u{3a}:erro", "  r::x"]),
            ("abcdef::x", 6, 0, &["abcdef", "\\u{3a}:x"]),
        ] {
            assert_eq!(wrap(text, room, indent), lines, "{text}");
        }
    }
}
