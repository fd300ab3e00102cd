//! The memory of a watched process over time, for pages.

use super::memory::meaning;
use heapquarry_html::model::{Curve, Curves};
use heapquarry_process::{Account, Malloc, MapKind, Part, Recording, Sample, Use, series};
use serde::Serialize;
use std::time::Duration;

/// Most values of a curve.
const VALUES: usize = 600;

/// A chart of the memory of a process.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryChart {
    /// A word for it.
    pub key: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// How to read it.
    pub note: &'static str,
    /// Its curves.
    #[serde(flatten)]
    pub curves: Curves,
}

/// A curve in short, for answers that fit a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShortCurve {
    /// What it shows.
    pub name: &'static str,
    /// Seconds from the start.
    pub seconds: Vec<u64>,
    /// Bytes at these times.
    pub bytes: Vec<u64>,
}

/// The curves of the memory over time, with at most so many points each, evenly distributed: the first and the last of
/// all are among them.
pub(super) fn short(recording: &Recording, points: usize) -> Vec<ShortCurve> {
    let short = |(name, all): (&'static str, Vec<(u64, u64)>)| {
        let count = points.clamp(2, all.len().max(2));
        let at = (0..count.min(all.len())).map(|n| n * (all.len() - 1) / (count - 1));
        let (seconds, bytes) = at.map(|at| (all[at].0 / 1_000_000_000, all[at].1)).unzip();
        ShortCurve { name, seconds, bytes }
    };
    figures(recording).into_iter().filter(|(_, all)| !all.is_empty()).map(short).collect()
}

