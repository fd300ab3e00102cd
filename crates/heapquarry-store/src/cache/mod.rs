//! Converted inputs that are kept, so that a question about a file costs its conversion only once.
//!
//! [`Cache::tables`] gives a directory of tables for an input: the stored one if the same bytes were converted with the
//! same options by the same version of heapquarry, or else a new one. [`temporary`] does it without a cache.
//!
//! ```no_run
//! use heapquarry::ConvertOptions;
//! use heapquarry_store::cache::Cache;
//!
//! let tables = Cache::of_user()?.tables("app.heapsnapshot", &ConvertOptions::default())?;
//! println!("{}", tables.path().join("js_heap_nodes.parquet").display());
//! # Ok::<(), heapquarry::Error>(())
//! ```
//!
//! # What is stored
//!
//! An entry is a folder and a lock file beside it. Its key is a digest of the content, the options, the version and the
//! name of the file. The digest uses a random number of the folder, so nobody can prepare two files that have the same.
//! A file whose path, device, inode, size and times are those of an earlier run is not read at all.
//!
//! Folders have the permissions 0700, files 0600. Whoever uses an entry holds its lock, shared; whoever makes or
//! removes it holds it alone. An entry counts only once its description `entry.json` is there, which is written last:
//! what a killed process leaves does not count, and is removed by a later run. The description has the inodes, sizes
//! and times of the files. Where one of them has others, or is missing, the entry is made anew: so none that was copied
//! here is believed, whoever made it. A folder of another user is not used, and [`Progress::remark`] says so.
//!
//! [`Progress::remark`]: heapquarry::Progress::remark
//!
//! After each new entry, the least recently used ones that nobody uses are removed until the rest is within
//! [`Cache::max_bytes`] and 1,000 entries.

mod digest;
mod entry;
mod evict;
mod folder;
mod index;
mod stamp;

pub use entry::Entry;
pub use evict::Cleared;
pub use index::Indexed;
pub(crate) use stamp::Stamp;

use crate::lock::{Lock, Mode};
use entry::{Key, Stored};
use folder::Folder;
use heapquarry::{
    ConvertOptions, Error, ErrorKind, Layout, Result, RunOptions, Source, convert,
    engine::{readable, unused_for_tables},
};
use heapquarry_formats::Input;
use heapquarry_input::{Content, FileInput, MANIFEST, maps_file, url::url};
use heapquarry_views::ViewedInput;
use serde_json::json;
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The default of [`Cache::max_bytes`].
pub const MAX_BYTES: u64 = 10_000_000_000;

/// Time between two looks at an entry that another process makes.
const POLL: Duration = Duration::from_millis(20);
/// Polls before the wait is reported. Others hold a lock for a moment to see who uses the entry.
const QUIET: u32 = 10;

/// A folder of converted inputs.
#[derive(Clone, Debug)]
pub struct Cache {
    dir: PathBuf,
    max_bytes: u64,
}

/// A directory of tables. It stays as it is until this is dropped.
#[derive(Debug)]
pub struct Tables {
    path: PathBuf,
    is_stored: bool,
    held: Held,
}

/// An entry that is wanted.
struct Wanted<'a> {
    source: &'a Source,
    run: &'a RunOptions,
    /// All that it depends on besides the content.
    made_of: &'a str,
    /// Whether what is beside the input belongs to the content.
    has_beside: bool,
    /// The options that its description names.
    options: &'a str,
    /// Makes its folder of files.
    make: &'a dyn Fn(&Path) -> Result<()>,
}

/// What became of an entry that was wanted.
enum Made {
    /// It is there. `is_stored`: it was before.
    Entry { stored: Stored, is_stored: bool, lock: Lock },
    /// It was made, but the input was changed meanwhile.
    Unfit { stored: Stored, removal: evict::Removal },
    /// None can be kept of this input, or in this folder.
    Impossible,
}

/// What keeps a directory of tables.
#[derive(Debug)]
enum Held {
    /// Nothing: it is a converted directory of the user.
    Theirs,
    /// The shared lock of an entry.
    Entry { _lock: Lock },
    /// An entry that must not be used again, and its lock.
    Unfit { _entry: evict::Removal },
    /// A temporary directory, which goes when this is dropped.
    Temporary { _dir: heapquarry_input::temporary::Folder },
}

