//! Made-up programs and what is said of them.

use super::*;
use crate::{
    Collection, Group, Inside, LiveBy, Malloc, MapTotal, Sample, Status, System, Walks,
    sight::walks,
};
use std::time::Duration;

const MB: f64 = 1e6;

/// A program: what its memory is, in MB, at a second. Noise is a number from -1 to 1 that is different each time.
#[derive(Clone, Copy)]
struct Program {
    live: fn(f64, f64) -> f64,
    garbage: fn(f64, f64) -> f64,
    buffers: fn(f64, f64) -> f64,
    wasm: fn(f64, f64) -> f64,
    workers: fn(f64, f64) -> f64,
    native: fn(f64, f64) -> f64,
    free: fn(f64, f64) -> f64,
    cache: fn(f64, f64) -> f64,
    written: fn(f64, f64) -> f64,
}

/// A clean program: a heap of 50 MB with a saw-tooth of 40.
const CLEAN: Program = Program {
    live: |_, noise| 50.0 + 0.2 * noise,
    garbage: |at, _| at * 2.0 % 40.0,
    buffers: |_, noise| 5.0 + 0.1 * noise,
    wasm: |_, _| 0.0,
    workers: |_, _| 0.0,
    native: |_, noise| 6.0 + 0.1 * noise,
    free: |_, noise| 2.0 + 0.2 * noise.abs(),
    cache: |_, _| 30.0,
    written: |_, _| 5.0,
};

fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
}

/// What lives in a heap at a second.
fn measured(at: u64, heap_used: u64) -> Sample {
    Sample {
        at: Duration::from_secs(at),
        live: Some(LiveBy::Measured),
        inside: Inside { heap_used: Some(heap_used), ..Inside::default() },
        ..Sample::default()
    }
}

/// A sample each second, and what lives every 5 to 30 seconds.
fn watched(program: Program, seconds: u32, has_live: bool) -> Recording {
    let mut seed = 7;
    let warm_up = Duration::from_secs(15);
    let mut recording = Recording { warm_up, ..Recording::default() };
    let every = (seconds / 12).clamp(5, 30);
    for second in 0..=seconds {
        let at = f64::from(second);
        let mut of = |part: fn(f64, f64) -> f64| (part(at, noise(&mut seed)) * MB) as u64;
        let is_state = second >= 15 && second % every == 0;
        let (live, garbage) = (of(program.live), of(program.garbage));
        let (buffers, native, free) = (of(program.buffers), of(program.native), of(program.free));
        let (wasm, workers, cache) = (of(program.wasm), of(program.workers), of(program.cache));
        let written = of(program.written);
        let used = if is_state && has_live { live } else { live + garbage };
        let map =
            |kind, rss| MapTotal { kind, count: 1, size: rss, rss: Some(rss), pss: Some(rss) };
        let system = System {
            status: Status {
                rss: Some(live + garbage + buffers + native + free + wasm + workers + (40 << 20)),
                anon: Some(live + garbage + buffers + native + free + wasm + workers),
                ..Status::default()
            },
            group: Some(Group { cache: Some(cache), ..Group::default() }),
            maps: match is_state {
                false => Vec::new(),
                true => vec![
                    map(MapKind::V8, live + garbage + workers),
                    map(MapKind::Code, 0),
                    map(MapKind::Wasm, wasm),
                    map(MapKind::Brk, buffers + native + free),
                    map(MapKind::Mmap, 0),
                ],
            },
            transferred: Some(written),
            malloc: is_state.then_some(Malloc { used: buffers + native, free, unknown: 0 }),
        };
        recording.push(Sample {
            at: Duration::from_secs(second.into()),
            live: (is_state && has_live).then_some(LiveBy::Measured),
            inside: Inside {
                heap_used: Some(used),
                heap_physical: Some(live + garbage),
                external: Some(buffers),
                array_buffers: Some(buffers),
                ..Inside::default()
            },
            system,
            ..Sample::default()
        });
    }
    recording
}

