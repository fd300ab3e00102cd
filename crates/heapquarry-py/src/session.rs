//! Inputs that stay in memory between questions.

use crate::{input::all, source::Source};
use heapquarry::RunOptions;
use heapquarry_query::Session as Inputs;
use pyo3::prelude::*;

/// Inputs, and what questions have read and analysed of them.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Session(Inputs);

impl Session {
    /// The inputs of several sessions, with what is known of them.
    pub(crate) fn joined(sessions: &[PyRef<'_, Self>]) -> Inputs {
        Inputs::joined(sessions.iter().map(|session| &session.0), &RunOptions::default())
    }
}

#[pymethods]
impl Session {
    /// Nothing is read yet: the first question reads.
    #[new]
    fn new(sources: Vec<PyRef<'_, Source>>) -> Self {
        Session(Inputs::new(all(&sources), &RunOptions::default()))
    }

    /// Memory that its inputs take, in bytes, about.
    #[getter]
    fn held(&self) -> u64 {
        self.0.held()
    }
}
