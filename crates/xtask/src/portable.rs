//! The command for other machines than this one: linked by zig against an old C library, or for another CPU. With
//! object storage: who installs a package does not build.

use crate::{
    python::succeeds,
    workspace::{Error, Workspace},
};
use std::{fs, path::PathBuf, process::Command};

/// What pip gets: zig as a package, and the subcommand of cargo that links with it.
const PACKAGES: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.0"];
/// The oldest C library that the command is for: that of RHEL 7, and what Node.js itself asks for or less.
const GLIBC: &str = "2.17";

/// Cargo 1.95 forgets `strip` of a profile for packages that have an entry in `[profile.NAME.package]`.
const STRIP: &str = " -C strip=symbols";

/// Builds the command with a profile for a target of Linux, and tells where it is.
pub(crate) fn build(workspace: &Workspace, target: &str, profile: &str) -> Result<PathBuf, Error> {
    let folder = zig(workspace)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.clone()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).map_err(|e| Error(format!("PATH: {e}")))?;
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default() + STRIP;
    // A folder of its own: what `cargo build` makes for this machine stays.
    let out = workspace.target().join("portable");
    workspace.run(
        workspace
            .cargo_command(&["zigbuild", "--locked", "--package", "heapquarry-cli"])
            .args(["--features", "cloud,mcp"])
            .args(["--profile", profile, "--target"])
            .arg(format!("{target}.{GLIBC}"))
            .arg("--target-dir")
            .arg(&out)
            .env("PATH", path)
            .env("RUSTFLAGS", flags)
            .env("CARGO_ZIGBUILD_PYTHON_PATH", folder.join("python3")),
    )?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(out.join(target).join(folder).join("heapquarry"))
}

/// Whether the standard library of a target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let output =
        Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        output.status.success() && folder.is_dir()
    })
}

/// The folder with `cargo-zigbuild`, in a virtual environment that is made if need be.
fn zig(workspace: &Workspace) -> Result<PathBuf, Error> {
    let environment = workspace.target().join("zig");
    let folder = environment.join("bin");
    let installed = environment.join("packages");
    let wanted = PACKAGES.join("\n");
    let is_there = fs::read_to_string(&installed).is_ok_and(|present| present == wanted);
    if !is_there || !succeeds(&folder.join("python3")) {
        workspace
            .run(workspace.command("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
        workspace.run(
            workspace
                .command(folder.join("python3"))
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(PACKAGES),
        )?;
        fs::write(&installed, wanted).map_err(|e| Error::about(&installed, &e))?;
    }
    Ok(folder)
}