#[test]
fn programs_are_judged_by_what_lives() {
    use Cause::*;
    for (name, seconds, program, expected) in [
        ("saw-tooth", 120, CLEAN, (Bounded, false)),
        (
            "saw-tooth that rises, as only one collection came",
            120,
            Program { garbage: |at, _| at * 0.6, ..CLEAN },
            (NotGivenBack, false),
        ),
        (
            "leak of 30 MB/min",
            120,
            Program { live: |at, n| 50.0 + at / 2.0 + 0.2 * n, ..CLEAN },
            (Heap, true),
        ),
        (
            "leak of 1 MB/min",
            300,
            Program { live: |at, n| 50.0 + at / 60.0 + 0.1 * n, ..CLEAN },
            (Heap, true),
        ),
        (
            "leak of 100 kB/min under garbage of 20 MB",
            120,
            Program {
                live: |at, n| 50.0 + at / 600.0 + 0.2 * n,
                garbage: |_, n| 10.0 + 10.0 * n,
                ..CLEAN
            },
            (Bounded, false),
        ),
        (
            "leak of 100 kB/min under live noise of 20 MB",
            120,
            Program { live: |at, n| 50.0 + at / 600.0 + 10.0 * n, ..CLEAN },
            (Unknown, false),
        ),
        (
            "leak of 100 kB/min, an hour",
            3600,
            Program {
                live: |at, n| 50.0 + at / 600.0 + 0.2 * n,
                garbage: |_, n| 10.0 + 10.0 * n,
                ..CLEAN
            },
            (Heap, true),
        ),
        (
            "warm-up of a minute",
            300,
            Program { live: |at, n| 50.0 + (at / 2.0).min(30.0) + 0.2 * n, ..CLEAN },
            (Bounded, false),
        ),
        (
            "warm-up that ends in the middle",
            120,
            Program { live: |at, n| 50.0 + (at / 2.0).min(35.0) + 0.2 * n, ..CLEAN },
            (Unknown, false),
        ),
        ("ten seconds", 10, Program { live: |at, _| 50.0 + at, ..CLEAN }, (Unknown, false)),
        ("buffers", 120, Program { buffers: |at, _| 5.0 + at / 2.0, ..CLEAN }, (Buffers, true)),
        ("wasm", 120, Program { wasm: |at, _| at / 2.0, ..CLEAN }, (Wasm, true)),
        (
            "wasm that is external, too",
            120,
            Program { wasm: |at, _| at / 2.0, buffers: |at, _| 5.0 + at / 2.0, ..CLEAN },
            (Wasm, true),
        ),
        (
            "workers",
            120,
            Program { workers: |at, _| at / 2.0, garbage: |_, _| 0.0, ..CLEAN },
            (Isolates, true),
        ),
        (
            "pages that the engine keeps of a heap that moves",
            120,
            Program {
                garbage: |at, _| if at % 10.0 == 5.0 { 150.0 } else { 0.0 },
                workers: |at, _| if at < 5.0 { 0.0 } else { 150.0 },
                ..CLEAN
            },
            (NotGivenBack, false),
        ),
        (
            "pages that a heap that moves can have had between two samples",
            120,
            Program {
                garbage: |at, _| if at % 10.0 == 5.0 { 150.0 } else { 0.0 },
                workers: |at, _| 150.0 + at,
                ..CLEAN
            },
            (Unknown, false),
        ),
        (
            "a few pages more that the engine keeps",
            120,
            Program { workers: |at, _| (at / 5.0).min(12.0), garbage: |_, _| 0.0, ..CLEAN },
            (Bounded, false),
        ),
        ("native", 120, Program { native: |at, _| 6.0 + at / 2.0, ..CLEAN }, (Native, true)),
        (
            "native of which a part is external",
            120,
            Program { native: |at, _| 6.0 + at / 2.0, buffers: |at, _| 5.0 + at / 20.0, ..CLEAN },
            (Native, true),
        ),
        (
            "fragmentation that grows",
            120,
            Program { free: |at, _| 20.0 + 3.0 * at, native: |at, _| 6.0 + at / 30.0, ..CLEAN },
            (Fragmentation, true),
        ),
        (
            "one peak",
            120,
            Program { free: |at, _| if at < 20.0 { 3.0 } else { 300.0 }, ..CLEAN },
            (Fragmentation, false),
        ),
        (
            "page cache",
            120,
            Program { cache: |at, _| 30.0 + 4.0 * at, written: |at, _| 5.0 + 4.0 * at, ..CLEAN },
            (PageCache, true),
        ),
        (
            "page cache of others",
            120,
            Program { cache: |at, _| 30.0 + 4.0 * at, ..CLEAN },
            (Bounded, false),
        ),
    ] {
        let found = judge(&watched(program, seconds, true));
        assert_eq!((found.cause, found.is_growing), expected, "{name}: {found:#?}");
        assert_eq!(found.why.is_some(), found.cause == Unknown, "{name}: {found:#?}");
    }
}

