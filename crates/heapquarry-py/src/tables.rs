//! Inputs as tables, for a database.

use crate::{
    input::{all, spelling},
    run::Run,
    source::Source,
};
use heapquarry::{
    ConvertOptions, ErrorKind,
    temporary::{Folder, remove_all},
    views::{Views, literal, mention_analysis},
};
use heapquarry_store::cache::{self, Cache};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// The tables of inputs, and what makes views over them. They stay as they are until it is closed.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Tables {
    /// Statements for DuckDB: the views, and settings after which it opens nothing but their files.
    #[pyo3(get)]
    views: String,
    held: Mutex<Option<Held>>,
}

/// What DuckDB reads, and where it spills.
type Held = (Vec<cache::Tables>, Folder);

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
        let (held, views) = run.wait(py, |run| {
            let options = options.clone().run(run.clone());
            let cache = if cached { Some(Cache::of_user()?) } else { None };
            let tables = sources.iter().map(|source| match &cache {
                Some(cache) => cache.tables(source, &options),
                None => cache::temporary(source, &options),
            });
            let tables = tables.collect::<heapquarry::Result<Vec<_>>>()?;
            let views = Views::of_inputs(
                sources.iter().zip(&tables).map(|(source, tables)| tables.of(source)),
            )?
            .comments(false);
            let parent = run.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
            let folder = Folder::within(&parent).map_err(|source| ErrorKind::Input {
                path: parent,
                doing: "make a temporary folder in",
                source,
            })?;
            let spill = literal(&folder.path().join("spill").to_string_lossy());
            let views = format!(
                "{}SET temp_directory = {spill};\n{}SET lock_configuration = true;\n",
                views.sql(),
                views.confinement(&[])
            );
            Ok(((tables, folder), views))
        })?;
        Ok(Tables { views, held: Mutex::new(Some(held)) })
    }

    /// Gives the tables back.
    fn close(&self, py: Python<'_>) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(held));
    }
}

/// Whether a query mentions a table or view that only an analysis of heaps fills.
#[pyfunction]
pub(crate) fn mentions_analysis(query: &str) -> bool {
    mention_analysis(query)
}

/// Removes the temporary folders of all tables, at the end of the process.
#[pyfunction]
pub(crate) fn remove_temporary() {
    remove_all();
}
