//! The crates: packed, put into a local registry with all that they need, and installed from it.

use super::Release;
use crate::{
    npm::fresh,
    workspace::{Error, Workspace},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A package of `cargo metadata`.
pub(super) struct Package(Value);

impl Package {
    /// All packages that `Cargo.lock` names, those of the workspace among them.
    pub(super) fn all(workspace: &Workspace) -> Result<Vec<Self>, Error> {
        let mut command = workspace.cargo_command(&[
            "metadata",
            "--format-version=1",
            "--locked",
            "--all-features",
        ]);
        let output = command.output().map_err(|e| Error(format!("cargo metadata: {e}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Error(format!("cargo metadata: {said}")));
        }
        let mut metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| Error(format!("cargo metadata: {e}")))?;
        let Value::Array(packages) = metadata["packages"].take() else {
            return Err(Error("cargo metadata names no packages".into()));
        };
        Ok(packages.into_iter().map(Self).collect())
    }

    pub(super) fn name(&self) -> &str {
        self.0["name"].as_str().unwrap_or_default()
    }

    pub(super) fn version(&self) -> &str {
        self.0["version"].as_str().unwrap_or_default()
    }

    pub(super) fn dependencies(&self) -> impl Iterator<Item = &Value> {
        self.0["dependencies"].as_array().into_iter().flatten()
    }

    fn is_ours(&self) -> bool {
        self.0["source"].is_null()
    }

    /// Whether it is a crate of the workspace that a release publishes.
    pub(super) fn is_published(&self) -> bool {
        // `publish = false` is an empty list of registries.
        self.is_ours() && self.0["publish"].is_null()
    }

    fn file_name(&self) -> String {
        format!("{}-{}.crate", self.name(), self.version())
    }

    /// The file that Cargo has downloaded: `registry/cache/X/NAME-VERSION.crate`, where the sources stand in
    /// `registry/src/X`.
    fn downloaded(&self) -> Option<PathBuf> {
        let sources = Path::new(self.0["manifest_path"].as_str()?).parent()?.parent()?;
        let registry = sources.parent()?.parent()?;
        Some(registry.join("cache").join(sources.file_name()?).join(self.file_name()))
    }

    /// Its line in an index: <https://doc.rust-lang.org/cargo/reference/registry-index.html>. Dependencies of tests
    /// are in it because features may name them; those by path alone are left out, as `cargo package` does.
    fn index_line(&self, checksum: &str) -> Value {
        let is_local =
            |dependency: &Value| dependency["req"] == "*" && dependency["path"].is_string();
        let dependencies = self.dependencies().filter(|dependency| !is_local(dependency));
        let dependencies = dependencies.map(|dependency| {
            let renamed = &dependency["rename"];
            let name = if renamed.is_null() { &dependency["name"] } else { renamed };
            let kind = &dependency["kind"];
            json!({
                "name": name,
                "package": if renamed.is_null() { &Value::Null } else { &dependency["name"] },
                "req": dependency["req"],
                "features": dependency["features"],
                "optional": dependency["optional"],
                "default_features": dependency["uses_default_features"],
                "target": dependency["target"],
                "kind": kind.as_str().unwrap_or("normal"),
            })
        });
        json!({
            "name": self.name(),
            "vers": self.version(),
            "deps": dependencies.collect::<Vec<_>>(),
            "cksum": checksum,
            "features": self.0["features"],
            "yanked": false,
            "links": self.0["links"],
            "rust_version": self.0["rust_version"],
            "v": 2,
        })
    }
}

/// Where `cargo package` puts what is published.
pub(super) fn packed(workspace: &Workspace) -> Result<Vec<PathBuf>, Error> {
    let folder = workspace.target().join("package");
    let packages = Package::all(workspace)?;
    let ours = packages.iter().filter(|package| package.is_published());
    Ok(ours.map(|package| folder.join(package.file_name())).collect())
}

pub(super) fn check(release: &Release<'_>) -> Result<(), Error> {
    let workspace = release.workspace;
    crate::ci::packages(workspace)?;
    let registry = fresh(&release.folder.join("crates"))?;
    let packages = Package::all(workspace)?;
    let mut count = 0;
    for package in &packages {
        let file = if package.is_published() {
            workspace.target().join("package").join(package.file_name())
        } else if package.is_ours() {
            continue;
        } else {
            package
                .downloaded()
                .ok_or_else(|| Error(format!("{}: not of a registry", package.name())))?
        };
        let content = fs::read(&file).map_err(|e| Error::about(&file, &e))?;
        fs::write(registry.join(package.file_name()), &content)
            .map_err(|e| Error::about(&registry, &e))?;
        add_to_index(&registry, package, &hex(&Sha256::digest(&content)))?;
        count += 1;
    }
    println!("{count} crates in the registry {}", registry.display());
    install(release, &registry)
}

/// `cargo install heapquarry-cli` with this registry in the place of the public one.
fn install(release: &Release<'_>, registry: &Path) -> Result<(), Error> {
    let folder = fresh(&release.folder.join("cargo-install"))?;
    let config = folder.join("config.toml");
    let text = format!(
        "[source.crates-io]\nreplace-with = \"packed\"\n\n[source.packed]\nlocal-registry = {}\n",
        // A string of JSON is one of TOML.
        Value::from(registry.to_string_lossy())
    );
    fs::write(&config, text).map_err(|e| Error::about(&config, &e))?;
    let mut command =
        release.workspace.cargo_command(&["install", "heapquarry-cli", "--locked", "--offline"]);
    command.args(["--version", release.version]).arg("--root").arg(&folder);
    // Cargo reads no configuration of the folder that it installs from.
    command.arg("--config").arg(&config);
    // Kept: another run builds only what changed.
    command.arg("--target-dir").arg(release.folder.join("cargo-build"));
    if release.profile == "dev" {
        command.arg("--debug");
    }
    release.workspace.run(&mut command)?;
    release.try_command(
        &folder.join("bin").join(format!("heapquarry{}", std::env::consts::EXE_SUFFIX)),
    )
}

/// Adds a package to the index of a local registry: a file for each name, in folders by its first letters.
fn add_to_index(registry: &Path, package: &Package, checksum: &str) -> Result<(), Error> {
    let name = package.name().to_lowercase();
    let place = match name.len() {
        1 | 2 => format!("index/{}/{name}", name.len()),
        3 => format!("index/3/{}/{name}", &name[..1]),
        _ => format!("index/{}/{}/{name}", &name[..2], &name[2..4]),
    };
    let path = registry.join(place);
    let add = || {
        fs::create_dir_all(path.parent().expect("a file of the index stands in a folder"))?;
        let mut lines = fs::read_to_string(&path).unwrap_or_default();
        lines += &format!("{}\n", package.index_line(checksum));
        fs::write(&path, lines)
    };
    add().map_err(|e| Error::about(&path, &e))
}

/// A checksum in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_index() {
        let package = Package(json!({
            "name": "b", "version": "1.2.3", "features": {"default": ["dep:a"]}, "links": null, "rust_version": "1.89",
            "dependencies": [
                {"name": "a-real", "rename": "a", "req": "^1", "kind": null, "optional": true,
                 "uses_default_features": false, "features": ["x"], "target": "cfg(unix)"},
                {"name": "t", "rename": null, "req": "*", "kind": "dev", "optional": false,
                 "uses_default_features": true, "features": [], "target": null, "path": "/t"},
                {"name": "cc", "rename": null, "req": "^3", "kind": "build", "optional": false,
                 "uses_default_features": true, "features": [], "target": null},
            ],
        }));
        let expected = json!({
            "name": "b", "vers": "1.2.3", "cksum": "00ff", "features": {"default": ["dep:a"]}, "yanked": false,
            "links": null, "rust_version": "1.89", "v": 2,
            "deps": [
                {"name": "a", "package": "a-real", "req": "^1", "kind": "normal", "optional": true,
                 "default_features": false, "features": ["x"], "target": "cfg(unix)"},
                {"name": "cc", "package": null, "req": "^3", "kind": "build", "optional": false,
                 "default_features": true, "features": [], "target": null},
            ],
        });
        assert_eq!(package.index_line(&hex(&[0, 255])), expected);
    }
}