impl Tables {
    /// The directory, as [`convert`](heapquarry::convert()) writes it.
    ///
    /// In an entry of the cache, `source.path` is the path of the input that was converted. The same bytes under the
    /// same file name in another folder use the same entry.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// These tables of `source`, for [`Views::of_inputs`](heapquarry_views::Views::of_inputs).
    pub fn of<'i>(&'i self, source: &'i Source) -> ViewedInput<'i> {
        ViewedInput { source, dir: &self.path, is_source: matches!(self.held, Held::Theirs) }
    }

    /// Whether the directory is still there, as it is, when this is dropped, as long as nobody removes it.
    pub fn stays(&self) -> bool {
        matches!(self.held, Held::Theirs | Held::Entry { .. })
    }

    /// Whether nothing had to be converted.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }
}

impl Cache {
    /// The cache of the user, in [`folder`]. It may be as large as the environment variable `HEAPQUARRY_CACHE_SIZE`
    /// says, such as `20GB`, or else [`MAX_BYTES`].
    ///
    /// # Errors
    ///
    /// If the environment names no folder, or the size is not one.
    pub fn of_user() -> Result<Self> {
        let max_bytes = folder::max_bytes()?.unwrap_or(MAX_BYTES);
        Ok(Cache::at(folder()?).max_bytes(max_bytes))
    }

    /// A cache in this folder, which is created when it is needed.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        let dir = std::path::absolute(&dir).unwrap_or(dir);
        Cache { dir, max_bytes: MAX_BYTES }
    }

    /// Sets the limit in bytes. Entries that are in use may exceed it.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The tables of an input: those of an entry, or of a new one, which is made if there is none. A converted
    /// directory is returned as it is. A stream can be read only once, so its tables are [`temporary`]. So are those
    /// with what source maps of the options tell: that changes with every build. What `capture` stored beside the input
    /// counts as part of it: source maps, and the memory of the process.
    ///
    /// If another process is making the entry, this waits for it, and says so by [`Progress::waiting`]. Of `options`,
    /// `force`, `mode` and `layout` are ignored.
    ///
    /// [`Progress::waiting`]: heapquarry::Progress::waiting
    ///
    /// # Errors
    ///
    /// The errors of [`convert`](heapquarry::convert()), and [`ErrorKind::Cache`] if the folder cannot be used.
    pub fn tables(&self, source: impl Into<Source>, options: &ConvertOptions) -> Result<Tables> {
        let source = source.into();
        if let Some(tables) = converted(&source, &options.run)? {
            return Ok(tables);
        }
        if options.run.source_maps.is_some() {
            return temporary(source, options);
        }
        let options = plain(options);
        let make = |tables: &Path| convert(&[&source], tables, &options).map(drop);
        let flags = entry::flags(&options);
        let wanted = Wanted {
            source: &source,
            run: &options.run,
            made_of: &entry::made_of(&source, &options),
            has_beside: true,
            options: &flags,
            make: &make,
        };
        let (stored, is_stored, held) = match self.entry(&wanted)? {
            Made::Entry { stored, is_stored, lock } => {
                (stored, is_stored, Held::Entry { _lock: lock })
            }
            Made::Unfit { stored, removal } => (stored, false, Held::Unfit { _entry: removal }),
            Made::Impossible => return temporary(source, &options),
        };
        Ok(Tables { path: stored.tables(), is_stored, held })
    }

    /// An entry, which is made if there is none.
    fn entry(&self, wanted: &Wanted<'_>) -> Result<Made> {
        let Wanted { source, run, has_beside, .. } = wanted;
        // What is redacted has tokens of this run.
        if run.redaction.is_some() {
            return Ok(Made::Impossible);
        }
        let Some(input) = Repeatable::open(source)? else { return Ok(Made::Impossible) };
        if folder::is_of_another_user(&self.dir) {
            run.progress.remark(&folder::of_another_user(&self.dir));
            return Ok(Made::Impossible);
        }
        let folder = Folder::make(&self.dir)?;
        let beside = || match has_beside {
            true => what_is_beside(source, folder.seed(), run),
            false => Ok(String::new()),
        };
        let Ok(first) = beside() else { return Ok(Made::Impossible) };
        let made_of = &format!("{}{first}", wanted.made_of);
        let stamp = input.stamp();
        let known = stamp.as_ref().and_then(|stamp| folder.known(&stamp.key(&folder, made_of)));
        let key = match known {
            Some(key) => key,
            None => {
                let digest = input.digest(folder.seed(), run);
                Key::of(&folder, digest.map_err(|e| input_error(source, e))?, made_of)
            }
        };
        let stored = folder.entry(&key);
        // Its times tell later changes apart only if they are older than what the file system's clock resolves.
        let remember = || {
            if let Some(stamp) = stamp.as_ref().filter(|stamp| stamp.is_settled) {
                folder.remember(&stamp.key(&folder, made_of), &key);
            }
        };
        let mut is_stored = true;
        let mut looks = 0;
        loop {
            if run.cancel.is_cancelled() {
                return Err(Error::new(ErrorKind::Cancelled));
            }
            match stored.lock(Mode::Shared) {
                // What was made just now is taken as it is.
                Ok(Some(lock)) if stored.is_complete() || !is_stored && stored.is_finished() => {
                    stored.touch();
                    remember();
                    if !is_stored {
                        evict::to_limits(&folder, self.max_bytes);
                    }
                    return Ok(Made::Entry { stored, is_stored, lock });
                }
                // A file system without locks cannot tell what is in use.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Made::Impossible);
                }
                Err(source) => return Err(folder.error("lock", source)),
                // Given back before the next step, which needs it alone.
                Ok(_) => {}
            }
            let alone = stored.lock(Mode::Alone).map_err(|source| folder.error("lock", source))?;
            match alone {
                Some(lock) if !stored.is_complete() => {
                    is_stored = false;
                    let removal = evict::Removal::new(stored.clone(), lock);
                    stored.begin()?;
                    (wanted.make)(&stored.tables())?;
                    stored.restrict()?;
                    // If the input was changed meanwhile, nobody else may use what was made of it.
                    let is_same = beside().is_ok_and(|last| last == first);
                    if !is_same || !input.is_unchanged() {
                        return Ok(Made::Unfit { stored, removal });
                    }
                    stored.finish(source, wanted.options)?;
                    removal.cancel();
                }
                Some(_) => {}
                // Others use what is left of it, perhaps for long.
                None if stored.is_finished() && !stored.is_complete() => {
                    return Ok(Made::Impossible);
                }
                None => {
                    looks += 1;
                    if looks == QUIET {
                        run.progress.waiting(&waiting(source, stored.holder()));
                    }
                    thread::sleep(POLL);
                }
            }
        }
    }

    /// The entries, the last used first.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read. A missing one has no entries.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let looked_at =
            |(stored, entry): (Stored, Entry)| Entry { in_use: stored.is_in_use(), ..entry };
        Ok(entry::list(&self.dir)?.into_iter().map(looked_at).collect())
    }

    /// Removes all entries that are not in use.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read, or an entry cannot be removed.
    pub fn clear(&self) -> Result<Cleared> {
        evict::all(&self.dir)
    }
}

