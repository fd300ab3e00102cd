//! The forms of answers, and how each is written.

use crate::print;
use heapquarry::report::{Report, bencher, benchmark_action, github, junit, markdown, text};
use heapquarry_html::Page;
use heapquarry_query::Answer;
use std::{
    env, fs,
    io::{self, BufWriter, IsTerminal, Write},
    path::Path,
};

/// A form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    /// JSON that fits a context: --json --brief, never --format.
    Brief,
    Markdown,
    Junit,
    Github,
    Html,
    Bencher,
    BenchmarkAction,
}

impl Form {
    /// Those of every answer.
    pub(crate) const OF_ALL: &[Self] = &[Form::Text, Form::Json, Form::Markdown];
    /// Those of answers with limits.
    pub(crate) const OF_LIMITS: &[Self] =
        &[Form::Text, Form::Json, Form::Markdown, Form::Junit, Form::Github, Form::Html];
    /// Those of answers with limits and figures.
    pub(crate) const OF_FIGURES: &[Self] = &[
        Form::Text,
        Form::Json,
        Form::Markdown,
        Form::Junit,
        Form::Github,
        Form::Html,
        Form::Bencher,
        Form::BenchmarkAction,
    ];

    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Json => "json",
            Form::Brief => "brief",
            Form::Markdown => "markdown",
            Form::Junit => "junit",
            Form::Github => "github",
            Form::Html => "html",
            Form::Bencher => "bencher",
            Form::BenchmarkAction => "benchmark-action",
        }
    }

    /// Whether it has figures, with or without limits.
    pub(crate) const fn has_figures(self) -> bool {
        matches!(self, Form::Bencher | Form::BenchmarkAction)
    }

    /// Whether it has nothing but limits.
    pub(crate) const fn has_only_limits(self) -> bool {
        matches!(self, Form::Junit | Form::Github)
    }

    /// Prints an answer. JSON is indented for people, and in one line for programs. The form for GitHub also appends it
    /// to the summary of the step, if there is one.
    pub(crate) fn print(self, answer: &dyn Answer, report: &Report) -> io::Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        match self {
            Form::Text => text::write(report, style(), &mut out)?,
            Form::Json => answer.write_json(io::stdout().is_terminal(), &mut out)?,
            Form::Brief => answer.write_brief(&mut out)?,
            Form::Markdown => markdown::write(report, &mut out)?,
            Form::Junit => junit::write(report, &mut out)?,
            Form::Html => Page::of_report(report.clone()).write(&mut out)?,
            Form::Bencher => bencher::write(report, &mut out)?,
            Form::BenchmarkAction => benchmark_action::write(report, &mut out)?,
            Form::Github => {
                github::write(report, &mut out)?;
                append_to_summary(report)?;
            }
        }
        out.flush()
    }
}

/// Appends a report to the page of the step of GitHub Actions, if this is one.
fn append_to_summary(report: &Report) -> io::Result<()> {
    const VARIABLE: &str = "GITHUB_STEP_SUMMARY";
    let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) else { return Ok(()) };
    append(report, path.as_ref()).map_err(|error| {
        let path = path.display();
        io::Error::other(format!("cannot append to {path} ({VARIABLE}): {error}"))
    })
}

fn append(report: &Report, path: &Path) -> io::Result<()> {
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
        width: terminal.then(print::columns).flatten(),
        color: terminal && !dumb && !is_set("NO_COLOR"),
    }
}
