//! What fuzzers run: functions that panic if anything is wrong with what becomes of some bytes. They belong both to
//! `tests/fuzz`, which runs them with any compiler for a few seconds, and to the fuzz targets beside the formats, for
//! `cargo fuzz`.
#![allow(dead_code, reason = "each fuzz target uses one of them")]

use heapquarry::{BatchOptions, ConvertOptions, RunOptions, Source, batches, convert, info};
use heapquarry_capture::{Address, Kind, Options, Recorded, Session, Trust, choose, list};
use heapquarry_formats::{ByteOffset, sniff};
use heapquarry_input::devtools::{DocumentRange, Messages};
use heapquarry_query::{Check, Question, Summary};
use heapquarry_redact::{Level, Rules, Secret, audit, redact};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt::Display,
    fs,
    io::{Cursor, Read, Write},
    net::{Shutdown, TcpListener},
    path::PathBuf,
    thread,
    time::Duration,
};
use tungstenite::Message;

/// Rows of tables, and what is said of each document; or the error.
type Told = Result<(Vec<(&'static str, String)>, Vec<String>), String>;

/// All rows of an input, and those of its analysis.
fn read(source: Source, threads: usize) -> Told {
    let text = |error: heapquarry::Error| one_line(&error);
    let run = RunOptions::default().threads(threads);
    let options = BatchOptions::default().analyze(true).batch_rows(7).run(run);
    let mut batches = batches(&[source], &options).map_err(text)?;
    let mut rows = Vec::new();
    for batch in &mut batches {
        let (table, batch) = batch.map_err(text)?;
        let batch = table.expand(&batch).expect("little text");
        rows.push((table.name, format!("{:?}", batch.columns())));
    }
    // Between tables the order may be another.
    rows.sort_by_key(|(name, _)| *name);
    let documents = batches.documents().iter();
    Ok((rows, documents.map(|document| format!("{document:?}")).collect()))
}

/// The text of an error, which is one line.
fn one_line(error: &dyn Display) -> String {
    let text = error.to_string();
    assert!(text.lines().count() <= 1, "{text:?}");
    text
}

/// Number of rows by table, without those that tell of documents; `None` if the input cannot be read, or is damaged.
fn counts(source: Source) -> Option<BTreeMap<&'static str, usize>> {
    let options = BatchOptions::default().run(RunOptions::default().threads(1));
    let mut batches = batches(&[source], &options).ok()?;
    let mut counts = BTreeMap::new();
    for batch in &mut batches {
        let (table, batch) = batch.ok()?;
        if !["source", "import_log"].contains(&table.name) {
            *counts.entry(table.name).or_default() += batch.num_rows();
        }
    }
    batches.documents().iter().all(|document| document.log.is_empty()).then_some(counts)
}

fn bytes(data: &[u8]) -> Source {
    Source::bytes("fuzz", data.to_vec())
}

/// Archives, pages and all other inputs: the rows do not depend on the number of threads.
pub(crate) fn input(data: &[u8]) {
    let (one, more) = (read(bytes(data), 1), read(bytes(data), 3));
    assert!(one == more, "with one thread\n{one:?}\nwith three\n{more:?}");
}

/// What is put into a container can be read as it can on its own.
pub(crate) fn contained(data: &[u8]) {
    let Some(alone) = counts(bytes(data)) else { return };
    let page = |tag: &str, text: &[u8]| {
        let (start, end) = (format!("<html><script {tag}>"), &b"</script></html>"[..]);
        [start.as_bytes(), text, end].concat()
    };
    let mut packed = flate2::read::GzEncoder::new(data, flate2::Compression::fast());
    let mut gzip = Vec::new();
    packed.read_to_end(&mut gzip).expect("memory can be read");
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("a", zip::write::SimpleFileOptions::default()).expect("memory has room");
    zip.write_all(data).expect("memory has room");
    let zip = zip.finish().expect("memory has room").into_inner();
    let pages = [
        ("a page", page("class=\"trace-data\"", data)),
        ("a page in base64", page("id=\"viewer-data\"", base64(data).as_bytes())),
    ];
    // The data ends a script itself.
    let pages = pages.into_iter().filter(|_| !data.windows(8).any(|bytes| bytes == b"</script"));
    for (what, container) in [("gzip", gzip), ("a zip archive", zip)].into_iter().chain(pages) {
        let inside = counts(bytes(&container));
        assert!(inside.as_ref() == Some(&alone), "{what}: {inside:?}, alone {alone:?}");
    }
}

fn base64(data: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in data.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(*three.get(at).unwrap_or(&0)));
        let digits = (0..=three.len()).map(|at| DIGITS[(bits >> (18 - 6 * at) & 63) as usize]);
        text.extend(digits.map(char::from));
    }
    text
}

