//! Samples of the memory of a process.

use crate::{Allocations, System};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a process says of itself; `None` for what it does not say. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inside {
    /// Resident memory of the process.
    pub rss: Option<u64>,
    /// Heap of the isolate that was asked, with what is free in it.
    pub heap_total: Option<u64>,
    /// Used part of the heap: what lives and what is not collected yet.
    pub heap_used: Option<u64>,
    /// Heap pages that were touched.
    pub heap_physical: Option<u64>,
    /// Most that the heap may take.
    pub heap_limit: Option<u64>,
    /// Memory outside of the heap that objects own, as V8 was told.
    pub external: Option<u64>,
    /// Memory of `ArrayBuffer` and `SharedArrayBuffer`; some of it is in `external`, too.
    pub array_buffers: Option<u64>,
    /// Memory of V8's own zones, from malloc.
    pub malloced: Option<u64>,
    /// Contexts of the isolate, and those that were detached and still live.
    pub native_contexts: Option<u64>,
    /// Contexts that were detached and still live.
    pub detached_contexts: Option<u64>,
    /// Mean delay of the event loop since the sample before.
    #[serde(skip)]
    pub loop_delay_mean: Option<Duration>,
    /// Longest delay of the event loop since the sample before.
    #[serde(skip)]
    pub loop_delay_max: Option<Duration>,
    /// Share of the time since the sample before in which the event loop was busy, from 0 to 1.
    #[serde(skip)]
    pub loop_utilization: Option<f64>,
    /// Workers that ran at some time since the sample before.
    #[serde(skip)]
    pub worker_count: Option<u64>,
    /// The spaces of the heap.
    pub spaces: Vec<Space>,
}

/// A space of the heap. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Its name, as V8 has it: `old_space`.
    pub name: String,
    /// Its size.
    pub size: u64,
    /// Its used part.
    pub used: u64,
    /// Its free part.
    pub available: u64,
    /// Its touched pages.
    pub physical: u64,
}

/// How the garbage was removed before a sample, so that its figures are those of what lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LiveBy {
    /// `vm.measureMemory`: an incremental collection.
    Measured,
    /// A collection that stops the process.
    Forced,
}

impl LiveBy {
    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [LiveBy::Measured, LiveBy::Forced].into_iter().find(|live| live.name() == name)
    }

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            LiveBy::Measured => "measured",
            LiveBy::Forced => "forced",
        }
    }
}

/// A sample. In JSON it is a moment alone: what is relative to other samples is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// When, since the first.
    #[serde(skip)]
    pub at: Duration,
    /// When, in microseconds since 1970 (UTC).
    pub time_us: i64,
    /// How long the process took to answer, its own work included.
    #[serde(rename = "took_us", with = "micros")]
    pub took: Duration,
    /// Set if there was a collection right before.
    pub live: Option<LiveBy>,
    /// What it says of itself.
    pub inside: Inside,
    /// What the system says of it.
    pub system: System,
}

/// Times in JSON: microseconds.
mod micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(time: &Duration, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_micros)
    }
}

/// A major collection that the process made on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// When, since the first sample.
    pub at: Duration,
    /// Used bytes of the heap right after.
    pub used_after: u64,
}

/// Most samples that are kept.
const MOST_SAMPLES: usize = 40_000;
/// Most collections that are kept.
const MOST_COLLECTIONS: usize = 10_000;

/// All that was seen of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The samples, in the order of time.
    pub samples: Vec<Sample>,
    /// Major collections, in the order of time; `None` if they are not known.
    pub collections: Option<Vec<Collection>>,
    /// Number of minor collections; `None` if it is not known.
    pub minor_count: Option<u64>,
    /// Number of major collections; `None` if it is not known.
    pub major_count: Option<u64>,
    /// How long was waited before the first figures that count.
    pub warm_up: Duration,
    /// Which calls made what lives; `None` if it is not known.
    pub allocations: Option<Allocations>,
    /// What could not be seen, and why.
    pub notes: Vec<String>,
}

