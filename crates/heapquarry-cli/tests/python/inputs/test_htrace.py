"""Containers of ArkTS data: whatever is wrapped in whatever way gives the tables of the plain file."""

import gzip
import io
import json
import struct
import zipfile
import zlib

import pyarrow.compute as pc
import pytest
from conftest import CORPUS, assert_same, codes, convert, extra_files, find_recordings, heapquarry, load_views, plain, query, read_rows, read_table
from htrace_writer import (
    INVALID,
    NAMES,
    OLD_NAMES,
    SNAPSHOT,
    TIMELINE,
    ZERO,
    Section,
    blob,
    chunks,
    config,
    container,
    done,
    number,
    plugin_data,
    profile,
    snapshot,
    timeline,
)

HEAPS = sorted((CORPUS / "handmade").iterdir()) + find_recordings(CORPUS)
ARK = {version: CORPUS / "handmade" / f"ark-{version}.heapsnapshot" for version in ("4.0", "5.0", "6.0", "7.0")}
OLD, NEW = ARK["5.0"], ARK["7.0"]
V8 = CORPUS / "node18.heapsnapshot.gz"
CPU = CORPUS / "profiles" / "ark.cpuprofile"
BOOT = 100_000 - 1_700_000_000_000_000_000
TWELVE = ["js_config", "js_cpu_profiler_node", "js_cpu_profiler_sample"] + [
    f"js_heap_{name}"
    for name in "files info nodes edges string location sample trace_function_info trace_node".split()
]


