//! Where the bytes of a capture go.

use super::{Capture, CaptureError, Notice};
use crate::{
    Error, ErrorKind, Head, Packed, RunOptions, Source,
    beside::{self, MAPS, PROCESS},
    temporary::Folder,
    write_file, write_packed_file,
};
use heapquarry_capture::{Kind, Options, Recorded, Session};
use heapquarry_names::StoredMap;
use heapquarry_process::Sample;
use heapquarry_sink::Place;
use serde::Serialize;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek, Write},
    path::Path,
};

impl Capture {
    /// Records one, into its file or an unnamed one.
    pub(super) fn record(
        &self,
        round: usize,
        session: &mut Session<'_>,
        run: &dyn Fn() -> RunOptions,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<(Source, Recorded), CaptureError> {
        let (force, redaction) = (self.options.force, self.options.redaction.as_ref());
        let file = self.files.get(round);
        let name = file.map_or(&self.names[round], |(path, _)| path);
        let on_disk = file.map(|(path, _)| path.as_path());
        let (mut bytes, mut pieces) = (0, 0);
        let mut came = |more: usize| {
            bytes += more as u64;
            pieces += 1;
            tell(Notice::Received { file: on_disk, bytes, pieces });
        };
        let mut recorded = None;
        let mut write = |out: &mut dyn Write| {
            let head = Head::new(name).private(redaction.is_some());
            let mut out = Intake { out, head, failure: None, came: &mut came };
            let recording = Options {
                folder: Some(|| Ok(Box::new(Folder::new()?))),
                ..self.options.recording.clone()
            };
            let done = session.record(self.options.kind, &recording, &mut out);
            if let Some(failure) = out.failure {
                return Err(CaptureError::from(failure));
            }
            recorded = Some(done?);
            Ok(())
        };
        let source = match file {
            Some((path, Place::New | Place::File))
                if redaction.is_none() && Packed::of(path) == Packed::Plain =>
            {
                write_file::<&Path, _>(path, force, &[], |out| write(out))?;
                Source::path(path)
            }
            file => {
                // Packing is slower than the target, and so may be who reads a FIFO: it must not wait for them.
                let folder = self.folder();
                let fail = |source: io::Error| {
                    let doing = "write a temporary file in";
                    Error::new(ErrorKind::Input { path: folder.clone(), doing, source })
                };
                let mut spool = BufWriter::new(tempfile::tempfile_in(&folder).map_err(fail)?);
                write(&mut spool)?;
                let mut spool: File =
                    spool.into_inner().map_err(|error| fail(error.into_error()))?;
                match (file, redaction) {
                    (Some((path, place)), None) => {
                        spool.rewind().map_err(fail)?;
                        write_packed_file::<&Path, Error>(path, force, &[], |out| {
                            io::copy(&mut spool, out).map(drop).map_err(fail)
                        })?;
                        match place {
                            // What is written into cannot be read again.
                            Place::Stream => Source::file(path, spool).map_err(fail)?,
                            Place::New | Place::File => Source::path(path),
                        }
                    }
                    // Before redaction, nothing gets a name on a disk.
                    (file, redaction) => {
                        let source = Source::file(name, spool).map_err(fail)?;
                        if let Some(((path, _), redaction)) = file.zip(redaction) {
                            redaction.write(&source, path, force, &run())?;
                        }
                        source
                    }
                }
            }
        };
        Ok((source, recorded.expect("it was recorded, or there was an error")))
    }
}

/// Removes a file that was captured, and what was stored beside it.
///
/// # Errors
/// If a file that is there cannot be removed; the others are.
pub fn discard(kind: Kind, file: &Path) -> io::Result<()> {
    // Only a snapshot has the process beside it.
    let process = (kind == Kind::Heap).then(|| beside::file(file, PROCESS));
    let files = [Some(file.into()), process, Some(beside::file(file, MAPS))];
    let mut removed = Ok(());
    for path in files.into_iter().flatten() {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                removed = removed.and(Err(error))
            }
            _ => {}
        }
    }
    removed
}

/// Writes the memory of the process beside a snapshot.
pub(super) fn write_process(file: &Path, process: &Sample, force: bool) -> Result<(), Error> {
    write_beside(file, PROCESS, beside::OfProcess { process: process.clone() }, force)
}

/// Writes the source maps of the scripts beside what was captured.
pub(super) fn write_maps(file: &Path, maps: &[StoredMap], force: bool) -> Result<(), Error> {
    write_beside(file, MAPS, beside::OfScripts { source_maps: maps.into() }, force)
}

fn write_beside<T: Serialize>(
    file: &Path,
    ending: &str,
    content: T,
    force: bool,
) -> Result<(), Error> {
    let fail = |source: io::Error| {
        Error::new(ErrorKind::Input { path: file.into(), doing: "look at", source })
    };
    let text = beside::text(file, content).map_err(fail)?;
    let write = |out: &mut (dyn Write + Send)| out.write_all(text.as_bytes()).map_err(fail);
    write_file::<&Path, Error>(beside::file(file, ending), force, &[], write).map(drop)
}

/// What comes, as long as it looks like something that can be read.
struct Intake<'a> {
    out: &'a mut dyn Write,
    head: Head,
    failure: Option<Error>,
    /// Is told the bytes of each piece.
    came: &'a mut dyn FnMut(usize),
}

impl Write for Intake<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.head.take(data).map_err(|error| {
            let text = error.to_string();
            self.failure = Some(error);
            io::Error::other(text)
        })?;
        let written = self.out.write(data)?;
        (self.came)(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
