//! Inputs that cannot be read, that change, that are made to fill a disk, or that hold very much: each is an error, a
//! row or no matter, and never damage that nobody made.

mod common;

use common::corpus;
use flate2::{Compression, write::GzEncoder};
use heapquarry::{
    Code, ConvertOptions, Converted, Document, ErrorKind, Fact, Input, Progress, Remedy,
    RunOptions, Source, Status, convert, extract, info,
};
use std::{
    fs,
    io::{self, Cursor, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(method: CompressionMethod, files: &[(&str, &[u8])]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(method);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    zip_of(CompressionMethod::Deflated, files)
}

/// A page that shows a trace.
fn page(trace: &[u8]) -> Vec<u8> {
    let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, trace);
    format!("<!DOCTYPE html><script id=\"viewer-data\">{content}</script>").into_bytes()
}

/// A snapshot that is larger than what is read at a time.
fn large() -> Vec<u8> {
    fs::read(corpus().join("handmade/strings-of-every-kind.heapsnapshot")).unwrap()
}

fn small() -> Vec<u8> {
    fs::read(corpus().join("handmade/bun.heapsnapshot")).unwrap()
}

/// Converts one source, with one thread.
fn converted(source: Source, options: ConvertOptions) -> heapquarry::Result<Converted> {
    let dir = tempfile::tempdir().unwrap();
    let run = options.run.clone().threads(1);
    convert(&[source], dir.path().join("out"), &options.run(run))
}

// ------------------------------------------------------------------------------------------------- read errors

/// Reads as a disk that fails: read number `n` is an error.
struct Failing {
    bytes: Vec<u8>,
    reads: Arc<AtomicUsize>,
    n: usize,
}

impl Input for Failing {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.reads.fetch_add(1, Ordering::Relaxed) + 1 == self.n {
            true => Err(io::Error::other("the disk failed")),
            false => self.bytes.read_at(buf, offset),
        }
    }
}

/// An error of the disk in the middle of a packed input used to be taken for the end of what could be unpacked.
#[test]
fn an_input_that_cannot_be_read_is_not_damaged() {
    let (large, small) = (large(), small());
    let files: &[(&str, &[u8])] =
        &[("a.heapsnapshot", &small), ("b.heapsnapshot.gz", &gzip(&large)), ("notes.txt", b"x")];
    let trace = fs::read(corpus().join("ftrace/tgid.ftrace")).unwrap();
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() - 30].to_vec();
    for (name, bytes) in [
        ("plain", large.clone()),
        ("gzip", gzip(&large)),
        ("zstd", zstd::encode_all(&large[..], 1).unwrap()),
        ("zip", zip(files)),
        ("zip, stored", zip_of(CompressionMethod::Stored, files)),
        ("zip without a directory", cut(zip(files))),
        ("page", page(&trace)),
    ] {
        let run = |n| {
            let reads = Arc::new(AtomicUsize::new(0));
            let input = Failing { bytes: bytes.clone(), reads: reads.clone(), n };
            let result = converted(Source::positional(name, input), ConvertOptions::default());
            (result, reads.load(Ordering::Relaxed))
        };
        let (whole, reads) = run(usize::MAX);
        whole.unwrap();
        assert!(reads > 3, "{name}");
        for n in 1..=reads {
            let (result, _) = run(n);
            let error = result.err().unwrap_or_else(|| panic!("{name}: read {n} of {reads}"));
            assert!(error.to_string().contains("the disk failed"), "{name}, {n}: {error}");
        }
    }
}

// ------------------------------------------------------------------------------------------------- changes

/// Changes a file when its document begins.
struct Change<F>(F);

impl<F: Fn() + Send + Sync> Progress for Change<F> {
    fn begin(&self, _: &str, _: u64) {
        (self.0)();
    }
}

/// Converts a copy of a file that is changed when its document begins.
fn while_it_changes(
    name: &str,
    bytes: &[u8],
    strict: bool,
    change: fn(&Path),
) -> heapquarry::Result<Converted> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    fs::write(&path, bytes).unwrap();
    let changed = path.clone();
    let progress = Arc::new(Change(move || change(&changed)));
    let options =
        ConvertOptions::default().strict(strict).run(RunOptions::default().progress(progress));
    converted(Source::path(path), options)
}