/// What is always taken out.
const DENIED: &str = "s3cret";

/// A copy without what is private: of the level that the first byte selects. It has the same structure, and nothing of
/// what is denied.
pub(crate) fn redacted(data: &[u8]) {
    let Some((level, data)) = data.split_first() else { return };
    let level = [Level::Values, Level::Names, Level::Full][usize::from(level % 3)];
    let rules = || Rules::new(level, [7; 16]).deny(DENIED).expect("it is a pattern");
    let Some(found) = sniff(&data).expect("memory can be read") else { return };
    let copy = |threads| {
        let (mut rules, mut copy) = (rules(), Vec::new());
        let outcome = redact(found.format, &data, &mut rules, threads, &mut copy).ok()?;
        Some((copy, outcome, rules.replaced()))
    };
    let first = copy(1);
    assert!(first == copy(3), "the copy of several threads is another one");
    let Some((copy, outcome, _)) = first else { return };
    let (hits, audited) = audit(found.format, &&copy[..], &rules()).expect("memory can be read");
    assert_eq!(hits.get(&Secret::Denied), None, "{}", copy.escape_ascii());
    if let Some(at) = outcome.cut {
        assert!(at <= data.len() as u64, "{at}");
    } else {
        assert_eq!(audited.cut, None, "{}", copy.escape_ascii());
        is_alike(data, &copy);
    }
}

/// A copy has the rows of its document, if that is not damaged.
fn is_alike(document: &[u8], copy: &[u8]) {
    let Some(mut expected) = counts(bytes(document)) else { return };
    let mut found = counts(bytes(copy)).unwrap_or_default();
    // What events mean depends on their values.
    let is_kept = |table: &str| ["js_", "trace_"].iter().any(|kind| table.starts_with(kind));
    [&mut found, &mut expected]
        .into_iter()
        .for_each(|counts| counts.retain(|table, _| is_kept(table)));
    // A string with two uses becomes two.
    let strings = |counts: &mut BTreeMap<_, _>| counts.remove("js_heap_string");
    let is_enough = strings(&mut found) >= strings(&mut expected);
    let alike = is_enough && found == expected;
    assert!(alike, "{found:?}, not {expected:?}: {}", copy.escape_ascii());
}

const SNAPSHOT: &[u8] = include_bytes!("../../../../corpus/handmade/bun.heapsnapshot");
const PROFILE: &[u8] = include_bytes!("../../../../corpus/profiles/keys-sorted.cpuprofile");
pub(crate) const TRACE: &[u8] = br#"{"traceEvents":[
    {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"main"}},
    {"ph":"B","ts":1,"pid":1,"tid":2,"name":"a","cat":"c"},{"ph":"E","ts":9,"pid":1,"tid":2},
    {"ph":"X","ts":2,"dur":3.5,"pid":1,"tid":2,"name":"b","args":{"x":[1,{"y":null}]}},
    {"ph":"b","ts":1,"id":"0x1","cat":"c","pid":1,"name":"o"},{"ph":"e","ts":2,"id":"0x1","cat":"c","pid":1,"name":"o"},
    {"ph":"s","ts":1,"id":1,"pid":1,"tid":2},{"ph":"f","bp":"e","ts":2,"id":1,"pid":1,"tid":2},
    {"ph":"C","ts":1,"pid":1,"name":"n","args":{"x":1,"y":"2.5"}}]}"#;

