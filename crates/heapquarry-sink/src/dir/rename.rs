//! Renames that do not replace anything by accident.

use std::{fs, io, path::Path};

/// Exchanges two directories atomically: both names exist at all times.
///
/// # Errors
///
/// [`is_unsupported`] says whether the system or the file system lacks the operation.
pub(super) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = (a, b);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Renames a directory unless `to` exists. Where the system cannot guarantee that, an empty directory created at the
/// last moment is replaced.
///
/// # Errors
///
/// [`is_taken`] says whether `to` exists.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
            Err(e) if is_unsupported(&e) => {}
            result => return result,
        }
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Whether the system or the file system lacks the operation.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    // Linux returns EINVAL for flags that a file system does not support.
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Whether the new name exists.
pub(super) fn is_taken(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists
            | io::ErrorKind::DirectoryNotEmpty
            | io::ErrorKind::NotADirectory
    )
}
