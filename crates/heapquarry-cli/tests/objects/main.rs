//! Object storage that misbehaves: it replaces what is read, does not answer, lists without end, sends us elsewhere.

#![cfg(all(unix, feature = "cloud"))]

mod server;

use server::{Answer, Request, Server, part};
use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

const SECRET: &str = "hunter2";

/// A snapshot of several blocks, in which all objects have this size of three digits.
fn heap(size: u32) -> Vec<u8> {
    const NODES: usize = 700_000;
    let mut text = format!(
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]}},"node_count":{NODES},"edge_count":0}},"nodes":["#
    );
    for node in 0..NODES {
        let comma = if node > 0 { "," } else { "" };
        write!(text, "{comma}0,0,{},{size},0", 2 * node + 1).unwrap();
    }
    text += r#"],"edges":[],"strings":["a"]}"#;
    assert!(text.len() > 9 << 20);
    text.into_bytes()
}

fn command(dir: &Path, args: &[&str], endpoint: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapquarry"));
    fs::create_dir_all(dir.join("tmp")).unwrap();
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AWS_") {
            command.env_remove(name);
        }
    }
    command
        .args(args)
        .current_dir(dir)
        .env("TMPDIR", dir.join("tmp"))
        .env("HOME", dir)
        .env("HEAPQUARRY_CACHE_DIR", dir.join("tmp/cache"))
        .env("AWS_ACCESS_KEY_ID", "AKIAX")
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("AWS_SESSION_TOKEN", SECRET)
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ENDPOINT_URL", endpoint);
    command
}

fn run(dir: &Path, args: &[&str], endpoint: &str) -> Output {
    command(dir, args, endpoint).output().unwrap()
}

/// Files below a folder, without those of the cache.
fn left(dir: &Path) -> Vec<String> {
    let (mut left, mut folders) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true if entry.file_name() == "cache" => {}
                true => folders.push(entry.path()),
                false => left.push(entry.path().display().to_string()),
            }
        }
    }
    left
}

/// An object in two versions of equal size, of which the second one comes from some request on.
#[test]
fn an_object_that_is_replaced_is_an_error() {
    let (old, new) = (heap(111), heap(222));
    let longer = [&new[..], b" "].concat();
    let tag = |tag: &str| vec![("ETag", tag.to_owned())];
    let time = |time: &str| vec![("Last-Modified", format!("Wed, 25 Nov 2026 10:00:{time} GMT"))];
    let both = |of: &str, at: &str| [tag(of), time(at)].concat();
    let replaced = Some("the object was replaced while it was read");
    for (before, after, later, expected) in [
        (tag("\"1\""), tag("\"2\""), &new, replaced),
        (tag("W/\"1\""), tag("W/\"2\""), &new, replaced),
        (tag("\"1\""), vec![], &new, replaced),
        (time("00"), time("01"), &new, replaced),
        (vec![], vec![], &longer, replaced),
        // The content did not change.
        (tag("\"1\""), tag("W/\"1\""), &old, None),
        (both("\"1\"", "00"), both("\"1\"", "01"), &old, None),
        (vec![], vec![], &old, None),
    ] {
        let what = format!("{before:?} {after:?}");
        let (old, later) = (old.clone(), later.clone());
        let server = Server::new(move |request| match request.number {
            1 => part(&old, request, before.clone()),
            _ => part(&later, request, after.clone()),
        });
        let url = format!("{}/a.heapsnapshot", server.url);
        for args in [&["summary", "-q", &url][..], &["convert", "-q", &url, "-o", "out"]] {
            server.seen.lock().unwrap().clear();
            let dir = tempfile::tempdir().unwrap();
            let done = run(dir.path(), args, "");
            let error = String::from_utf8_lossy(&done.stderr);
            let Some(expected) = expected else {
                assert_eq!(done.status.code(), Some(0), "{what} {args:?}: {error}");
                continue;
            };
            assert_eq!(done.status.code(), Some(2), "{what} {args:?}: {error}");
            assert!(error.contains(expected) && error.lines().count() == 1, "{what}: {error}");
            assert_eq!(left(dir.path()), [""; 0], "{what} {args:?}");
        }
    }
}

