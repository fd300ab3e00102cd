//! Running processes.

mod curves;
mod explore;
mod facts;
pub(crate) mod memory;
mod page;
pub mod watch;

pub use curves::{MemoryChart, ShortCurve};
pub use explore::{CurvesAnswer, WatchExplorer};
pub(crate) use facts::{STARTER, VOCABULARY};
pub use memory::{MemoryPart, ProcessMemory};
pub(crate) use page::page;

use crate::answer::Caveat;
use heapquarry::{Result, RunOptions, Source, engine::Locate};
use heapquarry_process::Recording;
use watch::WatchAnswer;
pub(crate) use watch::remark;

/// What was seen of a watched process.
pub(crate) struct Subject {
    /// What was watched, as arguments of `capture`.
    target: String,
    recording: Recording,
}

/// What it is, for messages.
pub(crate) const WATCH: &str = "a watch of a process";

impl Subject {
    /// A watch; `None` if the source is none.
    pub(crate) fn open(source: &Source, options: &RunOptions) -> Result<Option<Self>> {
        let found = source.recording(options)?;
        Ok(found.map(|(target, recording)| Subject { target, recording }))
    }

    /// What its memory did.
    pub(crate) fn answer(&self) -> WatchAnswer {
        watch::answer(&self.target, &self.recording)
    }

    /// What could not be seen.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        watch::remarks(&self.recording)
    }
}
