//! Single files of output.

use crate::{
    Error, ErrorKind, Result,
    url::{shown, url},
};
use flate2::write::GzEncoder;
use heapquarry_sink::{Draft, FileDir, ParquetDir, Place, Stream, careful};
use std::{
    fs::OpenOptions,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::mpsc::{self, SyncSender},
    thread,
};

/// Writes a file that appears only when it is finished, readable for its owner alone. An existing one is replaced only
/// with `force`, and never one of `inputs`. What is a device, a FIFO or `/dev/stdout` is written into, as it comes.
///
/// # Errors
///
/// If it exists, it is neither replaced nor written into ([`Place`]), it cannot be written, or `write` fails.
pub fn write_file<P: AsRef<Path>, E: From<Error>>(
    path: impl AsRef<Path>,
    force: bool,
    inputs: &[P],
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let path = path.as_ref();
    require_local(path)?;
    if Place::of(path, force, inputs).map_err(Error::from)? == Place::Stream {
        let stream = Stream::open(path).map_err(Error::from)?;
        let mut writer = Writer { target: Target::Stream(stream), failure: None };
        let result = write(&mut writer);
        return writer.finish(result);
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    let fail = |why: &str| {
        let (path, source) = (path.into(), io::Error::other(why));
        Error::new(ErrorKind::Input { path, doing: "write", source })
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| fail("it has no file name in Unicode"))?;
    if !parent.is_dir() {
        return Err(fail("its folder does not exist").into());
    }
    let mut dir = FileDir::open(parent, inputs).map_err(Error::from)?;
    let draft = dir.create(name, force).map_err(Error::from)?;
    let mut writer = Writer { target: Target::File(draft), failure: None };
    let result = write(&mut writer);
    writer.finish(result)
}

/// The first bytes of a plain file, at most so many; `None` if there is none or it cannot be read.
pub fn start_of(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    let file = careful(OpenOptions::new().read(true)).open(path).ok()?;
    let mut start = Vec::new();
    let is_plain = file.metadata().ok()?.is_file();
    file.take(bytes).read_to_end(&mut start).ok().filter(|_| is_plain)?;
    Some(start)
}

/// Refuses an address as an output.
///
/// # Errors
///
/// If it is one: only what conversions make is written there.
pub fn require_local(path: &Path) -> Result<()> {
    if url(path).is_none() {
        return Ok(());
    }
    let (path, why) =
        (shown(path), "only converted tables are written to an address: write a file");
    Err(Error::new(ErrorKind::Destination { path, why: why.into() }))
}

/// Refuses a directory of output that a conversion would refuse, before work that it is made of. What is at an address
/// is not looked at.
///
/// # Errors
///
/// If it exists and must not be replaced.
pub fn check_directory(path: &Path, force: bool) -> Result<()> {
    match url(path) {
        Some(_) => Ok(()),
        None => Ok(ParquetDir::check_place(path, force)?),
    }
}

/// How a file is packed, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packed {
    /// Not at all.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl Packed {
    /// How a file of this name is packed.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Packed::Gzip,
            Some("zst") => Packed::Zstd,
            _ => Packed::Plain,
        }
    }
}

/// Writes a file like [`write_file`], compressed if its name ends in `.gz` or `.zst`.
///
/// # Errors
///
/// The errors of [`write_file`].
pub fn write_packed_file<P: AsRef<Path>, E: From<Error>>(
    path: impl AsRef<Path>,
    force: bool,
    inputs: &[P],
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let path = path.as_ref();
    write_file(path, force, inputs, |out| {
        let fail = |source| {
            E::from(Error::new(ErrorKind::Input { path: path.into(), doing: "write", source }))
        };
        match Packed::of(path) {
            Packed::Plain => write(out),
            Packed::Gzip => {
                let mut packer = GzEncoder::new(out, flate2::Compression::fast());
                write(&mut packer)?;
                packer.finish().map(drop).map_err(fail)
            }
            Packed::Zstd => {
                let mut packer =
                    zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL).map_err(fail)?;
                write(&mut packer)?;
                packer.finish().map(drop).map_err(fail)
            }
        }
    })
}

