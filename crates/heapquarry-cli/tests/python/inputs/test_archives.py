"""Inputs that are packed, and archives of several documents: the tables are those of the plain files."""

import gzip
import io
import json
import tarfile
import zipfile
import zlib

import pytest
from conftest import CORPUS, assert_same, codes, convert, heapquarry, read_rows, read_table, read_tables

TIMELINE = CORPUS / "handmade" / "v8-timeline.heaptimeline"
ARK = CORPUS / "handmade" / "ark-5.0.heapsnapshot"
CPU = CORPUS / "profiles" / "ark.cpuprofile"


def archive(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zip:
        for name, content in files.items():
            zip.writestr(name, content)
    return out.getvalue()


def tar(files, mode="w", form=tarfile.GNU_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            if name.endswith("/"):
                entry.type = tarfile.DIRTYPE
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


ONE = {
    "zip": lambda b: archive({"a/x.heaptimeline": b}),
    "zip, stored": lambda b: archive({"x.heaptimeline": b}, zipfile.ZIP_STORED),
    "zip with a folder and what the Finder adds": lambda b: archive({"a/": b"", "a/x": b, "__MACOSX/a/._x": b"\0"}),
    "zlib": zlib.compress,
    "zlib, fastest": lambda b: zlib.compress(b, 1),
    "gzip in zip": lambda b: archive({"x.heaptimeline.gz": gzip.compress(b)}),
    "zip in gzip": lambda b: gzip.compress(archive({"x.heaptimeline": b})),
    "tar": lambda b: tar({"x.heaptimeline": b}),
    "tar.gz with folders and what the Finder adds": lambda b: tar({"a/": b"", "a/._x": b"\0", "a/x": b}, "w:gz"),
    "tar of POSIX with a long name": lambda b: tar({"a" * 300: b}, form=tarfile.PAX_FORMAT),
    "gzip in tar": lambda b: tar({"x.heaptimeline.gz": gzip.compress(b)}),
    "tar in zip": lambda b: archive({"x.tar": tar({"x": b})}),
    "behind the line of the web viewer": lambda b: b'MarkPositionJSON->{"a":1}\n' + b,
    "zlib behind it": lambda b: b"MarkPositionJSON->[]\n" + zlib.compress(b),
}


@pytest.mark.parametrize("case", ONE)
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_one_document(tmp_path, case, stdin):
    plain = read_tables(convert(TIMELINE, tmp_path / "plain"))
    source = tmp_path / "x.heaptimeline"
    source.write_bytes(ONE[case](TIMELINE.read_bytes()))
    if stdin:
        out = convert("-", tmp_path / "t", stdin=source.open("rb"))
    else:
        out = convert(source, tmp_path / "t")
    for name, table in read_tables(out).items():
        if name.startswith("js_heap_") and name != "js_heap_files":
            assert_same(table, plain[name], name)
    (row,) = read_rows(out, "source")
    assert (row["format"], row["byte_size"], row["document_index"]) == ("heaptimeline", TIMELINE.stat().st_size, 0)
    assert codes(out) == {}
    assert json.loads(heapquarry("info", source, "--json").stdout)[0]["format"] == "heaptimeline"


def several(tmp_path):
    source = tmp_path / "all.zip"
    nested = archive({"t": TIMELINE.read_bytes(), "none": b"nothing"})
    files = {"README": b"hello", "b/ark.heapsnapshot": ARK.read_bytes(), "c.cpuprofile": CPU.read_bytes(), "n.zip": nested}
    source.write_bytes(archive(files))
    return source


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_several_documents(tmp_path, layout):
    source = several(tmp_path)
    out = convert(source, tmp_path / "t", "--layout", layout)
    found = sorted((row for row in read_source(out, layout)), key=lambda row: row["file_id"])
    assert [(row["file_id"], row["document_index"], row["name"], row["format"]) for row in found] == [
        (0, 0, "ark.heapsnapshot", "heaptimeline"),
        (1, 1, "c.cpuprofile", "cpuprofile"),
        (2, 2, "t", "heaptimeline"),
        (3, -1, "n.zip", "zip"),
        (4, -1, "all.zip", "zip"),
    ]
    assert {row["path"] for row in found} == {str(source)}
    if layout == "flat":
        assert codes(out) == {"unknown_document": 2}
        ark = read_tables(convert(ARK, tmp_path / "plain"))
        tables = read_tables(out)
        for name, table in ark.items():
            if name.startswith("js_heap_") and name != "js_heap_files":
                assert_same(tables[name].slice(0, table.num_rows), table, name)


def test_small_documents_share_row_groups(tmp_path):
    """Each document had row groups of its own. Their descriptions took 50 to 80 kB of memory, and most of the files."""
    import pyarrow.parquet as pq

    source = tmp_path / "many.zip"
    source.write_bytes(archive({f"{i}.cpuprofile": CPU.read_bytes() for i in range(300)} | {"a": ARK.read_bytes()}))
    out = convert(source, tmp_path / "t")
    one_profile = convert(CPU, tmp_path / "one")
    for path in out.glob("js_cpu_profiler_*.parquet"):
        file = pq.ParquetFile(path)
        assert file.num_row_groups <= 1, path
        rows, one = file.read(), pq.read_table(one_profile / path.name)
        assert rows.num_rows == 300 * one.num_rows
        for i in (0, 150, 299):
            piece = rows.slice(i * one.num_rows, one.num_rows)
            others = [column for column in one.column_names if column not in ("file_id", "file_name")]
            assert_same(piece.select(others), one.select(others), path)
            assert set(piece["file_id"].to_pylist()) <= {i}


def read_source(out, layout):
    if layout == "flat":
        return read_rows(out, "source")
    import pyarrow.parquet as pq

    return [row for path in out.glob("source/*/*.parquet") for row in pq.ParquetFile(path).read().to_pylist()]


def test_documents_by_number(tmp_path):
    source = several(tmp_path)
    convert(source, tmp_path / "t")

    def sizes(source):
        return json.loads(heapquarry("summary", source, "--json").stdout)["statistics"]

    assert sizes(f"{source}#0") == sizes(ARK) == sizes(f"{tmp_path / 't'}#0")
    assert sizes(f"{source}#2") == sizes(TIMELINE) == sizes(f"{tmp_path / 't'}#2")
    for which, says in [
        ("", "#0 is ark.heapsnapshot, #1 is c.cpuprofile, #2 is t; select one with INPUT#N"),
        ("#3", "no document #3"),
    ]:
        for input in (source, tmp_path / "t"):
            assert says in heapquarry("summary", f"{input}{which}", expect=2).stderr
    info = json.loads(heapquarry("info", source, "--json").stdout)[0]
    assert (info["format"], info["documents"]) == ("zip", 3)
    assert [d["name"] for d in info["contents"]] == ["ark.heapsnapshot", "c.cpuprofile", "t"]
    assert "#2, t" in heapquarry("info", source).stdout


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_files_of_a_tar_archive(tmp_path, mode):
    """Each file is a document; one of no known format is named, and what is cut off is a loss."""
    name = "all.tar" + mode[1:].replace(":", ".")
    source = tmp_path / name
    whole = tar({"README": b"hello", "b/ark.heapsnapshot": ARK.read_bytes(), "c.cpuprofile": CPU.read_bytes()})
    source.write_bytes(gzip.compress(whole) if mode == "w:gz" else whole)
    out = convert(source, tmp_path / "t")
    found = [(row["name"], row["format"], row["status"]) for row in read_rows(out, "source")]
    ark, cpu, container = ("ark.heapsnapshot", "heaptimeline"), ("c.cpuprofile", "cpuprofile"), (name[:7], "tar")
    assert found == [(*ark, "complete"), (*cpu, "complete"), (*container, "complete")]
    assert codes(out) == {"unknown_document": 1}
    alone = json.loads(heapquarry("summary", CPU, "--json").stdout)
    assert json.loads(heapquarry("summary", f"{source}#1", "--json").stdout)["totals"] == alone["totals"]
    assert "#0 is ark.heapsnapshot, #1 is c.cpuprofile" in heapquarry("summary", source, expect=2).stderr
    assert json.loads(heapquarry("info", source, "--json").stdout)[0]["documents"] == 2
    # Cut within the last file.
    cut = whole[: whole.index(CPU.read_bytes()) + CPU.stat().st_size - 100]
    source.write_bytes(gzip.compress(cut) if mode == "w:gz" else cut)
    out = convert(source, tmp_path / "cut")
    assert codes(out)["compressed_damaged"] == 2
    assert [row["status"] for row in read_rows(out, "source")] == ["complete", "truncated", "repaired"]
    heapquarry("convert", source, "-o", tmp_path / "s", "--strict", expect=2)
    source.write_bytes(tar({"a": b"none", "b": b"none"}, mode))
    assert "a tar archive without a file of such a format" in heapquarry("convert", source, expect=2).stderr


@pytest.mark.parametrize("source", [TIMELINE, CPU], ids=lambda path: path.suffix)
def test_lists_of_documents(tmp_path, source):
    """A list of one is that document. Of several each is one, and what stands between them is no reason to lose any."""
    text = source.read_text().strip()
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(f"\n[ {text} ]\n")
    plain, out = convert(source, tmp_path / "plain"), convert(one, tmp_path / "one")
    names = {path.stem for path in out.glob("*.parquet")}
    assert names == {path.stem for path in plain.glob("*.parquet")}
    for name in names - {"source", "js_heap_files", "js_cpu_profiler_files", "import_log"}:
        assert_same(read_table(out, name), read_table(plain, name), name)
    (row,) = read_rows(out, "source")
    assert (row["name"], row["status"], row["byte_size"]) == ("one.json", "complete", len(text.encode()))
    other = CPU.read_text() if source == TIMELINE else ARK.read_text()
    two.write_text(f"[{text},{{}},{other},]")
    out = convert(two, tmp_path / "two")
    found = [(row["name"], row["format"], row["status"]) for row in read_rows(out, "source")]
    formats = [read_rows(convert(f"{two}#{n}", tmp_path / str(n)), "source")[0]["format"] for n in (0, 1)]
    assert found == [
        ("two.json#0", formats[0], "complete"),
        ("two.json#2", formats[1], "complete"),
        ("two.json", "list", "complete"),
    ]
    assert codes(out)["unknown_document"] == 1
    assert "#0 is two.json#0, #1 is two.json#2" in heapquarry("summary", two, expect=2).stderr
    # Cut within the last one.
    two.write_text(f"[{text},{other.strip()[:-3]}")
    out = convert(two, tmp_path / "cut")
    assert [row["status"] for row in read_rows(out, "source")][0] == "complete" and codes(out)["truncated"] == 2


HEAP_PROFILE = CORPUS / "profiles" / "node26.heapprofile"
JSC = CORPUS / "jsc" / "inspector.json"
ONE_AFTER_THE_OTHER = {
    "heaps": ("{}\n{}", [TIMELINE, ARK]),
    "profiles, without a blank between": ("{}{}", [CPU, CPU]),
    "of all kinds": ("{}\n{}\n{}\n{}\n", [HEAP_PROFILE, JSC, TIMELINE, CPU]),
    "lists": ("[{}][{}]", [CPU, TIMELINE]),
    "a document and a list": ("{}\n[{},{}]", [TIMELINE, CPU, ARK]),
    "a list and documents": ("[{}]{}{}", [TIMELINE, CPU, HEAP_PROFILE]),
    "with a mark": ("\ufeff{}\n{}", [ARK, CPU]),
}


@pytest.mark.parametrize("case", ONE_AFTER_THE_OTHER)
def test_documents_one_after_the_other(tmp_path, case):
    """Each is what the file of it alone is, as in a list: a program appended to its file, or wrote twice."""
    form, sources = ONE_AFTER_THE_OTHER[case]
    texts = [source.read_text().strip() for source in sources]
    file = tmp_path / "all.json"
    file.write_text(form.format(*texts))
    (tmp_path / "list").mkdir()
    listed = tmp_path / "list" / "all.json"
    listed.write_text(f"[{','.join(texts)}]")
    out, expected = convert(file, tmp_path / "out", "--strict"), convert(listed, tmp_path / "listed")
    assert {path.name for path in out.iterdir()} == {path.name for path in expected.iterdir()}
    own = {"source", "import_log", "js_heap_files", "js_cpu_profiler_files", "js_heap_sampling_files"}
    for name in {path.stem for path in out.glob("*.parquet")} - own:
        assert_same(read_table(out, name), read_table(expected, name), name)
    columns = ["file_id", "document_index", "format", "status", "producer"]
    facts = [[[row[column] for column in columns] for row in read_rows(folder, "source")] for folder in (out, expected)]
    assert facts[0] == facts[1] and facts[0][-1][2] == "list"
    sizes = [row["byte_size"] for row in read_rows(out, "source")][:-1]
    assert [size - len(text.encode()) for size, text in zip(sizes, texts, strict=True)][1:] == [0] * (len(texts) - 1)
    # One of them is asked for by its number, whatever is asked.
    error = heapquarry("summary", file, expect=2).stderr
    assert error.startswith("error: several documents") and f"#{len(texts) - 1} is all.json#{len(texts) - 1}" in error
    info = json.loads(heapquarry("info", file, "--json").stdout)
    assert info[0]["documents"] == len(texts) and info[0]["complete"]
    for number, source in enumerate(sources):
        chosen, alone = (json.loads(heapquarry("summary", one, "--json").stdout) for one in (f"{file}#{number}", source))
        assert chosen["totals"] == alone["totals"] and chosen["caveats"] == alone["caveats"]
    # Packed, from a pipe, as files, without what is private, and on a page.
    packed = convert("-", tmp_path / "packed", input=gzip.compress(file.read_bytes()))
    assert len(read_rows(packed, "source")) == len(texts) + 1
    heapquarry("extract", file, "-o", tmp_path / "files")
    assert len(list((tmp_path / "files").iterdir())) == len(texts)
    assert "several documents" in heapquarry("redact", file, tmp_path / "r.json", expect=2).stderr
    # Heaps of JavaScriptCore cannot be redacted.
    if JSC not in sources:
        assert len(read_rows(convert(file, tmp_path / "redacted", "--redact", "values"), "source")) == len(texts) + 1
    heapquarry("report", file, "-o", tmp_path / "page.html")
    assert "The documents of all.json" in (tmp_path / "page.html").read_text()


def test_profiles_in_envelopes_one_after_the_other(tmp_path):
    """Of a profile that something surrounds, its reader does not see the end."""
    file = tmp_path / "all.json"
    file.write_text(f'{{"profile":{CPU.read_text()}}}\n{{"profile":{CPU.read_text()}}}')
    out, alone = convert(file, tmp_path / "out", "--strict"), convert(CPU, tmp_path / "alone")
    assert [row["format"] for row in read_rows(out, "source")][-1] == "list" and len(read_rows(out, "source")) == 3
    for name in ("js_cpu_profiler_node", "js_cpu_profiler_sample"):
        assert len(read_rows(out, name)) == 2 * len(read_rows(alone, name))
    # The second is cut within its samples.
    text = CPU.read_text()
    cut = text.index('"samples":') + 20
    file.write_text(f'{{"profile":{text}}}\n{{"profile":{text[:cut]}')
    out = convert(file, tmp_path / "cut")
    assert [row["status"] for row in read_rows(out, "source")] == ["complete", "truncated", "complete"]
    assert codes(out)["truncated"] == 1
    assert len(read_rows(out, "js_cpu_profiler_node")) == 2 * len(read_rows(alone, "js_cpu_profiler_node"))
    heapquarry("convert", file, "-o", tmp_path / "strict", "--strict", expect=2)


def test_a_document_beyond_reading_leaves_the_others(tmp_path):
    source = tmp_path / "all.zip"
    source.write_bytes(archive({"bad": b'{"snapshot":{"meta":{}},"nodes":[]}', "good": ARK.read_bytes()}))
    out = convert(source, tmp_path / "t")
    assert [(row["name"], row["status"]) for row in read_rows(out, "source")] == [
        ("bad", "truncated"),
        ("good", "complete"),
        ("all.zip", "complete"),
    ]
    assert codes(out) == {"malformed": 1}
    heapquarry("convert", source, "-o", tmp_path / "s", "--strict", expect=2)


@pytest.mark.parametrize("cut", [10, 40, 200, -5, -60])
def test_a_damaged_archive(tmp_path, cut):
    """Without its directory the files are found by their own headers."""
    packed = archive({"a": ARK.read_bytes(), "b": TIMELINE.read_bytes()})
    source = tmp_path / "x.zip"
    source.write_bytes(packed[:cut])
    done = heapquarry("convert", source, "-o", tmp_path / "t", expect=2 if cut > 0 else 0)
    if done.returncode:
        assert "x.zip" in done.stderr
    else:
        assert codes(tmp_path / "t")["compressed_damaged"] >= 1
        if cut < 0:
            assert [row["name"] for row in read_rows(tmp_path / "t", "source")] == ["a", "b", "x.zip"]


def test_archives_without_a_document(tmp_path):
    for name, files in [("empty", {}), ("other", {"a": b"x", "b": b"y"})]:
        source = tmp_path / f"{name}.zip"
        source.write_bytes(archive(files))
        assert "a zip archive without a file" in heapquarry("convert", source, "-o", tmp_path / "t", expect=2).stderr


def test_documents_are_named_by_number_in_every_command(tmp_path):
    """What `info` prints as INPUT#N is an input of each command that reads such a document."""
    source = tmp_path / "all.zip"
    files = {"a.heaptimeline": TIMELINE.read_bytes(), "b.heapsnapshot": ARK.read_bytes(), "c.cpuprofile": CPU.read_bytes()}
    source.write_bytes(archive(files))
    listed = heapquarry("info", source).stdout.splitlines()
    assert [line for line in listed if "#" in line] == [f"{source}#{n}, {name}" for n, name in enumerate(files)]
    for n, name in enumerate(files):
        one = f"{source}#{n}"
        assert heapquarry("info", one).stdout.startswith(f"{one}, {name}\n")
        assert json.loads(heapquarry("info", one, "--json").stdout)[0]["document"] == n
        assert heapquarry("summary", one).stdout.startswith(one)
        assert heapquarry("diff", one, one).stdout.startswith(f"{one} ")
        heapquarry("check", one, "--save-baseline", tmp_path / "base")
        heapquarry("report", one, "-o", tmp_path / f"{n}.html")
        heapquarry("redact", one, tmp_path / f"{n}.redacted")
        [path] = heapquarry("extract", one, "-o", tmp_path / "out").stdout.splitlines()
        assert open(path, "rb").read() == files[name]
        convert(one, tmp_path / f"{n}.tables")
    for heap in (f"{source}#0", f"{source}#1"):
        assert heapquarry("why", heap, "--node", "1").stdout.startswith(heap)
        assert heapquarry("show", heap, "--node", "1").stdout.startswith(heap)
    heapquarry("leaks", f"{source}#1", f"{source}#1", f"{source}#1")
    assert heapquarry("export", f"{source}#2", "--to", "collapsed").stdout
    # Of a converted directory too.
    both = tmp_path / "both.tables"
    heapquarry("convert", CPU, ARK, "-o", both)
    assert heapquarry("info", f"{both}#1").stdout.startswith(f"{both}#1, {ARK.name}\n")
    assert heapquarry("summary", f"{both}#1").stdout.startswith(f"{both}#1")
