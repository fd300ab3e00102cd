//! What samples show: which part of the memory grows, and how sure that is.
//!
//! Only figures of what lives decide. RSS, the used heap and external memory rise for minutes in clean programs too, so
//! tests of these find leaks where there are none.

use crate::{
    MapKind, Part, Recording, Sight, Trend,
    figures::{bytes, resident},
    needed::needed,
    series::{most, series, swing, transferred},
    sight::{LEAST, sight},
    trend,
};

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

/// Why growth of a part cannot be excluded: the upper end of its slope is a change that matters (`limit`), or there are
/// too few figures.
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
    let pages = ISOLATES * most(recording, MapKind::V8);
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
    let steepest = growing.iter().map(|(_, trend, _)| trend.slope).fold(0.0, f64::max);
    if let Some((part, trend, confidence)) =
        growing.iter().find(|(_, trend, _)| trend.slope >= NEARLY * steepest)
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
    // What was not seen at all may grow.
    let is_seen = none.sight != Sight::Buffers;
    let confidence = if is_sure && is_seen { Confidence::High } else { Confidence::Low };
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

#[cfg(test)]
mod tests;
