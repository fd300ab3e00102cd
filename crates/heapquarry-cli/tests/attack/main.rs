//! What strangers can put into files, and what a system can refuse: neither acts on who looks at the result, nor leaves
//! anything half done. Which verbs and forms there are tells the command itself.

#![cfg(unix)]

mod address_space;
mod capture;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults;
mod hostile;
mod kept;
mod limits;
mod random;
mod text;
mod verbs;

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The file in which a step on GitHub summarises itself.
const STEP_SUMMARY: &str = "step-summary.md";

fn heapquarry(dir: &Path, args: &[&str]) -> Output {
    command(dir).args(args).output().unwrap()
}

/// A command that goes on for ever unless it fails, which it should: otherwise it is stopped, and has no exit code.
fn failing(dir: &Path, args: &[&str]) -> Output {
    let mut command = command(dir);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command.spawn().unwrap())
}

/// What a command has said at its end. One that goes on for a minute is stopped, and has no exit code.
fn ended(mut child: Child) -> Output {
    const LONGEST: Duration = Duration::from_secs(60);
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// The command, in a folder with a cache of its own.
fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
    command.env("GITHUB_STEP_SUMMARY", STEP_SUMMARY);
    command.env("HEAPQUARRY_CACHE_DIR", dir.join(hostile::file_name("cache")));
    command.envs(duckdb().map(|duckdb| ("HEAPQUARRY_DUCKDB", duckdb)));
    command.current_dir(dir);
    command
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The command that the tests in Python use.
fn duckdb() -> Option<PathBuf> {
    let named = std::env::var_os("HEAPQUARRY_DUCKDB").map(PathBuf::from);
    let of_tests = corpus().join("../.venv/bin/duckdb").canonicalize().ok();
    named.or(of_tests).filter(|path| path.is_file())
}
