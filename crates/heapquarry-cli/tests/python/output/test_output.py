"""What is written, and that it does not depend on how: threads, layout, packing, pipes."""

import gzip
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import (
    CORPUS,
    arrow_table,
    assert_same,
    convert,
    expected_tables,
    heapquarry,
    load_views,
    plain,
    query,
    read_table,
    read_tables,
)  # fmt: skip
from oracles import heap as oracle

HANDMADE = CORPUS / "handmade"
TIMELINE = HANDMADE / "v8-timeline.heaptimeline"
NODE = CORPUS / "node24.heaptimeline.gz"
SEVERAL = [
    HANDMADE / "ark-7.0.heapsnapshot",
    CORPUS / "node8.heapsnapshot.gz",
    TIMELINE,
    HANDMADE / "empty.heapsnapshot",
]


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def expected_of(path, file_id=0, **options):
    snapshot = oracle.Snapshot.parse(oracle.read_bytes(path))
    return oracle.tables(snapshot, path, file_id=file_id, **options)


def assert_tables(folder, made, ignore=()):
    for name, expected in expected_tables(made).items():
        for column in ignore:
            if column in expected.column_names:
                expected = expected.drop_columns(column)
        assert_same(read_table(folder, name), expected, name)


@pytest.mark.parametrize("layout", ["flat", "hive"])
@pytest.mark.parametrize("names", ["text", "id"])
def test_bytes_do_not_depend_on_threads(tmp_path, names, layout):
    """With row groups so small that there are hundreds of tasks."""
    flags = ["--row-group-rows", 1000, "--names", names, "--layout", layout]
    written = []
    for threads in [1, 2, 5]:
        folder = tmp_path / str(threads)
        heapquarry("convert", *SEVERAL, "-o", folder, "--threads", threads, *flags)
        written.append(files(folder))
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_row_groups(tmp_path, rows):
    source = TIMELINE if rows < 1000 else NODE
    folder = convert(source, tmp_path / "t", "--row-group-rows", rows)
    assert_tables(folder, expected_of(source))
    groups = pq.ParquetFile(folder / "js_heap_nodes.parquet").metadata
    assert max(groups.row_group(i).num_rows for i in range(groups.num_row_groups)) <= rows


@pytest.mark.parametrize(
    "flags",
    [["--compression", c] for c in ["zstd", "zstd:9", "snappy", "lz4", "none"]]
    + [["--encodings", e] for e in ["universal", "modern"]],
    ids=" ".join,
)
def test_compressions_and_encodings(tmp_path, database, flags):
    folder = convert(NODE, tmp_path / "t", *flags)
    made = expected_of(NODE)
    assert_tables(folder, made)
    for name, expected in expected_tables(made).items():
        assert_same(query(database, f"FROM read_parquet('{folder}/{name}.parquet')"), expected, name)


def test_layouts_hold_the_same_rows(tmp_path, database):
    flat, hive = tmp_path / "flat", tmp_path / "hive"
    heapquarry("convert", *SEVERAL, "-o", flat)
    heapquarry("convert", *SEVERAL, "-o", hive, "--layout", "hive")
    for name, expected in read_tables(flat).items():
        parts = sorted(hive.glob(f"{name}/source=*/part-0.parquet"))
        assert len(parts) == len(SEVERAL)
        assert all(part.parent.name.removeprefix("source=")[0].isalpha() for part in parts)
        order = ", ".join(f'"{c}"' for c in expected.column_names)
        rows = query(
            database,
            f"SELECT {order} FROM read_parquet('{hive}/{name}/source=*/part-0.parquet', hive_partitioning = true)",
        )
        assert sorted(rows.to_pylist(), key=repr) == sorted(expected.to_pylist(), key=repr), name
        for part in parts:
            ids = plain(pq.ParquetFile(part).read())["file_id"].unique().to_pylist()
            assert len(ids) <= 1


def test_hive_tokens(tmp_path):
    """One folder for each input, whatever the inputs are called; a letter first, so that no engine reads a number."""
    names = [
        "x.heapsnapshot",
        "x.1.heapsnapshot",
        "x.2.heapsnapshot",
        "2024-01.heapsnapshot",
        "ä =é%.heapsnapshot",
        "X.heapsnapshot",
    ]
    for name in names:
        (tmp_path / name).write_bytes(TIMELINE.read_bytes())
    heapquarry("convert", *names, "-", "-o", "t", "--layout", "hive", cwd=tmp_path, input=TIMELINE.read_bytes())
    tokens = [p.name for p in (tmp_path / "t" / "source").iterdir()]
    assert len({token.lower() for token in tokens}) == len(names) + 1, "some file systems do not tell x from X"
    assert all(re.fullmatch("source=[A-Za-z][A-Za-z0-9_-]*", token) for token in tokens)


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_views_in_both_layouts(tmp_path, database, layout):
    heapquarry("convert", *SEVERAL, "-o", tmp_path / "t", "--layout", layout)
    load_views(database, tmp_path / "t")
    for name, columns in oracle.TABLES.items():
        assert query(database, f"FROM {name}").column_names == list(columns)
    made = {i: expected_of(path, file_id=i)["js_heap_nodes"] for i, path in enumerate(SEVERAL)}
    counts = database.execute(
        "SELECT file_id, count(*) FROM tracestreamer.js_heap_nodes GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert counts == [(i, len(nodes["id"])) for i, nodes in made.items() if nodes["id"]]


def test_several_inputs(tmp_path):
    folder = tmp_path / "t"
    heapquarry("convert", *SEVERAL, "-o", folder)
    made = [expected_of(path, file_id=i) for i, path in enumerate(SEVERAL)]
    for name in made[0]:
        columns = {c: sum((m[name][c] for m in made), []) for c in made[0][name]}
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)
    assert set(read_table(folder, "import_log")["file_id"].to_pylist()) == {1}, "only Node 8 is out of the ordinary"


