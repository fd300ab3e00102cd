//! What an input is, what is in it, and its conversion.

use crate::{run::Run, source::Source};
use heapquarry::{
    ConvertOptions, Gather, Handler, Names, ReadOptions, Sink,
    arrow_array::RecordBatch,
    report::printable,
    tables::{BATCH_TABLES, JS_HEAP_ANALYSIS_TABLES, Projection, Table},
};
use heapquarry_store::batch::BatchInput;
use pyo3::{exceptions::PyValueError, prelude::*};
use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf, str::FromStr};

/// What inputs are.
#[pyclass(frozen, get_all, module = "heapquarry._native")]
pub(crate) struct Recognised {
    format: String,
    tables: Vec<&'static str>,
}

/// A document that was read.
#[pyclass(frozen, get_all, module = "heapquarry._native")]
pub(crate) struct Document {
    path: PathBuf,
    name: String,
    format: String,
    producer: Option<String>,
    bytes: u64,
    status: &'static str,
    counts: BTreeMap<&'static str, u64>,
    defects: u64,
    log: Vec<Entry>,
}

/// A repair or a loss.
#[pyclass(frozen, get_all, eq, module = "heapquarry._native")]
#[derive(Clone, PartialEq)]
pub(crate) struct Entry {
    severity: &'static str,
    code: &'static str,
    offset: Option<u64>,
    message: String,
    occurrences: u64,
}

/// What a conversion wrote.
#[pyclass(frozen, get_all, module = "heapquarry._native")]
pub(crate) struct Converted {
    path: PathBuf,
    /// Table, file, rows, bytes.
    tables: Vec<(&'static str, String, u64, u64)>,
    documents: Vec<Py<Document>>,
    warning: Option<String>,
}

#[pymethods]
impl Document {
    fn __repr__(&self) -> String {
        format!("<Document {}: {}, {}>", self.name, self.format, self.status)
    }
}

#[pymethods]
impl Entry {
    fn __repr__(&self) -> String {
        format!("<Entry {} ({}): {}>", self.code, self.severity, self.message)
    }
}

impl Document {
    fn of(document: heapquarry::Document) -> Self {
        let safe = |text: &str| printable(text).into_owned();
        let log = document.log.iter().map(|entry| Entry {
            severity: entry.code.severity().name(),
            code: entry.code.name(),
            offset: entry.offset.map(|offset| offset.0),
            message: safe(&entry.message),
            occurrences: entry.occurrences,
        });
        Document {
            log: log.collect(),
            name: safe(&document.name),
            format: document.format.into(),
            producer: document.producer.as_deref().map(safe),
            path: document.path,
            bytes: document.bytes,
            status: document.status.name(),
            counts: document.counts.into_iter().collect(),
            defects: document.defects,
        }
    }

