//! Automation of the workspace, run as `cargo xtask TASK`.
//!
//! `cargo xtask test` passes on a machine that has nothing but Rust: what needs Python is set up if
//! there is a `python3`, and named as skipped if there is none. `cargo xtask ci` skips only what needs valgrind,
//! another toolchain or another target, where they are missing, and names it.

mod attack;
mod ci;
mod deny;
mod duckdb;
mod gate;
mod leaks;
mod npm;
mod peers;
mod portable;
mod python;
mod readers;
mod release;
mod scratch;
mod testing;
mod wheel;
mod workspace;

use attack::attack;
use ci::ci;
use deny::deny;
use duckdb::duckdb;
use gate::{Gate, gate};
use leaks::leaks;
use npm::npm;
use peers::peers;
use python::Python;
use readers::readers;
use release::release;
use std::{env, process::ExitCode};
use testing::{test, wild};
use wheel::wheel;
use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask TASK

  test     all tests: the Rust ones, then those in Python that read what `heapquarry` writes, and beside these those
           of the packages of npm and Python
  ci       what a change must pass: formatting, lints, documentation, beside these `deny`, packages, the oldest Rust,
           32 bits and Miri; then `test`, and beside it `duckdb`, object storage, the server for agents, `attack`,
           the benchmarks run once, `readers` and `gate`
  wheel    the Python package: wheel and sdist in target/wheels, `wheel [--profile=dev|release|dist]`; dist, the
           default, takes minutes
  duckdb   the extension of DuckDB as a file in target/duckdb, and what versions 1.2 to 2.0 read with it, with
           the profile dev the newest alone; `duckdb [--profile=dev|release|dist]`
  deny     licences, duplicate versions and sources of dependencies against deny.toml, with cargo-deny
  attack   the command on inputs that are damaged at random, with options chosen at random: 2,000 runs, or
           `attack [--runs=N | --minutes=N] [--seed=N] [--first=N] [--scratch=DIR]`
  gate     instructions of kernels, encoders and conversions against benches/baseline (needs valgrind);
           `gate --update` renews the baseline
  readers  old and new versions of DuckDB, pyarrow, Polars, pandas and Spark on files of heapquarry-sink
  leaks    `heapquarry leaks` on programs that leak, and on some that do not: what is found, as a table;
           `leaks [--snapshots=2,3,4] [--nodes=22,24] [--others=deno,bun] [--sessions] [--only=NAME,...] [--jobs=2]
           [--strict] [--quiet]`; `--sessions` takes each snapshot on a connection of its own;
           on leaks that were reported of packages: `leaks --real [--nodes=22,24] [--only=NAME,...] [--jobs=2]`,
           and what DevTools' comparison and memlab say of these snapshots: `leaks --rivals [--only=NAME,...]`
           (needs Node; with --strict less than what is expected of it is an error)
  npm      the packages of npm as tarballs below target/npm, for Linux, linked against an old C library;
           `npm [--profile=dev|release|dist]`, or of a command that was built elsewhere:
           `npm --binary=FILE --platform=NAME [--no-shim]` (needs npm, and for the profiles but dev Python)
  peers    heapquarry and what else reads such files, side by side: wall, CPU, peak memory, as a table;
           `peers [--runs=3] [--timeout=SECONDS] [--memory=GB] [FILE...]`, without a file one that Node makes;
           `peers --what=leaks [--runs=3]`: what leaks in three snapshots, with the rank of the leak;
           `peers --what=builds --before=COMMAND [--only=TEXT] FILE...`: an older build and this one, in turn
  wild     other people's files, each table compared with naive readers in Python: `wild FILE|FOLDER...`
  release  a release without publishing: `release --dry-run [--profile=dev|release|dist] [--only=STEP,...]
           [--tag=TAG]` packs everything, uploads it to registries on this machine, installs it from there, and
           collects it with checksums in target/dry-run/artifacts";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let workspace = Workspace::locate();
    let result = match args[..] {
        ["test"] => test(&workspace.in_memory(), Python::IfPresent),
        ["readers"] => readers(&workspace),
        ["ci"] => ci(&workspace.in_memory()),
        ["duckdb", ref args @ ..] => duckdb(&workspace, args),
        ["deny"] => deny(&workspace).and_then(|mut command| workspace.run(&mut command)),
        ["gate"] => gate(&workspace, Gate::Check),
        ["attack", ref args @ ..] => attack(&workspace, args),
        ["leaks", ref args @ ..] => leaks(&workspace, args),
        ["npm", ref args @ ..] => npm(&workspace, args),
        ["peers", ref args @ ..] => peers(&workspace, args),
        ["release", ref args @ ..] => release(&workspace, args),
        ["wheel", ref args @ ..] => wheel(&workspace, args),
        ["wild", ref paths @ ..] if !paths.is_empty() => wild(&workspace, paths),
        ["gate", "--update"] => gate(&workspace, Gate::Update),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
