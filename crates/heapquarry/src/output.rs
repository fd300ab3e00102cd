//! Single files of output.

use crate::{Error, ErrorKind, Result};
use heapquarry_sink::{Draft, FileDir};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Writes a file that appears complete or not at all, readable for its owner alone. An existing one is replaced only with
/// `force`, and never one of `inputs`.
///
/// # Errors
///
/// If it exists, it cannot be written, or `write` fails.
pub fn write_file<P: AsRef<Path>>(
    path: impl AsRef<Path>,
    force: bool,
    inputs: &[P],
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<PathBuf> {
    let path = path.as_ref();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let fail = |source| Error::new(ErrorKind::Input { path: path.into(), doing: "name", source });
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| fail(io::Error::other("it has no file name in Unicode")))?;
    if !parent.is_dir() {
        return Err(fail(io::Error::from(io::ErrorKind::NotFound)));
    }
    let mut dir = FileDir::open(parent, inputs)?;
    let mut writer = Writer { draft: dir.create(name, force)?, failure: None };
    let result = write(&mut writer);
    // Its own error says more than that of whoever wrote to it.
    writer.failure.map_or(result, |failure| Err(failure.into()))?;
    Ok(writer.draft.commit()?)
}

/// A file as a writer. Keeps its own error.
struct Writer<'d> {
    draft: Draft<'d>,
    failure: Option<heapquarry_sink::Error>,
}

impl Write for Writer<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.draft.write(data).map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            io::Error::other(text)
        })?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
