//! Detects ftrace text.

use super::{
    line::{self, Line},
    lines::{self, End, Form},
};
use crate::without_mark;

/// Number of lines that are examined.
const LINES: usize = 100;

/// Whether a document is ftrace text.
pub(crate) fn recognises(head: &[u8]) -> bool {
    let head = without_mark(head);
    !is_json(head) && begins(form(head), head)
}

/// Whether it begins like JSON objects or arrays, whose text on one line can contain rows.
fn is_json(head: &[u8]) -> bool {
    head.iter().find(|byte| !byte.is_ascii_whitespace() && **byte != b'[') == Some(&b'{')
}

/// Whether a JSON string is ftrace text, by the bytes after its quote.
pub(crate) fn recognises_string(head: &[u8]) -> bool {
    begins(Form::Json, head)
}

/// Whether the first significant line is a tracer's header, or an event.
fn begins(form: Form, mut rest: &[u8]) -> bool {
    for _ in 0..LINES {
        let (end, next) = match lines::end(form, rest, 0) {
            End::Line(end, next) => (end, next),
            End::Text(end) => (end, rest.len()),
            End::More(_) => (rest.len(), rest.len()),
        };
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
            (&format!("cpus=2\nCPU 1 is empty\n{row}\n"), true),
            (&format!("version = 7\ncpus=8\n{row}\n"), true),
            (&format!("cpus=many\n{row}\n"), false),
            ("# a comment\n", false),
            (&format!("hello\n{row}"), false),
            ("", false),
        ] {
            assert_eq!(recognises(head.as_bytes()), expected, "{head}");
            let head = head.trim_start_matches('\u{feff}');
            let string = serde_json::to_string(head).unwrap();
            assert_eq!(recognises_string(&string.as_bytes()[1..]), expected, "{string}");
        }
        for json in [format!("{{\"systemTraceEvents\":\"{row}\""), format!("[ {{\"a\":\"{row}\"")] {
            assert!(!recognises(json.as_bytes()), "{json}");
        }
    }
}
