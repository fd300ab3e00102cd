//! Verdicts on recorded watches: what live tests cannot hold, as a busy machine gives them fewer figures. The series
//! are those of real programs, two minutes each (`benches/process`): each has the noise of an engine and of a system.

use heapquarry::{
    RunOptions, Source,
    engine::{Locate, WatchDir},
};
use heapquarry_process::{Account, Cause, Confidence, Recording, Sample, Verdict, judge};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/process")
}

/// What the memory of a program does, by its name: the cause, and whether it grows.
const TRUTH: [(&str, Cause, bool); 10] = [
    ("heap-leak", Cause::Heap, true),
    ("buffer-leak", Cause::Buffers, true),
    ("buffer-leak-slice", Cause::Buffers, true),
    ("native-leak-env", Cause::Native, true),
    ("native-leak-zlib", Cause::Native, true),
    ("native-leak-wasm", Cause::Wasm, true),
    ("native-leak-worker", Cause::Isolates, true),
    ("fragmentation-threads", Cause::Fragmentation, true),
    ("fragmentation-peak", Cause::Fragmentation, false),
    ("page-cache", Cause::PageCache, true),
];

/// All recordings: `node24/heap-leak-0`.
fn recordings() -> Vec<(String, Recording)> {
    let source = |number| Source::path(corpus()).document(number);
    let run = RunOptions::default();
    let count = Source::path(corpus()).converted().unwrap().unwrap().documents(&run).unwrap().len();
    (0..count).map(|number| source(number).recording(&run).unwrap().unwrap()).collect()
}

/// The program of a recording: its name without the version and the number of the run.
fn program(name: &str) -> &str {
    let (_, name) = name.split_once('/').unwrap();
    name.rsplit_once('-').unwrap().0
}

/// Of which the whole recording has no verdict: the pages of its heap move by more than 100 MB, and some peaks are
/// between two samples.
const UNSURE: [&str; 1] = ["node22/big-limit-0"];

fn has_verdict(name: &str, found: (Cause, bool)) -> bool {
    let leak = TRUTH.iter().find(|(leak, ..)| *leak == program(name));
    match leak {
        Some(&(_, cause, is_growing)) => found == (cause, is_growing),
        None => matches!(found, (Cause::Bounded | Cause::NotGivenBack, false)),
    }
}

