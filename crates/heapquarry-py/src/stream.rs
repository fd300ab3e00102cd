//! Tables as Arrow data, by the PyCapsule interface.

use crate::{
    error::exception,
    input::{all, spelling},
    run::{PULSE, Run, Watch},
    source::Source,
};
use arrow_array::{
    Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema},
    ffi_stream::FFI_ArrowArrayStream,
};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use heapquarry::{BatchOptions, TableBatches};
use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError},
    prelude::*,
    types::PyCapsule,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread::{self, ThreadId},
    time::Duration,
};

/// How long the lock of the interpreter is kept while there is nothing to hand over.
const PATIENCE: Duration = Duration::from_millis(2);

/// Name, meaning, and columns of a table.
type Declared = (&'static str, &'static str, Vec<Column>);
/// Name, type and meaning of a column, the symbol of its unit, whether it can be NULL, and what its times are.
type Column =
    (&'static str, String, &'static str, Option<&'static str>, bool, Option<&'static str>);

/// All tables that there are.
#[pyfunction]
pub(crate) fn tables() -> Vec<Declared> {
    let all = heapquarry::tables::all().map(|table| {
        let schema = table.schema();
        let columns = table.columns.iter().zip(schema.fields());
        let columns = columns.map(|(c, field)| {
            let (ty, unit) = (field.data_type().to_string(), c.unit.map(|unit| unit.symbol()));
            (c.name, ty, c.doc, unit, c.nullable, c.time.map(|time| time.name()))
        });
        (table.name, table.doc, columns.collect())
    });
    all.collect()
}

/// The columns of a table that are asked for, and the places in the order of asking of those that are read; all columns
/// if none is named.
struct Wanted {
    names: Vec<String>,
    schema: SchemaRef,
    order: Vec<usize>,
}

impl Wanted {
    fn new(py: Python<'_>, table: &str, columns: &[String]) -> PyResult<Self> {
        let names: Vec<_> = columns.iter().map(|column| format!("{table}.{column}")).collect();
        let read = heapquarry::schema(table, &names).map_err(|error| exception(py, &error))?;
        let mut order: Vec<usize> = (0..read.fields().len()).collect();
        order.sort_by_key(|&at| columns.iter().position(|name| name == read.field(at).name()));
        let schema = Arc::new(read.project(&order).map_err(wrong)?);
        Ok(Wanted { names, schema, order })
    }
}

/// The capsule with the schema of a table.
#[pyfunction]
pub(crate) fn schema<'py>(
    py: Python<'py>,
    table: &str,
    columns: Vec<String>,
) -> PyResult<Bound<'py, PyCapsule>> {
    schema_capsule(py, &Wanted::new(py, table, &columns)?.schema)
}

fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(wrong)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

fn wrong(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The rows of a table, once. Iterated, or handed over as a whole by `__arrow_c_stream__`.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Stream {
    rows: Mutex<Option<Rows>>,
    /// The exception that ended it early.
    failure: Failure,
}

type Failure = Arc<Mutex<Option<Ended>>>;

/// Why a stream ended early. It becomes an exception when somebody asks: threads that read must not wait for the
/// interpreter.
enum Ended {
    Raised(PyErr),
    Failed(heapquarry::Error),
}

#[pymethods]
impl Stream {
    /// Starts to read a table on all threads. After `limit` rows the stream ends, and so does the work.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "called in one place")]
    fn new(
        py: Python<'_>,
        sources: Vec<PyRef<'_, Source>>,
        table: &str,
        columns: Vec<String>,
        names: &str,
        analyze: bool,
        batch_rows: Option<usize>,
        limit: Option<usize>,
        run: &Run,
    ) -> PyResult<Self> {
        let sources = all(&sources);
        let wanted = Wanted::new(py, table, &columns)?;
        let (options, watch) = run.start(py);
        let mut how = BatchOptions::default()
            .names(spelling(names)?)
            .analyze(analyze)
            .columns(wanted.names.clone())
            .run(options);
        let left = limit.unwrap_or(usize::MAX);
        if let Some(rows) = batch_rows.into_iter().chain(limit).min() {
            how.batch_rows = rows.clamp(1, 1 << 24);
        }
        let batches = heapquarry::reader(&sources, table, &how);
        let batches = batches.map_err(|error| exception(py, &error))?;
        let failure = Failure::default();
        let owner = thread::current().id();
        let rows = Rows {
            batches,
            wanted,
            left,
            watch,
            owner,
            is_foreign: false,
            failure: failure.clone(),
        };
        Ok(Stream { rows: Mutex::new(Some(rows)), failure })
    }

    /// A stream without rows.
    #[staticmethod]
    fn empty<'py>(
        py: Python<'py>,
        table: &str,
        columns: Vec<String>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = Wanted::new(py, table, &columns)?.schema;
        let rows = RecordBatchIterator::new(std::iter::empty(), schema);
        capsule(py, rows)
    }

    /// Raises the exception that ended the stream, if one did. Consumers only know its text.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Ended::Raised(failure)) => Err(failure),
            Some(Ended::Failed(error)) => Err(exception(py, &error)),
            None => Ok(()),
        }
    }

    /// Ends the work.
    fn close(&self, py: Python<'_>) {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(rows));
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A request: who cannot grant it returns its own schema.
        let _ = requested_schema;
        capsule(py, self.take()?)
    }

    /// The stream for a consumer that will not ask `check`: an interrupt is raised again once it returns.
    fn hand_over<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule(py, Rows { is_foreign: true, ..self.take()? })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        // Nobody else is let in meanwhile: who pulls from two threads waits for the first.
        let next = py.detach(|| {
            let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
            rows.as_mut().and_then(Iterator::next)
        });
        match next {
            Some(Ok(batch)) => Ok(Some(Batch(batch))),
            Some(Err(error)) => {
                self.check(py)?;
                Err(wrong(error))
            }
            None => Ok(None),
        }
    }
}

