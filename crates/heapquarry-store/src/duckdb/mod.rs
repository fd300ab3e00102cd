//! Queries over tables by the installed DuckDB command, or by DuckDB's Python package in its place.
//!
//! heapquarry does not contain a database. The `duckdb` crate with DuckDB inside takes many minutes of CPU to build,
//! and adds more than 50 MB to a command that people compile themselves; an installed one is a download of 20 MB, and
//! its prompt has history and completion.

mod error;
mod process;
mod ready;
mod run;
mod setup;
mod statement;

pub use error::Error;
pub use ready::Ready;
pub use run::{Lines, Run, pass_on};
pub use setup::Setup;

use heapquarry::{Cancel, ErrorKind, temporary::Folder};
use heapquarry_views::Views;
use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

/// Names the program.
const VARIABLE: &str = "HEAPQUARRY_DUCKDB";

/// The interpreter and the script that stand for the program where there is none, as a list of paths. The Python
/// package sets it: its script does with DuckDB's Python package what is needed of the program, without a prompt.
const PYTHON_VARIABLE: &str = "HEAPQUARRY_PYTHON_DUCKDB";

/// A start file without statements.
const NOTHING: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// What it is told first, in its working directory.
const START: &str = "start.sql";

/// The database beside the tables, which [`Engine::write_database`] writes.
const DATABASE: &str = "heapquarry.duckdb";

/// Set while DuckDB reads from the terminal: an interrupt then is its own.
static TERMINAL: AtomicBool = AtomicBool::new(false);

/// Whether DuckDB reads from the terminal.
pub fn owns_the_terminal() -> bool {
    TERMINAL.load(Ordering::Relaxed)
}

/// The command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    program: PathBuf,
    /// The script that the program runs, if it is an interpreter of Python.
    script: Option<PathBuf>,
}

impl Engine {
    /// Looks for it: the file that `HEAPQUARRY_DUCKDB` names, or `duckdb` in the PATH, or DuckDB's Python package if
    /// that named itself.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find() -> Result<Self, Error> {
        let named = env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let name = named.clone().unwrap_or_else(|| OsString::from("duckdb"));
        let in_path = || {
            let path = env::var_os("PATH").unwrap_or_default();
            let file = format!("duckdb{}", env::consts::EXE_SUFFIX);
            env::split_paths(&path).map(|dir| dir.join(&file)).find(|file| file.is_file())
        };
        let program = match &named {
            Some(name) => Some(PathBuf::from(name)).filter(|path| path.is_file()),
            None => in_path(),
        };
        let program = program.map(|path| std::path::absolute(&path).unwrap_or(path));
        let command = program.map(|program| Engine { program, script: None });
        let of_python = || if named.is_none() { Engine::of_python() } else { None };
        command.or_else(of_python).ok_or_else(|| {
            let name = name.to_string_lossy();
            let place = if named.is_some() { VARIABLE } else { "PATH" };
            Error::Missing(format!(
                "no DuckDB command ({name}): {place} names none; install it, for example with \
                 `pip install duckdb-cli`, or name the file in {VARIABLE}"
            ))
        })
    }

    /// DuckDB's Python package, if there is one.
    fn of_python() -> Option<Self> {
        let paths: Vec<PathBuf> = env::split_paths(&env::var_os(PYTHON_VARIABLE)?).collect();
        let [program, script] = <[PathBuf; 2]>::try_from(paths).ok()?;
        let script = Some(script).filter(|script| script.is_file());
        script.map(|script| Engine { program, script: Some(script) })
    }

    /// Fails unless it has a prompt.
    ///
    /// # Errors
    ///
    /// If it is the Python package.
    pub fn require_prompt(&self) -> Result<(), Error> {
        match &self.script {
            None => Ok(()),
            Some(_) => Err(Error::Database(
                "a prompt needs the DuckDB command, and there is only the Python package: give a query, or \
                 install the command, for example with `pip install duckdb-cli`"
                    .into(),
            )),
        }
    }

    /// A command without the user's start file that does this script first, in this working directory.
    fn command(&self, dir: &Folder, script: &str) -> io::Result<Command> {
        std::fs::write(dir.path().join(START), script)?;
        let mut command = Command::new(&self.program);
        match &self.script {
            Some(script) => command.arg(script),
            None => command.args(["-init", NOTHING]),
        };
        // Not as a start file: the command of PyPI sets something after that, when settings are already locked.
        command.args(["-cmd", &format!(".read {START}")]).current_dir(dir.path());
        Ok(command)
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::Database(format!("cannot run DuckDB ({}): {error}", self.program.display()))
    }

    /// The prompt of DuckDB's own, with the views set up. Returns when it is left; its exit code says only whether the
    /// last of many statements was good.
    ///
    /// A prompt takes statements that write, so it has copies of the tables, which go when it is left.
    ///
    /// # Errors
    ///
    /// If the tables cannot be copied or it cannot be run, and after `cancel`.
    pub fn prompt(&self, setup: Setup, cancel: &Cancel) -> Result<(), Error> {
        let dir = temporary()?;
        let views = setup.views.copied(&dir.path().join("tables"), cancel)?;
        let setup = Setup { views, ..setup };
        let mut command = self.command(&dir, &setup.script())?;
        TERMINAL.store(true, Ordering::Relaxed);
        let status = command.status();
        TERMINAL.store(false, Ordering::Relaxed);
        status.map(drop).map_err(|error| self.failed(&error))
    }

    /// Writes a database with the views over a converted directory into it. The file appears only when it is finished,
    /// and replaces an earlier one.
    ///
    /// # Errors
    ///
    /// If the directory was not converted, DuckDB cannot be run or refuses the script, or the file cannot be written.
    pub fn write_database(&self, dir: &Path) -> Result<PathBuf, Error> {
        let views = Views::of(dir)?.sql();
        let temporary = temporary()?;
        let new = temporary.path().join(DATABASE);
        let end = "USE memory;\nDETACH heapquarry_new;\n";
        let script =
            format!("ATTACH '{DATABASE}' AS heapquarry_new;\nUSE heapquarry_new;\n{views}{end}");
        let mut command = self.command(&temporary, &script)?;
        let command = command.args(["-batch", "-bail"]).stdin(Stdio::null()).stdout(Stdio::null());
        let done = command.output().map_err(|error| self.failed(&error))?;
        if !done.status.success() {
            return Err(run::message(&done.stderr));
        }
        let target = dir.join(DATABASE);
        Ok(keep(&mut std::fs::File::open(new)?, &target, true, &[])?)
    }
}

/// Copies a complete result to its place, where it appears only when it is finished.
///
/// # Errors
///
/// The errors of [`heapquarry::write_file`].
pub fn keep(
    result: &mut std::fs::File,
    path: &Path,
    force: bool,
    inputs: &[&Path],
) -> Result<PathBuf, heapquarry::Error> {
    heapquarry::write_file(path, force, inputs, |out| {
        let failed = |source| {
            let doing = "read the temporary result for";
            ErrorKind::Input { path: path.into(), doing, source }
        };
        Ok(io::copy(result, out).map(drop).map_err(failed)?)
    })
}

/// The working directory of DuckDB: for scripts, results, and what it cannot keep in memory.
fn temporary() -> Result<Folder, Error> {
    Folder::new()
        .map_err(|error| Error::Database(format!("cannot create a temporary directory: {error}")))
}
