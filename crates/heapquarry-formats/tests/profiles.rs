//! Profiles: random ones are as a naive reading of them says, damaged ones are what docs/input-errors.md promises, and
//! no bytes lead to a panic, or to other rows when they are read in other pieces.

mod common;

use arrow_array::RecordBatch;
use common::{OF_PROFILES, Row, rows};
use heapquarry_formats::{
    ByteOffset, Claim, Code, Entry, Error, Format, Input, ReadOptions, Reader, Status,
    cpu_profile::{CpuProfile, Recording},
    heap_profile::HeapProfile,
    read_all,
    self_profile::SelfProfiles,
    sniff,
};
use heapquarry_tables::{FileId, Projection, Table};
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

// -------------------------------------------------------------------------------- reading

/// All that reading gives.
#[derive(Clone, Debug, PartialEq)]
struct Reading {
    tables: BTreeMap<&'static str, Vec<Row>>,
    logs: Vec<(Status, Vec<Entry>)>,
}

impl Reading {
    fn column(&self, table: &str, column: &str) -> Vec<String> {
        let at = heapquarry_tables::by_name(table).unwrap().column(column).unwrap();
        let shown = |cell: &common::Cell| match cell {
            common::Cell::Null => "null".to_string(),
            common::Cell::Int(value) => value.to_string(),
            common::Cell::Text(text) => text.to_string(),
        };
        let rows = self.tables.get(table).map(Vec::as_slice).unwrap_or_default();
        rows.iter().map(|row| shown(&row[at])).collect()
    }

    fn codes(&self) -> BTreeMap<&'static str, u64> {
        let mut codes = BTreeMap::new();
        for entry in self.logs.iter().flat_map(|(_, log)| log) {
            *codes.entry(entry.code.name()).or_default() += entry.occurrences;
        }
        codes
    }
}

fn collect<R: Reader>(reader: R) -> Result<Reading, Error> {
    let mut tables: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    let finished = read_all(reader, |table: &'static Table, batch: RecordBatch| {
        tables.entry(table.name).or_default().extend(rows(table, &batch));
        Ok::<_, Error>(())
    })?;
    let logs = finished.documents.into_iter().map(|s| (s.status, s.log.into_entries())).collect();
    Ok(Reading { tables, logs })
}

/// Reads a document of any of the profiles' formats.
fn read_as(
    format: Format,
    offset: ByteOffset,
    document: &dyn Input,
    row_group_rows: usize,
    window: usize,
) -> Reading {
    let options = &ReadOptions::default().row_group_rows(row_group_rows).window(window);
    match format {
        Format::CpuProfile => {
            collect(CpuProfile::new(document, offset, FileId(0), "test", options).unwrap())
        }
        Format::HeapProfile => {
            collect(HeapProfile::new(document, offset, FileId(0), "test", options).unwrap())
        }
        _ => collect(SelfProfiles::new(document, FileId(0), "test", options).unwrap()),
    }
    .expect("memory can be read")
}

fn cpu(document: &str) -> Reading {
    read_as(Format::CpuProfile, ByteOffset::START, &document, 1000, 1000)
}

// -------------------------------------------------------------------------------- random profiles

/// A random profile, before it is written in one of its forms.
#[derive(Clone, Debug)]
struct Model {
    /// Parent of each node but the first, as an index below its own.
    parents: Vec<usize>,
    ids: Vec<i64>,
    names: Vec<String>,
    hits: Vec<i64>,
    ticks: Vec<Vec<(i64, i64)>>,
    /// Node and delta.
    samples: Vec<(usize, i64)>,
    start: i64,
    rest: i64,
}

fn models() -> impl Strategy<Value = Model> {
    let name = prop_oneof![
        Just("(root)".to_string()),
        Just(String::new()),
        "[a-z\\\\\"{}\\[\\],:é😀\u{1}]{0,6}"
    ];
    let delta = prop_oneof![4 => 0..2000i64, 1 => -500..500i64];
    (1usize..20).prop_flat_map(move |count| {
        (
            vec(any::<Index>(), count - 1),
            prop::sample::subsequence((1..100i64).collect::<Vec<_>>(), count).prop_shuffle(),
            vec(name.clone(), count),
            vec(0..50i64, count),
            vec(vec((1..90i64, 1..9i64), 0..3), count),
            vec((0..count, delta.clone()), 1..30),
            (0..10_000i64, -10..500i64),
        )
            .prop_map(|(parents, ids, names, hits, ticks, samples, (start, rest))| Model {
                parents: parents.iter().enumerate().map(|(i, at)| at.index(i + 1)).collect(),
                ids,
                names,
                hits,
                ticks,
                samples,
                start,
                rest,
            })
    })
}

impl Model {
    fn parent(&self, node: usize) -> Option<usize> {
        (node > 0).then(|| self.parents[node - 1])
    }

    fn children(&self, node: usize) -> Vec<usize> {
        (0..self.ids.len()).filter(|&child| self.parent(child) == Some(node)).collect()
    }

    fn frame(&self, node: usize) -> Value {
        json!({"functionName": self.names[node], "scriptId": (node % 3).to_string(), "url": self.names[node / 2],
               "lineNumber": node as i64 - 1, "columnNumber": node})
    }

