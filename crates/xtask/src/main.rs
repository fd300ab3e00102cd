//! Automation of the workspace, run as `cargo xtask TASK`.
//!
//! `cargo xtask test` passes on a machine that has nothing but Rust: what needs Python is set up if
//! there is a `python3`, and named as skipped if there is none. `cargo xtask ci` skips only what needs valgrind,
//! another toolchain or another target, where they are missing, and names it.

mod attack;
mod ci;
mod deny;
mod gate;
mod leaks;
mod npm;
mod peers;
mod portable;
mod readers;
mod release;
mod wheel;

use attack::attack;
use ci::ci;
use deny::deny;
use gate::{Gate, gate};
use leaks::leaks;
use npm::npm;
use peers::peers;
use readers::readers;
use release::release;
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use wheel::wheel;

const USAGE: &str = "\
usage: cargo xtask TASK

  test     all tests: the Rust ones, those of the npm packages, then those in Python that read what `heapquarry` writes
  ci       what a change must pass: formatting, lints, documentation, `deny`, packages, the oldest Rust,
           `test`, object storage, the server for agents, `attack`, 32 bits, Miri, the benchmarks run once,
           `readers` and `gate`
  wheel    the Python package: wheel and sdist in target/wheels, `wheel [--profile=dev|release|dist]`; dist, the
           default, takes minutes
  deny     licences, duplicate versions and sources of dependencies against deny.toml, with cargo-deny
  attack   the command on inputs that are damaged at random, with options chosen at random: 2,000 runs, or
           `attack [--runs=N | --minutes=N] [--seed=N] [--first=N] [--scratch=DIR]`
  gate     instructions of kernels, encoders and conversions against benches/baseline (needs valgrind);
           `gate --update` renews the baseline
  readers  old and new versions of DuckDB, pyarrow, Polars, pandas and Spark on files of heapquarry-sink
  leaks    `heapquarry leaks` on programs that leak, and on some that do not: what is found, as a table;
           `leaks [--snapshots=2,3,4] [--nodes=22,24] [--only=NAME,...] [--jobs=2] [--strict] [--quiet]`;
           on leaks that were reported of packages: `leaks --real [--only=NAME,...] [--jobs=2] [--strict]`
           (needs Node; with --strict less than what is expected of it is an error)
  npm      the packages of npm as tarballs below target/npm, for Linux, linked against an old C library;
           `npm [--profile=dev|release|dist]`, or of a command that was built elsewhere:
           `npm --binary=FILE --platform=NAME [--no-shim]` (needs npm, and for the profiles but dev Python)
  peers    heapquarry and what else reads such files, side by side: wall, CPU, peak memory, as a table;
           `peers [--runs=3] [--timeout=SECONDS] [--memory=GB] [FILE...]`, without a file one that Node makes;
           `peers --what=leaks [--runs=3]`: what leaks in three snapshots, with the rank of the leak
  wild     other people's files, each table compared with naive readers in Python: `wild FILE|FOLDER...`
  release  a release without publishing: `release --dry-run [--profile=dev|release|dist] [--only=STEP,...]
           [--tag=TAG]` packs everything, uploads it to registries on this machine, installs it from there, and
           collects it with checksums in target/dry-run/artifacts";

