//! Where the executors of a cluster put tables.

use crate::error::exception;
use heapquarry::{Result, batch};
use pyo3::prelude::*;
use std::{borrow::Cow, collections::HashMap, path::PathBuf};

/// A folder or an address. Names are paths below it, with `/`.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Destination(batch::Destination);

#[pymethods]
impl Destination {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = batch::Destination::new(path).map(Destination);
        opened.map_err(|error| exception(py, &error))
    }

    /// The files whose names begin so, with their sizes in bytes.
    fn files(&self, py: Python<'_>, prefix: &str) -> PyResult<HashMap<String, u64>> {
        wait(py, || self.0.files(prefix))
    }

    /// The content of a file; `None` if there is none.
    fn read(&self, py: Python<'_>, name: &str) -> PyResult<Option<Cow<'static, [u8]>>> {
        Ok(wait(py, || self.0.read(name))?.map(Cow::Owned))
    }

    /// Moves a local file there.
    fn put(&self, py: Python<'_>, file: PathBuf, name: &str) -> PyResult<()> {
        wait(py, || self.0.put(&file, name))
    }

    /// Removes a file, if it is there.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        wait(py, || self.0.remove(name))
    }
}

/// Waits without the lock of the interpreter.
fn wait<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(work).map_err(|error| exception(py, &error))
}
