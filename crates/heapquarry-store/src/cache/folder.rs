//! The folder of a cache: where it is, and what is in it besides the entries.

use super::entry::{Key, Stored};
use heapquarry::{Error, ErrorKind, Result};
use std::{
    env,
    ffi::OsString,
    fs::{self, DirBuilder, File},
    hash::{BuildHasher, RandomState},
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
};

const DIR: &str = "HEAPQUARRY_CACHE_DIR";
const SIZE: &str = "HEAPQUARRY_CACHE_SIZE";

/// How names of files begin while they are written.
pub(super) const NEW: &str = ".new-";

/// Tells programs for backups to leave the folder out: <https://bford.info/cachedir/>.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of heapquarry.\n";

/// An existing folder.
pub(super) struct Folder {
    dir: PathBuf,
    seed: u64,
}

/// See [`super::folder`].
pub(super) fn of_user() -> Result<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    if let Some(dir) = env::var_os(DIR).filter(|dir| !dir.is_empty()) {
        return Ok(dir.into());
    }
    let caches = if cfg!(windows) {
        env::var_os("LOCALAPPDATA").and_then(absolute)
    } else if cfg!(target_vendor = "apple") {
        env::home_dir().map(|home| home.join("Library/Caches"))
    } else {
        let xdg = env::var_os("XDG_CACHE_HOME").and_then(absolute);
        xdg.or_else(|| env::home_dir().filter(|home| home.is_absolute()).map(|h| h.join(".cache")))
    };
    caches.map(|caches| caches.join("heapquarry")).ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::NotFound, "there is no home directory");
        Error::new(ErrorKind::Cache { path: DIR.into(), doing: "find", source })
    })
}

/// The limit that the environment sets.
pub(super) fn max_bytes() -> Result<Option<u64>> {
    use heapquarry_report::{Amount, Limit, Unit};
    let Some(text) = env::var_os(SIZE).filter(|text| !text.is_empty()) else { return Ok(None) };
    let limit = text.to_str().and_then(|text| Limit::parse(text, Unit::Bytes).ok());
    match limit.as_ref().map(|limit| &limit.amounts[..]) {
        Some([Amount::Max(bytes)]) => Ok(Some(bytes.unsigned_abs())),
        _ => {
            let what = format!("expected a number of bytes, such as 20GB, found {text:?}");
            let source = io::Error::new(io::ErrorKind::InvalidInput, what);
            Err(Error::new(ErrorKind::Cache { path: SIZE.into(), doing: "limit", source }))
        }
    }
}

impl Folder {
    /// Creates what is missing of the folder. Only its owner may enter it.
    pub(super) fn make(dir: &Path) -> Result<Self> {
        let made = make_dirs(dir).and_then(|()| {
            put(dir, "CACHEDIR.TAG", TAG)?;
            put(dir, "seed", &format!("{:016x}", RandomState::new().hash_one(0)))?;
            let seed = fs::read_to_string(dir.join("seed"))?;
            u64::from_str_radix(&seed, 16).map_err(io::Error::other)
        });
        let fail =
            |source| Error::new(ErrorKind::Cache { path: dir.into(), doing: "create", source });
        Ok(Folder { dir: dir.into(), seed: made.map_err(fail)? })
    }

    /// The folder, if it exists and nobody but its owner, who is this user, may enter it.
    pub(super) fn existing(dir: &Path) -> Option<Self> {
        if is_of_another_user(dir) {
            return None;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::metadata(dir).ok().filter(|dir| dir.permissions().mode() & 0o077 == 0)?;
        }
        Self::seen(dir)
    }

    /// The folder, if it exists, whoever has it: to tell what it has, and not to use that.
    pub(super) fn seen(dir: &Path) -> Option<Self> {
        let seed = short_text(&dir.join("seed"))?;
        Some(Folder { dir: dir.into(), seed: u64::from_str_radix(&seed, 16).ok()? })
    }

    pub(super) fn path(&self) -> &Path {
        &self.dir
    }

    /// A random number that other users do not know.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn entry(&self, key: &Key) -> Stored {
        Stored::new(&self.dir, key)
    }

    /// The entry of a file that has this stamp.
    pub(super) fn known(&self, stamp: &Key) -> Option<Key> {
        let text = short_text(&stamps(&self.dir).join(stamp.as_str()))?;
        Key::parse(&text)
    }

    /// Remembers which entry belongs to a file with this stamp. That it cannot be written costs time only.
    pub(super) fn remember(&self, stamp: &Key, key: &Key) {
        if self.known(stamp).as_ref() != Some(key) {
            let dir = stamps(&self.dir);
            let _ = fs::remove_file(dir.join(stamp.as_str()));
            let _ = put(&dir, stamp.as_str(), key.as_str());
        }
    }

    pub(super) fn error(&self, doing: &'static str, source: io::Error) -> Error {
        Error::new(ErrorKind::Cache { path: self.dir.clone(), doing, source })
    }
}

/// The text of a plain file that has a number or a key, as far as such a text can go. In a folder of another user there
/// can be anything: a pipe would never end.
fn short_text(path: &Path) -> Option<String> {
    const LONGEST: u64 = 256;
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Files by the stamp of an input, with the key of its entry.
pub(super) fn stamps(dir: &Path) -> PathBuf {
    dir.join("stamps")
}

/// Whether a folder exists and belongs to another user: `sudo` can leave the home of who called it.
#[cfg_attr(not(unix), expect(unused_variables))]
pub(super) fn is_of_another_user(dir: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = fs::metadata(dir).map(|dir| dir.uid());
        owner.is_ok_and(|owner| owner != nix::unistd::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    false
}

/// What is said of such a folder.
pub(super) fn of_another_user(dir: &Path) -> String {
    format!("the cache {} belongs to another user, and is not used", dir.display())
}

fn make_dirs(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(dir)?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        }
    }
    builder.create(stamps(dir))
}

/// Writes a file of the owner, whole, unless it exists.
pub(super) fn put(dir: &Path, name: &str, content: &str) -> io::Result<()> {
    let path = dir.join(name);
    if path.exists() {
        return Ok(());
    }
    let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(dir)?;
    file.write_all(content.as_bytes())?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}
