//! Inputs that are looked at a part at a time: heaps, profiles, traces and watches.

use crate::{
    HeapExplorer, ProfileExplorer, Session, TraceExplorer, WatchExplorer, other_format, process,
    session::Loaded,
};
use heapquarry::{Result, Source, engine::format_at_hand};
use heapquarry_formats::{Format, Kind};

/// An input in memory, with what makes questions about parts of it quick.
pub enum Explored {
    /// A heap.
    Heap(Box<HeapExplorer>),
    /// A profile.
    Profile(Box<ProfileExplorer>),
    /// A trace.
    Trace(Box<TraceExplorer>),
    /// What was seen of a process.
    Watch(Box<WatchExplorer>),
}

impl Explored {
    /// Reads and analyses the only input of a session, if that has not been done. Of several, which must be heaps of
    /// one process or profiles of one kind in the order of time, the last one is looked at, and compared with those
    /// before it. A directory of several heaps stands for all of them.
    ///
    /// # Errors
    /// If one cannot be read; if there are several, and they are not all heaps, or all profiles.
    pub fn open(session: &Session) -> Result<Self> {
        let session = &session.documents()?;
        if let sources @ [_, .., last] = &session.sources()[..] {
            // Before gigabytes are read.
            let known = |source| format_at_hand(source).map(|format| (source, format));
            same_kind(sources.iter().filter_map(known))?;
            let is_profile = match format_at_hand(last) {
                Some(format) => matches!(format.kind(), Kind::Profile(_)),
                // A packed one is unpacked once, and a heap with an index not at all.
                None => matches!(session.last().explored()?, Loaded::Profile(_)),
            };
            if is_profile {
                return Ok(Explored::Profile(ProfileExplorer::of_series(session)?.into()));
            }
            return Self::of_heap(HeapExplorer::of_series(session)?);
        }
        if let [source] = &session.sources()[..]
            && let Some(watch) = process::Subject::open(source, session.options())?
        {
            return Ok(Explored::Watch(WatchExplorer::new(session, watch).into()));
        }
        Ok(match session.explored()? {
            Loaded::Heap(heap) => Self::of_heap(HeapExplorer::new(session, heap))?,
            Loaded::Profile(profile) => {
                Explored::Profile(ProfileExplorer::new(session, profile).into())
            }
            Loaded::Trace(trace) => Explored::Trace(TraceExplorer::new(session, trace).into()),
        })
    }

    fn of_heap(explorer: HeapExplorer) -> Result<Self> {
        Ok(Explored::Heap(explorer.with_allocations()?.into()))
    }

    /// Makes what further questions need and takes its time, while others are asked. Those wait for it.
    pub fn prepare(&self) {
        if let Explored::Heap(heap) = self {
            heap.prepare();
            heap.find_ways();
        }
        if let Some(profile) = self.profile() {
            profile.prepare();
        }
    }

    /// The session, for questions that verbs ask too. Its input is not read again.
    pub fn session(&self) -> &Session {
        match self {
            Explored::Heap(heap) => heap.session(),
            Explored::Profile(profile) => profile.session(),
            Explored::Trace(trace) => trace.session(),
            Explored::Watch(watch) => watch.session(),
        }
    }

    /// What it is, in one word: `heap`, `profile`, `trace`, `watch`.
    pub fn kind(&self) -> &'static str {
        match self {
            Explored::Heap(_) => "heap",
            Explored::Profile(_) => "profile",
            Explored::Trace(_) => "trace",
            Explored::Watch(_) => "watch",
        }
    }

    /// Whether it is the last of several inputs.
    pub fn is_series(&self) -> bool {
        match self {
            Explored::Heap(heap) => heap.is_series(),
            Explored::Profile(profile) => profile.is_series(),
            Explored::Trace(_) | Explored::Watch(_) => false,
        }
    }

    /// The profile, all CPU profiles of a trace, or what a timeline allocated.
    pub fn profile(&self) -> Option<&ProfileExplorer> {
        match self {
            Explored::Heap(heap) => heap.allocations(),
            Explored::Watch(_) => None,
            Explored::Profile(profile) => Some(profile),
            Explored::Trace(trace) => trace.profile(),
        }
    }
}

/// Refuses several inputs that cannot be looked at together, as far as their formats are known. Heaps can, and
/// profiles.
fn same_kind<'a>(known: impl Iterator<Item = (&'a Source, Format)>) -> Result<()> {
    let mut first = None;
    for (source, format) in known {
        let wanted = match (first.get_or_insert(format.kind()), format.kind()) {
            (Kind::Heap, Kind::Heap) | (Kind::Profile(_), Kind::Profile(_)) => continue,
            (Kind::Heap, _) => "a heap, like the inputs before it",
            (Kind::Profile(_), _) => "a profile, like the inputs before it",
            (Kind::Trace, _) => "a heap or a profile (several traces are not opened together)",
        };
        return Err(other_format(source, wanted, format));
    }
    Ok(())
}
