//! Errors of writing and reading back outputs.

use parquet::errors::ParquetError;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// An error of this crate; one word wide. Its text is one line that names the path.
pub struct Error(Box<ErrorKind>);

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something: no space, no permission, no such directory.
    Io {
        /// The file or directory under its final name, not the temporary one.
        path: PathBuf,
        /// What was tried, to follow "cannot": `write`, `create`.
        doing: &'static str,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The output already exists, and `force` is not set.
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output already exists and must not be replaced: it holds something that heapquarry did not write, it holds
    /// an input, or it cannot be renamed.
    NotReplaced {
        /// The output.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Neither the new directory nor the old one could be renamed to the output. The old one is complete, under another
    /// name.
    SetAside {
        /// The output.
        path: PathBuf,
        /// Where the old directory is.
        kept: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The output is complete and in place, but the old directory was not removed.
    Kept {
        /// The output.
        path: PathBuf,
        /// Where the old directory is.
        kept: PathBuf,
        /// Why it was not removed.
        why: String,
    },
    /// The output is complete and in place, but could not be synced: a loss of power might undo it.
    NotDurable {
        /// The output.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A name that cannot be part of a path: the part of a table, or an additional file.
    Name {
        /// The name.
        name: String,
    },
    /// A row group is missing, so later ones could not be written.
    Missing {
        /// The file.
        path: PathBuf,
        /// Number of the row group within the file, from 0.
        row_group: u64,
    },
    /// A value that Parquet cannot hold: a text of 2 GiB, or a null in a non-nullable column.
    Value {
        /// Table and column.
        column: String,
        /// The reason.
        what: &'static str,
    },
    /// A file that is read back is not Parquet, or is damaged.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The parquet crate's answer.
        source: ParquetError,
    },
    /// A file that is read back lacks a column: an older version or another program wrote it.
    NoColumn {
        /// The file.
        path: PathBuf,
        /// Table and column.
        column: String,
    },
    /// Another error of the parquet crate.
    Parquet(ParquetError),
    /// The run was cancelled, or another call ended it with an error.
    Cancelled,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// The file or directory that it is about.
    pub fn path(&self) -> Option<&Path> {
        match self.kind() {
            ErrorKind::Io { path, .. }
            | ErrorKind::Exists { path }
            | ErrorKind::NotReplaced { path, .. }
            | ErrorKind::SetAside { path, .. }
            | ErrorKind::Kept { path, .. }
            | ErrorKind::NotDurable { path, .. }
            | ErrorKind::Missing { path, .. }
            | ErrorKind::Unreadable { path, .. }
            | ErrorKind::NoColumn { path, .. } => Some(path),
            ErrorKind::Name { .. }
            | ErrorKind::Value { .. }
            | ErrorKind::Parquet(_)
            | ErrorKind::Cancelled => None,
        }
    }

    /// Whether another call's error or [`ParquetDir::cancel`](crate::ParquetDir::cancel) caused it.
    pub fn is_cancelled(&self) -> bool {
        matches!(*self.0, ErrorKind::Cancelled)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn io(path: impl Into<PathBuf>, doing: &'static str, source: io::Error) -> Self {
        Error::new(ErrorKind::Io { path: path.into(), doing, source })
    }

    /// An error of the parquet crate while writing `path`: usually a wrapped I/O error.
    #[cold]
    #[inline(never)]
    pub(crate) fn parquet(path: impl Into<PathBuf>, error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(source) => Error::io(path, "write output", *source),
                Err(inner) => ParquetError::External(inner).into(),
            },
            other => other.into(),
        }
    }
}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        Error::new(ErrorKind::Parquet(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::Io { path, doing, source } => {
                write!(f, "cannot {doing} ({}): {source}", path.display())
            }
            ErrorKind::Exists { path } => {
                write!(f, "output already exists ({})", path.display())
            }
            ErrorKind::NotReplaced { path, why } => {
                write!(f, "output is not replaced ({}): {why}", path.display())
            }
            ErrorKind::SetAside { path, kept, source } => write!(
                f,
                "cannot rename the new directory to the output ({}): {source}; the old output is now {}, and the next \
                 run with this output restores it",
                path.display(),
                kept.display()
            ),
            ErrorKind::Kept { path, kept, why } => write!(
                f,
                "the old output is not removed ({}): {why}; the new output {} is complete",
                kept.display(),
                path.display()
            ),
            ErrorKind::NotDurable { path, source } => write!(
                f,
                "output is not synced ({}): {source}; it is complete, but a loss of power might undo it",
                path.display()
            ),
            ErrorKind::Name { name } => write!(f, "invalid name of an output file ({name:?})"),
            ErrorKind::Missing { path, row_group } => {
                write!(f, "missing row group ({}): there is no number {row_group}", path.display())
            }
            ErrorKind::Value { column, what } => {
                write!(f, "cannot write a value ({column}): {what}")
            }
            ErrorKind::Unreadable { path, source } => {
                write!(f, "cannot read back a table ({}): {source}", path.display())
            }
            ErrorKind::NoColumn { path, column } => {
                write!(f, "missing column ({}): there is no {column}", path.display())
            }
            ErrorKind::Parquet(error) => write!(f, "cannot write Parquet: {error}"),
            ErrorKind::Cancelled => f.write_str("writing was cancelled"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            ErrorKind::Io { source, .. }
            | ErrorKind::SetAside { source, .. }
            | ErrorKind::NotDurable { source, .. } => Some(source),
            ErrorKind::Unreadable { source, .. } => Some(source),
            ErrorKind::Parquet(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_one_word_and_one_line() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = ParquetError::External(Box::new(full()));
        for error in [
            Error::io("out/a.parquet", "write output", full()),
            Error::parquet("out/a.parquet", wrapped),
        ] {
            assert_eq!(error.to_string(), "cannot write output (out/a.parquet): no storage space");
        }
    }
}
