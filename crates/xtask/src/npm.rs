//! The packages of npm: tarballs below `target/npm`, and their tests.

use crate::{
    portable,
    python::succeeds,
    workspace::{Error, Workspace},
};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The package with the shim and the API, from the root of the workspace.
const SHIM: &str = "npm/heapquarry";
/// The tests, and what they need of npm.
const TESTS: &str = "npm/test";

/// A package with the command of one platform.
struct Platform {
    /// Its name below `@heapquarry/`.
    name: &'static str,
    target: &'static str,
    os: &'static str,
    cpu: &'static str,
    libc: Option<&'static str>,
}

const PLATFORMS: [Platform; 6] = [
    Platform {
        name: "linux-x64",
        target: "x86_64-unknown-linux-gnu",
        os: "linux",
        cpu: "x64",
        libc: Some("glibc"),
    },
    Platform {
        name: "linux-arm64",
        target: "aarch64-unknown-linux-gnu",
        os: "linux",
        cpu: "arm64",
        libc: Some("glibc"),
    },
    Platform {
        name: "linux-x64-musl",
        target: "x86_64-unknown-linux-musl",
        os: "linux",
        cpu: "x64",
        libc: Some("musl"),
    },
    Platform {
        name: "darwin-x64",
        target: "x86_64-apple-darwin",
        os: "darwin",
        cpu: "x64",
        libc: None,
    },
    Platform {
        name: "darwin-arm64",
        target: "aarch64-apple-darwin",
        os: "darwin",
        cpu: "arm64",
        libc: None,
    },
    Platform {
        name: "win32-x64",
        target: "x86_64-pc-windows-msvc",
        os: "win32",
        cpu: "x64",
        libc: None,
    },
];

impl Platform {
    /// Whether this machine runs it.
    fn is_here(&self) -> bool {
        self.libc == Some("glibc")
            && self.target.starts_with(std::env::consts::ARCH)
            && cfg!(target_os = "linux")
    }
}

/// Builds the tarballs. `--profile=dev` takes the command of this machine as `cargo test` builds it; other profiles
/// link for old systems. `--binary=FILE --platform=NAME` packs a command that was built elsewhere.
pub(crate) fn npm(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let (mut profile, mut binary, mut platform, mut with_shim) = ("dist", None, None, true);
    for arg in args {
        match arg.split_once('=') {
            Some(("--profile", name @ ("dev" | "release" | "dist"))) => profile = name,
            Some(("--binary", file)) => binary = Some(PathBuf::from(file)),
            Some(("--platform", name)) => platform = Some(find(name)?),
            None if *arg == "--no-shim" => with_shim = false,
            _ => {
                let usage =
                    "npm [--profile=dev|release|dist] [--binary=FILE --platform=NAME] [--no-shim]";
                return Err(Error(format!("unexpected argument {arg}: {usage}")));
            }
        }
    }
    let out = workspace.target().join("npm");
    match (binary, platform) {
        (Some(binary), Some(platform)) => pack_platform(workspace, &out, platform, &binary)?,
        (None, None) => {
            for platform in PLATFORMS.iter().filter(|p| p.libc == Some("glibc")) {
                build_platform(workspace, &out, platform, profile)?;
            }
        }
        _ => return Err(Error("--binary and --platform belong together".into())),
    }
    if with_shim {
        pack_shim(workspace, &out)?;
    }
    // Those for tests need not be small.
    if profile == "dev" { Ok(()) } else { compress_all(&out) }
}

/// Compresses the tarballs of a folder anew: those that npm makes are 5 % larger.
fn compress_all(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(|e| Error::about(folder, &e))? {
        let path = entry.map_err(|e| Error::about(folder, &e))?.path();
        if path.extension().is_some_and(|extension| extension == "tgz") {
            let tarball = fs::read(&path).map_err(|e| Error::about(&path, &e))?;
            let smaller = compressed(&tarball)
                .ok_or_else(|| Error(format!("{}: no gzip", path.display())))?;
            println!("{}: {} instead of {} bytes", path.display(), smaller.len(), tarball.len());
            write(&path, &smaller)?;
        }
    }
    Ok(())
}

/// A file of gzip as small as libdeflate makes it; `None` if it is damaged.
fn compressed(gzip: &[u8]) -> Option<Vec<u8>> {
    // A member ends with the size of its content.
    let mut content = vec![0; u32::from_le_bytes(*gzip.last_chunk()?) as usize];
    Decompressor::new().gzip_decompress(gzip, &mut content).ok()?;
    let mut compressor = Compressor::new(CompressionLvl::best());
    let mut smaller = vec![0; compressor.gzip_compress_bound(content.len())];
    let size = compressor.gzip_compress(&content, &mut smaller).ok()?;
    smaller.truncate(size);
    Some(smaller)
}

