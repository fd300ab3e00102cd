//! Traces of invented programs, compared: what is planted is found, and where nothing is planted nothing is.

mod random;

use heapquarry::{RunOptions, Source};
use heapquarry_query::{Diff, Question, Session};
use heapquarry_report::Report;
use random::Random;
use std::fmt::Write;

/// Names of slices.
const SLICES: usize = 200;
/// Slices of each name in a run.
const CALLS: usize = 12;
/// Runs per side.
const RUNS: u64 = 5;

/// What is worse than before.
#[derive(Clone, Copy, Default)]
struct Planted {
    /// The slice that takes 5 % longer.
    slower: Option<usize>,
    /// Whether one frame is dropped.
    drops_a_frame: bool,
    /// Whether one gap between kernels is twice as long.
    has_a_longer_gap: bool,
}

/// A run of the program: a main thread with 200 kinds of slices of 50 us to 5 ms, with 3 % noise each; a GPU with
/// kernels and gaps; frames of 60 Hz. Process and thread ids differ in each run.
fn run(seed: u64, planted: Planted) -> Vec<u8> {
    let mut random = Random(seed);
    let (pid, tid) = (1 + random.next() % 30_000, 1 + random.next() % 30_000);
    let mut text = format!(
        r#"[{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"app"}}}},
{{"ph":"M","name":"thread_name","pid":{pid},"tid":{tid},"args":{{"name":"main"}}}},
{{"ph":"M","name":"process_name","pid":0,"args":{{"name":"app"}}}},
{{"ph":"M","name":"process_labels","pid":0,"args":{{"labels":"GPU 0"}}}},
{{"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{{"name":"stream 7 "}}}}"#
    );
    let mut ts = 1000.0;
    for _ in 0..CALLS {
        for slice in 0..SLICES {
            let slower = if planted.slower == Some(slice) { 1.05 } else { 1.0 };
            let usual = 50.0 * 100f64.powf(slice as f64 / SLICES as f64);
            let dur = usual * slower * random.around_one(0.03);
            let event = format!(
                r#",{{"ph":"X","name":"slice {slice}","cat":"app","pid":{pid},"tid":{tid},"ts":{ts:.3},"dur":{dur:.3}}}"#
            );
            text += &event;
            ts += dur;
        }
    }
    let mut ts = 1000.0;
    for kernel in 0..100 {
        let dur = 200.0 * random.around_one(0.03);
        let is_longer = planted.has_a_longer_gap && kernel == 50;
        let gap = if is_longer { 100.0 } else { 50.0 } * random.around_one(0.03);
        let event = format!(
            r#",{{"ph":"X","name":"gemm","cat":"kernel","pid":0,"tid":7,"ts":{ts:.3},"dur":{dur:.3}}}"#
        );
        text += &event;
        ts += dur + gap;
    }
    for frame in 0..100 {
        let name = if planted.drops_a_frame && frame == 50 { "DroppedFrame" } else { "DrawFrame" };
        let ts = 1000.0 + f64::from(frame) * 16_667.0 * random.around_one(0.0003);
        write!(
            text,
            r#",{{"ph":"I","s":"t","name":"{name}","cat":"frame","pid":{pid},"tid":{tid},"ts":{ts:.3}}}"#
        )
        .unwrap();
    }
    text.push(']');
    text.into_bytes()
}

/// Runs before and after. Seeds of different pairs have no run in common.
fn compare(pair: u64, planted: Planted) -> Report {
    let side = |of: u64, planted: Planted| {
        let runs = (0..RUNS).map(move |i| (1000 * pair + 100 * of + i, planted));
        runs.map(|(seed, planted)| Source::bytes(format!("{seed}.json"), run(seed, planted)))
    };
    let sources: Vec<Source> = side(0, Planted::default()).chain(side(1, planted)).collect();
    let diff = Diff::default().runs(true).base_runs(RUNS as usize).fail_on(vec!["any".into()]);
    diff.ask(&Session::new(sources, &RunOptions::default().threads(2))).unwrap().report()
}

/// What got worse.
fn found(report: &Report) -> Vec<&str> {
    report.exceeded().flat_map(|check| &check.findings).map(|f| f.name.as_str()).collect()
}

/// How many of these pairs had what was planted found, and how many of the same without it had a false alarm.
fn rates(pairs: u64) -> ([u64; 3], u64) {
    let (mut hits, mut alarms) = ([0; 3], 0);
    for pair in 1..=pairs {
        let slower = (pair * 37) as usize % SLICES;
        let planted = Planted { slower: Some(slower), drops_a_frame: true, has_a_longer_gap: true };
        let report = compare(pair, planted);
        let names = found(&report);
        let slice = format!("slices slice {slower}/app");
        for (hit, name) in
            hits.iter_mut().zip([slice.as_str(), "frames app/frame", "gpus GPU 0/stream 7"])
        {
            *hit += u64::from(names.contains(&name));
        }
        let others =
            [slice.as_str(), "frames app/frame", "gpus GPU 0/stream 7", "gpus GPU 0/all streams"];
        let strangers: Vec<_> = names.iter().filter(|name| !others.contains(name)).collect();
        let quiet = compare(1_000_000 + pair, Planted::default());
        if !strangers.is_empty() || !found(&quiet).is_empty() {
            println!("pair {pair}: {strangers:?} {:?}", found(&quiet));
            alarms += 1;
        }
    }
    (hits, alarms)
}

#[test]
fn regressions_are_found_without_false_alarms() {
    let (hits, alarms) = rates(8);
    assert_eq!((hits, alarms), ([8; 3], 0));
}

/// The rates that docs/ci.md names: `cargo test --test trace_diff -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn rates_of_a_hundred_pairs() {
    let (hits, alarms) = rates(100);
    println!("found {hits:?} of 100, false alarms {alarms} of 100");
    assert!(hits.iter().all(|&hits| hits >= 95) && alarms <= 1);
}
