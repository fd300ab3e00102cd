//! Indices of heaps in the cache.

use super::{
    Cache, Made, POLL, Wanted, entry,
    folder::{self, Folder},
    stamp::{RESOLUTION, Stamp},
};
use crate::lock::Mode;
use heapquarry::{
    Error, ErrorKind, Result, RunOptions, Source,
    engine::{INDEX_FILE, INDEX_VERSION, Locate, keep_index},
};
use heapquarry_input::{Content, Indices, KeptIndex, MANIFEST};
use serde_json::json;
use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// An index that [`Cache::index`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Indexed {
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it was there already.
    pub is_stored: bool,
}

impl Cache {
    /// Keeps the index of a heap: all that reading and analysing it gives. Questions about the file with
    /// [`RunOptions::index`] then need neither, until the file is changed or moved.
    ///
    /// # Errors
    ///
    /// If the input cannot be read, is no heap, is no file or converted directory, or is changed meanwhile;
    /// [`ErrorKind::Cache`] if the folder cannot be used.
    pub fn index(&self, source: impl Into<Source>, run: &RunOptions) -> Result<Indexed> {
        let source = source.into();
        let unfit = |why: &'static str| {
            let (path, doing) = (source.path.clone(), "keep an index of");
            Error::new(ErrorKind::Input { path, doing, source: io::Error::other(why) })
        };
        if !matches!(source.content(), Content::Path) {
            return Err(unfit("it is no file"));
        }
        let is_directory = source.converted()?.is_some();
        let stamp =
            is_directory.then(|| Stamp::of(&source.path, &fs::metadata(&source.path).ok()?));
        if let Some(None) = stamp {
            return Err(unfit("it has links, or too many files"));
        }
        let make = |folder: &Path| keep_index(&source, folder, run);
        let made_of = made_of(&source, stamp.flatten().as_ref());
        let wanted = Wanted {
            source: &source,
            run,
            made_of: &made_of,
            has_beside: false,
            options: "index",
            make: &make,
        };
        match self.entry(&wanted)? {
            Made::Entry { stored, is_stored, lock: _lock } => {
                self.settle(&source, &made_of, run)?;
                let file = stored.tables().join(INDEX_FILE);
                if !is_stored {
                    remember_check(&file);
                }
                let bytes = fs::metadata(file).map_err(|e| self.error("read", e))?.len();
                Ok(Indexed { bytes, is_stored })
            }
            Made::Unfit { .. } => Err(unfit("it was changed meanwhile")),
            Made::Impossible => Err(unfit(
                "it is empty, no local file, or can be read only once, or nothing can be kept in the cache",
            )),
        }
    }

    /// Remembers the index by the stamp of the file, so that whoever looks for one does not read the file. Before that
    /// it waits, seconds at most, until a later change of the file would give it another time.
    fn settle(&self, source: &Source, made_of: &str, run: &RunOptions) -> Result<()> {
        let now = || Stamp::of(&source.path, &fs::metadata(&source.path).ok()?);
        let Some(first) = now() else { return Ok(()) };
        let folder = Folder::make(&self.dir)?;
        if folder.known(&first.key(&folder, made_of)).is_some() {
            return Ok(());
        }
        let until = Instant::now() + 2 * RESOLUTION;
        loop {
            match now() {
                Some(stamp) if !stamp.is_same(&first) => return Ok(()),
                None => return Ok(()),
                Some(stamp) if stamp.is_settled => break,
                Some(_) if run.cancel.is_cancelled() => {
                    return Err(Error::new(ErrorKind::Cancelled));
                }
                Some(_) if Instant::now() > until => {
                    run.progress.remark(&format!(
                        "the index of {source} will not be used: the time of its last change is in the future"
                    ));
                    return Ok(());
                }
                Some(_) => thread::sleep(POLL),
            }
        }
        // By its content it is found, and then remembered.
        let input = super::Repeatable::open(source)?;
        let digest = input.and_then(|input| input.digest(folder.seed(), run).ok());
        if let Some(digest) = digest {
            let key = entry::Key::of(&folder, digest, made_of);
            folder.remember(&first.key(&folder, made_of), &key);
        }
        Ok(())
    }

    fn error(&self, doing: &'static str, source: io::Error) -> Error {
        Error::new(ErrorKind::Cache { path: self.dir.clone(), doing, source })
    }
}