fn shrink(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    let len = file.metadata().unwrap().len();
    file.set_len(len / 2).unwrap();
}

fn grow(path: &Path) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"\n").unwrap();
}

fn rewrite(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn an_input_that_changes_while_it_is_read_is_noticed_in_every_format() {
    let event = r#"{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}"#;
    let trace = format!("[{}]", vec![event; 10_000].join(",\n"));
    let file = |path| fs::read(corpus().join(path)).unwrap();
    for (name, bytes) in [
        ("a.heapsnapshot", large()),
        ("a.ftrace", file("ftrace/tgid.ftrace")),
        ("a.cpuprofile", file("profiles/node26.cpuprofile")),
        ("a.heapprofile", file("profiles/node26.heapprofile")),
        ("a.json", trace.into_bytes()),
        ("b.json", file("profiles/bare.selfprofile.json")),
        ("a.pb", file("pprof/symbols-first.pb")),
        ("jsc.json", file("jsc/version2.json")),
        ("messages.jsonl", messages(&small())),
        // Archives and pages are unpacked before their documents begin.
    ] {
        for (what, change) in
            [("shrink", shrink as fn(&Path)), ("grow", grow), ("rewrite", rewrite)]
        {
            let strict = while_it_changes(name, &bytes, true, change).unwrap_err();
            assert!(
                matches!(strict.kind(), ErrorKind::Strict { .. } | ErrorKind::Format { .. }),
                "{name}, {what}: {strict}"
            );
            let Ok(converted) = while_it_changes(name, &bytes, false, change) else {
                assert_eq!(what, "shrink", "{name}");
                continue;
            };
            let changed = |document: &Document| {
                document.status == Status::Truncated
                    && document.log.iter().any(|entry| entry.code == Code::InputChanged)
            };
            // Documents that were unpacked before are whole: their container tells.
            let documents = &converted.documents;
            let [document] = &documents[..] else {
                assert!(documents.iter().any(changed), "{name}, {what}");
                continue;
            };
            assert!(changed(document), "{name}, {what}");
        }
        let whole = while_it_changes(name, &bytes, false, |_| {}).unwrap();
        assert!(
            whole.documents.iter().all(|document| {
                document.log.iter().all(|entry| entry.code != Code::InputChanged)
            })
        );
    }
}

/// There is no table for what is missing in a file that is extracted.
#[test]
fn what_is_missing_in_files_that_are_extracted_is_told() {
    let snapshot = large();
    let packed = gzip(&snapshot);
    let cut = &packed[..packed.len() / 2];
    for (name, bytes, expected) in [
        ("a.heapsnapshot", snapshot.clone(), &[][..]),
        ("a.heapsnapshot.gz", packed.clone(), &[]),
        ("a.heapsnapshot.gz", cut.to_vec(), &[("a.heapsnapshot", Code::CompressedDamaged)]),
        (
            "a.zip",
            zip(&[("b.heapsnapshot", &small()), ("c.heapsnapshot.gz", cut)]),
            &[("c.heapsnapshot", Code::CompressedDamaged)],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let source = Source::bytes(name, bytes);
        let extracted = extract(&source, dir.path(), false, &RunOptions::default()).unwrap();
        let losses = extracted.losses.iter().map(|(name, loss)| (name.as_str(), loss.code));
        assert_eq!(losses.collect::<Vec<_>>(), expected, "{name}");
        let complete = |path: &&PathBuf| fs::read(path).unwrap() == snapshot;
        let is_whole = name != "a.zip" && expected.is_empty();
        assert_eq!(
            extracted.paths.iter().filter(complete).count(),
            usize::from(is_whole),
            "{name}"
        );
    }
}

// ------------------------------------------------------------------------------------------------- limits

fn max_spool(bytes: u64) -> ConvertOptions {
    ConvertOptions::default().run(RunOptions::default().max_spool(bytes))
}

#[test]
fn what_is_unpacked_has_a_limit_that_the_message_names() {
    let snapshot = large();
    let fits = snapshot.len() as u64 + 100_000;
    for (name, bytes) in [
        ("gzip", gzip(&snapshot)),
        ("gzip in gzip", gzip(&gzip(&snapshot))),
        ("zip", zip(&[("a.heapsnapshot", &snapshot), ("b.txt", b"text")])),
        ("messages", messages(&snapshot)),
    ] {
        let source = || Source::bytes(name, bytes.clone());
        converted(source(), max_spool(fits)).unwrap();
        let error = converted(source(), max_spool(snapshot.len() as u64 / 2)).unwrap_err();
        assert_eq!(error.remedy(), Some(Remedy::AllowSpool), "{name}");
        let error = error.to_string();
        let limit = format!("would exceed {} bytes", snapshot.len() / 2);
        assert!(error.contains(&limit) && error.contains("temporary file in"), "{error}");
    }
    // A stream is spooled, whatever it is.
    let stream = Source::stream("stream", Cursor::new(snapshot));
    let error = converted(stream, max_spool(1000)).unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::AllowSpool), "{error}");
}

