//! A few seconds of fuzzing: the targets of `fuzz/` with seeds from the corpus, changed at random, but the same in
//! every run. `cargo fuzz` finds more; this runs everywhere, and with `FUZZ_LONGER=20` so many times longer.

mod common;
#[path = "fuzz/rounds.rs"]
mod rounds;
#[path = "fuzz/targets.rs"]
mod targets;

use common::handmade;
use rounds::{fuzz_from, seeds};

/// Pieces of V8 heap snapshots that a change inserts.
const WORDS: [&[u8]; 43] = [
    b"\"snapshot\":{",
    b"\"nodes\":[",
    b"\"edges\":[",
    b"\"strings\":[",
    b"\"trace_tree\":[",
    b"\"locations\":[",
    b"\"samples\":[",
    b"\"trace_function_infos\":[",
    b"\"scopes\":[",
    b"\"scope_context_vars\":[",
    b"\"scope_uses\":[",
    b"\"a\\\"strings\":[",
    b"{",
    b"}",
    b"[",
    b"]",
    b"]}",
    b"]}\n",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\\"",
    b"\\ud83d",
    b"\\u12",
    b"\\q",
    b" ",
    b"\n",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"-",
    b"-1",
    b"1.5",
    b"5.0",
    b"1e3",
    b"null",
    b"x\"1,2\"",
    b"a[1,2]",
    b"18446744073709551615",
    b"99999999999999999999999999",
    b"2147483648",
    b"\xef\xbb\xbf",
];

/// Pieces of CPU and heap profiles.
const PROFILE_WORDS: [&[u8]; 36] = [
    b"\"nodes\":[",
    b"\"head\":{",
    b"\"children\":[",
    b"\"callFrame\":{",
    b"\"positionTicks\":[",
    b"\"samples\":[",
    b"\"timeDeltas\":[",
    b"\"timestamps\":[",
    b"\"frames\":[",
    b"\"stacks\":[",
    b"\"resources\":[",
    b"\"trace\":{",
    b"\"id\":2,",
    b"\"parent\":1,",
    b"\"parentId\":0,",
    b"\"hitCount\":5,",
    b"\"selfSize\":5,",
    b"\"endTime\":-1,",
    b"{",
    b"}",
    b"[",
    b"]",
    b"]}",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\n",
    b"\xff",
    b"-1",
    b"1.5",
    b"1e3",
    b"null",
    b"4294967295",
    b"18446744073709551615",
    b"\xef\xbb\xbf",
];

/// Pieces of pprof: fields of the profile and of its messages, short, empty and cut.
const PPROF_WORDS: [&[u8]; 18] = [
    b"\x0a\x04\x08\x01\x10\x02",
    b"\x12\x07\x0a\x02\x01\x02\x12\x01\x05",
    b"\x12\x06\x08\x01\x10\x07\x10\x08",
    b"\x12\x08\x1a\x06\x08\x01\x10\x02\x18\x03",
    b"\x1a\x04\x08\x01\x28\x02",
    b"\x22\x08\x08\x01\x22\x04\x08\x01\x10\x02",
    b"\x22\x02\x08\x02",
    b"\x2a\x04\x08\x01\x10\x02",
    b"\x32\x00",
    b"\x32\x02\xff\xff",
    b"\x48\x07",
    b"\x6a\x02\x01\x02",
    b"\x70\x02",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x12\xff\x7f",
    b"\x0b",
    b"\x00",
    b"\x80",
];

/// Pieces of JavaScriptCore heap snapshots.
const JSC_WORDS: [&[u8]; 28] = [
    b"\"version\":2,",
    b"\"type\":\"Inspector\",",
    b"\"type\":\"GCDebugging\",",
    b"\"nodes\":[",
    b"\"edges\":[",
    b"\"nodeClassNames\":[",
    b"\"edgeNames\":[",
    b"\"edgeTypes\":[",
    b"\"labels\":[",
    b"\"Function\"",
    b"0,0,0,0,",
    b"12,20,0,0,",
    b"20,12,3,1,",
    b"7,99,2,4294967295,",
    b"\"0x0\",",
    b"{",
    b"}",
    b"[",
    b"]",
    b"]}",
    b",",
    b"\"",
    b"-1",
    b"1.5",
    b"null",
    b"4294967296",
    b"18446744073709551615",
    b"99999999999999999999999999",
];