/// Answers of a server that does what it was not asked for.
#[test]
fn an_answer_must_be_what_was_asked_for() {
    let object = heap(111);
    for (status, range) in
        [(206, "bytes 0-4194303/12345678"), (206, "bytes 1-4194304"), (206, ""), (200, "")]
    {
        let object = object.clone();
        let server = Server::new(move |request| match request.number {
            1 => part(&object, request, vec![]),
            _ => {
                let headers = [("Content-Range", range.to_owned())];
                let headers = headers.into_iter().filter(|(_, range)| !range.is_empty());
                Answer::Reply(status, headers.collect(), object.clone())
            }
        });
        let dir = tempfile::tempdir().unwrap();
        let url = format!("{}/a.heapsnapshot", server.url);
        let done = run(dir.path(), &["convert", "-q", &url, "-o", "out"], "");
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{status} {range}: {error}");
        assert!(error.lines().count() == 1 && error.contains(&url), "{error}");
        assert_eq!(left(dir.path()), [""; 0], "{status} {range}");
    }
}

fn page(keys: &[&str], next: Option<usize>) -> Answer {
    let mut text = "<?xml version=\"1.0\"?><ListBucketResult>".to_owned();
    if let Some(next) = next {
        write!(text, "<IsTruncated>true</IsTruncated>").unwrap();
        write!(text, "<NextContinuationToken>{next}</NextContinuationToken>").unwrap();
    }
    for key in keys {
        let rest = "<Size>5</Size><LastModified>2026-01-01T00:00:00Z</LastModified>";
        write!(text, "<Contents><Key>{key}</Key>{rest}</Contents>").unwrap();
    }
    Answer::Reply(200, vec![], (text + "</ListBucketResult>").into_bytes())
}

fn is_listing(request: &Request) -> bool {
    request.path.contains("list-type=2")
}

/// At what the server falls silent.
type Silent = fn(&Request) -> bool;

#[test]
fn an_interrupt_ends_any_request_at_once() {
    let first: Silent = |_| true;
    let later: Silent = |request| request.number > 1;
    let listing: Silent = is_listing;
    let written: Silent = |request| request.method == "PUT";
    let removed: Silent = |request| matches!(&*request.method, "DELETE" | "POST");
    let object = heap(111);
    for (args, silent) in [
        (&["summary", "-q", "URL"][..], first),
        (&["summary", "-q", "URL"], later),
        (&["why", "-q", "URL", "--node", "1"], later),
        (&["diff", "-q", "URL", "URL"], later),
        (&["convert", "-q", "URL", "-o", "out"], first),
        (&["convert", "-q", "URL", "-o", "out"], later),
        (&["redact", "-q", "URL", "out"], later),
        (&["extract", "URL", "-o", "out"], later),
        (&["convert", "-q", "--batch", "s3://bucket/p/", "-o", "out"], listing),
        (&["convert", "-q", "--batch", "list", "-o", "out"], later),
        (&["convert", "-q", "small", "-o", "s3://bucket/out"], listing),
        (&["convert", "-q", "small", "-o", "s3://bucket/out"], written),
        (&["convert", "-q", "small", "-o", "s3://bucket/out"], removed),
    ] {
        let object = object.clone();
        let server = Server::new(move |request| match &*request.method {
            _ if silent(request) => Answer::Silence,
            "GET" if is_listing(request) => page(&[], None),
            "GET" => part(&object, request, vec![]),
            "PUT" => Answer::Reply(200, vec![("ETag", "\"1\"".into())], vec![]),
            _ => Answer::Reply(204, vec![], vec![]),
        });
        let dir = tempfile::tempdir().unwrap();
        let url = format!("{}/a.heapsnapshot", server.url);
        let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
        let small = small.join("bun.heapsnapshot").display().to_string();
        let list = dir.path().join("list");
        fs::write(&list, &url).unwrap();
        let args = args.iter().map(|arg| match *arg {
            "URL" => url.as_str(),
            "small" => small.as_str(),
            arg => arg,
        });
        let args: Vec<&str> = args.collect();
        let mut command = command(dir.path(), &args, &server.url);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        server.wait_for_silence();
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let done = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        let found = (done.status.code(), &*error);
        assert_eq!(found, (Some(130), "error: interrupted\n"), "{args:?}");
        // A batch keeps what says that it is one.
        if !args.contains(&"--batch") {
            assert_eq!(left(dir.path()), [list.display().to_string()], "{args:?}");
        }
    }
}

