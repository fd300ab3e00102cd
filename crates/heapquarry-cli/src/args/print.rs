//! How reports are printed.
//!
//! Groups of options have no documentation comments: clap would take them for the help of the verbs that have them.

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

// Report options.
#[derive(Args, Debug)]
pub(crate) struct Print {
    /// Report format
    #[arg(long, value_parser = forms(&["text", "json", "markdown"]), default_value = "text")]
    pub(crate) format: Form,

    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

// Options of reports with checks.
#[derive(Args, Debug)]
pub(crate) struct PrintChecks {
    /// Report format; github prints annotations, and appends Markdown to the file GITHUB_STEP_SUMMARY; html is a page
    /// without scripts
    #[arg(long, value_parser = forms(&["text", "json", "markdown", "junit", "github", "html"]), default_value = "text")]
    pub(crate) format: Form,

    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

// Options of reports with checks and figures.
#[derive(Args, Debug)]
pub(crate) struct PrintFigures {
    /// Report format; github prints annotations, and appends Markdown to the file GITHUB_STEP_SUMMARY; bencher
    /// (bencher.dev) and benchmark-action (github-action-benchmark) print figures for histories
    #[arg(
        long,
        value_parser = forms(&["text", "json", "markdown", "junit", "github", "html", "bencher", "benchmark-action"]),
        default_value = "text"
    )]
    pub(crate) format: Form,

    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// A report format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Markdown,
    Junit,
    Github,
    Html,
    Bencher,
    BenchmarkAction,
}

impl Form {
    /// Whether it has figures, with or without limits.
    pub(crate) fn has_measures(self) -> bool {
        matches!(self, Form::Bencher | Form::BenchmarkAction)
    }
}

pub(super) fn forms(names: &'static [&'static str]) -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(names).map(|name| match name.as_str() {
        "json" => Form::Json,
        "markdown" => Form::Markdown,
        "junit" => Form::Junit,
        "github" => Form::Github,
        "html" => Form::Html,
        "bencher" => Form::Bencher,
        "benchmark-action" => Form::BenchmarkAction,
        _ => Form::Text,
    })
}
