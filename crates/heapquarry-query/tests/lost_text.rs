//! Text of a heap that is lost with its disk.
#![cfg(target_os = "linux")]

use heapquarry::{RunOptions, Source};
use heapquarry_query::{Find, Question, Session, Show, Summary};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// A heap that is nearly all text, more than stays in memory.
fn heap_of_strings(path: &Path) {
    const STRINGS: usize = 10_000;
    let mut text = String::from(
        r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["synthetic","object","string"],"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]},"#,
    );
    write!(text, r#""node_count":{},"edge_count":{}}},"#, STRINGS + 2, STRINGS + 1).unwrap();
    write!(text, r#""nodes":[0,0,1,0,1,1,1,3,16,{STRINGS}"#).unwrap();
    (0..STRINGS).for_each(|n| write!(text, ",2,{},{},1400,0", n + 2, 2 * n + 5).unwrap());
    text.push_str(r#"],"edges":[0,0,5"#);
    (0..STRINGS).for_each(|n| write!(text, ",0,{n},{}", 5 * (n + 2)).unwrap());
    text.push_str(r#"],"strings":["","Object""#);
    (0..STRINGS).for_each(|n| write!(text, r#","{n:01400}""#).unwrap());
    text.push_str("]}");
    fs::write(path, text).unwrap();
}

/// The open files of this process without a name in a folder.
fn unnamed_in(folder: &Path) -> Vec<PathBuf> {
    let open = fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
    let is_in = |path: &PathBuf| fs::read_link(path).is_ok_and(|to| to.starts_with(folder));
    open.filter(is_in).collect()
}

#[test]
fn text_that_is_lost_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (path, spool) = (dir.path().join("a.heapsnapshot"), dir.path().join("spool"));
    fs::create_dir(&spool).unwrap();
    heap_of_strings(&path);
    let options = RunOptions::default().threads(2).spool_dir(spool.clone());
    let session = Session::new([Source::path(&path)], &options);
    let find = Find::default().text("09999".to_owned());
    let found = find.ask(&session).unwrap();
    assert!(serde_json::to_value(&found.answer).unwrap()["objects"]["total"] == 1);
    let [scratch] = &unnamed_in(&spool)[..] else { panic!("no text was put aside") };
    fs::File::options().write(true).open(scratch).unwrap().set_len(0).unwrap();
    for lost in [
        find.ask(&session).err(),
        Show::default().node(19_999).ask(&session).err(),
        // Whatever is asked next: it may have seen what another one did.
        Find::default().class(["Object".to_owned()]).ask(&session).err(),
    ] {
        let error = lost.expect("an error").to_string();
        assert!(error.contains("read the text that was put aside of"), "{error}");
    }
    // It reads the heap again, with more than was asked for before: the text is there again.
    assert!(Summary::default().ask(&session).is_ok() && find.ask(&session).is_ok());
}
