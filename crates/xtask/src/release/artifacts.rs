//! What is handed out, in one folder: with checksums, what it is made of, and within its sizes.

use super::{Release, crates::hex, crates::packed, python};
use crate::{npm::fresh, workspace::Error};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

/// Largest sizes in bytes of published builds, by how the name of a file ends.
const LARGEST: [(&str, u64); 2] = [(".whl", 12_000_000), (".tgz", 11_000_000)];
/// How the list of contents of a wheel ends: CycloneDX in JSON, which maturin makes (PEP 770).
const CONTENTS: &str = ".cyclonedx.json";

pub(super) fn check(release: &Release<'_>) -> Result<(), Error> {
    let target = release.workspace.target();
    let mut files = python::files(&target.join("wheels"))?;
    files.extend(packed(release.workspace)?);
    files.extend(tarballs(&target.join("npm"), release.version)?);
    let out = fresh(&release.folder.join("artifacts"))?;
    let mut sums = String::new();
    for file in &files {
        let content = fs::read(file).map_err(|e| Error::about(file, &e))?;
        let name = file.file_name().expect("a file has a name").to_string_lossy();
        write(&out.join(&*name), &content)?;
        sums += &format!("{}  {name}\n", hex(&Sha256::digest(&content)));
        println!("{:>10} bytes  {name}", content.len());
        let limit = LARGEST.iter().find(|(ending, _)| name.ends_with(ending));
        if let Some((_, limit)) = limit
            && release.profile == "dist"
            && content.len() as u64 > *limit
        {
            return Err(Error(format!("{name}: {} bytes, {limit} at most", content.len())));
        }
    }
    let wheel = files.iter().find(|file| file.extension().is_some_and(|e| e == "whl"));
    let contents = contents(wheel.expect("files() found a wheel"))?;
    let name = format!("heapquarry-{}{CONTENTS}", release.version);
    sums += &format!("{}  {name}\n", hex(&Sha256::digest(&contents)));
    write(&out.join(name), &contents)?;
    write(&out.join("SHA256SUMS"), sums.as_bytes())?;
    println!("{} files with SHA256SUMS in {}", files.len() + 1, out.display());
    Ok(())
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
