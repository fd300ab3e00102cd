//! Several traces or profiles in one question: sums over all, and each of them, against those of each alone.

use super::{Folder, caveats, list};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A trace of slices within slices; each is `[name, start, length]` in microseconds.
fn trace(slices: &[(&str, u64, u64)]) -> String {
    let event = |(name, ts, dur): &(&str, u64, u64)| {
        format!(r#"{{"ph":"X","cat":"c","name":"{name}","ts":{ts},"dur":{dur},"pid":1,"tid":1}}"#)
    };
    let events: Vec<String> = slices.iter().map(event).collect();
    let operation = r#"{"ph":"b","cat":"net","name":"load","id":1,"pid":1,"ts":1},{"ph":"e","cat":"net","name":"load","id":1,"pid":1,"ts":8}"#;
    format!(r#"{{"traceEvents":[{},{operation}]}}"#, events.join(","))
}

/// A CPU profile: `main` calls these, each of which takes so many microseconds.
fn profile(functions: &[(&str, u32)]) -> String {
    let place = |name: &str| {
        if name == "(idle)" {
            return r#""callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}"#.to_owned();
        }
        format!(
            r#""callFrame":{{"functionName":"{name}","scriptId":"1","url":"file:///app/{name}.js","lineNumber":1,"columnNumber":2}}"#
        )
    };
    let ids: Vec<String> = (2..2 + functions.len()).map(|id| id.to_string()).collect();
    let mut nodes = vec![format!(r#"{{"id":1,{},"children":[{}]}}"#, place("main"), ids.join(","))];
    let of = |((name, _), id): (&(&str, u32), &String)| format!(r#"{{"id":{id},{}}}"#, place(name));
    nodes.extend(functions.iter().zip(&ids).map(of));
    // A sample lasts until the next one.
    let deltas: Vec<String> = functions.iter().map(|(_, time)| time.to_string()).collect();
    let end: u32 = functions.iter().map(|(_, time)| time).sum();
    format!(
        r#"{{"nodes":[{}],"startTime":0,"endTime":{end},"samples":[{},1],"timeDeltas":[0,{}]}}"#,
        nodes.join(","),
        ids.join(","),
        deltas.join(",")
    )
}

/// Numbers of rows by the members that name them, added up over answers.
fn summed(
    answers: &[Value],
    of: &str,
    names: &[&str],
    numbers: &[&str],
) -> BTreeMap<String, Vec<i64>> {
    let mut sums = BTreeMap::<String, Vec<i64>>::new();
    for row in answers.iter().flat_map(|answer| list(answer, of)) {
        let name = names.iter().map(|name| row[*name].to_string()).collect::<Vec<_>>().join(" ");
        let sums = sums.entry(name).or_insert_with(|| vec![0; numbers.len()]);
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += row[*number].as_i64().unwrap();
        }
    }
    sums
}

#[test]
fn traces_are_added_up() {
    let folder = Folder::new();
    let files = ["a.json", "b.json", "c.json"];
    folder.write(files[0], &trace(&[("work", 0, 100), ("parse", 10, 40), ("parse", 60, 10)]));
    folder.write(files[1], &trace(&[("parse", 5, 7)]));
    folder.write(files[2], &trace(&[("work", 0, 30), ("Läuft", 10, 5)]));
    let alone: Vec<Value> =
        files.iter().map(|file| folder.json(&["summary", file, "--json"])).collect();
    let all = folder.json(&[&["summary", "--each", "--json"], &files[..]].concat());
    assert_eq!((all["kind"].as_str(), all["trace_count"].as_u64()), (Some("traces"), Some(3)));
    let (titles, times) = (["name", "category"], ["count", "self_time_ns", "total_time_ns"]);
    for (of, times) in [("slices", &times[..]), ("operations", &["count", "total_time_ns"])] {
        let one = std::slice::from_ref(&all);
        assert_eq!(summed(one, of, &titles, times), summed(&alone, of, &titles, times), "{of}");
    }
    let found: Vec<_> = list(&all, "slices")
        .iter()
        .map(|row| {
            json!([row["name"], row["self_time_ns"], row["self_percent"], row["longest_ns"]])
        })
        .collect();
    assert_eq!(
        found,
        [
            json!(["work", 75_000, 54.7445, 100_000]),
            json!(["parse", 57_000, 41.6058, 40_000]),
            json!(["Läuft", 5_000, 3.6496, 5_000])
        ]
    );
    for (name, total) in all["totals"].as_object().unwrap() {
        let sum: i64 = alone.iter().map(|one| one["totals"][name].as_i64().unwrap()).sum();
        assert_eq!(total.as_i64(), Some(sum), "{name}");
    }
    for ((row, alone), file) in list(&all, "each").iter().zip(&alone).zip(files) {
        assert_eq!((&row["input"], &row["totals"]), (&json!(file), &alone["totals"]));
    }
    assert!(all.get("processes").is_none());
    let text = folder.text(&[&["summary", "--each"], &files[..]].concat());
    assert!(text.starts_with("a.json and 2 more\n") && text.contains("Each trace"), "{text}");
}

#[test]
fn profiles_are_added_up() {
    let folder = Folder::new();
    let files = ["a.cpuprofile", "b.cpuprofile"];
    folder.write(files[0], &profile(&[("parse", 300), ("(idle)", 500), ("run", 100)]));
    folder.write(files[1], &profile(&[("run", 50), ("(idle)", 5)]));
    let alone: Vec<Value> =
        files.iter().map(|file| folder.json(&["summary", file, "--json"])).collect();
    let all = folder.json(&[&["summary", "--each", "--json"], &files[..]].concat());
    let one = std::slice::from_ref(&all);
    let values = ["self_value", "total_value"];
    for (of, names) in [
        ("functions", &["function_name", "url", "line", "column"][..]),
        ("urls", &["url"]),
        ("packages", &["package"]),
    ] {
        assert_eq!(summed(one, of, names, &values), summed(&alone, of, names, &values), "{of}");
    }
    let shares: Vec<_> = list(&all, "functions")
        .iter()
        .map(|row| json!([row["function_name"], row["self_percent"]]))
        .collect();
    assert_eq!(
        shares,
        [
            json!(["(idle)", null]),
            json!(["parse", 66.6666]),
            json!(["run", 33.3333]),
            json!(["main", 0.0])
        ]
    );
    for name in ["profile_count", "value", "busy_value", "gc_value", "sample_count", "node_count"] {
        let sum: i64 = alone.iter().map(|one| one["totals"][name].as_i64().unwrap()).sum();
        assert_eq!(all["totals"][name], sum, "{name}");
    }
    assert_eq!(all["totals"]["function_count"], 4);
    assert_eq!(list(&all, "each")[1]["totals"], alone[1]["totals"]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = Folder::new();
    folder.write("a.json", &trace(&[("work", 0, 9)]));
    folder.write("a.cpuprofile", &profile(&[("run", 5)]));
    for (inputs, expected) in [
        (["1.heapsnapshot", "2.heapsnapshot"], "`diff` and `leaks` compare heaps"),
        (["a.json", "a.cpuprofile"], "a.cpuprofile"),
        (["a.cpuprofile", "a.json"], "a.json"),
        (["a.json", "none.json"], "none.json"),
    ] {
        let error = folder.failure(&[&["summary"], &inputs[..]].concat());
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn limits_hold_for_sums_or_for_each() {
    let folder = Folder::new();
    folder.write("a.json", &trace(&[("work", 0, 100), ("parse", 10, 40)]));
    folder.write("b.json", &trace(&[("parse", 5, 70)]));
    for (limit, each, exceeded) in [
        // 40 and 70 us.
        ("[slice.parse]\nself = \"100 us\"", false, Some(vec![""])),
        ("[slice.parse]\nself = \"100 us\"", true, None),
        ("[slice.parse]\nself = \"60 us\"", true, Some(vec!["b.json"])),
        ("[slice.parse]\nself = \"30 us\"", true, Some(vec!["b.json", "a.json"])),
        ("[slice.parse]\nmax = \"60 us\"", false, Some(vec![""])),
        ("[slice.parse]\nmax = \"70 us\"", false, None),
        ("[slice.work]\ncount = 1", true, None),
    ] {
        folder.write("budget.toml", limit);
        let each: &[&str] = if each { &["--each"] } else { &[] };
        let args =
            [&["check", "a.json", "b.json", "--budget", "budget.toml", "--json"], each].concat();
        let output = folder.run(&args);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = report["checks"][0]["findings"].as_array().unwrap();
        assert!(
            found.iter().all(|finding| finding["name"] == "parse" || finding["name"] == "work")
        );
        let inputs: Vec<&str> =
            found.iter().map(|finding| finding["input"].as_str().unwrap_or_default()).collect();
        assert_eq!(output.status.code(), Some(i32::from(exceeded.is_some())), "{limit}: {report}");
        if let Some(exceeded) = exceeded {
            assert_eq!(inputs, exceeded, "{limit}");
        }
        assert!(caveats(&report)[0].starts_with("2 inputs: limits apply to "), "{report}");
    }
    let check = ["check", "a.json", "b.json", "--budget", "budget.toml", "--each"];
    folder.write("budget.toml", "[slice.parse]\nself = \"60 us\"");
    for (form, expected) in [
        ("text", "  Input   What         Quantity"),
        ("github", "b.json: slice parse: self is 70.0 us, the limit is 60 us"),
        ("junit", "b.json: slice parse: self is 70.0 us"),
    ] {
        let output = folder.run(&[&check[..], &["--format", form]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{form}: {text}");
    }
    // A median of all is not known from those of each.
    for limit in ["[slice.parse]\np95 = \"1 s\"", "[slice.none]\nself = \"1 s\""] {
        folder.write("budget.toml", limit);
        folder.failure(&["check", "a.json", "b.json", "--budget", "budget.toml"]);
    }
}

/// Busy and idle time of streams, against a count of each microsecond.
#[test]
fn gpus_are_told_of_each_trace() {
    let folder = Folder::new();
    let mut seed = 7u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let mut expected = Vec::new();
    for rank in ["rank0.json", "rank1.json"] {
        let mut events = vec![
            r#"{"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}}"#.to_owned(),
        ];
        let mut busy = vec![[false; 400]; 3];
        for stream in [7usize, 8] {
            events.push(format!(r#"{{"ph":"M","name":"thread_name","pid":0,"tid":{stream},"args":{{"name":"stream {stream} "}}}}"#));
            let mut at = 0;
            loop {
                let (ts, dur) = (at + random(20), 1 + random(30));
                if ts + dur > 400 {
                    break;
                }
                let kind = ["kernel", "gpu_memcpy", "gpu_memset"][random(3) as usize];
                events.push(format!(r#"{{"ph":"X","cat":"{kind}","name":"k","pid":0,"tid":{stream},"ts":{ts},"dur":{dur}}}"#));
                for us in ts..ts + dur {
                    busy[0][us as usize] = true;
                    busy[stream - 6][us as usize] = true;
                }
                at = ts + dur;
            }
        }
        folder.write(rank, &format!(r#"{{"traceEvents":[{}]}}"#, events.join(",")));
        let streams = busy.iter().map(|busy| {
            let first = busy.iter().position(|&is| is).unwrap();
            let last = busy.iter().rposition(|&is| is).unwrap();
            let idle: Vec<usize> = busy[first..last]
                .split(|&is| is)
                .map(<[bool]>::len)
                .filter(|&gap| gap > 0)
                .collect();
            let sum: usize = idle.iter().sum();
            json!([
                (last + 1 - first - sum) * 1000,
                sum * 1000,
                idle.len(),
                idle.iter().max().unwrap() * 1000
            ])
        });
        expected.push(streams.collect::<Vec<_>>());
    }
    let all = folder.json(&["summary", "rank0.json", "rank1.json", "--each", "--json"]);
    for (trace, expected) in list(&all, "each").iter().zip(&expected) {
        let told = list(trace, "gpus").iter();
        let told = told.map(|row| {
            json!([row["busy_ns"], row["idle_ns"], row["gap_count"], row["longest_gap_ns"]])
        });
        assert_eq!(told.collect::<Vec<_>>(), *expected);
    }
    assert!(
        folder
            .text(&["summary", "rank0.json", "rank1.json", "--each"])
            .contains("GPU streams of rank1.json")
    );
}