/// A heap snapshot as DevTools sends it.
fn messages(snapshot: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(snapshot);
    let message = serde_json::json!({
        "method": "HeapProfiler.addHeapSnapshotChunk", "params": {"chunk": text},
    });
    format!("{message}\n").into_bytes()
}

/// Zeros, a thousand times smaller when they are packed, used to be spooled to their end before their format was
/// looked at.
#[test]
fn what_cannot_be_of_a_known_format_is_not_spooled() {
    let zeros = gzip(&vec![0; 64 << 20]);
    let limit = || max_spool(4 << 20);
    for (name, bytes) in [
        ("gzip", zeros.clone()),
        ("gzip in zip", zip(&[("zeros.gz", &zeros)])),
        ("zip", zip(&[("zeros", &vec![0; 64 << 20])])),
        ("zip of two", zip(&[("a", &vec![0; 64 << 20]), ("b", &vec![0; 64 << 20])])),
    ] {
        let error = converted(Source::bytes(name, bytes), limit()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unknown { .. }), "{name}: {error}");
    }
    let stream = Source::stream("stream", io::Read::take(io::repeat(0), 1 << 40));
    let error = converted(stream, limit()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unknown { .. }), "{error}");
    // Beside a document they are logged, as small ones are.
    let snapshot = small();
    let mixed =
        zip(&[("zeros", &vec![0; 64 << 20]), ("a.heapsnapshot", &snapshot), ("b", b"text")]);
    let documents = converted(Source::bytes("mixed.zip", mixed), limit()).unwrap().documents;
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["a.heapsnapshot", "mixed.zip"]);
    let log: Vec<&str> = documents[1].log.iter().map(|entry| entry.message.as_str()).collect();
    let of_no_format = |name| format!("{name:?} is of no format that heapquarry knows");
    assert_eq!(log, [of_no_format("b"), of_no_format("zeros")]);
}

#[test]
fn containers_in_containers_are_opened_to_some_depth() {
    let snapshot = small();
    let nested = |depth| {
        let mut inner = zip(&[("a.heapsnapshot", &snapshot), ("b.heapsnapshot", &snapshot)]);
        for _ in 1..depth {
            inner = zip(&[("c.heapsnapshot", &snapshot), ("inner.zip", &inner)]);
        }
        let documents = converted(Source::bytes("z.zip", inner), ConvertOptions::default());
        documents.unwrap().documents.iter().filter(|document| document.index.is_some()).count()
    };
    assert_eq!([nested(1), nested(2), nested(3), nested(4), nested(8)], [2, 3, 4, 3, 3]);
}

/// A zip archive whose files share the bytes of the first, beside one more.
fn bomb(files: usize, content: &[u8], other: Option<&[u8]>) -> Vec<u8> {
    /// Where an entry of the directory has the place of its file.
    const OFFSET: usize = 42;
    let names: Vec<_> = (0..files).map(|n| format!("{n:03}.json")).collect();
    let shared = names.iter().map(|name| (name.as_str(), content));
    let all: Vec<_> = shared.chain(other.map(|other| ("other.json", other))).collect();
    let mut bomb = zip(&all);
    let entries: Vec<_> = memchr::memmem::find_iter(&bomb, b"PK\x01\x02").collect();
    let first: [u8; 4] = bomb[entries[0] + OFFSET..][..4].try_into().unwrap();
    for at in &entries[..files] {
        bomb[at + OFFSET..][..4].copy_from_slice(&first);
    }
    bomb
}

