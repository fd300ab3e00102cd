//! The cache of converted inputs.

#[path = "../../heapquarry/tests/common/mod.rs"]
mod common;

use common::corpus;
use heapquarry::{Cancel, ConvertOptions, ErrorKind, Progress, RunOptions, Source};
use heapquarry_input::Indices as _;
use heapquarry_store::cache::{Cache, Tables, temporary};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

const HEAP: &str = "handmade/bun.heapsnapshot";
const TIMELINE: &str = "handmade/v8-timeline.heaptimeline";

struct Scratch {
    dir: tempfile::TempDir,
    cache: Cache,
}

impl Scratch {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path().join("cache"));
        Scratch { dir, cache }
    }

    fn copy(&self, input: &str, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(corpus().join(input), &path).unwrap();
        path
    }

    fn tables(&self, path: &Path) -> Tables {
        self.cache.tables(path, &ConvertOptions::default()).unwrap()
    }

    fn sources(&self) -> Vec<String> {
        let entries = self.cache.entries().unwrap();
        let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        entries.iter().map(|entry| name(&entry.source)).collect()
    }
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap());
    files.map(|f| (f.file_name().into_string().unwrap(), fs::read(f.path()).unwrap())).collect()
}

#[test]
fn an_entry_is_what_convert_writes_and_the_second_time_it_is_stored() {
    let scratch = Scratch::new();
    let input = corpus().join(HEAP);
    let converted = scratch.dir.path().join("converted");
    heapquarry::convert(&[&input], &converted, &ConvertOptions::default()).unwrap();
    let first = scratch.tables(&input);
    assert!(!first.is_stored());
    assert_eq!(files(first.path()), files(&converted));
    let second = scratch.tables(&input);
    assert!(second.is_stored());
    assert_eq!(first.path(), second.path());
    // A converted directory needs no cache, and no document of it can be selected.
    let as_it_is = scratch.tables(&converted);
    assert_eq!((as_it_is.path(), as_it_is.is_stored()), (converted.as_path(), true));
    let selected = Source::path(&converted).document(0);
    let error = scratch.cache.tables(selected, &ConvertOptions::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Selected(_)), "{error}");
}

#[test]
fn the_key_is_content_options_document_and_file_name() {
    let scratch = Scratch::new();
    let a = scratch.copy(HEAP, "a/heap.heapsnapshot");
    let moved = scratch.copy(HEAP, "b/heap.heapsnapshot");
    let renamed = scratch.copy(HEAP, "b/other.heapsnapshot");
    let other = scratch.copy(TIMELINE, "c/heap.heapsnapshot");
    let is_stored = |source: Source, options: ConvertOptions| {
        scratch.cache.tables(source, &options).unwrap().is_stored()
    };
    let plain = ConvertOptions::default;
    assert!(!is_stored(Source::path(&a), plain()));
    assert!(is_stored(Source::path(&moved), plain()));
    assert!(!is_stored(Source::path(&renamed), plain()));
    assert!(!is_stored(Source::path(&other), plain()));
    assert!(!is_stored(Source::path(&a).document(0), plain()));
    for options in [
        plain().analyze(true),
        plain().strict(true),
        plain().names(heapquarry::Names::Id),
        plain().tables(vec!["js_heap_nodes".into()]),
        plain().columns(vec!["js_heap_nodes.id".into()]),
        plain().row_group_rows(16),
        plain().compression(heapquarry::Compression::None),
        plain().encodings(heapquarry::Encodings::Modern),
    ] {
        assert!(!is_stored(Source::path(&a), options.clone()), "{options:?}");
        assert!(is_stored(Source::path(&a), options.clone()), "{options:?}");
    }
    // Threads, and where a directory would be written, change nothing.
    let same = plain().force(true).mode(Some(0o755)).layout(heapquarry::Layout::Hive);
    assert!(is_stored(Source::path(&a), same.run(RunOptions::default().threads(1))));
    // Bytes are known by their content too; a stream can be read once.
    let bytes = || fs::read(&a).unwrap();
    assert!(is_stored(Source::bytes("heap.heapsnapshot", bytes()), plain()));
    let stream = Source::stream("heap.heapsnapshot", std::io::Cursor::new(bytes()));
    let entries = scratch.cache.entries().unwrap().len();
    assert!(!is_stored(stream, plain()));
    assert_eq!(scratch.cache.entries().unwrap().len(), entries);
}

