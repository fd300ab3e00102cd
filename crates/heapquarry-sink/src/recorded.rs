//! What is recorded of the files of a directory, to tell later whether they are still the same.

use crate::{Error, TableReader};
use heapquarry_tables::{FileId, Table};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};
use xxhash_rust::xxh3::Xxh3Default;

/// A document with a smaller part of the rows in its files is not looked at: the files of many documents would be read
/// as a whole for each of them.
const SMALLEST_PART: u64 = 4;
/// Size of a read in bytes.
const PIECE: usize = 1 << 20;

/// A file of a table, as it was written.
#[derive(Clone, Debug)]
pub struct RecordedFile {
    /// The name of the table.
    pub table: String,
    /// Path of the file in the directory, with `/`.
    pub file: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of its bytes ([`WrittenTable::xxh3`](crate::WrittenTable::xxh3)), if it is known.
    pub xxh3: Option<u64>,
}

impl RecordedFile {
    /// Whether the file has the bytes that were written. Not if their checksum is not known, or `stop` becomes true
    /// before the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn is_unchanged(&self, dir: &Path, stop: impl Fn() -> bool) -> io::Result<bool> {
        let Some(expected) = self.xxh3 else { return Ok(false) };
        let mut file = File::open(dir.join(&self.file))?;
        if file.metadata()?.len() != self.bytes {
            return Ok(false);
        }
        let mut xxh3 = Xxh3Default::new();
        let mut piece = vec![0; PIECE];
        while !stop() {
            match file.read(&mut piece) {
                Ok(0) => return Ok(xxh3.digest() == expected),
                Ok(read) => xxh3.update(&piece[..read]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(false)
    }
}

/// The files with the rows of a document, one for each of these tables. `None` if other files have some too, a file was
/// not recorded, the document has no rows of the first table, or the files are mostly of other documents.
///
/// # Errors
/// If the directory or a file cannot be read, or is not Parquet.
pub fn files_of<'r>(
    dir: &Path,
    tables: &[&'static Table],
    document: FileId,
    recorded: &'r [RecordedFile],
) -> Result<Option<Vec<&'r RecordedFile>>, Error> {
    let mut files: Vec<&RecordedFile> = Vec::with_capacity(tables.len());
    let (mut mine, mut all) = (0u64, 0u64);
    for &table in tables {
        let Some(reader) = TableReader::open(dir, table)? else { return Ok(None) };
        let mut of_table = recorded.iter().filter(|file| file.table == table.name);
        let file = match files.first() {
            None => {
                let Some(first) = reader.groups_of(&[document]).next() else { return Ok(None) };
                of_table.find(|file| dir.join(&file.file) == reader.file(first))
            }
            // In both layouts the files of a document are called the same, but for the name of the table in front.
            Some(first) => {
                let end = first.file.strip_prefix(&first.table);
                of_table.find(|file| file.file.strip_prefix(table.name) == end)
            }
        };
        let Some(file) = file else { return Ok(None) };
        let path = dir.join(&file.file);
        for group in reader.groups_of(&[document]) {
            if *reader.file(group) != path {
                return Ok(None);
            }
            mine = mine.saturating_add(reader.rows_of(group));
        }
        let in_file = (0..reader.row_groups()).filter(|&group| *reader.file(group) == path);
        all = in_file.map(|group| reader.rows_of(group)).fold(all, u64::saturating_add);
        files.push(file);
    }
    Ok((mine.saturating_mul(SMALLEST_PART) >= all).then_some(files))
}