fn find(name: &str) -> Result<&'static Platform, Error> {
    PLATFORMS.iter().find(|platform| platform.name == name).ok_or_else(|| {
        let names: Vec<_> = PLATFORMS.iter().map(|platform| platform.name).collect();
        Error(format!("unknown platform {name}: expected {}", names.join(", ")))
    })
}

fn build_platform(
    workspace: &Workspace,
    out: &Path,
    platform: &Platform,
    profile: &str,
) -> Result<(), Error> {
    let name = platform.name;
    if profile == "dev" {
        if !platform.is_here() {
            return Ok(());
        }
        workspace.build_binary()?;
        return pack_platform(workspace, out, platform, &workspace.binary());
    }
    if !portable::has_target(platform.target) {
        println!("\nSKIPPED {name}: the target {} is not installed", platform.target);
        return Ok(());
    }
    let binary = portable::build(workspace, platform.target, profile)?;
    pack_platform(workspace, out, platform, &binary)
}

/// Packs one command. Symbols for debugging are left out: a debug build has 200 MB of them.
fn pack_platform(
    workspace: &Workspace,
    out: &Path,
    platform: &Platform,
    binary: &Path,
) -> Result<(), Error> {
    let Platform { name, os, cpu, libc, .. } = *platform;
    let folder = fresh(&out.join("packages").join(name))?;
    let file = if os == "win32" { "heapquarry.exe" } else { "heapquarry" };
    let bin = fresh(&folder.join("bin"))?;
    let target = bin.join(file);
    fs::copy(binary, &target).map_err(|e| Error::about(binary, &e))?;
    if os == "linux" {
        // A binary for another CPU is refused: portable ones have no symbols anyway.
        let _ = Command::new("strip").arg(&target).output();
    }
    let mut package = json!({
        "name": format!("@heapquarry/{name}"),
        "version": env!("CARGO_PKG_VERSION"),
        "description": format!("The command heapquarry for {os} on {cpu}"),
        "license": env!("CARGO_PKG_LICENSE"),
        "repository": { "type": "git", "url": concat!("git+", env!("CARGO_PKG_REPOSITORY"), ".git") },
        "preferUnplugged": true,
        "os": [os],
        "cpu": [cpu],
        "files": ["bin"],
    });
    if let Some(libc) = libc {
        package["libc"] = json!([libc]);
    }
    write_json(&folder.join("package.json"), &package)?;
    let readme = format!(
        "# @heapquarry/{name}\n\nThe command of [heapquarry]({}) for {os} on {cpu}. Install the package `heapquarry`.\n",
        env!("CARGO_PKG_REPOSITORY")
    );
    write(&folder.join("README.md"), readme.as_bytes())?;
    pack(workspace, &folder, out)
}

fn pack_shim(workspace: &Workspace, out: &Path) -> Result<(), Error> {
    let folder = fresh(&out.join("packages").join("heapquarry"))?;
    copy_all(&workspace.root.join(SHIM), &folder)?;
    pack(workspace, &folder, out)
}

/// `package.json` names the version of the workspace, and all platforms.
pub(crate) fn check_shim(workspace: &Workspace) -> Result<(), Error> {
    let path = workspace.root.join(SHIM).join("package.json");
    let text = fs::read(&path).map_err(|e| Error::about(&path, &e))?;
    let package: Value =
        serde_json::from_slice(&text).map_err(|e| Error(format!("{}: {e}", path.display())))?;
    let version = env!("CARGO_PKG_VERSION");
    let names = PLATFORMS.iter().map(|p| (format!("@heapquarry/{}", p.name), version.into()));
    let platforms = Value::Object(names.collect());
    if package["version"] == version && package["optionalDependencies"] == platforms {
        return Ok(());
    }
    Err(Error(format!(
        "{}: expected version {version} and optionalDependencies {platforms}",
        path.display()
    )))
}

/// Adds the licences, and makes the tarball.
fn pack(workspace: &Workspace, folder: &Path, out: &Path) -> Result<(), Error> {
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let from = workspace.root.join(licence);
        fs::copy(&from, folder.join(licence)).map_err(|e| Error::about(&from, &e))?;
    }
    workspace.run(
        workspace
            .command("npm")
            .args(["pack", "--silent"])
            .arg(folder)
            .arg("--pack-destination")
            .arg(out),
    )
}

