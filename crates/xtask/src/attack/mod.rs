//! Runs the command on inputs that are damaged at random, with options chosen at random, and looks at what comes of it.
//!
//! Each run has a number, and depends on nothing but the seed and that number. What breaks a rule is kept below
//! `target/attack`, with the command that repeats it.

mod htrace;
mod mutate;
mod stored;
mod trial;
mod wrap;

use crate::workspace::{Error, Workspace};
use mutate::Random;
use std::{
    collections::BTreeMap,
    fs,
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

/// Runs without `--minutes` and `--runs`.
const RUNS: u64 = 2000;

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
    fn parse(args: &[&str]) -> Result<Self, Error> {
        let mut options = Options { runs: RUNS, minutes: None, seed: 1, first: 0, scratch: None };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let invalid = || Error(format!("attack: {arg} is not one of its options"));
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

/// `args` are `--runs=N`, `--minutes=N`, `--seed=N`, `--first=N` and `--scratch=DIR`, or the same with blanks.
pub(crate) fn attack(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let options = Options::parse(args)?;
    workspace.build_binary()?;
    let seeds = seeds(&workspace.root.join("corpus"))?;
    let folder = workspace.target().join("attack");
    fs::create_dir_all(&folder).map_err(|e| Error::about(&folder, &e))?;
    // A copy, as the command may be built again meanwhile.
    let path = folder.join(format!("heapquarry-{}", std::process::id()));
    fs::copy(workspace.binary(), &path).map_err(|e| Error::about(&path, &e))?;
    // That of `cargo xtask test`, if it has run.
    let duckdb = workspace.root.join(".venv").join("bin").join("duckdb");
    let program = Program { path, duckdb: Some(duckdb).filter(|path| path.exists()) };
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    let start = Instant::now();
    let is_over = || {
        options.minutes.is_some_and(|minutes| start.elapsed() > Duration::from_secs(60 * minutes))
    };
    let work = |worker: usize| -> Result<(), Error> {
        let scratch = options.scratch.as_ref().unwrap_or(&folder);
        let scratch = scratch.join(format!("scratch-{}-{worker}", std::process::id()));
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= options.runs || is_over() {
                let _ = fs::remove_dir_all(&scratch);
                return Ok(());
            }
            let number = options.first + n;
            let mut random = Random::new(options.seed, number);
            let trial = Trial::new(&seeds, &mut random);
            let (code, finding) = trial
                .run(&program, &seeds, &scratch, &mut random)
                .map_err(|e| Error::about(&scratch, &e))?;
            let mut tally = tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *tally.outcomes.entry((trial.verb, code)).or_default() += 1;
            if let Some(finding) = finding {
                let told = keep(&folder, &trial, &finding, options.seed, number)
                    .map_err(|e| Error::about(&folder, &e))?;
                println!("{told}");
                tally.findings.push(told);
            }
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> =
            (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    let _ = fs::remove_file(program.path);
    let tally = tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    report(&tally, seeds.len(), start.elapsed())
}

/// The small files of the corpus.
fn seeds(corpus: &Path) -> Result<Vec<Seed>, Error> {
    let mut seeds = Vec::new();
    let folders = ["", "handmade", "jsc", "profiles", "pprof", "devtools", "ftrace", "traces"];
    for folder in folders.map(|folder| corpus.join(folder)) {
        let entries = fs::read_dir(&folder).map_err(|e| Error::about(&folder, &e))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        // Runs are numbered: the order must not depend on the file system.
        files.sort();
        for file in files {
            let is_small = fs::metadata(&file).is_ok_and(|m| m.is_file() && m.len() <= LARGEST);
            if is_small && file.extension().is_some_and(|ending| ending != "md") {
                let bytes = fs::read(&file).map_err(|e| Error::about(&file, &e))?;
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                seeds.push(Seed { name, bytes });
            }
        }
    }
    let is_for_recordings = |seed: &&Seed| {
        let small = ["ark-5.0.heapsnapshot", "ark-7.0.heapsnapshot", "ark.cpuprofile"];
        small.contains(&seed.name.as_str())
    };
    seeds.push(htrace::container(seeds.iter().filter(is_for_recordings)));
    if seeds.len() == 1 {
        return Err(Error(format!("{} has no small files", corpus.display())));
    }
    Ok(seeds)
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

fn report(tally: &Tally, seeds: usize, took: Duration) -> Result<(), Error> {
    let runs: u64 = tally.outcomes.values().sum();
    println!("\n{runs} runs of {seeds} seeds in {} s, by verb and exit code:", took.as_secs());
    for ((verb, code), count) in &tally.outcomes {
        println!("  {verb:10} {code:>4} {count:>9}");
    }
    match tally.findings.len() {
        0 => Ok(()),
        n => Err(Error(format!("{n} of {runs} runs broke a rule: see above"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
