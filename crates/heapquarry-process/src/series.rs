//! The figures of each part of the memory over time, out of samples.

use crate::{
    MapKind, Part, Recording, Sample, Sight,
    figures::{bytes, free, native, owned, resident, rest},
    sight::{COVERED, LEAST, sight},
    trend,
    trend::time,
};
use std::time::Duration;

/// After a collection that the process made on its own, a sample has the figures of what lives from this time on, and
/// until this one.
const SETTLED: Duration = Duration::from_millis(100);
const STALE: Duration = Duration::from_secs(3);

/// The points of a part, in seconds and bytes; empty if it is not known.
pub fn series(recording: &Recording, part: Part) -> Vec<(f64, f64)> {
    let samples = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let of = |value: fn(&Sample) -> Option<f64>| -> Vec<(f64, f64)> {
        let point = |sample: &Sample| Some((sample.at.as_secs_f64(), value(sample)?));
        samples.clone().filter_map(point).collect()
    };
    match part {
        Part::Heap | Part::Buffers => live(recording, part),
        Part::Wasm => of(|sample| resident(sample, MapKind::Wasm)),
        Part::Isolates => isolates(recording),
        Part::Native => of(native),
        Part::Free => of(free),
        // One of both for all samples, so that a change of what is known is no change of the memory.
        Part::Rest => match sight(recording) {
            Sight::Malloc | Sight::Buffers => Vec::new(),
            Sight::Anonymous => of(rest),
            Sight::Free => of(|sample| Some((rest(sample)? - free(sample)?).max(0.0))),
        },
        Part::Cache => of(|sample| {
            let group = sample.system.group.filter(|group| !group.is_root)?;
            bytes(group.cache)
        }),
        Part::Rss => of(|sample| bytes(sample.system.status.rss.or(sample.inside.rss))),
        Part::HeapUsed => of(|sample| bytes(sample.inside.heap_used)),
    }
}

/// Pages of V8 beyond the most that this isolate had so far: V8 keeps pages that a heap has left. What is beyond is of
/// others, or of a peak between two samples; the latter if no worker ever ran.
fn isolates(recording: &Recording) -> Vec<(f64, f64)> {
    let mut most = 0.0_f64;
    let without_workers = recording.samples.iter().all(|s| s.inside.worker_count == Some(0));
    let point = |sample: &Sample| {
        let own = bytes(sample.inside.heap_physical)?;
        most = most.max(own);
        // Without pages of V8 the process has another engine, or their flags are not known.
        let pages = resident(sample, MapKind::V8).filter(|pages| *pages > 0.0)?;
        let code = resident(sample, MapKind::Code)?;
        let is_settled = sample.at >= recording.warm_up;
        let beyond = if without_workers { 0.0 } else { (pages + code - most).max(0.0) };
        is_settled.then_some((sample.at.as_secs_f64(), beyond))
    };
    recording.samples.iter().filter_map(point).collect()
}

/// How far the pages of this isolate move: between two samples it can have had so many more.
pub(crate) fn swing(recording: &Recording) -> f64 {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let own = settled.filter_map(|sample| bytes(sample.inside.heap_physical));
    let (least, most) =
        own.fold((f64::MAX, 0.0_f64), |(least, most), own| (least.min(own), most.max(own)));
    (most - least).max(0.0)
}

/// What lives: after collections that were asked for, or else after those that the process made on its own.
fn live(recording: &Recording, part: Part) -> Vec<(f64, f64)> {
    let settled = |at: Duration| at >= recording.warm_up;
    let asked = recording.samples.iter().filter(|s| s.live.is_some() && settled(s.at));
    let of = |sample: &Sample| match part {
        Part::Heap => bytes(sample.inside.heap_used),
        _ => bytes(owned(sample)),
    };
    let asked: Vec<_> =
        asked.filter_map(|sample| Some((sample.at.as_secs_f64(), of(sample)?))).collect();
    let natural = recording.collections.iter().flatten().filter(|found| settled(found.at));
    let point = |found: &crate::Collection| {
        let value = match part {
            Part::Heap => found.used_after as f64,
            _ => {
                let from = recording.samples.partition_point(|s| s.at < found.at + SETTLED);
                let sample = recording.samples.get(from)?;
                of(sample).filter(|_| sample.at <= found.at + STALE)?
            }
        };
        Some((found.at.as_secs_f64(), value))
    };
    // Those that were asked for are among them.
    let natural: Vec<_> = natural.filter_map(point).collect();
    // Answers that came late have garbage again. Then the collections' own figures have the narrower range.
    let range = |points: &[(f64, f64)]| trend(points).map(|trend| trend.high - trend.low);
    let is_wider =
        || range(&natural).zip(range(&asked)).is_some_and(|(natural, asked)| natural < asked);
    let covers = time(&asked) >= COVERED * time(&natural);
    let takes_asked =
        natural.len() <= asked.len() || (asked.len() >= LEAST && covers && !is_wider());
    if takes_asked { asked } else { natural }
}

/// Bytes that the process read and wrote after the warm-up: what others of its control group do says nothing of it.
pub(crate) fn transferred(recording: &Recording) -> f64 {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let mut all = settled.filter_map(|sample| sample.system.transferred);
    let first = all.next();
    first.zip(all.next_back()).map_or(0.0, |(first, last)| last.saturating_sub(first) as f64)
}

/// The most that maps of a kind took, in bytes.
pub(crate) fn most(recording: &Recording, kind: MapKind) -> f64 {
    let all = recording.samples.iter().filter_map(|sample| resident(sample, kind));
    all.fold(0.0, f64::max)
}