/// Names to keep and patterns to deny, one on each line. Copies by these rules are whole.
pub(crate) fn rules(data: &[u8]) {
    let (mut rules, mut denies) = (Rules::new(Level::Full, [7; 16]), false);
    for line in String::from_utf8_lossy(data).lines() {
        rules = match line.split_once(' ') {
            Some(("keep", name)) => rules.keep(name),
            Some(("deny", pattern)) => match rules.deny(pattern) {
                Ok(rules) => {
                    denies = true;
                    rules
                }
                Err(why) => return drop(one_line(&why)),
            },
            _ => rules,
        };
    }
    for document in [SNAPSHOT, PROFILE, TRACE] {
        let found = sniff(&document).expect("memory can be read").expect("it is of a known format");
        let mut copy = Vec::new();
        let outcome = redact(found.format, &document, &mut rules, 1, &mut copy);
        assert_eq!(outcome.expect("it can be redacted").cut, None);
        // What is denied can be a word of the format.
        if !denies {
            is_alike(document, &copy);
        }
        audit(found.format, &&copy[..], &rules).expect("memory can be read");
    }
}

/// A budget. What it says of figures does not depend on whether they come from the input or from a file of figures.
pub(crate) fn budget(data: &[u8]) {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("budget.toml"), data).expect("it can be written");
    let run = RunOptions::default().threads(1);
    for document in [SNAPSHOT, PROFILE, TRACE] {
        let how = || Check::default().budget(Some(at("budget.toml")));
        let checked =
            |how: Check| match how.ask(&heapquarry_query::Session::new([bytes(document)], &run)) {
                Ok(found) => format!("{:?}", found.answer.limits),
                Err(error) => one_line(&error),
            };
        let saved = how().baseline(Some(bytes(document))).save_baseline(Some(at("figures")));
        let of_input = checked(saved);
        if at("figures").exists() {
            let of_figures = checked(how().baseline(Some(Source::path(at("figures")))));
            assert_eq!(of_input, of_figures);
            fs::remove_file(at("figures")).expect("it can be removed");
        }
    }
}

/// A converted directory with one file whose bytes are `data`; the first byte selects the file.
pub(crate) fn directory(data: &[u8]) {
    let Some((file, data)) = data.split_first() else { return };
    DIRECTORY.with(|directory| {
        let file = &directory.files[usize::from(*file) % directory.files.len()];
        let path = directory.path.path().join(&file.0);
        fs::write(&path, data).expect("it can be written");
        let dir = || Source::path(directory.path.path());
        let (one, more) = (read(dir(), 1), read(dir(), 3));
        // Of several errors, any is told.
        let alike = one == more || one.is_err() && more.is_err();
        assert!(alike, "with one thread\n{one:?}\nwith three\n{more:?}");
        let run = RunOptions::default().threads(1);
        let _ = info(&dir(), &run).map_err(|error| one_line(&error));
        for document in 0..3 {
            let session = heapquarry_query::Session::new([dir().document(document)], &run);
            let summary = Summary::default().top(3).ask(&session);
            let _ = summary.map_err(|error| one_line(&error));
        }
        fs::write(path, &file.1).expect("it can be written");
    });
}

/// The inputs of [`directory`], each file behind its number.
pub(crate) fn files_of_directory() -> Vec<Vec<u8>> {
    DIRECTORY.with(|directory| {
        let files = directory.files.iter().enumerate();
        files.map(|(at, (_, content))| [&[at as u8][..], content].concat()).collect()
    })
}

struct Directory {
    path: tempfile::TempDir,
    files: Vec<(PathBuf, Vec<u8>)>,
}

thread_local! {
    static DIRECTORY: Directory = {
        let path = tempfile::tempdir().expect("there is a folder for temporary files");
        let inputs = [SNAPSHOT, PROFILE, TRACE].map(bytes);
        let options = ConvertOptions::default().analyze(true).row_group_rows(5).force(true);
        let converted = convert(&inputs, path.path(), &options).expect("they can be converted");
        let tables = converted.tables.iter().filter(|table| table.rows > 0);
        let names = tables.map(|table| table.file.clone()).chain(["_manifest.json".into()]);
        let file = |name: String| {
            let content = fs::read(path.path().join(&name)).expect("it was written");
            (PathBuf::from(name), content)
        };
        Directory { files: names.map(file).collect(), path }
    };
}

