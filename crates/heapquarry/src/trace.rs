//! Reads a trace for analysis: events are decoded as for a conversion, without making rows.

use crate::{
    Result, RunOptions, Status,
    gather::{GatherSink, GatheredDocument},
    located::{Located, Place},
    maps::Maps,
    memory,
    originals::profile::{ScriptMaps, translate},
};
use heapquarry_formats::{Entry, Gathered, Log};
use heapquarry_profile::{Kind, Profile};
use heapquarry_rows::{
    profile::{Calls, Gathering},
    trace::conclude,
};
use heapquarry_timeline::Timeline;
use std::mem;

/// A trace in memory.
pub struct Loaded {
    /// Its events, and what they mean together.
    pub timeline: Timeline,
    /// All CPU profiles in it, merged; `None` if there are none.
    pub profile: Option<Profile>,
    /// What its events run or compile.
    pub calls: Calls,
    /// Whether it was complete.
    pub status: Status,
    /// The rows of `import_log`.
    pub log: Vec<Entry>,
    /// What is to be said of source maps, one sentence each.
    pub source_map_notes: Vec<String>,
}

/// Reads a trace into memory: about 30 bytes for each event, and its strings and ids.
///
/// # Errors
/// If the input cannot be read, nothing of it can be kept, or it needs more memory than the options allow.
pub fn load(located: &Located, options: &RunOptions) -> Result<Loaded> {
    let profiles = Gathering::new(Kind::Cpu, None, false);
    let sink = GatherSink::for_analysis().and_profile(profiles).and_calls();
    let GatheredDocument { mut documents, parts, profile, mut calls } =
        sink.read(located, options)?;
    let profiles = documents.split_off(documents.len().min(1)).len();
    let parts = match parts {
        Some(Gathered::Trace(parts)) => *parts,
        _ => Default::default(),
    };
    let mut log = Log::default();
    let timeline = conclude(parts, &mut log, options.thread_count());
    if matches!(located.0, Place::Stored(_)) {
        // `import_log` already has the contradictions.
        log = Log::default();
    }
    let (status, entries) = documents.pop().map(|d| (d.status, d.log)).unwrap_or_default();
    let log = entries.into_iter().chain(log.into_entries()).collect();
    let mut profile =
        profile.filter(|_| profiles > 0).map(|profile| Profile { documents: profiles, ..profile });
    let source_map_notes = match Maps::of(located.path(), options) {
        Some(maps) => {
            let of_profile = profile.as_ref().map_or(0, Profile::memory);
            let of_others = of_profile.saturating_add(calls.memory());
            let taken = memory::taken_by_events(&timeline.events).saturating_add(of_others);
            name(profile.as_mut(), &mut calls, &maps, taken)
        }
        None => Vec::new(),
    };
    Ok(Loaded { timeline, profile, calls, status, log, source_map_notes })
}

/// Adds the originals that source maps tell of the functions of both, and returns what is to be said of the maps.
/// `taken`: bytes of memory that the trace takes meanwhile.
fn name(profile: Option<&mut Profile>, calls: &mut Calls, maps: &Maps, taken: u64) -> Vec<String> {
    if profile.is_none() && calls.is_empty() {
        let why =
            "source maps are not used: the trace has no CPU profile, and its events call no script";
        return if maps.are_given() { vec![why.into()] } else { Vec::new() };
    }
    // Each map is read once for both.
    let mut nothing = Vec::new();
    let sampled = profile.map_or(&mut nothing, |profile| &mut profile.functions);
    let count = sampled.len();
    let mut functions = mem::take(sampled);
    functions.append(&mut calls.functions);
    let said = translate(&mut functions, maps, &ScriptMaps::default(), taken);
    calls.functions = functions.split_off(count);
    *sampled = functions;
    said
}
