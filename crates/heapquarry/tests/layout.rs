//! What the layouts of the output directory cost.

use heapquarry::{ConvertOptions, Input, Layout, RunOptions, Source, convert};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
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
        (0..1600).map(|n| dir.path().join(format!("{n}.heapsnapshot"))).collect();
    inputs.iter().for_each(|input| fs::write(input, &snapshot).unwrap());
    let size = |layout, documents: usize| {
        let out = dir.path().join(format!("{layout}-{documents}"));
        let options = ConvertOptions::default().layout(layout).tables(vec!["js_heap_files".into()]);
        convert(&inputs[..documents], &out, &options).unwrap();
        let tables = files(&out).into_iter().filter(|file| file.extension().unwrap() == "parquet");
        tables.map(|file| fs::metadata(file).unwrap().len()).sum::<u64>()
    };
    let (few, many) = (size(Layout::Hive, 100) / 100, size(Layout::Hive, 1600) / 1600);
    assert!(few * 19 / 20 < many && many < few * 21 / 20, "{few} and {many} bytes per document");
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

/// Counts the bytes that are read.
struct Counted(Vec<u8>, Arc<AtomicU64>);

impl Input for Counted {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.0.read_at(buf, offset)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[test]
fn an_input_whose_strings_are_not_at_its_end_is_read_again_alone() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    let good = fs::read_to_string(corpus.join("v8-timeline.heaptimeline")).unwrap();
    // The first strings count, which nobody sees from the end.
    let (start, _) = good.trim_end().rsplit_once('}').unwrap();
    let bad = format!("{start},\"strings\":[\"other\"]}}");
    let dir = tempfile::tempdir().unwrap();
    for (layout, rows, threads) in [
        (Layout::Flat, 3, 1),
        (Layout::Flat, 3, 4),
        (Layout::Flat, 1 << 20, 2),
        (Layout::Hive, 3, 2),
    ] {
        let options = ConvertOptions::default()
            .layout(layout)
            .row_group_rows(rows)
            .read_window(256)
            .run(RunOptions::default().threads(threads));
        let written = |name: &str, sources: Vec<Source>| {
            let path = dir.path().join(name);
            convert(&sources, &path, &options.clone().force(true)).unwrap();
            let files = files(&path).into_iter().map(|file| {
                (file.strip_prefix(&path).unwrap().to_owned(), fs::read(&file).unwrap())
            });
            files.collect::<BTreeMap<_, _>>()
        };
        let texts = [("a", &good), ("b", &bad), ("c", &good)];
        let counts = texts.map(|_| Arc::new(AtomicU64::new(0)));
        let counted = texts.iter().zip(&counts).map(|((name, text), count)| {
            Source::positional(*name, Counted(text.as_bytes().to_vec(), count.clone()))
        });
        let from_end = written("from_end", counted.collect());
        // A stream is read from its start, strings or not.
        let streams = texts
            .iter()
            .map(|(name, text)| Source::stream(*name, io::Cursor::new(text.as_bytes().to_vec())));
        let walked = written("walked", streams.collect());
        let what = format!("{layout:?}, {rows} rows, {threads} threads");
        assert_eq!(
            from_end.keys().collect::<Vec<_>>(),
            walked.keys().collect::<Vec<_>>(),
            "{what}"
        );
        for (path, content) in &from_end {
            assert!(*content == walked[path], "{what}: {}", path.display());
        }
        let [before, misplaced, after] = counts.map(|count| count.load(Ordering::Relaxed));
        // Several threads read ahead as chance has it.
        if threads == 1 {
            assert_eq!(before, after, "{what}");
            assert!(misplaced > before + good.len() as u64 / 2, "{what}: {misplaced} {before}");
        }
    }
}
