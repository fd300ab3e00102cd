//! One version everywhere, and changes to tell.

use super::Release;
use crate::{npm, release::crates::Package, workspace::Error};
use std::fs;

pub(super) fn check(release: &Release<'_>) -> Result<(), Error> {
    let version = release.version;
    let packages = Package::all(release.workspace)?;
    let ours: Vec<_> = packages.iter().filter(|package| package.is_published()).collect();
    for package in &ours {
        if package.version() != version {
            return Err(Error(format!("{} has version {}", package.name(), package.version())));
        }
        // Paths are not published: what a crate needs of the workspace, it names with this version.
        for dependency in package.dependencies().filter(|dependency| !dependency["path"].is_null())
        {
            let (name, req) = (&dependency["name"], &dependency["req"]);
            let is_dev = dependency["kind"] == "dev";
            if req != &format!("^{version}") && !(is_dev && req == "*") {
                return Err(Error(format!("{} wants {name} {req}", package.name())));
            }
        }
    }
    npm::check_shim(release.workspace)?;
    let path = release.workspace.root.join("CHANGELOG.md");
    let changes = fs::read_to_string(&path).map_err(|e| Error::about(&path, &e))?;
    let heading = newest(&changes).ok_or_else(|| Error("CHANGELOG.md tells no change".into()))?;
    if heading != "Unreleased" && !is_of(heading, version) {
        return Err(Error(format!(
            "CHANGELOG.md begins with {heading:?}: expected \"Unreleased\" or \"{version} - DATE\""
        )));
    }
    if let Some(tag) = release.tag {
        tagged(tag, heading, version)?;
    }
    println!("{} crates and the npm packages have version {version}", ours.len());
    println!("CHANGELOG.md begins with {heading:?}");
    Ok(())
}

/// Returns an error unless a tag is that of the version, and the changes are told of that: what is published cannot be
/// taken back.
fn tagged(tag: &str, heading: &str, version: &str) -> Result<(), Error> {
    if tag != format!("v{version}") {
        return Err(Error(format!("tag {tag}: expected v{version}, the version in Cargo.toml")));
    }
    if !is_of(heading, version) {
        return Err(Error(format!(
            "tag {tag}: CHANGELOG.md begins with {heading:?}: expected \"{version} - DATE\""
        )));
    }
    Ok(())
}

/// The heading of the newest version that has changes.
fn newest(changes: &str) -> Option<&str> {
    let (heading, rest) = changes.split_once("\n## ")?.1.split_once('\n')?;
    let section = rest.split("\n## ").next()?;
    section.contains("\n* ").then(|| heading.trim())
}

/// Whether a heading is that of a released version: `0.1.0 - 2026-01-31`.
fn is_of(heading: &str, version: &str) -> bool {
    let Some((named, date)) = heading.split_once(" - ") else { return false };
    let parts: Vec<_> = date.split('-').collect();
    let is_date = parts.iter().map(|part| part.len()).eq([4, 2, 2])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    named == version && is_date
}

#[cfg(test)]
mod tests {
    use super::{is_of, newest, tagged};

    #[test]
    fn headings() {
        let cases = [
            ("# Changelog\n\n## Unreleased\n\n### Added\n\n* a\n", Some("Unreleased")),
            (
                "# Changelog\n\n## 0.1.0 - 2026-01-31\n\n* a\n\n## 0.0.1\n",
                Some("0.1.0 - 2026-01-31"),
            ),
            ("# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-31\n\n* a\n", None),
            ("# Changelog\n", None),
        ];
        for (text, expected) in cases {
            assert_eq!(newest(text), expected, "{text}");
        }
        let cases = [
            ("0.1.0 - 2026-01-31", true),
            ("0.1.0 - 2026-1-31", false),
            ("0.1.0 - soon", false),
            ("0.2.0 - 2026-01-31", false),
            ("0.1.0", false),
        ];
        for (heading, expected) in cases {
            assert_eq!(is_of(heading, "0.1.0"), expected, "{heading}");
        }
    }

    #[test]
    fn tags() {
        for (tag, heading, expected) in [
            ("v0.1.0", "0.1.0 - 2026-01-31", true),
            ("0.1.0", "0.1.0 - 2026-01-31", false),
            ("v0.1.1", "0.1.0 - 2026-01-31", false),
            ("v0.1.0", "Unreleased", false),
            ("v0.1.0", "0.1.1 - 2026-01-31", false),
        ] {
            assert_eq!(tagged(tag, heading, "0.1.0").is_ok(), expected, "{tag} {heading}");
        }
    }
}
