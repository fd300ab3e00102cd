//! Events that workers note while they decode all of them, because they are read once more afterwards: what they hold
//! is put together of several, or is large and rare.

use heapquarry_timeline::Phase;

/// What is in such an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The beginning of a CPU profile.
    Head,
    /// Nodes and samples of a CPU profile.
    Chunk,
    /// All of a CPU profile.
    Whole,
    /// A memory dump of a process.
    ProcessDump,
    /// A memory dump of all processes.
    GlobalDump,
}

impl Role {
    /// By the name and phase of an event.
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

/// An event that was noted.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pub(super) role: Role,
    pub(super) event: u64,
    /// Where it stands.
    pub(super) offset: u64,
    /// Bytes that it has, or a few more if they are no UTF-8.
    pub(super) length: usize,
    pub(super) ts: Option<i64>,
    /// `id`, or what `id2` has.
    pub(super) id: Option<String>,
    /// The number, if it is one, also as text.
    pub(super) pid: Option<i64>,
    pub(super) pid_text: Option<String>,
    pub(super) tid: Option<i64>,
    pub(super) tid_text: Option<String>,
}