/// The tests of the packages, on tarballs of the debug build. `false` without Node and npm.
pub(crate) fn test(workspace: &Workspace) -> Result<bool, Error> {
    if !is_usable() {
        return Ok(false);
    }
    check_shim(workspace)?;
    let out = workspace.target().join("npm");
    // `cargo test` has built the command: `cargo build` has other features of dependencies, and takes a minute.
    if let Some(platform) = PLATFORMS.iter().find(|platform| platform.is_here()) {
        pack_platform(workspace, &out, platform, &workspace.binary())?;
    }
    pack_shim(workspace, &out)?;
    let mut files = Vec::new();
    let tests = workspace.root.join(TESTS);
    for entry in fs::read_dir(&tests).map_err(|e| Error::about(&tests, &e))? {
        let path = entry.map_err(|e| Error::about(&tests, &e))?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    run_tests(workspace, &files, &workspace.binary(), None)?;
    Ok(true)
}

/// Installs the tarballs that [`npm`] has made from a registry on this machine, by each package manager. The first
/// answer must be there within this time of the start of an installation.
pub(crate) fn test_installation(workspace: &Workspace, limit: Duration) -> Result<(), Error> {
    let here = PLATFORMS.iter().find(|platform| platform.is_here());
    let here = here.ok_or_else(|| Error("no package is built for this platform".into()))?;
    let packed = workspace.target().join("npm/packages").join(here.name).join("bin/heapquarry");
    let tests = [workspace.root.join(TESTS).join("install.test.mjs")];
    run_tests(workspace, &tests, &packed, Some(limit))
}

/// Runs tests on the tarballs, with this command for what is tested without a package, and a limit for first answers.
fn run_tests(
    workspace: &Workspace,
    files: &[PathBuf],
    binary: &Path,
    limit: Option<Duration>,
) -> Result<(), Error> {
    install(workspace)?;
    workspace.run(
        workspace
            .command("node")
            .args(["--test", "--test-reporter=spec", "--test-concurrency=2"])
            .args(files)
            .envs(limit.map(|limit| ("HEAPQUARRY_FIRST_ANSWER", limit.as_secs().to_string())))
            .env("HEAPQUARRY_BINARY", binary)
            .env("HEAPQUARRY_NPM", workspace.target().join("npm")),
    )
}

/// What the tests need, if Node and npm are there.
pub(crate) fn environment(workspace: &Workspace) -> Result<(), Error> {
    if is_usable() { install(workspace) } else { Ok(()) }
}

fn is_usable() -> bool {
    ["node", "npm"].iter().all(|program| succeeds(Path::new(program)))
}

/// Installs what the tests need of npm, if that is not done.
fn install(workspace: &Workspace) -> Result<(), Error> {
    let folder = workspace.target().join("npm/test");
    fs::create_dir_all(&folder).map_err(|e| Error::about(&folder, &e))?;
    let manifest = workspace.root.join(TESTS).join("package.json");
    let wanted = fs::read(&manifest).map_err(|e| Error::about(&manifest, &e))?;
    // Written last: a broken installation is repeated.
    let installed = folder.join("installed.json");
    if fs::read(&installed).ok() != Some(wanted.clone()) {
        write(&folder.join("package.json"), &wanted)?;
        workspace.run(
            workspace
                .command("npm")
                // Several versions of a package want several versions of what they are used with.
                .args([
                    "install",
                    "--silent",
                    "--no-audit",
                    "--no-fund",
                    "--legacy-peer-deps",
                    "--prefix",
                ])
                .arg(&folder),
        )?;
        write(&installed, &wanted)?;
    }
    Ok(())
}

/// An empty folder.
pub(crate) fn fresh(path: &Path) -> Result<PathBuf, Error> {
    if path.exists() {
        fs::remove_dir_all(path).map_err(|e| Error::about(path, &e))?;
    }
    fs::create_dir_all(path).map_err(|e| Error::about(path, &e))?;
    Ok(path.to_owned())
}

fn copy_all(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(|e| Error::about(to, &e))?;
    for entry in fs::read_dir(from).map_err(|e| Error::about(from, &e))? {
        let path = entry.map_err(|e| Error::about(from, &e))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_all(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|e| Error::about(&path, &e))?;
        }
    }
    Ok(())
}

fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).map_err(|e| Error::about(path, &e))
}

fn write_json(path: &Path, value: &Value) -> Result<(), Error> {
    write(path, format!("{value:#}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tarballs_get_smaller_and_stay_what_they_are() {
        let content: Vec<u8> =
            (0..100_000_u32).flat_map(|n| n.wrapping_mul(n).to_le_bytes()).collect();
        let mut gzip = vec![0; 2 * content.len()];
        let size = Compressor::new(CompressionLvl::fastest()).gzip_compress(&content, &mut gzip);
        gzip.truncate(size.unwrap());
        let smaller = compressed(&gzip).unwrap();
        assert!(smaller.len() < gzip.len());
        let mut back = vec![0; content.len()];
        Decompressor::new().gzip_decompress(&smaller, &mut back).unwrap();
        assert!(back == content && compressed(&smaller).unwrap() == smaller);
        gzip[20] ^= 1;
        assert_eq!((compressed(&gzip), compressed(b"")), (None, None));
    }
}