/// Pages that may be those of workers are none if the process says that it has no workers.
#[test]
fn a_process_without_workers_has_no_pages_of_workers() {
    let program = Program {
        garbage: |at, _| if at % 10.0 == 5.0 { 150.0 } else { 0.0 },
        workers: |at, _| 150.0 + at,
        ..CLEAN
    };
    for (count, expected) in
        [(None, Cause::Unknown), (Some(1), Cause::Unknown), (Some(0), Cause::NotGivenBack)]
    {
        let mut recording = watched(program, 120, true);
        // Of many samples one worker is enough.
        let last = recording.samples.len() - 1;
        for (at, sample) in recording.samples.iter_mut().enumerate() {
            sample.inside.worker_count = if at < last { Some(0) } else { count };
        }
        let found = judge(&recording);
        assert_eq!(found.cause, expected, "{count:?}: {found:#?}");
    }
}

/// Nothing grows only if the upper end of each slope is below what matters. Otherwise the verdict says of what it
/// is not, and how long a watch would tell.
#[test]
fn nothing_grows_only_if_no_growth_that_matters_is_possible() {
    for (name, program, expected) in [
        ("level", CLEAN, None),
        (
            "a worker more, late",
            Program {
                garbage: |_, _| 0.0,
                workers: |at, _| if at < 100.0 { 0.0 } else { 30.0 },
                ..CLEAN
            },
            Some(Part::Isolates),
        ),
        (
            "a worker that comes and goes",
            Program { workers: |at, _| 5.0 * (at % 20.0 / 10.0).floor(), ..CLEAN },
            None,
        ),
        (
            "native that is scattered",
            Program { native: |_, n| 30.0 + 8.0 * n, ..CLEAN },
            Some(Part::Native),
        ),
        (
            "a heap that is scattered",
            Program { live: |_, n| 50.0 + 25.0 * n, ..CLEAN },
            Some(Part::Heap),
        ),
    ] {
        let judged = |seconds| judge(&watched(program, seconds, true));
        let found = judged(120);
        let (cause, confidence) = match expected {
            None => (Cause::Bounded, Confidence::High),
            Some(_) => (Cause::Unknown, Confidence::None),
        };
        assert_eq!((found.cause, found.confidence), (cause, confidence), "{name}: {found:#?}");
        assert_eq!(found.doubt.map(|doubt| doubt.part), expected, "{name}: {found:#?}");
        if let Some(Doubt { part, high, needed }) = found.doubt {
            let trend = trend(&series(&watched(program, 120, true), part)).unwrap();
            assert_eq!(high, trend.high, "{name}");
            let needed = needed.unwrap();
            assert!((130.0..3600.0).contains(&needed), "{name}: {needed}");
        }
    }
}

