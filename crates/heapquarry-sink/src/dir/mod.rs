//! A directory of Parquet files that appears only when it is finished.

mod appender;
mod careful;
mod drafts;
mod durable;
mod file;
mod footer;
mod lock;
mod names;
mod orders;
mod ours;
mod pack;
mod partial;
mod place;
mod rename;
mod syncer;
mod unfinished;
mod written;

use crate::{Error, ErrorKind, Layout, RowGroup, WriteOptions};
use appender::FilePaths;
use arrow_array::RecordBatch;
pub use careful::{careful, same_file, same_owner};
pub use drafts::{Draft, FileDir};
use file::{Piece, TableFile};
use heapquarry_tables::{Projection, Reorder, Table, sync::unpoisoned};
use pack::Encoders;
use partial::Partial;
pub use place::{Place, Stream};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};
use syncer::Syncer;
pub use unfinished::{Remove, Unfinished, remove_all, remove_folder};
use written::Written;

/// Its presence shows that a directory is complete.
const MANIFEST: &str = "_manifest.json";
/// The end of the names of files in [`Layout::Hive`].
const PART: &str = "/part-0.parquet";
/// Number of row groups per file that may be handed in early without waiting, besides the one that is being written.
const WINDOW: u64 = 3;
/// Total bytes of row groups that may wait beyond those.
const WAITING: usize = 64 << 20;

/// A directory of Parquet files that appears only when it is finished.
///
/// It is written under a hidden name beside its final one. Workers share it and hand in row groups in any order; each
/// is written when its turn comes. [`commit`](Self::commit) renames the directory into place; dropping it without that
/// removes it. The next run with the same output removes what a dead run has left behind.
///
/// Only its owner can enter it, unless [`set_mode`](Self::set_mode) says otherwise. A directory that replaces another
/// of the same owner takes over its permissions.
pub struct ParquetDir {
    layout: Layout,
    /// Folders between that of a table and that of a part, each with `/` at its end.
    labels: String,
    /// The columns that are written.
    projection: Projection,
    /// Encodes rows that share row groups.
    encoders: Encoders,
    state: Mutex<State>,
    /// Notified when a row group was written, and at the end of the run.
    changed: Condvar,
    syncer: Arc<Syncer>,
    /// Maximum number of bytes that may wait.
    limit: usize,
    /// The files that are complete.
    written: Written,
    /// Whether all files have been closed.
    closed: bool,
    partial: Option<Partial>,
}

#[derive(Default)]
struct State {
    files: BTreeMap<Key, Slot>,
    /// Bytes of row groups that wait for an earlier row group.
    waiting: usize,
    /// Number of the last mark.
    mark: u64,
    /// Set after an error, after [`ParquetDir::cancel`], and when all tables are closed.
    over: bool,
}

/// Order in which files are reported: position of the table in the list of tables, its name, part.
type Key = (usize, &'static str, String);

/// A file and the row groups that wait for it.
struct Slot {
    table: &'static Table,
    /// Waiting row groups by number.
    groups: Reorder<Piece>,
    /// The last mark before the last written row group, and the number of the first row group after that mark.
    mark: (u64, u64),
    /// `None` while a call writes to it.
    file: Option<TableFile>,
}

/// A file of a table that has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTable {
    /// The table.
    pub table: &'static Table,
    /// Path of the file in the directory, with `/`.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of its bytes: XXH3 of 64 bits.
    pub xxh3: u64,
}

/// Key-value pairs of a footer.
pub type Pairs = Vec<(String, String)>;

/// A directory that has been renamed into place.
#[derive(Debug)]
pub struct Committed {
    /// Its path, as given.
    pub path: PathBuf,
    /// A problem that does not affect the data: [`ErrorKind::NotDurable`], [`ErrorKind::Kept`].
    pub warning: Option<Error>,
}

impl ParquetDir {
    /// Whether [`create`](Self::create) would accept this path now, for work that should not be done in vain.
    ///
    /// # Errors
    ///
    /// If `path` exists and must not be replaced.
    pub fn check_place(path: &Path, force: bool) -> Result<(), Error> {
        ours::replaceable(&names::Names::of(path)?.target(), path, force).map(drop)
    }