    fn all(py: Python<'_>, documents: Vec<heapquarry::Document>) -> PyResult<Vec<Py<Self>>> {
        documents.into_iter().map(|document| Py::new(py, Document::of(document))).collect()
    }
}

pub(crate) fn all(sources: &[PyRef<'_, Source>]) -> Vec<heapquarry::Source> {
    sources.iter().map(|source| source.0.clone()).collect()
}

/// The paths of the inputs that a folder, an address or a pattern stands for, as for `heapquarry convert --batch`.
#[pyfunction]
pub(crate) fn inputs(py: Python<'_>, text: OsString) -> PyResult<Vec<OsString>> {
    let found = Run::plain().wait(py, |options| BatchInput::all_until(text, &options.cancel))?;
    Ok(found.into_iter().map(|input| input.path.into()).collect())
}

/// What the input is.
#[pyfunction]
pub(crate) fn recognise(py: Python<'_>, source: &Source, run: &Run) -> PyResult<Recognised> {
    let found = run.wait(py, |options| heapquarry::recognise(&source.0, options))?;
    Ok(Recognised {
        format: found.format.into(),
        tables: found.tables.into_iter().map(|table| table.name).collect(),
    })
}

/// How many documents of the input can be opened by themselves.
#[pyfunction]
pub(crate) fn document_count(py: Python<'_>, source: &Source, run: &Run) -> PyResult<usize> {
    run.wait(py, |options| heapquarry::document_count(&source.0, options))
}

/// What is in inputs, as the command prints it with `--json`, and as text.
#[pyfunction]
pub(crate) fn info(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    run: &Run,
) -> PyResult<(String, String)> {
    let sources = all(&sources);
    let infos = run.wait(py, |options| {
        sources
            .iter()
            .map(|source| heapquarry::info(source, options))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let text = infos.iter().map(ToString::to_string).collect();
    Ok((heapquarry::Info::json(&infos), text))
}

/// Reads everything, and returns what the documents are and what was wrong with them.
#[pyfunction]
pub(crate) fn log(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    run: &Run,
) -> PyResult<Vec<Py<Document>>> {
    let sources = all(&sources);
    let documents = run.wait(py, |options| {
        let mut sink =
            Nothing(Projection::all().without(&JS_HEAP_ANALYSIS_TABLES).without(&BATCH_TABLES));
        heapquarry::read(&sources, &mut sink, &ReadOptions::default().run(options.clone()))
    })?;
    Document::all(py, documents)
}

/// Writes Parquet files.
#[pyfunction]
#[pyo3(signature = (sources, output, run, *, tables, columns, analyze, names, layout, compression, encodings, force, strict, mode))]
#[expect(clippy::too_many_arguments, reason = "called by name only")]
pub(crate) fn convert(
    py: Python<'_>,
    sources: Vec<PyRef<'_, Source>>,
    output: PathBuf,
    run: &Run,
    tables: Vec<String>,
    columns: Vec<String>,
    analyze: bool,
    names: &str,
    layout: &str,
    compression: &str,
    encodings: &str,
    force: bool,
    strict: bool,
    mode: Option<u32>,
) -> PyResult<Converted> {
    let sources = all(&sources);
    let options = ConvertOptions::default()
        .tables(tables)
        .columns(columns)
        .analyze(analyze)
        .names(spelling(names)?)
        .layout(parse("layout", layout)?)
        .compression(parse("compression", compression)?)
        .encodings(parse("encodings", encodings)?)
        .force(force)
        .strict(strict)
        .mode(mode);
    let converted = run.wait(py, |run| {
        heapquarry::convert(&sources, &output, &options.clone().run(run.clone()))
    })?;
    let tables = converted.tables.into_iter();
    Ok(Converted {
        path: converted.path,
        tables: tables.map(|t| (t.table.name, t.file, t.rows, t.bytes)).collect(),
        documents: Document::all(py, converted.documents)?,
        warning: converted.warning.map(|warning| printable(&warning.to_string()).into_owned()),
    })
}

/// How names are written.
pub(crate) fn spelling(names: &str) -> PyResult<Names> {
    match names {
        "text" => Ok(Names::Text),
        "id" => Ok(Names::Id),
        _ => Err(PyValueError::new_err(format!("names is 'text' or 'id', not {names:?}"))),
    }
}

fn parse<T: FromStr<Err: fmt::Display>>(what: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}

/// Decodes everything and keeps nothing.
struct Nothing(Projection);

impl Sink for Nothing {
    fn projection(&self) -> &Projection {
        &self.0
    }

    fn gather(&self) -> Gather {
        Gather::Never
    }

    fn number(&self, _: &'static Table) -> u64 {
        0
    }

    fn handler(&self) -> Box<dyn Handler + '_> {
        Box::new(Nothing(self.0.clone()))
    }

    fn rows(&mut self, _: &'static Table, _: RecordBatch) -> heapquarry::Result<()> {
        Ok(())
    }
}

impl Handler for Nothing {
    fn handle(&mut self, _: &'static Table, _: u64, _: RecordBatch) -> heapquarry::Result<()> {
        Ok(())
    }
}
