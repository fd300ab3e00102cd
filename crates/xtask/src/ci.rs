//! What a change must pass.

use crate::{
    attack::attack,
    deny::deny,
    duckdb::{self, duckdb},
    gate::{Gate, gate},
    python::{Python, virtual_environment},
    readers::{self, readers},
    testing::{self, test},
    workspace::{Error, Workspace, both, succeeds},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
};

/// The oldest toolchain that must do.
const OLDEST: &str = concat!(env!("CARGO_PKG_RUST_VERSION"), ".0");
/// A target with 32 bits.
const NARROW: &str = "i686-unknown-linux-gnu";
/// Tests of heapquarry-scan, -formats, -input and -sink that run there. Others take minutes without optimised
/// dependencies.
const ON_NARROW: [&str; 8] =
    ["scan", "corpus", "damage", "ftrace", "htrace", "profiles", "traces", "directory"];
/// Settings of Cargo for that target: of ours, what is built there but hardly runs.
const PLAIN_ON_NARROW: [&str; 3] = [
    "--config=profile.dev.package.heapquarry-graph.opt-level=0",
    "--config=profile.dev.package.heapquarry-profile.opt-level=0",
    "--config=profile.dev.package.heapquarry-timeline.opt-level=0",
];
/// Tests of heapquarry-scan that take seconds in Miri, as parts of their names. Each runs all kernels.
const IN_MIRI: [&str; 2] = ["tests::", "count::"];
/// Settings of Cargo: dependencies are built fast, not optimised as `cargo test` has them. Of those that Cargo.toml
/// names, these take long.
const PLAIN_DEPENDENCIES: [&str; 10] = [
    "--config=profile.dev.package.'*'.opt-level=0",
    "--config=profile.dev.package.arrow-array.opt-level=0",
    "--config=profile.dev.package.arrow-data.opt-level=0",
    "--config=profile.dev.package.arrow-ipc.opt-level=0",
    "--config=profile.dev.package.arrow-schema.opt-level=0",
    "--config=profile.dev.package.arrow-select.opt-level=0",
    "--config=profile.dev.package.parquet.opt-level=0",
    "--config=profile.dev.package.simd-json.opt-level=0",
    "--config=profile.dev.package.zlib-rs.opt-level=0",
    "--config=profile.dev.package.zstd-sys.opt-level=0",
];

/// Folders of [`clients`], and the variables that name them the command.
const CLIENTS: [(&str, &str); 2] =
    [("cloud", "HEAPQUARRY_CLOUD_BIN"), ("mcp", "HEAPQUARRY_MCP_BIN")];

/// Two or three steps at a time: a build waits for its largest crates with one core, and tests wait for servers and
/// pages.
pub(crate) fn ci(workspace: &Workspace) -> Result<(), Error> {
    let beside = &workspace.beside();
    let (built, is_built) = mpsc::channel();
    let tests = move || {
        lints(workspace)?;
        testing::build(workspace)?;
        // Nobody waits any more where the steps beside have failed.
        built.send(()).ok();
        test(workspace, Python::Required)
    };
    let others = move || {
        without_the_build(beside)?;
        // Without a build the tests have failed, which is told.
        is_built.recv().map_or(Ok(()), |()| with_the_build(beside))
    };
    both(tests, others)
}