    /// Starts a directory that will be renamed to `path`. Fails if `path` exists, or with `force` replaces it when the
    /// new directory is complete. Only an empty directory can be replaced, or one that holds a `_manifest.json` of
    /// heapquarry, the files that it names, `views.sql`, and nothing else. Files have the columns of `projection`.
    /// [`append_rows`](Self::append_rows) encodes as `write` says.
    ///
    /// # Errors
    ///
    /// If `path` exists and must not be replaced, or its parent cannot be written to.
    pub fn create(
        path: &Path,
        force: bool,
        layout: Layout,
        projection: Projection,
        write: WriteOptions,
    ) -> Result<Self, Error> {
        Ok(ParquetDir {
            layout,
            labels: String::new(),
            projection,
            encoders: Encoders::new(write),
            state: Mutex::default(),
            changed: Condvar::new(),
            syncer: Arc::default(),
            limit: WAITING,
            written: Written::default(),
            closed: false,
            partial: Some(Partial::create(path, force)?),
        })
    }

    /// Sets the final permissions of the directory: bits as for `chmod`. Has no effect on systems without them.
    pub fn set_mode(&mut self, mode: u32) {
        self.partial.as_mut().expect("there until the end").set_mode(mode);
    }

    /// Leaves it to the system when the directory is written to the disk: a power failure can undo it, or a part of it.
    /// For directories that somebody will read soon, and then remove. Row groups of fewer than `min_copied` rows are
    /// not compressed: the reader decodes them. It copies others as they are stored.
    pub fn set_temporary(&mut self, min_copied: usize) {
        self.syncer.turn_off();
        self.encoders.min_compressed = min_copied;
    }

    /// Sets the maximum number of rows of a row group that small documents share; 131,072 by default.
    pub fn set_max_shared_rows(&mut self, rows: usize) {
        self.encoders.max_rows = rows;
    }

    /// Sets the folders `KEY=VALUE` between that of a table and that of a part in [`Layout::Hive`], with `/` between
    /// them. Must be called before tables are declared.
    pub fn set_labels(&mut self, folders: &str) {
        self.labels = if folders.is_empty() { String::new() } else { format!("{folders}/") };
    }

    /// Fails if the directory to be replaced contains one of these files, or is one of them.
    ///
    /// # Errors
    ///
    /// If there is such a file: [`ErrorKind::NotReplaced`].
    pub fn check_inputs<P: AsRef<Path>>(&self, inputs: &[P]) -> Result<(), Error> {
        self.partial().check_inputs(inputs)
    }

    /// Declares a table's file, so that it exists even without rows. `part` names the input in [`Layout::Hive`]; in
    /// [`Layout::Flat`] it is ignored. May be called again.
    ///
    /// # Errors
    ///
    /// If `part` cannot be part of a file name.
    pub fn declare(&self, table: &'static Table, part: &str) -> Result<(), Error> {
        let key = self.key(table, part)?;
        self.slot(&mut self.lock(), key, table);
        Ok(())
    }

    /// Hands in row group number `seq`, counted from 0 for each file. Row groups are written in the order of their
    /// numbers. An early one is kept; if too many are kept already, the call waits.
    ///
    /// The row group that is written next never waits. So workers cannot deadlock as long as none of them holds back a
    /// row group, or a lock that another worker needs to make one, while it waits here. A worker that gives up must
    /// call [`cancel`](Self::cancel).
    ///
    /// # Errors
    ///
    /// If the file cannot be written. This call returns that error, and all others are cancelled.
    ///
    /// # Panics
    ///
    /// If the row group was handed in before.
    pub fn append(
        &self,
        table: &'static Table,
        part: &str,
        seq: u64,
        group: RowGroup,
    ) -> Result<(), Error> {
        self.hand_in(table, part, seq, Piece::Group(group))
    }

