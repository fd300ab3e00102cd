//! All tests, and the comparison of other people's files.

use crate::{
    npm,
    python::{PYTEST, Python, REQUIREMENTS, virtual_environment},
    wheel,
    workspace::{Error, Workspace, run},
};
use std::env;

/// Folder of the tests in Python, from the root of the workspace.
const PYTHON_TESTS: &str = "crates/heapquarry-cli/tests/python";

pub(crate) fn test(workspace: &Workspace, python: Python) -> Result<(), Error> {
    let requirements = workspace.root.join(PYTHON_TESTS).join(REQUIREMENTS);
    let folder = workspace.root.join(".venv");
    // First, because tests in Rust run a command in it too.
    let interpreter = virtual_environment(workspace, &folder, &requirements)?;
    // This also builds the command, which tests of its own run.
    run(&mut workspace.cargo_for_all("test"))?;
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
pub(crate) fn wild(workspace: &Workspace, paths: &[&str]) -> Result<(), Error> {
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
