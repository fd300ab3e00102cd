//! Answers with a kept index are those without one, and the file is not read again.

use heapquarry::{ConvertOptions, Progress, RunOptions, Source, convert};
use heapquarry_query::{
    Answered, Diff, Find, Leaks, Question, Session, Show, Summary, SummaryAnswer, Why,
};
use heapquarry_store::cache::{Cache, Entry};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Counts the documents that are read, and keeps what is remarked.
#[derive(Default)]
struct Watched {
    read: AtomicUsize,
    remarks: Mutex<Vec<String>>,
    saved: Mutex<Vec<String>>,
}

impl Progress for Watched {
    fn begin(&self, _: &str, _: u64) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }

    fn remark(&self, what: &str) {
        self.remarks.lock().unwrap().push(what.into());
    }

    fn saved(&self, what: &str) {
        self.saved.lock().unwrap().push(what.into());
    }
}

/// The answer of a question, and how many documents were read for it.
fn ask<Q: Question>(question: &Q, inputs: &[Source], cache: Option<&Cache>) -> (Value, usize) {
    let watched = Arc::new(Watched::default());
    let options = RunOptions::default().threads(2);
    let options = options.index(cache.map(|cache| Arc::new(cache.clone()) as _));
    let options = options.progress(watched.clone());
    let answered = question.ask(&Session::new(inputs.to_vec(), &options));
    // What cannot be answered is as impossible with an index.
    let answer = match answered {
        Ok(Answered { caveats, answer, .. }) => serde_json::json!([caveats, answer]),
        Err(error) => error.to_string().into(),
    };
    assert_eq!(*watched.remarks.lock().unwrap(), [""; 0]);
    (answer, watched.read.load(Ordering::Relaxed))
}

fn assert_same<Q: Question>(question: &Q, inputs: &[Source], cache: &Cache) {
    let (expected, read) = ask(question, inputs, None);
    let names: Vec<_> = inputs.iter().map(ToString::to_string).collect();
    assert!(read > 0, "{names:?}");
    let (found, read) = ask(question, inputs, Some(cache));
    // Not with `assert_eq`, which would print megabytes.
    assert!(found == expected, "{} of {names:?}", Q::VERB);
    assert_eq!(read, 0, "{} of {names:?}", Q::VERB);
}

/// Asks all questions about one heap.
fn assert_same_of(path: &Path, cache: &Cache) {
    let inputs = [Source::path(path)];
    let options = RunOptions::default().threads(2);
    let indexed = cache.index(path, &options).unwrap();
    assert!(!indexed.is_stored && indexed.bytes > 0, "{}", path.display());
    assert!(cache.index(path, &options).unwrap().is_stored);
    assert_same(&Summary::default(), &inputs, cache);
    assert_same(&Find::default(), &inputs, cache);
    assert_same(&Find::default().strings(true), &inputs, cache);
    assert_same(&Find::default().strings(true).text("e".to_owned()).top(200usize), &inputs, cache);
    assert_same(&Find::default().text("e".to_owned()).detached(false), &inputs, cache);
    let summary = Summary::default().ask(&Session::new(inputs.clone(), &options)).unwrap();
    let SummaryAnswer::Heap(summary) = summary.answer else { panic!("{}", path.display()) };
    let class = summary.classes.rows.first().map_or("*".into(), |class| class.class_name.clone());
    assert_same(&Why::default().class([class.clone()]), &inputs, cache);
    assert_same(&Show::default().class([class]), &inputs, cache);
    for object in summary.retainers.rows.iter().take(1) {
        assert_same(&Why::default().node(object.id.0).shortest(true), &inputs, cache);
        assert_same(&Show::default().node(object.id.0), &inputs, cache);
    }
}

fn heaps(folder: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(corpus().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let is_heap = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.contains(".heap") || folder == "jsc"
    };
    let mut heaps: Vec<_> = files.filter(is_heap).collect();
    heaps.sort();
    assert!(!heaps.is_empty());
    heaps
}

#[test]
fn small_heaps_have_the_same_answers() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    for path in heaps("handmade").into_iter().chain(heaps("jsc")) {
        assert_same_of(&path, &cache);
    }
}

/// With the first question, and not again.
#[test]
fn what_an_index_saves_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let path = corpus().join("handmade/v8-2026-scopes.heapsnapshot");
    let ask = || {
        let watched = Arc::new(Watched::default());
        let options = RunOptions::default().index(Some(Arc::new(cache.clone()) as _));
        let session = Session::new([Source::path(&path)], &options.progress(watched.clone()));
        Summary::default().ask(&session).unwrap();
        assert_eq!(*watched.remarks.lock().unwrap(), [""; 0]);
        watched.saved.lock().unwrap().clone()
    };
    assert_eq!(ask(), [""; 0]);
    cache.index(&path, &RunOptions::default()).unwrap();
    let [told] = &ask()[..] else { panic!("it is told once") };
    assert!(told.ends_with(" s of reading and analysing"), "{told}");
    assert_eq!(ask(), [""; 0]);
}

