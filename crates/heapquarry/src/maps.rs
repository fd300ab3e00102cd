//! The source maps of an input, and what is said of them.

use crate::RunOptions;
use heapquarry_graph::script_file;
use heapquarry_input::maps_beside;
use heapquarry_names::{Found, Place, Script, SourceMaps, StoredMap};
use std::{path::Path, sync::Arc};

/// The source maps of an input: those that are given, and those that `capture` stored beside it.
pub(crate) struct Maps {
    given: Option<Arc<SourceMaps>>,
    stored: Vec<StoredMap>,
    /// Why those that are stored cannot be used.
    trouble: Option<String>,
    /// Whether no file is read because the input names it.
    is_confined: bool,
}

impl Maps {
    /// Those of the input at a path; `None` if there are none. What is redacted has no names of sources: they would
    /// tell what was taken out.
    pub(crate) fn of(path: &Path, run: &RunOptions) -> Option<Self> {
        let given = run.source_maps.clone();
        let stored = match run.redaction {
            None => maps_beside(path),
            Some(_) => Ok(Vec::new()),
        };
        let (stored, trouble) = match stored {
            Ok(stored) => (stored, None),
            Err(error) => (Vec::new(), Some(format!("source maps are not used: {error}"))),
        };
        let is_some = given.is_some() || !stored.is_empty() || trouble.is_some();
        is_some.then_some(Maps { given, stored, trouble, is_confined: run.is_confined })
    }

    /// The originals of the places of scripts.
    pub(crate) fn originals(&self, scripts: &[(Script<'_>, Vec<Place>)]) -> Found {
        let own_files = !self.is_confined;
        let found = match &self.given {
            Some(given) => given.originals(scripts, &self.stored, own_files),
            None => SourceMaps::default().originals(scripts, &self.stored, own_files),
        };
        let warnings = self.trouble.iter().cloned().chain(found.warnings).collect();
        Found { warnings, ..found }
    }

    /// Whether somebody gave maps, and wants to know what they are not used for.
    pub(crate) fn are_given(&self) -> bool {
        self.given.is_some()
    }

    /// Says which scripts have no map, if maps are given.
    pub(crate) fn missing<'a>(
        &self,
        scripts: impl Iterator<Item = (&'a str, bool)>,
    ) -> Option<String> {
        if self.are_given() { without_map(scripts) } else { None }
    }
}

/// Whether `capture` stored source maps beside an input.
pub fn has_maps_beside(path: &Path) -> bool {
    !matches!(maps_beside(path).as_deref(), Ok([]))
}

/// Names of scripts in a remark.
const MOST_NAMES: usize = 5;

/// Says which scripts have no map.
fn without_map<'a>(scripts: impl Iterator<Item = (&'a str, bool)>) -> Option<String> {
    let (mut total, mut none) = (0, Vec::new());
    for (name, has_map) in scripts {
        total += 1;
        if !has_map {
            none.push(script_file(name));
        }
    }
    if none.is_empty() {
        return None;
    }
    let (count, names) = (none.len(), none[..none.len().min(MOST_NAMES)].join(", "));
    let more = if count > MOST_NAMES { ", …" } else { "" };
    Some(format!("{count} of {total} scripts have no source map: {names}{more}"))
}

/// Says that source maps are not used for a converted directory, if there are some.
pub fn unused_for_tables(dir: &Path, run: &RunOptions) {
    if run.source_maps.is_some() {
        let dir = dir.display();
        let why = "its tables are taken as they are";
        run.progress.remark(&format!("source maps are not used for {dir}: {why}"));
    }
}
