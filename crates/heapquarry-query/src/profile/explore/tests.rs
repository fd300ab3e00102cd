//! Parts of profiles, each against the whole that is made in the simplest way.

use super::*;
use crate::{
    Diff, Difference, Explored, Question, Summary, SummaryAnswer, answer::List,
    profile::diff::FunctionChange,
};
use heapquarry::{RunOptions, Source};
use std::collections::BTreeMap;

const ALL: Page = Page { offset: 0, top: usize::MAX };

fn corpus(name: &str) -> (Session, ProfileExplorer) {
    let path = format!("{}/../../corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let session = Session::new([Source::path(path)], &RunOptions::default());
    match Explored::open(&session) {
        Ok(Explored::Profile(explorer)) => (session, *explorer),
        other => panic!("{name}: {:?}", other.map(|other| other.kind())),
    }
}

/// CPU profiles with and without recursion, several in one, and every other kind.
const PROFILES: [&str; 6] = [
    "profiles/node26.cpuprofile",
    "profiles/recursive.cpuprofile",
    "profiles/nested.cpuprofile",
    "profiles/node26.heapprofile",
    "profiles/chromium.selfprofile.json",
    "profiles/no-samples.cpuprofile",
];

/// The stacks of a profile: functions, the outermost first, without roots; and what each takes itself. Idle time is
/// left out.
fn stacks(explorer: &ProfileExplorer, weights: &[i64]) -> Vec<(Vec<u32>, i64)> {
    let profile = &explorer.profile.profile;
    let is = |node: usize, test: fn(&Function) -> bool| {
        test(&profile.functions[profile.of[node] as usize])
    };
    let mut found = Vec::new();
    for (node, &weight) in weights.iter().enumerate() {
        let nodes: Vec<usize> = profile.stack(node).collect();
        if nodes.iter().any(|&node| is(node, Function::is_idle)) {
            continue;
        }
        let called = nodes.iter().rev().filter(|&&node| !is(node, Function::is_root));
        found.push((called.map(|&node| profile.of[node]).collect(), weight.max(0)));
    }
    found
}

#[test]
fn functions_are_those_of_the_summary() {
    for name in PROFILES {
        let (session, explorer) = corpus(name);
        let SummaryAnswer::Profile(summary) = Summary::default().ask(&session).unwrap().answer
        else {
            panic!("{name}")
        };
        let listed = |by, ascending| {
            let found = explorer.functions(None, "", by, ascending, ALL).unwrap().answer;
            assert_eq!(found.unit, summary.unit, "{name}");
            found.functions.rows.into_iter().map(|row| row.value).collect::<Vec<_>>()
        };
        let numbers = |rows: &[FunctionValue], of: fn(&FunctionValue) -> (i64, i64)| {
            rows.iter().map(of).collect::<Vec<_>>()
        };
        let own = |row: &FunctionValue| (row.self_value.number, row.total_value.number);
        let total = |row: &FunctionValue| (row.total_value.number, row.self_value.number);
        assert_eq!(listed(FunctionOrder::Own, false).len(), summary.functions.rows.len());
        assert_eq!(
            numbers(&listed(FunctionOrder::Own, false), own),
            numbers(&summary.functions.rows, own),
            "{name}"
        );
        let by_total = numbers(&listed(FunctionOrder::Total, false), total);
        let expected = numbers(&summary.functions_by_total.rows, total);
        assert_eq!(by_total[..expected.len()], expected, "{name}");
        for row in listed(FunctionOrder::Name, true) {
            assert!(summary.functions.rows.contains(&row), "{name}: {row:?}");
        }
        let packages = explorer.packages(None, ALL).unwrap().answer;
        assert_eq!(packages.urls, summary.urls, "{name}");
        assert_eq!(packages.packages, summary.packages, "{name}");
    }
}

#[test]
fn the_tree_has_all_stacks() {
    // Stacks of thousands of calls would make too many prefixes.
    for name in PROFILES.into_iter().filter(|name| !name.contains("recursive")) {
        let (_, explorer) = corpus(name);
        let profile = &explorer.profile.profile;
        let mut naive: BTreeMap<Vec<u32>, (i64, i64)> = BTreeMap::new();
        for (stack, own) in stacks(&explorer, &profile.weights) {
            naive.entry(stack.clone()).or_default().0 += own;
            for depth in 0..=stack.len() {
                naive.entry(stack[..depth].to_vec()).or_default().1 += own;
            }
        }
        let mut found: BTreeMap<Vec<u32>, (i64, i64)> = BTreeMap::new();
        let mut open = vec![(0, Vec::new())];
        while let Some((call, stack)) = open.pop() {
            let answer = explorer.calls(None, call, ALL).unwrap().answer;
            let own = answer.call.self_value.number;
            found.insert(stack.clone(), (own, answer.call.total_value.number));
            assert_eq!(answer.call.call_count, answer.calls.total);
            let totals: Vec<i64> =
                answer.calls.rows.iter().map(|row| row.total_value.number).collect();
            assert!(totals.is_sorted_by(|a, b| a >= b), "{name}: {totals:?}");
            for row in answer.calls.rows {
                let mut stack = stack.clone();
                stack.push(row.function.unwrap());
                open.push((row.call, stack));
            }
        }
        assert_eq!(found, naive, "{name}");
    }
}

#[test]
fn what_is_beside_a_function_adds_up() {
    for name in PROFILES {
        let (_, explorer) = corpus(name);
        let all = stacks(&explorer, &explorer.profile.profile.weights);
        let functions = explorer.functions(None, "", FunctionOrder::Own, false, ALL).unwrap();
        for row in functions.answer.functions.rows {
            let function = row.function;
            if explorer.function_at(function).unwrap().is_idle() {
                continue;
            }
            let answer = explorer.function(None, function, ALL).unwrap().answer;
            assert_eq!(answer.function, row);
            let sum =
                |list: &List<Beside>| -> i64 { list.rows.iter().map(|row| row.value.number).sum() };
            assert_eq!(sum(&answer.callers), row.value.total_value.number, "{name} {function}");
            // Along each stack: the first time that it is called, and the first function that it then calls.
            let (mut callers, mut callees) = (HashMap::new(), HashMap::new());
            for (stack, own) in &all {
                let Some(at) = stack.iter().position(|&one| one == function) else { continue };
                *callers.entry(at.checked_sub(1).map(|at| stack[at])).or_default() += own;
                if let Some(&callee) = stack[at..].iter().find(|&&one| one != function) {
                    *callees.entry(Some(callee)).or_default() += own;
                }
            }
            let values = |list: &List<Beside>| -> HashMap<Option<u32>, i64> {
                list.rows.iter().map(|row| (row.function, row.value.number)).collect()
            };
            assert_eq!(values(&answer.callers), callers, "{name} {function}");
            assert_eq!(values(&answer.callees), callees, "{name} {function}");
        }
    }
}

#[test]
fn callers_lead_from_what_took_time_to_who_caused_it() {
    for name in PROFILES {
        let (_, explorer) = corpus(name);
        let all = stacks(&explorer, &explorer.profile.profile.weights);
        let mut ways = vec![Vec::new()];
        while let Some(way) = ways.pop() {
            let rows = explorer.callers(None, &way, ALL).unwrap().answer.callers.rows;
            let mut naive: HashMap<u32, i64> = HashMap::new();
            for (stack, own) in all.iter().filter(|(_, own)| *own > 0) {
                let mut up = stack.iter().rev();
                if way.iter().all(|function| up.next() == Some(function))
                    && let Some(&caller) = up.next()
                {
                    *naive.entry(caller).or_default() += own;
                }
            }
            let found: HashMap<u32, i64> =
                rows.iter().map(|row| (row.function, row.self_value.number)).collect();
            assert_eq!(found, naive, "{name} {way:?}");
            // Of the first ones all that is above.
            for row in rows.iter().take(if way.len() < 2 { 3 } else { 1 }) {
                let next: Vec<u32> = way.iter().copied().chain([row.function]).collect();
                let above = explorer.callers(None, &next, ALL).unwrap().answer.callers.total;
                assert_eq!(row.caller_count, above, "{name} {next:?}");
                // Recursion is deep.
                if next.len() < 12 {
                    ways.push(next);
                }
            }
        }
    }
}

#[test]
fn boxes_are_the_calls_that_can_be_seen() {
    for name in PROFILES {
        let (_, explorer) = corpus(name);
        let tree = &explorer.whole().tree;
        // So wide that each call can be seen.
        let all = tree.boxes(0, i64::MAX, usize::MAX);
        let seen =
            (0..).zip(&tree.calls).filter(|&(at, call): &(u32, _)| at == 0 || call.total > 0);
        let seen: Vec<u32> = seen.map(|(at, _)| at).collect();
        assert_eq!(all.iter().map(|one| one.call).collect::<Vec<_>>(), seen, "{name}");
        for parts in [1, 7, 100, 1280] {
            let boxes = tree.boxes(0, parts, MOST_BOXES);
            let least = (tree.call(0).total / parts).max(1);
            for one in &boxes {
                let call = tree.call(one.call);
                assert!(one.call == 0 || one.total >= least, "{name} {one:?}");
                assert!(one.count > 1 || one.total == call.total, "{name} {one:?}");
                let around = boxes.iter().find(|around| {
                    one.call != 0 && around.depth + 1 == one.depth && around.call == call.parent
                });
                // Each is within its caller.
                assert!(
                    one.call == 0
                        || around.is_some_and(|around| {
                            around.start <= one.start
                                && one.start + one.total <= around.start + around.total
                        }),
                    "{name} {one:?}"
                );
            }
            let large = tree.calls.iter().filter(|call| call.total >= least).count();
            assert!(boxes.iter().filter(|one| one.count == 1).count() >= large, "{name}");
        }
        assert!(tree.boxes(0, i64::MAX, 3).len() <= 5, "{name}");
    }
}

#[test]
fn samples_in_order_are_those_of_the_file() {
    for name in [
        "profiles/node26.cpuprofile",
        "profiles/nested.cpuprofile",
        "profiles/recursive.cpuprofile",
    ] {
        let (_, explorer) = corpus(name);
        let tree = &explorer.whole().tree;
        for (member, (_, chart)) in explorer.sampled().zip(explorer.charts()) {
            // At each sample's middle its stack, from boxes of any range.
            let whole = chart.boxes(tree, [0, chart.end()], 0, usize::MAX);
            let step = (chart.len() / 50).max(1);
            let mut now = 0;
            for (at, &(node, dur)) in member.samples.iter().enumerate() {
                let middle = now + dur.max(0) / 2;
                now += dur.max(0);
                if dur <= 0 || at % step != 0 {
                    continue;
                }
                let mut expected = Vec::new();
                let call = tree.of[node as usize];
                if call != NO && call != 0 {
                    expected = tree.above(call).chain([]).collect();
                    expected.reverse();
                    expected.push(call);
                }
                let part = chart.boxes(tree, [middle, middle + 1], 0, usize::MAX);
                for boxes in [&whole, &part] {
                    let here = boxes
                        .iter()
                        .filter(|one| one.start <= middle && middle < one.start + one.dur);
                    assert_eq!(
                        here.map(|one| one.call).collect::<Vec<_>>(),
                        expected,
                        "{name} {at}"
                    );
                }
                // What is drawn of a part is whole.
                assert!(part.iter().all(|one| whole.contains(one)), "{name} {at}");
            }
            // Short ones are joined, and nothing is lost.
            let counts = |boxes: &[TimeBox]| boxes.iter().map(|one| one.count).sum::<u64>();
            for least in [chart.end() / 100, chart.end() / 10] {
                let joined = chart.boxes(tree, [0, chart.end()], least, usize::MAX);
                assert_eq!(counts(&joined), counts(&whole), "{name}");
            }
        }
    }
}

#[test]
fn a_range_has_what_was_sampled_in_it() {
    let (_, explorer) = corpus("profiles/node26.cpuprofile");
    let answer = explorer.chart(None, 1000).unwrap().answer;
    let end = answer.threads[0].duration.number;
    let own = |range| -> HashMap<u32, i64> {
        let rows = explorer.functions(range, "", FunctionOrder::Own, false, ALL).unwrap().answer;
        let rows = rows.functions.rows.into_iter();
        rows.map(|row| (row.function, row.value.self_value.number))
            .filter(|row| row.1 != 0)
            .collect()
    };
    let range = |from, to| Some(TimeRange { thread: 0, from, to });
    assert_eq!(own(range(0, end)), own(None));
    // Halves add up, wherever they meet.
    for middle in [1, end / 3, end / 2, end - 1] {
        let mut sum = own(range(0, middle));
        own(range(middle, end))
            .into_iter()
            .for_each(|(at, own)| *sum.entry(at).or_default() += own);
        assert_eq!(sum, own(None), "{middle}");
    }
    assert_eq!(own(range(end, end + 10)), HashMap::new());
    let flame = explorer.flame(range(0, end / 2), 0, 1000).unwrap().answer;
    assert_eq!(flame.boxes.size[0], flame.call.total_value.number);
}

#[test]
fn of_stacks_deeper_than_what_is_drawn_the_outer_calls_are() {
    let depth = MOST_BOXES + 10;
    let node = |id: usize| {
        let children = if id < depth { format!("{}", id + 1) } else { String::new() };
        let place = r#""scriptId":"1","url":"a.js","lineNumber":1,"columnNumber":1"#;
        let frame = format!(r#"{{"functionName":"f{id}",{place}}}"#);
        format!(r#"{{"id":{id},"callFrame":{frame},"children":[{children}]}}"#)
    };
    let nodes: Vec<String> = (1..=depth).map(node).collect();
    let profile = format!(
        r#"{{"nodes":[{}],"startTime":0,"endTime":100,"samples":[{depth}],"timeDeltas":[0]}}"#,
        nodes.join(",")
    );
    let source = Source::bytes("deep.cpuprofile", profile.into_bytes());
    let session = Session::new([source], &RunOptions::default());
    let Ok(Explored::Profile(explorer)) = Explored::open(&session) else { panic!() };
    let outer: Vec<u32> = (0..MOST_BOXES as u32).collect();
    assert_eq!(explorer.chart(None, 100).unwrap().answer.boxes.depth, outer);
    assert_eq!(explorer.flame(None, 0, 100).unwrap().answer.boxes.depth, outer);
}

#[test]
fn what_is_not_there_is_an_error() {
    let (_, explorer) = corpus(PROFILES[0]);
    let none = Some(TimeRange { thread: 7, from: 0, to: 1 });
    for error in [
        explorer.functions(none, "", FunctionOrder::Own, false, ALL).err(),
        explorer.chart(none, 100).err(),
        explorer.function(None, u32::MAX, ALL).err(),
        explorer.calls(None, u32::MAX, ALL).err(),
        explorer.flame(None, u32::MAX, 100).err(),
        explorer.callers(None, &[u32::MAX], ALL).err(),
        explorer.callers(None, &[1; LONGEST_WAY + 1], ALL).err(),
    ] {
        assert!(matches!(error.unwrap().kind(), ErrorKind::NotFound { .. }));
    }
    // Without samples there is no order of time, and that is no error.
    let (_, heap) = corpus("profiles/node26.heapprofile");
    assert!(heap.chart(None, 100).unwrap().answer.threads.is_empty());
}

/// Two profiles in the order of time.
fn two() -> (Session, ProfileExplorer) {
    let path = |name| format!("{}/../../corpus/profiles/{name}", env!("CARGO_MANIFEST_DIR"));
    let sources =
        ["nested.cpuprofile", "recursive.cpuprofile"].map(|name| Source::path(path(name)));
    let session = Session::new(sources, &RunOptions::default());
    match Explored::open(&session) {
        Ok(Explored::Profile(explorer)) => (session, *explorer),
        other => panic!("{:?}", other.map(|other| other.kind())),
    }
}

#[test]
fn changes_are_those_of_diff() {
    let (session, explorer) = two();
    assert!(explorer.is_series());
    let diff = Diff::default().ask(&session).unwrap();
    let Difference::Profile(expected) = diff.answer.found else { panic!("no profiles") };
    let listed = |filter: &str, by, ascending| {
        explorer.changes(filter, by, ascending, ALL).unwrap().answer.functions.rows
    };
    let all = explorer.changes("", ChangeOrder::default(), false, ALL).unwrap();
    assert_eq!((all.inputs, all.caveats), (diff.inputs, diff.caveats));
    assert_eq!((&all.answer.profiles, &all.answer.unit), (&expected.profiles, &expected.unit));
    let mut sorted = expected.functions.rows.clone();
    assert!(sorted.len() > 3);
    sorted.sort_by_key(|row| std::cmp::Reverse(row.self_value_delta.number));
    assert_eq!(all.answer.functions.rows, sorted);
    for (by, value) in [
        (ChangeOrder::Before, (|row| row.base_self_value.number) as fn(&FunctionChange) -> i64),
        (ChangeOrder::Own, |row| row.self_value.number),
        (ChangeOrder::OwnDelta, |row| row.self_value_delta.number),
        (ChangeOrder::Total, |row| row.total_value.number),
        (ChangeOrder::TotalDelta, |row| row.total_value_delta.number),
    ] {
        let mut sorted = expected.functions.rows.clone();
        sorted.sort_by_key(value);
        assert_eq!(listed("", by, true), sorted, "{by:?}");
    }
    let name = expected.functions.rows[0].function_name.clone();
    let named = listed(&name, ChangeOrder::Name, true);
    assert!(named.iter().any(|row| row.function_name == name) && named.len() < sorted.len());
    let page = explorer.changes("", ChangeOrder::OwnDelta, true, Page { offset: 1, top: 2 });
    let rows = listed("", ChangeOrder::OwnDelta, true);
    assert_eq!(page.unwrap().answer.functions.rows, rows[1..3]);
    let (_, one) = corpus("profiles/nested.cpuprofile");
    assert!(one.changes("", ChangeOrder::Name, true, ALL).is_err());
}

#[test]
fn inputs_that_do_not_go_together_are_refused_before_one_is_read() {
    let root = format!("{}/../../corpus", env!("CARGO_MANIFEST_DIR"));
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let (heap, trace) = (file("kinds.heapsnapshot"), file("kinds.trace.json"));
    // Its start says what it is; to read it would be another error.
    std::fs::write(&heap, r#"{"snapshot":{"meta":{"node_fields":["type"]"#).unwrap();
    let profile = format!("{root}/profiles/nested.cpuprofile");
    std::fs::write(&trace, r#"{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":"#)
        .unwrap();
    for (inputs, named, wanted) in [
        ([&heap, &profile], "nested.cpuprofile", "a heap"),
        ([&profile, &heap], "kinds.heapsnapshot", "a profile"),
        ([&profile, &trace], "kinds.trace.json", "a profile"),
        ([&trace, &profile], "kinds.trace.json", "several traces"),
        ([&trace, &trace], "kinds.trace.json", "several traces"),
    ] {
        let session = Session::new(inputs.map(Source::path), &RunOptions::default());
        let error = Explored::open(&session).err().unwrap().to_string();
        assert!(error.contains(named) && error.contains(wanted), "{inputs:?}: {error}");
    }
}
