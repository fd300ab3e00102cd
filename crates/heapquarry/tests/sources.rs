//! An input gives the same rows wherever its bytes are: in a file, in memory, in a stream, behind a reader of one's
//! own, or in a directory that was converted before.

mod common;

use common::{Tables, corpus, inputs, read};
use heapquarry::{BatchOptions, ConvertOptions, Input, Source, convert};
use std::{
    fs,
    io::{self, Read},
    path::Path,
};

/// Gives few bytes at a time, as an object store or a socket may.
struct Trickle(Vec<u8>);

impl Input for Trickle {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = buf.len().min(1021);
        self.0.read_at(&mut buf[..len], offset)
    }
}

fn rows(source: Source) -> Result<Tables, String> {
    let (mut tables, _) = read(source, &BatchOptions::default()).map_err(|e| e.to_string())?;
    // It holds the name that the input was given by.
    tables.remove("source");
    Ok(tables)
}

#[test]
fn a_file_its_bytes_a_stream_and_a_reader_give_equal_batches() {
    let inputs = inputs();
    assert!(inputs.len() > 50, "{}", inputs.len());
    let mut readable = 0;
    for path in inputs {
        let bytes = fs::read(&path).unwrap();
        let expected = rows(Source::path(&path));
        readable += usize::from(expected.is_ok());
        for (what, source) in [
            ("bytes", Source::bytes(&path, bytes.clone())),
            ("a stream", Source::stream(&path, io::Cursor::new(bytes.clone()).chain(io::empty()))),
            ("a reader", Source::positional(&path, Trickle(bytes))),
        ] {
            assert!(rows(source) == expected, "{}, {what}", path.display());
        }
    }
    assert!(readable > 50, "{readable}");
}

#[test]
fn a_converted_directory_gives_the_rows_that_were_written() {
    let dir = tempfile::tempdir().unwrap();
    for path in inputs() {
        let Ok(expected) = rows(Source::path(&path)) else { continue };
        let output = dir.path().join("tables");
        convert(&[&path], &output, &ConvertOptions::default().force(true)).unwrap();
        let stored = rows(Source::path(&output)).unwrap();
        for (table, batch) in &expected {
            assert_eq!(stored.get(table), Some(batch), "{}, {table}", path.display());
        }
        assert_eq!(stored.len(), expected.len(), "{}", path.display());
    }
}

/// Found by the fuzz target `directory`, which was started beside a folder `fuzz`.
#[test]
fn what_is_in_memory_may_have_the_name_of_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let options = ConvertOptions::default();
    let bytes = fs::read(corpus().join("handmade/bun.heapsnapshot")).unwrap();
    for (output, source) in [
        ("bytes.tables", Source::bytes(dir.path(), bytes.clone())),
        ("stream.tables", Source::stream(dir.path(), io::Cursor::new(bytes))),
    ] {
        convert(&[source], dir.path().join(output), &options).unwrap();
    }
    let error = convert(&[dir.path()], dir.path().join("x"), &options).unwrap_err().to_string();
    assert!(error.contains("is a directory"), "{error}");
}

#[test]
fn a_stream_is_read_once() {
    let bytes = fs::read(corpus().join("handmade/bun.heapsnapshot")).unwrap();
    let source = Source::stream("a.heapsnapshot", io::Cursor::new(bytes));
    assert!(rows(source.clone()).is_ok());
    let error = rows(source).unwrap_err();
    assert!(
        error.contains("cannot read input (a.heapsnapshot): the stream was read before"),
        "{error}"
    );
}

#[test]
fn a_document_is_named_the_same_way_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let inputs = ["bun.heapsnapshot", "julia-2022.heapsnapshot"]
        .map(|name| corpus().join("handmade").join(name));
    let output = dir.path().join("all.tables");
    convert(&inputs, &output, &ConvertOptions::default()).unwrap();
    let ids = |tables: &Tables| tables["js_heap_nodes"].project(&[1, 2]).unwrap();
    for (number, path) in inputs.iter().enumerate() {
        let stored = rows(Source::path(&output).document(number)).unwrap();
        let alone = rows(Source::path(path)).unwrap();
        assert_eq!(ids(&stored), ids(&alone), "{}", path.display());
    }
    let none = rows(Source::path(&output).document(2)).unwrap_err();
    assert!(none.contains("no document #2"), "{none}");
    assert_eq!(Source::from(Path::new("all.tables#1")).document, Some(1));
}
