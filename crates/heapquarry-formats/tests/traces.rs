//! Traces: what producers do wrong is read as docs/input-errors.md promises, everything before a cut is kept, and no
//! bytes lead to a panic, to arguments that are no JSON, or to other rows when they are read in other pieces.

mod common;

use arrow_array::RecordBatch;
use common::{Cell, Row, rows};
use heapquarry_formats::{
    ByteOffset, Entry, Error, Gather, Input, ReadOptions, Status, read_all, trace::Trace,
};
use heapquarry_tables::{FileId, Table};
use proptest::{collection::vec, prelude::*, sample::Index};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
struct Reading {
    tables: BTreeMap<&'static str, Vec<Row>>,
    status: Status,
    log: Vec<Entry>,
}

impl Reading {
    fn column(&self, table: &str, column: &str) -> Vec<String> {
        let at = heapquarry_tables::by_name(table).unwrap().column(column).unwrap();
        let rows = self.tables.get(table).map(Vec::as_slice).unwrap_or_default();
        let shown = |cell: &Cell| match cell {
            Cell::Null => "null".to_string(),
            Cell::Int(value) => value.to_string(),
            Cell::Text(text) => text.to_string(),
        };
        rows.iter().map(|row| shown(&row[at])).collect()
    }

    fn codes(&self) -> Vec<&'static str> {
        let mut codes: Vec<_> = self.log.iter().map(|entry| entry.code.name()).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }
}

fn read(document: &dyn Input, row_group_rows: usize, window: usize) -> Reading {
    let mut tables: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
    let options = ReadOptions::default().gather(Gather::Always);
    let options = options.row_group_rows(row_group_rows).window(window);
    let trace = Trace::new(document, ByteOffset::START, FileId(0), &options).unwrap();
    let finished = read_all(trace, |table: &'static Table, batch: RecordBatch| {
        tables.entry(table.name).or_default().extend(rows(table, &batch));
        Ok::<_, Error>(())
    })
    .expect("memory can be read");
    let summary = finished.documents.into_iter().next().expect("a document");
    Reading { tables, status: summary.status, log: summary.log.into_entries() }
}

/// Reads in several ways, which must agree; what is JSON must be.
fn read_in_many_ways(document: &[u8]) -> Reading {
    let expected = read(&document, 1000, 1000);
    for (rows, window) in [(1000, 1), (3, 1000), (1, 7)] {
        let mut found = read(&document, rows, window);
        // Tables without rows may be missing.
        found.tables.retain(|_, rows| !rows.is_empty());
        let mut expected = expected.clone();
        expected.tables.retain(|_, rows| !rows.is_empty());
        assert!(
            found == expected,
            "groups of {rows}, windows of {window}: {}\n{found:?}\n{expected:?}",
            document.escape_ascii()
        );
    }
    for (table, column) in [
        ("trace_event", "args"),
        ("trace_event", "extra"),
        ("stack_frame", "extra"),
        ("trace_sample", "extra"),
    ] {
        for text in expected.column(table, column) {
            assert!(
                // Numbers of any size are JSON.
                serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok(),
                "{table}.{column}: {text:?} of {}",
                document.escape_ascii()
            );
        }
    }
    expected
}

// -------------------------------------------------------------------------------- what producers do

