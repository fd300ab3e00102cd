//! Inputs: paths, bytes, and what Python's file objects say.

use crate::error::exception;
use heapquarry::{ErrorKind, Head, Source as Input};
use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

/// An input, or one document of it.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Source(pub(crate) Input);

#[pymethods]
impl Source {
    /// A path; `path#2` selects a document.
    #[staticmethod]
    fn path(path: PathBuf) -> Self {
        Source(OsString::from(path).into())
    }

    /// Bytes in memory, which are not copied.
    #[staticmethod]
    fn bytes(name: PathBuf, content: PyBackedBytes) -> Self {
        Source(Input::bytes(name, content))
    }

    /// What `read(size)` returns until it returns nothing: it is written to an unnamed temporary file, because each
    /// table is a pass of its own over the input. Its first MiB must look like a known format, and `max_spool` is the
    /// limit of its bytes.
    #[staticmethod]
    #[pyo3(signature = (name, read, max_spool=None))]
    fn spool(
        py: Python<'_>,
        name: PathBuf,
        read: &Bound<'_, PyAny>,
        max_spool: Option<u64>,
    ) -> PyResult<Self> {
        const CHUNK: usize = 1 << 20;
        let mut file = tempfile::tempfile()?;
        let mut head = Head::new(&name);
        let mut left = max_spool.unwrap_or(u64::MAX);
        loop {
            let chunk = read.call1((CHUNK,))?.cast_into::<PyBytes>()?;
            if chunk.as_bytes().is_empty() {
                break;
            }
            head.take(chunk.as_bytes()).map_err(|error| exception(py, &error))?;
            left = left.checked_sub(chunk.as_bytes().len() as u64).ok_or_else(|| {
                let limit = max_spool.unwrap_or(u64::MAX);
                let why = format!("its temporary file would exceed max_spool={limit} bytes");
                let source = io::Error::other(why);
                let (path, doing) = (name.clone(), "spool");
                exception(py, &ErrorKind::Input { path, doing, source }.into())
            })?;
            let bytes: PyBackedBytes = chunk.into();
            py.detach(|| file.write_all(&bytes))?;
            py.check_signals()?;
        }
        Ok(Source(Input::positional(name, Spooled { size: file.metadata()?.len(), file })))
    }

    fn __repr__(&self) -> String {
        heapquarry::report::printable(&self.0.to_string()).into_owned()
    }

    /// Its path or name, without the number of a document.
    #[getter]
    fn name(&self) -> PathBuf {
        self.0.path.clone()
    }
}

/// A temporary file, which many threads read.
struct Spooled {
    file: File,
    size: u64,
}

impl heapquarry::Input for Spooled {
    fn size(&self) -> u64 {
        self.size
    }

    #[cfg(unix)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buf, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buf, offset)
    }
}