/// Texts and summaries are not in the index: what they take counts from the time when they are prepared.
#[test]
fn what_is_prepared_beside_an_index_counts() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let path = corpus().join("handmade/v8-2026-scopes.heapsnapshot");
    let opened = |index: Option<&Cache>| {
        let options = RunOptions::default().index(index.map(|cache| Arc::new(cache.clone()) as _));
        let session = Session::new([Source::path(&path)], &options);
        session.open().unwrap();
        session
    };
    cache.index(&path, &RunOptions::default()).unwrap();
    let (indexed, read) = (opened(Some(&cache)), opened(None));
    let to_prepare = indexed.to_prepare();
    assert!(to_prepare > 0 && to_prepare < read.to_prepare());
    let bare = indexed.held();
    indexed.prepare();
    assert_eq!((indexed.held(), indexed.to_prepare()), (bare + to_prepare, 0));
}

/// Each in a test of its own, so that they run side by side.
macro_rules! real {
    ($($test:ident: $file:literal,)+) => {
        $(#[test]
        fn $test() {
            let dir = tempfile::tempdir().unwrap();
            let cache = Cache::at(dir.path().join("cache"));
            assert_same_of(&corpus().join($file), &cache);
        })+

        #[test]
        fn all_real_heaps_are_asked_about() {
            let files = heaps("").into_iter().map(|path| path.strip_prefix(corpus()).unwrap().to_owned());
            assert_eq!(files.collect::<Vec<_>>(), [$(Path::new($file)),+]);
        }
    };
}

real! {
    chromium: "chromium.heapsnapshot.gz",
    node12: "node12-insession.heaptimeline.gz",
    node18: "node18.heapsnapshot.gz",
    node20: "node20-internals.heapsnapshot.gz",
    node22: "node22.heapsnapshot.gz",
    node24_numeric: "node24-numeric.heapsnapshot.gz",
    node24: "node24.heaptimeline.gz",
    node26: "node26.heapsnapshot.gz",
    node8: "node8.heapsnapshot.gz",
}

#[test]
fn converted_directories_have_the_same_answers() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    for name in ["handmade/bun.heapsnapshot", "handmade/v8-timeline.heaptimeline"] {
        let tables = dir.path().join(name.replace('/', "-"));
        let options = ConvertOptions::default().analyze(name.contains("bun"));
        convert(&[corpus().join(name)], &tables, &options).unwrap();
        assert_same_of(&tables, &cache);
        // One of the same content that was written later.
        fs::remove_dir_all(&tables).unwrap();
        convert(&[corpus().join(name)], &tables, &options).unwrap();
        assert_eq!(ask(&Summary::default(), &[Source::path(&tables)], Some(&cache)).1, 1);
    }
}

/// A comparison names the plain objects of one heap as the other does, and both are indexed or only one.
#[test]
fn comparisons_and_leaks_are_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let sources: Vec<Source> = heaps("leak").iter().map(Source::path).collect();
    let options = RunOptions::default().threads(2);
    let (diff, leaks) = (Diff::default(), Leaks::default().fail_on(["any".into()]));
    let expected = [ask(&diff, &sources, None).0, ask(&leaks, &sources, None).0];
    for (indexed, source) in sources.iter().enumerate() {
        cache.index(source.clone(), &options).unwrap();
        let found = [ask(&diff, &sources, Some(&cache)), ask(&leaks, &sources, Some(&cache))];
        for (expected, (found, read)) in expected.iter().zip(found) {
            assert!(found == *expected, "{indexed}");
            assert_eq!(read, sources.len() - indexed - 1);
        }
    }
}

/// Whatever is changed of an index, or of the file, the answer stays that of the file.
#[test]
fn an_index_of_something_else_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let path = corpus().join("handmade/bun.heapsnapshot");
    let input = [Source::path(&path)];
    let options = RunOptions::default();
    cache.index(&path, &options).unwrap();
    let count = |inputs: &[Source]| ask(&Summary::default(), inputs, Some(&cache)).1;
    assert_eq!(count(&input), 0);
    // A copy has another path, and a document of it another number.
    let copy = dir.path().join("bun.heapsnapshot");
    fs::copy(&path, &copy).unwrap();
    assert_eq!(count(&[Source::path(&copy)]), 1);
    assert_eq!(count(&[Source::path(&path).document(0)]), 1);
    // One that was just written, and is written again.
    cache.index(&copy, &options).unwrap();
    assert_eq!(count(&[Source::path(&copy)]), 0);
    fs::copy(corpus().join("handmade/root-last.heapsnapshot"), &copy).unwrap();
    assert_eq!(count(&[Source::path(&copy)]), 1);
    // What only a profile has is refused as without an index.
    cache.index(&path, &options).unwrap();
    let typed = [Source::path(&path).sample_type("x")];
    let refused = ask(&Summary::default(), &typed, Some(&cache));
    assert_eq!(refused, ask(&Summary::default(), &typed, None));
    assert!(refused.0.is_string(), "{}", refused.0);
    // A folder that others may enter could be theirs.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = |mode| {
            fs::set_permissions(cache.path(), fs::Permissions::from_mode(mode)).unwrap();
        };
        open(0o755);
        assert_eq!(count(&input), 1);
        open(0o700);
        for entry in fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path()) {
            let file = entry.join("tables/heap.index");
            if file.exists() {
                let mode = fs::metadata(&file).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
    }
    cache.clear().unwrap();
    assert_eq!(count(&input), 1);
}

