//! The directory while it is incomplete: a hidden sibling of its final name.

use super::{
    Committed,
    careful::same_owner,
    durable,
    lock::Lock,
    names::{Made, Names},
    ours,
    rename::{exchange, is_taken, is_unsupported, rename_new},
    unfinished::Unfinished,
};
use crate::{Error, ErrorKind};
use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
};

/// Number of attempts while other runs change the final name.
const ATTEMPTS: usize = 16;

/// A directory that is not yet renamed into place. Dropping it removes it.
pub(super) struct Partial {
    /// The final name, as given.
    shown: PathBuf,
    /// The final name, absolute and not a symbolic link.
    target: PathBuf,
    names: Names,
    token: String,
    force: bool,
    /// Final permissions of the directory, on systems that have them.
    mode: Option<u32>,
    /// Whether the directory under the hidden name must stay, because it holds files of others.
    keep: bool,
    /// `None` once the hidden name may lead to what was replaced.
    unfinished: Option<Unfinished>,
    /// Held until everything else is dropped.
    _lock: Lock,
}

/// What happened to the final name.
enum Placed {
    /// It did not exist.
    New,
    /// It was a directory, which was renamed to this path and is to be removed.
    Replaced(PathBuf),
    /// It was a directory that may hold files of others. The error says where it is now.
    Kept(Error),
}

impl Partial {
    /// Creates a new incomplete directory, after cleaning up after dead runs.
    pub(super) fn create(path: &Path, force: bool) -> Result<Self, Error> {
        let names = Names::of(path)?;
        let target = names.target();
        // Before anything is written: the parent of a target that is refused need not be writable.
        ours::replaceable(&target, path, force)?;
        let make = |e| Error::io(names.parent.clone(), "create a directory", e);
        let Made { token, lock, unfinished } = names.make().map_err(make)?;
        let like = lock.metadata().map_err(make)?;
        let mut partial = Partial {
            shown: path.to_owned(),
            target,
            names,
            token,
            force,
            mode: None,
            keep: false,
            unfinished: Some(unfinished),
            _lock: lock,
        };
        partial.names.tidy_up(&like);
        // Again, because the cleanup may have put an old directory back.
        if let Some(old) = ours::replaceable(&partial.target, path, force)? {
            partial.check_place(&old)?;
        }
        Ok(partial)
    }

    /// Where to write.
    pub(super) fn path(&self) -> PathBuf {
        self.names.partial(&self.token)
    }

    /// The final name, as given.
    pub(super) fn shown(&self) -> &Path {
        &self.shown
    }

    /// Sets the final permissions of the directory.
    pub(super) fn set_mode(&mut self, mode: u32) {
        self.mode = Some(mode);
    }

    /// Fails if the directory to be replaced contains one of these files.
    pub(super) fn check_inputs<P: AsRef<Path>>(&self, inputs: &[P]) -> Result<(), Error> {
        let Ok(target) = self.target.canonicalize() else { return Ok(()) };
        let held = |input: &&P| {
            input.as_ref().canonicalize().is_ok_and(|input| input.starts_with(&target))
        };
        match inputs.iter().find(held) {
            None => Ok(()),
            Some(input) => {
                let why = format!("the input {} is in it", input.as_ref().display());
                Err(self.not_replaced(why))
            }
        }
    }

    /// Makes everything in the directory durable, if it is to be, then renames it into place.
    pub(super) fn publish(mut self, is_durable: bool) -> Result<Committed, Error> {
        self.give_mode().map_err(|e| Error::io(&self.shown, "set permissions", e))?;
        if is_durable {
            let synced = durable::sync_all(&self.path());
            synced.map_err(|e| Error::io(&self.shown, "write output", e))?;
        }
        self.unfinished = None;
        let placed = self.put_in_place()?;
        // From here on the new directory is in place: a later failure does not undo that.
        self.keep = true;
        let synced = if is_durable { durable::sync_dir(&self.names.parent) } else { Ok(()) };
        let mut warning = synced
            .map_err(|source| {
                Error::new(ErrorKind::NotDurable { path: self.shown.clone(), source })
            })
            .err();
        match placed {
            Placed::New => {}
            // If this fails, the next run does it.
            Placed::Replaced(old) => drop(self.names.discard(&old)),
            Placed::Kept(kept) => warning = Some(kept),
        }
        Ok(Committed { path: std::mem::take(&mut self.shown), warning })
    }