/// A zip bomb: many files of the directory share the bytes of one.
#[test]
fn files_of_an_archive_that_share_their_bytes_are_missing_whoever_reads_it() {
    const FILES: usize = 100;
    let profile =
        br#"{"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"startTime":1,"endTime":2,
        "samples":[1],"timeDeltas":[1]}"#;
    let snapshot = small();
    for (content, other) in [
        (&snapshot[..], None),
        (&profile[..], None),
        (&snapshot[..], Some(&profile[..])),
        (&profile[..], Some(&snapshot[..])),
    ] {
        let source = || Source::bytes("bomb.zip", bomb(FILES, content, other));
        let told = info(&source(), &RunOptions::default()).unwrap();
        assert!(!told.complete, "{told:?}");
        let log = told.facts.get(if other.is_some() { "log" } else { "lost" });
        let Some(Fact::Texts(lost)) = log else { panic!("{told:?}") };
        let is_told = |line: &String| line.contains("it overlaps another one");
        assert_eq!(lost.iter().filter(|line| is_told(line)).count(), FILES - 1, "{lost:?}");

        let documents = converted(source(), ConvertOptions::default()).unwrap().documents;
        let overlaps = documents.iter().flat_map(|document| &document.log);
        assert_eq!(overlaps.filter(|entry| is_told(&entry.message)).count(), FILES - 1);

        let dir = tempfile::tempdir().unwrap();
        let extracted = extract(&source(), dir.path(), false, &RunOptions::default()).unwrap();
        let files = 1 + usize::from(other.is_some());
        assert_eq!((extracted.paths.len(), extracted.losses.len()), (files, FILES - 1));
    }
}

/// Each packed file in an archive used to be a temporary file of its own.
#[cfg(target_os = "linux")]
#[test]
fn packed_files_in_an_archive_share_a_temporary_file() {
    let packed = gzip(&small());
    let names: Vec<String> = (0..300).map(|n| format!("{n}.heapsnapshot.gz")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &packed[..])).collect();
    let most = Arc::new(AtomicUsize::new(0));
    let seen = most.clone();
    let open = move || {
        let now = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        seen.fetch_max(now, Ordering::Relaxed);
    };
    let run = RunOptions::default().progress(Arc::new(Change(open)));
    let options = ConvertOptions::default().tables(vec!["js_heap_files".into()]).run(run);
    let converted = converted(Source::bytes("many.zip", zip(&files)), options).unwrap();
    assert_eq!(converted.documents.len(), 301);
    // The tests beside this one have files open too.
    let most = most.load(Ordering::Relaxed);
    assert!(most < 150, "{most} descriptors");
}

/// Files that the system makes up have no size.
#[cfg(target_os = "linux")]
#[test]
fn a_file_without_a_size_is_read() {
    let error =
        converted(Source::path("/proc/self/status"), ConvertOptions::default()).unwrap_err();
    assert!(error.to_string().contains("found \"Name:"), "{error}");
}

/// 60,000 names used to be one line.
#[test]
fn an_error_lists_some_documents_only() {
    let names: Vec<String> = (0..50).map(|n| format!("{n}.heapsnapshot")).collect();
    let snapshot = small();
    let files: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &snapshot[..])).collect();
    let source = Source::bytes("many.zip", zip(&files));
    let error = heapquarry::load_heap(&source, &RunOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("#19 is 19.heapsnapshot and 30 more"), "{error}");
}

/// A name of more than 240 bytes used to fail all of `extract`, and the hive layout.
#[test]
fn documents_with_long_names_have_files() {
    let name = |last: &str| format!("{}{last}.heapsnapshot", "n".repeat(300));
    let (a, b, snapshot) = (name("a"), name("b"), small());
    let source = || Source::bytes("long.zip", zip(&[(&a, &snapshot), (&b, &snapshot)]));
    let dir = tempfile::tempdir().unwrap();
    let extracted = extract(&source(), dir.path(), false, &RunOptions::default()).unwrap();
    assert_eq!(extracted.paths.len(), 2);
    for path in extracted.paths {
        assert_eq!(fs::read(path).unwrap(), snapshot);
    }
    let options = ConvertOptions::default().layout(heapquarry::Layout::Hive);
    let documents = converted(source(), options).unwrap().documents;
    let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, [a.as_str(), &b, "long.zip"]);
}
