//! The end of a process in the middle of its work: nothing unfinished is left, and what is finished stays.

use heapquarry_sink::{FileDir, Layout, ParquetDir, WriteOptions, remove_all};
use heapquarry_tables::{JS_HEAP_SAMPLE, Projection};
use std::{collections::BTreeSet, fs, path::Path};

fn begun(path: &Path, layout: Layout) -> ParquetDir {
    let options = WriteOptions::default();
    let dir = ParquetDir::create(path, false, layout, Projection::all(), options).unwrap();
    let part = if layout == Layout::Hive { "p" } else { "" };
    dir.declare(&JS_HEAP_SAMPLE, part).unwrap();
    dir.write_file("views.sql", b"").unwrap();
    dir
}

/// A test of its own process, as nothing can be made afterwards.
#[test]
fn all_that_is_unfinished_is_removed_at_the_end() {
    let parent = tempfile::tempdir().unwrap();
    let at = |name: &str| parent.path().join(name);
    let no_inputs: &[&Path] = &[];
    // Finished: a directory, and files in a folder that is there and in a new one.
    begun(&at("done"), Layout::Flat).commit().unwrap();
    let file = |dir: &mut FileDir, name: &str| {
        let mut draft = dir.create(name, false).unwrap();
        draft.write(b"half").unwrap();
        draft.commit().unwrap();
    };
    let mut files = FileDir::open(parent.path(), no_inputs).unwrap();
    file(&mut files, "a");
    let mut new = FileDir::open(&at("new"), no_inputs).unwrap();
    file(&mut new, "b");
    // Unfinished: directories in both layouts, and files.
    let dirs = [begun(&at("flat"), Layout::Flat), begun(&at("hive"), Layout::Hive)];
    let mut empty = FileDir::open(&at("empty"), no_inputs).unwrap();
    for dir in [&mut files, &mut new, &mut empty] {
        dir.create("c", false).unwrap().write(b"half").unwrap();
    }
    remove_all();
    let names = |path: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(path).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(names(parent.path()), ["a", "done", "new"].map(String::from).into());
    assert_eq!(names(&at("new")), ["b".to_owned()].into());
    // Nothing more is made, and who still works finds nothing to finish.
    assert!(FileDir::open(&at("late"), no_inputs).is_err());
    assert!(dirs.into_iter().all(|dir| dir.commit().is_err()));
    drop((files, new, empty));
    assert_eq!(names(parent.path()), ["a", "done", "new"].map(String::from).into());
}
