//! What samples show: which part of the memory grows, and how sure that is.
//!
//! Only figures of what lives decide. RSS, the used heap and external memory rise for minutes in clean programs too, so
//! tests of these find leaks where there are none.

use crate::{Malloc, MapKind, Recording, Sample, Trend, needed::needed, trend};
use std::time::Duration;

/// A part of the memory, whose growth is told. The parts up to `Free` do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Memories of WebAssembly.
    Wasm,
    /// What lives in the heap.
    Heap,
    /// Memory outside of the heap that objects own: buffers, large strings.
    Buffers,
    /// Heaps of other isolates: workers.
    Isolates,
    /// Memory that malloc has given out, without buffers.
    Native,
    /// Memory that malloc keeps, though it is free.
    Free,
    /// Anonymous resident memory without heap and buffers, where `Native` is not known; without `Free` if that is.
    Rest,
    /// Cache of files of the control group.
    Cache,
    /// Resident memory of the process, at any time.
    Rss,
    /// Used heap, at any time: what lives and what is not collected yet.
    HeapUsed,
}

impl Part {
    /// All parts: what lives first, then the rest of the process, then what is seen at any time.
    pub const ALL: [Part; 10] = [
        Part::Heap,
        Part::Buffers,
        Part::Wasm,
        Part::Isolates,
        Part::Native,
        Part::Free,
        Part::Rest,
        Part::Cache,
        Part::Rss,
        Part::HeapUsed,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Wasm => "wasm",
            Part::Heap => "live_heap",
            Part::Buffers => "live_buffers",
            Part::Isolates => "other_isolates",
            Part::Native => "native",
            Part::Free => "allocator_free",
            Part::Rest => "rest",
            Part::Cache => "file_cache",
            Part::Rss => "rss",
            Part::HeapUsed => "heap_used",
        }
    }

    /// Change in bytes that is no growth: level series of measured programs changed by so much.
    fn floor(self) -> f64 {
        match self {
            Part::Heap | Part::Buffers => 1e6,
            Part::Wasm => 0.5e6,
            Part::Native | Part::Isolates => 4e6,
            Part::Free | Part::Rest | Part::Rss => 10e6,
            Part::Cache => 20e6,
            Part::HeapUsed => 0.0,
        }
    }
}

/// Parts that can be the cause, the more exact ones first: wasm memories are in `external` of some versions, too.
const PARTS: [Part; 7] =
    [Part::Wasm, Part::Heap, Part::Buffers, Part::Isolates, Part::Native, Part::Free, Part::Rest];

/// What the memory of a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// What lives in the heap grows.
    Heap,
    /// Memory of buffers and other things that objects own grows.
    Buffers,
    /// Memories of WebAssembly grow.
    Wasm,
    /// Heaps of workers grow, or their number.
    Isolates,
    /// Native memory grows that no object owns.
    Native,
    /// The allocator keeps memory that was freed.
    Fragmentation,
    /// Only RSS grows: native memory, or fragmentation.
    Rss,
    /// The cache of files of the control group grows; the process does not.
    PageCache,
    /// What lives is level; the engine has not given back what it once needed.
    NotGivenBack,
    /// Nothing grows.
    Bounded,
    /// There was not enough to know.
    Unknown,
}

impl Cause {
    fn of(part: Part) -> Self {
        match part {
            Part::Wasm => Cause::Wasm,
            Part::Heap => Cause::Heap,
            Part::Buffers => Cause::Buffers,
            Part::Isolates => Cause::Isolates,
            Part::Native => Cause::Native,
            Part::Free => Cause::Fragmentation,
            Part::Cache => Cause::PageCache,
            Part::Rest | Part::Rss | Part::HeapUsed => Cause::Rss,
        }
    }
}

/// How sure a verdict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// It would be a chance of 1 in 100 or less, and the growth is far above the spread.
    High,
    /// It may be wrong; more time makes it sure.
    Low,
    /// There is no verdict.
    None,
}

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

/// What the memory of a process does, and why it is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What it does.
    pub cause: Cause,
    /// Whether that goes on: memory that was freed once, and is kept, does not grow.
    pub is_growing: bool,
    /// How sure it is.
    pub confidence: Confidence,
    /// The trend of what grows; of level memory that of the live heap.
    pub trend: Option<Trend>,
    /// Other parts that grow, by a tenth of it or more.
    pub others: Vec<Part>,
    /// Growth of the live heap in bytes per second that would not have been seen; `None` if any would not.
    pub unseen: Option<f64>,
    /// How much is known of the memory outside of the heap.
    pub sight: Sight,
    /// Why there is no verdict.
    pub why: Option<&'static str>,
    /// The growth that could not be excluded, if that is why.
    pub doubt: Option<Doubt>,
}