@pytest.mark.parametrize("names", ["text", "id"])
@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(tmp_path, names, packed):
    data = TIMELINE.read_bytes()
    folder = convert("-", tmp_path / "t", "--names", names, input=gzip.compress(data) if packed else data)
    assert_tables(folder, expected_of(TIMELINE, names=names), ignore=["path", "name", "file_name"])
    assert read_table(folder, "source")["path"].to_pylist() == ["-"]


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def members(data, pack, count):
    step = len(data) // count + 1
    return b"".join(pack(data[i : i + step]) for i in range(0, len(data), step))


PACKINGS = {
    "gzip": gzip.compress,
    "gzip of many members": lambda data: members(data, gzip.compress, 9),
    "gzip with an empty member": lambda data: gzip.compress(b"") + gzip.compress(data) + gzip.compress(b""),
    "zstd": zstd,
    "zstd of many frames": lambda data: members(data, zstd, 9),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_packed_input(tmp_path, packing):
    """Recognised by its bytes: the name tells nothing."""
    packed = tmp_path / "packed"
    packed.write_bytes(PACKINGS[packing](TIMELINE.read_bytes()))
    folder = convert(packed, tmp_path / "t")
    made = expected_of(TIMELINE)
    made["source"]["path"] = [str(packed)]
    made["source"]["name"] = made["js_heap_files"]["file_name"] = [packed.name]
    assert_tables(folder, made)


def test_digest_is_of_the_content(tmp_path):
    def digest(source, **options):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        return read_table(convert(source, folder, **options), "source")["digest"][0].as_py()

    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(TIMELINE.read_bytes()))
    same = {digest(TIMELINE), digest(packed), digest("-", input=TIMELINE.read_bytes())}
    (known,) = same
    assert re.fullmatch("xxh3:[0-9a-f]{32}", known)
    other = tmp_path / "other.heapsnapshot"
    other.write_bytes(TIMELINE.read_bytes().replace(b"handler", b"Handler"))
    assert digest(other) != known


def test_chosen_tables_only(tmp_path):
    folder = convert(TIMELINE, tmp_path / "t", "--tables", "js_heap_nodes,js_heap_string")
    written = {p.stem for p in folder.glob("*.parquet")}
    assert {"js_heap_nodes", "js_heap_string"} <= written
    assert not written & {"js_heap_edges", "js_heap_sample", "js_heap_location", "js_heap_trace_node"}
    made = expected_of(TIMELINE)
    assert_tables(folder, {name: made[name] for name in ["js_heap_nodes", "js_heap_string"]})
    failed = heapquarry("convert", TIMELINE, "-o", tmp_path / "u", "--tables", "js_heap_nodes,no_such", expect=2)
    assert "no_such" in failed.stderr


def test_output_folder_is_named_after_the_first_input(tmp_path):
    for name in ["Heap.1.heapsnapshot", "b.heaptimeline"]:
        (tmp_path / name).write_bytes(TIMELINE.read_bytes())
    heapquarry("convert", "Heap.1.heapsnapshot", "b.heaptimeline", cwd=tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["Heap.1.heapsnapshot", "Heap.1.tables", "b.heaptimeline"]


def test_data_on_stdout_and_the_rest_on_stderr(tmp_path):
    done = heapquarry("convert", TIMELINE, "-o", tmp_path / "t", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")
    assert json.loads(heapquarry("info", TIMELINE, "--json").stdout)


def test_manifest(tmp_path):
    folder = convert(TIMELINE, tmp_path / "t")
    text = (folder / "_manifest.json").read_text()
    manifest = json.loads(text)
    digest = read_table(folder, "source")["digest"][0].as_py()
    assert digest in text
    assert manifest["schema_version"] >= 1
    for name in oracle.TABLES:
        assert name in json.dumps(manifest["tables"])
    assert all(int(table["xxh3"], 16) >= 0 and len(table["xxh3"]) == 16 for table in manifest["tables"])
    on_disk = {p.name for p in folder.iterdir()}
    assert on_disk == {f"{name}.parquet" for name in oracle.TABLES} | {"_manifest.json", "views.sql"}


def test_every_table_is_written_even_if_empty(tmp_path):
    folder = convert(HANDMADE / "empty.heapsnapshot", tmp_path / "t")
    for name in oracle.TABLES:
        assert read_table(folder, name).column_names == list(oracle.TABLES[name])
