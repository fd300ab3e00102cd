//! Answers about profiles: what is unknown is said, never invented. Profiles of other producers, and random damage:
//! each number is that of the undamaged profile, or something says that there was damage.

use heapquarry::{Error, RunOptions, Source};
use heapquarry_query::{Diff, Question, Session, Summary};
use heapquarry_report::{Report, markdown};
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::Value;

fn source(name: &str, bytes: impl AsRef<[u8]>) -> Source {
    Source::bytes(name, bytes.as_ref().to_vec())
}

/// The summary of an input as JSON, and its caveats in words.
struct Summarised {
    answer: Value,
    notes: Vec<String>,
}

fn summary_of(name: &str, bytes: impl AsRef<[u8]>) -> Result<Summarised, Error> {
    let session = Session::new([source(name, bytes)], &RunOptions::default());
    let answer = Summary::default().top(100).ask(&session)?;
    let notes = answer.caveats.iter().map(ToString::to_string).collect();
    Ok(Summarised { answer: serde_json::to_value(&answer).unwrap(), notes })
}

/// What holds one input against limits.
fn limited(name: &str, bytes: impl AsRef<[u8]>, limit: &str) -> Result<Report, Error> {
    let inputs = [source(name, bytes.as_ref()), source(name, bytes.as_ref())];
    let diff = Diff::default().fail_on(vec![limit.into()]);
    Ok(diff.ask(&Session::new(inputs, &RunOptions::default()))?.report())
}

/// A value of the totals; empty if there is none.
fn total(report: &Summarised, key: &str) -> String {
    report.answer["totals"].get(key).map(ToString::to_string).unwrap_or_default()
}

/// Columns of a list, row by row.
fn rows(report: &Summarised, list: &str, columns: &[&str]) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    let row = |row: &Value| columns.iter().map(|key| shown(&row[key])).collect::<Vec<_>>();
    let rows = report.answer[list]["rows"].as_array().into_iter().flatten();
    rows.map(|cells| row(cells).join(" ")).collect()
}

// -------------------------------------------------------------------------------- CPU profiles

/// Two functions; `rest` are the members behind the nodes.
fn cpu(rest: &str) -> String {
    format!(
        r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"(root)"}},"hitCount":0,"children":[2,3]}},
        {{"id":2,"callFrame":{{"functionName":"load","url":"a.js"}},"hitCount":3}},
        {{"id":3,"callFrame":{{"functionName":"run","url":"b.js"}},"hitCount":1}}]{rest}}}"#
    )
}