/// Scattered figures of what is level are enough if there are many: their slope is known all the same.
#[test]
fn a_longer_watch_tells_what_a_short_one_could_not() {
    for (rise, expected) in [(0.0, Cause::Bounded), (0.02, Cause::Heap)] {
        let watch = |seconds: u64| {
            let mut recording = Recording::default();
            let mut seed = 7;
            for at in (0..=seconds).step_by(10) {
                let size = 50.0 + rise * at as f64 + 25.0 * noise(&mut seed);
                let heap_used = (size * MB) as u64;
                recording.push(measured(at, heap_used));
            }
            judge(&recording)
        };
        assert_eq!(watch(120).cause, Cause::Unknown, "{:#?}", watch(120));
        assert_eq!(watch(7200).cause, expected, "{:#?}", watch(7200));
    }
}

/// One walk of malloc that failed does not hide the others; where most did, they say nothing of the rest.
#[test]
fn walks_of_malloc_that_failed_are_left_out_and_counted() {
    // Pages that the engine keeps of its heap: memory that no object owns, but none of malloc.
    let kept = Program {
        garbage: |at, _| if at % 10.0 == 5.0 { 150.0 } else { 0.0 },
        workers: |at, _| 30.0 + at,
        ..CLEAN
    };
    let native = Program { native: |at, _| 6.0 + at / 2.0, ..CLEAN };
    for (program, failures, expected) in [
        (kept, &[][..], (Cause::NotGivenBack, Sight::Malloc)),
        (kept, &[4], (Cause::NotGivenBack, Sight::Malloc)),
        (kept, &[0, 10], (Cause::NotGivenBack, Sight::Malloc)),
        (kept, &[1, 3, 5, 7, 9], (Cause::NotGivenBack, Sight::Malloc)),
        (kept, &[2, 3, 4, 5, 6, 7, 8, 9, 10], (Cause::Rss, Sight::Anonymous)),
        (native, &[4], (Cause::Native, Sight::Malloc)),
        (native, &[2, 3, 4, 5, 6, 7, 8, 9, 10], (Cause::Rss, Sight::Anonymous)),
    ] {
        for unknown in [None, Some(1 << 40)] {
            let mut recording = watched(program, 120, true);
            recording.samples.iter_mut().for_each(|s| s.inside.worker_count = Some(0));
            let seen = recording.samples.iter_mut().filter(|s| !s.system.maps.is_empty());
            let seen = seen.map(|sample| &mut sample.system.malloc);
            for (_, malloc) in seen.enumerate().filter(|(at, _)| failures.contains(at)) {
                *malloc = unknown.map(|unknown| Malloc { unknown, ..malloc.unwrap() });
            }
            let found = judge(&recording);
            assert_eq!((found.cause, found.sight), expected, "{failures:?}: {found:#?}");
            let Walks { count, failed } = walks(&recording);
            assert_eq!((count, failed), (11, failures.len()));
        }
    }
    let mut without = watched(CLEAN, 120, true);
    without.samples.iter_mut().for_each(|sample| sample.system.malloc = None);
    assert_eq!(walks(&without), Walks::default());
}

#[test]
fn growth_is_told_in_its_size() {
    let program = Program { live: |at, n| 50.0 + at / 2.0 + 0.2 * n, ..CLEAN };
    let found = judge(&watched(program, 120, true));
    let trend = found.trend.unwrap();
    assert_eq!(found.confidence, Confidence::High);
    assert!((trend.slope - 0.5 * MB).abs() < 0.02 * MB, "{trend:?}");
    assert!(trend.low <= 0.5 * MB && 0.5 * MB <= trend.high, "{trend:?}");
}

/// A heap that grows becomes too large to be collected at once: then its own collections tell how it goes on.
#[test]
fn collections_of_the_process_count_if_others_ended_early() {
    for (rise, expected, confidence) in
        [(0.5, Cause::Heap, Confidence::High), (0.0, Cause::Bounded, Confidence::High)]
    {
        let size = |at: u64| ((50.0 + rise * at as f64) * MB) as u64;
        let mut recording = watched(CLEAN, 120, true);
        for sample in recording.samples.iter_mut().filter(|sample| sample.live.is_some()) {
            let at = sample.at.as_secs();
            if at > 40 {
                sample.live = None;
            } else {
                sample.inside.heap_used = Some(size(at));
            }
        }
        let ends = (16..120).step_by(8);
        let collection = |at| Collection { at: Duration::from_secs(at), used_after: size(at) };
        recording.add_collections(5, ends.map(collection).collect());
        let found = judge(&recording);
        assert_eq!((found.cause, found.confidence), (expected, confidence), "{found:#?}");
        assert!(found.trend.is_some_and(|trend| trend.span > 90.0), "{found:#?}");
    }
}