/// What an inspector answers over HTTP.
pub(crate) fn answer(data: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let port = listener.local_addr().expect("it has one").port();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..2 {
                let (mut stream, _) = listener.accept().expect("somebody connects");
                let _ = stream.write_all(data);
                let _ = stream.shutdown(Shutdown::Write);
                // A connection that ends with bytes that nobody read is reset.
                let _ = stream.read_to_end(&mut Vec::new());
            }
        });
        let address = Address::local(port);
        let targets = list(&address, &|| false).map_err(|error| one_line(&error));
        let chosen = choose(&address, &|| false).map_err(|error| one_line(&error));
        let programs = targets.as_ref().map_or(0, Vec::len);
        assert!(chosen.is_err() || programs > 0, "{programs} targets, and one was chosen");
    });
}

/// Messages of a target, one on each line, after what is recorded has been asked for; the first byte selects what. What
/// is written is what a naive reader makes of them.
pub(crate) fn messages(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let kinds = [Kind::Timeline, Kind::HeapSampling, Kind::Cpu, Kind::Trace];
    let kind = kinds[usize::from(*kind) % kinds.len()];
    let text = String::from_utf8_lossy(data);
    let lines: Vec<&str> = text.lines().collect();
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let place = listener.local_addr().expect("it has one");
    let mut out = Vec::new();
    let recorded = thread::scope(|scope| {
        scope.spawn(|| target(&listener, &lines));
        let address = Address::parse(&format!("ws://{place}/1"), &Trust::default());
        let stop = || false;
        let target = choose(&address.expect("it is one"), &stop).expect("its path says which");
        let mut session = Session::open(&target, &stop).expect("it listens");
        let options = Options { duration: Some(Duration::ZERO), ..Options::default() };
        session.record(kind, &options, &mut out)
    });
    match &recorded {
        Ok(recorded) => assert_eq!(recorded.bytes, out.len() as u64),
        Err(error) => assert!(out.is_empty(), "{error}: {}", out.escape_ascii()),
    }
    let is_whole = matches!(recorded, Ok(Recorded { cut: None, .. }));
    let Some((expected, is_ended)) = recording(kind, &lines) else { return };
    assert_eq!(is_whole, is_ended, "{recorded:?}: {}", out.escape_ascii());
    if kind == Kind::Timeline {
        assert_eq!(String::from_utf8_lossy(&out), expected);
    } else if is_whole {
        let written = serde_json::from_slice::<Value>(&out).map(|written| written.to_string());
        assert_eq!(written.ok(), Some(expected), "{}", out.escape_ascii());
    }
}

/// Requests that what is recorded answers.
const LAST: [&str; 4] = [
    "HeapProfiler.stopTrackingHeapObjects",
    "HeapProfiler.stopSampling",
    "Profiler.stop",
    "NodeTracing.stop",
];

/// A target that says these lines when it is asked for what was recorded.
fn target(listener: &TcpListener, lines: &[&str]) {
    let (stream, _) = listener.accept().expect("somebody connects");
    stream.set_nodelay(true).expect("it is a connection");
    let mut socket = tungstenite::accept(stream).expect("it speaks the protocol");
    while let Ok(message) = socket.read() {
        let Message::Text(request) = message else { continue };
        let request: Value = serde_json::from_str(&request).expect("requests are JSON");
        if request["method"].as_str().is_some_and(|method| LAST.contains(&method)) {
            let sent = lines.iter().try_for_each(|line| socket.send(Message::text(*line)));
            let _ = sent.and_then(|()| socket.close(None));
        } else {
            let answer = serde_json::json!({ "id": request["id"], "result": {} }).to_string();
            let _ = socket.send(Message::text(answer));
        }
    }
}

