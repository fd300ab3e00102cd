//! Events for the second pass: the first pass records where they are. CPU profiles span several events, and memory
//! dumps are large and rare.

use crate::ByteOffset;
use heapquarry_timeline::Phase;

/// Content of such an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The beginning of a CPU profile.
    Head,
    /// Nodes and samples of a CPU profile.
    Chunk,
    /// A complete CPU profile.
    Whole,
    /// A memory dump of a process.
    ProcessDump,
    /// A memory dump of all processes.
    GlobalDump,
}

impl Role {
    /// Determined by the name and phase of an event.
    #[inline]
    pub(super) fn of(name: &[u8], phase: Phase) -> Option<Self> {
        match (phase, name) {
            (Phase::ProcessMemoryDump, _) => Some(Role::ProcessDump),
            (Phase::GlobalMemoryDump, _) => Some(Role::GlobalDump),
            (Phase::Sample, b"Profile") => Some(Role::Head),
            (Phase::Sample, b"ProfileChunk") => Some(Role::Chunk),
            (_, b"CpuProfile") => Some(Role::Whole),
            _ => None,
        }
    }

    pub(super) fn is_dump(self) -> bool {
        matches!(self, Role::ProcessDump | Role::GlobalDump)
    }
}

/// Memory of so many events, in bytes, about: their ids are short.
pub(super) fn memory(events: usize) -> u64 {
    events as u64 * (size_of::<Deferred>() as u64 + 64)
}

/// An event for the second pass.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    pub(super) role: Role,
    pub(super) event: u64,
    /// Its offset.
    pub(super) offset: ByteOffset,
    /// Its size in bytes, or a few more if it is not valid UTF-8.
    pub(super) length: usize,
    pub(super) ts: Option<i64>,
    /// `id`, or the value of `id2`.
    pub(super) id: Option<String>,
    /// The number, also if it is written as text.
    pub(super) pid: Option<i64>,
    pub(super) pid_text: Option<String>,
    pub(super) tid: Option<i64>,
    pub(super) tid_text: Option<String>,
}