fn lints(workspace: &Workspace) -> Result<(), Error> {
    workspace.cargo(&["fmt", "--all", "--check"])?;
    workspace.run(workspace.cargo_for_all("clippy").args([
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    workspace
        .run(workspace.cargo_for_all("doc").arg("--no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// What needs nothing of what `cargo test` builds, and has folders of its own.
fn without_the_build(workspace: &Workspace) -> Result<(), Error> {
    environments(workspace)?;
    licenses_and_sources(workspace)?;
    packages(workspace)?;
    oldest_rust(workspace)?;
    narrow(workspace)?;
    miri(workspace)
}

/// What runs the command, or needs other parts of what `cargo test` builds.
fn with_the_build(workspace: &Workspace) -> Result<(), Error> {
    duckdb(workspace, &["--profile=dev"])?;
    clients(workspace)?;
    attack(workspace, &["--runs=2000"])?;
    // `--test` runs every benchmark once, without measuring: the profile of the tests, already built, will do.
    let benches = ["--profile", "dev", "--bench", "*", "--", "--test"];
    workspace.run(workspace.cargo_for_all("bench").args(benches))?;
    readers(workspace)?;
    gate(workspace, Gate::CheckIfPossible)
}

/// All environments of Python and of npm that the tests need.
fn environments(workspace: &Workspace) -> Result<(), Error> {
    testing::environments(workspace)?;
    for name in CLIENTS.map(|(name, _)| name) {
        client_environment(workspace, name)?;
    }
    readers::environments(workspace)?;
    duckdb::environment(workspace)
}

fn licenses_and_sources(workspace: &Workspace) -> Result<(), Error> {
    match deny(workspace) {
        Ok(mut command) => workspace.run(&mut command),
        Err(missing) => {
            println!("\nSKIPPED the check of licences, bans and sources: {missing}");
            Ok(())
        }
    }
}

/// Whether all crates that are published can be: their packages are made, and nothing they need is missing.
pub(crate) fn packages(workspace: &Workspace) -> Result<(), Error> {
    let ours = [
        "--workspace",
        "--exclude",
        "xtask",
        "--exclude",
        "heapquarry-benches",
        "--exclude",
        "heapquarry-duckdb",
        "--exclude",
        "heapquarry-py",
    ];
    workspace.run(
        workspace.cargo_command(&["package", "--quiet", "--no-verify", "--allow-dirty"]).args(ours),
    )
}

/// The published crates with [`OLDEST`]. Clippy's `incompatible_msrv` only knows the version of each item of std.
fn oldest_rust(workspace: &Workspace) -> Result<(), Error> {
    if !succeeds(Command::new("rustup").args(["run", OLDEST, "cargo", "--version"])) {
        println!("\nSKIPPED the build with Rust {OLDEST}: that toolchain is not installed");
        return Ok(());
    }
    // A folder of its own, as in the next ones: other compilers would replace what `cargo test` has built.
    let target = workspace.target().join("oldest");
    workspace.run(
        workspace
            .command("rustup")
            .args(["run", OLDEST, "cargo", "check", "--locked", "--package", "heapquarry-cli"])
            .args(PLAIN_DEPENDENCIES)
            .arg("--target-dir")
            .arg(target),
    )
}

/// The command with an S3 server on this machine, and with clients of its server for coding agents, the official SDKs.
fn clients(workspace: &Workspace) -> Result<(), Error> {
    for (name, variable) in CLIENTS {
        let python = client_environment(workspace, name)?
            .ok_or_else(|| Error(format!("no usable `python3` for the tests of {name}")))?;
        workspace.run(
            workspace
                .command(python)
                .args(["-m", "pytest", "-q"])
                .arg(client_tests(name))
                .env("PYTEST_TIMEOUT", "900")
                .env(variable, workspace.binary()),
        )?;
    }
    Ok(())
}

/// The tests of [`clients`].
fn client_tests(name: &str) -> PathBuf {
    Path::new("crates/heapquarry-cli/tests").join(name)
}

/// The interpreter of their environment.
fn client_environment(workspace: &Workspace, name: &str) -> Result<Option<PathBuf>, Error> {
    let requirements = workspace.root.join(client_tests(name)).join("requirements.txt");
    virtual_environment(workspace, &workspace.target().join("python").join(name), &requirements)
}

/// Scanners, formats and encoders where a `usize` has 32 bits.
fn narrow(workspace: &Workspace) -> Result<(), Error> {
    let folder = workspace.target().join("narrow");
    if let Err(missing) = links(&folder) {
        println!("\nSKIPPED the tests on {NARROW}: {missing}");
        return Ok(());
    }
    let crates = ["heapquarry-scan", "heapquarry-formats", "heapquarry-input", "heapquarry-sink"];
    workspace.run(
        workspace
            .cargo_command(&["test", "--lib", "--target", NARROW])
            .args(PLAIN_DEPENDENCIES)
            .args(PLAIN_ON_NARROW)
            .arg("--target-dir")
            .arg(folder)
            .args(crates.iter().flat_map(|name| ["--package", name]))
            .args(ON_NARROW.iter().flat_map(|name| ["--test", name])),
    )
}

/// The scanners in Miri, which finds undefined behaviour in unsafe code: the kernels that it knows the instructions of,
/// the scalar one and AVX2.
fn miri(workspace: &Workspace) -> Result<(), Error> {
    if !succeeds(Command::new("cargo").args(["+nightly", "miri", "--version"])) {
        println!("\nSKIPPED the scanners in Miri: there is no nightly toolchain with it");
        return Ok(());
    }
    let mut command = workspace.command("cargo");
    command
        .args(["+nightly", "miri", "test", "--package", "heapquarry-scan", "--lib", "--tests"])
        .args(PLAIN_DEPENDENCIES)
        .arg("--target-dir")
        .arg(workspace.target().join("miri"))
        .arg("--")
        .args(IN_MIRI);
    if cfg!(target_arch = "x86_64") {
        // Miri does not detect features at run time.
        command.env("RUSTFLAGS", "-Ctarget-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt");
    }
    workspace.run(&mut command)
}

/// Whether a program for [`NARROW`] links: that needs the target's std and its C library.
fn links(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let source = folder.join("empty.rs");
    fs::write(&source, "fn main() {}").map_err(|e| format!("{}: {e}", source.display()))?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--target", NARROW, "--out-dir"]).arg(folder).arg(source);
    if succeeds(&mut rustc) {
        return Ok(());
    }
    Err("that target or its C library is not installed".into())
}