/// Size of a block in bytes, and how many blocks may wait for the thread that writes.
const BLOCK: usize = 1 << 20;
const AHEAD: usize = 4;

/// Writes on another thread what `work` makes, block by block: packing and writing take as long as making it.
pub(crate) fn write_beside<T>(
    out: &mut (dyn Write + Send),
    work: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let (sender, blocks) = mpsc::sync_channel::<Vec<u8>>(AHEAD);
    let mut work = Some(work);
    let done = thread::scope(|scope| {
        let write = || blocks.into_iter().try_for_each(|block| out.write_all(&block));
        let writer = thread::Builder::new().spawn_scoped(scope, write).ok()?;
        let work = work.take()?;
        let mut blocks = Blocks { sender, block: Vec::new() };
        let done = work(&mut blocks).and_then(|done| blocks.flush().map(|()| done));
        drop(blocks);
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // Its own error says more than that of whoever made the blocks.
        Some(written.and(done))
    });
    match (done, work) {
        // There is no further thread.
        (None, Some(work)) => {
            let mut out = io::BufWriter::with_capacity(BLOCK, out);
            let done = work(&mut out)?;
            out.flush().map(|()| done)
        }
        (done, _) => done.expect("it was done"),
    }
}

/// What is written, on the way to the thread that writes it.
struct Blocks {
    sender: SyncSender<Vec<u8>>,
    block: Vec<u8>,
}

impl Write for Blocks {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.block.extend(data);
        if self.block.len() >= BLOCK {
            self.flush()?;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK + BLOCK / 4));
        self.sender.send(block).map_err(|_| io::Error::other("writing ended"))
    }
}

/// An output as a writer. Keeps its own error.
struct Writer<'d> {
    target: Target<'d>,
    failure: Option<heapquarry_sink::Error>,
}

enum Target<'d> {
    File(Draft<'d>),
    Stream(Stream),
}

impl Writer<'_> {
    /// Publishes it, if all was written.
    fn finish<E: From<Error>>(self, result: Result<(), E>) -> Result<PathBuf, E> {
        // Its own error says more than that of whoever wrote to it.
        self.failure.map_or(result, |failure| Err(Error::from(failure).into()))?;
        let done = match self.target {
            Target::File(draft) => draft.commit(),
            Target::Stream(stream) => stream.finish(),
        };
        Ok(done.map_err(Error::from)?)
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = match &mut self.target {
            Target::File(draft) => draft.write(data),
            Target::Stream(stream) => stream.write(data),
        };
        written.map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            io::Error::other(text)
        })?;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes, and no more.
    struct Full {
        taken: Vec<u8>,
        room: usize,
    }

    impl Write for Full {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            if self.taken.len() + data.len() > self.room {
                return Err(io::Error::other("the disk is full"));
            }
            self.taken.extend(data);
            Ok(data.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn another_thread_writes_the_same() {
        for (pieces, len) in [(0, 0), (1, 1), (1000, 7001), (3, 5 << 20)] {
            let mut out = Full { taken: Vec::new(), room: usize::MAX };
            let done = write_beside(&mut out, |out| {
                (0..pieces).try_for_each(|piece| out.write_all(&vec![piece as u8; len]))?;
                Ok(pieces)
            });
            assert_eq!(done.unwrap(), pieces);
            let expected: Vec<u8> = (0..pieces).flat_map(|piece| vec![piece as u8; len]).collect();
            assert!(out.taken == expected, "{pieces} pieces of {len} bytes");
        }
    }

    #[test]
    fn the_error_is_that_of_the_cause() {
        let mut out = Full { taken: Vec::new(), room: 3 * BLOCK };
        let endless = |out: &mut dyn Write| -> io::Result<()> {
            loop {
                out.write_all(&[7; 1000])?;
            }
        };
        assert_eq!(write_beside(&mut out, endless).unwrap_err().to_string(), "the disk is full");
        let mut out = Full { taken: Vec::new(), room: usize::MAX };
        let fails = |out: &mut dyn Write| -> io::Result<()> {
            out.write_all(b"ab")?;
            Err(io::Error::other("cannot go on"))
        };
        assert_eq!(write_beside(&mut out, fails).unwrap_err().to_string(), "cannot go on");
    }
}