#[test]
fn a_listing_without_end_can_be_interrupted() {
    let names: Vec<String> = (0..1000).map(|n| format!("p/{n}")).collect();
    // The answer comes all the same.
    let server = Server::new(move |request| {
        page(&names.iter().map(String::as_str).collect::<Vec<_>>(), Some(request.number))
    });
    let dir = tempfile::tempdir().unwrap();
    let args = ["convert", "-q", "--batch", "s3://bucket/p/", "-o", "out"];
    let mut command = command(dir.path(), &args, &server.url);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.seen.lock().unwrap().len() < 20 {
        std::thread::yield_now();
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A key that no request can name is an input that fails. The others are converted.
#[test]
fn one_key_does_not_stop_a_batch() {
    let odd = ["a//x.h", "a/../x.h", "a/./x.h", "&#x1b;[31m.h", "a\u{7f}.h"];
    let keys: Vec<String> = odd.iter().map(|key| format!("p/{key}")).collect();
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    let small = fs::read(small.join("bun.heapsnapshot")).unwrap();
    let server = Server::new(move |request| {
        let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        keys.extend(["p/good.h", "p/with blank &amp; é.h"]);
        match is_listing(request) {
            true => page(&keys, None),
            false => part(
                &small,
                request,
                vec![
                    ("Last-Modified", "Wed, 25 Nov 2026 10:00:00 GMT".into()),
                    ("ETag", "\"1\"".into()),
                ],
            ),
        }
    });
    let dir = tempfile::tempdir().unwrap();
    let args = ["convert", "-q", "--batch", "s3://bucket/p/", "-o", "out"];
    let done = run(dir.path(), &args, &server.url);
    let error = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(3), "{error}");
    let log = fs::read_to_string(dir.path().join("out/_log/inputs.jsonl")).unwrap();
    let status = |word: &str| log.lines().filter(|line| line.contains(word)).count();
    // Below `a/./`, a name begins with a dot: such are left out, as in a folder.
    assert_eq!((status("\"done\""), status("\"failed\"")), (2, 3), "{log}");
    assert!(log.contains("s3://bucket/p/a//x.h") && log.contains("empty path segment"), "{log}");
}

#[test]
fn credentials_are_never_shown() {
    let (dir, small) = (tempfile::tempdir().unwrap(), "small.heapsnapshot");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    fs::copy(corpus.join("bun.heapsnapshot"), dir.path().join(small)).unwrap();
    let mine = format!("s3://AKIAX:{SECRET}@bucket/a.heapsnapshot");
    let slash = format!("s3://AKIAX:a/{SECRET}@bucket/a.heapsnapshot");
    let web = format!("https://me:{SECRET}@127.0.0.1:1/a.heapsnapshot");
    let signed = format!("https://127.0.0.1:1/a.heapsnapshot?sig={SECRET}");
    fs::write(dir.path().join("list"), &mine).unwrap();
    let endpoint = format!("http://me:{SECRET}@127.0.0.1:1");
    let at_endpoint = "s3://bucket/a.heapsnapshot";
    for (args, code) in [
        (&["convert", &mine, "-o", "out"][..], 2),
        (&["convert", &slash, "-o", "out"], 2),
        (&["convert", &mine, &mine, "-o", "out"], 2),
        (&["summary", &mine], 2),
        (&["summary", &web], 2),
        (&["summary", &signed], 2),
        (&["info", &mine], 2),
        (&["diff", small, &mine], 2),
        (&["summary", &mine, "--error-format=json"], 2),
        (&["redact", &mine, "out"], 2),
        (&["redact", small, &mine], 2),
        (&["report", small, "-o", &mine], 2),
        (&["convert", small, "-o", &mine], 2),
        (&["convert", "--batch", &mine, "-o", "out"], 2),
        (&["convert", "--batch", "list", "-o", "batch"], 3),
        (&["convert", "--batch", "list", "-o", &mine], 2),
        (&["summary", at_endpoint], 2),
    ] {
        let done = run(dir.path(), args, &endpoint);
        let told = [done.stdout, done.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert_eq!(done.status.code(), Some(code), "{args:?}: {told}");
        assert!(!told.contains(SECRET), "{args:?}: {told}");
        assert!(told.contains("***"), "{args:?}: {told}");
    }
    let log = fs::read_to_string(dir.path().join("batch/_log/inputs.jsonl")).unwrap();
    assert!(log.contains("s3://***@bucket") && !log.contains(SECRET), "{log}");
}

#[test]
fn credentials_follow_no_redirect() {
    let other = Server::new(|_| Answer::Reply(404, vec![], vec![]));
    let port = other.url.rsplit_once(':').unwrap().1.to_owned();
    for status in [301, 302, 303, 307, 308] {
        let to = format!("http://localhost:{port}/stolen");
        let server =
            Server::new(move |_| Answer::Reply(status, vec![("Location", to.clone())], vec![]));
        let dir = tempfile::tempdir().unwrap();
        let done = run(dir.path(), &["summary", "-q", "s3://bucket/a"], &server.url);
        assert_eq!(done.status.code(), Some(2), "{status}");
        let seen = other.seen.lock().unwrap();
        assert!(seen.is_empty(), "{status}: {seen:?}");
    }
    // A public address has none.
    let dir = tempfile::tempdir().unwrap();
    let to = format!("http://localhost:{port}/moved");
    let server = Server::new(move |_| Answer::Reply(302, vec![("Location", to.clone())], vec![]));
    let done = run(dir.path(), &["summary", "-q", &format!("{}/a", server.url)], "");
    assert_eq!(done.status.code(), Some(2));
    let seen = other.seen.lock().unwrap();
    assert!(!seen.is_empty() && seen.iter().all(|request| request.path == "/moved"), "{seen:?}");
}

#[test]
fn hints_and_refusals_say_what_works() {
    let server = Server::new(|request| match &*request.method {
        "GET" if is_listing(request) => page(&[], None),
        "PUT" => Answer::Reply(200, vec![("ETag", "\"1\"".into())], vec![]),
        "DELETE" => Answer::Reply(204, vec![], vec![]),
        _ => Answer::Reply(404, vec![], vec![]),
    });
    let (dir, small) = (tempfile::tempdir().unwrap(), "small.heapsnapshot");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    fs::copy(corpus.join("bun.heapsnapshot"), dir.path().join(small)).unwrap();
    let done = run(dir.path(), &["convert", small, "-o", "s3://bucket/out"], &server.url);
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(told.contains("s3://bucket/out") && !told.contains("next:"), "{told}");
    for args in [
        &["redact", small, "s3://bucket/a"][..],
        &["report", small, "-o", "s3://bucket/a"],
        &["extract", small, "-o", "s3://bucket/a"],
        &["diff", small, small, "--output", "s3://bucket/a"],
    ] {
        let done = run(dir.path(), args, &server.url);
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{told}");
        assert!(told.contains("only converted tables are written to an address"), "{told}");
    }
}

/// What a request does to an upload in parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Begin,
    Part,
    Complete,
    Abort,
}

fn step(request: &Request) -> Option<Step> {
    match (&*request.method, request.path.split_once('?')?.1) {
        ("POST", query) if query.contains("uploadId=") => Some(Step::Complete),
        ("POST", query) if query.contains("uploads") => Some(Step::Begin),
        ("PUT", query) if query.contains("partNumber=") => Some(Step::Part),
        ("DELETE", query) if query.contains("uploadId=") => Some(Step::Abort),
        _ => None,
    }
}

/// A bucket that takes everything, and has these keys.
fn take(request: &Request, keys: &[&str]) -> Answer {
    let tag = || vec![("ETag", "\"1\"".to_owned())];
    let text = |text: &str| Answer::Reply(200, tag(), text.as_bytes().to_vec());
    let names = "<Bucket>bucket</Bucket><Key>key</Key>";
    match (step(request), &*request.method) {
        (Some(Step::Begin), _) => text(&format!(
            "<InitiateMultipartUploadResult>{names}<UploadId>7</UploadId></InitiateMultipartUploadResult>"
        )),
        (Some(Step::Complete), _) => text(&format!(
            "<CompleteMultipartUploadResult>{names}<Location>here</Location><ETag>\"1\"</ETag></CompleteMultipartUploadResult>"
        )),
        (Some(Step::Part), _) | (None, "PUT") => text(""),
        (None, "POST") => text("<DeleteResult><Deleted><Key>key</Key></Deleted></DeleteResult>"),
        (Some(Step::Abort), _) | (None, "DELETE") => Answer::Reply(204, vec![], vec![]),
        _ if is_listing(request) => page(keys, None),
        _ => Answer::Reply(404, vec![], vec![]),
    }
}

/// A snapshot whose table of nodes has more bytes than three parts.
fn texts() -> String {
    const NODES: usize = 26_000;
    let (mut nodes, mut strings, mut chance) = (String::new(), String::new(), 7_u64);
    for node in 0..NODES {
        let comma = if node > 0 { "," } else { "" };
        write!(nodes, "{comma}0,{node},{},16,0", 2 * node + 1).unwrap();
        strings += if node > 0 { ",\"" } else { "\"" };
        for _ in 0..64 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write!(strings, "{:016x}", chance ^ chance >> 32).unwrap();
        }
        strings.push('"');
    }
    format!(
        r#"{{"snapshot":{{"meta":{{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]}},"node_count":{NODES},"edge_count":0}},"nodes":[{nodes}],"edges":[],"strings":[{strings}]}}"#
    )
}

