//! The native part of the Python package `heapquarry`: what reads, waits and hands over Arrow data. Everything that
//! only arranges this for people is written in Python, beside it.
#![forbid(unsafe_code)]

mod destination;
mod error;
mod files;
mod input;
mod redaction;
mod report;
mod run;
mod session;
mod source;
mod stream;
mod tables;

use heapquarry_cli::allocator::{self, Allocator};
use std::alloc::System;

// Not mimalloc: 3.3 in a library that is loaded at run time crashes beside another one, such as that of pyarrow
// (microsoft/mimalloc#1287).
#[global_allocator]
static ALLOCATOR: Allocator<System> = Allocator(System);

#[pyo3::pymodule(gil_used = false)]
mod _native {
    use super::{
        destination, files, input, redaction, report, run, session, source, stream,
        tables as stored,
    };
    use pyo3::prelude::*;

    #[pymodule_export]
    use destination::Destination;
    #[pymodule_export]
    use files::{export, page};
    #[pymodule_export]
    use input::{
        Converted, Document, Entry, Recognised, convert, document_count, info, inputs, log,
        recognise,
    };
    #[pymodule_export]
    use redaction::Redaction;
    #[pymodule_export]
    use report::{Report, ask};
    #[pymodule_export]
    use run::Run;
    #[pymodule_export]
    use session::Session;
    #[pymodule_export]
    use source::Source;
    #[pymodule_export]
    use stored::{Tables, mentions_analysis, remove_temporary};
    #[pymodule_export]
    use stream::{Batch, Stream, schema, tables};

    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "its type is that of PyO3")]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let _ = module;
        super::allocator::prepare();
        Ok(())
    }

    /// Runs the command with the arguments of the process, and returns its exit code.
    #[pyfunction]
    fn command(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| heapquarry_cli::command(args))
    }
}
