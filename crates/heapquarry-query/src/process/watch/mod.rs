//! What the memory of a process did while it was watched.

mod advice;
mod allocations;
mod answer;
mod view;

pub use answer::{
    Advice, AllocationFrame, AllocationStack, Certainty, Collections, EventLoop, GroupMemory,
    GrowthCause, LivingAllocations, MemoryKind, PartGrowth, WatchAnswer, WatchVerdict,
};

use crate::{
    answer::{Answered, Bytes, BytesChange, BytesPerHour, Caveat, CaveatKind, Nanos},
    question::question,
};
use heapquarry::{Result, engine::WatchDir, require_local};
use heapquarry_process::{
    Cause, Confidence, MapKind, Part, Recording, Sample, Trend, Verdict, judge, series, trend,
    unsaid,
};
use std::path::PathBuf;

question! {
    /// Watch the memory of a running process: what grows, how fast, and how sure that is
    ///
    /// Samples what the process and the system say, without stopping the process for long, and tells which part of the
    /// memory grows: the heap, buffers, native memory, workers, or what the allocator keeps. Only figures after
    /// collections decide: RSS and heap rise for minutes in programs without a leak.
    pub struct Watch {
        /// How long to watch, such as 2min; in JSON in seconds [default: until an interrupt]
        #[arg(long = "for", value_name = "TIME", value_parser = crate::args::seconds)]
        pub duration: Option<f64> = None,

        /// Time between samples, such as 500ms; in JSON in seconds
        #[arg(long, value_name = "TIME", default_value = "1s", value_parser = crate::args::seconds)]
        pub every: f64 = 1.0,

        /// Time before the first figures that count, such as 15min for a server that fills caches; in JSON in seconds
        #[arg(long, value_name = "TIME", default_value = "15s", value_parser = crate::args::seconds)]
        pub warm_up: f64 = 15.0,

        /// Longest time to stop the process at once, by an estimate; in JSON in seconds. A longer one allows
        /// collections of larger heaps, which decide sooner
        #[arg(long, value_name = "TIME", default_value = "60ms", value_parser = crate::args::seconds)]
        pub max_pause: f64 = 0.06,

        /// Write the samples as Parquet tables to this directory
        #[arg(short, long, value_name = "DIR")]
        pub output: Option<PathBuf> = None,

        /// Replace an existing output directory that heapquarry wrote; with --pid, open the inspector of a process that
        /// is not called node, too
        #[arg(long)]
        pub force: bool = false,
    }
}

/// A watch that has an output, if it is to have one, before anything happens to the process.
pub struct Watching {
    output: Option<WatchDir>,
}

impl Watch {
    /// Makes the output directory.
    ///
    /// # Errors
    /// If it exists, and must not be replaced, or cannot be written.
    pub fn begin(&self) -> Result<Watching> {
        let create = |path: &PathBuf| {
            require_local(path)?;
            WatchDir::create(path, self.force)
        };
        Ok(Watching { output: self.output.as_ref().map(create).transpose()? })
    }
}

impl Watching {
    /// Tells what was seen of a process, and writes it. `target` is what the caller was told to watch, as arguments of
    /// `capture`: further commands name it so.
    ///
    /// # Errors
    /// If the tables cannot be written.
    pub fn answer(self, target: &str, recording: &Recording) -> Result<Answered<WatchAnswer>> {
        let mut caveats = remarks(recording);
        if let Some(mut output) = self.output {
            output.add(target, recording)?;
            caveats.extend(output.finish()?.map(|warning| remark(&warning.to_string())));
        }
        let answer = answer(target, recording);
        Ok(Answered::new("watch", vec![target.into()], caveats, answer, usize::MAX))
    }
}