/// What is recorded, and whether it is whole, if all lines are plain messages.
fn recording(kind: Kind, lines: &[&str]) -> Option<(String, bool)> {
    let mut heap = String::new();
    let mut events = Vec::new();
    for line in lines {
        let message: Value = serde_json::from_str(line).ok()?;
        // What is written twice, or in another way, is gone here. The number of an answer is at its start.
        let is_plain = message.to_string().len() == line.len() && message.is_object();
        let is_plain = is_plain && (message["id"].is_null() || line.starts_with("{\"id\":"));
        if !is_plain || message.get("error").is_some() {
            return None;
        }
        // Before a snapshot, the version of the target is asked for twice: it decides what is safe, and what is fast.
        let number = if kind == Kind::Timeline { 5 } else { 3 };
        let (is_answer, method) = (message["id"] == number, &message["method"]);
        let params = &message["params"];
        match kind {
            Kind::Timeline if is_answer => return Some((heap, true)),
            Kind::Timeline if method == "HeapProfiler.addHeapSnapshotChunk" => {
                heap += params["chunk"].as_str().unwrap_or_default();
            }
            Kind::HeapSampling | Kind::Cpu if is_answer => {
                let profile =
                    message["result"].as_object().and_then(|result| result.get("profile"));
                return Some((
                    profile.map(Value::to_string).unwrap_or_default(),
                    profile.is_some(),
                ));
            }
            Kind::Trace if method == "NodeTracing.dataCollected" => {
                events.extend_from_slice(params["value"].as_array().map_or(&[], Vec::as_slice));
            }
            Kind::Trace if method == "NodeTracing.tracingComplete" => {
                return Some((serde_json::json!({ "traceEvents": events }).to_string(), true));
            }
            _ => {}
        }
    }
    Some((heap, false))
}

/// Containers of messages: documents are where there are bytes, and reading ends.
pub(crate) fn htrace(data: &[u8]) {
    let mut spool = Vec::new();
    let mut messages = Messages::new();
    let container = heapquarry_input::htrace::read(&data, &mut messages, &mut spool)
        .expect("memory can be read");
    for section in container.sections {
        assert!(
            section.offset < section.end && section.end <= ByteOffset(data.len() as u64),
            "{section:?}"
        );
    }
    messages.read_file(&data, &mut spool).expect("memory can be read");
    documents(messages, data, spool);
}

/// Messages, one after the other: what the pieces of heaps become is what a naive reader makes of them.
pub(crate) fn devtools(data: &[u8]) {
    let _ = heapquarry_input::devtools::sniff(&data).expect("memory can be read");
    let (mut spool, mut messages) = (Vec::new(), Messages::new());
    messages.read_file(&data, &mut spool).expect("memory can be read");
    let spool = documents(messages, data, spool);
    if let Some(joined) = joined(data) {
        assert!(spool == joined.as_bytes(), "{:?}", String::from_utf8_lossy(&spool));
    }
}

/// The pieces of heaps in lines that have one plain message each; `None` if there are others.
fn joined(data: &[u8]) -> Option<String> {
    let mut joined = String::new();
    for line in std::str::from_utf8(data).ok()?.lines() {
        let message: Value = serde_json::from_str(line).ok()?;
        let known = message.as_object()?.keys().all(|key| key == "method" || key == "params");
        // What is written twice, or in another way, is gone here.
        if !known || message.to_string().len() != line.len() {
            return None;
        }
        if message["method"] == "HeapProfiler.addHeapSnapshotChunk" {
            joined += message["params"]["chunk"].as_str()?;
        }
    }
    Some(joined)
}

/// Ends reading. Documents are where there are bytes. Returns the spool.
fn documents(messages: Messages, data: &[u8], mut spool: Vec<u8>) -> Vec<u8> {
    let held = messages.finish(&mut spool).expect("memory can be written");
    for document in held.documents {
        let (place, size) = match document.place {
            DocumentRange::Spool(place) => (place, spool.len()),
            DocumentRange::Input(place) => (place, data.len()),
        };
        assert!(place.start <= place.end && place.end <= ByteOffset(size as u64), "{place:?}");
    }
    spool
}
