//! The examples run, and say what is in the file.

use std::{path::Path, process::Command};

/// What an example prints. Cargo builds examples before it runs tests.
fn run(name: &str, args: &[&str]) -> Vec<u8> {
    let this = std::env::current_exe().unwrap();
    let example = this.parent().unwrap().parent().unwrap().join("examples").join(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(example).args(args).current_dir(root).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn text(name: &str, args: &[&str]) -> String {
    String::from_utf8(run(name, args)).unwrap()
}

const SNAPSHOT: &str = "corpus/node22.heapsnapshot.gz";

#[test]
fn convert_writes_tables() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("out");
    let printed = text("convert", &[SNAPSHOT, output.to_str().unwrap()]);
    assert!(printed.contains("js_heap_analysis.parquet"), "{printed}");
    assert!(output.join("js_heap_nodes.parquet").exists());
}

#[test]
fn stream_is_arrow() {
    let printed = run("stream", &[SNAPSHOT, "js_heap_nodes", "id", "self_size"]);
    let stream = arrow_ipc::reader::StreamReader::try_new(&printed[..], None).unwrap();
    let names: Vec<_> = stream.schema().fields().iter().map(|f| f.name().clone()).collect();
    assert_eq!(names, ["id", "self_size"]);
    let rows: usize = stream.map(|batch| batch.unwrap().num_rows()).sum();
    let counted = text("bytes", &[SNAPSHOT]);
    assert!(counted.contains(&format!("js_heap_nodes {rows:>27} rows")), "{rows}: {counted}");
}

#[test]
fn retained_sizes_and_sums_agree_with_the_tables() {
    let largest = text("retained", &[SNAPSHOT]);
    assert_eq!(largest.lines().count(), 10, "{largest}");
    let sums = text("sink", &[SNAPSHOT]);
    let total: u64 = sums
        .lines()
        .map(|line| line.split_whitespace().next().unwrap().parse::<u64>().unwrap())
        .sum();
    let root = largest.lines().next().unwrap().split_whitespace().next().unwrap();
    // What can be reached is what the root retains, and at most all there is.
    assert!(root.parse::<u64>().unwrap() <= total, "{largest}{sums}");
    assert!(sums.contains(" closure\n") && sums.contains(" string\n"), "{sums}");
}
