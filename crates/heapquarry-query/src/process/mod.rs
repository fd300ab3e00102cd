//! Running processes.

mod facts;
pub(crate) mod memory;
pub mod watch;

pub(crate) use facts::{STARTER, VOCABULARY};
pub use memory::{MemoryPart, ProcessMemory};

use crate::answer::{Caveat, CaveatKind};
use heapquarry_process::Recording;

/// What was seen of a watched process.
pub(crate) struct Subject {
    recording: Recording,
}

/// What it is, for messages.
pub(crate) const WATCH: &str = "a watch of a process";

impl Subject {
    pub(crate) fn new(recording: Recording) -> Self {
        Subject { recording }
    }

    /// What could not be seen.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        self.recording.notes.iter().map(|note| remark(note)).collect()
    }
}

pub(crate) fn remark(text: &str) -> Caveat {
    Caveat { kind: CaveatKind::Remark, input: None, text: text.into() }
}
