//! The file of a report is absent, old or new, whole, and the next run finds nothing in its way.

use super::{
    EIO, ENOSPC, KILL, runs,
    scenario::{self, Fault},
};
use std::fs;

#[test]
fn the_file_of_a_report_is_whole_or_not_there() {
    if scenario::shim().is_none() {
        return;
    }
    // A small one: it is read 240 times.
    let inputs = scenario::one_input("handmade/v8-timeline.heaptimeline", "a.heaptimeline");
    let (dir, args) = (inputs.path(), ["report", "a.heaptimeline", "--force"]);
    let out = dir.join("out");
    let calls = scenario::calls_of(dir, &args);
    let whole = fs::read(&out).unwrap();
    assert!(calls.len() > 10 && whole.ends_with(b"</html>\n"), "the calls are not seen");
    for n in scenario::sample(calls.len(), runs() / 8) {
        for (what, old) in
            [EIO, ENOSPC, KILL].into_iter().flat_map(|w| [(w, None), (w, Some("old"))])
        {
            let _ = fs::remove_file(&out);
            if let Some(old) = old {
                fs::write(&out, old).unwrap();
            }
            let failed = scenario::start(dir, &args, &[Fault::any(n, what)]);
            let now = fs::read(&out).ok();
            let is_old = now.as_deref() == old.map(str::as_bytes);
            let is_new = now.as_deref() == Some(&whole);
            let holds = match failed.code {
                Some(0) => is_new,
                Some(2) => is_old && failed.stderr.lines().count() == 1,
                code => code.is_none() && what == KILL && (is_old || is_new),
            };
            assert!(holds, "call {n}, {what}, {old:?}: {:?} {}", failed.code, failed.stderr);
            assert_eq!(scenario::start(dir, &args, &[]).code, Some(0));
            assert!(fs::read(&out).unwrap() == whole, "call {n}, {what}");
            let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
            let names: Vec<_> = names.collect();
            assert_eq!(names.len(), 2, "call {n}, {what}: {names:?}");
        }
    }
}