    /// Hands in number `seq` like [`append`](Self::append): the rows of a table of a small document. They share a row
    /// group with those of neighbouring documents, so that a file of many small documents has few row groups.
    ///
    /// # Errors
    /// The errors of [`append`](Self::append), and an error if Parquet cannot hold a value.
    ///
    /// # Panics
    /// If number `seq` was handed in before.
    pub fn append_rows(
        &self,
        table: &'static Table,
        part: &str,
        seq: u64,
        rows: RecordBatch,
    ) -> Result<(), Error> {
        self.hand_in(table, part, seq, Piece::Rows(rows))
    }

    /// Encodes a batch, on any thread. Encoders that are idle are used again, for other documents too.
    ///
    /// # Errors
    /// The errors of [`Encoder::encode`](crate::Encoder::encode).
    ///
    /// # Panics
    /// If the batch is not one of that table.
    pub fn encode(&self, table: &'static Table, batch: &RecordBatch) -> Result<RowGroup, Error> {
        self.encoders.encode(table, batch)
    }

    fn hand_in(
        &self,
        table: &'static Table,
        part: &str,
        seq: u64,
        piece: Piece,
    ) -> Result<(), Error> {
        let bytes = piece.bytes();
        let key = self.key(table, part)?;
        let mut state = self.lock();
        loop {
            if state.over {
                return Err(Error::new(ErrorKind::Cancelled));
            }
            let waiting = state.waiting;
            let slot = self.slot(&mut state, key.clone(), table);
            if seq < slot.groups.position() + WINDOW || waiting + bytes <= self.limit {
                break;
            }
            state = unpoisoned(self.changed.wait(state));
        }
        state.waiting += bytes;
        let slot = self.slot(&mut state, key.clone(), table);
        let is_new = slot.groups.insert(seq..seq + 1, piece);
        assert!(is_new, "{}: row group {seq} was appended twice", table.name);
        let Some(file) = slot.file.take() else {
            return Ok(()); // The call that writes to the file finds it.
        };
        drop(state);
        self.write_waiting(&key, file)
    }

    /// Writes the row groups of a file whose turn has come. Only one call at a time holds the file; the others do not
    /// wait for it.
    fn write_waiting(&self, key: &Key, mut file: TableFile) -> Result<(), Error> {
        // On any failure, other calls must not wait for a row group that will not be written.
        let on_failure = Cancel(self);
        loop {
            let mut state = self.lock();
            let (over, mark) = (state.over, state.mark);
            let slot = state.files.get_mut(key).expect("files stay until the tables' end");
            let number = slot.groups.position();
            let piece = match over {
                true => None,
                false => slot.groups.next(),
            };
            if piece.is_some() && slot.mark.0 != mark {
                slot.mark = (mark, number);
            }
            let Some(piece) = piece else {
                slot.file = Some(file);
                drop(state);
                std::mem::forget(on_failure);
                return if over { Err(Error::new(ErrorKind::Cancelled)) } else { Ok(()) };
            };
            state.waiting -= piece.bytes();
            drop(state);
            self.changed.notify_all();
            file.append(piece, mark, &self.encoders)?;
        }
    }

    /// Sets the mark for [`roll_back`](Self::roll_back). No call of [`append`](Self::append) may be running.
    pub fn mark(&self) {
        self.lock().mark += 1;
    }

    /// Removes all row groups that were handed in since the last mark. No call of [`append`](Self::append) may be
    /// running.
    ///
    /// # Errors
    ///
    /// If a file cannot be truncated, or the run was cancelled.
    pub fn roll_back(&self) -> Result<(), Error> {
        let mut state = self.lock();
        let state = &mut *state;
        for slot in state.files.values_mut() {
            let file = slot.file.as_mut().filter(|_| !state.over);
            file.ok_or_else(|| Error::new(ErrorKind::Cancelled))?.roll_back(state.mark)?;
            let next = match slot.mark {
                (mark, first) if mark == state.mark => first,
                _ => slot.groups.position(),
            };
            slot.groups = Reorder::starting_at(next);
        }
        state.waiting = 0;
        Ok(())
    }

