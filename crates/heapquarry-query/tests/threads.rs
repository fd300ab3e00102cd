//! Answers about heaps do not depend on the number of threads.

use heapquarry::{RunOptions, Source};
use heapquarry_query::{By, Diff, Leaks, Question, Session, Summary};
use std::path::Path;

/// What a question is answered with by so many threads, as JSON.
fn answer<Q: Question>(question: &Q, files: &[&str], threads: usize) -> String {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let sources = files.iter().map(|file| Source::path(corpus.join(file)));
    let session = Session::new(sources, &RunOptions::default().threads(threads));
    let answered = question.ask(&session).unwrap();
    serde_json::to_string(&(&answered.caveats, &answered.answer)).unwrap()
}

fn same<Q: Question>(question: &Q, files: &[&str]) {
    let one = answer(question, files, 1);
    for threads in [2, 8] {
        // Not `assert_eq`: megabytes of text would be shown.
        assert!(
            answer(question, files, threads) == one,
            "{} of {files:?}, {threads} threads",
            Q::VERB
        );
    }
}

const SERIES: [&str; 3] =
    ["leak/1.heapsnapshot.gz", "leak/2.heapsnapshot.gz", "leak/3.heapsnapshot.gz"];

#[test]
fn summaries() {
    same(&Summary::default(), &["node24-numeric.heapsnapshot.gz"]);
    same(&Summary::default().by(By::Function), &["node24-numeric.heapsnapshot.gz"]);
    // With detached nodes and several native contexts.
    same(&Summary::default(), &["chromium.heapsnapshot.gz"]);
}

#[test]
fn leaks() {
    same(&Leaks::default(), &SERIES);
    // Suspicions of one snapshot.
    same(&Leaks::default(), &SERIES[..1]);
    same(&Leaks::default().by(By::Package), &SERIES);
}

#[test]
fn differences() {
    same(&Diff::default(), &SERIES[1..]);
    same(&Diff::default(), &SERIES);
    same(&Diff::default().by(By::Package), &SERIES[1..]);
}
