//! Questions about files of the corpus, from all kinds of sources.

use arrow_array::{cast::AsArray, types::Int64Type};
use heapquarry::{BatchOptions, Names, RunOptions, Source, info, reader};
use heapquarry_query::{ExportFormat, Question, Session, Summary, export};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

#[test]
fn questions_are_answered_from_bytes_as_from_files() {
    for name in ["node22.heapsnapshot.gz", "handmade/v8-timeline.heaptimeline"] {
        let path = corpus().join(name);
        let answer = |source: &Source| {
            let session = Session::new([source.clone()], &RunOptions::default());
            let answer = Summary::default().top(5).ask(&session).unwrap();
            (answer.caveats, answer.answer)
        };
        let file = Source::path(&path);
        let memory = Source::bytes(&path, fs::read(&path).unwrap());
        assert_eq!(answer(&file), answer(&memory), "{name}");
        let text = |source| info(source, &RunOptions::default()).unwrap().to_string();
        assert_eq!(text(&file), text(&memory), "{name}");
    }
}

#[test]
fn collapsed_stacks_add_up_to_the_profile() {
    let path = corpus().join("profiles/node12.heapprofile");
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