    fn end(&self) -> i64 {
        self.start + self.samples.iter().map(|(_, delta)| delta).sum::<i64>() + self.rest
    }

    /// The form of today, with children or with parents.
    fn flat(&self, by_parent: bool) -> Value {
        let node = |node: usize| {
            let mut json = json!({"id": self.ids[node], "callFrame": self.frame(node), "hitCount": self.hits[node]});
            if by_parent {
                if let Some(parent) = self.parent(node) {
                    json["parent"] = self.ids[parent].into();
                }
            } else {
                let children = self.children(node);
                json["children"] = children.into_iter().map(|child| self.ids[child]).collect();
            }
            let ticks = self.ticks[node].iter();
            json["positionTicks"] =
                ticks.map(|(line, ticks)| json!({"line": line, "ticks": ticks})).collect();
            json
        };
        json!({
            "nodes": (0..self.ids.len()).map(node).collect::<Vec<_>>(),
            "startTime": self.start, "endTime": self.end(),
            "samples": self.samples.iter().map(|(node, _)| self.ids[*node]).collect::<Vec<_>>(),
            "timeDeltas": self.samples.iter().map(|(_, delta)| *delta).collect::<Vec<_>>(),
        })
    }

    /// Nodes in the order in which nesting brings them.
    fn nested_order(&self) -> Vec<usize> {
        let (mut order, mut todo) = (Vec::new(), vec![0]);
        while let Some(node) = todo.pop() {
            order.push(node);
            todo.extend(self.children(node).into_iter().rev());
        }
        order
    }

    fn nested(&self, node: usize) -> Value {
        let mut json = self.frame(node);
        json["lineNumber"] = (node as i64).into();
        json["columnNumber"] = (node as i64 + 1).into();
        json["id"] = self.ids[node].into();
        json["hitCount"] = self.hits[node].into();
        json["children"] =
            self.children(node).into_iter().map(|child| self.nested(child)).collect();
        json
    }

    /// Rows as text: node id, name, url, line, hits, parent id, depth, self and total time, total hits.
    fn nodes(&self, order: &[usize]) -> Vec<String> {
        let durations = self.durations();
        let mut self_times = vec![0; self.ids.len()];
        for ((node, _), duration) in self.samples.iter().zip(&durations) {
            self_times[*node] += duration;
        }
        let above = |node: usize| std::iter::successors(Some(node), |&node| self.parent(node));
        let below = |node: usize| (0..self.ids.len()).filter(move |&n| above(n).any(|a| a == node));
        order
            .iter()
            .map(|&node| {
                let parent = self.parent(node).map_or(-1, |parent| self.ids[parent]);
                let total: i64 = below(node).map(|n| self_times[n]).sum();
                let hits: i64 = below(node).map(|n| self.hits[n]).sum();
                format!(
                    "{} {:?} {:?} {} {} {parent} {} {} {total} {hits}",
                    self.ids[node],
                    self.names[node],
                    self.names[node / 2],
                    node as i64 - 1,
                    self.hits[node],
                    above(node).count() - 1,
                    self_times[node],
                )
            })
            .collect()
    }

    fn times(&self) -> Vec<i64> {
        let times = self.samples.iter().scan(self.start, |now, (_, delta)| {
            *now += delta;
            Some(*now)
        });
        times.collect()
    }

    /// To the next in order of time, found by looking at all.
    fn durations(&self) -> Vec<i64> {
        let times = self.times();
        let later = |i: usize, j: usize| (times[j], j) > (times[i], i);
        (0..times.len())
            .map(|i| {
                let next = (0..times.len()).filter(|&j| later(i, j)).map(|j| times[j]).min();
                next.unwrap_or(self.end().max(times[i])) - times[i]
            })
            .collect()
    }
}