#[test]
fn containers() {
    use Status::{Complete, Repaired, Truncated};
    for (document, names, codes, status) in [
        (r#"[{"name":"a","ph":"B"},{"name":"b","ph":"E"}]"#, "a b", "", Complete),
        ("[]", "", "", Complete),
        ("\u{feff} [{\"name\":\"a\"}]", "a", "byte_order_mark", Complete),
        (r#"[{"name":"a"},{"name":"b"}"#, "a b", "unclosed_array", Complete),
        (r#"[{"name":"a"},{"name":"b"},"#, "a b", "unclosed_array", Complete),
        (r#"[{"name":"a"},]"#, "a", "", Complete),
        (r#"[,{"name":"a"}]"#, "a", "", Complete),
        (r#"[{"name":"a"} {"name":"b"}]"#, "a b", "", Complete),
        (r#"[{"name":"a"},{}]"#, "a", "empty_event", Complete),
        (r#"[{"name":"a"},{"name":"b"#, "a", "truncated", Truncated),
        (
            r#"[{"name":"a"},null,"x]",[{"name":"c"}],7,{"name":"b"}]"#,
            "a b",
            "not_an_event",
            Repaired,
        ),
        (r#"[{"name":"a"}],"more""#, "a", "trailing_data", Complete),
        // Braces that are missing, or too many.
        (r#"[{"name":"a","x":1,{"name":"b"}]"#, "a b", "stray_quote", Complete),
        (r#"[{"name":"a"},{"name":"b","x":1]"#, "a b", "stray_quote", Complete),
        (r#"[{"name":"a"}},{"name":"b"}]"#, "a b", "not_an_event", Repaired),
        // Quotes that are not escaped: one, so that all behind it is turned inside out, and two.
        (
            r#"[{"name":"a "b","x":"]"},{"name":"c"}]"#,
            r#"a "b c"#,
            "repaired_json stray_quote",
            Complete,
        ),
        (
            r#"[{"name":"say "hi" {"},{"name":"c"}]"#,
            r#"say "hi" { c"#,
            "repaired_json stray_quote",
            Complete,
        ),
        // One event a line.
        ("{\"name\":\"a\",\"ph\":\"B\"}\n{\"name\":\"b\",\"ph\":\"E\"}\n", "a b", "", Complete),
        // Objects.
        (r#"{"traceEvents":[{"name":"a"}]}"#, "a", "", Complete),
        (
            r#"{"x":{"y":[1]},"traceEvents":[{"name":"a"}],"traceEvents":[{"name":"b"}]}"#,
            "a b",
            "",
            Complete,
        ),
        (r#"{"traceEvents":[]}"#, "", "", Complete),
        (
            r#"{"traceEvents":[{"name":"a"}],"stackFrames":{"1":{"name":"f"}},"samples":[{"sf":1}]}"#,
            "a",
            "",
            Complete,
        ),
        (r#"{"traceEvents":[{"name":"a"},{"name":"#, "a", "truncated", Truncated),
        (r#"{"traceEvents":[{"name":"a"}"#, "a", "truncated", Truncated),
        (r#"{"traceEvents":[{"name":"a"}],"met"#, "a", "truncated", Truncated),
        (r#"{"traceEvents":[{"name":"a"}]"#, "a", "truncated", Truncated),
        (r#"{"traceEvents":[{"name":"a"}]} 7"#, "a", "trailing_data", Complete),
        // What was appended to a file.
        (r#"{"traceEvents":[{"name":"a"}]} {}"#, "a", "more_documents", Complete),
        (
            "{\"traceEvents\":[{\"name\":\"a\"}]}\n{\"x\":1,\"traceEvents\":[{\"name\":\"b\"}]}",
            "a b",
            "more_documents",
            Complete,
        ),
        (r#"[{"name":"a"}][{"name":"b"}][]"#, "a b", "more_documents", Complete),
        (r#"[{"name":"a"}][{"name":"b"#, "a", "more_documents truncated", Truncated),
    ] {
        let found = read_in_many_ways(document.as_bytes());
        assert_eq!(found.column("trace_event", "name").join(" "), names, "{document}");
        assert_eq!(found.codes().join(" "), codes, "{document}");
        assert_eq!(found.status, status, "{document}");
    }
}

/// A column of a single event.
#[test]
fn members() {
    for (member, column, expected, extra) in [
        (r#""ph":"X""#, "ph", "X", "null"),
        (r#""ph":"XXX""#, "ph", "XXX", "null"),
        (r#""ph":5"#, "ph", "null", r#"{"ph":5}"#),
        (r#""name":"\u00e9\n\ud83d\ude00""#, "name", "é\n😀", "null"),
        (r#""name":null"#, "name", "null", r#"{"name":null}"#),
        (r#""name":5"#, "name", "5", r#"{"name":5}"#),
        ("\"name\":\"a\tb\"", "name", "a\tb", "null"),
        (r#""cat":"a,b""#, "category", "a,b", "null"),
        (r#""ts":1.5"#, "ts", "1500", "null"),
        (r#""ts":1700000000123456.789"#, "ts", "1700000000123456789", "null"),
        (r#""ts":"200.5""#, "ts", "200500", r#"{"ts":"200.5"}"#),
        (r#""ts":null"#, "ts", "null", r#"{"ts":null}"#),
        (r#""ts":1.23456"#, "ts", "1235", r#"{"ts":1.23456}"#),
        (r#""ts":NaN"#, "ts", "null", r#"{"ts":"NaN"}"#),
        (r#""ts":99999999999999999999"#, "ts", "null", r#"{"ts":99999999999999999999}"#),
        (r#""dur":-3"#, "dur", "-3000", "null"),
        (r#""pid":-1"#, "pid", "-1", "null"),
        (r#""pid":140737353889536"#, "pid", "140737353889536", "null"),
        (r#""pid":"Spans""#, "pid_text", "Spans", "null"),
        (r#""pid":"Spans""#, "pid", "null", "null"),
        (r#""tid":"12""#, "tid", "12", "null"),
        (r#""tid":"12""#, "tid_text", "12", "null"),
        (r#""tid":1.0"#, "tid", "1", r#"{"tid":1.0}"#),
        (r#""tid":18446744073709551615"#, "tid", "null", r#"{"tid":18446744073709551615}"#),
        (r#""id":"0x1""#, "id_kind", "id", "null"),
        (r#""id":7"#, "id_kind", "id_number", "null"),
        (r#""id":7.5"#, "id", "7.5", "null"),
        (r#""id":0x100"#, "id", "0x100", "null"),
        (r#""id":{}"#, "id", "null", r#"{"id":{}}"#),
        (r#""id2":{"local":"0x2"}"#, "id_kind", "local", "null"),
        (r#""id2":{"global":"0x2"}"#, "id", "0x2", "null"),
        (r#""id2":{"local":2}"#, "id", "2", r#"{"id2":{"local":2}}"#),
        (r#""id":"1","id2":{"local":"2"}"#, "id", "1", r#"{"id2":{"local":"2"}}"#),
        (r#""bind_id":5"#, "bind_id", "5", r#"{"bind_id":5}"#),
        (r#""scope":"ptr""#, "scope", "ptr", "null"),
        (r#""args":{"a": [1, 2]}"#, "args", r#"{"a": [1, 2]}"#, "null"),
        (r#""args":"__stripped__""#, "args", r#""__stripped__""#, "null"),
        (r#""args":null"#, "args", "null", "null"),
        (r#""args":{"a":NaN,"b":-Infinity,}"#, "args", r#"{"a":"NaN","b":"-Infinity"}"#, "null"),
        (r#""s":"t","bp":"e""#, "args", "null", r#"{"s":"t","bp":"e"}"#),
        (r#""name":"a","name":"b""#, "name", "b", r#"{"name":"a"}"#),
        (r#""sf":1,"stack":["0x1"]"#, "name", "null", r#"{"sf":1,"stack":["0x1"]}"#),
    ] {
        let found = read_in_many_ways(format!("[{{{member}}}]").as_bytes());
        assert_eq!(found.column("trace_event", column), [expected], "{member}");
        assert_eq!(found.column("trace_event", "extra"), [extra], "{member}");
    }
}

#[test]
fn arguments() {
    for (args, expected) in [
        ("{}", ""),
        (r#"{"a":1}"#, "args.a int 1 null"),
        (
            r#"{"a":{"b":[true,{"c":null}]}}"#,
            "args.a.b[0] bool 1 null; args.a.b[1].c null null null",
        ),
        (r#"{"a":{},"b":[]}"#, "args.a json null {}; args.b json null []"),
        (r#"{"a":"x\ny"}"#, "args.a string null x\ny"),
        (r#"{"a":12345678901234567890}"#, "args.a real null 12345678901234567890"),
        (r#"{"a":-9223372036854775808}"#, "args.a int -9223372036854775808 null"),
        (
            r#"{"a":[[1],[2,3]]}"#,
            "args.a[0][0] int 1 null; args.a[1][0] int 2 null; args.a[1][1] int 3 null",
        ),
        (r#"{"a":NaN}"#, "args.a string null NaN"),
        (r#""__stripped__""#, "args string null __stripped__"),
        ("[5]", "args[0] int 5 null"),
    ] {
        let found = read_in_many_ways(format!("[{{\"args\":{args}}}]").as_bytes());
        let columns = ["key", "value_type", "int_value", "string_value"];
        let columns = columns.map(|column| found.column("args", column));
        let rows = (0..columns[0].len()).map(|row| columns.each_ref().map(|c| c[row].clone()));
        let rows: Vec<String> = rows.map(|row| row.join(" ")).collect();
        assert_eq!(rows.join("; "), expected, "{args}");
    }
}

#[test]
fn bytes_that_are_no_utf8_cost_only_themselves() {
    let found = read_in_many_ways(b"[{\"name\":\"a\xffb\"},{\"name\":\"\xc3\xa9\"}]");
    assert_eq!(found.column("trace_event", "name"), ["a\u{fffd}b", "é"]);
    assert_eq!(found.codes(), ["invalid_utf8"]);
}

#[test]
fn nesting_costs_no_stack() {
    let depth = 200_000;
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    let document =
        format!("[{{\"name\":\"a\",\"args\":{{\"x\":{open}{close}}}}},{{\"name\":\"b\"}}]");
    let found = read(&document, 10, 1 << 20);
    assert_eq!(found.column("trace_event", "name"), ["a", "b"]);
    let cut = format!("[{{\"name\":\"a\",\"args\":{{\"x\":{open}");
    assert_eq!(read(&cut, 10, 1 << 20).status, Status::Truncated);
}

/// Events of more bytes than are claimed at a time.
#[test]
fn events_of_any_size() {
    let mut document = String::from("{\"traceEvents\":[");
    for (number, size) in [10, 9 << 20, 100, 3 << 20, 8 << 20, 20 << 20, 5].into_iter().enumerate()
    {
        let data = "x]}\\\"".repeat(size / 5);
        document.push_str(&format!("{{\"name\":\"{number}\",\"args\":{{\"d\":\"{data}\"}}}},\n"));
    }
    document.push_str("]}");
    let found = read(&document, 1000, 1 << 20);
    let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
    assert_eq!(found.column("trace_event", "name"), names);
    assert_eq!(found.status, Status::Complete);
    let lengths: Vec<usize> =
        found.column("args", "string_value").iter().map(String::len).collect();
    assert_eq!(lengths[1], (9 << 20) / 5 * 4);
}

// -------------------------------------------------------------------------------- any bytes

const WHOLE: &str = r#"{"a":[{"b":1}],"stackFrames":{"1":{"name":"main"},"2":{"name":"f","parent":1,"line":"7"}},
  "traceEvents":[
    {"name":"x","cat":"c,d","ph":"X","ts":1.5,"dur":2,"pid":1,"tid":"main","args":{"k":[1,{"z":"}]"}],"u":"\u00e9"}},
    {"ph":"b","id2":{"local":"0x1"},"ts":"3","pid":-1,"tid":2,"sf":2,"name":"say \"hi\""}, {},
    {"ph":"M","name":"thread_name","args":{"name":"t"}},
  ],"samples":[{"ts":1,"sf":2,"weight":1.5,"tid":"9"}],"otherData":{"version":"1"}}"#;

/// Events that are read once more: of a CPU profile and of a memory dump.
const NOTED: &str = r#"{"traceEvents":[
    {"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":2,"ts":5,"args":{"data":{"startTime":7}}},
    {"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":3,"ts":9,"args":{"data":{"cpuProfile":{"nodes":[
      {"id":1,"callFrame":{"functionName":"f","scriptId":1,"codeType":"JS"}},{"id":2,"parent":1,"callFrame":{}}],
      "samples":[1,2],"trace_ids":{"77":2}},"timeDeltas":[1,2],"lines":[3,4],"columns":[5,6]}}},
    {"ph":"I","name":"CpuProfile","args":{"data":{"cpuProfile":{"nodes":[{"id":1}],"samples":[1],"timestamps":[2,3]}}}},
    {"ph":"v","id":"0xd","pid":1,"args":{"dumps":{"level_of_detail":"light","process_totals":{"resident_set_bytes":"1f"},
      "process_mmaps":{"vm_regions":[{"sa":"ff","bs":{"pc":"1"}}]},"allocators_graph":[{"source":"a","target":"b"}],
      "allocators":{"m/x":{"guid":"a","attrs":{"size":{"type":"scalar","units":"bytes","value":"10"}}}}}}}
  ]}"#;

#[test]
fn what_stands_before_a_cut_is_kept() {
    let whole = read_in_many_ways(WHOLE.as_bytes());
    assert_eq!(whole.status, Status::Complete);
    for end in 1..WHOLE.len() {
        if !WHOLE.is_char_boundary(end) {
            continue;
        }
        let cut = read_in_many_ways(&WHOLE.as_bytes()[..end]);
        assert_eq!(cut.status, Status::Truncated, "{end}");
        for (table, rows) in &cut.tables {
            assert!(whole.tables[table].starts_with(rows), "{table} when cut at {end}");
        }
        let before = &WHOLE[..end];
        let ends = ["\"}]\"}],\"u\":\"\\u00e9\"}}", "\\\"hi\\\"\"}", "{\"name\":\"t\"}}"];
        let events = ends.iter().filter(|end| before.contains(**end)).count();
        assert_eq!(cut.column("trace_event", "ph").len(), events, "cut at {end}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_leads_to_no_panic(
        whole in prop::sample::select(vec![WHOLE, NOTED]),
        array in any::<bool>(),
        changes in vec((any::<Index>(), prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            prop::sample::select(vec!["{", "}", "[", "]", "\"", "\\", ",", ":", "-1", "null", "1e99", "NaN", "{\"ph\":",
                "\\ud800", "\"args\":{", "[[[", "\"ts\":", "{}", "1.5", "99999999999999999999", "\u{0}", "\n"])
                .prop_map(|text| text.as_bytes().to_vec()),
            Just(Vec::new()),
        ], 0..12usize), 1..6),
    ) {
        let mut document = whole.as_bytes().to_vec();
        if array {
            document.drain(..whole.find("[\n").unwrap());
        }
        for (at, with, without) in changes {
            let start = at.index(document.len());
            let end = (start + without).min(document.len());
            document.splice(start..end, with);
        }
        read_in_many_ways(&document);
    }

    #[test]
    fn any_tokens_lead_to_no_panic(tokens in vec(prop::sample::select(vec![
        "{", "}", "[", "]", "\"", ",", ":", " ", "\\", "a", "1", "-", "NaN", "\"ph\":", "\"args\":", "\"id2\":", "\"v\"",
        "{\"ph\":\"B\"}", "\"ts\":1", "é", "\"local\":", "\"traceEvents\":[", "\"samples\":[", "\"stackFrames\":{",
    ]), 0..60), start in prop::sample::select(vec!["[", "{", "{\"traceEvents\":[", "[{\"name\":\"x\","])) {
        read_in_many_ways(format!("{start}{}", tokens.concat()).as_bytes());
    }
}
