//! Whether a document is ftrace text.

use super::{
    line::{self, Line},
    lines::{self, End, Form},
};

/// Lines that are looked at.
const LINES: usize = 100;

/// Whether the first line that says anything is that of a tracer, or an event.
pub(crate) fn recognises(head: &[u8]) -> bool {
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    for _ in 0..LINES {
        let (end, next) = match lines::end(Form::Plain, rest, 0) {
            End::Line(end, next) => (end, next),
            _ => (rest.len(), rest.len()),
        };
        let form = form(rest);
        let text = String::from_utf8_lossy(lines::trim(form, &rest[..end]));
        match line::parse(&text) {
            Line::Event(_) => return true,
            Line::Comment if text.starts_with("# tracer:") => return true,
            Line::Comment | Line::Lost { .. } => {}
            Line::Unknown => return false,
        }
        rest = &rest[next..];
        if rest.is_empty() {
            break;
        }
    }
    false
}

/// The form of a text, by the end of its first line.
pub(super) fn form(head: &[u8]) -> Form {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.ends_with(b"\\n\\") { Form::Script } else { Form::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells() {
        let row = "x-1 [000] 1.5: a: b";
        for (head, expected) in [
            ("# tracer: nop\n", true),
            ("# tracer: nop\\n\\\n#\\n\\\n", true),
            ("\u{feff}# tracer: nop\n", true),
            (row, true),
            (&format!("\n\n# a comment\n{row}\n"), true),
            (&format!("TRACE:\n{row}\n"), true),
            (&format!("CPU:1 [LOST 5 EVENTS]\n{row}\n"), true),
            (&format!("{row}\\n\\\n"), true),
            ("# a comment\n", false),
            (&format!("hello\n{row}"), false),
            ("", false),
            ("{\"traceEvents\":[", false),
        ] {
            assert_eq!(recognises(head.as_bytes()), expected, "{head}");
        }
    }
}
