//! The extension of DuckDB: a library with what DuckDB looks for at its end, and what several versions read with it.

use crate::{
    python::{python_minor, with_packages},
    workspace::{Error, Workspace},
};
use std::{env, fs, path::PathBuf};

const CRATE: &str = "crates/heapquarry-duckdb";
const FILE: &str = "heapquarry.duckdb_extension";
/// The C interface of DuckDB that the extension uses. Later versions load it.
const INTERFACE: &str = "v1.2.0";
/// The last of each line of versions that can load it. Python from this minor version on has no such package.
const VERSIONS: [(&str, u32); 5] =
    [("1.2.2", 14), ("1.3.2", 14), ("1.4.5", 15), ("1.5.6", 15), ("2.0.1", u32::MAX)];

/// Builds the extension, and has DuckDB read corpus/ with it: `cargo xtask duckdb [--profile=dev|release|dist]`.
pub(crate) fn duckdb(workspace: &Workspace, args: &[&str]) -> Result<(), Error> {
    let profile = match args {
        [] => "dist",
        [arg] => arg.strip_prefix("--profile=").ok_or_else(|| Error(format!("what is {arg}?")))?,
        _ => return Err(Error("usage: cargo xtask duckdb [--profile=dev|release|dist]".into())),
    };
    workspace.build_binary()?;
    let extensions = build(workspace, profile)?;
    let minor = python_minor().ok_or_else(|| Error("there is no usable `python3`".into()))?;
    // For a change one is enough: each has an environment of its own.
    let skipped = if profile == "dev" { VERSIONS.len() - 1 } else { 0 };
    for (version, python_below) in VERSIONS.into_iter().skip(skipped) {
        if minor >= python_below {
            println!(
                "\nSKIPPED DuckDB {version}: its package is for Python below 3.{python_below}"
            );
            continue;
        }
        workspace.run(
            workspace
                .command(interpreter(workspace, version)?)
                .arg(format!("{CRATE}/tests/reads.py"))
                .arg(&extensions)
                .arg(workspace.binary())
                .args((profile == "dev").then_some("--objects")),
        )?;
    }
    Ok(())
}

/// The environment of the version that the profile dev is tried with.
pub(crate) fn environment(workspace: &Workspace) -> Result<(), Error> {
    let [.., (newest, _)] = VERSIONS;
    interpreter(workspace, newest).map(drop)
}

/// The interpreter of an environment with this version.
fn interpreter(workspace: &Workspace, version: &str) -> Result<PathBuf, Error> {
    let folder = workspace.target().join("duckdb/python").join(version);
    with_packages(workspace, &folder, &[&format!("duckdb=={version}")])
}

/// The folder with the extension, in a folder for each platform.
fn build(workspace: &Workspace, profile: &str) -> Result<PathBuf, Error> {
    let folder = workspace.target().join("duckdb");
    let built = if profile == "dev" {
        workspace.build_libraries()?;
        workspace.target().join("debug")
    } else {
        let build = ["build", "--package", "heapquarry-duckdb", "--features", "extension"];
        workspace.run(
            workspace
                .cargo_command(&build)
                .args(["--profile", profile, "--target-dir"])
                .arg(&folder),
        )?;
        folder.join(profile)
    };
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let library = built.join(format!("{prefix}heapquarry_duckdb{suffix}"));
    let content = fs::read(&library).map_err(|e| Error::about(&library, &e))?;
    let extensions = folder.join("extensions");
    for platform in platforms()? {
        let folder = extensions.join(&platform);
        fs::create_dir_all(&folder).map_err(|e| Error::about(&folder, &e))?;
        let extension = folder.join(FILE);
        let content = [&content[..], &footer(&platform)].concat();
        fs::write(&extension, &content).map_err(|e| Error::about(&extension, &e))?;
        println!("{:>10} bytes  {}", content.len(), extension.display());
    }
    Ok(extensions)
}

/// What `PRAGMA platform` says on this machine.
fn platforms() -> Result<Vec<String>, Error> {
    let unknown = |name| Error(format!("no name of DuckDB is known for {name}"));
    let processor = match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => return Err(unknown(other)),
    };
    match env::consts::OS {
        // The second is that of Python packages before 1.4.
        "linux" => Ok(vec![format!("linux_{processor}"), format!("linux_{processor}_gcc4")]),
        "macos" => Ok(vec![format!("osx_{processor}")]),
        "windows" => Ok(vec![format!("windows_{processor}")]),
        other => Err(unknown(other)),
    }
}

/// What stands at the end of an extension: a header as of a section of WebAssembly, eight fields of 32 bytes, the last
/// first, and room for a signature. `ParseExtensionMetaData` of DuckDB's `extension_load.cpp` reads it.
fn footer(platform: &str) -> Vec<u8> {
    const SIGNATURE: usize = 256;
    let mut footer = b"\x00\x93\x04\x10duckdb_signature\x80\x04".to_vec();
    let fields = ["", "", "", "C_STRUCT", env!("CARGO_PKG_VERSION"), INTERFACE, platform, "4"];
    for field in fields {
        let mut room = [0; 32];
        room[..field.len()].copy_from_slice(field.as_bytes());
        footer.extend(room);
    }
    footer.extend([0; SIGNATURE]);
    footer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_footer_has_its_fields_where_duckdb_looks_for_them() {
        let footer = footer("linux_amd64");
        // 512 bytes from the end on, after the header of 22 bytes.
        assert_eq!(footer.len(), 22 + 512);
        let fields = &footer[22..];
        assert_eq!(&fields[7 * 32..][..2], b"4\0");
        assert_eq!(&fields[6 * 32..][..12], b"linux_amd64\0");
        assert_eq!(&fields[5 * 32..][..7], b"v1.2.0\0");
        assert_eq!(&fields[3 * 32..][..9], b"C_STRUCT\0");
    }
}
