//! Which directories may be replaced: empty ones, and those whose manifest lists everything in them.

use super::MANIFEST;
use crate::{Error, ErrorKind};
use serde::Deserialize;
use std::{
    collections::HashSet,
    fs::{self, Metadata},
    io,
    path::Path,
};

/// Files of an output directory that its manifest does not list: the manifest itself, the views, the database with
/// views that the command adds on request, and the lock that earlier versions kept inside.
const UNNAMED: [&str; 4] = [MANIFEST, "views.sql", "heapquarry.duckdb", ".heapquarry.lock"];

/// The part of a manifest that lists files. Every version writes it.
#[derive(Deserialize)]
struct Manifest {
    #[expect(dead_code, reason = "without it the file is somebody else's")]
    heapquarry_version: String,
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Table {
    file: String,
}

/// Metadata of the target; `None` if it does not exist.
///
/// # Errors
///
/// If the target must not be replaced; `shown` is its name in the error.
pub(super) fn replaceable(
    target: &Path,
    shown: &Path,
    force: bool,
) -> Result<Option<Metadata>, Error> {
    let io = |e| Error::io(shown, "examine output", e);
    let metadata = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(io(e)),
    };
    if !force {
        return Err(Error::new(ErrorKind::Exists { path: shown.to_owned() }));
    }
    let why = match metadata.is_dir() {
        false => Some("it is not a directory".into()),
        true => foreign(target).map_err(io)?,
    };
    match why {
        None => Ok(Some(metadata)),
        Some(why) => Err(Error::new(ErrorKind::NotReplaced { path: shown.to_owned(), why })),
    }
}

/// Whether `dir` is an output directory with a manifest.
pub(super) fn is_complete(dir: &Path) -> bool {
    fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_dir())
        && dir.join(MANIFEST).exists()
        && foreign(dir).is_ok_and(|why| why.is_none())
}

/// Why a directory is not an output directory; `None` if it is, or is empty.
pub(super) fn foreign(dir: &Path) -> io::Result<Option<String>> {
    let mut entries = fs::read_dir(dir)?;
    if entries.next().transpose()?.is_none() {
        return Ok(None);
    }
    let path = dir.join(MANIFEST);
    let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
    if !is_file {
        return Ok(Some(format!(
            "it is neither empty nor a directory made by heapquarry (it has no {MANIFEST})"
        )));
    }
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&fs::read(path)?) else {
        return Ok(Some(format!("its {MANIFEST} is not one that heapquarry wrote")));
    };
    let files: HashSet<&str> =
        manifest.tables.iter().map(|table| table.file.as_str()).chain(UNNAMED).collect();
    let ends = |file: &'_ str| file.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    let dirs: HashSet<&str> =
        files.iter().flat_map(|file| ends(file).into_iter().map(|end| &file[..end])).collect();
    let mut rest = vec![String::new()];
    while let Some(below) = rest.pop() {
        for entry in fs::read_dir(dir.join(&below))? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let name = if below.is_empty() { name.into() } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() && dirs.contains(name.as_str()) {
                rest.push(name);
            } else if !kind.is_file() || !files.contains(name.as_str()) {
                return Ok(Some(format!("it holds {name:?}, which its {MANIFEST} does not name")));
            }
        }
    }
    Ok(None)
}
