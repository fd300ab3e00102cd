//! What takes out of inputs what is private in them, before anything else reads them.

use crate::error::exception;
use heapquarry::{Level, RedactOptions, Redaction as Rules, report::printable};
use pyo3::{
    exceptions::{PyUserWarning, PyValueError},
    prelude::*,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::CString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// How the inputs of some runs are redacted: equal strings have equal tokens in all of them.
#[pyclass(frozen, module = "heapquarry._native")]
#[derive(Clone)]
pub(crate) struct Redaction {
    pub(crate) rules: Rules,
    /// Documents whose secrets have been warned of. Each is redacted whenever it is read.
    warned: Arc<Mutex<BTreeSet<String>>>,
}

#[pymethods]
impl Redaction {
    #[new]
    fn new(
        py: Python<'_>,
        level: &str,
        key: Option<PathBuf>,
        keep: Vec<String>,
        deny: Vec<String>,
    ) -> PyResult<Self> {
        let level = match level {
            "values" => Level::Values,
            "names" => Level::Names,
            "full" => Level::Full,
            _ => {
                let text = format!("redact is 'values', 'names' or 'full', not {level:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        let options = RedactOptions::default().level(level).keep(keep).deny(deny).key(key);
        let rules = Rules::new(&options).map_err(|error| exception(py, &error))?;
        Ok(Redaction { rules, warned: Arc::default() })
    }

    /// What still looked like a secret in the redacted documents so far: documents, kinds, numbers.
    fn secrets(&self) -> BTreeMap<String, BTreeMap<&'static str, u64>> {
        let hits = self.rules.hits().into_iter().map(|(name, hits)| {
            let kinds = hits.iter().map(|(kind, hit)| (kind.name(), hit.count)).collect();
            (printable(&name).into_owned(), kinds)
        });
        hits.collect()
    }
}

impl Redaction {
    /// Warns of what still looks like a secret, once for each document.
    ///
    /// # Errors
    /// If warnings are errors.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        for (name, hits) in &self.rules.hits() {
            let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
            if !warned.insert(name.clone()) {
                continue;
            }
            // A handler of warnings may read the same document.
            drop(warned);
            let kinds = hits.iter().map(|(kind, hit)| format!("{}: {}", kind.name(), hit.count));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            let name = printable(name);
            let text = format!("what looks like secrets is left ({name}): {kinds}");
            // Printable text has no zeros.
            let text = CString::new(text).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
        }
        Ok(())
    }
}
