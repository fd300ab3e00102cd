//! Small documents share row groups. Their rows stay, in order, and a document that is rolled back leaves none.

mod common;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use common::{Random, assert_rows, read};
use heapquarry_sink::{Encoder, Layout, ParquetDir, WriteOptions};
use heapquarry_tables::{JS_HEAP_SAMPLE, JS_HEAP_STRING, Projection, Table, Type, all, arrays};
use proptest::prelude::*;
use std::{sync::Arc, thread};

/// The pieces of a document: the first can share a row group, the others are row groups.
type Pieces = Vec<RecordBatch>;

struct Document {
    /// The pieces of a first attempt, which is rolled back.
    undone: Option<Pieces>,
    pieces: Pieces,
}

/// Writes the documents, the pieces of each on several threads, and returns the rows of the row groups and the file.
fn write(
    table: &'static Table,
    documents: &[Document],
    max_rows: usize,
    layout: Layout,
) -> (RecordBatch, Vec<usize>) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    let options = WriteOptions::default();
    let mut dir = ParquetDir::create(&path, false, layout, Projection::all(), options).unwrap();
    dir.set_max_shared_rows(max_rows);
    dir.declare(table, "part").unwrap();
    let mut next = 0;
    for document in documents {
        dir.mark();
        let append = |pieces: &Pieces| {
            thread::scope(|scope| {
                // In any order.
                for (at, piece) in pieces.iter().enumerate().rev() {
                    let seq = next + at as u64;
                    let dir = &dir;
                    scope.spawn(move || match seq == next {
                        true => dir.append_rows(table, "part", seq, piece.clone()).unwrap(),
                        false => {
                            let group = Encoder::new(&options).encode(table, piece).unwrap();
                            dir.append(table, "part", seq, group).unwrap();
                        }
                    });
                }
            });
        };
        if let Some(undone) = &document.undone {
            append(undone);
            dir.roll_back().unwrap();
        }
        append(&document.pieces);
        next += document.pieces.len() as u64;
    }
    let written = dir.close_tables(&|_, _| vec![]).unwrap();
    // Without the commit, which waits for the disk.
    let mut entries = std::fs::read_dir(parent.path()).unwrap().map(|entry| entry.unwrap().path());
    let partial = entries.find(|path| path.is_dir()).unwrap();
    let file = std::fs::read(partial.join(&written[0].file)).unwrap();
    // Also after rows were removed.
    assert_eq!(written[0].xxh3, xxhash_rust::xxh3::xxh3_64(&file));
    let (rows, metadata) = read(table, &file.into());
    let groups: Vec<_> = metadata.row_groups().iter().map(|g| g.num_rows() as usize).collect();
    assert_eq!((groups.len() as u64, rows.num_rows() as u64), {
        (written[0].row_groups, written[0].rows)
    });
    (rows, groups)
}

/// The sizes of the row groups by the rule alone.
fn expected(documents: &[Document], max_rows: usize) -> Vec<usize> {
    let (mut groups, mut pack) = (Vec::new(), 0);
    let flush = |pack: &mut usize, groups: &mut Vec<usize>| {
        groups.extend((*pack > 0).then_some(*pack));
        *pack = 0;
    };
    let is_alone = |pieces: &Pieces| pieces.iter().skip(1).all(|piece| piece.num_rows() == 0);
    for Document { undone, pieces } in documents {
        // What was written before stays.
        if undone.as_ref().is_some_and(|pieces| !is_alone(pieces)) {
            flush(&mut pack, &mut groups);
        }
        let sizes: Vec<usize> = pieces.iter().map(RecordBatch::num_rows).collect();
        let Some((&first, others)) = sizes.split_first() else { continue };
        let is_alone = is_alone(pieces);
        if pack + first > max_rows || !is_alone {
            flush(&mut pack, &mut groups);
        }
        pack += first;
        if !is_alone {
            flush(&mut pack, &mut groups);
            groups.extend(others.iter().filter(|&&rows| rows > 0));
        }
    }
    flush(&mut pack, &mut groups);
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rows_stay_in_order(seed: u64, count in 0usize..150, max_rows in 1usize..400) {
        let mut random = Random(seed);
        let tables: Vec<&'static Table> = all().collect();
        let table = tables[random.below(tables.len())];
        let pieces = |random: &mut Random| -> Pieces {
            let pieces = if random.one_in(8) { random.below(4) } else { 1 };
            (0..pieces).map(|_| { let rows = random.below(12); random.batch(table, rows) }).collect()
        };
        let documents: Vec<Document> = (0..count)
            .map(|_| {
                let undone = random.one_in(6).then(|| pieces(&mut random));
                Document { undone, pieces: pieces(&mut random) }
            })
            .collect();
        for layout in [Layout::Flat, Layout::Hive] {
            let (rows, groups) = write(table, &documents, max_rows, layout);
            prop_assert_eq!(&groups, &expected(&documents, max_rows));
            let mut at = 0;
            for piece in documents.iter().flat_map(|document| &document.pieces) {
                let plain = table.expand(piece).unwrap();
                assert_rows(table, &rows, at..at + plain.num_rows(), &plain);
                at += plain.num_rows();
            }
            prop_assert_eq!(rows.num_rows(), at);
        }
    }
}

/// Batches that wait are copied together: their arrays would take more memory than their rows.
#[test]
fn a_row_group_takes_a_limited_number_of_batches() {
    let mut random = Random(1);
    let mut document = || Document { undone: None, pieces: vec![random.batch(&JS_HEAP_SAMPLE, 1)] };
    let documents: Vec<Document> = (0..10_000).map(|_| document()).collect();
    let (_, groups) = write(&JS_HEAP_SAMPLE, &documents, 1 << 20, Layout::Flat);
    assert_eq!(groups, [4096, 4096, 1808]);
}

/// A text that many rows refer to would be copied for each of them.
#[test]
fn rows_with_much_text_have_their_own_row_group() {
    let long: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1 << 20)]));
    let document = |rows: usize| {
        let columns = JS_HEAP_STRING.columns.iter().map(|column| match column.ty {
            Type::Text => arrays::keyed(vec![0; rows].into(), long.clone()),
            Type::Int32 => arrays::constant_i32(Some(0), rows),
            _ => common::int64(0..rows as i64),
        });
        Document { undone: None, pieces: vec![JS_HEAP_STRING.batch(columns.collect())] }
    };
    let documents = [1, 2, 9, 1, 8, 1].map(document);
    let (_, groups) = write(&JS_HEAP_STRING, &documents, 100, Layout::Flat);
    assert_eq!(groups, [3, 9, 1, 8, 1]);
}
