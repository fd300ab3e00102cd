//! The folder that a batch writes to, and what is in it.
//!
//! | name | holds |
//! | --- | --- |
//! | `TABLE/LABELS/source=pack.N/part-0.parquet` | rows of a pack of inputs |
//! | `_done/LABELS/pack.N.json` | the manifest of these files: it says that they are whole, and which inputs they have |
//! | `_pending/LABELS/N/` | a directory that waits for the others of its pack |
//! | `_pending/LABELS/boot` | when the system was started that these were written on |
//! | `_work/` | what a run has begun; the next run removes it |
//! | `_batch.json` | the options, which all runs must have |
//! | `_log/LABELS/inputs.jsonl` | the inputs |
//! | `_lock` | locked by the running process |
//!
//! LABELS are the folders of the labels of a run, none or several. Runs with other labels are apart.
//!
//! Files are made in `_work` and moved from there, the manifest last: from then on the inputs are done. If a run dies
//! before, the next one removes files that no manifest names. Query engines ignore names that begin with `_`.
//!
//! What waits is not synced to the disk, where the system says when it was started (Linux): after another start it does
//! not count, and its inputs are converted again. Packs are synced.
//!
//! If the destination is in object storage, `_work`, `_pending` and `_lock` are in a local folder.

use super::store::{self, Store};
use crate::lock::{Lock, Mode};
use heapquarry::{ConvertOptions, Converted, Error, ErrorKind, Result};
use heapquarry_input::{
    MANIFEST,
    url::{shown, url},
};
use heapquarry_sink::WrittenTable;
use serde::Deserialize;
use std::{
    collections::{HashMap, HashSet},
    fs::{self, DirBuilder, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

const SETTINGS: &str = "_batch.json";
const DONE: &str = "_done";
/// How the names of packs begin.
const PACK: &str = "pack.";
const WORK: &str = "_work";
const PENDING: &str = "_pending";
const LOG: &str = "_log";
const INPUTS: &str = "inputs.jsonl";
const LOCK: &str = "_lock";
const BOOT: &str = "boot";

/// The folder, held alone.
pub(super) struct Folder {
    /// Path or URL, as the user wrote it.
    destination: PathBuf,
    store: Box<dyn Store>,
    /// Where tables are made: the destination itself, or a local folder if that is in object storage.
    path: PathBuf,
    /// The folders of the labels, with `/` between them.
    labels: String,
    /// Identifies the start of the system, if it does.
    boot: Option<String>,
    /// Number of the next name in `_work`.
    next: AtomicU64,
    _lock: Lock,
}

/// What was found of an input that is done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) documents: u64,
    /// Bytes of the documents, decompressed.
    pub(super) bytes: u64,
    pub(super) defects: u64,
}

/// A directory that waits for its pack.
pub(super) struct Pending {
    pub(super) path: PathBuf,
    /// Its place among those of its pack.
    pub(super) number: u64,
    /// Bytes of its tables.
    pub(super) bytes: u64,
    /// Number of row groups by table.
    pub(super) row_groups: HashMap<String, u64>,
}

/// What earlier runs have done.
#[derive(Default)]
pub(super) struct Found {
    /// Inputs by their paths.
    pub(super) done: HashMap<String, Done>,
    /// In order of their numbers.
    pub(super) pending: Vec<Pending>,
    /// Number of the next directory that waits.
    pub(super) next_pending: u64,
    /// Number of the next pack.
    pub(super) next_pack: u64,
}

/// The part of a manifest that tells what is done.
#[derive(Deserialize)]
struct Manifest {
    heapquarry_version: String,
    inputs: Vec<Input>,
    tables: Vec<Table>,
}

#[derive(Deserialize)]
struct Input {
    path: String,
    bytes: u64,
    defects: u64,
}

#[derive(Deserialize)]
struct Table {
    table: String,
    file: String,
    bytes: u64,
    row_groups: u64,
}

impl Manifest {
    fn add_to(&self, done: &mut HashMap<String, Done>) {
        for input in &self.inputs {
            let one = done.entry(input.path.clone()).or_default();
            one.documents += 1;
            one.bytes = one.bytes.saturating_add(input.bytes);
            one.defects = one.defects.saturating_add(input.defects);
        }
    }
}

impl Folder {
    /// Opens or creates the folder for a batch with these labels and settings.
    pub(super) fn open(
        destination: &Path,
        labels: &str,
        settings: &str,
        options: &ConvertOptions,
    ) -> Result<Self> {
        let refuse =
            |why: String| Error::new(ErrorKind::Destination { path: shown(destination), why });
        let store = store::open(destination, &options.run.cancel).map_err(refuse)?;
        let path = match url(destination) {
            Some(url) => local(url, labels, settings, options).map_err(refuse)?,
            None => {
                make(destination, options.mode).map_err(|e| refuse(e.to_string()))?;
                destination.into()
            }
        };
        // What a destination holds is asked before anything is written.
        let read = || store.read(SETTINGS).map_err(|e| refuse(format!("cannot read it: {e}")));
        if read()?.is_none() {
            let other = match url(destination) {
                None => foreign(destination),
                Some(_) => store.files("").map(|files| files.into_keys().min()),
            };
            if let Some(other) = other.map_err(|e| refuse(format!("cannot list it: {e}")))? {
                return Err(refuse(format!("it holds {other:?}, which no batch wrote")));
            }
        }
        let lock = Lock::take(&path.join(LOCK), Mode::Alone);
        let lock = lock.map_err(|e| refuse(format!("it cannot be locked: {e}")))?;
        let lock = lock.ok_or_else(|| refuse("another process writes to it".into()))?;
        let (labels, next) = (labels.to_owned(), AtomicU64::new(0));
        let destination = destination.to_owned();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        let folder = Folder { destination, store, path, labels, boot, next, _lock: lock };
        let work = folder.path.join(WORK);
        remove(&work).and_then(|()| make(&work, None)).map_err(folder.fail("make a folder"))?;
        // Another process may have written them until it gave the lock back.
        match folder.store.read(SETTINGS).map_err(folder.fail("read its settings"))? {
            None => folder.write(SETTINGS, settings)?,
            Some(stored) if stored == settings.as_bytes() => {}
            Some(stored) => {
                let why = match differing(&String::from_utf8_lossy(&stored), settings) {
                    Some((name, before)) => format!("it was begun with {name} {before}"),
                    None => "it was begun with other options".into(),
                };
                let why = format!("{why}; use the same options, or another folder");
                return Err(folder.refuse(why));
            }
        }
        Ok(folder)
    }

    /// The folders of the labels, with `/` between them.
    pub(super) fn labels(&self) -> &str {
        &self.labels
    }

    /// The folder of these labels below another one, with `/` at its end.
    fn labelled(&self, above: &str) -> String {
        match &*self.labels {
            "" => format!("{above}/"),
            labels => format!("{above}/{labels}/"),
        }
    }

    /// Whether it will be known if the system was started anew since something was written.
    pub(super) fn knows_boots(&self) -> bool {
        self.boot.is_some()
    }

    fn pending(&self) -> PathBuf {
        // Without the slash.
        self.path.join(PENDING).join(&self.labels).components().collect()
    }

    fn refuse(&self, why: String) -> Error {
        Error::new(ErrorKind::Destination { path: shown(&self.destination), why })
    }

    fn fail(&self, doing: &str) -> impl Fn(io::Error) -> Error {
        move |e| self.refuse(format!("cannot {doing}: {e}"))
    }

    /// Removes what dead runs have left, and reads what they have done.
    pub(super) fn tidy_up(&self) -> Result<Found> {
        make(&self.pending(), None).map_err(self.fail("make a folder"))?;
        let there = self.store.files("").map_err(self.fail("list what is done"))?;
        let (records, mut found, mut named) =
            (self.labelled(DONE), Found::default(), HashSet::new());
        let mut manifests: Vec<&String> = there.keys().collect();
        manifests.sort_unstable();
        for record in manifests {
            let name = record.strip_prefix(&records).and_then(|name| name.strip_suffix(".json"));
            let Some(name) = name.filter(|name| !name.contains('/')) else { continue };
            let text = self.store.read(record).map_err(self.fail("read a manifest"))?;
            let manifest = self.parse(record, &text.unwrap_or_default())?;
            let is_there = |table: &Table| there.get(&table.file) == Some(&table.bytes);
            if !manifest.tables.iter().all(is_there) {
                // A power failure, or somebody, has removed files: the inputs are converted again.
                self.store.remove(record).map_err(self.fail("remove a manifest"))?;
                continue;
            }
            let number = name.strip_prefix(PACK).and_then(|number| number.parse::<u64>().ok());
            if let Some(number) = number {
                found.next_pack = found.next_pack.max(number.saturating_add(1));
            }
            manifest.add_to(&mut found.done);
            named.extend(manifest.tables.into_iter().map(|table| table.file));
        }
        // Files of tables that no manifest names.
        for table in heapquarry_tables::all() {
            let parts = self.labelled(table.name) + "source=";
            let parts = there.keys().filter(|name| name.starts_with(&parts));
            for stray in parts.filter(|name| !named.contains(*name)) {
                self.store.remove(stray).map_err(self.fail("remove what nobody finished"))?;
            }
        }
        self.read_pending(&mut found)?;
        Ok(found)
    }

    /// Reads which directories wait for a pack.
    fn read_pending(&self, found: &mut Found) -> Result<()> {
        let pending = self.pending();
        let names = fs::read_dir(&pending).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()
        });
        let names = names.map_err(self.fail("list what waits"))?;
        let mut numbers: Vec<u64> =
            names.iter().filter_map(|name| name.to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        let mark = pending.join(BOOT);
        let of_this_boot = fs::read_to_string(&mark).ok() == self.boot;
        found.next_pending = numbers.last().map_or(0, |last| last.saturating_add(1));
        for number in numbers {
            let path = pending.join(number.to_string());
            if !of_this_boot {
                self.discard(&path)?;
                continue;
            }
            let record = path.join(MANIFEST);
            let text = fs::read(&record).map_err(self.fail("read a manifest"))?;
            let manifest = self.parse(&record.to_string_lossy(), &text)?;
            // A pack has whole directories; the run died before it removed this one.
            let is_packed =
                manifest.inputs.iter().any(|input| found.done.contains_key(&input.path));
            // Tables of another version may have other columns.
            if is_packed || manifest.heapquarry_version != env!("CARGO_PKG_VERSION") {
                self.discard(&path)?;
                continue;
            }
            manifest.add_to(&mut found.done);
            let bytes =
                manifest.tables.iter().fold(0, |sum, table| table.bytes.saturating_add(sum));
            let row_groups = manifest.tables.into_iter().map(|t| (t.table, t.row_groups)).collect();
            found.pending.push(Pending { path, number, bytes, row_groups });
        }
        match &self.boot {
            Some(boot) => fs::write(&mark, boot).map_err(self.fail("write")),
            None => Ok(()),
        }
    }

    fn parse(&self, name: &str, manifest: &[u8]) -> Result<Manifest> {
        serde_json::from_slice(manifest)
            .map_err(|e| self.refuse(format!("cannot read {name}: {e}")))
    }

    /// A new name, for a directory to be made.
    pub(super) fn scratch(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.path.join(WORK).join(number.to_string())
    }

    /// Puts the files of a directory that was made in their places. From then on its inputs are done. `name` is that of
    /// the part that it has.
    pub(super) fn publish(&self, made: &Path, name: &str, tables: &[WrittenTable]) -> Result<()> {
        let fail = self.fail("put tables in their place");
        for table in tables {
            self.store.put(&made.join(&table.file), &table.file).map_err(&fail)?;
        }
        let record = format!("{}{name}.json", self.labelled(DONE));
        self.store.put(&made.join(MANIFEST), &record).map_err(&fail)?;
        self.store.sync();
        remove(made).map_err(self.fail("remove"))
    }

    /// The name of a pack.
    pub(super) fn pack(number: u64) -> String {
        format!("{PACK}{number:05}")
    }

    /// Puts a directory among those that wait for a pack.
    pub(super) fn put_aside(&self, converted: &Converted, number: u64) -> Result<Pending> {
        let path = self.pending().join(number.to_string());
        fs::rename(&converted.path, &path).map_err(self.fail("rename"))?;
        let tables = || converted.tables.iter();
        let row_groups = tables().map(|written| (written.table.name.into(), written.row_groups));
        let bytes = tables().fold(0, |sum, written| written.bytes.saturating_add(sum));
        Ok(Pending { path, number, bytes, row_groups: row_groups.collect() })
    }

    /// Removes a directory, never a part of it.
    pub(super) fn discard(&self, dir: &Path) -> Result<()> {
        let scratch = self.scratch();
        fs::rename(dir, &scratch).and_then(|()| remove(&scratch)).map_err(self.fail("remove"))
    }

    /// Writes a file, which appears only when it is finished.
    fn write(&self, name: &str, content: &str) -> Result<()> {
        let scratch = self.scratch();
        let written = File::create_new(&scratch).and_then(|mut file| {
            file.write_all(content.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| self.store.put(&scratch, name)).map_err(self.fail("write"))
    }

    /// Replaces the log.
    pub(super) fn write_log(&self, lines: &str) -> Result<()> {
        self.write(&(self.labelled(LOG) + INPUTS), lines)
    }

    /// Removes the folders that only a run needs. Those that are not empty stay: a later run needs them.
    pub(super) fn close(self) {
        let _ = remove(&self.path.join(WORK));
        let pending = self.pending();
        let names = fs::read_dir(&pending).into_iter().flatten().flatten();
        if names.map(|entry| entry.file_name()).all(|name| name == BOOT) {
            let _ = fs::remove_file(pending.join(BOOT));
        }
        let folders = pending.ancestors().take_while(|folder| *folder != self.path);
        let is_empty = !folders.map(fs::remove_dir).any(|removed| removed.is_err());
        if self.path != self.destination && is_empty {
            let _ = fs::remove_file(self.path.join(LOCK));
            let _ = fs::remove_dir(&self.path);
        }
        self.store.sync();
    }
}

/// The local folder for a destination in object storage. Runs with the same labels and settings have the same folder,
/// so that each goes on where the last one ended.
fn local(
    url: &str,
    labels: &str,
    settings: &str,
    options: &ConvertOptions,
) -> std::result::Result<PathBuf, String> {
    let url = url.trim_end_matches('/');
    let key = xxhash_rust::xxh3::xxh3_128(format!("{url}\n{labels}\n{settings}").as_bytes());
    let parent = match &options.run.spool_dir {
        Some(folder) => folder.clone(),
        None => crate::cache::folder().map_err(|e| e.to_string())?.join("batches"),
    };
    let path = parent.join(format!("batch-{key:032x}"));
    make(&path, None).map_err(|e| format!("cannot make {}: {e}", path.display()))?;
    Ok(path)
}

/// Creates a folder and those above it that are missing, for their owner alone unless `mode` says otherwise.
pub(super) fn make(folder: &Path, mode: Option<u32>) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode.unwrap_or(0o700));
    #[cfg(not(unix))]
    let _ = mode;
    builder.recursive(true).create(folder)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Something in a folder that has no settings and that no batch wrote.
fn foreign(folder: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // A run that died has left these.
        if ![LOCK, WORK].contains(&name.as_str()) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The first option that differs, with what it was.
fn differing(stored: &str, settings: &str) -> Option<(String, String)> {
    let object = |text: &str| serde_json::from_str::<serde_json::Map<_, _>>(text).ok();
    let (stored, settings) = (object(stored)?, object(settings)?);
    let (name, before) = stored.iter().find(|(name, value)| settings.get(*name) != Some(value))?;
    Some((name.clone(), before.to_string()))
}
