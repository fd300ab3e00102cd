//! The limit on temporary files.

use std::{error, fmt, io, path::PathBuf};

/// A temporary file that would be larger than its limit.
#[derive(Debug)]
pub(crate) struct SpoolLimit {
    /// The folder of the file.
    pub(crate) dir: PathBuf,
    /// The limit, in bytes.
    pub(crate) limit: u64,
    /// Where the limit is from, if nobody set it.
    pub(crate) rule: String,
}

impl fmt::Display for SpoolLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SpoolLimit { dir, limit, rule } = self;
        write!(f, "its temporary file in {} would exceed {limit} bytes{rule}", dir.display())
    }
}

impl error::Error for SpoolLimit {}

impl From<SpoolLimit> for io::Error {
    fn from(limit: SpoolLimit) -> Self {
        io::Error::other(limit)
    }
}

/// Whether an error of reading or writing is one of these.
pub(crate) fn is_cause(error: &io::Error) -> bool {
    let mut cause = error.get_ref().map(|error| error as &(dyn error::Error + 'static));
    // Decoders wrap the errors of what they read.
    for _ in 0..8 {
        let Some(error) = cause else { return false };
        if error.is::<SpoolLimit>() {
            return true;
        }
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}
