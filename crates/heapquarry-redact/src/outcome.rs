//! What came of redacting a document.

/// What came of redacting a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Where copying ended before the end of the document, in bytes.
    pub cut: Option<u64>,
}

/// Why reading ends.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The document ends, or has something unexpected, here.
    Cut(u64),
    /// It cannot be read, or the copy cannot be written.
    Failed(std::io::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Stop::Failed(error)
    }
}

pub(crate) type Step<T> = Result<T, Stop>;

/// The end of a document as a result.
pub(crate) fn outcome(step: Step<()>) -> std::io::Result<Outcome> {
    match step {
        Ok(()) => Ok(Outcome::default()),
        Err(Stop::Cut(at)) => Ok(Outcome { cut: Some(at) }),
        Err(Stop::Failed(error)) => Err(error),
    }
}
