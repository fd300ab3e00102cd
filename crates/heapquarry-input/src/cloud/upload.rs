//! Writes a directory to object storage: a marker first, its manifest last, and then the marker is removed.

use super::{
    fetch::{told, until, wait},
    list::list,
    ours::{self, MANIFEST, MARKER},
    store::{Place, place},
};
use crate::Cancel;
use futures_util::{StreamExt, TryStreamExt, stream::FuturesUnordered};
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload, path::Path as Key};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::timeout;

/// Size of a part of an upload.
const PART: usize = 8 << 20;
/// Parts that are on their way at a time.
const PARTS: usize = 4;
/// How long it may take to drop the parts of an upload that failed or was cancelled.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest manifest in bytes.
const LONGEST: u64 = 256 << 20;

/// Uploads the files of a local directory. What [`examine`] allows to replace is replaced.
///
/// The upload can be killed or cancelled at any request, and repeated: a marker is there from the first to the last
/// one, and names all that is there meanwhile. The old manifest goes before anything that it names is changed. The new
/// one comes when all that it names is there and nothing else is.
pub fn upload(dir: &Path, url: &str, force: bool, cancel: &Cancel) -> io::Result<()> {
    // Others may have written since the conversion began.
    let refused = |why| io::Error::new(io::ErrorKind::AlreadyExists, why);
    let old = BTreeSet::from_iter(examine(url, force, cancel)?.map_err(refused)?);
    let new = BTreeSet::from_iter(files(dir)?);
    let base = place(url)?;
    put_bytes(&base, MARKER, ours::marker(new.union(&old).cloned().collect()), cancel)?;
    if old.contains(MANIFEST) {
        remove_at(&base, MANIFEST, cancel)?;
    }
    for name in new.iter().filter(|name| *name != MANIFEST) {
        put_at(&base, name, &dir.join(name), cancel)?;
    }
    let mut strays = old.difference(&new).filter(|name| *name != MARKER);
    strays.try_for_each(|name| remove_at(&base, name, cancel))?;
    put_at(&base, MANIFEST, &dir.join(MANIFEST), cancel)?;
    remove_at(&base, MARKER, cancel)
}

/// The names of the objects below an address, or why a directory must not be written there. It may be if nothing is
/// there, or an upload that has not ended, or with `force` what heapquarry wrote.
pub fn examine(url: &str, force: bool, cancel: &Cancel) -> io::Result<Result<Vec<String>, String>> {
    let there: Vec<String> = list(url, cancel)?.into_iter().map(|object| object.name).collect();
    let content = |name: &str| match there.iter().any(|other| other == name) {
        true => read(url, name, cancel),
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
pub fn remove(url: &str, name: &str, cancel: &Cancel) -> io::Result<()> {
    remove_at(&place(url)?, name, cancel)
}

fn remove_at(base: &Place, name: &str, cancel: &Cancel) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    match wait(cancel, async move { store.delete(&key).await.map_err(told) }) {
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
pub fn put(url: &str, name: &str, file: &Path, cancel: &Cancel) -> io::Result<()> {
    put_at(&place(url)?, name, file, cancel)
}

/// Uploads a file: at once if it is small, otherwise in parts.
fn put_at(base: &Place, name: &str, file: &Path, cancel: &Cancel) -> io::Result<()> {
    let mut file = File::open(file)?;
    let part = next_part(&mut file)?;
    match part.len() < PART {
        true => put_bytes(base, name, part, cancel),
        false => put_parts(base, name, file, part, cancel).map_err(|e| named(name, e)),
    }
}

fn put_bytes(base: &Place, name: &str, bytes: Vec<u8>, cancel: &Cancel) -> io::Result<()> {
    let (store, key) = (base.store.clone(), below(base, name)?);
    let put = async move { store.put(&key, PutPayload::from(bytes)).await.map_err(told) };
    wait(cancel, put).map(drop).map_err(|e| named(name, e))
}

/// Uploads a file of which the first part is read. If that fails or is cancelled, the store is asked to drop the parts
/// that it has.
fn put_parts(
    base: &Place,
    name: &str,
    file: File,
    first: Vec<u8>,
    cancel: &Cancel,
) -> io::Result<()> {
    let (store, key, cancel) = (base.store.clone(), below(base, name)?, cancel.clone());
    let put = async move {
        let begun = async { store.put_multipart(&key).await.map_err(told) };
        let mut upload = until(&cancel, begun).await?;
        let sent = until(&cancel, send(&mut *upload, file, first)).await;
        if sent.is_err() {
            let _ = timeout(PATIENCE, upload.abort()).await;
        }
        sent
    };
    // It looks for itself whether the work is cancelled.
    wait(&Cancel::new(), put)
}

/// Sends all parts of a file, several at a time.
async fn send(upload: &mut dyn MultipartUpload, mut file: File, first: Vec<u8>) -> io::Result<()> {
    let (mut part, mut sending) = (first, FuturesUnordered::new());
    while !part.is_empty() {
        if sending.len() == PARTS {
            sending.try_next().await.map_err(told)?;
        }
        sending.push(upload.put_part(PutPayload::from(part)));
        part = next_part(&mut file)?;
    }
    while let Some(sent) = sending.next().await {
        sent.map_err(told)?;
    }
    upload.complete().await.map(drop).map_err(told)
}

/// The next bytes of a file, as many as a part has; none at its end.
fn next_part(file: &mut File) -> io::Result<Vec<u8>> {
    let mut part = Vec::new();
    file.take(PART as u64).read_to_end(&mut part)?;
    Ok(part)
}

/// The content of a small object; `None` if there is none.
pub fn read(url: &str, name: &str, cancel: &Cancel) -> io::Result<Option<Vec<u8>>> {
    let base = place(url)?;
    let (store, key) = (base.store.clone(), below(&base, name)?);
    let read = async move {
        let found = store.get(&key).await.map_err(told)?;
        match found.meta.size > LONGEST {
            true => Err(io::Error::other(format!("it has more than {LONGEST} bytes"))),
            false => found.bytes().await.map_err(told),
        }
    };
    match wait(cancel, read) {
        Ok(bytes) => Ok(Some(bytes.to_vec())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(named(name, e)),
    }
}
