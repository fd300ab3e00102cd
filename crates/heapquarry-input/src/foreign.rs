//! Formats that are not read, but can be told: what they are called, and what makes a file of them that is read.

/// Bytes of the beginning that are looked at.
pub(crate) const HEAD: usize = 4 << 10;

/// Unique to traces of Perfetto: the marker that begins each of their sequences (`kSyncMarker`).
const PERFETTO_MARK: &[u8] = b"\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d\x57\xa0\x79";

/// Beginnings of files, and what they are.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "an xz stream; decompress it first: `xz -dk FILE`"),
    (b"BZh", "a bzip2 stream; decompress it first: `bzip2 -dk FILE`"),
    (b"\x04\x22\x4d\x18", "an LZ4 stream; decompress it first: `lz4 -dk FILE`"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first: `7z x FILE`"),
    (
        b"FLR\0",
        "a recording of Java Flight Recorder (JFR); async-profiler's `jfrconv` writes pprof",
    ),
    (
        b"PERFILE2",
        "a recording of Linux perf; perf_to_profile writes pprof: `perf_to_profile -i FILE -o FILE.pb`",
    ),
    (
        b"\x17\x08\x44tracing",
        "a trace.dat file of trace-cmd; `trace-cmd report -R FILE` writes text",
    ),
    (b"Nettrace", "a trace of .NET; `dotnet-trace convert --format Chromium FILE` writes JSON"),
    (
        b"\x10\x00\x04FxT\x16\x00",
        "a Fuchsia trace (FXT); Perfetto's `traceconv json FILE` writes JSON",
    ),
    (b"v8-version,", "a log of V8's --prof; `node --cpu-prof` records a CPU profile instead"),
    (
        b"heap profile:",
        "a heap profile of pprof's old text form; `go tool pprof -proto FILE` writes pprof",
    ),
    (
        b"goroutine profile:",
        "goroutines in pprof's text form; `go tool pprof -proto FILE` writes pprof",
    ),
    (b"--- heap", "a profile of pprof's old text form; `go tool pprof -proto FILE` writes pprof"),
    (
        b"--- contention",
        "a profile of pprof's old text form; `go tool pprof -proto FILE` writes pprof",
    ),
    (b"--- threadz", "threads in pprof's old text form; `go tool pprof -proto FILE` writes pprof"),
    (b"# callgrind format", "a profile of Callgrind, which KCachegrind opens"),
    (b"JAVA PROFILE 1.0.", "a heap dump of Java (HPROF), which Eclipse Memory Analyzer opens"),
    (b"\xc1\x1f\xfc\xc1", "a stream of the Common Trace Format (CTF), which `babeltrace2` prints"),
    (b"\xc1\xfc\x1f\xc1", "a stream of the Common Trace Format (CTF), which `babeltrace2` prints"),
    (b"# austin: ", "samples of Austin; `austin2pprof FILE OUT` writes pprof"),
    (b"# Elapsed time   CPU (%)", "a log of psrecord; `heapquarry watch --pid PID` samples memory"),
    (b"# ninja log v", "a log of Ninja; `ninjatracing FILE` writes a trace"),
    (
        b"[{\"id\":1,\"intrinsicName\"",
        "types of TypeScript's --generateTrace; the trace is the file trace.json beside it",
    ),
];

/// Keys within the beginning of JSON, all of which must be there, and what they show.
const KEYS: &[(&[&str], &str)] = &[
    (
        &["www.speedscope.app/file-format-schema.json"],
        "a speedscope file; record as pprof or for Chrome instead",
    ),
    (
        &["\"preprocessedProfileVersion\""],
        "a profile of Firefox (Gecko), which profiler.firefox.com opens",
    ),
    (
        &["\"meta\"", "\"interval\"", "\"libs\""],
        "a profile of Firefox (Gecko), which profiler.firefox.com opens",
    ),
    (&["\"dhatFileVersion\""], "a profile of DHAT, which Valgrind's dh_view.html opens"),
    (
        &["\"constants\"", "\"logEventTypes\""],
        "a network log of Chromium (netlog), which netlog-viewer opens",
    ),
    (
        &["\"CpuSamples\"", "\"samplePeriod\""],
        "CPU samples of a Dart VM, which Flutter's DevTools opens",
    ),
    (&["\"dataForRoots\""], "a profile of React, which React's DevTools opens"),
    (
        &["\"lighthouseVersion\""],
        "a report of Lighthouse; `lighthouse --save-assets` writes its trace",
    ),
    (
        &["\"verb\":\"watch\"", "\"inputs\""],
        "the answer of `heapquarry watch --json`, which has no samples; `heapquarry watch -o DIR` writes them, and \
         `heapquarry check DIR` reads them",
    ),
    (
        &["\"verb\":\"", "\"inputs\":[", "\"caveats\":["],
        "an answer of heapquarry (`--json`); ask the input that it is about",
    ),
    (&["\"resourceSpans\"", "\"scopeSpans\""], "spans of OpenTelemetry, which Jaeger opens"),
    (
        &["\"log\"", "\"creator\"", "\"version\""],
        "an archive of HTTP requests (HAR), which the network panel of DevTools opens",
    ),
    (&["\"hasMozMallocUsableSize\""], "a memory report of Firefox, which about:memory opens"),
    (&["\"alloc_samples\""], "a profile of Scalene; `scalene view FILE` opens it"),
    (
        &["\"total_num_allocations\"", "\"allocation_size_histogram\""],
        "statistics of Memray, which has no stacks in them",
    ),
    (
        &["\"sample_count\"", "\"root_frame\""],
        "a session of Pyinstrument; `pyinstrument --load FILE` opens it",
    ),
    (
        &["\"timestamp\"", "\"level\"", "\"target\":\"rspack"],
        "a log of Rspack; `node --cpu-prof` records a CPU profile of its build instead",
    ),
];

