//! What is at the place of a single-file output, and what may happen to it.

use super::careful::same_file;
use crate::{Error, ErrorKind};
use std::{
    fs::{self, File, FileType, Metadata, OpenOptions},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

/// What is at the place of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing.
    New,
    /// A plain file that may be replaced.
    File,
    /// A terminal or another character device, a FIFO, or a stream of this process (`/dev/stdout`): it is written into.
    Stream,
}

impl Place {
    /// Looks what is at `path`. A plain file may be replaced with `force` only, and never if it is one of `inputs`,
    /// whatever its name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Exists`] without `force`. [`ErrorKind::NotReplaced`] for an input, and for all that is neither
    /// replaced nor written into: links, directories, disks, sockets.
    pub fn of<P: AsRef<Path>>(path: &Path, force: bool, inputs: &[P]) -> Result<Self, Error> {
        Place::beside(path, path, force, &Inputs::of(inputs))
    }

    /// A place whose path in messages is `shown`.
    pub(super) fn beside(
        path: &Path,
        shown: &Path,
        force: bool,
        inputs: &Inputs,
    ) -> Result<Self, Error> {
        let refuse = |why: &str| {
            Err(Error::new(ErrorKind::NotReplaced { path: shown.into(), why: why.into() }))
        };
        let mut found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::New),
            found => found.map_err(|e| Error::io(shown, "examine output", e))?,
        };
        let mut is_own = false;
        if found.is_symlink() {
            is_own = is_of_system(path);
            if !is_own {
                return refuse("it is a link; name the file itself");
            }
            found = fs::metadata(path).map_err(|e| Error::io(shown, "examine output", e))?;
        }
        let kind = found.file_type();
        if (kind.is_file() || is_fifo(kind)) && inputs.have(path, &found) {
            return refuse("it is the input");
        }
        match () {
            () if kind.is_file() && is_own => Ok(Place::Stream),
            () if kind.is_file() && force => Ok(Place::File),
            () if kind.is_file() => Err(Error::new(ErrorKind::Exists { path: shown.into() })),
            () if kind.is_dir() => refuse("it is a directory"),
            () if is_stream(kind) || is_own => Ok(Place::Stream),
            () => refuse("it is no plain file"),
        }
    }
}

/// Whether a link is one of the system's own, which lead to terminals and to streams of processes. Anybody can make
/// others, also in `/dev/shm`.
fn is_of_system(link: &Path) -> bool {
    let is_within = |folder: &str| link.parent() == Some(Path::new(folder));
    let goes_up = || link.components().any(|part| part == Component::ParentDir);
    is_within("/dev") || is_within("/dev/fd") || (link.starts_with("/proc") && !goes_up())
}

fn is_fifo(kind: FileType) -> bool {
    #[cfg(unix)]
    let is_fifo = std::os::unix::fs::FileTypeExt::is_fifo(&kind);
    #[cfg(not(unix))]
    let is_fifo = false & kind.is_file();
    is_fifo
}

/// Whether it can be written into, piece by piece. A disk could be too, but what is on it would be lost.
fn is_stream(kind: FileType) -> bool {
    #[cfg(unix)]
    let is_device = std::os::unix::fs::FileTypeExt::is_char_device(&kind);
    #[cfg(not(unix))]
    let is_device = false;
    is_device || is_fifo(kind)
}

/// Files that are never replaced, by what they are.
pub(super) struct Inputs(Vec<(PathBuf, Metadata)>);

impl Inputs {
    /// Inputs that are no files are left out.
    pub(super) fn of<P: AsRef<Path>>(inputs: &[P]) -> Self {
        let known = |input: &P| {
            let path = input.as_ref();
            // What standard input is redirected from, where the system tells.
            let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
            Some((path.canonicalize().unwrap_or_else(|_| path.into()), fs::metadata(path).ok()?))
        };
        Inputs(inputs.iter().filter_map(known).collect())
    }

    fn have(&self, path: &Path, found: &Metadata) -> bool {
        let canonical = path.canonicalize();
        let is = |(input, metadata): &(PathBuf, Metadata)| {
            canonical.as_ref().is_ok_and(|path| path == input)
                || cfg!(unix) && same_file(metadata, found)
        };
        self.0.iter().any(is)
    }
}

/// An output that is written into, piece by piece.
pub struct Stream {
    shown: PathBuf,
    out: Box<dyn Write + Send>,
}