def text_of(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def rows_of(folder, name, file_id):
    """The rows of one document, but for its number, name and times."""
    table = read_table(folder, name)
    keep = [c for c in table.column_names if c not in ("file_id", "file_name", "start_time_ns", "end_time_ns")]
    return table.filter(pc.equal(table["file_id"], file_id)).select(keep)


_plain = {}


def plain_tables(path, scratch):
    if path not in _plain:
        _plain[path] = convert(path, scratch.mktemp("plain") / "t", "-q")
    return _plain[path]


def assert_holds(folder, documents, scratch):
    """The documents of a converted container are these files."""
    for file_id, path in enumerate(documents):
        expected = plain_tables(path, scratch)
        for file in expected.glob("*.parquet"):
            if file.stem not in ("source", "import_log"):
                want = rows_of(expected, file.stem, 0)
                assert_same(rows_of(folder, file.stem, file_id), want, f"{path.name}: {file.stem}")
    found = [row for row in read_rows(folder, "source") if row["document_index"] >= 0]
    assert [row["byte_size"] for row in found] == [len(text_of(path)) for path in documents]


def write(tmp_path, content, name="x.htrace"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def heap(*paths, **how):
    return sum((snapshot(text_of(path), **how) for path in paths), [])


SYSTEM = Section(others=[("ftrace-plugin", b"x" * 3000), ("memory-plugin", b"")], config=None)

# Ways to wrap two snapshots: how the section is written, and the codes that must come.
VARIANTS = {
    "as the device writes it": (dict(), {}),
    "without clocks": (dict(clocks=None), {}),
    "names of 2023": (dict(names=OLD_NAMES), {}),
    "no configuration": (dict(config=None), {}),
    "chunks of 1 byte": (dict(size=1), {}),
    "chunks of 7 bytes": (dict(size=7), {}),
    "one chunk": (dict(size=1 << 30), {}),
    "fields in another order": (dict(record=dict(order=(6, 5, 4, 3, 2, 7, 1))), {}),
    "fields of the host recorder": (dict(record=dict(order=(1, 3, 5, 6))), {}),
    "zeros left out": (dict(record=dict(zeros=False)), {}),
    "writer died": (dict(length="unfinished"), {"section_header": 1}),
    "length of 3.0": (dict(length="3.0"), {"section_header": 1}),
    "header of 3.0": (dict(length="3.0", is_3_0=True), {"section_header": 1}),
    "length too short": (dict(length="short"), {"section_header": 1}),
    "length beyond all": (dict(length="huge"), {"section_header": 1}),
    "one segment a record": (dict(segments="1"), {}),
    "segments of data only": (dict(segments="data"), {}),
    "segments wrong": (dict(segments="wrong"), {"section_header": 1}),
    "sum wrong": (dict(sum="wrong"), {"section_sum": 1}),
    "no sum": (dict(sum="none"), {}),
    "other records between": (dict(others=[("ftrace-plugin", b"y" * 999)] * 3), {}),
    "data type wrong": (dict(data_type=7), {"section_header": 1}),
}


@pytest.mark.parametrize("case", VARIANTS)
def test_variants(tmp_path, tmp_path_factory, case):
    how, expected = VARIANTS[case]
    how = dict(how)
    size = how.pop("size", 100 << 10)
    # Small chunks make many records.
    documents = [ARK["4.0"], NEW] if size < 100 else [ARK["4.0"], V8, NEW]
    source = write(tmp_path, container(Section(heap(*documents, size=size), **how)))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == expected
    assert_holds(out, documents, tmp_path_factory)
    last = read_rows(out, "source")[-1]
    assert (last["format"], last["document_index"], last["byte_size"]) == ("htrace", -1, source.stat().st_size)
    names = [row["file_name"] for row in read_rows(out, "js_heap_files")]
    assert names == [f"Snapshot{i}" for i in range(len(documents))]


WRAPPED = {
    "plain": lambda b: b,
    "zip": lambda b: zipped({"a/b.htrace": b}),
    "zlib": zlib.compress,
    "gzip": gzip.compress,
    "line of the web viewer": lambda b: b'MarkPositionJSON->{"x":[1]}\n' + b,
}


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("case", WRAPPED)
def test_wrapped_containers(tmp_path, tmp_path_factory, case):
    source = write(tmp_path, WRAPPED[case](container(Section(heap(OLD)))))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {}
    assert_holds(out, [OLD], tmp_path_factory)


@pytest.mark.parametrize("path", HEAPS, ids=lambda path: path.name)
def test_every_heap(tmp_path, tmp_path_factory, path):
    """Wrapped and taken out again, and converted as it is."""
    source = write(tmp_path, container(Section(heap(path, size=1000))))
    (file,) = heapquarry("extract", source, "-o", tmp_path / "files").stdout.split()
    assert (tmp_path / "files" / file).read_bytes() == text_of(path)
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == codes(plain_tables(path, tmp_path_factory))
    assert_holds(out, [path], tmp_path_factory)


def test_sections(tmp_path, tmp_path_factory):
    """The engine's records in the second section, others skipped, a heap and a profile in one."""
    hiperf = Section(data_type=1, payload=b"HIPERF\0" * 999)
    alone = Section(data_type=1000, payload=bytes(5000), plugin=b"hiebpf-plugin", length="true")
    cpu = Section(profile(text_of(CPU)), config=config(type=INVALID, cpu=True, cpu_interval=1000))
    source = write(tmp_path, container(SYSTEM, hiperf, Section(heap(NEW)), alone, cpu))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {}
    assert_holds(out, [NEW, CPU], tmp_path_factory)
    sections = read_rows(out, "htrace_section")
    assert [(s["data_type"], s["record_count"], s["sha256"], s["plugin_name"]) for s in sections] == [
        (0, 2, "ok", ""),
        (1, 0, "ok", ""),
        (0, 1 + 4, "ok", ""),
        (1000, 0, "ok", "hiebpf-plugin"),
        (0, 4, "ok", ""),
    ]
    assert [s["byte_size"] for s in sections] == [s["declared_byte_size"] for s in sections]
    assert {row["name"]: (row["records"], row["bytes"]) for row in read_rows(out, "htrace_plugin")}["ftrace-plugin"] == (1, 3000)
    assert [(row["pid"], row["type"], row["enable_cpu_profiler"], row["cpu_profiler_interval"]) for row in read_rows(out, "js_config")] == [
        (1234, 0, 0, 0),
        (1234, 0, 0, 0),
        (1234, -1, 1, 1000),
    ][1:]
    for name in TWELVE:
        assert (out / f"{name}.parquet").exists()
    info = json.loads(heapquarry("info", source, "--json").stdout)[0]
    assert (info["format"], info["documents"], info["plugins"]["arkts-plugin"]["records"]) == ("htrace", 2, 4 + 3)
    text = heapquarry("info", source).stdout
    assert "ftrace-plugin" in text and "x.htrace#1, Profile0" in text


def test_times(tmp_path):
    """On the clock that counts from boot, by the clocks of each section."""
    later = (500_000, 1_700_000_000_000_900_000, 0, 480_000, 0, 0)
    source = write(
        tmp_path,
        container(
            Section(heap(OLD, size=1 << 20)),
            Section(timeline(text_of(NEW)), config=config(type=TIMELINE), clocks=later, start=1_700_000_000_001_000_000),
            Section(profile(text_of(CPU)), config=None, clocks=later),
            Section(heap(OLD), clocks=None, start=1_700_000_000_000_060_000),
        ),
    )
    out = convert(source, tmp_path / "t", "-q")
    times = [(row["file_name"], row["start_time_ns"], row["end_time_ns"]) for row in read_rows(out, "js_heap_files")]
    # Two messages of progress, the piece, the end; the start, two of progress, the piece, the end.
    assert times == [
        ("Snapshot0", 150_000 + 2000, 150_000 + 3000),
        ("Timeline", 600_000, 600_000 + 4000),
        ("Snapshot2", 160_000 + 2000, 160_000 + 3000),
    ]
    (cpu,) = read_rows(out, "js_cpu_profiler_files")
    assert cpu["start_time_ns"] == cpu["start_time_us"] * 1000 + 20_000
    assert cpu["end_time_ns"] == cpu["end_time_us"] * 1000 + 20_000


def test_messages_of_a_timeline(tmp_path):
    stats, seen = [[0, 5, 500, 1, 7, 700], [1, 2, 64]], [(99, 1234.5), (2**53 + 1, 1300)]
    messages = timeline(text_of(OLD), stats, seen)
    source = write(tmp_path, container(Section(heap(NEW)), Section(messages, config=config(type=TIMELINE, allocations=True))))
    out = convert(source, tmp_path / "t", "-q")
    assert [(r["file_id"], r["fragment_index"], r["count"], r["size"]) for r in read_rows(out, "js_heap_stats_update")] == [
        (1, 0, 5, 500),
        (1, 1, 7, 700),
        (1, 1, 2, 64),
    ]
    assert [(r["file_id"], r["last_seen_object_id"], r["timestamp_ms"]) for r in read_rows(out, "js_heap_last_seen_object_id")] == [
        (1, 99, 1234.5),
        (1, 2**53 + 1, 1300.0),
    ]
    assert [r["track_allocations"] for r in read_rows(out, "js_config")] == [0, 1]
    heapquarry("extract", source, "-o", tmp_path / "files")
    assert (tmp_path / "files" / "Timeline.heaptimeline").read_bytes() == text_of(OLD)


SPLIT = {
    "5.0": (b'{"params":{"chunk":%s}}', b'{"id":3, "result":{"profile":%s}"'),
    "4.1": (b'{"params:{"chunk":{%s}}"', b'{"id":3, "result":{"profile":%s}"'),
    "an object as the value": (b'{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":%s}}', b'{"result":{"profile":%s},"id":3}'),
    "members in another order": (b'{"params":{"x":[{}],"chunk":%s},"method":"HeapProfiler.addHeapSnapshotChunk"}', b'{"a":{"b":1},"result":{"profile":%s}}'),
}


@pytest.mark.parametrize("case", SPLIT)
def test_split_files(tmp_path, tmp_path_factory, case):
    """What TraceStreamer cuts out of recordings has objects in place of strings, and quotes too few."""
    chunk, answer = SPLIT[case]
    messages = [chunk % text_of(OLD), done(1), chunk % text_of(V8), done(1), done(3), answer % text_of(CPU)]
    source = write(tmp_path, container(Section(messages)))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {}
    assert_holds(out, [OLD, V8, CPU], tmp_path_factory)


def test_messages_by_meaning(tmp_path, tmp_path_factory):
    """Words in a text mean nothing; failures, and what is not known, are logged."""
    cpu = text_of(CPU).replace(b'"functionName":"', b'"functionName":"chunk profile ', 3)
    (tmp_path / "chunk.cpuprofile").write_bytes(cpu)
    messages = [
        b'{"id":7,"result":{"code":-32000,"message":"no chunk of the profile"}}',
        b'{"id":8,"error":{"code":1,"message":"x"}}',
        b'{ "id" : 1 , "result" : { "profile" : %s } }' % cpu,
        b'{"method":"HeapProfiler.addHeapSnapshotExtraInfo","params":{"extraInfo":"{\\"nodeIdMap\\":[]}"}}',
        *snapshot(text_of(OLD))[:-1],
        b'{"result" : { }, "id" : 1}',
    ]
    source = write(tmp_path, container(Section(messages)))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {"command_failed": 2, "unknown_message": 1}
    assert_holds(out, [tmp_path / "chunk.cpuprofile", OLD], tmp_path_factory)


def test_numbers_that_do_not_fit(tmp_path):
    """Numbers of 400 digits in every field of a message."""
    huge = b"9" * 400
    messages = [
        b'{"id":%s,"result":{}}' % huge,
        b'{"id":7,"error":{"code":%s,"message":"x"}}' % huge,
        b'{"method":"HeapProfiler.heapStatsUpdate","params":{"statsUpdate":[0,%s,64,1,2,3]}}' % huge,
        b'{"method":"HeapProfiler.lastSeenObjectId","params":{"lastSeenObjectId":%s,"timestamp":1}}' % huge,
        b'{"method":"HeapProfiler.lastSeenObjectId","params":{"lastSeenObjectId":5,"timestamp":%s}}' % huge,
        b'{"method":"HeapProfiler.reportHeapSnapshotProgress","params":{"done":%s}}' % huge,
        *heap(OLD),
        b'{"id":%s,"result":{"profile":{"nodes":[{"id":1,"hitCount":%s,"callFrame":{"functionName":"f"}}],"startTime":%s,'
        b'"gcTime":%s,"samples":[%s],"timeDeltas":[%s]}}}' % ((huge,) * 6),
    ]
    out = convert(write(tmp_path, container(Section(messages))), tmp_path / "t", "-q")
    assert codes(out) == {"command_failed": 1, "value_out_of_range": 5, "bad_message": 1}
    assert [(r["count"], r["size"]) for r in read_rows(out, "js_heap_stats_update")] == [(None, 64), (2, 3)]
    assert [(r["last_seen_object_id"], r["timestamp_ms"]) for r in read_rows(out, "js_heap_last_seen_object_id")] == [(5, None)]
    assert [row["status"] for row in read_rows(out, "source")][:1] == ["complete"]


def test_a_document_of_nothing(tmp_path):
    """A heap that is cut in its header has nothing to count."""
    source = write(tmp_path, container(Section(chunks(b'{"snapshot":{"meta":{"node_f'))))
    said = heapquarry("convert", source, "-o", tmp_path / "t").stderr
    assert "x.htrace#0, Snapshot0: heapsnapshot; " in said, said


def test_unfinished_dumps(tmp_path, tmp_path_factory):
    """A dump without an end is kept as far as it came; the one behind it is whole."""
    cut = text_of(V8)[:200_000]
    source = write(tmp_path, container(Section([*chunks(cut), *heap(OLD), *chunks(text_of(NEW))])))
    out = convert(source, tmp_path / "t", "-q")
    found = read_rows(out, "source")
    assert [(row["byte_size"], row["status"]) for row in found[:3]] == [
        (len(cut), "truncated"),
        (len(text_of(OLD)), "complete"),
        (len(text_of(NEW)), "complete"),
    ]
    counts = codes(out)
    assert counts["truncated"] == 1 and counts["unfinished_dump"] == 2
    for name in ("js_heap_nodes", "js_heap_edges", "js_heap_string"):
        assert_same(rows_of(out, name, 1), rows_of(plain_tables(OLD, tmp_path_factory), name, 0), name)


def test_characters_cut_between_chunks(tmp_path, tmp_path_factory):
    """VMs up to 4.0 write UTF-8 as it is: a piece can end in a character."""
    text = text_of(ARK["4.0"]).replace(b'"GC roots"', '"é漢😀é漢😀é漢😀"'.encode())
    plain_file = write(tmp_path, text, "plain.heapsnapshot")
    for size in (1, 3, 5):
        source = write(tmp_path, container(Section(heap(plain_file, size=size))), f"{size}.htrace")
        out = convert(source, tmp_path / f"t{size}", "-q")
        assert codes(out) == {}
        assert_holds(out, [plain_file], tmp_path_factory)


def test_rolling_files(tmp_path, tmp_path_factory):
    """A recording of several files: a dump begins in one and ends in the next."""
    messages = heap(OLD, V8, NEW)
    sources = []
    for part in range(3):
        piece = messages[part * len(messages) // 3 : (part + 1) * len(messages) // 3]
        sources.append(write(tmp_path, container(Section(piece)), f"{part}.htrace"))
    heapquarry("convert", *sources, CPU, "-o", tmp_path / "t", "-q")
    out = tmp_path / "t"
    found = read_rows(out, "source")
    assert [row["format"] for row in found if row["document_index"] < 0] == ["htrace"] * 3
    documents = [row for row in found if row["document_index"] >= 0]
    assert [(row["byte_size"], row["status"]) for row in documents] == [
        (len(text_of(path)), "complete") for path in (OLD, V8, NEW, CPU)
    ]
    for row, path in zip(documents, (OLD, V8, NEW)):
        for name in ("js_heap_nodes", "js_heap_edges", "js_heap_string"):
            assert_same(rows_of(out, name, row["file_id"]), rows_of(plain_tables(path, tmp_path_factory), name, 0), name)
    assert len(read_rows(out, "js_config")) == 3


MESSAGE_FILES = {
    "lines": lambda m: b"\n".join(m) + b"\n",
    "one after the other": b"".join,
    "array": lambda m: b"[\n" + b",\n".join(m) + b"\n]\n",
    "with a byte order mark": lambda m: b"\xef\xbb\xbf" + b"\r\n".join(m),
}


@pytest.mark.parametrize("case", MESSAGE_FILES)
def test_files_of_messages(tmp_path, tmp_path_factory, case):
    """As saved from the inspectors of Chrome and Node: numbers of commands mean nothing."""
    messages = [
        b'{"method":"Runtime.executionContextCreated","params":{"context":{"id":1}}}',
        b'{"id":11,"result":{}}',
        *chunks(text_of(V8), size=50_000),
        b'{"id":12,"result":{}}',
        b'{"id":13,"result":{"profile":%s}}' % text_of(CPU),
        *chunks(text_of(OLD)),
        b'{"id":14,"result":{}}',
    ]
    source = write(tmp_path, MESSAGE_FILES[case](messages), "messages.json")
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {"unknown_message": 1}
    assert_holds(out, [V8, CPU, OLD], tmp_path_factory)
    assert read_rows(out, "source")[-1]["format"] == "devtools"


def test_a_broken_line_of_messages(tmp_path, tmp_path_factory):
    broken = [b'{"method":"HeapProfiler.x","params":', b"garbage", b"more garbage"]
    source = write(tmp_path, b"\n".join([*heap(OLD), *broken, *heap(NEW)]), "m.json")
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out)["bad_message"] >= 1
    assert_holds(out, [OLD, NEW], tmp_path_factory)


# ---------------------------------------------------------------------------- questions


def answer(*args):
    """What is said of an input, whatever it is called."""
    report = json.loads(heapquarry(*args, "--json").stdout)
    return {key: value for key, value in report.items() if key not in ("inputs", "caveats", "notes", "profiles", "snapshots")}


def test_questions_about_a_container(tmp_path):
    source = write(tmp_path, container(Section(heap(OLD, V8)), Section(profile(text_of(CPU)))))
    convert(source, tmp_path / "t", "-q", "--analyze")
    want = answer("summary", V8)
    assert answer("summary", f"{source}#1") == want == answer("summary", f"{tmp_path / 't'}#1")
    assert ": #0 is Snapshot0" in heapquarry("summary", source, expect=2).stderr
    assert answer("diff", f"{source}#0", f"{source}#1")["classes"] == answer("diff", OLD, V8)["classes"]
    budget = tmp_path / "b.toml"
    budget.write_text('[total]\nsize = "1 kB"\n')
    heapquarry("check", f"{source}#1", "--budget", budget, expect=1)
    node = str(read_rows(tmp_path / "t", "js_heap_nodes")[-1]["id"])
    assert answer("why", f"{source}#1", "--node", node) == answer("why", V8, "--node", node)


def test_questions_about_profiles_in_a_container(tmp_path):
    other = CORPUS / "profiles" / "current.cpuprofile"
    source = write(tmp_path, container(Section(heap(OLD)), Section(profile(text_of(CPU)) + profile(text_of(other)))))
    tables = convert(source, tmp_path / "t", "-q")
    budget = tmp_path / "b.toml"
    budget.write_text('[total]\ntime = "1 us"\n')
    for place in (source, tables):
        assert answer("summary", f"{place}#1") == answer("summary", CPU)
        assert answer("diff", f"{place}#1", f"{place}#2") == answer("diff", CPU, other)
        assert "1 of 1 limit exceeded" in heapquarry("check", f"{place}#2", "--budget", budget, expect=1).stdout
        for viewer in ("collapsed", "speedscope"):
            exported = heapquarry("export", f"{place}#2", "--to", viewer).stdout
            want = heapquarry("export", other, "--to", viewer).stdout
            assert exported.replace("Profile1", other.name) == want


def test_extract(tmp_path):
    source = write(tmp_path, container(Section(heap(V8, OLD)), Section(profile(text_of(CPU)) * 2)))
    out = tmp_path / "files"
    listed = heapquarry("extract", source, "-o", out).stdout.split()
    files = {"Snapshot0.heapsnapshot": V8, "Snapshot1.heaptimeline": OLD, "Profile0.cpuprofile": CPU, "Profile1.cpuprofile": CPU}
    assert listed == [str(out / name) for name in files]
    for name, path in files.items():
        assert (out / name).read_bytes() == text_of(path)
    assert "Snapshot0.heapsnapshot" in heapquarry("extract", source, "-o", out, expect=2).stderr
    heapquarry("extract", source, "-o", out, "--force")
    assert heapquarry("extract", f"{source}#2", "-o", tmp_path / "one").stdout.split() == [str(tmp_path / "one" / "Profile0.cpuprofile")]


# ---------------------------------------------------------------------------- damage


def whole_documents(out, paths, scratch):
    """How many of these documents are there, all of their nodes and edges."""
    found = 0
    sizes = {len(text_of(path)): path for path in paths}
    for row in read_rows(out, "source"):
        path = sizes.get(row["byte_size"])
        if path and row["document_index"] >= 0 and row["status"] == "complete":
            want = rows_of(plain_tables(path, scratch), "js_heap_nodes", 0)
            found += rows_of(out, "js_heap_nodes", row["file_id"]).equals(want)
    return found


def positions():
    """Where bits are flipped: (which, place of the byte, documents that must stay whole of three)."""
    first, second, third = (container(Section(snapshot(text_of(p), size=3000))) for p in (OLD, ARK["4.0"], NEW))
    start = len(first)
    yield from ((f"header {at}", start + at, 3) for at in (8, 15, 16, 20, 24, 56, 60, 68, 76, 84, 92, 100, 108, 236, 244, 1023))
    yield from ((f"magic {at}", start + at, 3) for at in range(8))
    record = start + 1024
    yield from ((f"first record, {at}", record + at, 3) for at in range(0, 34))
    body = second.index(b"arkts-plugin\x3a") - 6
    yield from ((f"record, {at}", start + body + at, 2) for at in range(0, 40))
    chunk = second.index(b"addHeapSnapshotChunk")
    yield from ((f"message, {at}", start + chunk + at, 2) for at in (-12, 0, 5, 20, 25, 33, 40, 60, 200, 1500))


@pytest.mark.parametrize("bit", [0, 3, 7])
def test_flipped_bits(tmp_path, tmp_path_factory, bit):
    """A flipped bit costs what it stands in: whole documents stay whole."""
    paths = [OLD, ARK["4.0"], NEW]
    whole = container(*(Section(snapshot(text_of(path), size=3000)) for path in paths))
    for what, at, least in positions():
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        source = write(tmp_path, bytes(damaged))
        out = convert(source, tmp_path / "t", "-q", "--force")
        assert whole_documents(out, paths, tmp_path_factory) >= least, f"{what}, bit {bit}: {codes(out)}"
        heapquarry("extract", source, "-o", tmp_path / "files", "--force")


def test_cut_containers(tmp_path, tmp_path_factory):
    paths = [OLD, NEW]
    whole = container(*(Section(snapshot(text_of(path), size=3000)) for path in paths))
    first = len(whole) - len(container(Section(snapshot(text_of(NEW), size=3000))))
    for cut in (9, 500, 1023, 1024, 1026, 1030, 1100, first // 2, first - 1, first, first + 4, first + 700, first + 1100, len(whole) - 40, len(whole) - 1):
        source = write(tmp_path, whole[:cut])
        out = convert(source, tmp_path / "t", "-q", "--force")
        assert whole_documents(out, paths, tmp_path_factory) >= (cut >= first), cut
        if cut not in (first,):
            assert set(codes(out)) & {"truncated", "section_header"}, cut


def test_records_that_are_none(tmp_path, tmp_path_factory):
    messages = [ZERO, *heap(OLD)[:-1], ZERO, ZERO, done(1)]
    nothing = plugin_data("arkts-plugin", b"", 5)
    other = plugin_data("arkts-plugin", number(1, 5), 5)
    loose = b"".join(struct.pack("<I", len(r)) + r for r in (nothing, other))
    section = Section(messages)
    source = write(tmp_path, section.bytes() + loose)
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {"bad_record": 5, "section_header": 2, "section_sum": 1}
    assert_holds(out, [OLD], tmp_path_factory)


@pytest.mark.parametrize("content", [b"OHOSPROF", b"OHOSPROF" * 500, b"OHOSPROF" + bytes(5000), b"OHOSPROF" + b"\xff" * 5000], ids=range(4))
def test_containers_of_nothing(tmp_path, content):
    out = convert(write(tmp_path, content), tmp_path / "t", "-q")
    assert [row["format"] for row in read_rows(out, "source")] == ["htrace"]


# ---------------------------------------------------------------------------- recordings of others


@pytest.mark.parametrize("path", extra_files("arkts", "*.htrace"), ids=lambda path: path.name)
def test_real_containers(tmp_path, path):
    """They hold nothing of the engine; their framing is real."""
    out = convert(path, tmp_path / "t", "-q")
    assert set(codes(out)) - {"section_sum", "section_header"} == {"nothing_to_read"}
    sections = read_rows(out, "htrace_section")
    assert sum(s["byte_size"] for s in sections) == path.stat().st_size
    plugins = read_rows(out, "htrace_plugin")
    assert sum(s["record_count"] for s in sections) == sum(p["records"] for p in plugins) > 0
    assert not [name for name in TWELVE if (out / f"{name}.parquet").exists()]


# ---------------------------------------------------------------------------- TraceStreamer


def test_tracestreamer_views(tmp_path, database):
    """The times of its own unit test, without clocks: its rule leaves the first delta out, ours does not."""
    deltas = [99, 72, 215, 637, 96, 288, 36, 89, 94, 54, 26, 598, 784, 522]
    samples = [2, 3, 4, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4]
    frame = {"functionName": "f", "scriptId": "1", "url": "u", "lineNumber": -1, "columnNumber": -1}
    nodes = [{"id": i, "callFrame": frame, "hitCount": 1, "children": [] if i > 1 else [2, 3, 4]} for i in range(1, 5)]
    cpu = {"startTime": 8013755173, "endTime": 8013755173 + sum(deltas), "nodes": nodes, "samples": samples, "timeDeltas": deltas}
    messages = profile(json.dumps(cpu).encode())
    for name, clocks, offset in [("none", None, 0), ("clocks", (100_000, 1, 0, 90_000, 0, 0), 10_000)]:
        source = write(tmp_path, container(Section(messages, config=config(type=INVALID, cpu=True), clocks=clocks)), f"{name}.htrace")
        out = convert(source, tmp_path / name, "-q")
        load_views(database, out)
        rows = query(database, "SELECT function_id, start_time, end_time, dur FROM tracestreamer.js_cpu_profiler_sample ORDER BY id").to_pylist()
        start = 8013755173000 + offset
        assert [tuple(row.values()) for row in rows] == [
            (2, start, start + 72000, 72000),
            (3, start + 72000, start + 287000, 215000),
            (4, start + 287000, start + 924000, 637000),
            (2, start + 924000, start + 1433000, 509000),
            (3, start + 1433000, start + 2205000, 772000),
            (4, start + 2205000, start + 3511000, 1306000),
        ]
        ours = read_rows(out, "js_cpu_profiler_sample")
        assert ours[0]["ts_us"] == 8013755173 + 99
        assert query(database, "SELECT * FROM tracestreamer.js_config").to_pylist() == [
            dict(pid=1234, type=-1, interval=10, capture_numeric_value=0, trace_allocation=0, enable_cpu_profiler=1, cpu_profiler_interval=0)
        ]


def test_tracestreamer_numbers_heaps(tmp_path, database):
    """A profile between snapshots has no number there."""
    messages = [*heap(OLD), *profile(text_of(CPU)), *heap(NEW)]
    out = convert(write(tmp_path, container(Section(messages))), tmp_path / "t", "-q")
    load_views(database, out)
    rows = query(database, "SELECT id, file_name, start_time, end_time FROM tracestreamer.js_heap_files ORDER BY id").to_pylist()
    assert [(row["id"], row["file_name"]) for row in rows] == [(0, "Snapshot0"), (2, "Snapshot1")]
    assert all(row["start_time"] < row["end_time"] for row in rows)


def test_containers_without_data_of_the_engine_say_so(tmp_path):
    """Other plugins are not read: no tables that cannot have rows, and an error where all data was asked for."""
    # A record whose name is not of the engine.
    others = [("nativehook", b"y" * 999)] * 3 + [("nativehook_config", b"z")]
    source = write(tmp_path, container(Section([], config=None, others=others)))
    out = convert(source, tmp_path / "t", "-q")
    assert codes(out) == {"nothing_to_read": 1}
    [row] = read_rows(out, "import_log")
    assert row["message"] == (
        "no data of the ArkTS engine, only nativehook (3 records), nativehook_config (1 record); "
        "record with the arkts-plugin to have heaps and profiles"
    )
    tables = sorted(path.stem for path in out.glob("*.parquet"))
    assert tables == ["htrace_plugin", "htrace_section", "import_log", "source"]
    for args in [("convert", source, "-o", tmp_path / "s", "--strict"), ("extract", source, "-o", tmp_path / "e")]:
        failed = heapquarry(*args, expect=2)
        assert "record with the arkts-plugin" in failed.stderr, failed.stderr
        assert not (tmp_path / "s").exists()