/// Says what content with that beginning is; `None` if it cannot be told.
pub(crate) fn describe(head: &[u8]) -> Option<&'static str> {
    // It is packed with LZ4, whose first block begins with text as it is.
    if memchr::memmem::find(&head[..head.len().min(32)], b"memray\0").is_some() {
        return Some("a recording of Memray, which `memray flamegraph FILE` draws");
    }
    let of_magic = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
    if let Some((_, what)) = of_magic {
        return Some(what);
    }
    if is_perfetto(head) {
        return Some("a Perfetto trace (protobuf); Perfetto's `traceconv json FILE` writes JSON");
    }
    let has = |key: &&str| memchr::memmem::find(head, key.as_bytes()).is_some();
    if head.trim_ascii_start().starts_with(b"{") {
        return KEYS.iter().find(|(keys, _)| keys.iter().all(has)).map(|(_, what)| *what);
    }
    let text = String::from_utf8_lossy(head);
    if is_perf_script(&text) {
        return Some(
            "text of `perf script`; perf_to_profile writes pprof from the recording itself",
        );
    }
    are_stacks(&text).then_some("collapsed stacks, which speedscope.app opens")
}

/// Whether packets (`Trace.packet`, field 1) follow one another, of which one has Perfetto's mark or three are whole.
fn is_perfetto(head: &[u8]) -> bool {
    let has_mark = memchr::memmem::find(head, PERFETTO_MARK).is_some();
    let (mut rest, mut packets) = (head, 0);
    while let [b'\n', body @ ..] = rest {
        let bytes = body.iter().take(4).position(|byte| byte & 0x80 == 0);
        let Some(last) = bytes else { return false };
        let length =
            body[..=last].iter().rev().fold(0, |n, byte| n << 7 | usize::from(byte & 0x7f));
        packets += 1;
        match body.get(last + 1 + length..) {
            Some(next) if length > 0 => rest = next,
            // The packet is longer than what is known.
            None => return has_mark,
            Some(_) => return false,
        }
    }
    packets > 0 && (has_mark || packets >= 3 && rest.is_empty())
}

/// Whether each line is `function;function COUNT`, as tools for flame graphs take them. The last line may be cut.
fn are_stacks(text: &str) -> bool {
    let is_stack = |line: &str| {
        line.trim_end().rsplit_once(' ').is_some_and(|(stack, count)| {
            stack.contains(';') && !stack.contains('{') && count.parse::<u64>().is_ok()
        })
    };
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    !whole.is_empty() && whole.lines().all(is_stack)
}