impl Stream {
    /// Opens it. A FIFO waits for its reader.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let out: Box<dyn Write + Send> = match path.to_str() {
            // To open these again would begin a file anew, and fails for sockets.
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => Box::new(io::stdout()),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => Box::new(io::stderr()),
            _ => {
                let file = open(path).map_err(|e| Error::io(path, "open output", e))?;
                Box::new(file)
            }
        };
        Ok(Stream { shown: path.into(), out })
    }

    /// Writes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, data: &[u8]) -> Result<(), Error> {
        self.out.write_all(data).map_err(|e| Error::io(&self.shown, "write", e))
    }

    /// Hands on what is kept.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<PathBuf, Error> {
        self.out.flush().map_err(|e| Error::io(&self.shown, "write", e))?;
        Ok(self.shown)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().append(true).open(path)?;
    let is_own = path.is_symlink() && is_of_system(path);
    // It may have been replaced since it was looked at.
    match is_own || is_stream(file.metadata()?.file_type()) {
        true => Ok(file),
        false => Err(io::Error::other("it was replaced by something else")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{
        os::unix::{fs::symlink, net::UnixListener},
        process::Command,
    };

    /// Others may have made them, so that something of the user is written into.
    #[test]
    fn links_of_others_are_refused_where_the_system_has_its_own() {
        for (link, expected) in [
            ("/dev/stdout", true),
            ("/dev/fd/1", true),
            ("/proc/self/fd/1", true),
            ("/dev/shm/out", false),
            ("/dev/../tmp/out", false),
            ("/proc/../tmp/out", false),
            ("/devices/out", false),
            ("out", false),
        ] {
            assert_eq!(is_of_system(Path::new(link)), expected, "{link}");
        }
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "precious").unwrap();
        symlink(&file, &link).unwrap();
        let error = Place::of::<&Path>(&link, true, &[]).unwrap_err().to_string();
        assert!(error.contains("it is a link"), "{error}");
        assert!(open(&link).is_err());
    }

    #[test]
    fn what_is_no_plain_file_is_written_into_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let made = |program: &str, args: &[&str]| {
            let done = Command::new(program).current_dir(folder.path()).args(args).output();
            done.is_ok_and(|done| done.status.success())
        };
        for file in ["input", "file"] {
            fs::write(at(file), "precious").unwrap();
        }
        fs::hard_link(at("input"), at("name of the input")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for to in ["file", "fifo", "folder", "nowhere", "/dev/null"] {
            symlink(to, at(&format!("link to {}", to.replace('/', "_")))).unwrap();
        }
        let _socket = UnixListener::bind(at("socket")).unwrap();
        assert!(made("mkfifo", &["fifo"]));
        // Only root can make devices, and not everywhere.
        let has_device = made("mknod", &["device", "c", "1", "3"]);
        let has_disk = made("mknod", &["disk", "b", "7", "200"]);
        let (exists, input) = (Err("already exists"), Err("it is the input"));
        let (link, other) = (Err("it is a link"), Err("it is no plain file"));
        for (name, without, with) in [
            ("new", Ok(Place::New), Ok(Place::New)),
            ("file", exists, Ok(Place::File)),
            ("input", input, input),
            ("name of the input", input, input),
            ("folder", Err("it is a directory"), Err("it is a directory")),
            ("fifo", Ok(Place::Stream), Ok(Place::Stream)),
            ("socket", other, other),
            ("link to file", link, link),
            ("link to fifo", link, link),
            ("link to folder", link, link),
            ("link to nowhere", link, link),
            ("link to _dev_null", link, link),
            ("/dev/stdout", Ok(Place::Stream), Ok(Place::Stream)),
            ("/dev/null", Ok(Place::Stream), Ok(Place::Stream)),
            ("device", Ok(Place::Stream), Ok(Place::Stream)),
            ("disk", other, other),
        ] {
            if name == "device" && !has_device || name == "disk" && !has_disk {
                continue;
            }
            for (force, expected) in [(false, without), (true, with)] {
                match (Place::of(&at(name), force, &[at("input")]), expected) {
                    (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{name}"),
                    (Err(error), Err(why)) => {
                        assert!(error.to_string().contains(why), "{name}: {error}");
                    }
                    (found, _) => panic!("{name}, {force}: {found:?}, not {expected:?}"),
                }
            }
        }
    }
}
