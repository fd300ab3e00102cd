//! The workspace, and the commands that run in it.

use crate::scratch::Scratch;
use std::{
    env, fmt, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Instant,
};

/// All features: object storage and the server for coding agents in the command, and the extension of DuckDB.
const FEATURES: &str = "heapquarry-cli/cloud,heapquarry-cli/mcp,heapquarry-duckdb/extension";

#[derive(Clone)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    cargo: PathBuf,
    scratch: Option<Arc<Scratch>>,
    /// Whether other commands run meanwhile. What a command says is shown when it has ended.
    beside: bool,
}

impl Workspace {
    /// The workspace of the `cargo` that runs this.
    pub(crate) fn locate() -> Self {
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).ancestors().nth(2).expect("xtask stands in crates/xtask");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self { root: root.to_owned(), cargo: cargo.into(), scratch: None, beside: false }
    }

    /// With a folder in memory for temporary files, if there can be one.
    pub(crate) fn in_memory(self) -> Self {
        Self { scratch: Scratch::make().map(Arc::new), ..self }
    }

    /// For commands that run while others do.
    pub(crate) fn beside(&self) -> Self {
        Self { beside: true, ..self.clone() }
    }

    /// The `heapquarry` that the tests of the workspace make, with all features.
    pub(crate) fn binary(&self) -> PathBuf {
        let name = format!("heapquarry{}", env::consts::EXE_SUFFIX);
        self.target().join("debug").join(name)
    }

    /// Builds [`Workspace::binary`] if that is not done. A test of it brings the features of dependencies that
    /// `cargo test` has: with those of `cargo build`, half of the workspace would be built again.
    pub(crate) fn build_binary(&self) -> Result<(), Error> {
        self.run(self.cargo_for_all("test").args(["--quiet", "--no-run", "--test", "cli"]))
    }

    /// Where `cargo` builds.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
    }

    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        if let Some(scratch) = &self.scratch {
            command.env("TMPDIR", scratch.path());
        }
        // `cargo run` sets these for xtask. Build scripts that watch them, as ring's does, would run again whenever a
        // developer starts `cargo`, and half of the workspace would be built again.
        let of_xtask =
            |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(of_xtask)) {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn cargo_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(&self.cargo);
        command.args(args);
        command
    }

    /// A subcommand of cargo for the whole workspace, with all features: all that are started so share what they build.
    pub(crate) fn cargo_for_all(&self, subcommand: &str) -> Command {
        self.cargo_command(&[subcommand, "--workspace", "--features", FEATURES])
    }

    pub(crate) fn cargo(&self, args: &[&str]) -> Result<(), Error> {
        self.run(&mut self.cargo_command(args))
    }

    /// Builds the libraries that other programs load: the module of Python, and the extension of DuckDB. A test,
    /// which is built already, brings the features of dependencies that `cargo test` has.
    pub(crate) fn build_libraries(&self) -> Result<(), Error> {
        self.run(self.cargo_for_all("build").args(["--lib", "--test", "cli"]))
    }

    /// Shows a command, runs it, tells how long it took, and fails if it fails.
    pub(crate) fn run(&self, command: &mut Command) -> Result<(), Error> {
        let line = line(command);
        let start = Instant::now();
        let status = if self.beside {
            let output = command.stdin(Stdio::null()).output();
            let said = output.as_ref().map(|output| [&output.stdout[..], &output.stderr].concat());
            let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
            println!("\n$ {line}\n{said}({} s)", start.elapsed().as_secs());
            output.map(|output| output.status)
        } else {
            println!("\n$ {line}");
            let status = command.status();
            println!("({} s)", start.elapsed().as_secs());
            status
        };
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Error(format!("`{line}` failed: {status}"))),
            Err(error) => Err(Error(format!("cannot run `{line}`: {error}"))),
        }
    }
}

/// Does two things at a time. When one has failed, the other goes on to its end.
pub(crate) fn both(
    first: impl FnOnce() -> Result<(), Error>,
    second: impl FnOnce() -> Result<(), Error> + Send,
) -> Result<(), Error> {
    thread::scope(|scope| {
        let second = scope.spawn(second);
        let first = first();
        match (first, second.join().expect("no panic")) {
            (Err(Error(first)), Err(Error(second))) => Err(Error(format!("{first}; {second}"))),
            (first, second) => first.and(second),
        }
    })
}

/// Whether a command can be run, and does not fail. What it says is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// A command as it is shown.
fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

pub(crate) struct Error(pub(crate) String);

impl Error {
    pub(crate) fn about(path: &Path, error: &io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