/// A growth that could not be excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// What may grow.
    pub part: Part,
    /// Upper end of its slope, in bytes per second.
    pub high: f64,
    /// How long a watch takes, in seconds, that would tell, by an estimate; `None` if there are too few figures.
    pub needed: Option<f64>,
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

/// How often malloc was followed. None at all where that is not allowed, or malloc is not that of glibc.
pub fn walks(recording: &Recording) -> Walks {
    let samples = || with_maps(recording).map(|sample| sample.system.malloc);
    if samples().all(|malloc| malloc.is_none()) {
        return Walks::default();
    }
    let failed = samples().filter(|malloc| malloc.is_none_or(|malloc| !malloc.is_whole()));
    Walks { count: samples().count(), failed: failed.count() }
}

/// Fewest figures of what lives from which something is said.
pub(crate) const LEAST: usize = 3;
/// A growth must exceed its spread by this factor.
const SPREADS: f64 = 3.0;
/// And by this one to be sure.
const SURE_SPREADS: f64 = 6.0;
/// A level series rises by chance as much as this seldom enough.
const CHANCE: f64 = 0.05;
/// Three points that rise are a chance of 1 in 6, whatever they are: there the growth alone decides, and it must be
/// larger by this factor.
const FEW_CHANCE: f64 = 0.2;
const FEW: f64 = 3.0;
/// And there it must be this share of the level: a collection that came late has left more.
const FEW_SHARE: f64 = 0.2;
/// And this seldom, to be sure.
const SURE_CHANCE: f64 = 0.01;
/// A heap that may have grown by this share of its size is not said to be bounded.
const HEAP_SHARE: f64 = 0.2;
/// A growth of less than this share of the level is none.
const SHARE: f64 = 0.01;
/// A growth goes on if the slope of its second half is this part of the whole.
pub(crate) const STILL: f64 = 0.25;
/// What is said of a level series needs a spread below this share of its level, and below [`STEADY_BYTES`].
const STEADY: f64 = 0.1;
const STEADY_BYTES: f64 = 2e6;
/// Of two growths, the more exact one counts if it is this part of the other.
const NEARLY: f64 = 0.7;
/// Growth that is told beside the largest.
const ALSO: f64 = 0.1;
/// Other isolates grow if that is this part of all heap pages: the figures of one isolate differ from its pages by
/// 18 %.
const ISOLATES: f64 = 0.25;
/// Memory that the allocator or the engine keeps is told from this size on, and from these shares of all.
const KEPT: f64 = 50e6;
const KEPT_FREE: f64 = 0.3;
const KEPT_HEAP: f64 = 1.5;
/// The cache of files is that of the process if it has transferred this part of its growth.
const OWN_CACHE: f64 = 0.5;
/// Figures of what lives that were asked for count alone if they cover this part of the time of all: a heap that grows
/// can become too large for them.
const COVERED: f64 = 0.5;
/// After a collection that the process made on its own, a sample has the figures of what lives from this time on, and
/// until this one.
const SETTLED: Duration = Duration::from_millis(100);
const STALE: Duration = Duration::from_secs(3);

/// How a series moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Motion {
    /// It grows.
    Grows(Confidence),
    /// It grew, and then less.
    LevelsOff,
    /// It does not grow.
    Level,
    /// Its figures are too few or too scattered.
    Unclear,
}

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
fn swing(recording: &Recording) -> f64 {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let own = settled.filter_map(|sample| bytes(sample.inside.heap_physical));
    let (least, most) =
        own.fold((f64::MAX, 0.0_f64), |(least, most), own| (least.min(own), most.max(own)));
    (most - least).max(0.0)
}

/// Samples of after the warm-up that have maps.
fn with_maps(recording: &Recording) -> impl Iterator<Item = &Sample> {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    settled.filter(|sample| !sample.system.maps.is_empty())
}

