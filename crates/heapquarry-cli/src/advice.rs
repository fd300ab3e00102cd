//! What a user of the command can do about an error.

use heapquarry::{Remedy, capture::Refused};
use heapquarry_capture::{Error, Refusal};

/// What to do where the system has no memory.
pub(crate) const MORE_MEMORY: &str = "run it where there is more memory";

/// What to do, with flags of the command; to follow an error and a semicolon.
pub(crate) fn advice(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::Replace => "use --force to replace it",
        Remedy::AllowLosses => "omit --strict to convert what is readable",
        Remedy::ConvertAgain => "convert the input again",
        Remedy::ConvertAllTables => "convert the input again, with all tables of its format",
        Remedy::SelectDocument => "select one with INPUT#N",
        Remedy::SelectRows => "omit the number, and compare file_id in the query",
        Remedy::OtherCache => "use --no-cache, or name another folder in HEAPQUARRY_CACHE_DIR",
        Remedy::AllowSpool => "use --max-spool SIZE to set another limit",
        Remedy::AllowMemory => "use --memory SIZE to set another limit",
        Remedy::MoreMemory => MORE_MEMORY,
    }
}

/// What to do about a target that cannot be captured.
pub(crate) fn advice_of_target(error: &Error) -> Option<&'static str> {
    match error {
        Error::Targets { .. } => Some("`heapquarry capture TARGET --list` shows what it has"),
        Error::NotNode { .. } => Some("--force sends it SIGUSR1 all the same"),
        Error::TooLarge { .. } => Some(advice(Remedy::AllowSpool)),
        _ => None,
    }
}

/// What to do where a snapshot would cost a process too much.
pub(crate) fn advice_of_refusal(refused: &Refused) -> &'static str {
    match refused.refusal {
        Refusal::Room(_) | Refusal::Full(_) => {
            "use --kind heap-sampling, which needs little, or --force"
        }
        Refusal::Pause(_) => {
            "`heapquarry watch` tells what grows, and --kind heap-sampling who allocates, with less"
        }
    }
}
