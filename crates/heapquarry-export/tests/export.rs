//! What is exported of files of the corpus.

use arrow_array::{cast::AsArray, types::Int64Type};
use heapquarry::{BatchOptions, Names, RunOptions, Source, reader};
use heapquarry_export::{ExportFormat, export};
use std::path::Path;

#[test]
fn collapsed_stacks_add_up_to_the_profile() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let path = corpus.join("profiles/node12.heapprofile");
    let mut text = Vec::new();
    let source = Source::path(&path);
    export(&source, ExportFormat::Collapsed, &mut text, &RunOptions::default()).unwrap();
    let weights = String::from_utf8(text).unwrap();
    let weights = weights.lines().map(|line| line.rsplit_once(' ').unwrap().1);
    let sum: i64 = weights.map(|weight| weight.parse::<i64>().unwrap()).sum();
    let mut expected = 0;
    let batches = BatchOptions::default().names(Names::Text);
    for batch in reader(&[source], "js_heap_sampling_node", &batches).unwrap() {
        let sizes = batch.unwrap()["self_size"].as_primitive::<Int64Type>().clone();
        expected += sizes.iter().flatten().sum::<i64>();
    }
    assert_eq!(sum, expected);
}