impl Recording {
    /// Adds a sample. Of very many, every second one without maps is dropped: a watch of days must not fill our own
    /// memory.
    pub fn push(&mut self, sample: Sample) {
        self.samples.push(sample);
        if self.samples.len() > MOST_SAMPLES {
            self.note("of so many samples, only some were kept");
            let mut at = 0;
            self.samples.retain(|sample| {
                at += 1;
                at % 2 == 1 || !sample.system.maps.is_empty() || sample.live.is_some()
            });
        }
    }

    /// Adds what the process said of its collections.
    pub fn add_collections(&mut self, minor: u64, major: Vec<Collection>) {
        let add =
            |count: &mut Option<u64>, more| *count = Some(count.unwrap_or(0).saturating_add(more));
        add(&mut self.minor_count, minor);
        add(&mut self.major_count, major.len() as u64);
        let all = self.collections.get_or_insert_default();
        all.extend(major);
        let every = all.len().div_ceil(MOST_COLLECTIONS);
        if every > 1 {
            let mut at = 0;
            all.retain(|_| {
                at += 1;
                at % every == 0
            });
            self.note(
                "of so many major collections, only some were kept; their number is that of all",
            );
        }
    }

    /// Adds a remark, once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// About how many bytes of the heap live: the smaller of the last figure after a collection that was asked for and
    /// what the last collection of the process left. The first can have new garbage. Without both: the last used heap.
    pub fn live_heap(&self) -> Option<u64> {
        let asked = self.samples.iter().rev().find(|sample| sample.live.is_some());
        let asked = asked.and_then(|sample| sample.inside.heap_used);
        let natural = self.collections.iter().flatten().next_back();
        let left = asked.into_iter().chain(natural.map(|found| found.used_after)).min();
        left.or_else(|| self.samples.last()?.inside.heap_used)
    }

    /// The time from the first to the last sample.
    pub fn span(&self) -> Duration {
        self.samples.last().map_or(Duration::ZERO, |sample| sample.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lives_is_what_collections_left() {
        let sample = |live: Option<crate::LiveBy>, used| Sample {
            live,
            inside: Inside { heap_used: Some(used), ..Inside::default() },
            ..Sample::default()
        };
        let measured = Some(LiveBy::Measured);
        let mut recording = Recording::default();
        assert_eq!(recording.live_heap(), None);
        for (live, used, left, expected) in [
            (None, 150, None, 150),
            (None, 160, Some(70), 70),
            (measured, 80, None, 70),
            (measured, 60, None, 60),
            (None, 200, Some(65), 60),
            (measured, 90, Some(66), 66),
        ] {
            recording.push(sample(live, used));
            let found = left.map(|used_after| Collection { at: Duration::ZERO, used_after });
            recording.add_collections(0, found.into_iter().collect());
            assert_eq!(recording.live_heap(), Some(expected), "{used} {left:?}");
        }
    }

    #[test]
    fn of_many_collections_some_are_kept_and_that_is_told() {
        let collections = |count| {
            let at = |at| Collection { at: Duration::from_secs(at), used_after: at };
            (0..count).map(at).collect::<Vec<_>>()
        };
        for (count, kept, is_told) in [(0, 0, false), (10_000, 10_000, false), (35_000, 8750, true)]
        {
            let mut recording = Recording::default();
            recording.add_collections(u64::MAX, collections(count));
            recording.add_collections(u64::MAX, Vec::new());
            let found = recording.collections.as_deref().unwrap();
            assert_eq!((found.len(), !recording.notes.is_empty()), (kept, is_told), "{count}");
            assert_eq!(
                (recording.minor_count, recording.major_count),
                (Some(u64::MAX), Some(count))
            );
            assert_eq!(found.last().map(|last| last.at.as_secs()), count.checked_sub(1), "{count}");
        }
    }
}