/// All that is told of a watch.
pub(super) fn answer(target: &str, recording: &Recording) -> WatchAnswer {
    let verdict = judge(recording);
    let samples = &recording.samples;
    let last_state = samples.iter().rev().find(|sample| !sample.system.maps.is_empty());
    let longest = |of: fn(&Sample) -> Option<std::time::Duration>| {
        let longest = samples.iter().filter_map(of).max();
        longest.map(|time| Nanos(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)))
    };
    let group = samples.iter().rev().find_map(|sample| sample.system.group);
    let allocations = recording.allocations.as_ref().map(allocations::living);
    let made_by = allocations.as_ref().filter(|_| verdict.cause == Cause::Heap);
    let made_by = made_by.and_then(LivingAllocations::made_by);
    WatchAnswer {
        advice: advice::advice(&verdict, target, made_by.is_some()),
        verdict: told(&verdict, made_by),
        duration: Nanos(i64::try_from(recording.span().as_nanos()).unwrap_or(i64::MAX)),
        sample_count: samples.len() as u64,
        live_count: samples.iter().filter(|sample| sample.live.is_some()).count() as u64,
        growth: growth(recording),
        memory: last_state.map_or_else(Vec::new, memory),
        collections: recording.collections.as_ref().map(|_| Collections {
            minor_count: recording.minor_count.unwrap_or(0),
            major_count: recording.major_count.unwrap_or(0),
        }),
        event_loop: longest(|sample| sample.inside.loop_delay_max).map(|longest_delay| {
            let shares: Vec<f64> =
                samples.iter().filter_map(|sample| sample.inside.loop_utilization).collect();
            let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
            EventLoop { longest_delay, utilization: (!shares.is_empty()).then_some(mean) }
        }),
        most_workers: samples.iter().filter_map(|sample| sample.inside.worker_count).max(),
        longest_answer: longest(|sample| Some(sample.took)),
        group: group.map(|group| GroupMemory {
            used: group.used.map(Bytes),
            limit: group.limit.map(Bytes),
            file_cache: group.cache.map(Bytes),
            oom_kill_count: group.oom_kills,
        }),
        allocations,
    }
}

/// The parts whose growth is told, and what they are.
const PARTS: [(Part, &str); 10] = [
    (Part::Heap, "heap, what lives"),
    (Part::Buffers, "buffers and other memory that objects own, what lives"),
    (Part::Wasm, "WebAssembly memories"),
    (Part::Isolates, "pages of V8 beyond the most that this heap had: heaps of workers"),
    (Part::Native, "malloc in use, without buffers"),
    (Part::Free, "malloc, free but kept"),
    (Part::Rest, "other anonymous memory, as far as it is not among these"),
    (Part::Cache, "file cache of the control group"),
    (Part::Rss, "RSS, at any time"),
    (Part::HeapUsed, "used heap, garbage included"),
];

fn growth(recording: &Recording) -> Vec<PartGrowth> {
    let grown = |(part, meaning): (Part, &'static str)| {
        let trend = trend(&series(recording, part))?;
        Some(PartGrowth {
            part: part.name(),
            meaning,
            point_count: trend.points as u64,
            first: Bytes(trend.first.max(0.0) as u64),
            last: Bytes(trend.last.max(0.0) as u64),
            change: BytesChange(trend.change() as i64),
            slope: per_hour(trend.slope),
            slope_low: per_hour(trend.low),
            slope_high: per_hour(trend.high),
            spread: Bytes(trend.spread as u64),
            chance: trend.chance,
        })
    };
    PARTS.into_iter().filter_map(grown).collect()
}

/// The time that a watch takes that would tell. It is an estimate: whole minutes.
fn nanos(seconds: f64) -> Nanos {
    Nanos((seconds / 60.0).ceil() as i64 * 60_000_000_000)
}

fn per_hour(per_second: f64) -> BytesPerHour {
    BytesPerHour((per_second * 3600.0) as i64)
}

/// What kinds of maps are for.
fn meaning(kind: MapKind) -> &'static str {
    match kind {
        MapKind::V8 => "heaps of V8, of all isolates",
        MapKind::Code => "code that the engine made",
        MapKind::Wasm => "WebAssembly memories",
        MapKind::Brk => "malloc, main arena",
        MapKind::Arena => "malloc, arenas of threads",
        MapKind::Mmap => "malloc, large blocks; other anonymous memory",
        MapKind::Stack => "stacks",
        MapKind::File => "programs, libraries and other files",
        MapKind::Anonymous => "anonymous: heaps, large blocks or stacks",
        MapKind::Reserved => "reserved addresses",
        MapKind::Other => "other",
    }
}

