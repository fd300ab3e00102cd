//! The questions, and their answers as text and JSON.

use crate::{run::Run, source::Source};
use heapquarry::report::{self, html, markdown, text};
use heapquarry_query::{
    Answer, By, Check, Diff, Find, Leaks, Question, Session, Show, Summary, Why,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{io, path::PathBuf};

/// An answer.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Report {
    answer: Box<dyn Answer>,
    report: report::Report,
}

impl Report {
    fn of(answer: impl Answer + 'static) -> Self {
        Report { report: answer.report(), answer: Box::new(answer) }
    }
}

#[pymethods]
impl Report {
    /// What the command prints with `--json`.
    fn json(&self) -> PyResult<String> {
        print(|out| self.answer.write_json(false, out))
    }

    /// What the command prints; without a width, lines are not cut.
    #[pyo3(signature = (width=None))]
    fn text(&self, width: Option<usize>) -> PyResult<String> {
        print(|out| text::write(&self.report, text::Style { width, color: false }, out))
    }

    fn markdown(&self) -> PyResult<String> {
        print(|out| markdown::write(&self.report, out))
    }

    /// Headings and tables without scripts or styles, for a page that has its own.
    fn html(&self) -> PyResult<String> {
        print(|out| html::write(&self.report, out))
    }

    /// What exceeds its limit, a sentence for each finding, with the number and the limit.
    #[getter]
    fn exceeded(&self) -> Vec<String> {
        self.report.exceeded_in_words()
    }

    /// The command: `heapquarry diff`.
    #[getter]
    fn command(&self) -> &str {
        &self.report.command
    }

    /// Whether all limits are kept.
    #[getter]
    fn passed(&self) -> bool {
        self.report.exceeded().next().is_none()
    }
}

fn print(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> PyResult<String> {
    let mut out = Vec::new();
    write(&mut out)?;
    Ok(String::from_utf8(out)?)
}

/// The object of an id, or those of classes.
#[derive(FromPyObject)]
pub(crate) enum Of {
    #[pyo3(transparent)]
    Id(i64),
    #[pyo3(transparent)]
    Classes(Vec<String>),
}

impl Of {
    /// The id, or else the names of classes.
    fn parts(self) -> (Option<i64>, Vec<String>) {
        match self {
            Of::Id(id) => (Some(id), Vec::new()),
            Of::Classes(names) => (None, names),
        }
    }
}

fn all(sources: &[PyRef<'_, Source>]) -> Vec<heapquarry::Source> {
    sources.iter().map(|source| source.0.clone()).collect()
}

/// What sizes and times are put together by.
fn by_of(by: Option<&str>) -> PyResult<Option<By>> {
    let wrong = |error: String| PyValueError::new_err(format!("by: {error}"));
    by.map(|by| by.parse().map_err(wrong)).transpose()
}

/// What is in an input.
#[pyfunction]
pub(crate) fn summary(
    py: Python<'_>,
    source: &Source,
    top: Option<usize>,
    by: Option<&str>,
    run: &Run,
) -> PyResult<Report> {
    let by = by_of(by)?;
    run.wait(py, |options| {
        Summary::default().top(top).by(by).ask(&Session::new([source.0.clone()], options))
    })
    .map(Report::of)
}

/// What keeps objects alive.
#[pyfunction]
pub(crate) fn why(
    py: Python<'_>,
    source: &Source,
    of: Of,
    top: usize,
    shortest: bool,
    new_since: Option<&Source>,
    run: &Run,
) -> PyResult<Report> {
    let (node, class) = of.parts();
    let new_since = new_since.map(|source| source.0.clone());
    let why =
        Why::default().node(node).class(class).top(top).shortest(shortest).new_since(new_since);
    run.wait(py, |options| why.ask(&Session::new([source.0.clone()], options))).map(Report::of)
}

/// What is in objects, and who holds them.
#[pyfunction]
pub(crate) fn show(
    py: Python<'_>,
    source: &Source,
    of: Of,
    offset: usize,
    top: usize,
    run: &Run,
) -> PyResult<Report> {
    let (node, class) = of.parts();
    let show = Show::default().node(node).class(class).offset(offset).top(top);
    run.wait(py, |options| show.ask(&Session::new([source.0.clone()], options))).map(Report::of)
}

/// What fits a question, which is given as JSON.
#[pyfunction]
pub(crate) fn find(
    py: Python<'_>,
    source: &Source,
    question: &str,
    new_since: Option<&Source>,
    run: &Run,
) -> PyResult<Report> {
    let find: Find =
        serde_json::from_str(question).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let find = find.new_since(new_since.map(|source| source.0.clone()));
    run.wait(py, |options| find.ask(&Session::new([source.0.clone()], options))).map(Report::of)
}

/// What grew between the first and the last of the inputs.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by name only")]
pub(crate) fn diff(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    fail_on: Vec<String>,
    output: Option<PathBuf>,
    force: bool,
    top: Option<usize>,
    engine: bool,
    noise: f64,
    runs: bool,
    base_runs: usize,
    by: Option<&str>,
    run: &Run,
) -> PyResult<Report> {
    if !noise.is_finite() || noise < 0.0 {
        return Err(PyValueError::new_err("noise: expected a share such as 0.05"));
    }
    let sources = all(&sources);
    let diff = Diff::default().fail_on(fail_on).output(output).force(force).top(top).engine(engine);
    let diff = diff.noise(noise).runs(runs).base_runs(base_runs).by(by_of(by)?);
    run.wait(py, |options| diff.ask(&Session::new(sources, options))).map(Report::of)
}

/// What leaks.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by name only")]
pub(crate) fn leaks(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    fail_on: Vec<String>,
    ignore: Vec<String>,
    top: usize,
    strict: bool,
    by: Option<&str>,
    run: &Run,
) -> PyResult<Report> {
    let sources = all(&sources);
    let leaks = Leaks::default().fail_on(fail_on).ignore(ignore).top(top).strict(strict);
    let leaks = leaks.by(by_of(by)?);
    run.wait(py, |options| leaks.ask(&Session::new(sources, options))).map(Report::of)
}

/// Whether the limits of a budget are kept.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called by name only")]
pub(crate) fn check(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    budget: Option<PathBuf>,
    baseline: Option<&Source>,
    runs: bool,
    save_baseline: Option<PathBuf>,
    init: bool,
    force: bool,
    run: &Run,
) -> PyResult<Report> {
    let sources = all(&sources);
    let baseline = baseline.map(|baseline| baseline.0.clone());
    let check = Check::default().budget(budget).baseline(baseline).runs(runs);
    let check = check.save_baseline(save_baseline).init(init).force(force);
    run.wait(py, |options| check.ask(&Session::new(sources, options))).map(Report::of)
}
