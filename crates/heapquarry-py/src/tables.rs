//! Inputs as directories of tables, for a database.

use crate::{
    input::{all, spelling},
    run::Run,
    source::Source,
};
use heapquarry::{
    ConvertOptions,
    cache::{self, Cache},
    convert,
};
use pyo3::prelude::*;
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};
use tempfile::TempDir;

/// A directory of tables. It stays as it is until it is closed.
#[pyclass(frozen, module = "heapquarry._native")]
pub(crate) struct Tables {
    #[pyo3(get)]
    path: PathBuf,
    held: Mutex<Option<Held>>,
}

/// What keeps the directory.
enum Held {
    One {
        _tables: cache::Tables,
    },
    /// Several inputs, whose tables are temporary.
    Several {
        _dir: TempDir,
    },
}

#[pymethods]
impl Tables {
    /// The tables of one input come from the cache of the user, if it is wanted.
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
        if let [source] = &sources[..] {
            let tables = run.wait(py, |run| {
                let options = options.clone().run(run.clone());
                match cached {
                    true => Cache::of_user()?.tables(source, &options),
                    false => cache::temporary(source, &options),
                }
            })?;
            let path = tables.path().to_path_buf();
            return Ok(Tables { path, held: Mutex::new(Some(Held::One { _tables: tables })) });
        }
        let dir = tempfile::Builder::new().prefix("heapquarry-").tempdir()?;
        let path = dir.path().join("tables");
        run.wait(py, |run| convert(&sources, &path, &options.clone().run(run.clone())))?;
        Ok(Tables { path, held: Mutex::new(Some(Held::Several { _dir: dir })) })
    }

    /// Gives the directory back.
    fn close(&self, py: Python<'_>) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(held));
    }
}
