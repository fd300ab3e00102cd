//! What is stored of processes: the memory of those of snapshots, and what was seen of those that were watched.

use super::ConvertedDir;
use crate::{Error, ErrorKind, Result, RunOptions, recorded::WATCH};
use arrow_array::RecordBatch;
use heapquarry_formats::Code;
use heapquarry_process::{Isolate, Recording, Sample};
use heapquarry_rows::stored::{StoredTables, process};
use heapquarry_tables::{
    FileId, ISOLATE, PROCESS_ALLOCATION, PROCESS_COLLECTION, PROCESS_MAP, PROCESS_SAMPLE,
    PROCESS_WATCH, Table,
};

impl ConvertedDir {
    /// The memory of the process of a document, or of the only heap, when it was taken; `None` if it is not stored.
    pub fn process(&self, document: Option<usize>, run: &RunOptions) -> Result<Option<Sample>> {
        let heaps: Vec<usize> = self.heaps().collect();
        let document = match (document, &heaps[..]) {
            (Some(document), _) => document,
            (None, [only]) => *only,
            (None, _) => return Ok(None),
        };
        if self.table(&PROCESS_SAMPLE)?.is_none() || self.table(&PROCESS_MAP)?.is_none() {
            return Ok(None);
        }
        // The sample of a document has the first row.
        Ok(self.samples(FileId::at(document), run)?.into_iter().next())
    }

    /// The isolates of its documents, if it has several, and all of them are heaps: the numbers of the documents, and
    /// which isolate each is of.
    ///
    /// # Errors
    /// If their table cannot be read.
    pub fn isolates(&self, run: &RunOptions) -> Result<Option<Vec<(usize, Isolate)>>> {
        let heaps: Vec<usize> = self.heaps().collect();
        if heaps.len() < 2 || !self.has_only_heaps() || self.table(&ISOLATE)?.is_none() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for document in heaps {
            let mut isolate = None;
            self.each(&ISOLATE, &process::ISOLATE, FileId::at(document), run, |batch| {
                isolate = isolate.take().or_else(|| process::isolate(batch));
            })?;
            // One that is of no isolate is of another process, or of another time.
            let Some(isolate) = isolate else { return Ok(None) };
            found.push((document, isolate));
        }
        Ok(Some(found))
    }

    /// Whether it has what was seen of watched processes, and nothing else.
    pub fn is_of_watches(&self) -> bool {
        let mut plain = self.plain().peekable();
        plain.peek().is_some() && plain.all(|document| document.format == WATCH)
    }

    /// The watch with that number, or the only one, with its name.
    ///
    /// # Errors
    /// If there is no such watch, or the directory cannot be read.
    pub fn recording(
        self,
        document: Option<usize>,
        run: &RunOptions,
    ) -> Result<(String, Recording)> {
        let all: Vec<_> =
            self.plain().map(|found| (found.file_id.position(), found.name.clone())).collect();
        let chosen = match document {
            None if all.len() == 1 => all.first(),
            None => None,
            Some(wanted) => all.iter().find(|(number, _)| *number == wanted),
        };
        let Some((number, name)) = chosen.cloned() else {
            return Err(Error::new(ErrorKind::Document { path: self.path, document, names: all }));
        };
        let of = FileId::at(number);
        let mut recording = Recording { samples: self.samples(of, run)?, ..Recording::default() };
        self.each(&PROCESS_WATCH, &process::WATCH, of, run, |batch| {
            process::watch(batch, &mut recording)
        })?;
        let mut collections = Vec::new();
        self.each(&PROCESS_COLLECTION, &process::COLLECTION, of, run, |batch| {
            collections.extend(process::collections(batch));
        })?;
        recording.collections = recording.major_count.map(|_| collections);
        // Older versions have no such table.
        if let Some(allocations) = &mut recording.allocations
            && self.table(&PROCESS_ALLOCATION)?.is_some()
        {
            self.each(&PROCESS_ALLOCATION, &process::ALLOCATION, of, run, |batch| {
                allocations.calls.extend(process::calls(batch));
            })?;
        }
        let log = self.of(&[of], run)?.into_iter().flat_map(|document| document.log);
        let notes = log.filter(|entry| entry.code == Code::NotObserved);
        recording.notes = notes.map(|entry| entry.message).collect();
        Ok((name, recording))
    }

    /// The samples of a document, with their maps.
    fn samples(&self, of: FileId, run: &RunOptions) -> Result<Vec<Sample>> {
        let mut found = Vec::new();
        self.each(&PROCESS_SAMPLE, &process::SAMPLE, of, run, |batch| {
            found.extend(process::samples(batch))
        })?;
        self.each(&PROCESS_MAP, &process::MAP, of, run, |batch| {
            for (index, total) in process::maps(batch) {
                if let Some(sample) = found.get_mut(index) {
                    sample.system.maps.push(total);
                }
            }
        })?;
        Ok(found)
    }

    /// Passes on the rows of a document. Columns that may be NULL need not be there: an older version did not write
    /// them.
    fn each(
        &self,
        table: &'static Table,
        columns: &[&str],
        of: FileId,
        run: &RunOptions,
        take: impl FnMut(&RecordBatch) + Send,
    ) -> Result<()> {
        let mut take = take;
        let missing = || self.has_no(table);
        let stored = self.table(table)?.ok_or_else(missing)?.columns();
        let may_lack = |name: &str| table.column(name).is_some_and(|at| table.columns[at].nullable);
        let is_read = |column: &&str| stored.contains(column) || !may_lack(column);
        let columns: Vec<&str> = columns.iter().copied().filter(is_read).collect();
        let tables = self.tables(vec![of], run);
        tables.each(table, &columns, |batch| batch, |batch| take(&batch))
    }
}
