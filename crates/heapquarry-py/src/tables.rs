//! Inputs as tables, for a database.

use crate::{
    input::{all, spelling},
    run::Run,
    source::Source,
};
use heapquarry::{
    ConvertOptions,
    cache::{self, Cache},
    views::Views,
};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The tables of inputs, and what makes views over them. They stay as they are until it is closed.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Tables {
    /// Statements for DuckDB.
    #[pyo3(get)]
    views: String,
    held: Mutex<Vec<cache::Tables>>,
}

#[pymethods]
impl Tables {
    /// They come from the cache of the user, if it is wanted.
    #[new]
    fn new(
        py: Python<'_>,
        sources: Vec<PyRef<'_, Source>>,
        names: &str,
        analyze: bool,
        cached: bool,
        run: &Run,
    ) -> PyResult<Self> {
        let sources = all(&sources);
        let options = ConvertOptions::default().names(spelling(names)?).analyze(analyze);
        let (tables, views) = run.wait(py, |run| {
            let options = options.clone().run(run.clone());
            let cache = if cached { Some(Cache::of_user()?) } else { None };
            let tables = sources.iter().map(|source| match &cache {
                Some(cache) => cache.tables(source, &options),
                None => cache::temporary(source, &options),
            });
            let tables = tables.collect::<heapquarry::Result<Vec<_>>>()?;
            let views = Views::of_inputs(sources.iter().zip(&tables))?.comments(false).sql();
            Ok((tables, views))
        })?;
        Ok(Tables { views, held: Mutex::new(tables) })
    }

    /// Gives the tables back.
    fn close(&self, py: Python<'_>) {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        py.detach(|| drop(held));
    }
}
