//! The Python package: its wheel, its sdist and its tests.

mod pack;

use crate::{
    npm::fresh,
    python::{PYTEST, Python, virtual_environment},
    workspace::{Error, Workspace},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The crate, from the root of the workspace.
const CRATE: &str = "crates/heapquarry-py";
/// What builds wheels: maturin, and zig as the linker, which knows the symbols of old C libraries.
const TOOLS: &str = "crates/heapquarry-py/build-requirements.txt";
/// The oldest C library that published wheels run with.
const PLATFORM: &str = "manylinux_2_17";

/// `cargo xtask wheel [--profile=NAME]`: wheel and sdist in `target/wheels`.
pub(crate) fn wheel(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let profile = match args {
        [] => "dist",
        [arg] => arg.strip_prefix("--profile=").ok_or_else(|| Error(format!("what is {arg}?")))?,
        ["--profile", profile] => profile,
        _ => return Err(Error("usage: cargo xtask wheel [--profile=dev|release|dist]".into())),
    };
    let missing = || Error("there is no usable `python3`".into());
    let wheels = workspace.target().join("wheels");
    let tools = tools(workspace)?.ok_or_else(missing)?;
    let wheel = published(workspace, &tools, profile, &wheels)?;
    let interpreter = tests_environment(workspace)?.ok_or_else(missing)?;
    workspace.build_binary()?;
    let tests = ["tests/test_wheel.py", "tests/test_objects.py"];
    pytest(workspace, &interpreter, &wheel, profile, &tests)
}

/// The tests of the package, installed from a wheel that is made of what `cargo test` has built.
pub(crate) fn test(workspace: &Workspace, python: Python) -> Result<(), Error> {
    let wheels = workspace.target().join("python/wheels");
    let (Some(tools), Some(interpreter)) = (tools(workspace)?, tests_environment(workspace)?)
    else {
        if python == Python::Required {
            return Err(Error(format!("cannot run the tests in {CRATE}: no usable `python3`")));
        }
        println!("\nSKIPPED the tests in {CRATE}: there is no usable `python3`");
        return Ok(());
    };
    let wheel = local(workspace, &tools, &wheels)?;
    pytest(workspace, &interpreter, &wheel, "dev", &["tests"])
}

/// The environments that [`test()`] needs.
pub(crate) fn environments(workspace: &Workspace) -> Result<(), Error> {
    tools(workspace)?;
    tests_environment(workspace).map(drop)
}

/// Runs tests of the package with a wheel, which it installs.
fn pytest(
    workspace: &Workspace,
    python: &Path,
    wheel: &Path,
    profile: &str,
    tests: &[&str],
) -> Result<(), Error> {
    workspace.run(
        workspace
            .command(python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .arg("--force-reinstall")
            .arg(wheel),
    )?;
    workspace.run(
        workspace
            .command(python)
            .args(["-m", "pytest"])
            .args(PYTEST)
            .args(tests.iter().map(|tests| Path::new(CRATE).join(tests)))
            .env("HEAPQUARRY_BIN", workspace.binary())
            .env("HEAPQUARRY_WHEEL", wheel)
            .env("HEAPQUARRY_PROFILE", profile),
    )
}

/// The wheel for this machine. Its module is built with all of the workspace: maturin builds one package alone, for
/// which most dependencies have other features, and would compile half of the workspace again.
fn local(workspace: &Workspace, tools: &Path, out: &Path) -> Result<PathBuf, Error> {
    workspace.build_libraries()?;
    fresh(out)?;
    let metadata = out.join("metadata");
    workspace.run(
        maturin(workspace, tools)?
            .args(["pep517", "write-dist-info", "--quiet", "--compatibility", "linux"])
            .arg("--manifest-path")
            .arg(Path::new(CRATE).join("Cargo.toml"))
            .arg("--interpreter")
            .arg(tools)
            .arg("--metadata-directory")
            .arg(&metadata),
    )?;
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let built = workspace.target().join("debug").join(format!("{prefix}heapquarry_py{suffix}"));
    let library = out.join("library");
    fs::copy(&built, &library).map_err(|e| Error::about(&built, &e))?;
    // As maturin does: a debug build has 100 MB of symbols.
    if cfg!(unix) {
        workspace.run(workspace.command("strip").args(["-S", "-x"]).arg(&library))?;
    }
    pack::pack(&workspace.root.join(CRATE).join("python"), &library, &metadata, out)
}

/// The wheel for old Linux, with an sdist: built from the sdist, which shows that nothing is missing in it.
fn published(
    workspace: &Workspace,
    tools: &Path,
    profile: &str,
    out: &Path,
) -> Result<PathBuf, Error> {
    // A wheel of an earlier build would be taken for this one.
    fresh(out)?;
    let mut command = maturin(workspace, tools)?;
    command.args(["build", "--quiet", "--profile", profile, "--manifest-path"]);
    command.arg(Path::new(CRATE).join("Cargo.toml")).arg("--interpreter").arg(tools);
    command.arg("--out").arg(out);
    // Not `--locked`: the lock file of the sdist names crates of the workspace that the sdist is without. A compiler of
    // its own would replace what others have built.
    command
        .args(["--sdist", "--features", "cloud,mcp", "--compression-level", "9"])
        .arg("--target-dir")
        .arg(workspace.target().join("python/build"));
    if cfg!(target_os = "linux") {
        command.args(["--zig", "--compatibility", PLATFORM]);
    }
    workspace.run(&mut command)?;
    let entries = fs::read_dir(out).map_err(|e| Error::about(out, &e))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    let wheel = files.find(|path| path.extension().is_some_and(|e| e == "whl"));
    wheel.ok_or_else(|| Error(format!("{}: no wheel", out.display())))
}

/// maturin, of the environment of this interpreter, with what it needs from there in `PATH`.
fn maturin(workspace: &Workspace, tools: &Path) -> Result<Command, Error> {
    let bin = tools.parent().expect("an interpreter stands in a folder");
    let path = env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin.to_path_buf()).chain(env::split_paths(&path));
    let path = env::join_paths(paths).map_err(|e| Error(format!("PATH: {e}")))?;
    let mut command = workspace.command(bin.join("maturin"));
    command.env("PATH", path);
    Ok(command)
}

/// The interpreter of the environment with maturin; `None` without a `python3`.
fn tools(workspace: &Workspace) -> Result<Option<PathBuf>, Error> {
    let folder = workspace.target().join("python/tools");
    virtual_environment(workspace, &folder, &workspace.root.join(TOOLS))
}

fn tests_environment(workspace: &Workspace) -> Result<Option<PathBuf>, Error> {
    let requirements = workspace.root.join(CRATE).join("tests/requirements.txt");
    virtual_environment(workspace, &workspace.target().join("python/tests"), &requirements)
}
