//! Errors. They name hosts and ports; paths, queries and headers can be secrets, so no message has them.

use std::{fmt, io};

/// The result of capturing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why nothing was captured. Its text is one line. It can quote what the target says.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The address is none, or must not be used.
    Address {
        /// The part of it that is no secret.
        shown: String,
        /// What is wrong.
        why: String,
    },
    /// The target cannot be reached, or does not speak the protocol.
    Unreachable {
        /// Host and port.
        place: String,
        /// What went wrong.
        why: String,
    },
    /// The connection ended.
    Gone {
        /// Host and port.
        place: String,
        /// What went wrong.
        why: String,
    },
    /// The target does not answer in time.
    Silent {
        /// Host and port.
        place: String,
        /// What was asked.
        method: &'static str,
    },
    /// The target answered with an error.
    Refused {
        /// What was asked.
        method: &'static str,
        /// Its message.
        why: String,
    },
    /// A port has no target, or several and none was selected.
    Targets {
        /// Host and port.
        place: String,
        /// What they are.
        why: String,
    },
    /// The process cannot be made to open its inspector.
    Process {
        /// Its id.
        pid: u32,
        /// Why.
        why: String,
    },
    /// A process is not told to open its inspector, which could end it: it is not called `node`.
    NotNode {
        /// Its id.
        pid: u32,
    },
    /// What was recorded cannot be written.
    Write(io::Error),
    /// A limit is exceeded: of the time that something may take, or of how much it announces.
    Limit {
        /// Which, and by what.
        why: String,
    },
    /// More comes than [`Options::most`](crate::Options::most).
    TooLarge {
        /// The limit in bytes.
        most: u64,
    },
    /// Interrupted before it was recorded.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Address { shown, why } => write!(f, "not a target ({shown}): {why}"),
            Error::Unreachable { place, why } => write!(f, "cannot connect ({place}): {why}"),
            Error::Gone { place, why } => write!(f, "the connection ended ({place}): {why}"),
            Error::Silent { place, method } => write!(
                f,
                "no answer to {method} ({place}): the target is busy, or a debugger has paused it"
            ),
            Error::Refused { method, why } => write!(f, "the target refuses {method}: {why}"),
            Error::Targets { place, why } => write!(f, "no target ({place}): {why}"),
            Error::Process { pid, why } => write!(f, "cannot capture (process {pid}): {why}"),
            Error::NotNode { pid } => {
                write!(f, "cannot capture (process {pid}): its program is not called node")
            }
            Error::Write(error) => write!(f, "cannot write what was recorded: {error}"),
            Error::Limit { why } => write!(f, "the target takes too much: {why}"),
            Error::TooLarge { most } => {
                write!(f, "the target takes too much: it sends more than {most} bytes")
            }
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}