/// The folder of the user's cache: the environment variable `HEAPQUARRY_CACHE_DIR`, or else `heapquarry` in the folder
/// for caches: `$XDG_CACHE_HOME` or `~/.cache`, on macOS `~/Library/Caches`, on Windows `%LOCALAPPDATA%`.
///
/// # Errors
///
/// If the environment names none.
pub fn folder() -> Result<PathBuf> {
    folder::of_user()
}

/// The tables of an input, in a temporary directory that is removed when they are dropped. A converted directory is
/// returned as it is.
///
/// # Errors
///
/// The errors of [`convert`](heapquarry::convert()).
pub fn temporary(source: impl Into<Source>, options: &ConvertOptions) -> Result<Tables> {
    let source = source.into();
    if let Some(tables) = converted(&source, &options.run)? {
        return Ok(tables);
    }
    let options = plain(options);
    let at = options.run.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
    let dir = heapquarry_input::temporary::Folder::within(&at).map_err(|source| {
        Error::new(ErrorKind::Cache { path: at, doing: "create a temporary directory in", source })
    })?;
    let path = dir.path().join("tables");
    convert(&[&source], &path, &options)?;
    entry::restrict(&path)?;
    Ok(Tables { path, is_stored: false, held: Held::Temporary { _dir: dir } })
}

