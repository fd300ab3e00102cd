//! The questions, and their answers as text and JSON.

use crate::{input::all, run::Run, session::Session, source::Source};
use heapquarry::report::{self, html, markdown, text};
use heapquarry_query::Answer;
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{io, path::PathBuf};

/// An answer.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Report {
    answer: Box<dyn Answer>,
    report: report::Report,
}

impl Report {
    fn of(answer: Box<dyn Answer>) -> Self {
        Report { report: answer.report(), answer }
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

/// Asks the question of a verb about the inputs of sessions, one after the other. Its options are JSON. Inputs that
/// options name are `named`, other paths are `paths`, each in the order of the options: JSON says nothing of bytes, or
/// of how an input is read, and its paths are UTF-8.
#[pyfunction]
pub(crate) fn ask(
    py: Python<'_>,
    verb: &str,
    options: &str,
    inputs: Vec<PyRef<'_, Session>>,
    named: Vec<PyRef<'_, Source>>,
    paths: Vec<PathBuf>,
    run: &Run,
) -> PyResult<Report> {
    let question = heapquarry_query::question(verb, options);
    let mut question = question.map_err(|error| PyValueError::new_err(error.to_string()))?;
    for (place, source) in question.named_sources().into_iter().zip(all(&named)) {
        *place = source;
    }
    for (place, path) in question.named_paths().into_iter().zip(paths) {
        *place = path;
    }
    let inputs = Session::joined(&inputs);
    run.wait(py, |options| question.answer(&inputs.under(options))).map(Report::of)
}