    /// Cancels the run: all waiting and later calls return an error.
    pub fn cancel(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// Writes another file into the directory, such as the manifest or views.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or `name` is not a plain file name.
    pub fn write_file(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.write_file_with(name, |out| out.write_all(content))
    }

    /// Writes another file into the directory, piece by piece.
    ///
    /// # Errors
    ///
    /// The errors of [`write_file`](Self::write_file) and of `write`.
    pub fn write_file_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let name = plain_name(name)?;
        let partial = self.partial();
        let written = File::create(partial.path().join(name)).and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out).and_then(|()| out.flush())
        });
        written.map_err(|e| Error::io(partial.shown().join(name), "write output", e))
    }

    /// Closes all files. `metadata` returns the key-value pairs for the footer of a table's file of a part. Returns
    /// what was written, in the order of [`heapquarry_tables::all`], then by part.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, a row group is missing, or the run was cancelled.
    pub fn close_tables(
        &mut self,
        metadata: &dyn Fn(&Table, &str) -> Pairs,
    ) -> Result<Vec<WrittenTable>, Error> {
        let state = unpoisoned(self.state.get_mut());
        if std::mem::replace(&mut state.over, true) {
            return Err(Error::new(ErrorKind::Cancelled));
        }
        for (key, slot) in std::mem::take(&mut state.files) {
            self.close(key, slot, metadata)?;
        }
        self.closed = true;
        Ok(self.written.take())
    }

    /// Closes the files of a part in [`Layout::Hive`], as [`close_tables`](Self::close_tables) does, once all its rows
    /// have been handed in. This frees their footers, which grow with the row groups, when there are many parts.
    ///
    /// # Errors
    /// The errors of [`close_tables`](Self::close_tables).
    pub fn close_part(
        &mut self,
        part: &str,
        metadata: &dyn Fn(&Table, &str) -> Pairs,
    ) -> Result<(), Error> {
        let state = unpoisoned(self.state.get_mut());
        if state.over {
            return Err(Error::new(ErrorKind::Cancelled));
        }
        let keys: Vec<Key> = state.files.keys().filter(|key| key.2 == part).cloned().collect();
        let done: Vec<_> = keys.iter().filter_map(|key| state.files.remove_entry(key)).collect();
        done.into_iter().try_for_each(|(key, slot)| self.close(key, slot, metadata))
    }

    fn close(
        &mut self,
        key: Key,
        slot: Slot,
        metadata: &dyn Fn(&Table, &str) -> Pairs,
    ) -> Result<(), Error> {
        let file = slot.file.ok_or_else(|| Error::new(ErrorKind::Cancelled))?;
        if !slot.groups.is_empty() {
            let (path, row_group) = (file.shown().clone(), slot.groups.position());
            return Err(Error::new(ErrorKind::Missing { path, row_group }));
        }
        let totals = file.close(metadata(slot.table, &key.2), &self.encoders)?;
        let written = WrittenTable {
            table: slot.table,
            file: self.relative(slot.table, &key.2),
            rows: totals.rows,
            row_groups: totals.row_groups,
            bytes: totals.bytes,
            xxh3: totals.xxh3,
        };
        self.written.push(key.0, written);
        Ok(())
    }

    /// Makes everything durable and renames the directory into place. Tables that were not closed are closed, without
    /// metadata.
    ///
    /// # Errors
    ///
    /// If the run was cancelled, something cannot be written, or the name was taken meanwhile. The new directory is
    /// then removed. The directory to be replaced is unchanged, or kept as [`ErrorKind::SetAside`] says.
    pub fn commit(mut self) -> Result<Committed, Error> {
        if !self.closed {
            self.close_tables(&|_, _| Vec::new())?;
        }
        self.syncer.finish()?;
        let is_durable = !self.syncer.is_off();
        self.partial.take().expect("there until the end").publish(is_durable)
    }

    fn partial(&self) -> &Partial {
        self.partial.as_ref().expect("there until the end")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        unpoisoned(self.state.lock())
    }

    fn relative(&self, table: &Table, part: &str) -> String {
        match self.layout {
            Layout::Flat => format!("{}.parquet", table.name),
            Layout::Hive => format!("{}/{}source={part}{PART}", table.name, self.labels),
        }
    }

    fn key(&self, table: &'static Table, part: &str) -> Result<Key, Error> {
        let part = match self.layout {
            Layout::Flat => "",
            Layout::Hive => plain_name(part)?,
        };
        let position = heapquarry_tables::all().position(|t| t == table).unwrap_or(usize::MAX);
        Ok((position, table.name, part.to_owned()))
    }

    /// The slot of a key; declares the file if needed.
    fn slot<'a>(&self, state: &'a mut State, key: Key, table: &'static Table) -> &'a mut Slot {
        let relative = self.relative(table, &key.2);
        state.files.entry(key).or_insert_with(|| {
            let partial = self.partial();
            let paths = FilePaths {
                root: partial.path(),
                path: partial.path().join(&relative),
                shown: partial.shown().join(&relative),
            };
            let release = self.layout == Layout::Hive;
            let columns = self.projection.columns(table);
            let file = TableFile::new(table, columns, paths, self.syncer.clone(), release);
            Slot { table, groups: Reorder::default(), mark: (0, 0), file: Some(file) }
        })
    }
}

