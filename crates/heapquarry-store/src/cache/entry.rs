//! One converted input in a cache.

use super::{
    folder::{self, Folder},
    stamp,
};
use crate::lock::{self, Lock, Mode};
use heapquarry::{ConvertOptions, Error, ErrorKind, Names, Result, Source};
use heapquarry_base::Order;
use heapquarry_tables::SCHEMA_VERSION;
use serde_json::{Map, Value, json};
use std::{
    fs::{self, DirBuilder, File, Metadata},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// Written last: with it, an entry counts.
const DESCRIPTION: &str = "entry.json";

/// An entry of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name of its folder: 32 hexadecimal digits.
    pub key: String,
    /// The input that was converted, as given.
    pub source: String,
    /// The options that differ from the defaults, as flags of the command.
    pub options: String,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    /// Whether a process uses it.
    pub in_use: bool,
}

/// 128 bits in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn of(folder: &Folder, digest: u128, made_of: &str) -> Self {
        Key::hash(folder, &[&digest.to_le_bytes(), made_of.as_bytes()].concat())
    }

    pub(super) fn hash(folder: &Folder, bytes: &[u8]) -> Self {
        Key(format!("{:032x}", xxh3_128_with_seed(bytes, folder.seed())))
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_key = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        is_key.then(|| Key(text.into()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// All that the tables depend on besides the content. Names and paths in the tables come from the file name.
pub(super) fn made_of(source: &Source, options: &ConvertOptions) -> String {
    let name = source.path.file_name().unwrap_or(source.path.as_os_str());
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA_VERSION,
        "name": name.as_encoded_bytes(),
        "document": source.document,
        "options": flags(options),
        "row_group_rows": options.row_group_rows,
    })
    .to_string()
}

/// The options that change the tables, as flags.
pub(super) fn flags(options: &ConvertOptions) -> String {
    let defaults = ConvertOptions::default();
    let mut flags = Vec::new();
    let mut flag = |is_set: bool, text: String| flags.extend(is_set.then_some(text));
    flag(options.analyze, "--analyze".into());
    flag(options.strict, "--strict".into());
    flag(options.names == Names::Id, "--names id".into());
    flag(!options.tables.is_empty(), format!("--tables {}", options.tables.join(",")));
    flag(!options.columns.is_empty(), format!("--columns {}", options.columns.join(",")));
    let (compression, encodings) = (options.compression, options.encodings);
    flag(compression != defaults.compression, format!("--compression {compression}"));
    flag(encodings != defaults.encodings, format!("--encodings {encodings}"));
    flags.join(" ")
}

/// Where an entry is, or will be.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    dir: PathBuf,
    lock: PathBuf,
}

impl Stored {
    pub(super) fn new(folder: &Path, key: &Key) -> Self {
        let Key(key) = key;
        Stored { dir: folder.join(key), lock: folder.join(format!("{key}.lock")) }
    }

    pub(super) fn tables(&self) -> PathBuf {
        self.dir.join("tables")
    }

    /// Whether it was finished, and its files are those that were written then.
    pub(super) fn is_complete(&self) -> bool {
        let tables = self.tables();
        let is_as_written = |(name, written): (&String, &Value)| {
            let found = fs::symlink_metadata(tables.join(name)).ok().filter(Metadata::is_file);
            found.and_then(|found| state(&found)).is_some_and(|found| found == *written)
        };
        let described = self.read_description();
        let files = described.as_ref().and_then(|described| described["files"].as_object());
        files.is_some_and(|files| files.iter().all(is_as_written))
    }

    /// Whether it was finished, though it may have been damaged since.
    pub(super) fn is_finished(&self) -> bool {
        self.dir.join(DESCRIPTION).exists()
    }

    fn read_description(&self) -> Option<Value> {
        serde_json::from_slice(&fs::read(self.dir.join(DESCRIPTION)).ok()?).ok()
    }

    pub(super) fn lock(&self, mode: Mode) -> io::Result<Option<Lock>> {
        Lock::take(&self.lock, mode)
    }

    /// The process that makes it.
    pub(super) fn holder(&self) -> Option<u32> {
        lock::holder(&self.lock)
    }

    /// Whether a process makes or uses it.
    pub(super) fn is_in_use(&self) -> bool {
        lock::is_held(&self.lock)
    }

    /// Sets the time of the last use.
    pub(super) fn touch(&self) {
        let _ = File::options()
            .append(true)
            .open(self.dir.join(DESCRIPTION))
            .and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// An empty folder for it. The lock must be held alone.
    pub(super) fn begin(&self) -> Result<()> {
        self.remove().map_err(|e| self.error("remove an entry of", e))?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.dir).map_err(|e| self.error("create an entry of", e))
    }

