//! Tells an input that cannot be read from one that is damaged.

use std::{
    cell::RefCell,
    io::{self, Read, Seek, SeekFrom},
};

/// Why an input could not be read. Decoders report that in words of their own, or as damage.
#[derive(Default)]
pub(super) struct Failure(RefCell<Option<io::Error>>);

impl Failure {
    /// Reads an input, and notes why it cannot be read.
    pub(super) fn watch<R>(&self, reader: R) -> Watched<'_, R> {
        Watched { reader, failure: self }
    }

    /// The error of the input, if there was one.
    pub(super) fn check(&self) -> io::Result<()> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
    }

    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                *self.0.borrow_mut() = Some(error);
            }
            kind.into()
        })
    }
}

/// An input whose errors are noted.
pub(super) struct Watched<'f, R> {
    reader: R,
    failure: &'f Failure,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.failure.note(self.reader.read(buf))
    }
}

impl<R: Seek> Seek for Watched<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // A position that does not exist is one that the content names: damage.
        self.reader.seek(to)
    }
}