impl Indices for Cache {
    /// By the path and the stamp of the file.
    fn find(&self, source: &Source, run: &RunOptions) -> Option<KeptIndex> {
        // What only traces and profiles have is refused where the file is opened.
        let is_of_others = source.part.is_some() || source.sample_type.is_some();
        // What is redacted has tokens of this run.
        if run.redaction.is_some() || is_of_others || !matches!(source.content(), Content::Path) {
            return None;
        }
        let is_of_another_user = folder::is_of_another_user(&self.dir);
        let folder = match is_of_another_user {
            true => Folder::seen(&self.dir)?,
            false => Folder::existing(&self.dir)?,
        };
        let metadata = fs::metadata(&source.path).ok()?;
        let is_directory = metadata.is_dir() && source.path.join(MANIFEST).is_file();
        if !metadata.is_file() && !is_directory {
            return None;
        }
        let stamp = Stamp::of(&source.path, &metadata)?;
        let made_of = made_of(source, is_directory.then_some(&stamp));
        let known = folder.known(&stamp.key(&folder, &made_of))?;
        if is_of_another_user {
            run.progress.remark(&folder::of_another_user(&self.dir));
            return None;
        }
        let stored = folder.entry(&known);
        let lock = stored.lock(Mode::Shared).ok()??;
        if !stored.is_complete() {
            if stored.is_finished() {
                run.progress.remark(&format!(
                    "the index of {source} is not used: its file is not the one that was written here; `heapquarry index` makes a new one"
                ));
            }
            return None;
        }
        stored.touch();
        let path = stored.tables().join(INDEX_FILE);
        let is_checked = is_checked(&path);
        let is_new = beside(&path, USED).is_some_and(|used| !used.exists());
        Some(KeptIndex { path, is_checked, is_new, held: Box::new(lock) })
    }

    fn checked(&self, index: &KeptIndex) {
        remember_check(&index.path);
    }

    fn used(&self, index: &KeptIndex) {
        mark(&index.path, USED);
    }
}

/// How long the checksums of an index are taken to be right: disks lose bits.
const CHECKED: Duration = Duration::from_secs(24 * 3600);

/// Beside the folder of an index: an empty file of the time when its checksums were last seen to be right.
const CHECK: &str = "checked";
/// Beside the folder of an index: an empty file, there once a question has used the index.
const USED: &str = "used";

/// Whether the checksums of an index were found to be right not long ago.
fn is_checked(index: &Path) -> bool {
    let age = || {
        let when = fs::metadata(beside(index, CHECK)?).ok()?.modified().ok()?;
        SystemTime::now().duration_since(when).ok()
    };
    age().is_some_and(|age| age < CHECKED)
}

/// Remembers that the checksums of an index are right. If that fails, they are only checked again.
fn remember_check(index: &Path) {
    if let Some(check) = beside(index, CHECK) {
        let _ = fs::remove_file(check);
    }
    mark(index, CHECK);
}

/// Puts an empty file beside the folder of an index. Errors are ignored: without it the index is only checked, or its
/// use told, once more.
fn mark(index: &Path, name: &str) {
    if let Some(entry) = index.parent().and_then(Path::parent) {
        let _ = folder::put(entry, name, "");
    }
}

/// A file beside the folder of an index.
fn beside(index: &Path, name: &str) -> Option<PathBuf> {
    Some(index.parent()?.with_file_name(name))
}

/// All that an index depends on besides the content. That of a converted directory are its files, which only their
/// stamps tell apart.
fn made_of(source: &Source, directory: Option<&Stamp>) -> String {
    let name = source.path.file_name().unwrap_or(source.path.as_os_str());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "index": INDEX_VERSION,
        "name": name.as_encoded_bytes(),
        "document": source.document,
        "files": directory.map(|stamp| stamp.files()),
    })
    .to_string()
}
