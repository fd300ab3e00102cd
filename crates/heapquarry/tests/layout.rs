//! What the layouts of the output directory cost.

use heapquarry::{ConvertOptions, Layout, convert};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files below a directory, in order.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut rest = vec![dir.to_owned()];
    while let Some(dir) = rest.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { &mut rest } else { &mut files }.push(path);
        }
    }
    files.sort();
    files
}

/// A file of the hive layout names its own document only. Each used to name all, which made the output grow with the
/// square of the documents.
#[test]
fn hive_grows_with_the_documents() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    let snapshot = fs::read(corpus.join("bun.heapsnapshot")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let inputs: Vec<PathBuf> =
        (0..400).map(|n| dir.path().join(format!("{n}.heapsnapshot"))).collect();
    inputs.iter().for_each(|input| fs::write(input, &snapshot).unwrap());
    let size = |layout, documents: usize| {
        let out = dir.path().join(format!("{layout}-{documents}"));
        let options = ConvertOptions::default().layout(layout).tables(vec!["js_heap_files".into()]);
        convert(&inputs[..documents], &out, &options).unwrap();
        let tables = files(&out).into_iter().filter(|file| file.extension().unwrap() == "parquet");
        tables.map(|file| fs::metadata(file).unwrap().len()).sum::<u64>()
    };
    let (half, all) = (size(Layout::Hive, 200), size(Layout::Hive, 400));
    assert!(half * 19 / 10 < all && all < half * 21 / 10, "{half}, {all}");
}

/// Which documents a file is of.
#[test]
fn footers_name_the_documents_whose_rows_are_there() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    let inputs = ["bun.heapsnapshot", "v8-timeline.heaptimeline"].map(|name| corpus.join(name));
    let dir = tempfile::tempdir().unwrap();
    for layout in [Layout::Flat, Layout::Hive] {
        let out = dir.path().join(layout.to_string());
        let report = convert(&inputs, &out, &ConvertOptions::default().layout(layout)).unwrap();
        for table in &report.tables {
            let bytes = fs::read(out.join(&table.file)).unwrap();
            for document in &report.documents {
                let stem = document.name.split('.').next().unwrap().replace('-', "_");
                let is_of = table.file.replace('-', "_").contains(&format!("source={stem}/"));
                let names = memchr::memmem::find(&bytes, document.digest.as_bytes()).is_some();
                let expected = layout == Layout::Flat || is_of;
                // The rows of `source` hold the digest too, packed.
                assert!(names == expected, "{}: {}", table.file, document.name);
            }
        }
    }
}