    /// Takes the permissions of others away.
    pub(super) fn restrict(&self) -> Result<()> {
        restrict(&self.tables())
    }

    /// Writes the description.
    pub(super) fn finish(&self, source: &Source, options: &str) -> Result<()> {
        let fail = |e| self.error("write an entry of", e);
        let (mut bytes, mut files) = (0, Map::new());
        for file in fs::read_dir(self.tables()).map_err(fail)? {
            let file = file.map_err(fail)?;
            let metadata = file.metadata().map_err(fail)?;
            bytes += metadata.len();
            files.insert(file.file_name().to_string_lossy().into(), json!(state(&metadata)));
        }
        let description = json!({
            "source": source.to_string(),
            "options": options,
            "version": env!("CARGO_PKG_VERSION"),
            "bytes": bytes,
            "files": files,
        });
        folder::put(&self.dir, DESCRIPTION, &description.to_string()).map_err(fail)
    }

    /// Removes it. The lock must be held alone.
    pub(super) fn remove(&self) -> io::Result<()> {
        let missing_is_fine = |result: io::Result<()>| match result {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        };
        // First, so that what is half removed does not count.
        missing_is_fine(fs::remove_file(self.dir.join(DESCRIPTION)))?;
        missing_is_fine(fs::remove_dir_all(&self.dir))
    }

    pub(super) fn error(&self, doing: &'static str, source: io::Error) -> Error {
        let path = self.dir.parent().unwrap_or(&self.dir).to_owned();
        Error::new(ErrorKind::Cache { path, doing, source })
    }

    /// Its description; `None` if it is not complete.
    fn describe(&self) -> Option<Entry> {
        let path = self.dir.join(DESCRIPTION);
        let description = self.read_description()?;
        let text = |name: &str| description[name].as_str().unwrap_or_default().to_owned();
        Some(Entry {
            key: self.dir.file_name()?.to_str()?.to_owned(),
            source: text("source"),
            options: text("options"),
            bytes: description["bytes"].as_u64()?,
            used: fs::metadata(&path).and_then(|metadata| metadata.modified()).ok()?,
            in_use: false,
        })
    }
}

/// What tells a file from every other one, also from a copy with the same times: inode, size, and the times of the last
/// change to content and inode. `None` if the system does not tell them. The number of a device can be another one
/// after a restart.
fn state(file: &Metadata) -> Option<Value> {
    stamp::numbers(file).map(|[_, numbers @ ..]| json!(numbers))
}

/// Takes the permissions of others away from the files of a directory, which others cannot enter.
#[cfg_attr(not(unix), expect(unused_variables))]
pub(super) fn restrict(dir: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let restrict = || -> io::Result<()> {
            for file in fs::read_dir(dir)? {
                fs::set_permissions(file?.path(), fs::Permissions::from_mode(0o600))?;
            }
            Ok(())
        };
        restrict().map_err(|source| {
            let (path, doing) = (dir.to_owned(), "set permissions in");
            Error::new(ErrorKind::Cache { path, doing, source })
        })?;
    }
    Ok(())
}

/// The complete entries of a folder, the last used first. Does not look who uses them.
pub(super) fn list(folder: &Path) -> Result<Vec<(Stored, Entry)>> {
    let all = all(folder)?.into_iter();
    let mut entries: Vec<_> =
        all.filter_map(|stored| Some((stored.describe()?, stored))).map(|(e, s)| (s, e)).collect();
    entries.order_by(|(_, a), (_, b)| b.used.cmp(&a.used).then_with(|| a.key.cmp(&b.key)));
    Ok(entries)
}

/// All entries of a folder, complete or not. A missing folder has none.
pub(super) fn all(folder: &Path) -> Result<Vec<Stored>> {
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files.and_then(Iterator::collect::<io::Result<Vec<_>>>),
    };
    let files = files.map_err(|source| {
        let path = folder.to_owned();
        Error::new(ErrorKind::Cache { path, doing: "read", source })
    })?;
    let key = |name: &str| Key::parse(name.strip_suffix(".lock").unwrap_or(name));
    let names = files.iter().filter_map(|file| file.file_name().to_str().and_then(key));
    let mut keys: Vec<Key> = names.collect();
    keys.order_by(|a, b| a.0.cmp(&b.0));
    keys.dedup();
    Ok(keys.iter().map(|key| Stored::new(folder, key)).collect())
}
