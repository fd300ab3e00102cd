use crate::ByteOffset;
use std::fmt;

/// The result of reading a document.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of reading a document; one word wide. The caller adds the file's name.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input could not be read.
    Io {
        /// Byte offset of the read.
        offset: ByteOffset,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The content is invalid, and nothing can be kept.
    Malformed {
        /// Offset in bytes from the start of the document.
        offset: ByteOffset,
        /// What was expected there.
        expected: String,
        /// What was found there.
        found: String,
    },
    /// A temporary file could not be written.
    Spool {
        /// Byte offset of the data that was to be written.
        offset: ByteOffset,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The string table is not where [`Locate::FromEnd`](crate::Locate::FromEnd) found one. Everything read so far is
    /// invalid: read again with [`Locate::Walk`](crate::Locate::Walk).
    Misplaced,
    /// Records are missing in the middle of a heap. Everything read so far is invalid: read again with
    /// [`Recount::First`](crate::Recount::First).
    Miscounted,
}

impl Error {
    #[cold]
    #[inline(never)]
    pub(crate) fn malformed(
        offset: ByteOffset,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Error(Box::new(ErrorKind::Malformed { offset, expected, found }))
    }

    /// An input that could not be read.
    #[cold]
    #[inline(never)]
    pub fn io(offset: ByteOffset, source: std::io::Error) -> Self {
        Error(Box::new(ErrorKind::Io { offset, source }))
    }

    /// A temporary file that could not be written.
    #[cold]
    #[inline(never)]
    pub fn spool(offset: ByteOffset, source: std::io::Error) -> Self {
        Error(Box::new(ErrorKind::Spool { offset, source }))
    }

    #[cold]
    pub(crate) fn misplaced() -> Self {
        Error(Box::new(ErrorKind::Misplaced))
    }

    #[cold]
    pub(crate) fn miscounted() -> Self {
        Error(Box::new(ErrorKind::Miscounted))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Io { offset, source } => write!(f, "byte {offset}: cannot read: {source}"),
            ErrorKind::Spool { offset, source } => {
                write!(f, "byte {offset}: cannot spool: {source}")
            }
            ErrorKind::Malformed { offset, expected, found } => {
                write!(f, "byte {offset}: expected {expected}, found {found}")
            }
            ErrorKind::Misplaced => f.write_str("the strings are not where they were looked for"),
            ErrorKind::Miscounted => f.write_str("records are missing in the middle"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } | ErrorKind::Spool { source, .. } => Some(source),
            ErrorKind::Malformed { .. } | ErrorKind::Misplaced | ErrorKind::Miscounted => None,
        }
    }
}
