//! What is handed out, in one folder: with checksums, what it is made of, and within its sizes.

use super::{Release, crates::hex, crates::packed, python};
use crate::{npm::fresh, workspace::Error};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// Largest sizes in bytes of published builds, by how the name of a file ends: wheels, npm packages, and the command in
/// these.
const LARGEST: [(&str, u64); 4] = [
    (".whl", 12_000_000),
    (".tgz", 11_000_000),
    ("bin/heapquarry", 16_000_000),
    ("bin/heapquarry.exe", 16_000_000),
];
/// How the list of contents of a wheel ends: CycloneDX in JSON, which maturin makes (PEP 770).
const CONTENTS: &str = ".cyclonedx.json";

pub(super) fn check(release: &Release<'_>) -> Result<(), Error> {
    let target = release.workspace.target();
    let mut files = python::files(&target.join("wheels"))?;
    files.extend(packed(release.workspace)?);
    files.extend(tarballs(&target.join("npm"), release.version)?);
    let out = fresh(&release.folder.join("artifacts"))?;
    let mut sums = String::new();
    let mut large = Vec::new();
    for file in &files {
        let content = fs::read(file).map_err(|e| Error::about(file, &e))?;
        let name = file.file_name().expect("a file has a name").to_string_lossy();
        write(&out.join(&*name), &content)?;
        sums += &format!("{}  {name}\n", hex(&Sha256::digest(&content)));
        println!("{:>10} bytes  {name}", content.len());
        large.extend(too_large(&name, content.len() as u64));
    }
    for command in commands(&target.join("npm/packages"))? {
        let size = fs::metadata(&command).map_err(|e| Error::about(&command, &e))?.len();
        println!("{size:>10} bytes  {}", command.display());
        large.extend(too_large(&command.to_string_lossy(), size));
    }
    let wheel = files.iter().find(|file| file.extension().is_some_and(|e| e == "whl"));
    let contents = contents(wheel.expect("files() found a wheel"))?;
    let name = format!("heapquarry-{}{CONTENTS}", release.version);
    sums += &format!("{}  {name}\n", hex(&Sha256::digest(&contents)));
    write(&out.join(name), &contents)?;
    write(&out.join("SHA256SUMS"), sums.as_bytes())?;
    println!("{} files with SHA256SUMS in {}", files.len() + 1, out.display());
    // Builds of other profiles are larger.
    if release.profile == "dist" && !large.is_empty() {
        return Err(Error(format!("too large: {}", large.join("; "))));
    }
    Ok(())
}

/// What is wrong with the size of a file of this name, if anything.
fn too_large(name: &str, bytes: u64) -> Option<String> {
    let (_, limit) = LARGEST.iter().find(|(ending, _)| name.ends_with(ending))?;
    (bytes > *limit).then(|| format!("{name}: {bytes} bytes, {limit} at most"))
}

/// The commands in the packages of platforms.
fn commands(packages: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(packages).map_err(|e| Error::about(packages, &e))?;
    let names = ["heapquarry", "heapquarry.exe"];
    let files = entries.flatten().flat_map(|entry| names.map(|n| entry.path().join("bin").join(n)));
    let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

fn tarballs(folder: &Path, version: &str) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(|e| Error::about(folder, &e))?;
    let files = entries.flatten().map(|entry| entry.path());
    // Those of earlier versions stay there.
    let ending = format!("-{version}.tgz");
    let mut files: Vec<_> =
        files.filter(|path| path.to_string_lossy().ends_with(&ending)).collect();
    files.sort();
    if files.len() < 2 {
        return Err(Error(format!(
            "{}: expected two tarballs: run the step npm",
            folder.display()
        )));
    }
    Ok(files)
}

/// The list of all crates in a wheel, which has the command and all its features.
fn contents(wheel: &Path) -> Result<Vec<u8>, Error> {
    let failed = |e: &dyn std::fmt::Display| Error(format!("{}: {e}", wheel.display()));
    let file = fs::File::open(wheel).map_err(|e| failed(&e))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| failed(&e))?;
    let is_list = |name: &std::borrow::Cow<'_, str>| name.ends_with(CONTENTS);
    let name = archive.file_names().flatten().find(is_list).map(std::borrow::Cow::into_owned);
    let name = name.ok_or_else(|| failed(&"no list of contents"))?;
    let mut content = Vec::new();
    archive
        .by_name(&name)
        .map_err(|e| failed(&e))?
        .read_to_end(&mut content)
        .map_err(|e| failed(&e))?;
    Ok(content)
}

fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    fs::write(path, content).map_err(|e| Error::about(path, &e))
}

#[cfg(test)]
mod tests {
    use super::too_large;

    #[test]
    fn sizes_have_limits() {
        for (name, most) in [
            ("heapquarry-0.1.0-cp310-abi3-manylinux_2_17_x86_64.whl", 12_000_000),
            ("heapquarry-linux-x64-0.1.0.tgz", 11_000_000),
            ("packages/linux-x64/bin/heapquarry", 16_000_000),
            ("packages/win32-x64/bin/heapquarry.exe", 16_000_000),
        ] {
            assert_eq!(too_large(name, most), None);
            let said = too_large(name, most + 1).unwrap();
            assert!(said.contains(name) && said.contains(&most.to_string()), "{said}");
        }
        assert_eq!(too_large("heapquarry-0.1.0.tar.gz", u64::MAX), None);
    }
}