/// The content is changed, and size and time of the last change to it are as before.
#[test]
fn changed_content_is_converted_again() {
    let scratch = Scratch::new();
    let path = scratch.copy(HEAP, "heap.heapsnapshot");
    let old = SystemTime::now() - Duration::from_secs(100_000);
    let set_back =
        || fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    set_back();
    let first = scratch.tables(&path).path().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replace("Array", "Arrby");
    assert!(text != changed);
    fs::write(&path, changed).unwrap();
    set_back();
    let second = scratch.tables(&path);
    assert!(!second.is_stored());
    assert_ne!(first, second.path());
}

#[test]
fn a_file_with_known_times_is_not_read() {
    let scratch = Scratch::new();
    // Files of the corpus were written long ago.
    let (heap, timeline) = (corpus().join(HEAP), corpus().join(TIMELINE));
    let other = scratch.tables(&timeline);
    drop(scratch.tables(&heap));
    let stamps = scratch.cache.path().join("stamps");
    // With all stamps pointing to one entry, the content no longer decides.
    let key = other.path().parent().unwrap().file_name().unwrap().to_str().unwrap();
    let all = files(&stamps);
    assert_eq!(all.len(), 2);
    all.keys().for_each(|stamp| fs::write(stamps.join(stamp), key).unwrap());
    assert_eq!(scratch.tables(&heap).path(), other.path());
    // Without stamps it does.
    all.keys().for_each(|stamp| fs::remove_file(stamps.join(stamp)).unwrap());
    assert_ne!(scratch.tables(&heap).path(), other.path());
    // A file that was written a moment ago may be written again within the same tick of the clock.
    let fresh = scratch.copy(HEAP, "fresh.heapsnapshot");
    drop((scratch.tables(&fresh), scratch.tables(&fresh)));
    assert_eq!(files(&stamps).len(), 1);
}

#[test]
fn the_least_recently_used_entry_goes_first_and_none_in_use() {
    let scratch = Scratch::new();
    let inputs: Vec<_> = (0..4).map(|n| scratch.copy(HEAP, &format!("{n}.heapsnapshot"))).collect();
    let held = scratch.tables(&inputs[0]);
    let size = scratch.cache.entries().unwrap()[0].bytes;
    drop(scratch.tables(&inputs[1]));
    drop(scratch.tables(&inputs[2]));
    drop(scratch.tables(&inputs[1]));
    assert_eq!(scratch.sources(), ["1.heapsnapshot", "2.heapsnapshot", "0.heapsnapshot"]);
    let small = scratch.cache.clone().max_bytes(size * 5 / 2);
    drop(small.tables(&inputs[3], &ConvertOptions::default()).unwrap());
    assert_eq!(scratch.sources(), ["3.heapsnapshot", "1.heapsnapshot", "0.heapsnapshot"]);
    let entries = scratch.cache.entries().unwrap();
    assert_eq!(entries.iter().map(|e| e.in_use).collect::<Vec<_>>(), [false, false, true]);
    assert!(held.path().join("_manifest.json").exists());
    let cleared = scratch.cache.clear().unwrap();
    assert_eq!((cleared.entries, cleared.bytes, cleared.in_use), (2, 2 * size, 1));
    drop(held);
    assert_eq!(scratch.cache.clear().unwrap().entries, 1);
    let left: Vec<_> = files_below(scratch.cache.path());
    assert_eq!(left, ["CACHEDIR.TAG", "seed"]);
}

