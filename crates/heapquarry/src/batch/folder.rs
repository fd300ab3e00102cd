//! The folder that a batch writes to, and what is in it.
//!
//! | name | holds |
//! | --- | --- |
//! | `TABLE/LABELS/source=NAME/part-0.parquet` | rows of an input, or of a pack of many |
//! | `_done/LABELS/NAME.json` | the manifest of these files: it says that they are whole, and which inputs they have |
//! | `_pending/LABELS/N/` | a directory that waits for the others of its pack |
//! | `_work/` | what a run has begun; the next run removes it |
//! | `_batch.json` | the options, which all runs must have |
//! | `_log/LABELS/inputs.jsonl` | the inputs |
//! | `_lock` | locked by the running process |
//!
//! LABELS are the folders of the labels of a run, none or several. Runs with other labels are apart.
//!
//! Files are made in `_work` and renamed from there, the manifest last: from then on the inputs are done. If a run dies
//! before, the next one removes files that no manifest names. Query engines ignore names that begin with `_`.

use crate::{
    Error, ErrorKind, Result,
    cache::lock::{Lock, Mode},
    write_file,
};
use heapquarry_sink::WrittenTable;
use serde::Deserialize;
use std::{
    collections::{HashMap, HashSet},
    fs::{self, DirBuilder, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

const SETTINGS: &str = "_batch.json";
const DONE: &str = "_done";
const MANIFEST: &str = "_manifest.json";
/// How the names of files begin that are being written.
const DRAFT: &str = ".extract.heapquarry-";
/// How the names of packs begin. No input has such a name: those have no dots.
const PACK: &str = "pack.";
const WORK: &str = "_work";
const PENDING: &str = "_pending";
const LOG: &str = "_log";
const INPUTS: &str = "inputs.jsonl";

/// The folder, held alone.
pub(super) struct Folder {
    path: PathBuf,
    /// The folders of the labels, with `/` between them.
    labels: String,
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
    /// Bytes of its tables.
    pub(super) bytes: u64,
}

/// What earlier runs have done.
#[derive(Default)]
pub(super) struct Found {
    /// Inputs by their paths.
    pub(super) done: HashMap<String, Done>,
    /// Names of inputs that have files of their own, and of packs.
    pub(super) names: Vec<String>,
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
    file: String,
    bytes: u64,
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
        path: &Path,
        labels: &str,
        settings: &str,
        mode: Option<u32>,
    ) -> Result<Self> {
        let refuse = |why: String| Error::new(ErrorKind::Destination { path: path.into(), why });
        make(path, mode).map_err(|e| refuse(e.to_string()))?;
        let stored = path.join(SETTINGS);
        if !stored.exists()
            && let Some(other) = foreign(path).map_err(|e| refuse(e.to_string()))?
        {
            return Err(refuse(format!("it holds {other:?}, which no batch wrote")));
        }
        let lock = Lock::take(&path.join("_lock"), Mode::Alone);
        let lock = lock.map_err(|e| refuse(format!("it cannot be locked: {e}")))?;
        let lock = lock.ok_or_else(|| refuse("another process writes to it".into()))?;
        let (labels, next) = (labels.to_owned(), AtomicU64::new(0));
        let folder = Folder { path: path.into(), labels, next, _lock: lock };
        // Another process may have written them until it gave the lock back.
        if !stored.exists() {
            folder.write(&path.join(SETTINGS), settings.as_bytes())?;
        } else {
            let stored = fs::read_to_string(stored).map_err(|e| refuse(e.to_string()))?;
            if stored != settings {
                let why = match differing(&stored, settings) {
                    Some((name, before)) => format!("it was begun with {name} {before}"),
                    None => "it was begun with other options".into(),
                };
                return Err(refuse(format!("{why}; use the same options, or another folder")));
            }
        }
        Ok(folder)
    }

    /// The folders of the labels, with `/` between them.
    pub(super) fn labels(&self) -> &str {
        &self.labels
    }

    /// The folder of these labels below another one.
    fn labelled(&self, above: &str) -> PathBuf {
        // Joining nothing would add a slash.
        let above = self.path.join(above);
        if self.labels.is_empty() { above } else { above.join(&self.labels) }
    }

    fn fail(&self, doing: &str) -> impl Fn(io::Error) -> Error {
        move |e| {
            let why = format!("cannot {doing}: {e}");
            Error::new(ErrorKind::Destination { path: self.path.clone(), why })
        }
    }

    /// Removes what dead runs have left, and reads what they have done.
    pub(super) fn tidy_up(&self) -> Result<Found> {
        remove(&self.path.join(WORK)).map_err(self.fail("remove _work"))?;
        // The settings are written once: no later run finds what is left of that.
        for name in self.names(&self.path)?.iter().filter(|name| name.starts_with(DRAFT)) {
            let path = self.path.join(name);
            let removed = if path.is_dir() { remove(&path) } else { fs::remove_file(&path) };
            removed.map_err(self.fail("remove a draft"))?;
        }
        let work = self.path.join(WORK);
        for folder in [work, self.labelled(PENDING), self.labelled(DONE), self.labelled(LOG)] {
            make(&folder, None).map_err(self.fail("make a folder"))?;
        }
        let records = self.labelled(DONE);
        let mut found = Found::default();
        let mut named = HashSet::new();
        for record in self.names(&records)? {
            let Some(name) = record.strip_suffix(".json") else { continue };
            let manifest = self.read(&records.join(&record))?;
            let is_there = |table: &Table| {
                let file = fs::metadata(self.path.join(&table.file));
                file.is_ok_and(|file| file.len() == table.bytes)
            };
            if !manifest.tables.iter().all(is_there) {
                // A power failure, or somebody, has removed files: the inputs are converted again.
                fs::remove_file(records.join(&record)).map_err(self.fail("remove a manifest"))?;
                continue;
            }
            let number = name.strip_prefix(PACK).and_then(|number| number.parse::<u64>().ok());
            if let Some(number) = number {
                found.next_pack = found.next_pack.max(number.saturating_add(1));
            }
            found.names.push(name.to_owned());
            manifest.add_to(&mut found.done);
            named.extend(manifest.tables.iter().map(|table| self.path.join(&table.file)));
        }
        self.remove_unnamed(&named)?;
        self.read_pending(&mut found)?;
        Ok(found)
    }

    /// Removes files of tables that no manifest names.
    fn remove_unnamed(&self, named: &HashSet<PathBuf>) -> Result<()> {
        for table in heapquarry_tables::all() {
            let folder = self.labelled(table.name);
            if !folder.is_dir() {
                continue;
            }
            let file = |part: &str| folder.join(part).join("part-0.parquet");
            for part in self.names(&folder)?.into_iter().filter(|name| name.starts_with("source="))
            {
                if !named.contains(&file(&part)) {
                    self.discard(&folder.join(part))?;
                }
            }
        }
        Ok(())
    }

    /// Reads which directories wait for a pack.
    fn read_pending(&self, found: &mut Found) -> Result<()> {
        let pending = self.labelled(PENDING);
        let mut numbers: Vec<u64> =
            self.names(&pending)?.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        found.next_pending = numbers.last().map_or(0, |last| last + 1);
        for number in numbers {
            let path = pending.join(number.to_string());
            let manifest = self.read(&path.join(MANIFEST))?;
            // A pack has whole directories; the run died before it removed this one.
            if manifest.inputs.iter().any(|input| found.done.contains_key(&input.path)) {
                self.discard(&path)?;
                continue;
            }
            manifest.add_to(&mut found.done);
            let bytes =
                manifest.tables.iter().fold(0, |sum, table| table.bytes.saturating_add(sum));
            found.pending.push(Pending { path, bytes });
        }
        Ok(())
    }

    /// The names in a folder.
    fn names(&self, folder: &Path) -> Result<Vec<String>> {
        let names = fs::read_dir(folder).and_then(|entries| {
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        });
        names.map_err(self.fail("list what is done"))
    }

    fn read(&self, manifest: &Path) -> Result<Manifest> {
        let fail = |why: String| {
            let why = format!("cannot read {}: {why}", manifest.display());
            Error::new(ErrorKind::Destination { path: self.path.clone(), why })
        };
        let text = fs::read(manifest).map_err(|e| fail(e.to_string()))?;
        serde_json::from_slice(&text).map_err(|e| fail(e.to_string()))
    }

    /// A new name, for a directory to be made.
    pub(super) fn scratch(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.path.join(WORK).join(number.to_string())
    }

    /// Puts the files of a directory that was made in their places. From then on its inputs are done. `name` is that of
    /// the part that it has.
    pub(super) fn publish(&self, made: &Path, name: &str, tables: &[WrittenTable]) -> Result<()> {
        let fail = self.fail("rename what was written");
        for table in tables {
            let part = Path::new(&table.file).parent().expect("a folder for each part");
            let to = self.path.join(part);
            make(to.parent().expect("the folder of its table"), None).map_err(&fail)?;
            fs::rename(made.join(part), to).map_err(&fail)?;
        }
        let record = self.labelled(DONE).join(format!("{name}.json"));
        fs::rename(made.join(MANIFEST), record).map_err(&fail)?;
        remove(made).map_err(self.fail("remove"))
    }

    /// The name of a pack.
    pub(super) fn pack(number: u64) -> String {
        format!("{PACK}{number:05}")
    }

    /// Puts a directory among those that wait for a pack.
    pub(super) fn put_aside(&self, made: &Path, number: u64) -> Result<PathBuf> {
        let path = self.labelled(PENDING).join(number.to_string());
        fs::rename(made, &path).map_err(self.fail("rename"))?;
        Ok(path)
    }

    /// Removes a directory, never a part of it.
    pub(super) fn discard(&self, dir: &Path) -> Result<()> {
        let scratch = self.scratch();
        fs::rename(dir, &scratch).and_then(|()| remove(&scratch)).map_err(self.fail("remove"))
    }

    /// Makes the renames survive a power failure, if the system can.
    pub(super) fn sync(&self) {
        let _ = File::open(&self.path).and_then(|folder| folder.sync_all());
    }

    /// Writes a file, whole or not at all.
    fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        write_file::<&Path, Error>(path, true, &[], |out| {
            out.write_all(content).map_err(self.fail("write"))
        })?;
        Ok(())
    }

    /// The log that the last run with these labels has written; empty if there is none.
    pub(super) fn log(&self) -> Result<String> {
        match fs::read_to_string(self.labelled(LOG).join(INPUTS)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            log => log.map_err(self.fail("read the log")),
        }
    }

    /// Replaces the log.
    pub(super) fn write_log(&self, lines: &str) -> Result<()> {
        self.write(&self.labelled(LOG).join(INPUTS), lines.as_bytes())
    }

    /// Removes the folders that only a run needs. Those that are not empty stay: a later run needs them.
    pub(super) fn close(self) {
        let _ = fs::remove_dir(self.path.join(WORK));
        let pending = self.labelled(PENDING);
        let folders = pending.ancestors().take_while(|folder| *folder != self.path);
        let _ = folders.map(fs::remove_dir).find(Result::is_err);
        self.sync();
    }
}

/// Creates a folder and those above it that are missing, for their owner alone unless `mode` says otherwise.
fn make(folder: &Path, mode: Option<u32>) -> io::Result<()> {
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
        // The latter is a file that is being written.
        if name != "_lock" && !name.starts_with(DRAFT) {
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