/// Some answers came seconds after the collections that were asked for: there is garbage in their figures. What the
/// collections left is known. A leak is seen in both.
#[test]
fn collections_count_if_their_figures_say_more() {
    for (rise, expected) in [(0.0, Cause::Bounded), (0.5, Cause::Heap)] {
        let size = |at: u64| ((50.0 + rise * at as f64) * MB) as u64;
        let mut recording = watched(CLEAN, 120, true);
        let asked = recording.samples.iter_mut().filter(|sample| sample.live.is_some());
        let garbage = [1.5, 1.1, 2.4, 0.3, 1.9, 1.0, 4.7, 3.2, 2.6, 2.2, 41.9];
        for (sample, garbage) in asked.zip(garbage) {
            let garbage = (garbage * MB) as u64;
            sample.inside.heap_used = Some(size(sample.at.as_secs()) + garbage);
        }
        let without = judge(&recording).cause;
        let ends = (16..120).step_by(8);
        let collection = |at| Collection { at: Duration::from_secs(at), used_after: size(at) };
        recording.add_collections(5, ends.map(collection).collect());
        let found = judge(&recording);
        let is_sure = (found.cause, found.confidence) == (expected, Confidence::High);
        assert!(is_sure, "{found:#?}");
        let of_answers = if rise > 0.0 { Cause::Heap } else { Cause::Unknown };
        assert_eq!(without, of_answers);
    }
}

/// A starved process has few collections, of which one that came late has left more.
#[test]
fn three_figures_must_differ_by_much() {
    for (sizes, expected) in [
        ([19.5, 20.3, 23.9], (Cause::Unknown, Confidence::None)),
        ([19.5, 27.0, 34.0], (Cause::Heap, Confidence::Low)),
        ([190.0, 198.0, 206.0], (Cause::Unknown, Confidence::None)),
    ] {
        let mut recording = watched(CLEAN, 120, false);
        let ends = [20, 54, 119].into_iter().zip(sizes);
        let collection = |(at, size): (u64, f64)| Collection {
            at: Duration::from_secs(at),
            used_after: (size * MB) as u64,
        };
        recording.add_collections(5, ends.map(collection).collect());
        let found = judge(&recording);
        assert_eq!((found.cause, found.confidence), expected, "{found:#?}");
    }
}

/// Without collections that are asked for, those of the process itself count.
#[test]
fn collections_of_the_process_count_if_there_are_enough() {
    for (collections, rise, expected) in [
        (&[21, 45, 70, 90][..], 0.5, Cause::Heap),
        (&[21, 45, 70, 90], 0.0, Cause::Bounded),
        (&[21, 45], 0.5, Cause::Unknown),
        (&[], 0.5, Cause::Unknown),
    ] {
        let mut recording = watched(CLEAN, 100, false);
        let collection = |&at: &u64| Collection {
            at: Duration::from_secs(at),
            used_after: ((50.0 + rise * at as f64) * MB) as u64,
        };
        recording.add_collections(5, collections.iter().map(collection).collect());
        assert_eq!(judge(&recording).cause, expected, "{collections:?}");
    }
}

/// A process whose kinds of maps would take too long to be read: heaps and large blocks are anonymous memory.
fn without_kinds(mut recording: Recording) -> Recording {
    for sample in &mut recording.samples {
        let (mut anonymous, mut known) = (0, Vec::new());
        for total in std::mem::take(&mut sample.system.maps) {
            match total.kind {
                MapKind::Brk => known.push(total),
                _ => anonymous += total.rss.unwrap(),
            }
        }
        if !known.is_empty() {
            let (kind, rss) = (MapKind::Anonymous, Some(anonymous));
            known.push(MapTotal { kind, count: 1, size: anonymous, rss, pss: None });
        }
        sample.system.maps = known;
    }
    recording
}