fn shown_nodes(reading: &Reading) -> Vec<String> {
    let names =
        ["function_id", "function_name", "url", "line_number", "hit_count", "parent_id", "depth"];
    let names = names.into_iter().chain(["self_time_us", "total_time_us", "total_hit_count"]);
    let columns: Vec<_> = names.map(|name| reading.column("js_cpu_profiler_node", name)).collect();
    let cell = |column: usize, row: usize| match column {
        1 | 2 => format!("{:?}", columns[column][row]),
        _ => columns[column][row].clone(),
    };
    let rows = 0..columns[0].len();
    rows.map(|row| (0..columns.len()).map(|c| cell(c, row)).collect::<Vec<_>>().join(" ")).collect()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn random_profiles_are_as_they_were_meant(model in models(), window in 1..300usize, rows in 1..30usize) {
        let all: Vec<usize> = (0..model.ids.len()).collect();
        let timestamps = model.times();
        let nested = json!({"head": model.nested(0), "startTime": model.start as f64 / 1e6,
            "endTime": model.end() as f64 / 1e6,
            "samples": model.samples.iter().map(|(node, _)| model.ids[*node]).collect::<Vec<_>>(),
            "timestamps": timestamps});
        for (document, order, ticks) in [
            (model.flat(false), all.clone(), true),
            (model.flat(true), all.clone(), true),
            (nested, model.nested_order(), false),
        ] {
            for text in [document.to_string(), format!("{document:#}")] {
                let read = read_as(Format::CpuProfile, ByteOffset::START, &text, rows, window);
                prop_assert_eq!(shown_nodes(&read), model.nodes(&order), "{}", text);
                let texts = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>();
                let sample = |column| read.column("js_cpu_profiler_sample", column);
                prop_assert_eq!(sample("ts_us"), texts(&model.times()), "{}", text);
                prop_assert_eq!(sample("dur_us"), texts(&model.durations()), "{}", text);
                let deltas: Vec<i64> = model.samples.iter().map(|(_, delta)| *delta).collect();
                prop_assert_eq!(sample("delta_us"), texts(&deltas), "{}", text);
                let lines: Vec<i64> = model.ticks.iter().flatten().map(|(line, _)| *line).collect();
                let read_lines = read.column("js_cpu_profiler_tick", "line_number");
                prop_assert_eq!(read_lines, if ticks { texts(&lines) } else { Vec::new() });
                let codes = read.codes();
                prop_assert!(codes.keys().all(|code| *code == "unsorted_samples"), "{:?}", codes);
            }
        }
    }

    /// Chunks of a trace give what the profile in one piece gives.
    #[test]
    fn pieces_add_up(
        model in models(), cuts in vec(any::<Index>(), 0..4), rows_of_a_group in 1usize..9
    ) {
        let whole = model.flat(true);
        let (nodes, samples) = (whole["nodes"].as_array().unwrap(), whole["samples"].as_array().unwrap());
        let deltas = whole["timeDeltas"].as_array().unwrap();
        let mut recording = Recording::new();
        let first = json!({"startTime": whole["startTime"]}).to_string();
        recording.add(&first, ByteOffset::START).unwrap();
        let mut at = (0, 0);
        let ends = cuts.iter().map(|cut| (cut.index(nodes.len() + 1), cut.index(samples.len() + 1)));
        for end in ends.chain([(nodes.len(), samples.len())]) {
            let end = (end.0.max(at.0), end.1.max(at.1));
            let chunk = json!({
                "cpuProfile": {"nodes": nodes[at.0..end.0], "samples": samples[at.1..end.1], "trace_ids": {}},
                "timeDeltas": deltas[at.1..end.1],
            });
            recording.add(&format!("{{\"args\":{chunk}}}"), ByteOffset(8)).unwrap();
            at = end;
        }
        recording.add(&json!({"endTime": whole["endTime"]}).to_string(), ByteOffset::START).unwrap();
        // Samples out of order are also joined again, from blocks of so many.
        let options = ReadOptions::default().row_group_rows(rows_of_a_group);
        let mut of = recording.into_rows(b"", FileId(0), &options).unwrap();
        let mut tables: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
        loop {
            let task = match of.claim().unwrap() {
                Claim::Task(task, _) => task,
                Claim::End => break,
                _ => continue,
            };
            let all = Projection::all();
            let mut decoded = heapquarry_formats::Rows::new(&all);
            heapquarry_formats::Task::decode(task, b"", &mut (), &mut decoded);
            for (table, batch) in decoded.into_batches() {
                tables.entry(table.name).or_default().extend(rows(table, &batch));
            }
        }
        let (batches, _) = of.finish("test", 0);
        for (table, batch) in batches {
            tables.entry(table.name).or_default().extend(rows(table, &batch));
        }
        prop_assert_eq!(tables, cpu(&whole.to_string()).tables);
    }
}

// -------------------------------------------------------------------------------- any bytes

/// The invented profiles of the corpus.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/profiles");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.metadata().unwrap().len() < 4000)
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into(), std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() >= 18);
    files
}

/// Reads in several ways, which must agree.
fn read_in_many_ways(format: Format, offset: ByteOffset, document: &[u8]) -> Reading {
    let expected = read_as(format, offset, &document, 1000, 1000);
    for (rows, window) in [(1000, 1), (3, 1000), (1, 7)] {
        let found = read_as(format, offset, &document, rows, window);
        // Tables without rows may be missing.
        assert!(
            found == expected,
            "groups of {rows}, windows of {window}: {}",
            document.escape_ascii()
        );
    }
    expected
}

/// Every whole record before the cut, and no others.
#[test]
fn what_stands_before_a_cut_is_kept() {
    for (name, document) in corpus() {
        let found = sniff(&document).unwrap().unwrap();
        let whole = read_as(found.format, found.offset, &document, 1000, 1000);
        let mut most = 0;
        for end in (1..document.len()).step_by(1 + document.len() / 400) {
            let cut = read_in_many_ways(
                found.format,
                found.offset.min(ByteOffset(end as u64)),
                &document[..end],
            );
            let count = |table: &str| cut.tables.get(table).map_or(0, Vec::len);
            let nodes = count("js_cpu_profiler_node") + count("js_heap_sampling_node");
            let of_whole = whole.tables.get("js_cpu_profiler_node").map_or(0, Vec::len)
                + whole.tables.get("js_heap_sampling_node").map_or(0, Vec::len);
            assert!(nodes <= of_whole && nodes + 1 >= most, "{name}: {nodes} nodes before {end}");
            most = nodes.max(most);
            // What is between two documents of one input may be cut without a trace.
            let between = document[end..].trim_ascii().is_empty()
                || name.starts_with("lines")
                || name.starts_with("array");
            // An envelope that is cut behind the profile takes nothing from it.
            let between = between
                || found.offset > ByteOffset::START && document[end..].iter().all(|b| *b == b'}');
            let (status, _) = cut.logs.last().unwrap();
            assert!(
                *status == Status::Truncated || between,
                "{name}: {status:?} when cut at {end}"
            );
        }
    }
}

