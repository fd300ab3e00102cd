//! Words of the formats themselves. They stay at every level, also if `--deny` matches them: without them nothing could
//! read a copy. A key that a reader needs and that is not here is lost at `names` and `full`.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use heapquarry_formats::heap;
use std::sync::LazyLock;

/// Keys and types of heap snapshots, keys of profiles, and keys of traces. The sections of snapshots and the fields of
/// their records are those that the reader of heaps knows ([`heap::words`]).
#[rustfmt::skip]
const WORDS: &[&str] = &[
    // The members of a snapshot's header, besides those that list fields.
    "snapshot", "meta", "node_types", "edge_types", "node_count", "edge_count",
    "trace_function_count", "extra_native_bytes", "root_index",
    // Types of nodes and edges.
    "hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native",
    "synthetic", "concatenated string", "sliced string", "symbol", "bigint", "object shape",
    "wasm object", "framework", "jsobject", "lexical environment", "context", "element", "property",
    "internal", "shortcut", "weak", "string_or_number", "node",
    // Profiles.
    "cpuProfile", "head", "callFrame", "functionName", "url", "lineNumber", "columnNumber",
    "scriptId", "hitCount", "positionTicks", "ticks", "deoptReason", "selfSize", "nodeId",
    "ordinal", "startTime", "endTime", "timeDeltas", "timestamps", "lines", "columns", "trace_ids",
    "frames", "resources", "stacks", "resourceId", "parentId", "frameId", "stackId", "timestamp",
    "marker", "sampleInterval", "timeOrigin",
    // Of the first V8, VS Code and ArkTS.
    "title", "uid", "typeId", "callUID", "bailoutReason", "$vscode", "locationId", "rootPath",
    "moduleName", "gcTime", "cInterpreterTime", "asmInterpreterTime", "aotTime", "builtinTime",
    "napiTime", "arkuiEngineTime", "runtimeTime", "otherTime",
    // Traces.
    "traceEvents", "ph", "ts", "dur", "tts", "tdur", "pid", "tid", "cat", "args", "s", "id2",
    "local", "global", "bp", "bind_id", "flow_in", "flow_out", "scope", "sf", "esf",
    "use_async_tts", "stackFrames", "category", "parent", "metadata", "otherData",
    "systemTraceEvents", "displayTimeUnit", "schemaVersion", "deviceProperties", "traceName",
    // PyTorch: what HTA and the plugin of TensorBoard read.
    "baseTimeNanoseconds", "distributedInfo", "backend", "rank", "world_size", "pg_count",
    "pg_config", "pg_name", "pg_desc", "backend_config", "pg_size", "ranks", "nccl_version",
    "totalGlobalMem", "computeMajor", "computeMinor", "maxThreadsPerBlock",
    "maxThreadsPerMultiprocessor", "regsPerBlock", "regsPerMultiprocessor", "warpSize",
    "sharedMemPerBlock", "sharedMemPerBlockOptin", "sharedMemPerMultiprocessor", "numSms",
    "maxGridHeight", "maxGridWidth", "runtimeMajorVersion", "runtimeMinorVersion",
    "record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules",
    "cuda_runtime_version", "cuda_driver_version",
    // Of further trace viewers.
    "sort_index", "cpu", "weight", "comm", "in", "out", "state", "prio",
];

/// Whether a format has this word as a key, or for a field or type of its records.
pub(crate) fn is_of_format(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str, FixedState>> =
        LazyLock::new(|| WORDS.iter().copied().chain(heap::words()).collect());
    ALL.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Level, Rules, audit, redact};
    use heapquarry_formats::Format;

    #[test]
    fn keys_that_no_format_has_are_names() {
        let profile = r#"{"nodes":[],"customer_bob":{"callFrame":1,"length":2,"kept_1":3}}"#;
        for (level, gone) in [(Level::Values, 0), (Level::Names, 1), (Level::Full, 1)] {
            let mut rules = Rules::new(level, [3; 16]).keep("kept_*");
            let mut copy = Vec::new();
            redact(Format::CpuProfile, &profile.as_bytes(), &mut rules, 1, &mut copy).unwrap();
            let copy = String::from_utf8(copy).unwrap();
            assert_eq!(rules.replaced(), gone, "{copy}");
            assert_eq!(copy.contains("bob"), gone == 0, "{copy}");
            for kept in ["nodes", "callFrame", "length", "kept_1"] {
                assert!(copy.contains(kept), "{copy}");
            }
        }
    }

    #[test]
    fn phases_of_events_stay() {
        for phase in ["X", "(", ")", "=", "R", "v", "V"] {
            let trace = format!(r#"[{{"ph":"{phase}","name":"customer_bob"}}]"#);
            let mut copy = Vec::new();
            let mut rules = Rules::new(Level::Full, [3; 16]);
            redact(Format::Trace, &trace.as_bytes(), &mut rules, 1, &mut copy).unwrap();
            let copy = String::from_utf8(copy).unwrap();
            assert!(
                copy.contains(&format!(r#""ph":"{phase}""#)) && !copy.contains("bob"),
                "{copy}"
            );
        }
    }

    #[test]
    fn what_is_denied_leaves_the_words_of_the_format() {
        let heap = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],
            "node_types":[["object","synthetic","odd"]],"edge_fields":["type","name_or_index","to_node"],
            "edge_types":[["property"]]},"node_count":1,"edge_count":0,"oddity":1},
            "nodes":[0,0,1,8,0],"edges":[],"strings":["node"]}"#;
        let profile = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"node"},"odd":"nodes"}]}"#;
        let trace = r#"{"traceEvents":[{"ph":"X","name":"node","args":{"odd":1,"nodes":2}}]}"#;
        for (format, document, kept, gone) in [
            (Format::Heap, heap, 10, 3),
            (Format::CpuProfile, profile, 1, 3),
            (Format::Trace, trace, 1, 3),
        ] {
            let is_denied =
                |text: &&str| ["odd", "node", "edge", "ph"].iter().any(|part| text.contains(part));
            let words = |text: &str| -> Vec<String> {
                text.split('"').skip(1).step_by(2).filter(is_denied).map(Into::into).collect()
            };
            let mut rules = Rules::new(Level::Values, [3; 16]).deny("odd|node|edge|ph").unwrap();
            let mut copy = Vec::new();
            let done = redact(format, &document.as_bytes(), &mut rules, 1, &mut copy).unwrap();
            let copy = String::from_utf8(copy).unwrap();
            assert!(done.cut.is_none() && rules.replaced() == gone, "{format:?}: {copy}");
            let left = words(&copy);
            assert!(left.len() == kept && left.iter().all(|word| is_of_format(word)), "{left:?}");
            assert_eq!(words(document).len() as u64, left.len() as u64 + gone, "{format:?}");
            // The audit takes the same words for those of the format.
            let (hits, _) = audit(format, &copy.as_bytes(), &rules).unwrap();
            assert!(hits.is_empty(), "{format:?}: {hits:?}");
        }
    }
}
