//! Runs the command on inputs that are damaged at random, with options chosen at random, and looks at what comes of it.
//!
//! Each run has a number, and depends on nothing but the seed and that number. What breaks a rule is kept below
//! `target/attack`, with the command that repeats it. `cargo xtask attack` hands its options on in a variable; without
//! it few runs are made, in seconds.

mod htrace;
mod mutate;
mod stored;
mod trial;
mod wrap;

use crate::{corpus, duckdb, verbs};
use mutate::Random;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use trial::{Finding, Program, Trial};

/// Options of `cargo xtask attack`.
const VARIABLE: &str = "HEAPQUARRY_ATTACK";

/// Runs without `--minutes` and `--runs`.
const RUNS: u64 = 50;

/// Verbs that read no input, or wait for a program or a person; the server for agents has tests of its own.
const OTHERS: [&str; 7] = ["schema", "completions", "man", "capture", "watch", "open", "mcp"];

/// Largest file that is a seed: small ones are read faster, and mutations hit more of what matters.
const LARGEST: u64 = 150_000;

/// A file whose mutations are tried.
struct Seed {
    name: String,
    bytes: Vec<u8>,
}

/// How long, and which runs.
struct Options {
    runs: u64,
    minutes: Option<u64>,
    seed: u64,
    first: u64,
    /// Where the command runs; below `target/attack` without it. In memory it need not wait for a disk.
    scratch: Option<PathBuf>,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Self, String> {
        let mut options = Options { runs: RUNS, minutes: None, seed: 1, first: 0, scratch: None };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let invalid = || format!("attack: {arg} is not one of its options");
            // With a blank too.
            let split = arg.split_once('=').or_else(|| Some((arg, args.next()?)));
            let (name, value) = split.ok_or_else(invalid)?;
            if name == "--scratch" {
                options.scratch = Some(value.into());
                continue;
            }
            let value = value.parse().map_err(|_| invalid())?;
            match name {
                "--runs" => options.runs = value,
                "--minutes" => (options.minutes, options.runs) = (Some(value), u64::MAX),
                "--seed" => options.seed = value,
                "--first" => options.first = value,
                _ => return Err(invalid()),
            }
        }
        Ok(options)
    }
}

/// What was counted: runs by verb and exit code, and findings.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<(&'static str, i32), u64>,
    findings: Vec<String>,
}

#[test]
fn damaged_inputs_break_no_rule() {
    let args = env::var(VARIABLE).unwrap_or_default();
    let options = Options::parse(&args.split_whitespace().collect::<Vec<_>>()).unwrap();
    let seeds = seeds();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join("attack");
    fs::create_dir_all(&folder).unwrap();
    // A copy, as the command may be built again meanwhile.
    let path = folder.join(format!("heapquarry-{}", std::process::id()));
    fs::copy(env!("CARGO_BIN_EXE_heapquarry"), &path).unwrap();
    let program = Program { path, duckdb: duckdb() };
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let start = Instant::now();
    let is_over = || {
        options.minutes.is_some_and(|minutes| start.elapsed() > Duration::from_secs(60 * minutes))
    };
    let work = |worker: usize| {
        let scratch = options.scratch.as_ref().unwrap_or(&folder);
        let scratch = scratch.join(format!("scratch-{}-{worker}", std::process::id()));
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= options.runs || is_over() {
                let _ = fs::remove_dir_all(&scratch);
                return;
            }
            let number = options.first + n;
            let mut random = Random::new(options.seed, number);
            let trial = Trial::new(&seeds, &mut random);
            let (code, finding) = trial.run(&program, &seeds, &scratch, &mut random).unwrap();
            let mut tally = tally.lock().unwrap();
            *tally.outcomes.entry((trial.verb, code)).or_default() += 1;
            if let Some(finding) = finding {
                let told = keep(&folder, &trial, &finding, options.seed, number).unwrap();
                println!("{told}");
                tally.findings.push(told);
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let work = &work;
        (0..workers).for_each(|worker| drop(scope.spawn(move || work(worker))));
    });
    let _ = fs::remove_file(program.path);
    report(&tally.into_inner().unwrap(), seeds.len(), start.elapsed());
}