/// Pieces of traces.
const TRACE_WORDS: [&[u8]; 64] = [
    b"\"traceEvents\":[",
    b"\"systemTraceEvents\":\"# tracer: nop\\n",
    b" x-7 (5) [0] 1.5: print: B|5|a\\n",
    b" x-7 [0] 1.6: print: E\\n",
    b"\"stackFrames\":{",
    b"\"samples\":[",
    b"\"ph\":\"B\",",
    b"\"ph\":\"E\",",
    b"\"ph\":\"X\",",
    b"\"ph\":\"b\",",
    b"\"ph\":\"e\",",
    b"\"ph\":\"n\",",
    b"\"ph\":\"S\",",
    b"\"ph\":\"T\",",
    b"\"ph\":\"p\",",
    b"\"ph\":\"F\",",
    b"\"ph\":\"s\",",
    b"\"ph\":\"f\",",
    b"\"ph\":\"C\",",
    b"\"ph\":\"M\",",
    b"\"ph\":\"N\",",
    b"\"ph\":\"O\",",
    b"\"ph\":\"D\",",
    b"\"ph\":\"(\",",
    b"\"ph\":\")\",",
    b"\"ts\":9223372036854775.807,",
    b"\"ts\":-5,",
    b"\"dur\":1e300,",
    b"\"dur\":7,",
    b"\"id\":1,",
    b"\"id2\":{\"local\":\"1\"},",
    b"\"bind_id\":\"1\",\"flow_out\":true,",
    b"\"args\":{\"name\":\"x\"},",
    b"\"args\":{\"snapshot\":{\"a\":[1]}},",
    b"\"ph\":\"v\",",
    b"\"ph\":\"V\",",
    b"\"ph\":\"P\",\"name\":\"Profile\",",
    b"\"ph\":\"P\",\"name\":\"ProfileChunk\",",
    b"\"args\":{\"dumps\":{",
    b"\"args\":{\"data\":{",
    b"\"cpuProfile\":{\"nodes\":[",
    b"{\"id\":3,\"parent\":1,\"callFrame\":{}},",
    b"\"timeDeltas\":[",
    b"\"trace_ids\":{\"7\":1},",
    b"\"process_totals\":{",
    b"\"vm_regions\":[",
    b"\"allocators\":{\"m\":{",
    b"\"attrs\":{\"size\":{",
    b"\"value\":\"1f\",",
    b"\"allocators_graph\":[",
    b"\"pid\":\"x\",",
    b"NaN",
    b"{",
    b"}",
    b"[",
    b"]",
    b"},{",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\n",
    b"\xff",
    b"\xef\xbb\xbf",
];

/// Pieces of ftrace text.
const FTRACE_WORDS: [&[u8]; 30] = [
    b"# tracer: nop\n",
    b"# entries-in-buffer/entries-written: 4/5   #P:4\n",
    b"TRACE:\n",
    b"CPU:1 [LOST 5 EVENTS]\n",
    b"sched_switch: prev_comm=a prev_pid=1 prev_prio=1 prev_state=S ==> next_comm=b next_pid=2 next_prio=1\n",
    b"sched_waking: comm=a pid=1 prio=1\n",
    b"sched_wakeup_new: comm=a pid=1 prio=1\n",
    b"sched_blocked_reason: pid=1 iowait=1 caller=f\n",
    b"trace_event_clock_sync: parent_ts=9999999999.5\n",
    b"trace_event_clock_sync: name=x\n",
    b"print: ",
    b"tracing_mark_write: ",
    b"B|5|a",
    b"E|5",
    b"S|5|a|1",
    b"F|5|a|1",
    b"G|5|t|a|1",
    b"H|5|t|1",
    b"C|5|a|1.5",
    b"N|5|t|a",
    b"|k=v|c",
    b" x-7 (    5) [000] d..3 9223372036.854775807: ",
    b" x-7 (-----) [000] .... 1.5: ",
    b"\n",
    b"\\n",
    b"\\n\\\n",
    b"\"",
    b"\\u00",
    b"\xff",
    b"\r\n",
];

fn fuzz(target: fn(&[u8]), rounds: usize) {
    let seeds = handmade().into_values();
    fuzz_from(seeds.collect(), &WORDS, target, rounds);
}

#[test]
fn snapshot_text() {
    fuzz(targets::snapshot_text, 10_000);
}

#[test]
fn snapshot_id() {
    fuzz(targets::snapshot_id, 10_000);
}

#[test]
fn survey() {
    fuzz(targets::survey, 10_000);
}

#[test]
fn sniff() {
    fuzz(targets::sniff, 10_000);
}

#[test]
fn profile() {
    fuzz_from(seeds("profiles"), &PROFILE_WORDS, targets::profile, 5_000);
}

#[test]
fn pprof() {
    fuzz_from(seeds("pprof"), &PPROF_WORDS, targets::pprof, 5_000);
}

#[test]
fn jsc() {
    fuzz_from(seeds("jsc"), &JSC_WORDS, targets::jsc, 5_000);
}

