//! Why an output could not be written.

use parquet::errors::ParquetError;
use std::{fmt, io, path::PathBuf};

/// An error of this crate; one word wide. Its text is one sentence that names the path.
pub struct Error(Box<ErrorKind>);

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused something: no space, no permission, no such directory.
    Io {
        /// The file or directory, as the user knows it: under its final name, not the temporary one.
        path: PathBuf,
        /// What was tried, to stand after "cannot": `write`, `create`.
        doing: &'static str,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The output exists already and was not to be replaced.
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output exists already and must not be replaced: not all that is in it is heapquarry's, it holds an input, or
    /// it cannot be renamed.
    NotReplaced {
        /// The output.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// Neither the new directory nor, after that, the one that it was to replace could be given the name. The
    /// latter is whole, under another name.
    SetAside {
        /// The output.
        path: PathBuf,
        /// Where the directory is that was there before.
        kept: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The output is complete and in place. What it replaced was not removed.
    Kept {
        /// The output.
        path: PathBuf,
        /// Where the directory is that was there before.
        kept: PathBuf,
        /// Why it was not removed.
        why: String,
    },
    /// The output is complete and in place, but could not be made durable: a loss of power might undo it.
    NotDurable {
        /// The output.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A name that cannot be part of a path: the part of a table, or a further file.
    Name {
        /// The name.
        name: String,
    },
    /// A row group was never handed in, so that those after it could not be written.
    Missing {
        /// The file.
        path: PathBuf,
        /// Number of the row group within the file, from 0.
        row_group: u64,
    },
    /// A value that Parquet cannot hold: a text of 2 GiB, a null where none may stand.
    Value {
        /// Table and column.
        column: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file that is to be read back is no Parquet, or damaged.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The parquet crate's answer.
        source: ParquetError,
    },
    /// A file that is to be read back lacks a column: it was written by an older version, or by something else.
    NoColumn {
        /// The file.
        path: PathBuf,
        /// Table and column.
        column: String,
    },
    /// The parquet crate refused something.
    Parquet(ParquetError),
    /// The run was cancelled, or ended by the error of another call.
    Cancelled,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Whether this is only the echo of [`ParquetDir::cancel`](crate::ParquetDir::cancel) or of another call's error.
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

    /// An error of the parquet crate while it wrote `path`: mostly an I/O error in its wrapping.
    #[cold]
    #[inline(never)]
    pub(crate) fn parquet(path: impl Into<PathBuf>, error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(source) => Error::io(path, "write", *source),
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
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
            ErrorKind::Exists { path } => {
                write!(f, "{} exists already and was not to be replaced", path.display())
            }
            ErrorKind::NotReplaced { path, why } => {
                write!(f, "{} is not replaced: {why}", path.display())
            }
            ErrorKind::SetAside { path, kept, source } => write!(
                f,
                "cannot put a directory in place as {}: {source}; what was there is now {}, and the next run with \
                 this output puts it back",
                path.display(),
                kept.display()
            ),
            ErrorKind::Kept { path, kept, why } => write!(
                f,
                "{} is complete; what it replaced is kept as {}: {why}",
                path.display(),
                kept.display()
            ),
            ErrorKind::NotDurable { path, source } => write!(
                f,
                "{} is complete, but a loss of power might undo it: {source}",
                path.display()
            ),
            ErrorKind::Name { name } => write!(f, "{name:?} cannot be the name of an output file"),
            ErrorKind::Missing { path, row_group } => {
                write!(f, "{} lacks row group {row_group}", path.display())
            }
            ErrorKind::Value { column, what } => write!(f, "{column} cannot be written: {what}"),
            ErrorKind::Unreadable { path, source } => {
                write!(f, "cannot read {}: {source}", path.display())
            }
            ErrorKind::NoColumn { path, column } => {
                write!(f, "{} has no column {column}: convert the snapshot again", path.display())
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
    fn errors_are_one_word_and_one_sentence() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = ParquetError::External(Box::new(full()));
        for error in
            [Error::io("out/a.parquet", "write", full()), Error::parquet("out/a.parquet", wrapped)]
        {
            assert_eq!(error.to_string(), "cannot write out/a.parquet: no storage space");
        }
    }
}
