//! Why nothing is captured.

use crate::Error;
use heapquarry_capture::{self as target, Preflight, Refusal};
use heapquarry_report::Unit;
use std::{fmt, time::Duration};

/// Why nothing is captured. Its text is one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaptureError {
    /// The target, or the connection to it.
    Target(target::Error),
    /// A file, or what comes.
    Library(Error),
    /// A snapshot would cost the process too much.
    Refused(Box<Refused>),
}

/// A snapshot that is not taken.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Why.
    pub refusal: Refusal,
    /// What it would cost the process.
    pub found: Preflight,
}

impl CaptureError {
    /// Whether it says nothing of other captures.
    pub(super) fn is_of_one(&self) -> bool {
        match self {
            CaptureError::Target(target::Error::Interrupted) | CaptureError::Library(_) => false,
            CaptureError::Target(_) | CaptureError::Refused(_) => true,
        }
    }
}

impl From<target::Error> for CaptureError {
    fn from(error: target::Error) -> Self {
        CaptureError::Target(error)
    }
}

impl From<Error> for CaptureError {
    fn from(error: Error) -> Self {
        CaptureError::Library(error)
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::Target(error) => error.fmt(f),
            CaptureError::Library(error) => error.fmt(f),
            CaptureError::Refused(refused) => match refused.refusal {
                Refusal::Pause(_) => refused.fmt(f),
                Refusal::Room(_) | Refusal::Full(_) => write!(f, "the process may end: {refused}"),
            },
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CaptureError::Target(error) => Some(error),
            CaptureError::Library(error) => Some(error),
            CaptureError::Refused(_) => None,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |bytes: u64| Unit::Bytes.format(i64::try_from(bytes).unwrap_or(i64::MAX));
        let Preflight { heap, needed, most, pause, .. } = self.found;
        match &self.refusal {
            Refusal::Room(room) => write!(
                f,
                "a snapshot of its heap needs about {} to {} more memory; {} has {} left",
                bytes(needed),
                bytes(most),
                room.of,
                bytes(room.left)
            ),
            Refusal::Full(limit) => {
                write!(f, "its heap of {} is nearly full (limit {})", bytes(heap), bytes(*limit))
            }
            Refusal::Pause(limit) => {
                let (pause, limit) = (seconds(pause), seconds(*limit));
                write!(f, "the process would stop for about {pause}, longer than {limit}")
            }
        }
    }
}

/// A time in the two digits that an estimate has: `0.4 s`, `12 s`.
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds < 10.0 {
        true => format!("{seconds:.1} s"),
        false => format!("{seconds:.0} s"),
    }
}