fn files_below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![dir.to_owned()];
    while let Some(next) = rest.pop() {
        for file in fs::read_dir(next).unwrap().map(|file| file.unwrap().path()) {
            if file.is_dir() {
                rest.push(file);
            } else {
                found.push(file.strip_prefix(dir).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_a_killed_process_left_does_not_count_and_goes() {
    let scratch = Scratch::new();
    let input = scratch.copy(HEAP, "a.heapsnapshot");
    let entry = scratch.tables(&input).path().parent().unwrap().to_owned();
    // As if it had been killed before the entry was complete, or while it was removed.
    fs::remove_file(entry.join("entry.json")).unwrap();
    fs::remove_file(entry.join("tables/js_heap_nodes.parquet")).unwrap();
    fs::write(entry.join(".tables.heapquarry-0123456789abcdef.lock"), "").unwrap();
    let abandoned = scratch.cache.path().join("0123456789abcdef0123456789abcdef");
    fs::create_dir_all(abandoned.join("tables")).unwrap();
    fs::write(abandoned.join("tables/half"), "x").unwrap();
    assert!(scratch.cache.entries().unwrap().is_empty());
    let tables = scratch.tables(&input);
    assert!(!tables.is_stored() && tables.path().join("js_heap_nodes.parquet").exists());
    assert!(!abandoned.exists(), "another run removes it");
    assert!(!entry.join(".tables.heapquarry-0123456789abcdef.lock").exists());
}

#[test]
fn bad_input_leaves_no_entry() {
    let scratch = Scratch::new();
    let path = scratch.dir.path().join("bad.heapsnapshot");
    for content in ["", "hello", r#"{"snapshot": 1}"#] {
        fs::write(&path, content).unwrap();
        scratch.cache.tables(&path, &ConvertOptions::default()).unwrap_err();
        temporary(&path, &ConvertOptions::default()).unwrap_err();
    }
    let missing = scratch.dir.path().join("missing");
    scratch.cache.tables(&missing, &ConvertOptions::default()).unwrap_err();
    assert!(scratch.cache.entries().unwrap().is_empty());
    assert!(files_below(scratch.cache.path()).iter().all(|f| f == "CACHEDIR.TAG" || f == "seed"));
}

#[test]
fn temporary_tables_go_with_their_last_use() {
    let scratch = Scratch::new();
    let options =
        ConvertOptions::default().run(RunOptions::default().spool_dir(scratch.dir.path()));
    let tables = temporary(corpus().join(HEAP), &options).unwrap();
    assert!(tables.path().join("js_heap_nodes.parquet").exists());
    let parent = tables.path().parent().unwrap().to_owned();
    assert!(parent.starts_with(scratch.dir.path()));
    drop(tables);
    assert!(!parent.exists());
}

#[test]
fn threads_that_want_the_same_entry_convert_once() {
    let scratch = Scratch::new();
    let input = corpus().join("node18.heapsnapshot.gz");
    let made = Mutex::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let tables = scratch.tables(&input);
                *made.lock().unwrap() += u32::from(!tables.is_stored());
                assert!(tables.path().join("_manifest.json").exists());
            });
        }
    });
    assert_eq!(made.into_inner().unwrap(), 1);
}

/// Hears what is remarked.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Heard {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Progress for Heard {
    fn remark(&self, what: &str) {
        self.0.lock().unwrap().push(what.into());
    }
}

/// Tells what it waits for, and then gives up.
struct Impatient {
    heard: Mutex<Vec<String>>,
    cancel: Cancel,
}

impl Progress for Impatient {
    fn waiting(&self, what: &str) {
        self.heard.lock().unwrap().push(what.into());
        self.cancel.cancel();
    }
}

