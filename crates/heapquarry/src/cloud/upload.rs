//! Writes a directory to object storage: its files, and its manifest last.

use super::{
    fetch::wait,
    list::list,
    store::{Place, place},
};
use crate::Cancel;
use object_store::{ObjectStoreExt, PutPayload, WriteMultipart, path::Path as Key};
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

const MANIFEST: &str = "_manifest.json";
/// Size of a part of an upload.
const PART: usize = 8 << 20;
/// Parts that are on their way at a time.
const PARTS: usize = 4;

/// Uploads the files of a local directory. What is there before is replaced: the manifest goes first and comes last, so
/// that it never names what is not there. Objects that the new directory does not have are removed.
pub(crate) fn upload(dir: &Path, url: &str, cancel: &Cancel) -> io::Result<()> {
    let base = place(url)?;
    let old = list(url)?;
    if old.iter().any(|object| object.name == MANIFEST) {
        remove_at(&base, MANIFEST)?;
    }
    let mut files = files(dir)?;
    files.retain(|name| name != MANIFEST);
    for name in files.iter().map(String::as_str).chain([MANIFEST]) {
        if cancel.is_cancelled() {
            return Ok(());
        }
        put_at(&base, name, &dir.join(name))?;
    }
    let new: HashSet<&str> = files.iter().map(String::as_str).chain([MANIFEST]).collect();
    old.iter().filter(|o| !new.contains(&*o.name)).try_for_each(|o| remove_at(&base, &o.name))
}

fn below(base: &Place, name: &str) -> io::Result<Key> {
    let text = format!("{}/{name}", base.key);
    Key::parse(text).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e.to_string()))
}

/// Removes an object below an address.
pub(crate) fn remove(url: &str, name: &str) -> io::Result<()> {
    match remove_at(&place(url)?, name) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

fn remove_at(base: &Place, name: &str) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    wait(async move { store.delete(&key).await })
}

/// The files below a directory, with `/` in their names, sorted.
fn files(dir: &Path) -> io::Result<Vec<String>> {
    let (mut names, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(dir.join(&folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(name);
            } else {
                names.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Uploads a file to an object below an address, which appears when it is whole.
pub(crate) fn put(url: &str, name: &str, file: &Path) -> io::Result<()> {
    put_at(&place(url)?, name, file)
}

/// Uploads a file: at once if it is small, otherwise in parts.
fn put_at(base: &Place, name: &str, file: &Path) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    let mut file = File::open(file)?;
    let mut part = Vec::new();
    file.by_ref().take(PART as u64).read_to_end(&mut part)?;
    if part.len() < PART {
        return wait(async move { store.put(&key, PutPayload::from(part)).await }).map(drop);
    }
    let upload = wait(async move {
        let upload = store.put_multipart(&key).await?;
        Ok(WriteMultipart::new_with_chunk_size(upload, PART))
    });
    let mut upload = upload?;
    while !part.is_empty() {
        let bytes = std::mem::take(&mut part);
        upload = wait(async move {
            upload.wait_for_capacity(PARTS).await?;
            upload.write(&bytes);
            Ok(upload)
        })?;
        file.by_ref().take(PART as u64).read_to_end(&mut part)?;
    }
    wait(async move { upload.finish().await }).map(drop)
}

/// Why a directory must not be written to an address: `None` if nothing is there, or with `force` what heapquarry wrote.
pub(crate) fn refused(url: &str, force: bool) -> io::Result<Option<String>> {
    let there = list(url)?;
    if there.is_empty() {
        return Ok(None);
    }
    if !force {
        return Ok(Some("it exists".into()));
    }
    let Some(manifest) = read(url, MANIFEST)? else {
        return Ok(Some(format!("it has no {MANIFEST}: heapquarry did not write it")));
    };
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap_or_default();
    let files = manifest["tables"].as_array().into_iter().flatten();
    let mut named: HashSet<&str> = files.filter_map(|table| table["file"].as_str()).collect();
    named.extend([MANIFEST, "views.sql", "heapquarry.duckdb"]);
    let other = there.iter().find(|object| !named.contains(&*object.name));
    Ok(other
        .map(|object| format!("it holds {:?}, which its {MANIFEST} does not name", object.name)))
}

/// The content of a small object; `None` if there is none.
pub(crate) fn read(url: &str, name: &str) -> io::Result<Option<Vec<u8>>> {
    let base = place(url)?;
    let (store, key) = (base.store.clone(), below(&base, name)?);
    match wait(async move { store.get(&key).await?.bytes().await }) {
        Ok(bytes) => Ok(Some(bytes.to_vec())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