fn memory(sample: &Sample) -> Vec<MemoryKind> {
    let kind = |total: &heapquarry_process::MapTotal| MemoryKind {
        kind: total.kind.name(),
        meaning: meaning(total.kind),
        map_count: total.count,
        rss: total.rss.map(Bytes),
        pss: total.pss.map(Bytes),
    };
    sample.system.maps.iter().map(kind).collect()
}

fn told(verdict: &Verdict, made_by: Option<String>) -> WatchVerdict {
    let trend = verdict.trend.as_ref();
    WatchVerdict {
        cause: verdict.cause.into(),
        is_growing: verdict.is_growing,
        certainty: verdict.confidence.into(),
        text: advice::sentence(verdict),
        slope: trend.map(|trend| per_hour(trend.slope)),
        slope_low: trend.map(|trend| per_hour(trend.low)),
        slope_high: trend.map(|trend| per_hour(trend.high)),
        spread: trend.map(|trend: &Trend| Bytes(trend.spread as u64)),
        chance: trend.map(|trend| trend.chance),
        also_growing: verdict.others.iter().map(|part| part.name()).collect(),
        unseen_slope: verdict.unseen.map(per_hour),
        needed_duration: verdict.doubt.and_then(|doubt| doubt.needed).map(nanos),
        made_by,
    }
}

impl From<Cause> for GrowthCause {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Heap => GrowthCause::Heap,
            Cause::Buffers => GrowthCause::Buffers,
            Cause::Wasm => GrowthCause::Wasm,
            Cause::Isolates => GrowthCause::OtherIsolates,
            Cause::Native => GrowthCause::Native,
            Cause::Fragmentation => GrowthCause::Fragmentation,
            Cause::Rss => GrowthCause::OnlyRss,
            Cause::PageCache => GrowthCause::PageCache,
            Cause::NotGivenBack => GrowthCause::NotGivenBack,
            Cause::Bounded => GrowthCause::Bounded,
            Cause::Unknown => GrowthCause::NotSure,
        }
    }
}

impl From<Confidence> for Certainty {
    fn from(confidence: Confidence) -> Self {
        match confidence {
            Confidence::High => Certainty::High,
            Confidence::Low => Certainty::Low,
            Confidence::None => Certainty::None,
        }
    }
}

/// What could not be seen of a process.
pub(super) fn remarks(recording: &Recording) -> Vec<Caveat> {
    recording.notes.iter().chain(&unsaid(recording)).map(|note| remark(note)).collect()
}