impl Drop for ParquetDir {
    fn drop(&mut self) {
        // Files before their directory: some systems require it.
        unpoisoned(self.state.get_mut()).files.clear();
        self.partial = None;
    }
}

/// Cancels the run when dropped.
struct Cancel<'a>(&'a ParquetDir);

impl Drop for Cancel<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A name that is a plain file name on every system.
fn plain_name(name: &str) -> Result<&str, Error> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    if name.is_empty() || name.starts_with('.') || !name.bytes().all(plain) {
        return Err(Error::new(ErrorKind::Name { name: name.to_owned() }));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoder, WriteOptions};
    use arrow_array::Int64Array;
    use heapquarry_tables::{JS_HEAP_SAMPLE, arrays, js_heap_sample};
    use std::{thread, time::Duration};

    fn dir(parent: &Path) -> ParquetDir {
        let path = parent.join("out");
        let mut dir = ParquetDir::create(
            &path,
            false,
            Layout::Flat,
            Projection::all(),
            WriteOptions::default(),
        )
        .unwrap();
        dir.limit = 0;
        dir
    }

    fn group() -> RowGroup {
        let number = || Arc::new(Int64Array::from(vec![1]));
        let batch = js_heap_sample::Columns {
            file_id: arrays::constant_i32(Some(0), 1),
            timestamp_us: number(),
            last_assigned_id: number(),
        }
        .into_batch();
        Encoder::new(&WriteOptions::default()).encode(&JS_HEAP_SAMPLE, &batch).unwrap()
    }

    #[test]
    fn a_row_group_that_comes_far_too_early_waits() {
        let parent = tempfile::tempdir().unwrap();
        let mut dir = dir(parent.path());
        thread::scope(|scope| {
            let early = scope.spawn(|| dir.append(&JS_HEAP_SAMPLE, "", 10, group()));
            for seq in 0..10 {
                thread::sleep(Duration::from_millis(2));
                assert!(seq > 10 - WINDOW || !early.is_finished());
                dir.append(&JS_HEAP_SAMPLE, "", seq, group()).unwrap();
            }
            early.join().unwrap().unwrap();
        });
        assert_eq!(dir.lock().waiting, 0);
        assert_eq!(dir.close_tables(&|_, _| vec![]).unwrap()[0].row_groups, 11);
    }

    #[test]
    fn cancelling_ends_all_waiting() {
        let parent = tempfile::tempdir().unwrap();
        let dir = dir(parent.path());
        thread::scope(|scope| {
            let early = |seq| {
                let dir = &dir;
                scope.spawn(move || dir.append(&JS_HEAP_SAMPLE, "", seq, group()))
            };
            let calls = [5, 10, 15].map(early);
            thread::sleep(Duration::from_millis(10));
            dir.cancel();
            for call in calls {
                assert!(call.join().unwrap().unwrap_err().is_cancelled());
            }
        });
    }

    #[test]
    #[should_panic(expected = "row group 0 was appended twice")]
    fn a_row_group_comes_once() {
        let parent = tempfile::tempdir().unwrap();
        let dir = dir(parent.path());
        dir.append(&JS_HEAP_SAMPLE, "", 0, group()).unwrap();
        let _ = dir.append(&JS_HEAP_SAMPLE, "", 0, group());
    }
}
