//! Ends of lines, in each form of ftrace text.

/// The form that contains the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Plain lines.
    Plain,
    /// A JavaScript literal, as in old pages of systrace: each line ends with `\n\`.
    Script,
    /// A JSON string: lines end with `\n`, and the text with a quote.
    Json,
}

/// The end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The content ends at the first position, the next line begins at the second.
    Line(usize, usize),
    /// The content and the text end there.
    Text(usize),
    /// The buffer does not have it; bytes before that position need not be searched again.
    More(usize),
}

/// The end of the line that continues at `from`.
pub(crate) fn end(form: Form, bytes: &[u8], from: usize) -> End {
    match form {
        Form::Plain | Form::Script => match memchr::memchr(b'\n', &bytes[from..]) {
            Some(length) => End::Line(from + length, from + length + 1),
            None => End::More(bytes.len()),
        },
        Form::Json => {
            let mut at = from;
            while let Some(length) = memchr::memchr2(b'\\', b'"', &bytes[at..]) {
                let found = at + length;
                if bytes[found] == b'"' {
                    return End::Text(found);
                }
                match bytes.get(found + 1) {
                    Some(b'n') => return End::Line(found, found + 2),
                    Some(_) => at = found + 2,
                    None => return End::More(found),
                }
            }
            End::More(bytes.len())
        }
    }
}

/// The content of a line, without its line end.
pub(crate) fn trim(form: Form, line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match form {
        Form::Plain => line,
        Form::Script => {
            let line = line.strip_suffix(b"\\").unwrap_or(line);
            line.strip_suffix(b"\\n").unwrap_or(line)
        }
        Form::Json => line.strip_suffix(b"\\r").unwrap_or(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_their_form_has_it() {
        for (form, bytes, from, expected) in [
            (Form::Plain, &b"ab\ncd"[..], 0, End::Line(2, 3)),
            (Form::Plain, b"ab\ncd", 3, End::More(5)),
            (Form::Script, b"ab\\n\\\ncd", 0, End::Line(5, 6)),
            (Form::Json, b"ab\\ncd", 0, End::Line(2, 4)),
            (Form::Json, b"ab\\ncd", 4, End::More(6)),
            (Form::Json, b"a\\\"b\\\\n\\n", 0, End::Line(7, 9)),
            (Form::Json, b"a\\\"b\"c", 0, End::Text(4)),
            (Form::Json, b"ab\\", 0, End::More(2)),
            (Form::Json, b"", 0, End::More(0)),
        ] {
            assert_eq!(end(form, bytes, from), expected, "{form:?} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn ends_of_lines_are_no_content() {
        for (form, line, content) in [
            (Form::Plain, &b"ab \r"[..], &b"ab "[..]),
            (Form::Plain, b"ab\\n\\", b"ab\\n\\"),
            (Form::Script, b"ab\\n\\", b"ab"),
            (Form::Script, b"ab\\n\\\r", b"ab"),
            (Form::Script, b"ab\\n", b"ab"),
            (Form::Script, b"ab", b"ab"),
            (Form::Json, b"ab\\r", b"ab"),
        ] {
            assert_eq!(trim(form, line), content);
        }
    }
}
