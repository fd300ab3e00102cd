//! Where the executors of a cluster put tables.

use crate::{error::exception, run::Run};
use heapquarry::Result;
use heapquarry_store::batch;
use pyo3::prelude::*;
use std::{borrow::Cow, collections::HashMap, path::PathBuf};

/// A folder or an address. Names are paths below it, with `/`.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Destination(PathBuf);

#[pymethods]
impl Destination {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = batch::Destination::new(&path);
        opened.map(|_| Destination(path)).map_err(|error| exception(py, &error))
    }

    /// The files whose names begin so, with their sizes in bytes.
    fn files(&self, py: Python<'_>, prefix: &str) -> PyResult<HashMap<String, u64>> {
        self.wait(py, |there| there.files(prefix))
    }

    /// The content of a file; `None` if there is none.
    fn read(&self, py: Python<'_>, name: &str) -> PyResult<Option<Cow<'static, [u8]>>> {
        Ok(self.wait(py, |there| there.read(name))?.map(Cow::Owned))
    }

    /// Moves a local file there.
    fn put(&self, py: Python<'_>, file: PathBuf, name: &str) -> PyResult<()> {
        self.wait(py, |there| there.put(&file, name))
    }

    /// Removes a file, if it is there.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.wait(py, |there| there.remove(name))
    }
}

impl Destination {
    /// Waits without the lock of the interpreter, until an interrupt.
    fn wait<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&batch::Destination) -> Result<T> + Send,
    ) -> PyResult<T> {
        Run::plain().wait(py, |options| work(&batch::Destination::until(&self.0, &options.cancel)?))
    }
}
