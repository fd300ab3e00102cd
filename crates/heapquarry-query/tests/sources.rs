//! Questions about files of the corpus, from all kinds of sources.

use heapquarry::{RunOptions, Source, info};
use heapquarry_query::{Question, Session, Summary};
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