/// Folder of the tests in Python, from the root of the workspace.
const PYTHON_TESTS: &str = "crates/heapquarry-cli/tests/python";
/// Options of pytest: all cores, each with whole files of tests; what was skipped and why; the slowest tests.
const PYTEST: [&str; 7] = [
    "-q",
    "-rs",
    "--durations=5",
    // Seconds. A test that hangs fails, and the others go on.
    "--timeout=900",
    "--numprocesses=auto",
    "--dist=loadfile",
    "--maxprocesses=4",
];
/// The file of [`PYTHON_TESTS`] that pins their packages. A copy of such a file in the virtual environment tells what
/// is installed there.
const REQUIREMENTS: &str = "requirements.txt";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let workspace = Workspace::locate();
    let result = match args[..] {
        ["test"] => test(&workspace, Python::IfPresent),
        ["readers"] => readers(&workspace),
        ["ci"] => ci(&workspace),
        ["deny"] => deny(&workspace).and_then(|mut command| run(&mut command)),
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

/// Whether the tests may do without Python.
#[derive(Clone, Copy, PartialEq)]
enum Python {
    IfPresent,
    Required,
}

fn test(workspace: &Workspace, python: Python) -> Result<(), Error> {
    let requirements = workspace.root.join(PYTHON_TESTS).join(REQUIREMENTS);
    let folder = workspace.root.join(".venv");
    // First, because tests in Rust run a command in it too.
    let interpreter = virtual_environment(workspace, &folder, &requirements)?;
    // This also builds the command, which tests of its own run.
    workspace.cargo(&["test", "--workspace"])?;
    // Whether the messages in Rust are those of the .proto files.
    let generated = ["test", "--quiet", "--locked", "--manifest-path", "proto/Cargo.toml"];
    run(workspace
        .cargo_command(&generated)
        .arg("--target-dir")
        .arg(workspace.target().join("proto")))?;

    if !npm::test(workspace)? {
        println!("\nSKIPPED the tests of the npm packages: there is no usable `node` and `npm`");
    }

    let Some(interpreter) = interpreter else {
        let missing = format!("the tests in {PYTHON_TESTS}: there is no usable `python3`");
        if python == Python::Required {
            return Err(Error(format!("cannot run {missing}")));
        }
        println!("\nSKIPPED {missing}");
        return Ok(());
    };
    if env::var_os("HEAPQUARRY_EXTRA_DATA").is_none() {
        println!("\nSKIPPED checks on further recordings: HEAPQUARRY_EXTRA_DATA names no folder");
    }
    run(workspace
        .command(&interpreter)
        .args(["-m", "pytest"])
        .args(PYTEST)
        .arg(PYTHON_TESTS)
        .env("HEAPQUARRY_BIN", workspace.binary()))?;
    wheel::test(workspace, python)
}

/// Compares the tables of other people's files with what naive readers make of them.
fn wild(workspace: &Workspace, paths: &[&str]) -> Result<(), Error> {
    let tests = workspace.root.join(PYTHON_TESTS);
    let folder = workspace.root.join(".venv");
    let interpreter = virtual_environment(workspace, &folder, &tests.join(REQUIREMENTS))?
        .ok_or_else(|| Error("there is no usable `python3`".into()))?;
    workspace.build_binary()?;
    // Paths are those of the caller, whose folder may be another one.
    let here = env::current_dir().map_err(|e| Error(format!("no current folder: {e}")))?;
    run(workspace
        .command(interpreter)
        .arg(tests.join("wild.py"))
        .args(paths.iter().map(|path| here.join(path)))
        .env("HEAPQUARRY_BIN", workspace.binary()))
}

/// The interpreter of the virtual environment in `folder`, which is made or renewed if need be to hold these
/// `requirements`; `None` without a `python3` that can make one.
fn virtual_environment(
    workspace: &Workspace,
    folder: &Path,
    requirements: &Path,
) -> Result<Option<PathBuf>, Error> {
    let interpreter = if cfg!(windows) {
        folder.join("Scripts").join("python.exe")
    } else {
        folder.join("bin").join("python3")
    };
    let installed = folder.join(REQUIREMENTS);
    let wanted = fs::read(requirements).map_err(|e| Error::about(requirements, &e))?;
    if fs::read(&installed).is_ok_and(|present| present == wanted) && succeeds(&interpreter) {
        return Ok(Some(interpreter));
    }

    let can_make_one = Command::new("python3").args(["-c", "import venv, ensurepip"]).output();
    if !can_make_one.is_ok_and(|output| output.status.success()) {
        return Ok(None);
    }
    run(workspace.command("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    run(workspace
        .command(&interpreter)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(requirements))?;
    fs::write(&installed, wanted).map_err(|e| Error::about(&installed, &e))?;
    Ok(Some(interpreter))
}

/// Whether this interpreter runs at all: the Python under a virtual environment may be gone.
fn succeeds(interpreter: &Path) -> bool {
    let output = Command::new(interpreter).arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}

struct Workspace {
    root: PathBuf,
    cargo: PathBuf,
}

impl Workspace {
    /// The workspace of the `cargo` that runs this.
    fn locate() -> Self {
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).ancestors().nth(2).expect("xtask stands in crates/xtask");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self { root: root.to_owned(), cargo: cargo.into() }
    }

    /// The `heapquarry` that `cargo test` makes.
    fn binary(&self) -> PathBuf {
        let name = format!("heapquarry{}", env::consts::EXE_SUFFIX);
        self.target().join("debug").join(name)
    }

    /// Builds [`Workspace::binary`] if that is not done. A test of it brings the features of dependencies that
    /// `cargo test` has: with those of `cargo build`, half of the workspace would be built again.
    fn build_binary(&self) -> Result<(), Error> {
        self.cargo(&["test", "--quiet", "--workspace", "--no-run", "--test", "cli"])
    }

    /// Where `cargo` builds.
    fn target(&self) -> PathBuf {
        self.root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    fn cargo_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(&self.cargo);
        command.args(args);
        command
    }

    fn cargo(&self, args: &[&str]) -> Result<(), Error> {
        run(&mut self.cargo_command(args))
    }
}

/// Shows a command, runs it, and fails if it fails.
fn run(command: &mut Command) -> Result<(), Error> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    println!("\n$ {line}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error(format!("`{line}` failed: {status}"))),
        Err(error) => Err(Error(format!("cannot run `{line}`: {error}"))),
    }
}

struct Error(String);

impl Error {
    fn about(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