#[test]
fn no_verb_is_left_out() {
    let (seeds, mut random) = (seeds(), Random::new(1, 0));
    let tried: BTreeSet<String> =
        (0..3_000).map(|_| Trial::new(&seeds, &mut random).args[0].clone()).collect();
    let all: BTreeSet<String> =
        verbs::names().filter(|verb| !OTHERS.contains(&&verb[..])).collect();
    assert_eq!(tried, all);
}

/// The small files of the corpus, whatever their format.
fn seeds() -> Vec<Seed> {
    let (mut files, mut folders) = (Vec::new(), vec![corpus()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let (path, entry) = (entry.as_ref().unwrap().path(), entry.unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    // Runs are numbered: the order must not depend on the file system.
    files.sort();
    let is_input = |path: &PathBuf| {
        let of_people = ["md", "py", "mjs", "js", "cjs", "ts", "sql", "toml", "csv"];
        let ending = path.extension().unwrap_or_default();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
        let is_small = fs::metadata(path).unwrap().len() <= LARGEST;
        is_small && !is_hidden && !of_people.iter().any(|no| ending == *no)
    };
    let mut seeds: Vec<Seed> = files
        .into_iter()
        .filter(is_input)
        .map(|path| Seed {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: fs::read(&path).unwrap(),
        })
        .collect();
    let is_for_recordings = |seed: &&Seed| {
        let small = ["ark-5.0.heapsnapshot", "ark-7.0.heapsnapshot", "ark.cpuprofile"];
        small.contains(&seed.name.as_str())
    };
    seeds.push(htrace::container(seeds.iter().filter(is_for_recordings)));
    seeds
}

/// Keeps the input of a run that broke a rule; says what to look at.
fn keep(
    folder: &Path,
    trial: &Trial,
    finding: &Finding,
    seed: u64,
    number: u64,
) -> std::io::Result<String> {
    let place = folder.join(format!("finding-{seed}-{number}"));
    fs::create_dir_all(&place)?;
    for (name, bytes) in &trial.files {
        fs::write(place.join(name), bytes)?;
    }
    let told = format!(
        "{}: {}\n  of {}: heapquarry {}\n  in {}\n  again: cargo xtask attack --seed={seed} --first={number} --runs=1",
        finding.rule,
        finding.what,
        trial.seed,
        trial.args.join(" "),
        place.display(),
    );
    fs::write(place.join("finding.txt"), &told)?;
    Ok(told)
}

fn report(tally: &Tally, seeds: usize, took: Duration) {
    let runs: u64 = tally.outcomes.values().sum();
    println!("\n{runs} runs of {seeds} seeds in {} s, by verb and exit code:", took.as_secs());
    for ((verb, code), count) in &tally.outcomes {
        println!("  {verb:10} {code:>4} {count:>9}");
    }
    assert!(
        tally.findings.is_empty(),
        "{} of {runs} runs broke a rule:\n{}",
        tally.findings.len(),
        tally.findings.join("\n"),
    );
}

#[test]
fn options_have_a_blank_or_an_equals_sign() {
    for (args, expected) in [
        (&["--minutes=7"][..], Some((Some(7), u64::MAX, 1))),
        (&["--minutes", "7"], Some((Some(7), u64::MAX, 1))),
        (&["--runs", "5", "--seed=3"], Some((None, 5, 3))),
        (&[], Some((None, RUNS, 1))),
        (&["--minutes"], None),
        (&["--minutes", "--runs"], None),
        (&["--other=1"], None),
    ] {
        let found = Options::parse(args).ok();
        let found = found.map(|options| (options.minutes, options.runs, options.seed));
        assert_eq!(found, expected, "{args:?}");
    }
}