/// What fails, or is interrupted, leaves no parts that are paid for, no manifest, and nothing on this machine.
#[test]
fn an_upload_in_parts_that_does_not_end_is_aborted() {
    let dir = tempfile::tempdir().unwrap();
    let heap = dir.path().join("a.heapsnapshot");
    fs::write(&heap, texts()).unwrap();
    let error = b"<Error><Code>InternalError</Code><Message>sorry</Message></Error>";
    let refused = || Answer::Reply(403, vec![], vec![]);
    let no_tag = || Answer::Reply(200, vec![], vec![]);
    let late_error = move || Answer::Reply(200, vec![], error.to_vec());
    let nothing = || Answer::Reply(200, vec![], vec![]);
    let silence = || Answer::Silence;
    type Wrong = dyn Fn() -> Answer + Send + Sync;
    let cases: [(Step, bool, Box<Wrong>); 9] = [
        (Step::Begin, false, Box::new(refused)),
        (Step::Begin, false, Box::new(nothing)),
        (Step::Begin, true, Box::new(silence)),
        (Step::Part, false, Box::new(refused)),
        (Step::Part, false, Box::new(no_tag)),
        (Step::Part, true, Box::new(silence)),
        (Step::Complete, false, Box::new(refused)),
        (Step::Complete, false, Box::new(late_error)),
        (Step::Complete, true, Box::new(silence)),
    ];
    for (number, (wrong, is_interrupted, answer)) in cases.into_iter().enumerate() {
        let server = Server::new(move |request| match step(request) == Some(wrong) {
            true => answer(),
            false => take(request, &[]),
        });
        let words = ["--tables", "js_heap_nodes", "--compression", "none", "a.heapsnapshot"];
        let args = [&["convert", "-q"][..], &words, &["-o", "s3://bucket/out"]].concat();
        let mut command = command(dir.path(), &args, &server.url);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if is_interrupted {
            server.wait_for_silence();
            let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(kill.unwrap().success());
        }
        let done = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        let what = format!("{number}: {wrong:?}, {error}");
        let seen = server.seen.lock().unwrap();
        let count = |of| seen.iter().filter(|request| step(request) == Some(of)).count();
        match is_interrupted {
            true => assert_eq!(
                (done.status.code(), &*error),
                (Some(130), "error: interrupted\n"),
                "{what}"
            ),
            false => {
                assert_eq!(done.status.code(), Some(2), "{what}");
                assert!(
                    error.contains("js_heap_nodes.parquet") && error.lines().count() == 1,
                    "{what}"
                );
            }
        }
        assert_eq!(count(Step::Abort) > 0, wrong != Step::Begin, "{what}");
        let manifest =
            |request: &Request| request.method == "PUT" && request.path.contains("_manifest.json");
        assert!(!seen.iter().any(manifest), "{what}");
        assert_eq!(left(dir.path()), [heap.display().to_string()], "{what}");
    }
    // And one that ends is whole: all of its parts are there when it is completed.
    let server = Server::new(|request| take(request, &[]));
    let words = ["--tables", "js_heap_nodes", "--compression", "none", "a.heapsnapshot"];
    let args = [&["convert", "-q"][..], &words, &["-o", "s3://bucket/out"]].concat();
    let done = run(dir.path(), &args, &server.url);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let seen = server.seen.lock().unwrap();
    let steps: Vec<Step> = seen.iter().filter_map(step).collect();
    assert!(steps.len() > 4 && steps[0] == Step::Begin, "{steps:?}");
    assert!(steps[1..steps.len() - 1].iter().all(|step| *step == Step::Part), "{steps:?}");
    assert_eq!(steps.last(), Some(&Step::Complete));
}

