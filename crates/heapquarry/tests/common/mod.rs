//! What tests of the library share.
#![allow(dead_code, reason = "each test uses a part of it")]

use arrow_array::RecordBatch;
use heapquarry::{BatchOptions, Document, Error, Source, batches, tables::Table};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Every input of the corpus: all files in all of its folders but texts about them.
pub(crate) fn inputs() -> Vec<PathBuf> {
    let mut folders = vec![corpus()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_text = path.extension().is_some_and(|extension| extension == "md");
            match path.is_dir() {
                // The golden files there are no inputs.
                true if path.ends_with("devtools") => {}
                true => folders.push(path),
                false if is_text => {}
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

/// All rows of a source in the plain schema: one batch for each table, the tables by name.
pub(crate) type Tables = BTreeMap<&'static str, RecordBatch>;

/// Reads all tables of a source.
pub(crate) fn read(
    source: Source,
    options: &BatchOptions,
) -> Result<(Tables, Vec<Document>), Error> {
    let mut parts: BTreeMap<&'static str, (&'static Table, Vec<RecordBatch>)> = BTreeMap::new();
    let mut batches = batches(&[source], options)?;
    for batch in &mut batches {
        let (table, batch) = batch?;
        parts.entry(table.name).or_insert((table, Vec::new())).1.push(batch);
    }
    let whole = |(name, (table, parts)): (_, (&'static Table, Vec<RecordBatch>))| {
        let plain: Vec<_> = parts.iter().map(|batch| table.expand(batch).unwrap()).collect();
        let schema = plain[0].schema();
        (name, arrow_select::concat::concat_batches(&schema, &plain).unwrap())
    };
    let tables = parts.into_iter().map(whole).filter(|(_, batch)| batch.num_rows() > 0);
    Ok((tables.collect(), batches.documents().to_vec()))
}