/// The events of all phases that recordings have, and what stands around them.
#[test]
fn trace() {
    let seeds: [&[u8]; 6] = [
        br#"{"displayTimeUnit":"ms","traceEvents":[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"main"}},
            {"ph":"B","ts":1,"pid":1,"tid":2,"name":"a","cat":"c"},{"ph":"X","ts":2,"dur":3.5,"pid":1,"tid":2,"name":"b","args":{"x":[1,{"y":null}]}},
            {"ph":"E","ts":"9","pid":1,"tid":2}],"stackFrames":{"1":{"name":"f","parent":2}},"samples":[{"cpu":0,"tid":1,"ts":1,"name":"s","sf":1}]}"#,
        br#"[{"ph":"b","ts":1,"id":"0x1","cat":"c","pid":1,"name":"o"},{"ph":"e","ts":2,"id":"0x1","cat":"c","pid":1,"name":"o"},
            {"ph":"s","ts":1,"id":1,"pid":1,"tid":1},{"ph":"f","bp":"e","ts":2,"id":1,"pid":1,"tid":1},{"ph":"C","ts":1,"pid":1,"name":"n","args":{"x":1,"y":"2.5"}},
            {"ph":"N","ts":1,"id":5,"pid":1,"name":"t"},{"ph":"O","ts":2,"id":5,"pid":1,"name":"t","args":{"snapshot":{"id_ref":5}}}"#,
        br#"{"systemTraceEvents":"\u0023 tracer: nop\n x-7 (  5) [000] .... 1.5: print: trace_event_clock_sync: parent_ts=2.5\n x-7 [000] 1.6: print: B|5|a\n","traceEvents":[{"ph":"i","ts":1,"pid":5,"tid":7}]}"#,
        b"{\"ph\":\"X\",\"ts\":1,\"dur\":1}\n{\"ph\":\"i\",\"ts\":2}\n",
        // Events that are read once more: those of CPU profiles and of memory dumps.
        br#"[{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":2,"ts":5,"args":{"data":{"startTime":7}}},
            {"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":3,"ts":9,"args":{"data":{"cpuProfile":{"nodes":[
            {"id":1,"callFrame":{"functionName":"f","scriptId":1,"codeType":"JS"}},{"id":2,"parent":1,"callFrame":{}}],
            "samples":[1,2],"trace_ids":{"77":2}},"timeDeltas":[1,2],"lines":[3,4],"columns":[5,6]}}},
            {"ph":"I","name":"CpuProfile","args":{"data":{"cpuProfile":{"nodes":[{"id":1}],"samples":[1],"timestamps":[2,3]}}}}]"#,
        br#"{"traceEvents":[{"ph":"v","id":"0xd","pid":1,"ts":3,"args":{"dumps":{"level_of_detail":"light",
            "process_totals":{"resident_set_bytes":"1f","peak_resident_set_bytes":"2f"},"process_mmaps":{"vm_regions":[
            {"sa":"ff","sz":"1000","mf":"/a","pf":7,"bs":{"pc":"1","pd":"2"}}]},"allocators_graph":[{"source":"a","target":"b",
            "importance":1,"type":"ownership"}],"allocators":{"m/x":{"guid":"a","attrs":{"size":{"type":"scalar","units":"bytes",
            "value":"10"},"n":{"type":"string","units":"","value":"s"}}}}}}},{"ph":"V","id":"0xd","pid":1,"ts":4,
            "args":{"dumps":{"allocators":{"global/x":{"guid":"b","attrs":{"size":{"type":"scalar","units":"bytes","value":"10"}}}}}}}]}"#,
    ];
    fuzz_from(seeds.map(Vec::from).into(), &TRACE_WORDS, targets::trace, 5_000);
}

#[test]
fn ftrace() {
    fuzz_from(seeds("ftrace"), &FTRACE_WORDS, targets::ftrace, 2_000);
}

/// What `cargo fuzz` found, and what of that must not come again.
#[test]
fn found_before() {
    for data in FOUND {
        targets::snapshot_text(data);
        targets::snapshot_id(data);
        targets::survey(data);
        targets::sniff(data);
    }
}

#[test]
fn found_in_profiles_before() {
    // A node that was not whole was taken back, its lines were not.
    targets::profile(
        b"{\"nodes\":[{\"id\":1,\"positionTicks\":[{\"line\":1,\"ticks\":1}],\"hitCount",
    );
}

const FOUND: &[&[u8]] = &[
    // A quote in the tree began a string for those who pass over it, but not for those who read it.
    b"{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\"],\"edge_fields\":[\"type\"]}},\"nodes\":[],\"edges\":[],\
        \"trace_tree\":[1,0,0\",0,[]],\"strings\":[\"a\"]}",
    // The first bytes of a byte order mark, and a key too long for a section, told too much.
    b"\xef\xbb\xbf{\"snapshot\":{",
    b"{\"0123456789012345678901234567890123456789012345678901234567890123456789\":{",
];
