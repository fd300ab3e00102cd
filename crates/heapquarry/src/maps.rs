//! The source maps of an input, and what is said of them.

use crate::{RunOptions, memory};
use heapquarry_graph::script_file;
use heapquarry_input::{maps_beside, maps_file};
use heapquarry_names::{Access, Found, Place, Script, SourceMaps, StoredMap};
use std::{
    fmt::Display,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// The source maps of an input: those that are given, and those of the program that it was captured of.
pub(crate) struct Maps {
    given: Option<Arc<SourceMaps>>,
    /// The capture that has some beside it.
    capture: Option<PathBuf>,
    /// Those, once a name is asked for, or those of the program that was just captured, or why they cannot be used.
    stored: OnceLock<Result<Arc<[StoredMap]>, String>>,
    access: Access,
}

impl Maps {
    /// Those of the input at a path; `None` if nothing says that there are some. What is redacted has no names of
    /// sources: they would tell what was taken out.
    pub(crate) fn of(path: &Path, run: &RunOptions) -> Option<Self> {
        let given = run.source_maps.clone();
        let is_beside = run.redaction.is_none() && maps_file(path).is_some();
        let capture = is_beside.then(|| path.to_owned());
        let of_program = &run.captured_maps;
        let is_captured = run.redaction.is_none() && !of_program.is_empty();
        let is_some = given.is_some() || capture.is_some() || is_captured;
        let stored = match is_captured {
            true => OnceLock::from(Ok(of_program.clone())),
            false => OnceLock::new(),
        };
        let room = memory::limit(run).map(|(limit, _)| limit.saturating_sub(run.held));
        let access = Access { own_files: !run.is_confined, room };
        is_some.then_some(Maps { given, capture, stored, access })
    }

    /// Those beside the input, which are read once.
    fn stored(&self, access: Access) -> Result<&[StoredMap], &str> {
        let unused = |why: &dyn Display| format!("source maps are not used: {why}");
        let read = || {
            let Some(capture) = &self.capture else { return Ok(Arc::default()) };
            if let Some(file) = maps_file(capture) {
                // Its text, and the maps in it.
                let needed = fs::metadata(&file).map_or(0, |found| 2 * found.len());
                let fits = access.check(needed);
                fits.map_err(|why| unused(&format!("{}: {why}", file.display())))?;
            }
            maps_beside(capture).map(Into::into).map_err(|error| unused(&error))
        };
        self.stored.get_or_init(read).as_deref().map_err(String::as_str)
    }

    /// The originals of the places of scripts. `taken`: bytes of memory that the input itself takes meanwhile.
    pub(crate) fn originals(&self, scripts: &[(Script<'_>, Vec<Place>)], taken: u64) -> Found {
        let access = self.access.less(taken);
        let (stored, trouble) = match self.stored(access) {
            Ok(stored) => (stored, None),
            Err(trouble) => (&[][..], Some(trouble.to_owned())),
        };
        let access = access.less(stored.iter().map(|stored| stored.map.len() as u64).sum());
        let found = match &self.given {
            Some(given) => given.originals(scripts, stored, access),
            None => SourceMaps::default().originals(scripts, stored, access),
        };
        let warnings = trouble.into_iter().chain(found.warnings).collect();
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
