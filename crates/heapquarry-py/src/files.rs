//! What is written to a file: pages, and profiles and traces for viewers.

use crate::{input::all, run::Run, source::Source};
use heapquarry::{ErrorKind, Place, write_file};
use heapquarry_export::{ExportFormat, export as write_export, export_difference};
use heapquarry_html::MARK;
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

/// Draws inputs as one HTML file. One that heapquarry drew before is replaced. Returns its path.
#[pyfunction]
pub(crate) fn page(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    output: PathBuf,
    title: Option<&str>,
    force: bool,
    run: &Run,
) -> PyResult<PathBuf> {
    let sources = all(&sources);
    run.wait(py, |options| {
        let start = heapquarry::start_of(&output, MARK.len() as u64);
        let force = force || start.as_deref() == Some(MARK.as_bytes());
        // Before the work instead of after it.
        Place::of(&output, force, &paths(&sources))?;
        let page = heapquarry_query::page(&sources, title, options)?;
        write_file(&output, force, &paths(&sources), |out| {
            let mut out = BufWriter::new(out);
            page.write(&mut out).and_then(|()| out.flush()).map_err(|source| {
                ErrorKind::Input { path: output.clone(), doing: "write", source }.into()
            })
        })
    })
}

/// Writes a profile or a trace, or the change from it to a later profile, for a viewer. Returns the path.
#[pyfunction]
pub(crate) fn export(
    py: Python<'_>,
    source: &Source,
    later: Option<&Source>,
    to: &str,
    output: PathBuf,
    force: bool,
    run: &Run,
) -> PyResult<PathBuf> {
    let to: ExportFormat =
        to.parse().map_err(|error| PyValueError::new_err(format!("to: {error}")))?;
    let sources: Vec<_> =
        [Some(source), later].into_iter().flatten().map(|s| s.0.clone()).collect();
    run.wait(py, |options| {
        write_file(&output, force, &paths(&sources), |out| {
            let out = &mut BufWriter::new(out);
            match &sources[..] {
                [before, after] => export_difference(before, after, to, out, options),
                sources => write_export(&sources[0], to, out, options),
            }
        })
    })
}

fn paths(sources: &[heapquarry::Source]) -> Vec<&Path> {
    sources.iter().map(|source| source.path.as_path()).collect()
}
