//! Where inputs are spooled to, and how that is cancelled: opening an input can take long before the first row.

use crate::{
    Cancel, Error, ErrorKind, Redaction, Result, RunOptions,
    file::{FileInput, Reader},
};
use heapquarry_formats::Input;
use std::{
    io::{self, Cursor, Read},
    path::PathBuf,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

/// How long to wait for a stream before cancellation is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Size of a read from a stream, and how many reads are buffered ahead.
const CHUNK: usize = 256 << 10;
const AHEAD: usize = 4;

/// How inputs are spooled.
pub struct Spooling<'a> {
    /// Where temporary files go.
    pub dir: PathBuf,
    /// Limit for an input's temporary files in bytes; `None` for a limit relative to its size.
    pub max_spool: Option<u64>,
    /// Cancels the work when set.
    pub cancel: Option<&'a Cancel>,
    /// Replaces what is read by redacted copies.
    pub redaction: Option<&'a Redaction>,
    /// Threads that redact.
    pub threads: usize,
}

impl<'a> Spooling<'a> {
    /// From the options. The default folder is the system's for temporary files.
    pub fn of(run: &'a RunOptions) -> Self {
        Self::beside(run, std::env::temp_dir)
    }

    /// In the system's folder of temporary files.
    #[cfg(test)]
    pub(crate) fn to_temp(cancel: Option<&'a Cancel>) -> Self {
        Spooling { dir: std::env::temp_dir(), max_spool: None, cancel, redaction: None, threads: 1 }
    }

    /// From the options. The default folder is `dir`.
    pub fn beside(run: &'a RunOptions, dir: impl FnOnce() -> PathBuf) -> Self {
        let dir = run.spool_dir.clone().unwrap_or_else(dir);
        let (cancel, redaction) = (Some(&run.cancel), run.redaction.as_ref());
        let (max_spool, threads) = (run.max_spool, run.thread_count());
        Spooling { dir, max_spool, cancel, redaction, threads }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// An error if the work is cancelled. What callers make of the error does not matter: see [`Spooling::conclude`].
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.is_cancelled() {
            // Not `Interrupted`: that means that the read may be retried.
            true => Err(io::Error::other("interrupted")),
            false => Ok(()),
        }
    }

    /// Replaces the result by `Cancelled` if the work was cancelled: errors and damage are then only consequences of
    /// that.
    pub fn conclude<T>(&self, result: Result<T>) -> Result<T> {
        match self.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled)),
            false => result,
        }
    }

    /// An input whose reads fail once the work is cancelled.
    pub fn guard<'s>(&'s self, input: &FileInput) -> Guarded<'s> {
        Guarded { input: input.clone(), spooling: self }
    }

    /// A stream whose reads fail once the work is cancelled, even while no data arrives. A thread of its own blocks on
    /// the stream, and may outlive the work.
    pub(crate) fn stream<R: Read>(
        &self,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> io::Result<Stream<'_>> {
        let (sender, chunks) = mpsc::sync_channel(AHEAD);
        let read = move || {
            let mut stream = match open() {
                Ok(stream) => stream,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut chunk = Vec::with_capacity(CHUNK);
                let read = stream.by_ref().take(CHUNK as u64).read_to_end(&mut chunk);
                let is_last = chunk.len() < CHUNK;
                // Bytes before an error are kept. A failed send means that the receiver is gone.
                let taken = sender.send(Ok(chunk)).is_ok();
                if let Err(error) = read {
                    return drop(sender.send(Err(error)));
                }
                if is_last || !taken {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(read).map_err(|e| {
            io::Error::new(e.kind(), format!("the thread that reads it cannot be started: {e}"))
        })?;
        Ok(Stream { chunks, chunk: Cursor::default(), spooling: self })
    }
}

/// An input whose reads fail once the work is cancelled.
pub struct Guarded<'a> {
    input: FileInput,
    spooling: &'a Spooling<'a>,
}

impl Guarded<'_> {
    /// Reads from the beginning.
    pub(crate) fn reader(self) -> Reader<Self> {
        Reader::new(self)
    }
}

impl Input for Guarded<'_> {
    fn size(&self) -> u64 {
        self.input.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.spooling.check()?;
        self.input.read_at(buf, offset)
    }
}

/// A stream that another thread reads.
pub(crate) struct Stream<'a> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
    spooling: &'a Spooling<'a>,
}

impl Read for Stream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.chunk.position() == self.chunk.get_ref().len() as u64 {
            self.spooling.check()?;
            match self.chunks.recv_timeout(POLL_INTERVAL) {
                Ok(chunk) => self.chunk = Cursor::new(chunk?),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        self.chunk.read(buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_read_to_their_end_or_error() {
        let spooling = Spooling::to_temp(None);
        for len in [0, 1, CHUNK, 9 * CHUNK + 1] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let (expected, mut read) = (bytes.clone(), Vec::new());
            let mut stream = spooling.stream(|| Ok(Cursor::new(bytes))).unwrap();
            stream.read_to_end(&mut read).unwrap();
            assert!(read == expected, "{len} bytes");
            assert_eq!(stream.read(&mut [0]).unwrap(), 0);
        }
        // Data before an error is read, however little it is.
        let cut = || Ok(Cursor::new("ab").chain(zstd::Decoder::new(&b"no zstd"[..])?));
        let (mut stream, mut read) = (spooling.stream(cut).unwrap(), Vec::new());
        stream.read_to_end(&mut read).unwrap_err();
        assert_eq!(read, b"ab");
        let denied = || Err::<io::Empty, _>(io::ErrorKind::PermissionDenied.into());
        let error = spooling.stream(denied).unwrap().read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn reading_ends_when_it_is_cancelled() {
        let cancel = Cancel::new();
        let spooling = Spooling { cancel: Some(&cancel), ..Spooling::to_temp(None) };
        let mut endless = spooling.stream(|| Ok(io::repeat(7))).unwrap();
        endless.read_exact(&mut [0; 3 * CHUNK]).unwrap();
        // Blocks for ever, as long as the other end exists.
        let (_open, silence) = mpsc::channel::<()>();
        let silent = spooling.stream(move || {
            let _ = silence.recv();
            Ok(io::empty())
        });
        let mut silent = silent.unwrap();
        let file = FileInput::open(tempfile::tempfile().unwrap()).unwrap();
        assert_eq!(spooling.guard(&file).read_at(&mut [0], 0).unwrap(), 0);
        assert!(spooling.conclude(Ok(())).is_ok());
        thread::scope(|scope| {
            let reading = scope.spawn(|| silent.read(&mut [0]));
            cancel.cancel();
            reading.join().unwrap().unwrap_err();
        });
        io::copy(&mut endless, &mut io::sink()).unwrap_err();
        spooling.guard(&file).read_at(&mut [0], 0).unwrap_err();
        let error = spooling.conclude(Ok(())).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled));
    }
}