/// All charts for which there are figures.
pub(super) fn charts(recording: &Recording) -> Vec<MemoryChart> {
    let chart = |key, title, note, is_stacked, curves: Vec<Curve>| MemoryChart {
        key,
        title,
        note,
        curves: Curves {
            span: nanos(recording.span()),
            warm_up: nanos(recording.warm_up),
            is_stacked,
            curves,
        },
    };
    let mut all = vec![
        chart(
            "curves",
            "Memory over time",
            "What lives decides: RSS and the used heap rise for minutes in programs without a leak. Figures of the grey \
             time are those of the warm-up, which do not count. A name below hides its curve.",
            false,
            lines(recording),
        ),
        chart(
            "uses",
            "Resident memory by its use",
            "The parts add up to RSS, no byte twice. They are known where the maps of the process were read.",
            true,
            uses(recording),
        ),
        chart(
            "maps",
            "Resident memory by kind of map",
            "What the system says: v8 and code are the engine's, brk, arena and mmap mostly malloc's, file programs and \
             libraries.",
            true,
            maps(recording),
        ),
        chart(
            "group",
            "Control group",
            "All processes of the group together. Its cache of files gives way when memory is needed.",
            false,
            group(recording),
        ),
    ];
    all.retain(|chart| !chart.curves.curves.is_empty());
    all
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A curve of points in time; `None` without any.
fn curve(name: &'static str, points: &[(u64, u64)]) -> Option<Curve> {
    // Of neighbours the largest is drawn: a peak must not be lost.
    let size = points.len().div_ceil(VALUES).max(1);
    let largest = points.chunks(size).filter_map(|few| few.iter().max_by_key(|point| point.1));
    let (at, value): (Vec<u64>, Vec<u64>) = largest.copied().unzip();
    (!at.is_empty()).then(|| Curve { name, at: at.into(), value: value.into() })
}

/// What a sample has of a figure.
type Figure = fn(&Sample) -> Option<u64>;

/// A figure over time: nanoseconds and bytes.
fn points(recording: &Recording, figure: Figure) -> Vec<(u64, u64)> {
    recording.samples.iter().filter_map(|s| Some((nanos(s.at), figure(s)?))).collect()
}

fn lines(recording: &Recording) -> Vec<Curve> {
    figures(recording).into_iter().filter_map(|(name, points)| curve(name, &points)).collect()
}

/// Memory over time.
fn figures(recording: &Recording) -> Vec<(&'static str, Vec<(u64, u64)>)> {
    let figures: [(&'static str, Figure); 6] = [
        ("RSS", |s| s.system.status.rss.or(s.inside.rss)),
        ("used heap, garbage included", |s| s.inside.heap_used),
        ("external memory", |s| s.inside.external),
        ("array buffers", |s| s.inside.array_buffers),
        ("malloc, in use", |s| Some(s.system.malloc.filter(Malloc::is_whole)?.used)),
        ("malloc, free but kept", |s| Some(s.system.malloc.filter(Malloc::is_whole)?.free)),
    ];
    let mut all: Vec<_> =
        figures.into_iter().map(|(name, figure)| (name, points(recording, figure))).collect();
    let live = series(recording, Part::Heap);
    let live = live.into_iter().map(|(at, size)| ((at * 1e9) as u64, size as u64)).collect();
    // After RSS and the used heap, between which it is read.
    all.insert(2, ("heap, what lives", live));
    all
}

fn group(recording: &Recording) -> Vec<Curve> {
    let figures: [(&'static str, Figure); 3] = [
        ("all memory", |s| s.system.group.filter(|group| !group.is_root)?.used),
        ("cache of files", |s| s.system.group.filter(|group| !group.is_root)?.cache),
        ("cache that gives way first", |s| {
            s.system.group.filter(|group| !group.is_root)?.inactive_file
        }),
    ];
    let curves = figures.into_iter();
    curves.filter_map(|(name, figure)| curve(name, &points(recording, figure))).collect()
}

/// Samples whose maps were read: of very many only some.
fn with_maps(recording: &Recording) -> Vec<&Sample> {
    let all: Vec<&Sample> =
        recording.samples.iter().filter(|sample| !sample.system.maps.is_empty()).collect();
    let every = all.len().div_ceil(VALUES).max(1);
    all.into_iter().step_by(every).collect()
}

/// Curves of parts of a whole: those that are more than nothing. Without a part a moment has nothing of it.
fn stacked<P: Copy + PartialEq>(
    moments: &[(u64, Vec<(P, u64)>)],
    parts: impl IntoIterator<Item = (P, &'static str)>,
) -> Vec<Curve> {
    let size = |part: P, all: &[(P, u64)]| {
        all.iter().find(|(found, _)| *found == part).map_or(0, |(_, size)| *size)
    };
    let curve = |(part, name)| {
        let value: Vec<u64> = moments.iter().map(|(_, all)| size(part, all)).collect();
        let at = moments.iter().map(|(at, _)| *at).collect();
        value.iter().any(|value| *value > 0).then(|| Curve { name, at, value: value.into() })
    };
    parts.into_iter().filter_map(curve).collect()
}

fn uses(recording: &Recording) -> Vec<Curve> {
    let accounts = with_maps(recording).into_iter();
    let accounts: Vec<(u64, Account)> =
        accounts.filter_map(|sample| Some((nanos(sample.at), Account::of(sample)?))).collect();
    let Some((_, last)) = accounts.last().cloned() else { return Vec::new() };
    let moments: Vec<(u64, Vec<(Use, u64)>)> =
        accounts.into_iter().map(|(at, account)| (at, account.parts)).collect();
    stacked(&moments, Use::ALL.map(|part| (part, meaning(part, &last))))
}

fn maps(recording: &Recording) -> Vec<Curve> {
    let moment = |sample: &Sample| {
        let maps = sample.system.maps.iter();
        let all: Option<Vec<(MapKind, u64)>> =
            maps.map(|total| Some((total.kind, total.rss?))).collect();
        Some((nanos(sample.at), all?))
    };
    let moments: Vec<_> = with_maps(recording).into_iter().filter_map(moment).collect();
    stacked(&moments, MapKind::ALL.map(|kind| (kind, kind.name())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_process::{Inside, LiveBy, MapTotal, Status, System};

    const MB: u64 = 1_000_000;

    fn watched(seconds: u64) -> Recording {
        let mut recording = Recording { warm_up: Duration::from_secs(15), ..Recording::default() };
        for at in 0..seconds {
            let is_state = at.is_multiple_of(10);
            let total =
                |kind, rss| MapTotal { kind, count: 1, size: rss, rss: Some(rss), pss: None };
            recording.push(Sample {
                at: Duration::from_secs(at),
                live: is_state.then_some(LiveBy::Measured),
                inside: Inside {
                    heap_used: Some(50 * MB + at),
                    heap_physical: Some(60 * MB),
                    ..Inside::default()
                },
                system: System {
                    status: Status { rss: Some(90 * MB), ..Status::default() },
                    maps: match is_state {
                        true => vec![
                            total(MapKind::V8, 60 * MB),
                            total(MapKind::Brk, 30 * MB),
                            total(MapKind::Wasm, 0),
                        ],
                        false => Vec::new(),
                    },
                    ..System::default()
                },
                ..Sample::default()
            });
        }
        recording
    }

    #[test]
    fn charts_have_what_was_seen() {
        let found = charts(&watched(1000));
        let names: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|chart| (chart.key, chart.curves.curves.iter().map(|c| c.name).collect()))
            .collect();
        let rest = "the rest: native, or unused by the allocator";
        assert_eq!(
            names,
            [
                ("curves", vec!["RSS", "used heap, garbage included", "heap, what lives"]),
                ("uses", vec!["heap", rest]),
                ("maps", vec!["v8", "brk"]),
            ]
        );
        assert!(found.iter().all(|chart| chart.curves.span == 999_000_000_000));
        let lengths = |chart: &MemoryChart| -> Vec<usize> {
            chart.curves.curves.iter().map(|curve| curve.value.len()).collect()
        };
        // Of two neighbours the larger is drawn; what lives begins after the warm-up.
        assert_eq!(lengths(&found[0]), [500, 500, 98]);
        assert_eq!(lengths(&found[1]), [100, 100]);
        assert!(charts(&Recording::default()).is_empty());
    }

    #[test]
    fn short_curves_begin_and_end_as_the_whole() {
        let found = short(&watched(1000), 3);
        let all: Vec<_> = found.iter().map(|curve| (curve.name, curve.seconds.clone())).collect();
        let expected = [
            ("RSS", vec![0, 499, 999]),
            ("used heap, garbage included", vec![0, 499, 999]),
            ("heap, what lives", vec![20, 500, 990]),
        ];
        assert_eq!(all, expected);
        assert_eq!(found[1].bytes, [50 * MB, 50 * MB + 499, 50 * MB + 999]);
        // There are no more than there are figures.
        let lengths = |recording: &Recording| -> Vec<usize> {
            short(recording, 8).iter().map(|curve| curve.bytes.len()).collect()
        };
        assert_eq!(lengths(&watched(1)), [1, 1]);
        assert!(lengths(&Recording::default()).is_empty());
    }

    #[test]
    fn of_neighbours_the_largest_is_drawn() {
        let points: Vec<(u64, u64)> = (0..3000).map(|at| (at, at % 7)).collect();
        let found = curve("", &points).unwrap();
        assert_eq!(found.value.len(), VALUES);
        let largest = points.chunks(5).map(|few| few.iter().map(|point| point.1).max().unwrap());
        assert_eq!(found.value, largest.collect::<Vec<u64>>().into());
    }

    /// The parts of each moment are the resident memory.
    #[test]
    fn parts_add_up() {
        let moments = [(0, vec![(1, 5), (2, 7)]), (9, vec![(2, 3)])];
        let found = stacked(&moments, [(1, "one"), (2, "two"), (3, "none")]);
        let values: Vec<_> = found.iter().map(|curve| (curve.name, curve.value.clone())).collect();
        assert_eq!(values, [("one", vec![5_u64, 0].into()), ("two", vec![7_u64, 3].into())]);
    }
}