impl Stream {
    fn take(&self) -> PyResult<Rows> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).take();
        rows.ok_or_else(|| PyRuntimeError::new_err("the stream was read before"))
    }
}

fn capsule<'py>(
    py: Python<'py>,
    rows: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(rows));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// What pulls batches and looks for interrupts meanwhile.
struct Rows {
    batches: TableBatches,
    wanted: Wanted,
    /// Rows that may still be handed over.
    left: usize,
    watch: Watch,
    /// The thread that asked for the stream: it may be the one that gets interrupts. Consumers that pull on threads of
    /// their own look for interrupts themselves, and may hold what the interpreter waits for.
    owner: ThreadId,
    /// Whether nobody will ask for the exception that ends the stream.
    is_foreign: bool,
    failure: Failure,
}

impl Rows {
    fn wait(&mut self) -> Option<ArrowError> {
        if self.batches.wait(PATIENCE) || thread::current().id() != self.owner {
            return None;
        }
        // `None` while the interpreter ends: then there is nobody to interrupt.
        let looked = Python::try_attach(|py| {
            let mut looked = self.watch.look(py);
            while looked.is_ok() && !py.detach(|| self.batches.wait(PULSE)) {
                looked = self.watch.look(py);
            }
            looked.err().map(|failure| self.stop(py, failure))
        });
        looked?.map(|text| ArrowError::ExternalError(text.into()))
    }

    /// Ends the stream with an exception. Returns what the consumer gets of it.
    fn stop(&self, py: Python<'_>, failure: PyErr) -> String {
        let is_interrupt = failure.is_instance_of::<PyKeyboardInterrupt>(py);
        let text = if is_interrupt { "interrupted".into() } else { failure.to_string() };
        self.fail(Ended::Raised(failure));
        if is_interrupt && self.is_foreign {
            // Last: from here on the interpreter raises it as soon as it looks.
            let _ = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
        }
        text
    }

    /// Tells that all is done.
    fn end(&mut self) {
        if thread::current().id() == self.owner
            && let Some(Err(failure)) = Python::try_attach(|py| self.watch.tell(py))
        {
            self.fail(Ended::Raised(failure));
        }
    }

    /// Keeps the exception for an error. Returns what the consumer gets of it.
    fn put_aside(&self, error: ArrowError) -> ArrowError {
        let ArrowError::ExternalError(inner) = error else { return error };
        match inner.downcast::<heapquarry::Error>() {
            Ok(error) => {
                let text = crate::error::text(&error);
                self.fail(Ended::Failed(*error));
                ArrowError::ExternalError(text.into())
            }
            Err(other) => ArrowError::ExternalError(other),
        }
    }

    fn fail(&self, failure: Ended) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        if let Some(interrupted) = self.wait() {
            return Some(Err(interrupted));
        }
        let Some(next) = self.batches.next() else {
            self.end();
            return None;
        };
        let batch = next.map_err(|error| self.put_aside(error));
        Some(batch.and_then(|batch| {
            let rows = batch.num_rows().min(self.left);
            self.left -= rows;
            batch.slice(0, rows).project(&self.wanted.order)
        }))
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        self.wanted.schema.clone()
    }
}

/// Some rows of a table.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Batch(RecordBatch);

#[pymethods]
impl Batch {
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let data = StructArray::from(self.0.clone()).into_data();
        let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&data), c"arrow_array")?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }
}