    /// Sets the requested permissions, or else those of the directory that is replaced, if it has the same owner.
    fn give_mode(&self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            const PERMISSIONS: u32 = 0o777;
            let path = self.path();
            let own = fs::symlink_metadata(&path)?;
            let replaced = fs::symlink_metadata(&self.target).ok();
            let inherited = replaced.filter(|old| old.is_dir() && same_owner(old, &own));
            if let Some(mode) = self.mode.or(inherited.map(|old| old.mode())) {
                // Keeps bits that a parent passes on, such as the set-group-ID bit.
                let mode = own.mode() & !PERMISSIONS | mode & PERMISSIONS;
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
            }
        }
        Ok(())
    }

    /// Renames to the final name.
    fn put_in_place(&mut self) -> Result<Placed, Error> {
        let partial = self.path();
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let there = ours::replaceable(&self.target, &self.shown, self.force)?;
            let result = match there {
                None => rename_new(&partial, &self.target).map(|()| Placed::New),
                Some(_) => match exchange(&partial, &self.target) {
                    Ok(()) => return self.check_exchanged(partial),
                    Err(e) if is_unsupported(&e) => self.set_aside_and_rename(&partial)?,
                    Err(e) => Err(e),
                },
            };
            match result {
                Ok(placed) => return Ok(placed),
                // Another run has changed the name: try again.
                Err(e) if is_taken(&e) => last = Some(e),
                Err(e) if e.kind() == io::ErrorKind::NotFound && partial.exists() => last = Some(e),
                Err(e) => return Err(self.refused(e)),
            }
        }
        Err(self.refused(last.unwrap_or_else(|| io::ErrorKind::ResourceBusy.into())))
    }

    /// Checks the old directory again after the exchange. If files of others were added at the last moment, it is put
    /// back.
    fn check_exchanged(&mut self, old: PathBuf) -> Result<Placed, Error> {
        let why = match ours::foreign(&old) {
            Ok(None) => return Ok(Placed::Replaced(old)),
            Ok(Some(why)) if exchange(&old, &self.target).is_ok() => {
                return Err(self.not_replaced(why));
            }
            Ok(Some(why)) => why,
            Err(e) => e.to_string(),
        };
        // Under this name the next run removes it only if it is an output directory.
        let kept = self.names.old(&self.token);
        let kept = fs::rename(&old, &kept).map_or(old, |()| kept);
        Ok(Placed::Kept(Error::new(ErrorKind::Kept { path: self.shown.clone(), kept, why })))
    }

    /// Replaces the target in two renames, for systems that cannot exchange directories. After the inner error the
    /// target is unchanged.
    fn set_aside_and_rename(&self, partial: &Path) -> Result<io::Result<Placed>, Error> {
        let old = self.names.old(&self.token);
        if let Err(e) = fs::rename(&self.target, &old) {
            return Ok(Err(e));
        }
        let Err(error) = rename_new(partial, &self.target) else {
            return Ok(Ok(Placed::Replaced(old)));
        };
        match self.names.put_back(&old) {
            Ok(()) => Ok(Err(error)),
            // Both directories are complete: the new one is removed, and the next run puts the old one back.
            Err(source) => {
                let path = self.shown.clone();
                Err(Error::new(ErrorKind::SetAside { path, kept: old, source }))
            }
        }
    }

    /// Fails for a target that cannot be renamed, before the work instead of after it.
    fn check_place(&mut self, old: &Metadata) -> Result<(), Error> {
        if is_mount_point(&self.target, old, &self.names.parent) {
            return Err(self.not_replaced("it is a mount point; write to a directory in it".into()));
        }
        let result = rehearse(&self.target, &self.path());
        self.keep = fs::read_dir(self.path()).is_ok_and(|mut entries| entries.next().is_some());
        match result {
            Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {
                let why = "its file system, an overlay, cannot rename it; remove it first";
                Err(self.not_replaced(why.into()))
            }
            Err(e) => Err(Error::io(&self.shown, "replace output", e)),
            Ok(()) => Ok(()),
        }
    }

    fn refused(&self, error: io::Error) -> Error {
        Error::io(&self.shown, "rename output into place", error)
    }

    fn not_replaced(&self, why: String) -> Error {
        Error::new(ErrorKind::NotReplaced { path: self.shown.clone(), why })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.keep {
            let _ = fs::remove_dir_all(self.path());
        }
    }
}

/// Tests whether `target` can be renamed on overlay file systems, as in containers: they refuse it for directories of a
/// lower layer. It is renamed onto a directory that is not empty, the last condition that a rename checks. `empty` is
/// ours.
#[cfg(target_os = "linux")]
fn rehearse(target: &Path, empty: &Path) -> io::Result<()> {
    const OVERLAYFS: u64 = 0x794c_7630;
    #[allow(clippy::unnecessary_cast, reason = "its type differs between architectures")]
    let file_system = rustix::fs::statfs(empty)?.f_type as u64;
    if file_system != OVERLAYFS {
        return Ok(());
    }
    let file = empty.join("rehearsal");
    fs::write(&file, "")?;
    let result = match fs::rename(target, empty) {
        Err(e) if is_taken(&e) => Ok(()),
        // The rename succeeded after all.
        Ok(()) => fs::rename(empty, target).and(Err(io::ErrorKind::Unsupported.into())),
        Err(e) => Err(e),
    };
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => result.and(Err(e)),
        _ => result,
    }
}

#[cfg(not(target_os = "linux"))]
fn rehearse(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether `path` is a mount point, as far as can be determined.
#[cfg_attr(not(unix), expect(unused_variables))]
fn is_mount_point(path: &Path, metadata: &Metadata, parent: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
        // Also detects bind mounts of the same file system.
        let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
        if found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)) {
            return true;
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(parent).is_ok_and(|parent| parent.dev() != metadata.dev())
    }
    #[cfg(not(unix))]
    false
}