/// Rows of a trace that goes on behind another one, or around it, have its own number, however many there are at a
/// time.
#[test]
fn traces_within_each_other_are_told_apart() {
    let trace = |more: &str| {
        let samples = r#"{"timestamp":1,"stackId":0},{"timestamp":2,"stackId":0},{"timestamp":3}"#;
        format!(
            r#"{{"samples":[{samples},{samples}]{more},"stacks":[{{"frameId":0}}],"frames":[{{"name":"f"}}],"resources":[]}}"#
        )
    };
    for document in [
        trace(&format!(r#","a":[{}]"#, trace(""))),
        format!(r#"{{"a":{},"b":[{}]}}"#, trace(""), trace("")),
        format!(r#"{{"a":{{"b":{}}},"c":[{{"d":{}}}]}}"#, trace(""), trace("")),
    ] {
        let found = read_in_many_ways(Format::SelfProfile, ByteOffset::START, document.as_bytes());
        assert_eq!(found.logs.len(), 2, "{document}");
        let expected = [["0"; 6], ["1"; 6]].concat();
        assert_eq!(found.column("self_profile_sample", "file_id"), expected, "{document}");
    }
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn damage_leads_to_no_panic(
        file in any::<Index>(),
        changes in vec((any::<Index>(), prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            prop::sample::select(vec!["{", "}", "[", "]", "\"", "\\", ",", ":", "-1", "null", "1e99", "4294967295",
                "\"id\":1,", "\"children\":[1,2],", "[[[", "\"parent\":3,", "{}", "1.5", "99999999999999999999"])
                .prop_map(|text| text.as_bytes().to_vec()),
            Just(Vec::new()),
        ], 0..12usize), 1..4),
    ) {
        let files = corpus();
        let (_, mut document) = files[file.index(files.len())].clone();
        let found = sniff(&document).unwrap().unwrap();
        for (at, with, without) in changes {
            let start = at.index(document.len());
            let end = (start + without).min(document.len());
            document.splice(start..end, with);
        }
        read_in_many_ways(found.format, ByteOffset::START, &document);
        let _ = sniff(&document).unwrap();
    }
}

// -------------------------------------------------------------------------------- damage, case by case

fn document(nodes: &str, rest: &str) -> String {
    format!("{{\"nodes\":[{nodes}],\"startTime\":1000,\"endTime\":2000{rest}}}")
}

/// A node without hits.
const R: &str = r#"{"id":1,"callFrame":{"functionName":"(root)"},"hitCount":0}"#;
const A: &str = r#"{"id":1,"callFrame":{"functionName":"a"},"hitCount":1}"#;
const B: &str = r#"{"id":2,"callFrame":{"functionName":"b"},"hitCount":2}"#;

struct Case {
    name: &'static str,
    format: Format,
    document: String,
    codes: &'static [(&'static str, u64)],
    status: Status,
    /// Table, column, cells.
    cells: &'static [(&'static str, &'static str, &'static [&'static str])],
}

const NODE: &str = "js_cpu_profiler_node";
const SAMPLE: &str = "js_cpu_profiler_sample";
const FILES: &str = "js_cpu_profiler_files";
const HEAP_NODE: &str = "js_heap_sampling_node";
const STACK: &str = "self_profile_stack";

fn case(
    name: &'static str,
    document: String,
    codes: &'static [(&'static str, u64)],
    cells: &'static [(&'static str, &'static str, &'static [&'static str])],
) -> Case {
    let severities: HashMap<_, _> = Code::ALL.iter().map(|c| (c.name(), c.severity())).collect();
    let status = if codes.iter().any(|(code, _)| ["truncated", "malformed"].contains(code)) {
        Status::Truncated
    } else if codes
        .iter()
        .any(|(code, _)| severities[code] >= heapquarry_formats::Severity::DataLoss)
    {
        Status::Repaired
    } else {
        Status::Complete
    };
    Case { name, format: Format::CpuProfile, document, codes, status, cells }
}

fn cases() -> Vec<Case> {
    let ab = format!("{A},{B}");
    let heap = |document: &str, codes, cells| Case {
        format: Format::HeapProfile,
        ..case("heap", document.into(), codes, cells)
    };
    let trace = |document: &str, codes, cells| Case {
        format: Format::SelfProfile,
        ..case("trace", document.into(), codes, cells)
    };
    vec![
        case("sound", document(&ab, r#","samples":[1,2],"timeDeltas":[10,20]"#), &[], &[
            (SAMPLE, "ts_us", &["1010", "1030"]), (SAMPLE, "dur_us", &["20", "970"]),
            (NODE, "self_time_us", &["20", "970"]),
        ]),
        case("negative deltas", document(&ab, r#","samples":[1,2,1],"timeDeltas":[30,-20,50]"#),
            &[("unsorted_samples", 1)], &[
            (SAMPLE, "ts_us", &["1030", "1010", "1060"]), (SAMPLE, "delta_us", &["30", "-20", "50"]),
            (SAMPLE, "dur_us", &["30", "20", "940"]),
        ]),
        case("a negative first delta", document(&ab, r#","samples":[1,2],"timeDeltas":[-30,40]"#), &[], &[
            (SAMPLE, "ts_us", &["970", "1010"]), (SAMPLE, "dur_us", &["40", "990"]),
        ]),
        case("wrapped numbers",
            document(r#"{"id":1,"callFrame":{"functionName":"a","lineNumber":4294967295,"columnNumber":4294967295}}"#,
                r#","samples":[1,1],"timeDeltas":[10,4294967291]"#),
            &[("unsorted_samples", 1), ("wrapped_number", 2)], &[
            (NODE, "line_number", &["-1"]), (NODE, "column_number", &["-1"]), (SAMPLE, "delta_us", &["10", "-5"]),
        ]),
        case("a column moved before the line, and a long delta",
            document(r#"{"id":1,"callFrame":{"lineNumber":0,"columnNumber":4294967100}},{"id":2,"callFrame":{"columnNumber":-196}}"#,
                r#","samples":[1,1],"timeDeltas":[10,4294967291]"#),
            &[("wrapped_number", 1)], &[
            (NODE, "column_number", &["-196", "-196"]), (SAMPLE, "delta_us", &["10", "4294967291"]),
        ]),
        case("a long delta is no wrapped one", document(A, r#","samples":[1,1],"timeDeltas":[10,4294967291]"#), &[], &[
            (SAMPLE, "delta_us", &["10", "4294967291"]), (SAMPLE, "dur_us", &["4294967291", "0"]),
        ]),
        case("an end cut to 32 bits", r#"{"nodes":[{"id":1,"callFrame":{"lineNumber":4294967295}}],"startTime":4294967290,
            "endTime":10,"samples":[1],"timeDeltas":[3]}"#.into(), &[("wrapped_number", 2)], &[
            (SAMPLE, "ts_us", &["4294967293"]), (SAMPLE, "dur_us", &["13"]),
        ]),
        case("fractions of times", r#"{"nodes":[{"id":1}],"startTime":1000.5,"endTime":2000.25,"samples":[1],"timeDeltas":[1]}"#
            .into(), &[("rounded_time", 2)], &[(SAMPLE, "ts_us", &["1002"]), (SAMPLE, "dur_us", &["998"])]),
        case("no end", r#"{"nodes":[{"id":1}],"startTime":5,"samples":[1,1],"timeDeltas":[1,2]}"#.into(), &[],
            &[(SAMPLE, "dur_us", &["2", "null"]), (NODE, "self_time_us", &["2"])]),
        case("no times", r#"{"nodes":[{"id":1}],"samples":[1,1]}"#.into(), &[("missing_field", 1)],
            &[(SAMPLE, "ts_us", &["null", "null"]), (NODE, "hit_count", &["2"]), (FILES, "time_source", &["null"])]),
        case("no times, but start and end", document(&ab, r#","samples":[1,2,2]"#), &[("spread_times", 1)], &[
            (SAMPLE, "ts_us", &["1000", "1333", "1666"]), (SAMPLE, "delta_us", &["null", "null", "null"]),
            (SAMPLE, "dur_us", &["333", "333", "334"]), (NODE, "self_time_us", &["333", "667"]),
            (FILES, "sampled_time_us", &["1000"]), (FILES, "time_source", &["samples"]),
            (FILES, "untimed_sample_count", &["0"]),
        ]),
        case("an empty list of times", document(&ab, r#","samples":[1,2],"timeDeltas":[]"#), &[("spread_times", 1)],
            &[(NODE, "self_time_us", &["500", "500"])]),
        case("hits alone", document(&ab, ""), &[("spread_times", 1)], &[
            (NODE, "self_time_us", &["333", "667"]), (NODE, "total_time_us", &["333", "667"]),
            (FILES, "sampled_time_us", &["1000"]), (FILES, "time_source", &["hits"]),
        ]),
        case("hits alone, nested, in seconds", r#"{"startTime":100,"endTime":104,"head":{"functionName":"(root)","id":1,
            "hitCount":0,"children":[{"functionName":"load","id":2,"hitCount":30},{"functionName":"run","id":3,"hitCount":10}]}}"#
            .into(), &[("spread_times", 1)], &[(NODE, "self_time_us", &["0", "3000000", "1000000"])]),
        case("hits without start and end", format!("{{\"nodes\":[{ab}]}}"), &[("missing_field", 1)],
            &[(NODE, "self_time_us", &["0", "0"]), (FILES, "time_source", &["null"])]),
        case("no samples", document(r#"{"id":1,"hitCount":0}"#, r#","samples":[],"timeDeltas":[]"#), &[],
            &[(FILES, "sampled_time_us", &["0"])]),
        case("deltas with fractions", document(&ab, r#","samples":[1,2,1,2],"timeDeltas":[0.5,0.5,0.5,998.5]"#),
            &[("rounded_time", 4)], &[
            (SAMPLE, "ts_us", &["1001", "1001", "1002", "2000"]), (SAMPLE, "dur_us", &["0", "1", "998", "0"]),
        ]),
        case("numbers in quotes", r#"{"nodes":[{"id":"1","children":["2"]},{"id":"2","hitCount":"3"}],"startTime":"1000",
            "endTime":"2000","samples":["1","2"],"timeDeltas":["10","20"]}"#.into(), &[("number_form", 9)], &[
            (NODE, "parent_id", &["-1", "1"]), (NODE, "self_time_us", &["20", "970"]), (NODE, "hit_count", &["null", "3"]),
        ]),
        case("a start beyond 64 bits", r#"{"nodes":[{"id":1}],"startTime":10000000000000000000000000,"endTime":1400,
            "samples":[1,1],"timeDeltas":[100,100]}"#.into(), &[("value_out_of_range", 1)], &[
            (FILES, "start_time_us", &["null"]), (SAMPLE, "dur_us", &["100", "null"]), (NODE, "self_time_us", &["100"]),
        ]),
        case("an end beyond 64 bits", r#"{"nodes":[{"id":1}],"startTime":1000,"endTime":18446744073709551615,
            "samples":[1,1],"timeDeltas":[100,100]}"#.into(), &[("value_out_of_range", 1)], &[
            (FILES, "end_time_us", &["null"]), (SAMPLE, "dur_us", &["100", "null"]), (NODE, "self_time_us", &["100"]),
        ]),
        case("deltas beyond 64 bits", document(&ab, r#","samples":[1,2,1,2],"timeDeltas":[100,9223372036854775807,100,5]"#),
            &[("value_out_of_range", 1)], &[
            (SAMPLE, "ts_us", &["1100", "null", "null", "null"]), (SAMPLE, "delta_us", &["100", "null", "100", "5"]),
            (SAMPLE, "dur_us", &["null", "100", "5", "null"]), (NODE, "self_time_us", &["5", "100"]),
            (FILES, "untimed_sample_count", &["2"]),
        ]),
        case("time stamps beyond 64 bits", document(&ab, r#","samples":[1,2],"timestamps":[1e25,1500]"#),
            &[("value_out_of_range", 1)], &[
            (SAMPLE, "ts_us", &["null", "1500"]), (SAMPLE, "delta_us", &["null", "null"]), (SAMPLE, "dur_us", &["null", "500"]),
        ]),
        case("sums of hits beyond 64 bits",
            r#"{"nodes":[{"id":1,"hitCount":9223372036854775807,"children":[2]},{"id":2,"hitCount":1}]}"#.into(),
            &[("missing_field", 1), ("value_out_of_range", 2)], &[(NODE, "total_hit_count", &["9223372036854775807", "1"])]),
        case("fewer times than samples", document(&ab, r#","samples":[1,2,1],"timeDeltas":[10]"#),
            &[("sample_count_mismatch", 1)], &[
            (SAMPLE, "ts_us", &["1010", "null", "null"]), (SAMPLE, "dur_us", &["null", "null", "null"]),
        ]),
        case("more times than samples", document(&ab, r#","samples":[1],"timeDeltas":[10,20,30]"#),
            &[("sample_count_mismatch", 1)], &[(SAMPLE, "ts_us", &["1010"]), (SAMPLE, "dur_us", &["20"])]),
        case("samples of absent nodes", document(A, r#","samples":[1,7,8],"timeDeltas":[10,10,10]"#),
            &[("unknown_node", 2)], &[(SAMPLE, "function_id", &["1", "7", "8"]), (NODE, "self_time_us", &["10"])]),
        case("samples that are no numbers", document(A, r#","samples":[1,null,"x",1.5],"timeDeltas":[1,NaN,2,3.0]"#),
            &[("not_a_number", 3), ("not_an_integer", 1), ("number_form", 1)], &[
            (SAMPLE, "function_id", &["1", "null", "null", "null"]), (SAMPLE, "delta_us", &["1", "null", "2", "3"]),
            (SAMPLE, "ts_us", &["1001", "null", "null", "null"]), (SAMPLE, "dur_us", &["null", "2", "3", "null"]),
            (FILES, "untimed_sample_count", &["2"]),
        ]),
        case("two nodes of one id", document(&format!("{A},{A}"), r#","samples":[1],"timeDeltas":[10]"#),
            &[("duplicate_id", 1)], &[(NODE, "self_time_us", &["990", "0"]), (NODE, "node_index", &["0", "1"])]),
        case("a child of two", document(
            r#"{"id":1,"children":[3]},{"id":2,"children":[3]},{"id":3}"#, ""),
            &[("second_parent", 1)], &[(NODE, "parent_id", &["-1", "-1", "1"])]),
        case("absent children and parents", document(r#"{"id":1,"children":[2,9]},{"id":2},{"id":3,"parent":8}"#, ""),
            &[("unknown_node", 2)], &[(NODE, "parent_id", &["-1", "1", "-1"])]),
        case("a cycle", document(r#"{"id":1,"children":[2]},{"id":2,"children":[3]},{"id":3,"children":[1]},{"id":4,"parent":3}"#, ""),
            &[("call_cycle", 1)], &[(NODE, "parent_id", &["-1", "1", "2", "3"]), (NODE, "depth", &["0", "1", "2", "3"])]),
        case("its own child", document(r#"{"id":1,"children":[1]}"#, ""),
            &[("call_cycle", 1)], &[(NODE, "parent_id", &["-1"])]),
        case("children that are neither ids nor nodes", document(r#"{"id":1,"children":["x",null,2]},{"id":2,"children":7}"#, ""),
            &[("bad_nesting", 3)], &[(NODE, "parent_id", &["-1", "1"])]),
        case("nodes that are none", document(r#"1,{"id":2},[{"id":3}]"#, ""),
            &[("bad_nesting", 2)], &[(NODE, "function_id", &["2"])]),
        case("no ids", document(r#"{"callFrame":{"functionName":"a"}},{"id":2}"#, ""),
            &[("missing_field", 1)], &[(NODE, "function_id", &["null", "2"])]),
        case("large and odd numbers", document(r#"{"id":9223372036854775807,"hitCount":1e3},{"id":18446744073709551616,"callFrame":{"lineNumber":3000000000}}"#, ""),
            &[("missing_field", 1), ("number_form", 1), ("spread_times", 1), ("value_out_of_range", 2)],
            &[(NODE, "function_id", &["9223372036854775807", "null"]), (NODE, "hit_count", &["1000", "null"]), (NODE, "line_number", &["null", "null"])]),
        case("names", document("{\"id\":1,\"callFrame\":{\"functionName\":\"a\"b\\ud83d\\q\",\"url\":{},\"scriptId\":7,\"x\":1}}", ""),
            &[("bad_escape", 1), ("lone_surrogate", 1), ("not_a_string", 1), ("stray_quote", 1), ("unknown_field", 1)],
            &[(NODE, "function_name", &["a\"b\u{fffd}q"]), (NODE, "url", &["null"]), (NODE, "script_id", &["7"])]),
        case("members twice", document(A, r#","nodes":[{"id":5}],"samples":[1],"samples":[1,1],"timeDeltas":[1],"timestamps":[5]"#),
            &[("duplicate_section", 2)], &[(NODE, "function_id", &["1"]), (SAMPLE, "ts_us", &["1001"])]),
        case("no nodes", r#"{"samples":[1],"timeDeltas":[1]}"#.into(), &[("missing_section", 1), ("unknown_node", 1)],
            &[(SAMPLE, "function_id", &["1"])]),
        case("nodes that are no array", r#"{"nodes":7,"other":{"a":[1]}}"#.into(), &[("missing_section", 1), ("unknown_section", 1)], &[]),
        case("zeros in a key", document(R, "").replace("startTime", "start\0ime"), &[("zero_bytes", 1)], &[]),
        case("zeros in a name", document(r#"{"id":1,"callFrame":{"functionName":"a\u0000"}}"#, "").replace("\\u0000", "\0"),
            &[("zero_bytes", 1)], &[(NODE, "function_name", &["a\0"])]),
        case("zeros behind it", format!("{}\0\0", document(R, "")), &[("trailing_data", 1)], &[]),
        case("bytes behind it", format!("{} x", document(R, "")), &[("trailing_data", 1)], &[]),
        case("a document behind it", format!("{0}\n{0}", document(R, "")), &[],
            &[(NODE, "function_id", &["1"])]),
        case("a mark before it", format!("\u{feff}{}", document(R, "")), &[("byte_order_mark", 1)], &[]),
        case("cut in a node", document(&ab, "")[..70].into(), &[("truncated", 1)], &[(NODE, "function_id", &["1"])]),
        case("cut in a name", document(&ab, "")[..99].into(), &[("truncated", 1)], &[(NODE, "function_id", &["1"])]),
        case("cut in the samples", document(A, r#","samples":[1,1,12"#).trim_end_matches('}').into(), &[("truncated", 1)],
            &[(SAMPLE, "function_id", &["1", "1"])]),
        case("something else between nodes", document(&format!("{A},:,{B}"), ""), &[("malformed", 1)], &[(NODE, "function_id", &["1"])]),
        heap(r#"{"head":{"callFrame":{"functionName":"r"},"selfSize":1,"children":[{"selfSize":2},{"selfSize":"x"}]}}"#,
            &[("ids_assigned", 1), ("missing_field", 1), ("not_a_number", 1)], &[(HEAP_NODE, "node_id", &["1", "2", "3"]), (HEAP_NODE, "total_size", &["3", "2", "0"])]),
        heap(r#"{"head":{"id":2,"selfSize":1},"samples":[{"nodeId":2,"size":5,"ordinal":1},{"nodeId":1},7]}"#,
            &[("bad_nesting", 1), ("unknown_node", 1)], &[("js_heap_sampling_sample", "node_id", &["2", "1"]), ("js_heap_sampling_sample", "size", &["5", "null"])]),
        heap(r#"{"samples":[{"nodeId":9,"size":7,"ordinal":3},{"nodeId":2,"size":5,"ordinal":1}],"head":{"id":1,"selfSize":0,"children":[{"id":2,"selfSize":5}]}}"#,
            &[("late_node", 1)], &[("js_heap_sampling_sample", "node_id", &["9", "2"]), (HEAP_NODE, "total_size", &["5", "5"])]),
        heap(r#"{"head":{"id":1,"selfSize":1,"children":[{"id":2,"selfSize":5,"callFrame":{"functionName":"f"}},{"id":3,"selfSi"#,
            &[("truncated", 1)], &[(HEAP_NODE, "node_id", &["1", "2"]), (HEAP_NODE, "total_size", &["6", "5"])]),
        heap(r#"{"head":{"id":1,"selfSize":1}}{"head":{"id":1,"selfSize":1}}"#, &[],
            &[(HEAP_NODE, "self_size", &["1"])]),
        heap(r#"{"head":{"id":1,"selfSize":4611686018427387904,"children":[{"id":2,"selfSize":4611686018427387904},{"id":3}]}}"#,
            &[("missing_field", 1), ("value_out_of_range", 2)], &[
            (HEAP_NODE, "self_size", &["4611686018427387904", "4611686018427387904", "null"]),
            (HEAP_NODE, "total_size", &["9223372036854775807", "4611686018427387904", "0"]),
        ]),
        heap(r#"{"head":7,"extra":1}"#, &[("missing_section", 2), ("unknown_section", 1)], &[]),
        trace(r#"{"frames":[{"name":"f","resourceId":4}],"resources":[],"samples":[{"timestamp":"x","stackId":5},{"stackId":null}],"stacks":[{"frameId":9},{"frameId":0,"parentId":0},{"frameId":0,"parentId":7}]}"#,
            &[("not_a_number", 1), ("unknown_node", 4)], &[
            (STACK, "parent_id", &["-1", "0", "-1"]), ("self_profile_sample", "stack_id", &["5", "-1"]),
            ("self_profile_sample", "timestamp_ms", &["null", "null"]),
        ]),
        trace(r#"{"stacks":[{"frameId":0,"parentId":1},{"frameId":0,"parentId":0}],"samples":[{"timestamp":1,"stackId":1}],"frames":[{"name":"f"}],"resources":["u"]}"#,
            &[("call_cycle", 1)], &[(STACK, "parent_id", &["-1", "0"]), (STACK, "depth", &["0", "1"]), (STACK, "total_sample_count", &["1", "1"])]),
        trace(r#"{"trace":{"stacks":[{"frameId":0}],"samples":[{"timestamp":1,"stackId":0},{"timestamp":2.5"#,
            &[("missing_section", 2), ("truncated", 1), ("unknown_node", 1)], &[("self_profile_sample", "timestamp_ms", &["1"])]),
        trace(r#"{"samples":[{"timestamp":"1.5","stackId":"0"},{"timestamp":1e400}],"stacks":[{"frameId":0}],"frames":[{}],"resources":[]}"#,
            &[("number_form", 2), ("value_out_of_range", 1)], &[
            ("self_profile_sample", "timestamp_ms", &["1.5", "null"]), ("self_profile_sample", "stack_id", &["0", "-1"]),
        ]),
        trace(r#"{"a":1}"#, &[("missing_section", 5)], &[]),
    ]
}

#[test]
fn damage_is_what_the_documentation_says() {
    for case in cases() {
        let read = read_as(case.format, ByteOffset::START, &case.document, 1000, 1000);
        let name = format!("{}: {}", case.name, case.document);
        let codes: Vec<_> = read.codes().into_iter().collect();
        assert_eq!(codes, case.codes, "{name}\n{:#?}", read.logs);
        assert_eq!(read.logs[0].0, case.status, "{name}");
        for (table, column, cells) in case.cells {
            assert_eq!(read.column(table, column), *cells, "{name}: {table}.{column}");
        }
        assert_eq!(
            read_in_many_ways(case.format, ByteOffset::START, case.document.as_bytes()).tables,
            read.tables
        );
        for (_, log) in &read.logs {
            let inside =
                |entry: &Entry| entry.offset.is_none_or(|at| at.0 <= case.document.len() as u64);
            assert!(log.iter().all(inside), "{name}: {log:?}");
        }
    }
}

#[test]
fn every_code_of_profiles_has_a_case() {
    let shown: BTreeSet<_> =
        cases().iter().flat_map(|case| case.codes).map(|(code, _)| *code).collect();
    for code in OF_PROFILES {
        assert!(shown.contains(code.name()), "{}", code.name());
    }
}

/// Deeper than any stack.
#[test]
fn depth_costs_no_recursion() {
    let depth = 200_000;
    let open = r#"{"functionName":"f","id":1,"hitCount":1,"children":["#;
    let document = format!("{{\"head\":{}{}}}", open.repeat(depth), "]}".repeat(depth));
    let read = cpu(&document);
    assert_eq!(read.tables[NODE].len(), depth);
    assert_eq!(read.column(NODE, "depth").last().unwrap(), &(depth - 1).to_string());
    assert_eq!(read.column(NODE, "total_hit_count")[0], depth.to_string());
}