/// The tables of a converted directory; `None` if the source is no directory.
fn converted(source: &Source, run: &RunOptions) -> Result<Option<Tables>> {
    if readable(source, run)?.is_none() {
        return Ok(None);
    }
    if source.document.is_some() {
        return Err(Error::new(ErrorKind::Selected(source.to_string())));
    }
    unused_for_tables(&source.path, run);
    Ok(Some(Tables { path: source.path.clone(), is_stored: true, held: Held::Theirs }))
}

/// The options, without what would change where and how the directory is written.
fn plain(options: &ConvertOptions) -> ConvertOptions {
    options.clone().force(false).mode(None).layout(Layout::Flat)
}

fn input_error(source: &Source, error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::Interrupted {
        return Error::new(ErrorKind::Cancelled);
    }
    Error::new(ErrorKind::Input { path: source.path.clone(), doing: "read", source: error })
}

fn waiting(source: &Source, process: Option<u32>) -> String {
    match process {
        Some(process) => format!("waiting for process {process}, which converts {source}"),
        None => format!("waiting for another process, which converts {source}"),
    }
}

/// Tells apart what `capture` stored beside an input: empty if that is nothing; an error if it cannot be read.
fn what_is_beside(source: &Source, seed: u64, run: &RunOptions) -> io::Result<String> {
    let maps = maps_file(&source.path).map(|path| digest_of(&path, seed, run)).transpose()?;
    let process = source.process_beside().map_err(io::Error::other)?;
    Ok(match (maps, process) {
        (None, None) => String::new(),
        (maps, process) => {
            json!([maps.map(|digest| format!("{digest:032x}")), process.as_deref()]).to_string()
        }
    })
}

/// The digest of a file; an error if it cannot be read, or is no plain file.
fn digest_of(path: &Path, seed: u64, run: &RunOptions) -> io::Result<u128> {
    // A FIFO could never open.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    digest::of(&FileInput::open(File::open(path)?)?, seed, run)
}

/// An input that can be read more than once.
struct Repeatable {
    path: Option<(PathBuf, Option<Stamp>)>,
    input: FileInput,
}

impl Repeatable {
    /// Opens it; `None` for standard input, pipes, virtual files that tell no size, and objects, which would be read
    /// whole before they are converted. A directory is a converted one.
    fn open(source: &Source) -> Result<Option<Self>> {
        let fail = |error| {
            let (path, doing) = (source.path.clone(), "open");
            Error::new(ErrorKind::Input { path, doing, source: error })
        };
        match source.content() {
            Content::Stream(_) | Content::Opened(..) => Ok(None),
            Content::At(input) => {
                Ok(Some(Repeatable { path: None, input: FileInput::of(input.clone()) }))
            }
            Content::Path => {
                let path = &source.path;
                let is_other = path == Path::new("-") || url(path).is_some();
                if is_other {
                    return Ok(None);
                }
                let metadata = fs::metadata(path).map_err(fail)?;
                let (file, stamp) = match metadata.file_type() {
                    kind if kind.is_file() => {
                        let file = File::open(path).map_err(fail)?;
                        let stamp = Stamp::of(path, &file.metadata().map_err(fail)?);
                        (file, stamp)
                    }
                    // Its manifest stands for a directory, whose stamp is that of all files.
                    kind if kind.is_dir() => {
                        let file = File::open(path.join(MANIFEST)).map_err(fail)?;
                        (file, Stamp::of(path, &metadata))
                    }
                    _ => return Ok(None),
                };
                let input = FileInput::open(file).map_err(fail)?;
                let is_virtual = input.size() == 0;
                let path = Some((path.clone(), stamp));
                Ok((!is_virtual).then_some(Repeatable { path, input }))
            }
        }
    }

    fn stamp(&self) -> Option<Stamp> {
        self.path.as_ref()?.1.clone()
    }

    fn digest(&self, seed: u64, run: &RunOptions) -> io::Result<u128> {
        digest::of(&self.input, seed, run)
    }

    /// Whether the path still leads to the bytes that the digest was made of.
    fn is_unchanged(&self) -> bool {
        let Some((path, stamp)) = &self.path else { return true };
        let now = fs::metadata(path).ok().and_then(|metadata| Stamp::of(path, &metadata));
        stamp.as_ref().zip(now.as_ref()).is_some_and(|(stamp, now)| stamp.is_same(now))
    }
}
