//! Reports on standard output.

use crate::args::{Form, Print, PrintChecks, PrintFigures};
use heapquarry::Entry;
use heapquarry::report::{
    Report, bencher, benchmark_action, github, junit, markdown, printable, text,
};
use heapquarry_html::Page;
use heapquarry_query::Answer;
use std::{
    env, fs,
    io::{self, BufWriter, IsTerminal, Write},
};

impl Print {
    pub(crate) fn form(&self) -> Form {
        if self.json { Form::Json } else { self.format }
    }
}

impl PrintChecks {
    pub(crate) fn form(&self) -> Form {
        if self.json { Form::Json } else { self.format }
    }
}

impl PrintFigures {
    pub(crate) fn form(&self) -> Form {
        if self.json { Form::Json } else { self.format }
    }
}

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

/// Prints an answer. JSON is indented for people, and in one line for programs. The form for GitHub also appends it to
/// the summary of the step, if there is one.
pub(crate) fn answer(answer: &dyn Answer, report: &Report, form: Form) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match form {
        Form::Text => text::write(report, style(), &mut out)?,
        Form::Json => answer.write_json(io::stdout().is_terminal(), &mut out)?,
        Form::Markdown => markdown::write(report, &mut out)?,
        Form::Junit => junit::write(report, &mut out)?,
        Form::Html => Page::of_report(report.clone()).write(&mut out)?,
        Form::Bencher => bencher::write(report, &mut out)?,
        Form::BenchmarkAction => benchmark_action::write(report, &mut out)?,
        Form::Github => {
            github::write(report, &mut out)?;
            if let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
                append(report, path.as_ref()).map_err(|error| {
                    let path = path.display();
                    io::Error::other(format!(
                        "cannot append to {path} (GITHUB_STEP_SUMMARY): {error}"
                    ))
                })?;
            }
        }
    }
    out.flush()
}

fn append(report: &Report, path: &std::path::Path) -> io::Result<()> {
    let mut page = Vec::new();
    markdown::write(report, &mut page)?;
    // Other steps of the job write to the same page.
    page.push(b'\n');
    fs::File::options().append(true).create(true).open(path)?.write_all(&page)
}

/// The style for standard output: as wide as the terminal, and with colours if it has them.
fn style() -> text::Style {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let terminal = io::stdout().is_terminal();
    let dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
    text::Style {
        width: terminal.then(columns).flatten(),
        color: terminal && !dumb && !is_set("NO_COLOR"),
    }
}

pub(crate) fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0))
}
