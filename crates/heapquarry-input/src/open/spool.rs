//! The temporary file of an input. Everything that is decompressed from it goes there, piece by piece.

use crate::{FileInput, Spooling, file::OpenFile, spool_limit::SpoolLimit};
use std::{
    cell::{Cell, OnceCell},
    io::{self, Read, Write},
    rc::Rc,
    sync::Arc,
};

/// Default limit: this many times the bytes of the input …
const MAX_RATIO: u64 = 100;
/// … but at least this many bytes.
const MIN_LIMIT: u64 = 1 << 30;
/// Cost of a piece in addition to its bytes, because it takes memory.
const PIECE_COST: u64 = 1 << 10;

/// An unnamed temporary file for pieces, created with the first of them. Clones share it.
#[derive(Clone)]
pub(super) struct Spool<'a>(Rc<Inner<'a>>);

struct Inner<'a> {
    spooling: &'a Spooling<'a>,
    file: OnceCell<Arc<OpenFile>>,
    /// Bytes of the pieces in it.
    len: Cell<u64>,
    account: Rc<Account>,
}

/// Usage by one input, over all its temporary files.
#[derive(Default)]
struct Account {
    /// Bytes of the input.
    packed: Cell<u64>,
    /// Bytes of the pieces.
    spooled: Cell<u64>,
}

impl<'a> Spool<'a> {
    pub(super) fn new(spooling: &'a Spooling<'a>) -> Self {
        Self::with(spooling, Rc::default())
    }

    fn with(spooling: &'a Spooling<'a>, account: Rc<Account>) -> Self {
        Spool(Rc::new(Inner { spooling, file: OnceCell::new(), len: Cell::new(0), account }))
    }

    /// Another file for the same input, so that two pieces can be written at once.
    pub(super) fn another(&self) -> Self {
        Self::with(self.0.spooling, Rc::clone(&self.0.account))
    }

    /// How the input is spooled.
    pub(super) fn spooling(&self) -> &'a Spooling<'a> {
        self.0.spooling
    }

    /// Counts bytes of the input itself, which the limit is relative to.
    pub(super) fn count_packed(&self, bytes: u64) {
        let packed = &self.0.account.packed;
        packed.set(packed.get().saturating_add(bytes));
    }

    /// A stream whose bytes are counted as [`Self::count_packed`] does.
    pub(super) fn counted<R: Read>(&self, stream: R) -> Counted<'a, R> {
        Counted { stream, spool: self.clone() }
    }

    /// Begins a piece. It must end before the next one begins.
    pub(super) fn piece(&self) -> Piece<'a> {
        let spooled = &self.0.account.spooled;
        spooled.set(spooled.get().saturating_add(PIECE_COST));
        Piece { spool: self.clone(), start: self.0.len.get(), len: 0 }
    }

    fn file(&self) -> io::Result<&Arc<OpenFile>> {
        if let Some(file) = self.0.file.get() {
            return Ok(file);
        }
        let file = tempfile::tempfile_in(&self.0.spooling.dir).map_err(|e| self.in_dir(&e))?;
        Ok(self.0.file.get_or_init(|| Arc::new(OpenFile::temporary(file))))
    }

    /// Names the directory in an error: the disk that is full is often not that of the output.
    fn in_dir(&self, error: &io::Error) -> io::Error {
        let dir = self.0.spooling.dir.display();
        io::Error::new(error.kind(), format!("a temporary file in {dir}: {error}"))
    }

    /// Accounts for more bytes; an error if they exceed the limit.
    fn take(&self, bytes: u64) -> io::Result<()> {
        let Account { packed, spooled } = &*self.0.account;
        let by_ratio = || packed.get().saturating_mul(MAX_RATIO).max(MIN_LIMIT);
        let limit = self.0.spooling.max_spool.unwrap_or_else(by_ratio);
        let all = spooled.get().saturating_add(bytes);
        if all > limit {
            let rule = match self.0.spooling.max_spool {
                Some(_) => String::new(),
                None => format!(" ({MAX_RATIO} times the input, at least 1 GiB)"),
            };
            let dir = self.0.spooling.dir.clone();
            return Err(SpoolLimit { dir, limit, rule }.into());
        }
        spooled.set(all);
        Ok(())
    }
}

/// A stream whose bytes are counted.
pub(super) struct Counted<'a, R> {
    stream: R,
    spool: Spool<'a>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buf)?;
        self.spool.count_packed(read as u64);
        Ok(read)
    }
}

/// The piece that is being written. Dropping it frees its space for the next one.
pub(super) struct Piece<'a> {
    spool: Spool<'a>,
    start: u64,
    len: u64,
}

impl Piece<'_> {
    /// Bytes written so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Ends the piece.
    pub(super) fn finish(mut self) -> io::Result<FileInput> {
        let input = FileInput::part(Arc::clone(self.spool.file()?), self.start, self.len);
        self.spool.0.len.set(self.start + self.len);
        self.len = 0;
        Ok(input)
    }
}

impl Write for Piece<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.spool.spooling().check()?;
        self.spool.take(data.len() as u64)?;
        let at = self.start + self.len;
        self.spool.file()?.write_all_at(data, at).map_err(|e| self.spool.in_dir(&e))?;
        self.len += data.len() as u64;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        let spooled = &self.spool.0.account.spooled;
        spooled.set(spooled.get().saturating_sub(self.len));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapquarry_formats::Input;

    fn text(input: &FileInput) -> String {
        String::from_utf8(input.head(100).unwrap()).unwrap()
    }

    #[test]
    fn pieces_share_a_file_and_the_room_of_those_that_are_dropped() {
        let spooling = Spooling::to_temp(None);
        let spool = Spool::new(&spooling);
        let write = |text: &str| {
            let mut piece = spool.piece();
            piece.write_all(text.as_bytes()).unwrap();
            piece
        };
        let first = write("first").finish().unwrap();
        drop(write("a longer piece that nobody wants"));
        let second = write("second").finish().unwrap();
        let empty = spool.piece().finish().unwrap();
        assert_eq!(
            (text(&first), text(&second), text(&empty)),
            ("first".into(), "second".into(), "".into())
        );
        assert_eq!(first.size() + second.size(), spool.0.len.get());
        assert_eq!(spool.0.account.spooled.get(), 11 + 4 * PIECE_COST);
    }

    #[test]
    fn the_limit_is_the_users_or_follows_the_input() {
        let mut spooling = Spooling::to_temp(None);
        for (max_spool, packed, fits, too_much) in [
            (Some(5000), 1 << 40, 5000 - PIECE_COST, 5001 - PIECE_COST),
            (None, 0, MIN_LIMIT - PIECE_COST, MIN_LIMIT),
            (None, 20 << 20, (20 << 20) * MAX_RATIO - PIECE_COST, (20 << 20) * MAX_RATIO),
        ] {
            spooling.max_spool = max_spool;
            let spool = Spool::new(&spooling);
            spool.count_packed(packed);
            let _piece = spool.piece();
            let error = spool.take(too_much).unwrap_err().to_string();
            assert!(error.contains("would exceed"), "{error}");
            assert!(error.contains(&spooling.dir.display().to_string()), "{error}");
            spool.take(fits).unwrap();
            assert!(spool.another().take(1).is_err(), "all files of an input count");
        }
    }
}
