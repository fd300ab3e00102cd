//! Every file of the corpus, and of more data if there is some, gives what the oracle says.

mod common;
mod oracle;

use common::{
    BOTH, assert_groups, assert_readings, assert_tables, corpus, documents, handmade, options,
    read, usual,
};
use std::{env, path::PathBuf};

fn check(name: &str, document: &[u8]) {
    for names in BOTH {
        let what = format!("{name}, {names:?}");
        let found = read(&document, usual(names)).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_tables(&oracle::tables(document, names), &found.tables, &what);
        let found = Ok(found);
        for rows in [1, 7, 1000] {
            // Each group of one row costs as much as a long one: a few thousand are enough.
            if document.len() > rows * 200_000 {
                continue;
            }
            let what = format!("{what}, groups of {rows}");
            let small = read(&document, options(names, rows, 4096));
            assert_readings(&found, &small, false, &what);
            assert_groups(small.as_ref().expect("compared"), rows, &what);
        }
    }
}

#[test]
fn handmade_files_are_as_the_oracle_says() {
    let documents = handmade();
    assert!(documents.len() >= 28);
    documents.iter().for_each(|(name, document)| check(name, document));
}

#[test]
fn recordings_are_as_the_oracle_says() {
    let documents = documents(&corpus(), false);
    assert!(documents.len() >= 9);
    documents.iter().for_each(|(name, document)| check(name, document));
}

/// `HEAPQUARRY_EXTRA_DATA` names a folder of recordings too large or not free to be part of the repository.
#[test]
fn extra_data_is_as_the_oracle_says() {
    let Some(folder) = env::var_os("HEAPQUARRY_EXTRA_DATA").map(PathBuf::from) else {
        eprintln!("skipped: HEAPQUARRY_EXTRA_DATA is not set");
        return;
    };
    let documents = documents(&folder.join("v8"), true);
    assert!(!documents.is_empty(), "{}: no snapshots in v8/", folder.display());
    for (name, document) in &documents {
        eprintln!("{name}: {} bytes", document.len());
        check(name, document);
    }
}
