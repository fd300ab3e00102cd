//! A few seconds of fuzzing of what surrounds the formats: containers, redaction, converted directories, budgets, and
//! what is recorded. As `tests/fuzz.rs` of the formats.

#[path = "../../../heapquarry-formats/tests/fuzz/rounds.rs"]
mod rounds;
mod targets;
mod words;

use rounds::{fuzz_from, fuzz_whole, seeds};
use std::io::{Cursor, Write};
use words::{BUDGET, CONTAINER, DOCUMENT, MESSAGE, PARQUET, RULES, TARGET};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Small documents of all kinds, the first bytes of long ones.
fn documents() -> Vec<Vec<u8>> {
    let folders = ["handmade", "profiles", "ftrace", "jsc", "pprof"];
    let mut documents: Vec<_> = folders.iter().flat_map(|folder| seeds(folder)).collect();
    documents.iter_mut().for_each(|document| document.truncate(4000));
    documents.push(targets::TRACE.to_vec());
    documents
}

/// Archives and pages of these.
fn containers() -> Vec<Vec<u8>> {
    let documents: Vec<_> = documents().into_iter().filter(|text| text.len() < 2000).collect();
    let pairs = documents.chunks(2).enumerate();
    pairs.map(|(n, files)| if n % 2 == 0 { archive(files) } else { page(files) }).collect()
}

fn archive(files: &[Vec<u8>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (n, content) in files.iter().enumerate() {
        let method = [CompressionMethod::Stored, CompressionMethod::Deflated][n % 2];
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("folder/{n}"), options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn page(files: &[Vec<u8>]) -> Vec<u8> {
    let mut page = b"<!DOCTYPE html>\n".to_vec();
    let tags: [&[u8]; 3] = [
        b"<script class=\"trace-data\">",
        b"<script id=\"viewer-data\">",
        b"<script>var linuxPerfData = \"\\\n",
    ];
    for (tag, content) in tags.iter().cycle().zip(files) {
        page.extend([tag, &content[..], b"</script>\n"].concat());
    }
    page
}

#[test]
fn input() {
    fuzz_whole(&containers(), CONTAINER, targets::input, 600);
}

#[test]
fn contained() {
    fuzz_whole(&documents(), DOCUMENT, targets::contained, 600);
}

/// Each snapshot in a container, in pieces of 300 bytes.
#[test]
fn htrace() {
    let bytes = |number: u8, bytes: &[u8]| {
        let mut out =
            vec![number << 3 | 2, bytes.len() as u8 & 0x7F | 0x80, (bytes.len() >> 7) as u8];
        out.extend_from_slice(bytes);
        out
    };
    let record = |message: &[u8]| {
        let data =
            [&b"\x0a\x0carkts-plugin"[..], &bytes(3, &bytes(1, message)), b"\x28\x01"].concat();
        [&(data.len() as u32).to_le_bytes()[..], &data].concat()
    };
    let wrap = |text: &Vec<u8>| {
        let mut container = b"OHOSPROF".to_vec();
        container.resize(1024, 0);
        for piece in text.chunks(300) {
            let piece = serde_json::to_string(&String::from_utf8_lossy(piece)).unwrap();
            let method = r#"{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"#;
            container.extend(record(format!("{method}{piece}}}}}").as_bytes()));
        }
        container.extend(record(br#"{"id":1,"result":{}}"#));
        container
    };
    let short = |mut text: Vec<u8>| {
        text.truncate(2000);
        wrap(&text)
    };
    fuzz_from(seeds("handmade").into_iter().map(short).collect(), MESSAGE, targets::htrace, 5_000);
}

/// Messages one after the other, with the start of each snapshot in pieces of 300 bytes.
#[test]
fn devtools() {
    let message = |piece: &[u8]| {
        let piece = serde_json::to_string(&String::from_utf8_lossy(piece)).unwrap();
        let method = r#"{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"#;
        format!("{method}{piece}}}}}\n")
    };
    let messages = |text: Vec<u8>| {
        let pieces: String = text.chunks(300).take(6).map(message).collect();
        format!("{pieces}{{\"id\":1,\"result\":{{}}}}\n").into_bytes()
    };
    let mut seeds: Vec<_> = seeds("handmade").into_iter().map(messages).collect();
    seeds.push(br#"{"id":3,"result":{"profile":{"nodes":[{"id":1}],"samples":[1]}}}"#.to_vec());
    fuzz_from(seeds, MESSAGE, targets::devtools, 10_000);
}

/// Each document behind a byte that selects the level.
#[test]
fn redacted() {
    let documents = documents().into_iter().enumerate();
    let seeds: Vec<_> = documents.map(|(n, text)| [&[n as u8][..], &text].concat()).collect();
    fuzz_whole(&seeds, DOCUMENT, targets::redacted, 2_000);
}

#[test]
fn rules() {
    let seeds = [
        "keep node*\nkeep *.b\ndeny s3cret\n",
        "deny (?i)[a-z]+@\\w+\\.(com|org)\nkeep Map.table\n",
    ];
    fuzz_whole(&seeds.map(Vec::from), RULES, targets::rules, 300);
}

#[test]
fn budget() {
    let seeds = [
        "[total]\nsize = [\"1 kB\", \"+5%\"]\ncount = 5\n[class.\"*\"]\nretained = \"+10% and +1 kB\"\n",
        "[function.\"*\"]\nself_share = \"10%\"\noptional = true\n[total]\nsamples = 1\n",
        "[process.\"*\"]\nslice_count = 1\n[noise]\ntime = \"1 ms\"\n",
    ];
    fuzz_whole(&seeds.map(Vec::from), BUDGET, targets::budget, 600);
}

#[test]
fn directory() {
    fuzz_whole(&targets::files_of_directory(), PARQUET, targets::directory, 400);
}

#[test]
fn answer() {
    let targets = concat!(
        r#"[{"id":"a","type":"node","title":"t","url":"file:///b.js","#,
        r#""webSocketDebuggerUrl":"ws://127.0.0.1:9229/a"}]"#
    );
    let seeds = [
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{targets}", targets.len()),
        format!("HTTP/1.0 200 OK\r\n\r\n{targets}"),
    ];
    fuzz_whole(&seeds.map(String::into_bytes), TARGET, targets::answer, 1_000);
}

/// What targets of each kind say, behind a byte that selects it.
#[test]
fn messages() {
    let chunk = |text: &str| {
        let method = "HeapProfiler.addHeapSnapshotChunk";
        let params = serde_json::json!({ "chunk": text });
        serde_json::json!({ "method": method, "params": params }).to_string()
    };
    let done = r#"{"id":3,"result":{}}"#;
    let ended = r#"{"id":4,"result":{}}"#;
    let profile = r#"{"id":3,"result":{"profile":{"head":{"id":1},"x":"}\"{"}}}"#;
    let events = r#"{"method":"NodeTracing.dataCollected","params":{"value":[{"a":1},{"b":"]"}]}}"#;
    let complete = r#"{"method":"NodeTracing.tracingComplete"}"#;
    let seeds = [
        format!("\0{}\n{}\n{ended}\n", chunk("{\"snapshot\":{\n"), chunk("\"\\\u{e9}\"}}")),
        format!("\x01{done}\n{profile}\n"),
        format!("\x02{profile}\n"),
        format!("\x03{events}\n{events}\n{complete}\n"),
    ];
    fuzz_whole(&seeds.map(String::into_bytes), TARGET, targets::messages, 1_000);
}