#[test]
fn who_waits_hears_for_whom_and_can_give_up() {
    let scratch = Scratch::new();
    let input = corpus().join(HEAP);
    let entry = scratch.tables(&input).path().parent().unwrap().to_owned();
    fs::remove_file(entry.join("entry.json")).unwrap();
    // As a process that makes the entry holds it.
    let lock = entry.with_extension("lock");
    fs::write(&lock, "4711").unwrap();
    let file = fs::File::open(&lock).unwrap();
    file.try_lock().unwrap();
    let cancel = Cancel::new();
    let impatient = Arc::new(Impatient { heard: Mutex::default(), cancel: cancel.clone() });
    let run = RunOptions::default().cancel(cancel).progress(impatient.clone());
    let error = scratch.cache.tables(&input, &ConvertOptions::default().run(run)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled), "{error}");
    let heard = impatient.heard.lock().unwrap();
    let expected = format!("waiting for process 4711, which converts {}", input.display());
    assert_eq!(*heard, [expected]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    fs::create_dir(scratch.cache.path()).unwrap();
    fs::set_permissions(scratch.cache.path(), fs::Permissions::from_mode(0o755)).unwrap();
    drop(scratch.tables(&corpus().join(HEAP)));
    let mut rest = vec![scratch.cache.path().to_owned()];
    while let Some(path) = rest.pop() {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        if path.is_dir() {
            rest.extend(fs::read_dir(path).unwrap().map(|file| file.unwrap().path()));
        }
    }
}

/// A copy with the same times: what an archive leaves that was unpacked here.
fn copy_with_times(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let copy = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy_with_times(&entry, &copy);
        } else {
            fs::copy(&entry, &copy).unwrap();
            let times = fs::metadata(&entry).unwrap().modified().unwrap();
            fs::File::options().append(true).open(&copy).unwrap().set_modified(times).unwrap();
        }
    }
}

#[test]
fn a_cache_from_elsewhere_is_not_believed() {
    let scratch = Scratch::new();
    let input = corpus().join(HEAP);
    let run = RunOptions::default();
    assert!(!scratch.tables(&input).is_stored());
    assert!(!scratch.cache.index(&input, &run).unwrap().is_stored);
    assert!(scratch.tables(&input).is_stored());
    let copy = scratch.dir.path().join("copy");
    copy_with_times(scratch.cache.path(), &copy);
    let cache = Cache::at(&copy);
    for is_stored in [false, true] {
        let tables = cache.tables(&input, &ConvertOptions::default()).unwrap();
        assert_eq!(tables.is_stored(), is_stored);
        assert_eq!(cache.index(&input, &run).unwrap().is_stored, is_stored);
    }
    // Nothing of the first one was touched.
    assert!(scratch.tables(&input).is_stored());
    assert!(scratch.cache.index(&input, &run).unwrap().is_stored);
}

/// Who may give files away tries it with one of another user: neither believed nor written to.
#[cfg(unix)]
#[test]
fn a_cache_of_another_user_is_not_used() {
    let scratch = Scratch::new();
    let input = corpus().join(HEAP);
    let heard = Arc::new(Heard::default());
    let run = RunOptions::default().progress(heard.clone());
    scratch.tables(&input);
    scratch.cache.index(&input, &run).unwrap();
    let source = Source::path(&input);
    assert!(scratch.cache.find(&source, &run).is_some() && heard.all().is_empty());
    if std::os::unix::fs::chown(scratch.cache.path(), Some(12345), None).is_err() {
        return;
    }
    let before = files_below(scratch.cache.path());
    let options = ConvertOptions::default().run(run.clone());
    let tables = scratch.cache.tables(&input, &options).unwrap();
    assert!(!tables.is_stored() && !tables.path().starts_with(scratch.cache.path()));
    assert!(scratch.cache.index(&input, &run).is_err());
    assert!(scratch.cache.find(&source, &run).is_none());
    assert_eq!(files_below(scratch.cache.path()), before);
    let dir = scratch.cache.path().display();
    let word = format!("the cache {dir} belongs to another user, and is not used");
    assert_eq!(heard.all(), [&*word; 3]);
}