/// Whoever can have an archive unpacked over the cache can have no number of it told: neither its index nor what says
/// that it was checked are those that were written here.
#[test]
fn an_index_that_was_put_there_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let path = corpus().join("handmade/bun.heapsnapshot");
    let other = dir.path().join("bun.heapsnapshot");
    fs::copy(corpus().join("handmade/root-last.heapsnapshot"), &other).unwrap();
    let options = RunOptions::default();
    for path in [&path, &other] {
        cache.index(path, &options).unwrap();
    }
    let entry = |path: &Path| {
        let named = |entry: &Entry| entry.source == path.display().to_string();
        let found = cache.entries().unwrap().into_iter().find(named).unwrap();
        cache.path().join(found.key)
    };
    let (mine, forged) = (entry(&path), entry(&other));
    for name in ["tables/heap.index", "checked", "entry.json"] {
        let times = fs::metadata(mine.join(name)).unwrap().modified().unwrap();
        fs::copy(forged.join(name), mine.join(name)).unwrap();
        let file = fs::File::options().append(true).open(mine.join(name)).unwrap();
        file.set_modified(times).unwrap();
    }
    let watched = Arc::new(Watched::default());
    let session = |watched: &Arc<Watched>| {
        let options = options.clone().index(Some(Arc::new(cache.clone()) as _));
        Session::new([Source::path(&path)], &options.progress(watched.clone()))
    };
    let ask = |watched: &Arc<Watched>| {
        let answered = Summary::default().ask(&session(watched)).unwrap();
        serde_json::to_value(answered.answer).unwrap()
    };
    let plain = serde_json::to_value(
        Summary::default().ask(&Session::new([Source::path(&path)], &options)).unwrap().answer,
    );
    assert!(ask(&watched) == plain.unwrap());
    assert_eq!(watched.read.load(Ordering::Relaxed), 1);
    let remarks = watched.remarks.lock().unwrap().join("\n");
    assert!(remarks.contains("is not the one that was written here"), "{remarks}");
    assert!(!cache.index(&path, &options).unwrap().is_stored);
    let watched = Arc::new(Watched::default());
    ask(&watched);
    assert_eq!(watched.read.load(Ordering::Relaxed), 0);
}

/// A file of the future never has a time that tells whether it was changed: its index is not used, and nobody waits.
#[test]
fn a_file_of_the_future_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let copy = dir.path().join("bun.heapsnapshot");
    fs::copy(corpus().join("handmade/bun.heapsnapshot"), &copy).unwrap();
    let future = SystemTime::now() + Duration::from_secs(1 << 30);
    fs::File::options().write(true).open(&copy).unwrap().set_modified(future).unwrap();
    let watched = Arc::new(Watched::default());
    cache.index(&copy, &RunOptions::default().progress(watched.clone())).unwrap();
    let remarks = watched.remarks.lock().unwrap().join("\n");
    assert!(remarks.contains("will not be used"), "{remarks}");
    assert_eq!(ask(&Summary::default(), &[Source::path(&copy)], Some(&cache)).1, 1);
}

#[test]
fn what_is_no_heap_in_a_file_has_no_index() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("cache"));
    let options = RunOptions::default();
    let bytes = fs::read(corpus().join("handmade/bun.heapsnapshot")).unwrap();
    let empty = dir.path().join("empty.heapsnapshot");
    fs::write(&empty, "").unwrap();
    for (source, why) in [
        (Source::path(corpus().join("profiles/node12.heapprofile")), "heap snapshot"),
        (Source::path(corpus()), "not a heapquarry output directory"),
        (Source::path(corpus().join("none")), "none"),
        (Source::bytes("a.heapsnapshot", bytes), "no file"),
        (Source::path(&empty), "empty"),
    ] {
        let error = cache.index(source, &options).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(cache.entries().unwrap(), []);
    options.cancel.cancel();
    assert!(cache.index(corpus().join("handmade/bun.heapsnapshot"), &options).is_err());
    assert_eq!(cache.entries().unwrap(), []);
}