/// Whether the first line is `name PID [CPU] TIME: COUNT EVENT:` and the second a frame, as `perf script` prints them.
fn is_perf_script(text: &str) -> bool {
    let mut lines = text.lines();
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let is_time = |word: &str| {
        word.strip_suffix(':')
            .and_then(|time| time.split_once('.'))
            .is_some_and(|(s, us)| s.parse::<u64>().is_ok() && us.parse::<u64>().is_ok())
    };
    let is_frame = second.starts_with(['\t', ' '])
        && second.split_whitespace().next().is_some_and(|at| u64::from_str_radix(at, 16).is_ok());
    is_frame && first.trim_end().ends_with(':') && first.split_whitespace().skip(2).any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_others_are_named() {
        let perfetto = [&b"\x0a\x12\xa2\x02\x0f"[..], PERFETTO_MARK, b"\x0a\x02\x50\x01"].concat();
        for (head, expected) in [
            (&b"\xfd7zXZ\0\0\x04"[..], Some("an xz stream")),
            (b"BZh91AY&SY", Some("a bzip2 stream")),
            (&perfetto, Some("a Perfetto trace")),
            (b"\x0a\x02\x50\x01\x0a\x02\x50\x01\x0a\x02\x50\x01", Some("a Perfetto trace")),
            (b"\n\nhello\n", None),
            (b"FLR\0\0\x02", Some("a recording of Java Flight Recorder")),
            (b"v8-version,12,4,254,21", Some("a log of V8's --prof")),
            (b"heap profile: 1: 2 [3: 4] @ heap/1048576", Some("a heap profile of pprof's old")),
            (
                b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"",
                Some("a speedscope"),
            ),
            (b"{\"meta\":{\"interval\":1,\"x\":1},\"libs\":[]", Some("a profile of Firefox")),
            (b"{\"dhatFileVersion\":2", Some("a profile of DHAT")),
            (b" {\"constants\":{\"logEventTypes\":{}", Some("a network log")),
            (
                b"node 77 [001] 1000.5:  250000 cycles:u: \n\t  55d0c0de main (/usr/bin/node)\n",
                Some("text of `perf script`"),
            ),
            (b"node 77 1000.5:  250000 cycles:u: \nhello", None),
            (b"{\"x\":1}", None),
            (
                b"{\"version\":2,\"verb\":\"watch\",\"inputs\":[\"9229\"]",
                Some("the answer of `heapquarry watch"),
            ),
            (
                b"{\"version\":2,\"verb\":\"summary\",\"inputs\":[\"a\"],\"caveats\":[]",
                Some("an answer of heapquarry"),
            ),
            (b"# callgrind format\nversion: 1\n", Some("a profile of Callgrind")),
            (b"JAVA PROFILE 1.0.2\0", Some("a heap dump of Java")),
            (b"\xc1\x1f\xfc\xc1\0", Some("a stream of the Common Trace Format")),
            (b"# austin: 3.6.0\n# interval: 100\n", Some("samples of Austin")),
            (b"# ninja log v5\n0\t10\t0\ta.o\tdead\n", Some("a log of Ninja")),
            (
                b"\x04\x22\x4d\x18\x40\x40\xc0\x3a\x3b\0\0\xf9\x05memray\0\x0d",
                Some("a recording of Memray"),
            ),
            (b"\x04\x22\x4d\x18\x40\x40\xc0\x3a\x3b\0\0\xf9\x05other", Some("an LZ4 stream")),
            (b"# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)\n", Some("a log of psrecord")),
            (
                b"{\n \"alloc_samples\": 4,\n \"args\": [],\n \"async_profile\": true",
                Some("a profile of Scalene"),
            ),
            (
                b"{\"total_num_allocations\":1,\"allocation_size_histogram\":[",
                Some("statistics of Memray"),
            ),
            (
                b"{\"start_time\":1.5,\"sample_count\":9,\"root_frame\":{",
                Some("a session of Pyinstrument"),
            ),
            (
                b"{\"timestamp\":\"2026-11-26\",\"level\":\"INFO\",\"target\":\"rspack_core\"}",
                Some("a log of Rspack"),
            ),
            (b"[{\"id\":1,\"intrinsicName\":\"any\"", Some("types of TypeScript's")),
            (b"{\"type\":\"CpuSamples\",\"samplePeriod\":1000,", Some("CPU samples of a Dart VM")),
            (b"{\"version\":5,\"dataForRoots\":[", Some("a profile of React")),
            (b"{\"lighthouseVersion\":\"12.0\"", Some("a report of Lighthouse")),
            (b"{\"resourceSpans\":[{\"scopeSpans\":[]}]}", Some("spans of OpenTelemetry")),
            (b"{\"log\":{\"version\":\"1.2\",\"creator\":{}", Some("an archive of HTTP requests")),
            (b"{\"hasMozMallocUsableSize\":true", Some("a memory report of Firefox")),
            (b"{\"alloc_samples\":0,\"elapsed_time_sec\":1.5", Some("a profile of Scalene")),
            (b"main;foo 12\nmain;bar 3\nma", Some("collapsed stacks")),
            (b"main;foo 12", None),
            (b"a; b\n1; 2\n", None),
            (b"main;foo 12\nhello\n", None),
            (b"hello", None),
            (b"", None),
        ] {
            let found = describe(head);
            assert_eq!(found.is_some(), expected.is_some(), "{}", head.escape_ascii());
            assert!(
                found.unwrap_or_default().starts_with(expected.unwrap_or_default()),
                "{found:?}"
            );
        }
    }
}
