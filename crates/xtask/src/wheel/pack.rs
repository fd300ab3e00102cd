//! A wheel of what is there: the package, its native module and its metadata.

use crate::workspace::Error;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{Cursor, Write},
    path::{Path, PathBuf},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// What Python calls the module, below the folder of the package.
const MODULE: &str =
    if cfg!(windows) { "heapquarry/_native.pyd" } else { "heapquarry/_native.abi3.so" };

/// Packs the folders of packages in `python`, the module and the folder `*.dist-info` in `metadata`. The wheel stands
/// in `out`, with the name that its metadata say.
pub(super) fn pack(
    python: &Path,
    module: &Path,
    metadata: &Path,
    out: &Path,
) -> Result<PathBuf, Error> {
    let mut files = Vec::new();
    for folder in [python, metadata] {
        collect(folder, "", &mut files)?;
    }
    files.push((MODULE.into(), read(module)?));
    let stem = |name: &str| name.split_once(".dist-info/").map(|(stem, _)| stem.to_owned());
    let stem = files.iter().find_map(|(name, _)| stem(name));
    let stem = stem.ok_or_else(|| Error(format!("{}: no metadata", metadata.display())))?;
    let [info, record] = ["WHEEL", "RECORD"].map(|name| format!("{stem}.dist-info/{name}"));
    let info = files.iter().find(|(name, _)| *name == info).map(|(_, content)| &content[..]);
    let info = String::from_utf8_lossy(info.unwrap_or_default()).into_owned();
    let tag = info.lines().find_map(|line| line.strip_prefix("Tag: "));
    let tag = tag.ok_or_else(|| Error(format!("{}: no tag", metadata.display())))?;
    let wheel = out.join(format!("{stem}-{tag}.whl"));
    let failed = |e: &dyn std::fmt::Display| Error(format!("{}: {e}", wheel.display()));

    let mut lines = String::new();
    for (name, content) in &files {
        let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        lines += &format!("{name},sha256={hash},{}\n", content.len());
    }
    lines += &format!("{record},,\n");
    files.push((record, lines.into_bytes()));
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for (name, content) in &files {
        archive.start_file(name.as_str(), options).map_err(|e| failed(&e))?;
        archive.write_all(content).map_err(|e| failed(&e))?;
    }
    let content = archive.finish().map_err(|e| failed(&e))?.into_inner();
    File::create(&wheel).and_then(|mut file| file.write_all(&content)).map_err(|e| failed(&e))?;
    Ok(wheel)
}

/// Names and contents of the files below a folder, without what Python compiles beside them.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<(), Error> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Error::about(folder, &e))? {
        paths.push(entry.map_err(|e| Error::about(folder, &e))?.path());
    }
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match path.is_dir() {
            true if name == "__pycache__" => {}
            true => collect(&path, &format!("{prefix}{name}/"), files)?,
            false => files.push((format!("{prefix}{name}"), read(&path)?)),
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| Error::about(path, &e))
}
