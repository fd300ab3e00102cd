//! The hidden names beside an output, and leftovers of dead runs under them.
//!
//! For an output called `NAME`, with a random token of 16 hexadecimal digits:
//!
//! * `.NAME.heapquarry-<token>.lock`: the [lock](Lock) of the run. Created first, removed last.
//! * `.NAME.heapquarry-<token>.partial`: the directory that the run writes; after an exchange the one that it replaced.
//! * `.NAME.heapquarry-<token>.old`: where directories cannot be exchanged, what `NAME` was before it was replaced. It
//!   exists between the two renames of a replacement and until it is deleted. If `NAME` is missing then, it is put
//!   back.

use super::{
    careful::same_owner,
    lock::Lock,
    ours,
    rename::{is_taken, rename_new},
    unfinished::{Unfinished, remove_folder},
};
use crate::{Error, ErrorKind};
use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, Metadata},
    hash::{BuildHasher, RandomState},
    io,
    path::{Path, PathBuf},
};

const LOCK: &str = ".lock";
const PARTIAL: &str = ".partial";
const OLD: &str = ".old";

/// What [`Names::make`] made.
pub(super) struct Made {
    pub(super) token: String,
    pub(super) lock: Lock,
    /// The directory, as long as it may be removed.
    pub(super) unfinished: Unfinished,
}

/// The names around an output.
pub(super) struct Names {
    pub(super) parent: PathBuf,
    name: OsString,
}

impl Names {
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let io = |e| Error::io(path, "examine output", e);
        // The target of a symbolic link is replaced, not the link.
        let path = &match path.is_symlink() {
            true => path.canonicalize().map_err(io)?,
            false => std::path::absolute(path).map_err(io)?,
        };
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => {
                Ok(Names { parent: parent.to_owned(), name: name.to_owned() })
            }
            _ => Err(Error::new(ErrorKind::Name { name: path.display().to_string() })),
        }
    }

    /// Names for files that will be added to a directory.
    pub(super) fn within(dir: &Path) -> io::Result<Self> {
        Ok(Names { parent: std::path::absolute(dir)?, name: "extract".into() })
    }

    pub(super) fn target(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".");
        prefix.push(&self.name);
        prefix.push(".heapquarry-");
        prefix
    }

    fn with(&self, token: &str, suffix: &str) -> PathBuf {
        let mut name = self.prefix();
        name.push(token);
        name.push(suffix);
        self.parent.join(name)
    }

    pub(super) fn partial(&self, token: &str) -> PathBuf {
        self.with(token, PARTIAL)
    }

    pub(super) fn old(&self, token: &str) -> PathBuf {
        self.with(token, OLD)
    }

    /// Creates an incomplete directory, which only its owner can enter, and its lock.
    pub(super) fn make(&self) -> io::Result<Made> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        loop {
            let token = new_token();
            let Some(lock) = Lock::create(self.with(&token, LOCK))? else { continue };
            let made =
                Unfinished::make(&self.partial(&token), remove_folder, |p| builder.create(p));
            match made {
                Ok(((), unfinished)) => return Ok(Made { token, lock, unfinished }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Removes leftovers of dead runs, and completes replacements that were interrupted. Leaves what cannot be removed,
    /// or does not belong to the owner of `like`.
    pub(super) fn tidy_up(&self, like: &Metadata) {
        let Ok(entries) = fs::read_dir(&self.parent) else { return };
        let names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        let tokens: BTreeSet<&str> = names.iter().filter_map(|name| self.token(name)).collect();
        for token in tokens {
            if let Some(_lock) = Lock::of_dead_run(self.with(token, LOCK), like) {
                let (partial, old) = (self.partial(token), self.old(token));
                if is_dir_of(&old, like) {
                    let _ = self.put_back(&old);
                }
                if is_dir_of(&partial, like) {
                    let _ = fs::remove_dir_all(partial);
                }
            }
        }
    }

    /// Renames a directory that was set aside back. If another run has published a complete directory under the name
    /// meanwhile, the old one has been replaced and is removed.
    pub(super) fn put_back(&self, old: &Path) -> io::Result<()> {
        let target = self.target();
        match rename_new(old, &target) {
            Err(e) if is_taken(&e) && ours::is_complete(&target) => match ours::foreign(old)? {
                None => self.discard(old),
                Some(_) => Ok(()),
            },
            result => result,
        }
    }

    /// Removes a directory that was replaced. It is first renamed to that of an incomplete directory: half removed,
    /// without its manifest, no run would recognise it.
    pub(super) fn discard(&self, old: &Path) -> io::Result<()> {
        let discarded = self.partial(&new_token());
        let made = Unfinished::make(&discarded, remove_folder, |to| fs::rename(old, to));
        let ((), _unfinished) = made?;
        remove_folder(&discarded)
    }

    /// The token in one of our names.
    fn token<'a>(&self, name: &'a OsStr) -> Option<&'a str> {
        let rest = name.as_encoded_bytes().strip_prefix(self.prefix().as_encoded_bytes())?;
        let rest = str::from_utf8(rest).ok()?;
        let token = [LOCK, PARTIAL, OLD].iter().find_map(|suffix| rest.strip_suffix(suffix))?;
        (token.len() == 16 && token.bytes().all(|b| b.is_ascii_hexdigit())).then_some(token)
    }
}

/// 16 unpredictable hexadecimal digits.
fn new_token() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// Whether `path` is a directory, not a link, of the owner of `like`.
fn is_dir_of(path: &Path, like: &Metadata) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && same_owner(&found, like))
}
