//! Files that are not quite what they should be: read as they were meant, or called by their name.

use super::Folder;
use serde_json::{Value, json};
use std::fs;

const EVENTS: &str = r#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":10},{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":3}]"#;

fn utf16(text: &str, is_big_endian: bool) -> Vec<u8> {
    let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
    units
        .flat_map(|unit| if is_big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

/// Each file, and the repair that its log names.
#[test]
fn traces_in_other_clothes_are_read() {
    let messages = r#"{"id":1,"result":{}}
{"method":"Tracing.dataCollected","params":{"value":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":10}]}}
{"method":"Tracing.dataCollected","params":{"value":[{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":3}]}}
{"method":"Tracing.tracingComplete","params":{"dataLossOccurred":false}}
"#;
    let [first, second] = [
        "a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":10",
        "b\",\"pid\":1,\"tid\":1,\"ts\":2,\"dur\":3",
    ]
    .map(|members| format!("[{{\"ph\":\"X\",\"name\":\"{members}}}]"));
    for (name, content, code) in [
        ("UTF-16", utf16(EVENTS, false), None),
        ("UTF-16, the other way", utf16(EVENTS, true), None),
        (
            "kubectl exec",
            format!("Defaulted container \"app\" out of: app, proxy\n{EVENTS}").into_bytes(),
            Some("leading_text"),
        ),
        (
            "curl -i",
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{EVENTS}")
                .into_bytes(),
            Some("leading_text"),
        ),
        (
            "the answer of a protocol",
            format!("{{\"id\":7,\"result\":{{\"traceEvents\":{EVENTS}}}}}").into_bytes(),
            None,
        ),
        ("appended", format!("{first}{second}").into_bytes(), Some("more_documents")),
        (
            "appended objects",
            format!("{{\"traceEvents\":{first}}}\n{{\"traceEvents\":{second}}}\n").into_bytes(),
            Some("more_documents"),
        ),
        ("messages of DevTools", messages.into(), Some("more_documents")),
    ] {
        let folder = Folder::new();
        fs::write(folder.0.path().join("trace.json"), content).unwrap();
        let report = folder.json(&["summary", "trace.json", "--json"]);
        let slices = super::list(&report, "slices").iter();
        let slices: Vec<Value> = slices.map(|s| json!([s["name"], s["self_time_ns"]])).collect();
        assert_eq!(json!(slices), json!([["a", 7_000], ["b", 3_000]]), "{name}");
        let codes = report["issues"].as_array().unwrap().iter().map(|issue| issue["code"].clone());
        assert!(codes.into_iter().eq(code.map(Value::from)), "{name}: {}", report["issues"]);
    }
}

/// Both forms of `trace-cmd report`.
#[test]
fn the_text_of_trace_cmd_is_ftrace_text() {
    let raw = |prev: &str, next: &str, state: &str| {
        let [prev, next] = [prev, next].map(|task| task.split_once(':').unwrap());
        format!(
            "prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
            prev.0, prev.1, next.0, next.1
        )
    };
    let report = |prev: &str, next: &str, state: &str| {
        format!("        {prev} [120] {state} ==> {next} [120]")
    };
    for args in [raw, report] as [fn(&str, &str, &str) -> String; 2] {
        let text = format!(
            "cpus=2\nCPU 1 is empty\n          <idle>-0     [000]  1000.100000: sched_switch: {}\n             app-77    [000]  1000.105000: sched_switch: {}\n",
            args("swapper/0:0", "app:77", "R"),
            args("app:77", "swapper/0:0", "S"),
        );
        let folder = Folder::new();
        folder.write("report.txt", &text);
        let report = folder.json(&["summary", "report.txt", "--json"]);
        assert_eq!(super::list(&report, "cpus")[0]["busy_ns"], 5_000_000, "{text}");
        assert_eq!(report["issues"], json!([]), "{text}");
    }
}

#[test]
fn what_is_not_read_is_called_by_its_name() {
    for (name, content, expected) in [
        (
            "trace.json.xz",
            &b"\xfd7zXZ\0\0\x04"[..],
            "an xz stream; decompress it first: `xz -dk FILE`",
        ),
        ("trace.json.br", b"\x1b\xff\xff", "a brotli stream, by its name"),
        ("app.jfr", b"FLR\0\0\x02\0\0", "Java Flight Recorder"),
        ("v8.log", b"v8-version,12,4,254,21,-node.33,0\n", "a log of V8's --prof"),
        (
            "a.speedscope.json",
            b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"profiles\":[]}",
            "a speedscope file",
        ),
    ] {
        let folder = Folder::new();
        fs::write(folder.0.path().join(name), content).unwrap();
        let error = folder.failure(&["summary", name]);
        assert!(error.contains(expected), "{error}");
    }
    // Messages that hold nothing.
    let folder = Folder::new();
    folder.write("log.json", r#"[{"method":"Network.dataReceived","params":{"requestId":"1"}}]"#);
    let error = folder.failure(&["summary", "log.json"]);
    assert!(error.contains("found messages that hold no heap, profile or trace"), "{error}");
}

#[test]
fn the_summary_says_how_idle_a_gpu_was() {
    let folder = Folder::new();
    folder.write(
        "rank0.json",
        r#"{"traceEvents":[
{"ph":"M","name":"process_labels","pid":0,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7 "}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":400},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":400,"dur":200},
{"ph":"X","cat":"gpu_memcpy","name":"m","pid":0,"tid":7,"ts":600,"dur":200},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":900,"dur":100}]}"#,
    );
    let report = folder.json(&["summary", "rank0.json", "--json"]);
    let numbers = json!({
        "count": 3, "busy_ns": 700_000, "idle_ns": 300_000, "gap_count": 2, "gap_p95_ns": 200_000,
        "longest_gap_ns": 200_000,
    });
    let found = super::list(&report, "gpus");
    assert_eq!(found.len(), 2, "{found:?}");
    for (row, stream) in found.iter().zip(["all streams", "stream 7"]) {
        let mut expected = numbers.clone();
        expected["process_name"] = json!("GPU 0");
        expected["thread_name"] = json!(stream);
        assert_eq!(*row, expected);
    }
}