#[test]
fn times_of_cpu_profiles() {
    const SPAN: &str = r#","startTime":1000000,"endTime":1400000"#;
    const SAMPLES: &str = r#","samples":[2,2,2,3]"#;
    let functions = ["load", "run"];
    // Members; self times; what the note says; whether a limit on time can be checked.
    for (rest, times, note, is_known) in [
        (
            format!(r#"{SPAN}{SAMPLES},"timeDeltas":[0,100000,100000,100000]"#),
            [300_000, 100_000],
            None,
            true,
        ),
        (format!("{SPAN}{SAMPLES}"), [300_000, 100_000], Some("shared out evenly"), true),
        (SPAN.into(), [300_000, 100_000], Some("shared out evenly"), true),
        (SAMPLES.into(), [3, 1], Some("the numbers are those of samples"), false),
        (String::new(), [3, 1], Some("the numbers are those of samples"), false),
        (
            format!(r#"{SPAN}{SAMPLES},"timeDeltas":[0,100,9223372036854775807,100]"#),
            [200, 0],
            Some("2 samples have no known time"),
            false,
        ),
        (
            format!(r#"{SAMPLES},"startTime":1e25,"endTime":1400,"timeDeltas":[0,100,100,100]"#),
            [300, 0],
            Some("1 defect repaired"),
            true,
        ),
        (
            format!(
                r#"{SAMPLES},"startTime":1000,"endTime":18446744073709551615,"timeDeltas":[0,9,9,9]"#
            ),
            [27, 0],
            Some("1 defect repaired"),
            true,
        ),
        (
            format!(r#"{SAMPLES},"startTime":0,"endTime":4,"timeDeltas":[0.5,0.5,1.5,1.5]"#),
            [3, 0],
            None,
            true,
        ),
    ] {
        let document = cpu(&rest);
        let report = summary_of("a.cpuprofile", &document).unwrap();
        let mut found = rows(&report, "functions", &["function_name", "self_value"]);
        found.sort();
        let expected = functions.iter().zip(times).map(|(name, time)| format!("{name} {time}"));
        assert_eq!(found, expected.collect::<Vec<_>>(), "{rest}");
        let notes = report.notes.join("; ");
        assert_eq!(note.is_none(), notes.is_empty(), "{rest}: {notes}");
        assert!(notes.contains(note.unwrap_or("")), "{rest}: {notes}");
        for limit in ["busy > 1 h", "time > 10 s", "gc > 1 ms", "function[run].self_time > +5%"] {
            let limit = limit.replace("1 h", "60 min");
            let checked = limited("a.cpuprofile", &document, &limit);
            assert_eq!(checked.is_ok(), is_known, "{rest} {limit}: {checked:?}");
        }
        let checked = limited("a.cpuprofile", &document, "functions > 5");
        assert!(checked.is_ok(), "{rest}: {checked:?}");
    }
}

#[test]
fn a_limit_on_what_is_unknown_is_an_error() {
    let error = limited("a.cpuprofile", cpu(r#","samples":[2]"#), "busy > 1 ms").unwrap_err();
    assert_eq!(
        error.to_string(),
        "limit cannot be checked (total.busy > 1 ms): total busy is not known; \
         samples have no times, and start and end do not say how long they took"
    );
    let heap = r#"{"head":{"id":1,"selfSize":1,"children":[{"id":2},{"id":3,"selfSize":1.5}]}}"#;
    let error = limited("a.heapprofile", heap, "size > 1 MB").unwrap_err();
    assert!(error.to_string().contains("2 nodes have no known size"), "{error}");
}

#[test]
fn one_of_two_documents_in_a_file_must_be_chosen() {
    let document = cpu(r#","startTime":0,"endTime":9,"samples":[2],"timeDeltas":[1]"#);
    let heap = r#"{"head":{"id":1,"selfSize":1}}"#;
    for (name, one) in [("a.cpuprofile", document.as_str()), ("a.heapprofile", heap)] {
        let limit = if name == "a.cpuprofile" { "busy > 60 min" } else { "size > 1 MB" };
        assert!(limited(name, one, limit).is_ok());
        let two = format!("{one}\n{one}");
        let expected = format!("several documents ({name}): #0 is {name}, #1 is {name}#1");
        let errors = [summary_of(name, &two).err(), limited(name, &two, limit).err()];
        for error in errors {
            assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(&*expected));
        }
    }
}

// -------------------------------------------------------------------------------- pprof

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

/// A field with a number.
fn int(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// A field with bytes.
fn bytes(field: u64, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    [varint(field << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A profile of a type of values. Functions have an id if `has_ids`; the location i + 1 is a line of the function
/// i + 1, or an address in the mapping `/bin/app` for an empty name. Samples are stacks of locations, the innermost
/// first, and their values.
fn pprof(unit: (&str, &str), names: &[&str], has_ids: bool, samples: &[(&[u64], u64)]) -> Vec<u8> {
    let mut texts = vec!["", unit.0, unit.1, "/bin/app"];
    texts.extend(names);
    let mut out = bytes(1, [int(1, 1), int(2, 2)].concat());
    for (stack, value) in samples {
        let stack: Vec<u8> = stack.iter().flat_map(|&location| varint(location)).collect();
        out.extend(bytes(2, [bytes(1, stack), bytes(2, varint(*value))].concat()));
    }
    out.extend(bytes(3, [int(1, 1), int(5, 3)].concat()));
    for (at, name) in names.iter().enumerate() {
        let id = at as u64 + 1;
        let what = match name.is_empty() {
            true => [int(2, 1), int(3, 0x1000 + id)].concat(),
            false => bytes(4, int(1, id)),
        };
        out.extend(bytes(4, [int(1, id), what].concat()));
        let id = if has_ids { int(1, id) } else { Vec::new() };
        out.extend(bytes(5, [id, int(2, at as u64 + 4)].concat()));
    }
    texts.iter().for_each(|text| out.extend(bytes(6, text)));
    out
}

#[test]
fn pprof_of_other_producers() {
    const MS: u64 = 1_000_000;
    let time = ("cpu", "nanoseconds");
    let stack: &[(&[u64], u64)] = &[(&[2, 1], 90 * MS), (&[1], 10 * MS)];
    // Names, whether functions have ids, samples; self times; collected; not idle.
    for (names, has_ids, samples, functions, gc, busy) in [
        (&["Main", "Fib"][..], true, stack, &["Fib 90000", "Main 10000"][..], "", "100000"),
        (&["Main", "Fib"], false, stack, &["Fib 90000", "Main 10000"], "", "100000"),
        (
            &["runtime.gcBgMarkWorker", "runtime.scanobject"],
            true,
            stack,
            &["runtime.gcBgMarkWorker 10000", "runtime.scanobject 90000"],
            "100000",
            "100000",
        ),
        (
            &[":(root):0", ":(idle):0", "./a.js:run:7"],
            true,
            &[(&[2, 1], 60 * MS), (&[3, 1], 40 * MS)],
            &["./a.js:run:7 40000", ":(idle):0 60000"],
            "",
            "40000",
        ),
        (
            &["(root)", "Garbage Collection", "run"],
            true,
            &[(&[2, 1], 60 * MS), (&[3, 1], 40 * MS)],
            &["Garbage Collection 60000", "run 40000"],
            "60000",
            "100000",
        ),
        (&["", ""], true, stack, &["0x1001 10000", "0x1002 90000"], "", "100000"),
    ] {
        let document = pprof(time, names, has_ids, samples);
        let report = summary_of("a.pb", &document).unwrap();
        let mut found = rows(&report, "functions", &["function_name", "self_value"]);
        found.sort();
        assert_eq!(found, functions, "{names:?}");
        assert_eq!(total(&report, "gc_value"), gc, "{names:?}");
        assert_eq!(total(&report, "busy_value"), busy, "{names:?}");
        let checked = limited("a.pb", &document, "gc > 60 min");
        assert_eq!(checked.is_ok(), !gc.is_empty(), "{names:?}: {checked:?}");
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
    let report = summary_of("a.pb", pprof(time, &["", ""], true, stack)).unwrap();
    assert_eq!(rows(&report, "urls", &["url", "self_value"]), ["/bin/app 100000"]);
}

#[test]
fn pprof_sums_beyond_64_bits_and_second_profiles() {
    let names = &["Main"][..];
    let samples: [(&[u64], u64); 4] = [(&[1], 1 << 62); 4];
    let large = pprof(("x", "count"), names, true, &samples);
    let report = summary_of("a.pb", &large).unwrap();
    assert!(report.notes.join("; ").contains("a sum has more than 64 bits"), "{:?}", report.notes);
    assert!(limited("a.pb", &large, "value > 5").is_err());
    let one = |name, value, texts_first| {
        let whole = pprof(("x", "count"), &[name], true, &[(&[1], value)]);
        let texts = whole.windows(2).position(|pair| pair == b"\x32\0").unwrap();
        if texts_first { [&whole[texts..], &whole[..texts]].concat() } else { whole }
    };
    for texts_first in [false, true] {
        let first = one("Main", 5, texts_first);
        assert!(limited("a.pb", &first, "value > 5").is_ok());
        let two = [first, one("Other", 7, texts_first)].concat();
        let report = summary_of("a.pb", &two).unwrap();
        assert!(report.notes.join("; ").contains("truncated"), "{:?}", report.notes);
        assert_eq!(rows(&report, "functions", &["function_name", "self_value"]), ["Main 5"]);
        assert!(limited("a.pb", &two, "value > 5").is_err());
    }
}

/// Growth from nothing is no number, and what is added to medians has no least and greatest.
#[test]
fn growth_from_nothing_is_said() {
    let trace = |more: &str| {
        format!(r#"[{{"name":"a","ph":"X","ts":0,"dur":5000,"pid":1,"tid":1}}{more}]"#)
    };
    let new = trace(r#",{"name":"b","ph":"X","ts":9000,"dur":5000,"pid":1,"tid":1}"#);
    for runs in [1usize, 2] {
        let inputs: Vec<Source> = (0..2 * runs)
            .map(|at| source("t.json", if at < runs { trace("") } else { new.clone() }))
            .collect();
        let diff = Diff::default().fail_on(vec!["any".into()]).base_runs(runs).runs(runs > 1);
        let session = Session::new(inputs, &RunOptions::default());
        let report = diff.ask(&session).unwrap().report();
        let mut shown = Vec::new();
        markdown::write(&report, &mut shown).unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("from 0"), "{shown}");
        assert!(!shown.contains("922337203685477") && !shown.contains("Least"), "{shown}");
    }
}

// -------------------------------------------------------------------------------- random damage

/// All numbers that a summary reports, and whether it says that they rest on less than the whole.
fn reported(name: &str, document: &[u8]) -> Option<(String, bool)> {
    let Summarised { mut answer, notes } = summary_of(name, document).ok()?;
    answer["caveats"].take();
    let numbers = answer.to_string();
    Some((numbers, !notes.is_empty()))
}

/// Profiles of several formats, in which each byte counts.
fn originals() -> Vec<(&'static str, Vec<u8>)> {
    let span =
        r#","startTime":1000,"endTime":1400,"samples":[2,3,2,3],"timeDeltas":[100,90,110,50]"#;
    let heap = r#"{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"id":1,"children":[
        {"callFrame":{"functionName":"load"},"selfSize":120,"id":2},
        {"callFrame":{"functionName":"run"},"selfSize":40,"id":3}]},"samples":[]}"#;
    let traces = r#"{"frames":[{"name":"load"},{"name":"run"}],"resources":[],
        "stacks":[{"frameId":0},{"frameId":1,"parentId":0}],
        "samples":[{"timestamp":1,"stackId":0},{"timestamp":2,"stackId":1},{"timestamp":3,"stackId":1}]}"#;
    vec![
        ("a.cpuprofile", cpu(span).into_bytes()),
        ("a.heapprofile", heap.as_bytes().to_vec()),
        ("a.json", traces.as_bytes().to_vec()),
        (
            "a.pb",
            pprof(
                ("cpu", "nanoseconds"),
                &["load", "run"],
                true,
                &[(&[2, 1], 90_000), (&[1], 9000)],
            ),
        ),
    ]
}

/// What damage writes in place of a number: other numbers are other profiles, which nothing can tell.
const DAMAGE: [&[u8]; 8] =
    [b"null", b"1e30", b"99999999999999999999", b"-", b"\"x\"", b"{}", b"[", b"\0\0\0\0"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// In place of the numbers that a summary rests on, and at the end.
    #[test]
    fn damage_is_said_or_changes_nothing(
        file in any::<Index>(),
        at in any::<Index>(),
        with in 0..DAMAGE.len(),
        cuts in any::<bool>(),
        more in vec(any::<Index>(), 0..2),
    ) {
        let files = originals();
        let (name, whole) = &files[file.index(files.len())];
        // A sample with null as its stack is one in which nothing ran.
        prop_assume!(*name != "a.json" || DAMAGE[with] != b"null");
        let (expected, _) = reported(name, whole).unwrap();
        let mut document = whole.clone();
        for at in std::iter::once(at).chain(more) {
            // Digits that are values: not within names.
            let digits: Vec<usize> = (1..document.len())
                .filter(|&at| document[at].is_ascii_digit() && b":,[".contains(&document[at - 1]))
                .collect();
            let is_text = *name != "a.pb";
            if cuts || !is_text || digits.is_empty() {
                document.truncate(1 + at.index(document.len()));
                break;
            }
            let start = digits[at.index(digits.len())];
            let length = document[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            document.splice(start..start + length, DAMAGE[with].iter().copied());
        }
        if let Some((found, is_said)) = reported(name, &document) {
            prop_assert!(is_said || found == expected, "{}", document.escape_ascii());
        }
    }
}

#[test]
fn originals_are_whole() {
    for (name, document) in originals() {
        let (_, is_said) = reported(name, &document).unwrap();
        assert!(!is_said, "{name}");
    }
}
