//! All tests, and the comparison of other people's files.

use crate::{
    npm,
    python::{PYTEST, Python, REQUIREMENTS, virtual_environment},
    wheel,
    workspace::{Error, Workspace, both},
};
use std::{env, path::PathBuf};

/// Folder of the tests in Python, from the root of the workspace.
const PYTHON_TESTS: &str = "crates/heapquarry-cli/tests/python";

/// The tests of packages run beside those of the command: many tests wait for servers, pages and processes.
pub(crate) fn test(workspace: &Workspace, python: Python) -> Result<(), Error> {
    let beside = &workspace.beside();
    // Environments before the tests, because those in Rust run a command in one, too.
    both(|| build(workspace), || environments(beside))?;
    let command = || {
        rust(workspace)?;
        command(workspace, python)
    };
    let packages = || {
        if !npm::test(beside)? {
            println!(
                "\nSKIPPED the tests of the npm packages: there is no usable `node` and `npm`"
            );
        }
        wheel::test(beside, python)
    };
    both(command, packages)
}

/// The tests in Rust.
fn rust(workspace: &Workspace) -> Result<(), Error> {
    // This also builds the command, which tests of its own run.
    workspace.run(&mut workspace.cargo_for_all("test"))?;
    // Whether the messages in Rust are those of the .proto files.
    let generated = ["test", "--quiet", "--locked", "--manifest-path", "proto/Cargo.toml"];
    workspace.run(
        workspace
            .cargo_command(&generated)
            .arg("--target-dir")
            .arg(workspace.target().join("proto")),
    )
}

/// The tests in Python that read what the command writes.
fn command(workspace: &Workspace, python: Python) -> Result<(), Error> {
    let Some(interpreter) = interpreter(workspace)? else {
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
    workspace.run(
        workspace
            .command(&interpreter)
            .args(["-m", "pytest"])
            .args(PYTEST)
            .arg(PYTHON_TESTS)
            .env("HEAPQUARRY_BIN", workspace.binary()),
    )
}

/// Builds what [`test()`] runs.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Error> {
    workspace.run(workspace.cargo_for_all("test").arg("--no-run"))
}

/// The environments of Python and of npm that [`test()`] needs. They are made while something is compiled: they wait
/// for the network, and use one core.
pub(crate) fn environments(workspace: &Workspace) -> Result<(), Error> {
    interpreter(workspace)?;
    wheel::environments(workspace)?;
    npm::environment(workspace)
}

/// The interpreter of the command's tests.
fn interpreter(workspace: &Workspace) -> Result<Option<PathBuf>, Error> {
    let requirements = workspace.root.join(PYTHON_TESTS).join(REQUIREMENTS);
    virtual_environment(workspace, &workspace.root.join(".venv"), &requirements)
}

/// Compares the tables of other people's files with what naive readers make of them.
pub(crate) fn wild(workspace: &Workspace, paths: &[&str]) -> Result<(), Error> {
    let tests = workspace.root.join(PYTHON_TESTS);
    let interpreter =
        interpreter(workspace)?.ok_or_else(|| Error("there is no usable `python3`".into()))?;
    workspace.build_binary()?;
    // Paths are those of the caller, whose folder may be another one.
    let here = env::current_dir().map_err(|e| Error(format!("no current folder: {e}")))?;
    workspace.run(
        workspace
            .command(interpreter)
            .arg(tests.join("wild.py"))
            .args(paths.iter().map(|path| here.join(path)))
            .env("HEAPQUARRY_BIN", workspace.binary()),
    )
}
