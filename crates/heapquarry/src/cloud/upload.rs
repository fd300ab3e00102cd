//! Writes a directory to object storage: a marker first, its manifest last, and then the marker is removed.

use super::{
    fetch::wait,
    list::list,
    ours::{self, MANIFEST, MARKER},
    store::{Place, place},
};
use crate::Cancel;
use object_store::{ObjectStoreExt, PutPayload, WriteMultipart, path::Path as Key};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Size of a part of an upload.
const PART: usize = 8 << 20;
/// Parts that are on their way at a time.
const PARTS: usize = 4;

/// Uploads the files of a local directory. What [`examine`] allows to replace is replaced.
///
/// The upload can be killed at any request, and repeated: a marker is there from the first to the last one, and names
/// all that is there meanwhile. The old manifest goes before anything that it names is changed. The new one comes when
/// all that it names is there and nothing else is.
pub(crate) fn upload(dir: &Path, url: &str, force: bool, cancel: &Cancel) -> io::Result<()> {
    // Others may have written since the conversion began.
    let refused = |why| io::Error::new(io::ErrorKind::AlreadyExists, why);
    let old = BTreeSet::from_iter(examine(url, force)?.map_err(refused)?);
    let new = BTreeSet::from_iter(files(dir)?);
    let base = place(url)?;
    put_bytes(&base, MARKER, ours::marker(new.union(&old).cloned().collect()))?;
    if old.contains(MANIFEST) {
        remove_at(&base, MANIFEST)?;
    }
    for name in new.iter().filter(|name| *name != MANIFEST) {
        put_at(&base, name, &dir.join(name))?;
        if cancel.is_cancelled() {
            return Ok(());
        }
    }
    let mut strays = old.difference(&new).filter(|name| *name != MARKER);
    strays.try_for_each(|name| remove_at(&base, name))?;
    put_at(&base, MANIFEST, &dir.join(MANIFEST))?;
    remove_at(&base, MARKER)
}

/// The names of the objects below an address, or why a directory must not be written there. It may be if nothing is
/// there, or an upload that has not ended, or with `force` what heapquarry wrote.
pub(crate) fn examine(url: &str, force: bool) -> io::Result<Result<Vec<String>, String>> {
    let there: Vec<String> = list(url)?.into_iter().map(|object| object.name).collect();
    let content = |name: &str| match there.iter().any(|other| other == name) {
        true => read(url, name),
        false => Ok(None),
    };
    let (manifest, marker) = (content(MANIFEST)?, content(MARKER)?);
    let refused = ours::refused(&there, manifest.as_deref(), marker.as_deref(), force);
    Ok(refused.map_or(Ok(there), Err))
}

fn below(base: &Place, name: &str) -> io::Result<Key> {
    let text = format!("{}/{name}", base.key);
    Key::parse(text).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e.to_string()))
}

/// The error, with the name of the object.
fn named(name: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{name}: {error}"))
}

/// Removes an object below an address.
pub(crate) fn remove(url: &str, name: &str) -> io::Result<()> {
    remove_at(&place(url)?, name)
}

fn remove_at(base: &Place, name: &str) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    match wait(async move { store.delete(&key).await }) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(named(name, e)),
        _ => Ok(()),
    }
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
    let mut file = File::open(file)?;
    let part = next_part(&mut file)?;
    match part.len() < PART {
        true => put_bytes(base, name, part),
        false => put_parts(base, name, file, part).map_err(|e| named(name, e)),
    }
}

fn put_bytes(base: &Place, name: &str, bytes: Vec<u8>) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    let put = wait(async move { store.put(&key, PutPayload::from(bytes)).await });
    put.map(drop).map_err(|e| named(name, e))
}

/// Uploads a file of which the first part is read. If that fails, the store drops the parts that it has.
fn put_parts(base: &Place, name: &str, mut file: File, first: Vec<u8>) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    let mut upload = wait(async move {
        let upload = store.put_multipart(&key).await?;
        Ok(WriteMultipart::new_with_chunk_size(upload, PART))
    })?;
    let mut part = Ok(first);
    loop {
        upload = match part {
            // It drops them itself.
            Ok(bytes) if bytes.is_empty() => return wait(upload.finish()).map(drop),
            Ok(bytes) => wait(async move {
                if let Err(error) = upload.wait_for_capacity(PARTS).await {
                    let _ = upload.abort().await;
                    return Err(error);
                }
                upload.write(&bytes);
                Ok(upload)
            })?,
            Err(error) => {
                let _ = wait(upload.abort());
                return Err(error);
            }
        };
        part = next_part(&mut file);
    }
}

/// The next bytes of a file, as many as a part has; none at its end.
fn next_part(file: &mut File) -> io::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(PART as u64).read_to_end(&mut part)?;
    Ok(part)
}

/// The content of a small object; `None` if there is none.
pub(crate) fn read(url: &str, name: &str) -> io::Result<Option<Vec<u8>>> {
    let base = place(url)?;
    let (store, key) = (base.store.clone(), below(&base, name)?);
    match wait(async move { store.get(&key).await?.bytes().await }) {
        Ok(bytes) => Ok(Some(bytes.to_vec())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(named(name, e)),
    }
}
