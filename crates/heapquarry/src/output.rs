//! Single files of output.

use crate::{Error, ErrorKind, Result};
use flate2::write::GzEncoder;
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
pub fn write_file<P: AsRef<Path>, E: From<Error>>(
    path: impl AsRef<Path>,
    force: bool,
    inputs: &[P],
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let path = path.as_ref();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let fail = |source| Error::new(ErrorKind::Input { path: path.into(), doing: "name", source });
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| fail(io::Error::other("it has no file name in Unicode")))?;
    if !parent.is_dir() {
        return Err(fail(io::Error::from(io::ErrorKind::NotFound)).into());
    }
    let mut dir = FileDir::open(parent, inputs).map_err(Error::from)?;
    let draft = dir.create(name, force).map_err(Error::from)?;
    let mut writer = Writer { draft, failure: None };
    let result = write(&mut writer);
    // Its own error says more than that of whoever wrote to it.
    writer.failure.map_or(result, |failure| Err(Error::from(failure).into()))?;
    Ok(writer.draft.commit().map_err(Error::from)?)
}

/// How a file is packed, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// Not at all.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl Packed {
    /// How a file of this name is packed.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Packed::Gzip,
            Some("zst") => Packed::Zstd,
            _ => Packed::Plain,
        }
    }
}

/// As [`write_file`], and packs what is written as the name of the file says.
///
/// # Errors
///
/// As [`write_file`].
pub fn write_packed_file<P: AsRef<Path>, E: From<Error>>(
    path: impl AsRef<Path>,
    force: bool,
    inputs: &[P],
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let path = path.as_ref();
    write_file(path, force, inputs, |out| {
        let fail = |source| {
            E::from(Error::new(ErrorKind::Input { path: path.into(), doing: "write", source }))
        };
        match Packed::of(path) {
            Packed::Plain => write(out),
            Packed::Gzip => {
                let mut packer = GzEncoder::new(out, flate2::Compression::fast());
                write(&mut packer)?;
                packer.finish().map(drop).map_err(fail)
            }
            Packed::Zstd => {
                let mut packer =
                    zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(fail)?;
                write(&mut packer)?;
                packer.finish().map(drop).map_err(fail)
            }
        }
    })
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