/// How much is known of the memory outside of the heap. Samples of which malloc could not be followed do not count if
/// there are enough others.
fn sight(recording: &Recording) -> Sight {
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

/// What malloc has given out, without buffers.
fn native(sample: &Sample) -> Option<f64> {
    let malloc = sample.system.malloc.filter(Malloc::is_whole)?;
    let large = resident(sample, MapKind::Mmap)?;
    Some((malloc.used as f64 + large - bytes(owned(sample))?).max(0.0))
}

/// What malloc keeps free, as far as it was ever touched.
fn free(sample: &Sample) -> Option<f64> {
    let malloc = sample.system.malloc.filter(Malloc::is_whole)?;
    let arenas = resident(sample, MapKind::Brk)? + resident(sample, MapKind::Arena)?;
    Some((malloc.free as f64).min(arenas))
}

/// Anonymous memory without heap and buffers, where maps were read.
fn rest(sample: &Sample) -> Option<f64> {
    let anon = bytes(sample.system.status.anon).filter(|_| !sample.system.maps.is_empty())?;
    let heap = bytes(sample.inside.heap_physical.or(sample.inside.heap_total))?;
    Some((anon - heap - bytes(owned(sample))?).max(0.0))
}

fn bytes(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

/// Memory outside of the heap that objects own: some of the buffers are in `external`, and some are not.
fn owned(sample: &Sample) -> Option<u64> {
    match (sample.inside.external, sample.inside.array_buffers) {
        (Some(external), Some(buffers)) => Some(external.max(buffers)),
        (external, buffers) => external.or(buffers),
    }
}

/// Resident memory of a kind of maps: 0 if there are none of it, `None` if maps were not read.
fn resident(sample: &Sample, kind: MapKind) -> Option<f64> {
    let maps = &sample.system.maps;
    // Where some cannot be told apart, any kind may be among them.
    let is_known = !maps.is_empty() && maps.iter().all(|total| total.kind != MapKind::Anonymous);
    let named = maps.iter().find(|total| total.kind == kind);
    let is_exact = matches!(kind, MapKind::Brk | MapKind::Arena);
    match named {
        Some(total) if is_known || is_exact => bytes(total.rss),
        Some(_) => None,
        None if is_known || (is_exact && !maps.is_empty()) => Some(0.0),
        None => None,
    }
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
    // A process that was late to answer has garbage again: then figures of the collections themselves say more.
    let range = |points: &[(f64, f64)]| trend(points).map(|trend| trend.high - trend.low);
    let is_late =
        range(&natural).zip(range(&asked)).is_some_and(|(natural, asked)| natural < asked);
    let covers = time(&asked) >= COVERED * time(&natural);
    let is_enough = asked.len() >= LEAST && covers && !is_late;
    if is_enough || natural.len() <= asked.len() { asked } else { natural }
}

/// The time that points cover, in seconds.
fn time(points: &[(f64, f64)]) -> f64 {
    points.last().zip(points.first()).map_or(0.0, |(last, first)| last.0 - first.0)
}

/// The size of a part.
fn level(trend: &Trend) -> f64 {
    trend.first.abs().max(trend.last.abs())
}

/// Change of a part that is no growth.
fn noise(part: Part, trend: &Trend) -> f64 {
    (SPREADS * trend.spread).max(part.floor()).max(SHARE * level(trend))
}

/// Change of a part above which it grows.
pub(crate) fn least(part: Part, trend: &Trend) -> f64 {
    let noise = noise(part, trend);
    match trend.points == LEAST {
        true => (FEW * noise).max(FEW_SHARE * level(trend)),
        false => noise,
    }
}

/// How a part moves.
fn motion(part: Part, trend: Option<&Trend>) -> Motion {
    let Some(trend) = trend.filter(|trend| trend.points >= LEAST) else { return Motion::Unclear };
    let chance = if trend.points == LEAST { FEW_CHANCE } else { CHANCE };
    if trend.slope > 0.0 && trend.change() > least(part, trend) && trend.chance < chance {
        let sure = trend.chance < SURE_CHANCE && trend.change() > SURE_SPREADS * trend.spread;
        return match trend.late {
            Some(late) if late < STILL * trend.slope => Motion::LevelsOff,
            _ => Motion::Grows(if sure { Confidence::High } else { Confidence::Low }),
        };
    }
    match trend.spread <= steady(trend) {
        true => Motion::Level,
        false => Motion::Unclear,
    }
}

/// The most that figures may be scattered by.
fn steady(trend: &Trend) -> f64 {
    (STEADY * level(trend)).max(STEADY_BYTES)
}

/// Change of a part that matters. What scattered figures hide matters, too, beyond what they may be scattered by. Of
/// the heap the verdict tells the slope that was not seen; so there only a change of much of it makes a doubt.
fn matters(part: Part, trend: &Trend) -> f64 {
    let limit = match trend.spread <= steady(trend) {
        true => least(part, trend),
        false => steady(trend).max(part.floor()),
    };
    if part == Part::Heap { limit.max(HEAP_SHARE * level(trend)) } else { limit }
}

/// Why growth of a part cannot be excluded: the upper end of its slope is a change that matters, or of three figures
/// there is none. `limit` is the change that matters.
fn doubt(recording: &Recording, part: Part, trend: &Trend, limit: f64) -> Option<Doubt> {
    let is_few = trend.points <= LEAST;
    if !is_few && trend.high * trend.span <= limit {
        return None;
    }
    let longer = if is_few { None } else { needed(trend, limit) };
    let needed = longer.map(|k| recording.warm_up.as_secs_f64() + k * trend.span);
    Some(Doubt { part, high: trend.high, needed })
}

/// What the memory of a process does.
pub fn judge(recording: &Recording) -> Verdict {
    let parts = PARTS.map(|part| (part, trend(&series(recording, part))));
    let heap = parts.iter().find(|(part, _)| *part == Part::Heap).and_then(|found| found.1);
    let unseen = heap
        .filter(|trend| trend.points >= LEAST)
        .map(|trend| (least(Part::Heap, &trend) / trend.span).max(trend.high));
    let none = Verdict {
        cause: Cause::Unknown,
        is_growing: false,
        confidence: Confidence::None,
        trend: heap,
        others: Vec::new(),
        unseen,
        sight: sight(recording),
        why: None,
        doubt: None,
    };
    let pages = ISOLATES * series_max(recording, MapKind::V8);
    let swing = swing(recording);
    // Less can be pages of this heap.
    let is_enough =
        |part: Part, trend: &Trend| part != Part::Isolates || trend.change() > pages.max(swing);
    let growing = parts.iter().filter_map(|(part, trend)| {
        let trend = trend.as_ref()?;
        let Motion::Grows(confidence) = motion(*part, Some(trend)) else { return None };
        is_enough(*part, trend).then_some((*part, *trend, confidence))
    });
    let growing: Vec<(Part, Trend, Confidence)> = growing.collect();
    let most = growing.iter().map(|(_, trend, _)| trend.slope).fold(0.0, f64::max);
    if let Some((part, trend, confidence)) =
        growing.iter().find(|(_, trend, _)| trend.slope >= NEARLY * most)
    {
        let others = growing
            .iter()
            .filter(|(other, found, _)| other != part && found.slope >= ALSO * trend.slope);
        return Verdict {
            cause: Cause::of(*part),
            is_growing: true,
            confidence: *confidence,
            trend: Some(*trend),
            others: others.map(|(part, ..)| *part).collect(),
            ..none
        };
    }
    match motion(Part::Heap, heap.as_ref()) {
        Motion::LevelsOff => {
            let why = "the live heap grew, and then less: it may be warming up";
            return Verdict { why: Some(why), ..none };
        }
        Motion::Unclear if heap.is_none_or(|heap| heap.points < LEAST) => {
            let why = "there were fewer than three figures of what lives after a collection";
            return Verdict { why: Some(why), ..none };
        }
        Motion::Level | Motion::Unclear | Motion::Grows(_) => {}
    }
    // Where malloc could not be followed often enough, it is among the rest.
    let counts = |part: Part, trend: &Trend| match part {
        Part::Native | Part::Free => none.sight == Sight::Malloc || trend.points >= LEAST,
        _ => true,
    };
    let doubts = parts.iter().filter_map(|(part, trend)| {
        let trend = trend.filter(|trend| counts(*part, trend))?;
        let least = matters(*part, &trend);
        let limit = if *part == Part::Isolates { least.max(pages) } else { least };
        doubt(recording, *part, &trend, limit)
    });
    let doubts: Vec<Doubt> = doubts.collect();
    let is_sure = doubts.is_empty();
    let of_heap = doubts.iter().find(|doubt| doubt.part == Part::Heap);
    if let Some(doubt) = of_heap {
        return Verdict { why: Some(excluded(doubt)), doubt: Some(*doubt), ..none };
    }
    let confidence = if is_sure { Confidence::High } else { Confidence::Low };
    let unclear = parts.iter().find(|(part, trend)| {
        trend.is_some_and(|trend| {
            motion(*part, Some(&trend)) == Motion::LevelsOff && is_enough(*part, &trend)
        })
    });
    let last = recording.samples.iter().rev().find(|sample| !sample.system.maps.is_empty());
    let rss = last.and_then(|sample| bytes(sample.system.status.rss)).unwrap_or(0.0);
    let of_last = |part| series(recording, part).last().map_or(0.0, |point| point.1);
    let free = of_last(Part::Free);
    if free > KEPT.max(KEPT_FREE * rss) {
        let trend = trend(&series(recording, Part::Free));
        return Verdict { cause: Cause::Fragmentation, confidence, trend, ..none };
    }
    let isolates = parts.iter().find(|(part, _)| *part == Part::Isolates).and_then(|found| found.1);
    if let Motion::Grows(_) = motion(Part::Isolates, isolates.as_ref())
        && isolates.is_some_and(|trend| trend.change() > pages)
    {
        let why =
            "pages of V8 grow, by less than this heap moves itself: its own, or those of workers";
        return Verdict { why: Some(why), ..none };
    }
    if let Some((part, _)) = unclear {
        let why = match part {
            Part::Native | Part::Free | Part::Rest => "native memory grew, and then less",
            Part::Isolates => "heaps of other isolates grew, and then less",
            _ => "memory outside of the heap grew, and then less",
        };
        return Verdict { why: Some(why), ..none };
    }
    let cache = trend(&series(recording, Part::Cache));
    if let Motion::Grows(confidence) = motion(Part::Cache, cache.as_ref())
        && cache.is_some_and(|cache| transferred(recording) >= OWN_CACHE * cache.change())
    {
        let cause = Cause::PageCache;
        let confidence = if is_sure { confidence } else { Confidence::Low };
        return Verdict { cause, is_growing: true, confidence, trend: cache, ..none };
    }
    // Of several, the one that takes longest: then all are known.
    let longest = |a: &&Doubt, b: &&Doubt| {
        let needed = |doubt: &Doubt| doubt.needed.unwrap_or(f64::INFINITY);
        needed(a).total_cmp(&needed(b))
    };
    if let Some(doubt) = doubts.iter().max_by(longest) {
        return Verdict { why: Some(excluded(doubt)), doubt: Some(*doubt), ..none };
    }
    let v8 = last.and_then(|sample| resident(sample, MapKind::V8)).unwrap_or(0.0);
    let live = heap.map_or(0.0, |heap| heap.last);
    let cause = match v8 > (KEPT_HEAP * live).max(live + KEPT) {
        true => Cause::NotGivenBack,
        false => Cause::Bounded,
    };
    Verdict { cause, confidence, ..none }
}

/// Why a doubt is one.
fn excluded(doubt: &Doubt) -> &'static str {
    match doubt.needed {
        Some(_) => "the upper end of a slope is a growth that matters",
        None => "there were too few figures, so that growth cannot be excluded",
    }
}

/// Bytes that the process read and wrote after the warm-up: what others of its control group do says nothing of it.
fn transferred(recording: &Recording) -> f64 {
    let settled = recording.samples.iter().filter(|sample| sample.at >= recording.warm_up);
    let mut all = settled.filter_map(|sample| sample.system.transferred);
    let first = all.next();
    first.zip(all.next_back()).map_or(0.0, |(first, last)| last.saturating_sub(first) as f64)
}

/// The most that maps of a kind took.
fn series_max(recording: &Recording, kind: MapKind) -> f64 {
    let all = recording.samples.iter().filter_map(|sample| resident(sample, kind));
    all.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Collection, Group, Inside, LiveBy, MapTotal, Status, System};

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
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
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
            let (buffers, native, free) =
                (of(program.buffers), of(program.native), of(program.free));
            let (wasm, workers, cache) = (of(program.wasm), of(program.workers), of(program.cache));
            let written = of(program.written);
            let used = if is_state && has_live { live } else { live + garbage };
            let map =
                |kind, rss| MapTotal { kind, count: 1, size: rss, rss: Some(rss), pss: Some(rss) };
            let system = System {
                status: Status {
                    rss: Some(
                        live + garbage + buffers + native + free + wasm + workers + (40 << 20),
                    ),
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
                Program {
                    native: |at, _| 6.0 + at / 2.0,
                    buffers: |at, _| 5.0 + at / 20.0,
                    ..CLEAN
                },
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
                Program {
                    cache: |at, _| 30.0 + 4.0 * at,
                    written: |at, _| 5.0 + 4.0 * at,
                    ..CLEAN
                },
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
            (
                "fragmentation, other allocator",
                free,
                without_malloc,
                (Cause::Rss, Sight::Anonymous),
            ),
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
        assert_eq!(judge(&strip(watched(native, 120, true))).cause, Cause::Bounded);
        assert_eq!(judge(&Recording::default()).cause, Cause::Unknown);
    }
}