/// What could not be seen, as a caveat.
pub(crate) fn remark(text: &str) -> Caveat {
    Caveat { kind: CaveatKind::Remark, input: None, text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_process::{Inside, LiveBy, Sample};
    use std::time::Duration;

    fn recording(rise: u64) -> Recording {
        let mut recording = Recording::default();
        for at in 0..20 {
            recording.push(Sample {
                at: Duration::from_secs(at * 10),
                live: Some(LiveBy::Measured),
                inside: Inside { heap_used: Some(50_000_000 + at * rise), ..Inside::default() },
                ..Sample::default()
            });
        }
        recording
    }

    #[test]
    fn an_answer_says_what_grows_how_fast_and_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let output = dir.path().join("tables");
        let watch = Watch { output: Some(output.clone()), ..Watch::default() };
        let answered = watch.begin().unwrap().answer("9229", &recording(1_000_000)).unwrap();
        let WatchAnswer { verdict, advice, .. } = &answered.answer;
        assert_eq!((verdict.cause, verdict.is_growing), (GrowthCause::Heap, true));
        assert_eq!(verdict.slope, Some(BytesPerHour(360_000_000)));
        assert!(verdict.text.contains("360.0 MB/h"), "{}", verdict.text);
        assert!(advice.iter().any(|advice| advice.command.as_deref().is_some_and(|command| {
            command.starts_with("heapquarry capture 9229") && command.ends_with("--then leaks")
        })));
        for table in ["process_sample", "process_map", "heap_space_sample", "process_collection"] {
            assert!(output.join(format!("{table}.parquet")).exists(), "{table}");
        }
        assert!(watch.begin().is_err());
    }

    /// What is said of memory outside of the heap is no more than what was seen of it.
    #[test]
    fn a_verdict_says_what_was_not_seen() {
        use heapquarry_process::{Cause, Confidence, Sight, Verdict};
        let verdict = |cause, sight| Verdict {
            cause,
            is_growing: cause == Cause::Rss,
            confidence: Confidence::High,
            trend: None,
            others: Vec::new(),
            unseen: None,
            sight,
            why: None,
            doubt: None,
        };
        for (cause, sight, text, command) in [
            (Cause::Bounded, Sight::Malloc, "Nothing grows", None),
            (Cause::Bounded, Sight::Buffers, "Heap and buffers do not grow", None),
            (Cause::Rss, Sight::Anonymous, "native memory, or fragmentation", None),
            (Cause::Rss, Sight::Free, "native memory, or heaps of workers", Some("--max-pause 1s")),
        ] {
            let verdict = verdict(cause, sight);
            let sentence = advice::sentence(&verdict);
            assert!(sentence.contains(text), "{sentence}");
            let commands =
                advice::advice(&verdict, "9229", false).into_iter().find_map(|a| a.command);
            assert_eq!(commands.is_some(), command.is_some(), "{sentence}");
            assert!(commands.unwrap_or_default().ends_with(command.unwrap_or_default()));
        }
    }

    /// Growth that cannot be excluded is named, with the watch that would tell.
    #[test]
    fn a_verdict_that_is_not_sure_says_how_long_to_watch() {
        let mut recording = Recording::default();
        for at in 0..12 {
            let size = 50_000_000 + at * 7 % 5 * 8_000_000;
            recording.push(Sample {
                at: Duration::from_secs(at * 10),
                live: Some(LiveBy::Measured),
                inside: Inside { heap_used: Some(size), ..Inside::default() },
                ..Sample::default()
            });
        }
        let answered = Watch::default().begin().unwrap().answer("9229", &recording).unwrap();
        let WatchAnswer { verdict, advice, .. } = &answered.answer;
        assert_eq!(verdict.cause, GrowthCause::NotSure, "{}", verdict.text);
        assert!(verdict.text.contains("the live heap may grow by up to"), "{}", verdict.text);
        let minutes = verdict.needed_duration.unwrap().0 / 60_000_000_000;
        assert!((3..60).contains(&minutes), "{}", verdict.text);
        let command = format!("heapquarry watch 9229 --for {minutes}min");
        assert!(verdict.text.contains(&format!("{minutes}min")), "{}", verdict.text);
        assert!(
            advice.iter().any(|advice| advice.command.as_ref() == Some(&command)),
            "{advice:?}"
        );
    }

    /// Walks of malloc that failed are told, however the watch is asked.
    #[test]
    fn walks_of_malloc_that_failed_are_told() {
        use heapquarry_process::{Malloc, MapTotal};
        let mut recording = recording(0);
        for (at, sample) in recording.samples.iter_mut().enumerate() {
            let total = MapTotal { kind: MapKind::Brk, count: 1, size: 1, rss: Some(1), pss: None };
            sample.system.maps.push(total);
            let unknown = if at == 4 { 1_000_000 } else { 0 };
            sample.system.malloc = Some(Malloc { used: 1_000_000, free: 0, unknown });
        }
        let told = |all: &[Caveat]| all.iter().any(|it| it.text.contains("in 1 of 20 samples"));
        let answered = Watch::default().begin().unwrap().answer("9229", &recording).unwrap();
        assert!(told(&answered.caveats), "{:?}", answered.caveats);
        let subject = super::super::Subject { target: "9229".into(), recording };
        assert!(told(&subject.caveats()));
    }

    #[test]
    fn a_level_heap_says_what_would_not_have_been_seen() {
        let answered = Watch::default().begin().unwrap().answer("9229", &recording(0)).unwrap();
        let verdict = &answered.answer.verdict;
        assert_eq!((verdict.cause, verdict.is_growing), (GrowthCause::Bounded, false));
        // 1 MB in 190 seconds.
        assert_eq!(verdict.unseen_slope, Some(BytesPerHour(18_947_368)));
        assert!(verdict.text.contains("18.9 MB/h"), "{}", verdict.text);
    }
}
