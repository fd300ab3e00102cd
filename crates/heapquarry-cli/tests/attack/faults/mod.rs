//! Calls of the system fail, one by one and in pairs, and the process dies before each: the output directory is then
//! absent, old or new, whole, and the next run finds nothing in its way.
//!
//! The calls fail in `shim.c`, which a C compiler makes a library of. `HEAPQUARRY_FAULT_RUNS` says how many runs each
//! test may take; without it they are a sample that takes seconds.

mod batch;
mod page;
mod reads;
mod scenario;

use scenario::{Fault, Scenario, shim};
use std::{
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

const EINTR: &str = "4";
const EIO: &str = "5";
const EAGAIN: &str = "11";
const EINVAL: &str = "22";
const ENOSPC: &str = "28";
const ENOSYS: &str = "38";
const KILL: &str = "kill";
const SHORT: &str = "short";
const ZERO: &str = "zero";

/// Calls that may do less than was asked.
const MOVES: [&str; 5] = ["read", "write", "pread64", "pwrite64", "writev"];
/// Further calls that a signal can interrupt.
const SLOW: [&str; 7] =
    ["open", "open64", "openat", "openat64", "fsync", "fdatasync", "ftruncate64"];

const OLD: &[&str] = &["convert", "-q", "bun.heapsnapshot"];
const NEW: &[&str] = &["convert", "-q", "--threads", "1", "v8-timeline.heaptimeline"];
const FORCED: &[&str] = &["convert", "-q", "--threads", "1", "--force", "v8-timeline.heaptimeline"];
const HIVE: &[&str] = &[
    "convert",
    "-q",
    "--threads",
    "1",
    "--layout",
    "hive",
    "v8-timeline.heaptimeline",
    "bun.heapsnapshot",
];

/// Directories that cannot be exchanged: the first call says so, as an older system or another file system does.
const TWO_STEPS: &str = "renameat2:1+:38";

fn scenarios() -> [Scenario; 4] {
    [
        Scenario { name: "new", args: NEW, old: None, always: "" },
        Scenario { name: "new, hive", args: HIVE, old: None, always: "" },
        Scenario { name: "replaced by exchange", args: FORCED, old: Some(OLD), always: "" },
        Scenario { name: "replaced in two steps", args: FORCED, old: Some(OLD), always: TWO_STEPS },
    ]
}

/// Runs that each test may take.
fn runs() -> usize {
    let runs = std::env::var("HEAPQUARRY_FAULT_RUNS").ok().and_then(|runs| runs.parse().ok());
    runs.unwrap_or(160)
}

/// Runs the jobs, or as many of them as there may be, evenly chosen. All that went wrong is told at the end.
fn run_all(jobs: &[(&Scenario, Vec<Fault>)]) {
    check_all(jobs, Scenario::run);
}

fn check_all(
    jobs: &[(&Scenario, Vec<Fault>)],
    check: impl Fn(&Scenario, &[Fault]) -> Result<(), String> + Sync,
) {
    let wanted = jobs.len().min(runs());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= wanted {
                return;
            }
            let (scenario, faults) = &jobs[n * jobs.len() / wanted];
            if let Err(what) = check(scenario, faults) {
                failures.lock().unwrap().push(format!("{}, {faults:?}: {what}", scenario.name));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{wanted} of {} runs, {} failures", jobs.len(), failures.len());
    assert!(failures.is_empty(), "{} of {wanted}:\n{}", failures.len(), failures.join("\n"));
}

fn every_call(whats: &[&'static str]) {
    if shim().is_none() {
        return;
    }
    let scenarios = scenarios();
    let mut jobs = Vec::new();
    for scenario in &scenarios {
        let calls = scenario.calls();
        assert!(calls.len() > 20, "{}: the calls are not seen", scenario.name);
        for n in 1..=calls.len() {
            jobs.extend(whats.iter().map(|what| (scenario, vec![Fault::any(n, what)])));
        }
    }
    run_all(&jobs);
}

#[test]
fn every_call_may_fail() {
    every_call(&[EIO, ENOSPC]);
}

#[test]
fn every_call_may_be_the_last() {
    every_call(&[KILL]);
}

/// A call may do half of what was asked, or be interrupted by a signal; then it is made again.
#[test]
fn short_and_interrupted_calls_change_nothing() {
    if shim().is_none() {
        return;
    }
    let scenarios = scenarios();
    let mut jobs = Vec::new();
    for scenario in &scenarios {
        for (n, call) in (1..).zip(scenario.calls()) {
            let is_move = MOVES.contains(&&*call);
            if is_move {
                jobs.push((scenario, vec![Fault::any(n, SHORT)]));
            }
            if is_move || SLOW.contains(&&*call) {
                jobs.push((scenario, vec![Fault::any(n, EINTR)]));
            }
        }
        jobs.extend(MOVES.map(|name| (scenario, vec![Fault::named_from(name, 1, SHORT)])));
    }
    check_all(&jobs, Scenario::is_unchanged);
}

/// All pairs of calls, the first of which fails.
fn every_two_calls(whats: &[(&'static str, &'static str)]) {
    if shim().is_none() {
        return;
    }
    let scenarios = scenarios();
    let mut jobs = Vec::new();
    for scenario in &scenarios {
        let calls = scenario.calls().len();
        for (i, j) in (1..=calls).flat_map(|i| (i + 1..=calls).map(move |j| (i, j))) {
            jobs.extend(
                whats.iter().map(|&(first, then)| {
                    (scenario, vec![Fault::any(i, first), Fault::any(j, then)])
                }),
            );
        }
    }
    run_all(&jobs);
}

#[test]
fn every_two_calls_may_fail() {
    every_two_calls(&[(EIO, EIO), (ENOSPC, EIO), (EIO, ENOSPC)]);
}

#[test]
fn every_call_after_a_failure_may_be_the_last() {
    every_two_calls(&[(EIO, KILL), (ENOSPC, KILL)]);
}

/// A failure is often followed by another, also of what is to make it good.
#[test]
fn two_calls_around_the_renames_may_fail() {
    if shim().is_none() {
        return;
    }
    let scenarios = scenarios();
    let mut jobs = Vec::new();
    for scenario in &scenarios {
        let calls = scenario.calls();
        let first = calls.iter().position(|call| call.starts_with("rename")).unwrap() + 1;
        let window = first - 2..=(first + 6).min(calls.len() + 4);
        for i in window.clone() {
            for j in i + 1..=*window.end() {
                for (a, b) in [(EIO, EIO), (ENOSYS, EIO), (EINVAL, ENOSPC), (EIO, KILL)] {
                    jobs.push((scenario, vec![Fault::any(i, a), Fault::any(j, b)]));
                }
            }
        }
    }
    run_all(&jobs);
}

/// The directory that was there used to be removed when it could not be put back.
#[test]
fn when_no_rename_succeeds_any_more_the_old_directory_is_kept() {
    if shim().is_none() {
        return;
    }
    let [.., exchange, two_steps] = scenarios();
    let from = |name, n| Fault::named_from(name, n, EIO);
    for n in 1..4 {
        two_steps.run(&[from("rename", n)]).unwrap();
        exchange.run(&[from("renameat2", n)]).unwrap();
        exchange.run(&[from("renameat2", n), from("rename", 1)]).unwrap();
    }
}

/// Files of `extract` are whole, or not there; its output directory may hold others. The next run removes what is left.
#[test]
fn files_that_are_extracted_are_whole_or_not_there() {
    if shim().is_none() {
        return;
    }
    let inputs = scenario::one_input("node18.heapsnapshot.gz", "a.heapsnapshot.gz");
    let (dir, args) = (inputs.path(), ["extract", "--force", "a.heapsnapshot.gz"]);
    let out = dir.join("out");
    let (calls, whole) = scenario::calls(dir, &args);
    assert!(calls.len() > 20, "the calls are not seen");
    let is_hidden = |path: &Path| path.to_string_lossy().starts_with('.');
    let mut jobs = Vec::new();
    for n in scenario::sample(calls.len(), runs() / 8) {
        jobs.extend([EIO, ENOSPC, KILL].map(|what| (n, what)));
    }
    for (n, what) in jobs {
        for is_there in [false, true] {
            if is_there {
                std::fs::create_dir(&out).unwrap();
                std::fs::write(out.join("thesis.txt"), "").unwrap();
            }
            let failed = scenario::start(dir, &args, &[Fault::any(n, what)]);
            let now = scenario::tree(&out).unwrap_or_default();
            let seen =
                now.iter().filter(|(path, _)| !is_hidden(path) && !path.ends_with("thesis.txt"));
            let seen: Vec<_> = seen.collect();
            let is_whole = seen.iter().all(|(path, bytes)| whole.get(*path) == Some(*bytes));
            assert!(is_whole, "call {n}, {what}: {}", failed.stderr);
            match failed.code {
                Some(0) => assert_eq!(seen.len(), whole.len(), "call {n}, {what}"),
                Some(2) => assert_eq!(failed.stderr.lines().count(), 1, "{}", failed.stderr),
                code => assert_eq!((code, what), (None, KILL), "call {n}: {}", failed.stderr),
            }
            assert_eq!(scenario::start(dir, &args, &[]).code, Some(0));
            let mut now = scenario::tree(&out).unwrap();
            assert_eq!(now.remove(Path::new("thesis.txt")).is_some(), is_there);
            assert!(now == whole, "call {n}, {what}: {:?}", now.keys());
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
}

/// A thread that cannot be started used to be a panic, and a run that waited for ever.
#[test]
fn threads_that_cannot_be_started_are_done_without() {
    if shim().is_none() {
        return;
    }
    for (input, name) in [
        ("node18.heapsnapshot.gz", "a.heapsnapshot.gz"),
        ("handmade/v8-timeline.heaptimeline", "a.heaptimeline"),
        ("ftrace/tgid.ftrace", "a.ftrace"),
    ] {
        let inputs = scenario::one_input(input, name);
        let args = ["convert", "-q", "--threads", "4", name];
        let (calls, whole) = scenario::calls(inputs.path(), &args);
        let threads = calls.iter().filter(|call| *call == "pthread_create").count();
        assert!(threads > 1, "{name}: the calls are not seen");
        let some = (1..=threads).map(|n| Fault::named("pthread_create", n, EAGAIN));
        for fault in some.chain([Fault::named_from("pthread_create", 1, EAGAIN)]) {
            let done = scenario::start(inputs.path(), &args, std::slice::from_ref(&fault));
            assert_eq!(done.code, Some(0), "{name}, {fault:?}: {}", done.stderr);
            let out = inputs.path().join("out");
            assert!(scenario::tree(&out).unwrap() == whole, "{name}, {fault:?}");
            std::fs::remove_dir_all(out).unwrap();
        }
    }
    // So does an analysis.
    let inputs = scenario::one_input("node18.heapsnapshot.gz", "a.heapsnapshot.gz");
    let args = ["convert", "-q", "--analyze", "--threads", "4", "a.heapsnapshot.gz"];
    let (_, whole) = scenario::calls(inputs.path(), &args);
    for none_from in [1, 4, 8] {
        let fault = Fault::named_from("pthread_create", none_from, EAGAIN);
        let done = scenario::start(inputs.path(), &args, &[fault]);
        assert_eq!(done.code, Some(0), "from {none_from} on: {}", done.stderr);
        let out = inputs.path().join("out");
        assert!(scenario::tree(&out).unwrap() == whole, "from {none_from} on");
        std::fs::remove_dir_all(out).unwrap();
    }
    // A pipe is read by a thread of its own: without it, nothing is left behind.
    let inputs = scenario::one_input("handmade/bun.heapsnapshot", "a.heapsnapshot");
    let args = ["convert", "-q", "/dev/stdin"];
    let none = [Fault::named_from("pthread_create", 1, EAGAIN)];
    let failed = scenario::start(inputs.path(), &args, &none);
    assert_eq!(failed.code, Some(2), "{}", failed.stderr);
    assert!(failed.stderr.contains("cannot be started"), "{}", failed.stderr);
    assert_eq!(std::fs::read_dir(inputs.path()).unwrap().count(), 1);
}

/// A limit of every verb that has more than one thread. Each step of the work starts at most one less than there may
/// be, as the thread that is there works too. Steps beside a long one, which has a thread, are several: each starts two
/// less than there may be, of two threads none.
#[test]
fn threads_are_no_more_than_are_allowed() {
    if shim().is_none() {
        return;
    }
    let inputs = scenario::one_input("node18.heapsnapshot.gz", "heap.gz");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    std::fs::copy(corpus.join("traces/node26.trace.json.gz"), inputs.path().join("trace")).unwrap();
    for args in [
        &["convert", "-q", "heap.gz", "--force", "-o", "out"][..],
        &["convert", "-q", "heap.gz", "--analyze", "--force", "-o", "out"],
        &["summary", "-q", "heap.gz"],
        &["why", "-q", "heap.gz", "--class", "Object"],
        &["show", "-q", "heap.gz", "--class", "Object"],
        &["find", "-q", "heap.gz", "--strings"],
        &["diff", "-q", "heap.gz", "heap.gz"],
        &["leaks", "-q", "heap.gz", "heap.gz"],
        &["check", "-q", "heap.gz", "--save-baseline", "baseline"],
        &["report", "-q", "heap.gz", "--force", "-o", "page.html"],
        &["convert", "-q", "trace", "--force", "-o", "out"],
        &["summary", "-q", "trace"],
        &["diff", "-q", "trace", "trace"],
    ] {
        let count =
            |threads| scenario::threads(inputs.path(), &[args, &["--threads", threads]].concat());
        let [one, two, four] = ["1", "2", "4"].map(count);
        println!("{args:?}: {one}, {two}, {four} threads are started");
        // Those that catch interrupts, unpack and write are there whatever the limit.
        assert!(one < two && two < four, "{args:?}: {one}, {two}, {four}");
        assert!(four - one <= 4 * (two - one), "{args:?}: {one}, {two}, {four}");
    }
}

/// After the rename the new directory is there: a parent that cannot be made durable is a warning.
#[test]
fn a_failure_after_the_rename_is_a_warning() {
    if shim().is_none() {
        return;
    }
    for scenario in &scenarios() {
        let calls = scenario.calls();
        let last = calls.iter().rposition(|call| call == "fsync").unwrap() + 1;
        let done = scenario.outcome(&[Fault::any(last, EIO)]);
        assert_eq!(done.code, Some(0), "{}: {}", scenario.name, done.stderr);
        assert!(done.stderr.starts_with("warning: output is not synced (out)"), "{}", done.stderr);
        assert_eq!(done.stderr.lines().count(), 1, "{}", done.stderr);
    }
}