/// What somebody else writes to the place of an output during the conversion stays as it is.
#[test]
fn an_output_that_is_taken_meanwhile_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let small =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade/bun.heapsnapshot");
    let listings = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::new(move |request| match is_listing(request) {
        true if listings.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => page(&[], None),
        _ => take(request, &["out/notes.txt"]),
    });
    let args = ["convert", "-q", small.to_str().unwrap(), "-o", "s3://bucket/out"];
    let done = run(dir.path(), &args, &server.url);
    let error = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{error}");
    assert!(error.contains("(s3://bucket/out)") && error.contains("it exists"), "{error}");
    let seen = server.seen.lock().unwrap();
    assert!(seen.iter().all(|request| matches!(&*request.method, "GET" | "HEAD")), "{seen:?}");
}

/// What the second page of a listing is.
#[derive(Clone, Copy, Debug)]
enum Second {
    /// An answer.
    Is(u16, &'static str),
    /// A page with these keys.
    Has(&'static [&'static str]),
    /// Nothing, and an interrupt follows.
    Silent,
}

#[test]
fn a_listing_is_whole_or_an_error() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/handmade");
    let small = fs::read(corpus.join("bun.heapsnapshot")).unwrap();
    let not_all = "cannot list input";
    for (second, code, told, done_and_failed) in [
        (Second::Is(403, ""), 2, "403 Forbidden", None),
        (Second::Is(404, ""), 2, not_all, None),
        (Second::Is(200, "<html>welcome</html>"), 2, not_all, None),
        (Second::Is(200, "<ListBucketResult><Contents><Key>p/c.h"), 2, not_all, None),
        (Second::Silent, 130, "interrupted", None),
        (Second::Has(&["p/b.h"]), 0, "", Some((2, 0))),
        // Written between two pages, and removed before it is read.
        (Second::Has(&["p/a.h", "p/b.h"]), 0, "", Some((2, 0))),
        (Second::Has(&["p/b.h", "p/gone.h"]), 3, "there is no such object", Some((2, 1))),
    ] {
        let small = small.clone();
        let server = Server::new(move |request| match is_listing(request) {
            true if !request.path.contains("continuation-token") => page(&["p/a.h"], Some(2)),
            true => match second {
                Second::Is(status, text) => Answer::Reply(status, vec![], text.into()),
                Second::Has(keys) => page(keys, None),
                Second::Silent => Answer::Silence,
            },
            false if request.path.contains("gone") => Answer::Reply(404, vec![], vec![]),
            false => {
                let time = ("Last-Modified", "Wed, 25 Nov 2026 10:00:00 GMT".into());
                part(&small, request, vec![time, ("ETag", "\"1\"".into())])
            }
        });
        let dir = tempfile::tempdir().unwrap();
        let args = ["convert", "-q", "--batch", "s3://bucket/p/", "-o", "out"];
        let mut command = command(dir.path(), &args, &server.url);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if matches!(second, Second::Silent) {
            server.wait_for_silence();
            let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            assert!(kill.unwrap().success());
        }
        let done = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{second:?}: {error}");
        assert!(error.contains(told), "{second:?}: {error}");
        let log = fs::read_to_string(dir.path().join("out/_log/inputs.jsonl")).unwrap_or_default();
        let status = |word: &str| log.lines().filter(|line| line.contains(word)).count();
        let expected = done_and_failed.unwrap_or_default();
        assert_eq!((status("\"done\""), status("\"failed\"")), expected, "{second:?}: {log}");
    }
}