/// `UPDATE_WATCHES=DIR` adds what `benches/process` has recorded there to the corpus.
#[test]
fn programs_have_the_verdict_that_is_true_of_them() {
    if let Ok(from) = std::env::var("UPDATE_WATCHES") {
        update(Path::new(&from));
    }
    let all = recordings();
    let mut wrong = Vec::new();
    for (name, recording) in &all {
        let verdict = judge(recording);
        let is_sure = verdict.confidence == Confidence::High;
        let is_right = match UNSURE.contains(&name.as_str()) {
            true => verdict.cause == Cause::Unknown && verdict.doubt.is_some(),
            false => is_sure && has_verdict(name, (verdict.cause, verdict.is_growing)),
        };
        if !is_right {
            wrong.push(format!("{name}: {verdict:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    for (leak, ..) in TRUTH {
        assert!(all.iter().any(|(name, _)| program(name) == leak), "{leak} is not recorded");
    }
    assert!(all.len() >= 2 * TRUTH.len(), "{}", all.len());
}

/// Programs that leak 512 kB each second, as their argument says.
const RATED: [&str; 5] =
    ["heap-leak", "buffer-leak", "buffer-leak-slice", "native-leak-env", "native-leak-wasm"];

#[test]
fn growth_is_as_fast_as_the_program_makes_it() {
    let truth = 512.0 * 1024.0;
    let rated = |name: &str| RATED.contains(&program(name));
    let all = recordings().into_iter().filter(|(name, _)| rated(name));
    let slope = |recording: &Recording| judge(recording).trend.map_or(0.0, |trend| trend.slope);
    let wrong: Vec<_> = all
        .map(|(name, recording)| (name, slope(&recording) / truth))
        .filter(|(_, part)| (part - 1.0).abs() > 0.1)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What is named and the rest are the resident memory, no byte twice. Its maps are read a moment after it: both differ
/// by more than 2 % in a few samples of programs whose memory moves by megabytes at once.
#[test]
fn what_is_named_and_the_rest_are_the_resident_memory() {
    let (mut count, mut far) = (0, Vec::new());
    for (name, recording) in recordings() {
        for sample in recording.samples.iter().filter(|sample| !sample.system.maps.is_empty()) {
            let rss = sample.system.status.rss.unwrap();
            let account = Account::of(sample).unwrap();
            assert_eq!(account.parts.iter().map(|(_, size)| size).sum::<u64>(), rss, "{name}");
            let maps: u64 = sample.system.maps.iter().filter_map(|total| total.rss).sum();
            count += 1;
            if maps.abs_diff(rss) > rss / 50 {
                far.push((name.clone(), sample.at));
            }
        }
    }
    assert!(count > 700 && far.len() <= count / 100, "{} of {count}: {far:?}", far.len());
}

/// A recording up to a time, as if the watch had ended there.
fn until(recording: &Recording, share: f64) -> Recording {
    let end = recording.span().mul_f64(share);
    let mut cut = recording.clone();
    cut.samples.retain(|sample| sample.at <= end);
    if let Some(collections) = &mut cut.collections {
        collections.retain(|collection| collection.at <= end);
    }
    cut
}

/// Whether a verdict that is sure of itself is wrong of a program. One that is not sure says so.
fn is_surely_wrong(name: &str, verdict: &Verdict) -> bool {
    let is_leak = TRUTH.iter().any(|(leak, _, grows)| *leak == program(name) && *grows);
    verdict.confidence == Confidence::High && verdict.is_growing != is_leak
}

/// Shorter watches can be less sure, but must not say for sure that what leaks is bounded, nor the reverse.
#[test]
fn less_time_makes_a_verdict_less_sure_and_not_wrong() {
    let mut wrong = Vec::new();
    for (name, recording) in recordings() {
        for percent in [10, 20, 35, 50, 75] {
            let verdict = judge(&until(&recording, f64::from(percent) / 100.0));
            if is_surely_wrong(&name, &verdict) {
                wrong.push(format!("{name} after {percent} %: {verdict:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A busy machine gives fewer figures of what lives: of each three only one is left.
#[test]
fn fewer_figures_make_a_verdict_less_sure_and_not_wrong() {
    let mut wrong = Vec::new();
    for (name, recording) in recordings() {
        for first in 0..3 {
            let mut thin = recording.clone();
            let is_state =
                |sample: &Sample| sample.live.is_some() || !sample.system.maps.is_empty();
            let mut at = 0;
            thin.samples.retain(|sample| {
                at += usize::from(is_state(sample));
                !is_state(sample) || at % 3 == first
            });
            let verdict = judge(&thin);
            if is_surely_wrong(&name, &verdict) {
                wrong.push(format!("{name}, every third from {first}: {verdict:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A walk of malloc that failed says nothing; those that succeeded say what all of them would. Where growth was
/// excluded by little, it no longer is.
#[test]
fn a_walk_of_malloc_that_failed_changes_no_verdict() {
    let (mut count, mut wrong, mut unsure) = (0, Vec::new(), Vec::new());
    for (name, recording) in recordings().into_iter().filter(|(name, _)| !UNSURE.contains(&&**name))
    {
        let whole = judge(&recording);
        let walked: Vec<usize> = (0..recording.samples.len())
            .filter(|&at| recording.samples[at].system.malloc.is_some())
            .collect();
        for &at in walked.iter().skip(1).step_by(3) {
            let mut broken = recording.clone();
            broken.samples[at].system.malloc = None;
            let verdict = judge(&broken);
            count += 1;
            if verdict.cause == Cause::Unknown && verdict.doubt.is_some() {
                unsure.push(format!("{name} without {at}"));
            } else if (verdict.cause, verdict.sight) != (whole.cause, whole.sight) {
                wrong.push(format!("{name} without {at}: {verdict:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 150 && unsure.len() <= count / 50, "{} of {count}: {unsure:?}", unsure.len());
}

/// Adds all watches below a folder, `NODE/PROGRAM-RUN`, to those of the corpus.
fn update(from: &Path) {
    let run = RunOptions::default();
    let mut all: BTreeMap<String, Recording> = recordings().into_iter().collect();
    let folders = |path: &Path| {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<PathBuf> = entries.collect();
        all.sort();
        all
    };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    for version in folders(from) {
        for watch in folders(&version) {
            let (_, recording) = Source::path(&watch).recording(&run).unwrap().unwrap();
            all.insert(format!("{}/{}", name(&version), name(&watch)), recording);
        }
    }
    let mut out = WatchDir::create(&corpus(), true).unwrap();
    all.iter().for_each(|(name, recording)| out.add(name, recording).unwrap());
    out.finish().unwrap();
}
