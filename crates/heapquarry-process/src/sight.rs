//! How much samples tell of the memory outside of the heap.

use crate::{
    Recording, Sample,
    figures::{free, native, rest},
    trend::time,
};

/// Fewest figures of what lives from which something is said.
pub(crate) const LEAST: usize = 3;
/// Figures of what lives that were asked for count alone if they cover this part of the time of all: a heap that grows
/// can become too large for them.
pub(crate) const COVERED: f64 = 0.5;

/// How much is known of the memory outside of the heap, from little to much: no verdict says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// Nothing but what the process says of its buffers.
    Buffers,
    /// All anonymous memory as one: malloc was not read.
    Anonymous,
    /// What malloc keeps free, and all other anonymous memory as one: kinds of maps were not read.
    Free,
    /// What malloc has given out, and what it keeps.
    Malloc,
}

/// How often malloc was to be followed, and how often that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walks {
    /// Samples of after the warm-up that tried.
    pub count: usize,
    /// Those of which more than 2 % of malloc could not be followed.
    pub failed: usize,
}

impl Walks {
    /// What is to be said of those that failed; `None` if none did.
    pub fn caveat(self) -> Option<String> {
        let Walks { count, failed } = self;
        let text = || {
            format!(
                "malloc could not be followed in {failed} of {count} samples, as the process changed it meanwhile; only \
                 the others say what it gives out and keeps"
            )
        };
        (failed > 0).then(text)
    }
}

/// What is to be said of walks of malloc that failed, unless the notes have it: those of stored watches do, except of
/// older versions.
pub fn unsaid(recording: &Recording) -> Option<String> {
    walks(recording).caveat().filter(|caveat| !recording.notes.contains(caveat))
}

/// How often malloc was followed. None at all where that is not allowed, or malloc is not that of glibc.
pub fn walks(recording: &Recording) -> Walks {
    let samples = || with_maps(recording).map(|sample| sample.system.malloc);
    if samples().all(|malloc| malloc.is_none()) {
        return Walks::default();
    }
    let failed = samples().filter(|malloc| malloc.is_none_or(|malloc| !malloc.is_whole()));
    Walks { count: samples().count(), failed: failed.count() }
}

/// Samples of after the warm-up that have maps.
fn with_maps(recording: &Recording) -> impl Iterator<Item = &Sample> {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    settled.filter(|sample| !sample.system.maps.is_empty())
}

/// How much is known of the memory outside of the heap. Samples of which malloc could not be followed do not count if
/// there are enough others.
pub(crate) fn sight(recording: &Recording) -> Sight {
    let of = |sample: &Sample| match (native(sample), free(sample)) {
        (Some(_), Some(_)) => Sight::Malloc,
        _ if rest(sample).is_none() => Sight::Buffers,
        (None, Some(_)) => Sight::Free,
        (_, None) => Sight::Anonymous,
    };
    let point = |sample: &Sample| (sample.at.as_secs_f64(), 0.0);
    let all: Vec<_> = with_maps(recording).map(point).collect();
    let is_followed = |sample: &&Sample| free(sample).is_some();
    let followed: Vec<_> = with_maps(recording).filter(is_followed).map(point).collect();
    let is_enough = followed.len() >= LEAST && time(&followed) >= COVERED * time(&all);
    let seen = with_maps(recording).filter(|sample| !is_enough || is_followed(sample));
    seen.map(of).min().unwrap_or(Sight::Buffers)
}
