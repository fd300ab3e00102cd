//! Where the system gives no memory: one line, exit code 2, nothing left.

use super::text::heap_of_strings;
use std::{fs, path::Path, process::Command};

/// Runs the command in so much address space, in KiB.
fn within(kib: usize, dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let limited = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, env!("CARGO_BIN_EXE_heapquarry")])
        .args(args)
        .args(["--threads", "2"])
        .env("HEAPQUARRY_CACHE_DIR", dir.join("cache"))
        .env("TMPDIR", dir.join("tmp"))
        .current_dir(dir)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What the command takes to print its version, in KiB: how large the program is depends on how it is built.
fn smallest(dir: &Path) -> usize {
    let mut steps = (30_000..400_000).step_by(5_000);
    steps.find(|&kib| within(kib, dir, &["--version"]) == (Some(0), String::new())).unwrap()
}

#[test]
fn an_allocation_that_fails_is_an_error_in_every_verb() {
    let kept = tempfile::tempdir().unwrap();
    let snapshot = kept.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 30_000);
    let snapshot = snapshot.to_str().unwrap();
    let budget = kept.path().join("budget.toml");
    fs::write(&budget, "[total]\nsize = \"1 GB\"\n").unwrap();
    let budget = budget.to_str().unwrap();
    let smallest = smallest(kept.path());
    for args in [
        &["convert", "-q", snapshot, "-o", "out"][..],
        &["convert", "-q", "--analyze", "--names", "id", snapshot, "-o", "out"],
        &["index", "-q", snapshot],
        &["summary", "-q", snapshot],
        &["why", "-q", snapshot, "--class", "Object"],
        &["show", "-q", snapshot, "--class", "Object"],
        &["find", "-q", snapshot, "--text", "299"],
        &["check", "-q", snapshot, "--budget", budget],
        &["report", "-q", snapshot, "-o", "out.html"],
        &["leaks", "-q", snapshot, snapshot],
        &["diff", "-q", snapshot, snapshot],
        &["redact", "-q", snapshot, "out.heapsnapshot", "--level", "names"],
    ] {
        let mut refused = 0;
        for kib in [10_000, 30_000, 60_000, 90_000, 120_000].map(|more| smallest + more) {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("tmp")).unwrap();
            let (code, error) = within(kib, dir.path(), args);
            let what = format!("{args:?} in {kib} KiB: {error}");
            match code {
                Some(0) => continue,
                Some(2) => refused += 1,
                _ => panic!("{code:?}: {what}"),
            }
            assert!(error.starts_with("error: ") && error.lines().count() == 1, "{what}");
            assert!(error.contains("memory"), "{what}");
            let left = ["", "tmp"].map(|folder| fs::read_dir(dir.path().join(folder)).unwrap());
            let left = left.into_iter().flatten().map(|entry| entry.unwrap().file_name());
            let left: Vec<_> = left.filter(|name| name != "tmp" && name != "cache").collect();
            assert!(left.is_empty(), "{what}: {left:?}");
        }
        assert!(refused > 0, "{args:?} needs less");
    }
}

/// Small steps: the kernel, libc, std and our allocator each ask for memory when a thread starts.
#[test]
fn a_thread_that_gets_too_little_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 10);
    let summary = ["summary", "-q", snapshot.to_str().unwrap()];
    let smallest = smallest(dir.path());
    let mut refused = 0;
    for kib in (smallest..smallest + 12_000).step_by(41) {
        let (code, error) = within(kib, dir.path(), &summary);
        if code != Some(0) {
            refused += 1;
            let is_one_line = error.starts_with("error: ") && error.lines().count() == 1;
            assert!(code == Some(2) && is_one_line, "{code:?} in {kib} KiB: {error}");
        }
    }
    assert!(refused > 0);
}

/// Below what `--version` takes the loader or the runtime may end the process, which is not ours. What we say is one
/// line.
#[test]
fn a_stack_that_is_refused_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let smallest = smallest(dir.path());
    let mut refused = 0;
    for kib in (smallest - 13_000..smallest).step_by(41) {
        let (code, error) = within(kib, dir.path(), &["--version"]);
        if error.starts_with("error: ") {
            assert!(
                code == Some(2) && error.lines().count() == 1,
                "{code:?} in {kib} KiB: {error}"
            );
            refused += usize::from(error.contains("the stack of a thread"));
        }
    }
    assert!(refused > 0);
}

/// Errors have the keys that docs/input-errors.md names.
#[test]
fn an_allocation_that_fails_has_all_keys_of_an_error_in_json() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tmp")).unwrap();
    let snapshot = dir.path().join("a.heapsnapshot");
    heap_of_strings(&snapshot, 30_000);
    let json = ["summary", "-q", snapshot.to_str().unwrap(), "--error-format", "json"];
    let smallest = smallest(dir.path());
    let errors = [10_000, 30_000, 60_000].map(|more| within(smallest + more, dir.path(), &json));
    let refused: Vec<_> = errors.iter().filter(|(code, _)| *code == Some(2)).collect();
    assert!(!refused.is_empty(), "{errors:?}");
    let usage = (Some(2), within(1 << 30, dir.path(), &["summary", "--error-format=json"]).1);
    for (_, error) in refused.into_iter().chain([&usage]) {
        let error: serde_json::Value = serde_json::from_str(error).expect(error);
        let keys: Vec<_> = error["error"].as_object().unwrap().keys().collect();
        let all = ["advice", "expected", "found", "kind", "line", "message", "offset", "path"];
        assert_eq!(keys, all, "{error}");
    }
}
