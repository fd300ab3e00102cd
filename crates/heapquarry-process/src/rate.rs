//! How fast a part of the memory grows, at least and at most: what a limit on growth can be held against.
//!
//! A figure alone would not do. RSS of clean programs rises for minutes, and a level series of two minutes cannot tell
//! 1 MB an hour from nothing. So what level programs change by widens the range of the slope, too.

use crate::{
    Part, Recording, series,
    sight::LEAST,
    trend,
    verdict::{STILL, least},
};

/// Growth of a part in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The most probable: the slope of Theil and Sen.
    pub slope: f64,
    /// It is not less than this.
    pub low: f64,
    /// It is not more than this.
    pub high: f64,
}

/// How a part grows.
///
/// # Errors
/// Why that is not known.
pub fn rate(recording: &Recording, part: Part) -> Result<Rate, &'static str> {
    let points = match part {
        Part::HeapUsed => {
            return Err(
                "garbage is in it, so that it rises in programs without a leak; live_heap is without",
            );
        }
        Part::Rss => after_collections(recording),
        _ => series(recording, part),
    };
    let trend = match trend(&points) {
        Some(trend) if trend.points >= LEAST => trend,
        _ if points.is_empty() => return Err(unseen(part)),
        _ => return Err("there are fewer than three figures of it; watch for longer"),
    };
    let unseen = least(part, &trend) / trend.span;
    // What has grown during a warm-up, and then less, may have ended.
    let ended = trend.late.filter(|late| *late < STILL * trend.slope);
    let low = [trend.low, ended.unwrap_or(trend.slope)].into_iter().fold(trend.slope, f64::min);
    // What began late goes on at the rate of the second half.
    let high =
        [trend.high, trend.late.unwrap_or(trend.slope)].into_iter().fold(trend.slope, f64::max);
    Ok(Rate { slope: trend.slope, low: low - unseen, high: high + unseen })
}

/// Why a part has no figures at all.
fn unseen(part: Part) -> &'static str {
    match part {
        Part::Heap | Part::Buffers | Part::Rss => {
            "there are no figures of it after collections; watch for longer, or allow longer stops"
        }
        Part::Cache => "the process has no control group of its own, or the system does not tell",
        Part::Rest => "all of the memory is named by the other parts, or the system does not tell",
        _ => "the system does not tell, or may not; docs/process.md says which rights that needs",
    }
}

/// Resident memory right after collections: between them it rises in clean programs, too.
fn after_collections(recording: &Recording) -> Vec<(f64, f64)> {
    let samples = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let live = samples.filter(|sample| sample.live.is_some());
    let point = |sample: &crate::Sample| {
        let rss = sample.system.status.rss.or(sample.inside.rss)?;
        Some((sample.at.as_secs_f64(), rss as f64))
    };
    live.filter_map(point).collect()
}

/// The largest figure of a part in bytes, the warm-up left out.
///
/// # Errors
/// Why that is not known.
pub fn peak(recording: &Recording, part: Part) -> Result<f64, &'static str> {
    let points = series(recording, part);
    let size = points.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    match points.is_empty() {
        true => Err(unseen(part)),
        false => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inside, LiveBy, Sample};
    use std::time::Duration;

    const MB: f64 = 1e6;
    const PER_HOUR: f64 = MB / 3600.0;

    /// A watch with a figure of what lives every ten seconds: heap and RSS in MB at a second, RSS with 30 MB of
    /// garbage between collections.
    fn watched(seconds: u64, heap: impl Fn(f64) -> f64) -> Recording {
        let mut recording = Recording { warm_up: Duration::from_secs(15), ..Recording::default() };
        for second in 0..=seconds {
            let is_live = second % 10 == 0;
            let live = heap(second as f64);
            let garbage = if is_live { 0.0 } else { (second % 10) as f64 * 3.0 };
            let bytes = |size: f64| Some((size * MB) as u64);
            recording.push(Sample {
                at: Duration::from_secs(second),
                live: is_live.then_some(LiveBy::Measured),
                inside: Inside {
                    rss: bytes(60.0 + live + garbage),
                    heap_used: bytes(live + garbage),
                    ..Inside::default()
                },
                ..Sample::default()
            });
        }
        recording
    }

    /// Whether growth beyond a limit in MB per hour is sure, or that there is none; `None` if neither is.
    fn exceeds(recording: &Recording, part: Part, limit: f64) -> Option<bool> {
        let rate = rate(recording, part).unwrap();
        assert!(rate.low <= rate.slope && rate.slope <= rate.high, "{rate:?}");
        match limit * PER_HOUR {
            limit if rate.low > limit => Some(true),
            limit if rate.high <= limit => Some(false),
            _ => None,
        }
    }

    #[test]
    fn a_limit_is_kept_or_exceeded_only_if_that_is_sure() {
        let level = |_: f64| 50.0;
        let leak = |at: f64| 50.0 + at * 0.5;
        let slow = |at: f64| 50.0 + at * 5.0 / 3600.0;
        let late = |at: f64| 50.0 + (at - 90.0).max(0.0) * 0.5;
        let warming = |at: f64| 50.0 + (at / 2.0).min(30.0);
        for (name, recording, part, limit, expected) in [
            ("level, 2 minutes", watched(120, level), Part::Heap, 100.0, Some(false)),
            ("level, 2 minutes, a small limit", watched(120, level), Part::Heap, 1.0, None),
            ("level, 3 hours", watched(10_800, level), Part::Heap, 1.0, Some(false)),
            ("1.8 GB/h, 2 minutes", watched(120, leak), Part::Heap, 100.0, Some(true)),
            ("1.8 GB/h, 2 minutes, a near limit", watched(120, leak), Part::Heap, 1790.0, None),
            ("5 MB/h, 2 minutes", watched(120, slow), Part::Heap, 1.0, None),
            ("5 MB/h, 3 hours", watched(10_800, slow), Part::Heap, 1.0, Some(true)),
            ("a warm-up", watched(120, warming), Part::Heap, 100.0, None),
            ("began late", watched(120, late), Part::Heap, 1000.0, None),
            ("began late, a large limit", watched(120, late), Part::Heap, 2000.0, Some(false)),
            ("RSS, level", watched(120, level), Part::Rss, 500.0, Some(false)),
            ("RSS, level, a small limit", watched(120, level), Part::Rss, 100.0, None),
            ("RSS, 1.8 GB/h", watched(120, leak), Part::Rss, 100.0, Some(true)),
        ] {
            assert_eq!(exceeds(&recording, part, limit), expected, "{name}");
        }
    }

    #[test]
    fn what_was_not_seen_has_no_rate_and_says_why() {
        let level = |_: f64| 50.0;
        let short = watched(30, level);
        for (recording, part, why) in [
            (&short, Part::Heap, "fewer than three"),
            (&short, Part::Rss, "fewer than three"),
            (&Recording::default(), Part::Rss, "no figures of it after collections"),
            (&short, Part::HeapUsed, "garbage is in it"),
            (&short, Part::Native, "which rights"),
            (&short, Part::Cache, "control group"),
        ] {
            let told = rate(recording, part).unwrap_err();
            assert!(told.contains(why), "{part:?}: {told}");
        }
        assert_eq!(peak(&short, Part::HeapUsed), Ok(77.0 * MB));
        assert_eq!(peak(&short, Part::Heap), Ok(50.0 * MB));
        assert!(peak(&short, Part::Wasm).is_err());
    }
}