#[test]
fn what_grows_is_told_as_far_as_it_is_known() {
    type Change = fn(Recording) -> Recording;
    let without_malloc: Change = |mut recording| {
        recording.samples.iter_mut().for_each(|sample| sample.system.malloc = None);
        recording
    };
    // Half of the figures could not follow the chunks, and have what came before.
    let broken: Change = |mut recording| {
        for malloc in
            recording.samples.iter_mut().filter_map(|s| s.system.malloc.as_mut()).step_by(2)
        {
            *malloc = Malloc { used: 1_000_000, free: 0, unknown: malloc.used + malloc.free };
        }
        recording
    };
    let same: Change = |recording| recording;
    let native = Program { native: |at, _| 6.0 + at / 2.0, ..CLEAN };
    let free = Program { free: |at, _| 20.0 + 3.0 * at, ..CLEAN };
    let workers = Program { workers: |at, _| at / 2.0, garbage: |_, _| 0.0, ..CLEAN };
    for (name, program, change, expected) in [
        ("native", native, same, (Cause::Native, Sight::Malloc)),
        ("level, large", CLEAN, without_kinds, (Cause::Bounded, Sight::Free)),
        ("native, large", native, without_kinds, (Cause::Rss, Sight::Free)),
        ("workers, large", workers, without_kinds, (Cause::Rss, Sight::Free)),
        ("fragmentation, large", free, without_kinds, (Cause::Fragmentation, Sight::Free)),
        ("native, other allocator", native, without_malloc, (Cause::Rss, Sight::Anonymous)),
        ("fragmentation, other allocator", free, without_malloc, (Cause::Rss, Sight::Anonymous)),
        ("level, broken chains", CLEAN, broken, (Cause::Bounded, Sight::Malloc)),
        ("native, broken chains", native, broken, (Cause::Native, Sight::Malloc)),
    ] {
        let found = judge(&change(watched(program, 120, true)));
        assert_eq!((found.cause, found.sight), expected, "{name}: {found:#?}");
        assert_eq!(found.is_growing, found.cause != Cause::Bounded, "{name}");
    }
}

/// What is said not to have been seen is what the rule needs, whatever the number of figures.
#[test]
fn a_growth_beyond_the_unseen_slope_is_seen() {
    let leak = |points: u64, slope: f64| {
        let mut recording = Recording::default();
        for at in (0..points).map(|at| at * 10) {
            let heap_used = (5.0 * MB + slope * at as f64) as u64;
            recording.push(measured(at, heap_used));
        }
        judge(&recording)
    };
    for points in [3, 4, 5, 8, 20] {
        let unseen = leak(points, 0.0).unseen.unwrap();
        let found = [0.9, 1.1].map(|factor| leak(points, factor * unseen).cause);
        // Of three figures nothing is excluded.
        let below = if points == 3 { Cause::Unknown } else { Cause::Bounded };
        assert_eq!(found, [below, Cause::Heap], "{points}: {unseen}");
    }
}

/// Elsewhere than on Linux, and of other processes, the system says nothing: what lives still decides.
#[test]
fn what_is_not_known_is_not_guessed() {
    let strip = |mut recording: Recording| {
        recording.samples.iter_mut().for_each(|sample| sample.system = System::default());
        recording
    };
    let native = Program { native: |at, _| 6.0 + at / 2.0, ..CLEAN };
    let heap = Program { live: |at, n| 50.0 + at / 2.0 + 0.2 * n, ..CLEAN };
    assert_eq!(judge(&strip(watched(heap, 120, true))).cause, Cause::Heap);
    let unseen = judge(&strip(watched(native, 120, true)));
    // It is not sure of what it did not see.
    assert_eq!((unseen.cause, unseen.confidence), (Cause::Bounded, Confidence::Low));
    assert_eq!(judge(&Recording::default()).cause, Cause::Unknown);
}
