//! Messages on standard error.

use heapquarry::{Entry, report::printable};
use std::io::{self, Write};

/// Prints a message on standard error, on one line. That it is closed must not change the exit code.
pub(crate) fn message(kind: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", printable(text));
}

/// Warns of data that is missing in what was written of an input.
pub(crate) fn loss(name: &str, loss: &Entry) {
    let at = loss.offset.map_or(String::new(), |offset| format!(", byte {offset}"));
    message("warning", &format!("data is missing ({name}{at}): {}", loss.message));
}

/// Prints a message of several lines on standard error.
pub(crate) fn lines(kind: &str, text: &str) {
    let _ = writeln!(io::stderr(), "{kind}: {}", printable::lines(text.trim_end()));
}

/// Columns of the terminal that standard output is, if it is one.
pub(crate) fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0))
}
