//! Tells an unreadable input from a damaged one.

use std::{
    cell::RefCell,
    io::{self, Read, Seek, SeekFrom},
};

/// The error of an input. Decoders wrap it in errors of their own, or report it as damage.
#[derive(Default)]
pub(super) struct Failure(RefCell<Option<io::Error>>);

impl Failure {
    /// Reads an input and records its error.
    pub(super) fn watch<R>(&self, reader: R) -> Watched<'_, R> {
        Watched { reader, failure: self }
    }

    /// The error of the input, if any.
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

/// A reader whose errors are recorded.
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
        // An invalid position comes from the content: that is damage.
        self.reader.seek(to)
    }
}
