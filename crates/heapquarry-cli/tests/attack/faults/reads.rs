//! Reads fail, end early, bring half of what is asked for, or are interrupted.

use super::{
    EINTR, EIO, SHORT, ZERO, runs,
    scenario::{self, Fault, Tree},
};
use std::{
    borrow::Cow,
    fs,
    io::{Cursor, Write},
    path::Path,
};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

const HEAP: &str = "handmade/strings-of-every-kind.heapsnapshot";
const FTRACE: &str = "ftrace/tgid.ftrace";

/// Makes an input of the content of a file.
type Pack = fn(Vec<u8>) -> Vec<u8>;

/// An input of each way to read. Names are those of files of the corpus, whose content is packed anew or as it is.
const INPUTS: &[(&str, Pack)] = &[
    (FTRACE, same),
    ("profiles/node26.heapprofile", same),
    (HEAP, same),
    ("node18.heapsnapshot.gz", same),
    ("pprof/go-heap.pb", same),
    ("jsc/inspector.json", same),
    (HEAP, zipped),
    (FTRACE, page),
    (HEAP, htrace),
];

fn same(content: Vec<u8>) -> Vec<u8> {
    content
}

fn zipped(content: Vec<u8>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a", "b"] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn page(content: Vec<u8>) -> Vec<u8> {
    let begin = b"<html><script class=\"trace-data\" type=\"application/text\">\n";
    [&begin[..], &content, b"</script></html>"].concat()
}

/// A container of OpenHarmony whose messages bring the heap.
fn htrace(content: Vec<u8>) -> Vec<u8> {
    let json = String::from_utf8(content).unwrap();
    let text = serde_json::to_string(&json).unwrap();
    let mut bytes = b"OHOSPROF".to_vec();
    bytes.resize(1024, 0);
    let mut count = 0u32;
    let mut add = |name: &str, data: &[u8]| {
        let record = [field(1, name.as_bytes()), field(3, data)].concat();
        bytes.extend((record.len() as u32).to_le_bytes());
        bytes.extend(record);
        count += 2;
    };
    add("arkts-plugin_config", b"");
    let message =
        format!(r#"{{"method":"HeapProfiler.addHeapSnapshotChunk","params":{{"chunk":{text}}}}}"#);
    add("arkts-plugin", &field(1, message.as_bytes()));
    add("arkts-plugin", &field(1, br#"{"id":1,"result":{}}"#));
    let length = bytes.len() as u64;
    bytes[8..16].copy_from_slice(&length.to_le_bytes());
    bytes[20..24].copy_from_slice(&count.to_le_bytes());
    bytes
}

/// A field of bytes in a message of protobuf.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        field.push(length as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend(bytes);
    field
}

const ARGS: [&str; 5] = ["convert", "-q", "--threads", "1", "input"];

/// Calls `test` with the name of each input, a folder with it, its reads by name, and its output.
fn for_each_input(test: impl Fn(&str, &Path, &[String], &Tree)) {
    if scenario::shim().is_none() {
        return;
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    for (n, (name, pack)) in INPUTS.iter().enumerate() {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("input"), pack(fs::read(corpus.join(name)).unwrap())).unwrap();
        let (calls, whole) = scenario::calls(dir.path(), &ARGS);
        let reads: Vec<_> = calls.into_iter().filter(|call| call == "pread64").collect();
        let name = format!("input {n} ({name})");
        assert!(reads.len() > 1, "{name}: the calls are not seen");
        assert!(!manifest(&whole).contains("truncated"), "{name}: {}", manifest(&whole));
        test(&name, dir.path(), &reads, &whole);
    }
}

fn manifest(output: &Tree) -> Cow<'_, str> {
    String::from_utf8_lossy(&output[Path::new("_manifest.json")])
}

/// An error of the disk used to be taken for damage of what is packed, or not to be noticed at all.
#[test]
fn every_read_may_fail_or_end_early() {
    for_each_input(|name, dir, reads, whole| {
        let out = dir.join("out");
        for n in scenario::sample(reads.len(), runs() / 16) {
            let failed = scenario::start(dir, &ARGS, &[Fault::named("pread64", n, EIO)]);
            if failed.code == Some(0) {
                // A heap whose strings are not found from the end is read again from the start.
                assert!(scenario::tree(&out).unwrap() == *whole, "{name}, read {n}");
                fs::remove_dir_all(&out).unwrap();
            } else {
                assert_eq!(failed.code, Some(2), "{name}, read {n}: {}", failed.stderr);
                assert!(failed.stderr.contains("Input/output error"), "{name}: {}", failed.stderr);
                assert!(!out.exists(), "{name}");
            }
            let cut = scenario::start(dir, &ARGS, &[Fault::named("pread64", n, ZERO)]);
            if cut.code == Some(0) {
                let now = scenario::tree(&out).unwrap();
                let is_cut = manifest(&now).contains(r#""status": "truncated""#);
                assert!(is_cut || now == *whole, "{name}, read {n}");
                fs::remove_dir_all(&out).unwrap();
            } else {
                assert_eq!(cut.code, Some(2), "{name}, read {n}: {}", cut.stderr);
            }
        }
    });
}

/// The output is that of a run without them.
#[test]
fn short_and_interrupted_reads_change_nothing() {
    for_each_input(|name, dir, reads, whole| {
        let some = scenario::sample(reads.len(), runs() / 40);
        let some = some.flat_map(|n| [SHORT, EINTR].map(|what| Fault::named("pread64", n, what)));
        for fault in some.chain([Fault::named_from("pread64", 1, SHORT)]) {
            let done = scenario::start(dir, &ARGS, std::slice::from_ref(&fault));
            assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{name}, {fault:?}");
            let out = dir.join("out");
            assert!(scenario::tree(&out).unwrap() == *whole, "{name}, {fault:?}");
            fs::remove_dir_all(&out).unwrap();
        }
    });
}
