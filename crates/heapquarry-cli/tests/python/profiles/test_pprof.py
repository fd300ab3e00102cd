"""pprof profiles: every column of every table against the oracle, of files made by hand and by pprof-nodejs."""

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CORPUS, arrow_table, assert_same, binary, codes, convert, heapquarry, load_views, read_rows, read_table
from documented import SCHEMA_TYPES
from oracles import pprof as oracle

PROFILES, PPROF = CORPUS / "profiles", CORPUS / "pprof"
MADE = ("go-heap.pb", "symbols-first.pb", "counts.pb", "odd.pb")
RECORDED = ("wall.pb.gz", "heap.pb.gz", "heap.pb")


@pytest.fixture(scope="session")
def recorded(packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    script = Path(__file__).parent / "record_pprof.cjs"
    subprocess.run(["node", script, folder], cwd=packages, check=True, timeout=300)
    return folder


@pytest.fixture(params=MADE + RECORDED)
def path(request):
    if request.param in MADE:
        return PPROF / request.param
    return request.getfixturevalue("recorded") / request.param


def assert_rows(folder, path):
    made = oracle.tables(path.read_bytes(), path.name.removesuffix(".gz"))
    for name, columns in made.items():
        assert_same(read_table(folder, name), arrow_table(columns, oracle.TABLES[name]), name)
    return made


@pytest.mark.parametrize("flags", [[], ["--threads", "1", "--read-window", "3"], ["--row-group-rows", "5"]], ids=str)
def test_rows(path, tmp_path, flags):
    folder = convert(path, tmp_path / "t", *flags)
    made = assert_rows(folder, path)
    assert made["pprof_node"]["node_index"] and made["pprof_sample_type"]["value_type"]
    (source,) = read_rows(folder, "source")
    odd = path.name == "odd.pb"
    assert (source["format"], source["status"]) == ("pprof", "repaired" if odd else "complete")
    expected = {
        "bad_record": 1, "duplicate_id": 2, "invalid_utf8": 1, "partial_record": 2, "string_out_of_range": 3,
        "unknown_field": 2, "unknown_node": 2,
    }  # fmt: skip
    assert codes(folder) == (expected if odd else {})
    assert {p.stem for p in folder.glob("*.parquet")} == {"source", "import_log", *oracle.TABLES}


def test_columns(schema):
    told = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in schema["tables"]}
    for table, columns in oracle.TABLES.items():
        assert told[table] == {name: SCHEMA_TYPES[type] for name, type in columns.items()}


def test_the_corpus_is_what_the_script_makes(tmp_path):
    subprocess.run([sys.executable, CORPUS / "generate" / "pprof.py", tmp_path], check=True)
    for name in MADE:
        assert (tmp_path / name).read_bytes() == (PPROF / name).read_bytes()


def test_what_pprof_nodejs_records_is_there(recorded, tmp_path):
    wall = convert(recorded / "wall.pb.gz", tmp_path / "wall")
    types = [(row["value_type"], row["unit"]) for row in read_rows(wall, "pprof_sample_type")]
    assert types == [("sample", "count"), ("wall", "nanoseconds")]
    names = {row["function_name"] for row in read_rows(wall, "pprof_node")}
    assert "work" in names
    users = {row["str_value"] for row in read_rows(wall, "pprof_label") if row["label_key"] == "user"}
    assert users == {"ann", "bob"}


# -------------------------------------------------------------------------------- questions


def summary(*args):
    report = json.loads(heapquarry("summary", *args, "--json").stdout)
    return {section["key"]: section for section in report["sections"]} if "sections" in report else report


SCALES = {"nanoseconds": 1000, "microseconds": 1, "bytes": 1, "count": 1}


def by_function(made, value):
    """Self and total value by name, in the unit of the file; unknown functions by their address."""
    nodes, own = made["pprof_node"], {}
    values = made["pprof_node_value"]
    for at, node in enumerate(values["node_index"]):
        if values["value_index"][at] == value:
            own[node] = values["self_value"][at]
    names = [
        name or (hex(address % (1 << 64)) if address else "(anonymous)")
        for name, address in zip(nodes["function_name"], nodes["address"])
    ]
    sums = {}
    for node, name in enumerate(names):
        stack, at = set(), node
        while at >= 0:
            stack.add(names[at])
            at = nodes["parent_index"][at]
        for other in stack:
            self_value, total = sums.get(other, (0, 0))
            more = own.get(node, 0)
            sums[other] = (self_value + more * (other == name), total + more)
    return sums


def test_summary(path, tmp_path):
    """Of each type of values, from the file and from its tables; nanoseconds are rounded to microseconds by node."""
    made = oracle.tables(path.read_bytes(), path.name)
    tables = convert(path, tmp_path / "t")
    types = made["pprof_sample_type"]
    shown = made["pprof_files"]["default_value_index"][0]
    for value, (name, unit) in enumerate(zip(types["value_type"], types["unit"])):
        by = SCALES[unit]
        text = heapquarry("summary", path, "--sample-type", name, "--json").stdout
        report = json.loads(text)
        of_tables = json.loads(heapquarry("summary", tables, "--sample-type", name, "--json").stdout)
        assert {**of_tables, "inputs": 0, "caveats": 0} == {**report, "inputs": 0, "caveats": 0}
        if value == shown:
            assert heapquarry("summary", path, "--json").stdout == text
        sums = by_function(made, value)
        rows = report["functions"]["rows"]
        actual = {}
        for row in rows:
            own, total = actual.get(row["function_name"], (0, 0))
            actual[row["function_name"]] = (own + row["self_value"], total + row["total_value"])
        assert set(actual) == set(sums)
        nodes = len(made["pprof_node"]["node_index"])
        for function, (own, total) in sums.items():
            assert abs(actual[function][0] - own / by) <= (nodes if by > 1 else 0), (name, function)
        assert abs(report["totals"]["value"] - sum(own for own, _ in sums.values()) / by) <= 1


@pytest.mark.parametrize(("args", "message"), [
    (["summary", PPROF / "go-heap.pb", "--sample-type", "cpu"], 'no sample type "cpu" among those of this profile (alloc_objects, '),
    (["summary", PROFILES / "current.cpuprofile", "--sample-type", "cpu"], "expected a pprof profile, to select a sample type of"),
    (["diff", PPROF / "go-heap.pb", PPROF / "symbols-first.pb"], "cannot compare a pprof profile of bytes with a pprof profile of times"),
    (["diff", PPROF / "counts.pb", PROFILES / "current.heapprofile"], "cannot compare a pprof profile of counts with a sampling heap profile"),
    (["redact", PPROF / "go-heap.pb", "never"], "cannot be redacted"),
], ids=str)  # fmt: skip
def test_wrong_usage(args, message):
    assert message in heapquarry(*args, expect=2).stderr


def test_diff_and_check(tmp_path):
    heap, budget = PPROF / "go-heap.pb", tmp_path / "budget.toml"
    report = json.loads(heapquarry("diff", heap, heap, "--json").stdout)
    assert report["functions"]["rows"] == [] and [row["value"] for row in report["profiles"]] == [16384 + 1048576 + 64 + 12288 + 8] * 2
    budget.write_text('[total]\nsize = "1 MB"\n')
    assert "total" in heapquarry("check", heap, "--budget", budget, expect=1).stdout
    budget.write_text('[total]\nvalue = 1000\n')
    assert heapquarry("check", heap, "--budget", budget, "--sample-type", "alloc_objects").returncode == 0
    assert "limits" in heapquarry("check", heap, "--budget", budget, expect=2).stderr
    # A profile of times is compared with one of the DevTools protocol.
    cpu = PROFILES / "current.cpuprofile"
    pprof = tmp_path / "same.pb.gz"
    pprof.write_bytes(subprocess.run([binary(), "export", cpu, "--to", "pprof"], capture_output=True, check=True).stdout)
    report = json.loads(heapquarry("diff", cpu, pprof, "--json").stdout)
    assert report["functions"] == {"total": 0, "rows": []}


def test_report(tmp_path):
    page = tmp_path / "page.html"
    heapquarry("report", PPROF / "go-heap.pb", "-o", page)
    assert "Profile of inuse_space (bytes)" in page.read_text()


# -------------------------------------------------------------------------------- there and back


def export(source, to):
    return subprocess.run([binary(), "export", source, "--to", to], capture_output=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("name", ["current.cpuprofile", "node26.cpuprofile", "nested.cpuprofile", "current.heapprofile", "lines.selfprofile.json"])
def test_exported_profiles_are_read_back(name, tmp_path):
    """The same stacks with the same weights: what viewers get of both is alike."""
    pprof = tmp_path / "out.pb.gz"
    pprof.write_bytes(export(PROFILES / name, "pprof"))
    made = oracle.tables(pprof.read_bytes(), pprof.name)
    assert_rows(convert(pprof, tmp_path / "t"), pprof)

    def stacks(file):
        lines = [line.rpartition(" ") for line in export(file, "collapsed").decode().rstrip("\n").split("\n")]
        sums = {}
        for stack, _, weight in lines:
            stack = stack.removeprefix("(root);")
            if stack != "(root)":
                sums[stack] = sums.get(stack, 0) + int(weight)
        return sums

    assert stacks(pprof) == stacks(PROFILES / name) and made["pprof_sample"]["sample_index"]


def test_pprof_is_exported_with_all_values(path, tmp_path):
    """Stacks of functions and their values; of the labels, mappings and addresses nothing is kept."""
    again = tmp_path / "again.pb.gz"
    again.write_bytes(export(path, "pprof"))

    def stacks(made):
        nodes, sums = made["pprof_node"], {}
        values = made["pprof_node_value"]
        for at, node in enumerate(values["node_index"]):
            stack = []
            own = max(values["self_value"][at], 0)
            while node >= 0:
                address = nodes["address"][node]
                stack.append(nodes["function_name"][node] or (hex(address % (1 << 64)) if address else "(anonymous)"))
                node = nodes["parent_index"][node]
            key = (values["value_index"][at], *stack)
            sums[key] = sums.get(key, 0) + own
        return {key: value for key, value in sums.items() if value}

    before, after = (oracle.tables(file.read_bytes(), "x") for file in (path, again))
    assert stacks(after) == stacks(before)
    for column in ("value_type", "unit"):
        assert after["pprof_sample_type"][column] == before["pprof_sample_type"][column]
    assert after["pprof_files"]["default_value_index"] == before["pprof_files"]["default_value_index"]
    text = export(again, "collapsed").decode()
    assert sorted(text.split("\n")) == sorted(export(path, "collapsed").decode().split("\n"))


# -------------------------------------------------------------------------------- damage


@pytest.mark.parametrize("name", ["go-heap.pb", "symbols-first.pb"])
def test_truncated_files_keep_what_is_there(name, tmp_path):
    """Cut between fields, the rest is a profile of its own, as the oracle reads it."""
    data = (PPROF / name).read_bytes()
    for end in random.Random(7).sample(range(8, len(data)), 25):
        file = tmp_path / "cut.pb"
        file.write_bytes(data[:end])
        folder = convert(file, tmp_path / f"t{end}")
        try:
            whole = oracle.tables(data[:end], file.name)
        except oracle.Broken:
            found = codes(folder)
            assert found["truncated"] == 1, (end, found)
            assert read_rows(folder, "source")[0]["status"] == "truncated"
            start = max(at for at in range(end) if is_message(data[:at]))
            whole = oracle.tables(data[:start], file.name)
        for table, columns in whole.items():
            assert_same(read_table(folder, table), arrow_table(columns, oracle.TABLES[table]), f"{table} of {end}")


@pytest.mark.parametrize("packs", [bytes, gzip.compress], ids=["messages", "gzip"])
@pytest.mark.parametrize("names", [("go-heap.pb", "counts.pb"), ("go-heap.pb",) * 3, ("symbols-first.pb",) * 2])
def test_of_several_profiles_the_first_is_read(names, packs, tmp_path):
    """docs/internals/profiles.md says why, and what other readers do."""
    file, alone = tmp_path / "all.pb", PPROF / names[0]
    file.write_bytes(b"".join(packs((PPROF / name).read_bytes()) for name in names))
    folder = convert(file, tmp_path / "t")
    assert (codes(folder), read_rows(folder, "source")[0]["status"]) == ({"second_document": 1}, "truncated")
    for table, columns in oracle.tables(alone.read_bytes(), file.name).items():
        assert_same(read_table(folder, table), arrow_table(columns, oracle.TABLES[table]), table)
    heapquarry("convert", file, "-o", tmp_path / "strict", "--strict", expect=2)


def is_message(data):
    try:
        oracle.fields(data)
    except oracle.Broken:
        return False
    return True


def test_invalid_fields_end_the_reading(tmp_path):
    data = (PPROF / "go-heap.pb").read_bytes()
    file = tmp_path / "bad.pb"
    file.write_bytes(data + b"\x0b" + data)
    folder = convert(file, tmp_path / "t")
    (entry,) = read_rows(folder, "import_log")
    assert (entry["code"], entry["byte_offset"]) == ("malformed", len(data))
    assert read_rows(folder, "pprof_sample") == read_rows(convert(PPROF / "go-heap.pb", tmp_path / "u"), "pprof_sample")


def test_hostile_profiles_take_little_memory(tmp_path):
    """A location with many lines in a stack of many calls; types without end; a field that claims to be endless."""
    sys.path.insert(0, str(CORPUS / "generate"))
    import pprof

    many = pprof.Profile()
    many.value_type("sample_type", "samples", "count")
    many.location(1, *[(1, 1)] * 20_000)
    many.sample([1] * 20_000, [1])
    types = pprof.Profile()
    for _ in range(5000):
        types.add("sample_type", pprof.number(1, 1))
    types.location(1, (1, 1))
    for _ in range(200):
        types.sample([1], [1] * 5000)
    endless = pprof.Profile()
    endless.value_type("sample_type", "samples", "count")
    data = endless.bytes() + pprof.varint(6 << 3 | 2) + pprof.varint((1 << 62) - 1) + b"abc"
    for name, data in {"many": many.bytes(), "types": types.bytes(), "endless": data}.items():
        file = tmp_path / f"{name}.pb.gz"
        file.write_bytes(gzip.compress(data))
        command = [binary(), "convert", file, "-o", tmp_path / name]
        limited = ["sh", "-c", 'ulimit -v 1500000; exec "$@"', "sh", *map(str, command)]
        subprocess.run(limited, check=True, capture_output=True, timeout=60)
        assert read_rows(tmp_path / name, "source")[0]["status"] in ("repaired", "truncated")


# -------------------------------------------------------------------------------- views


def test_views(tmp_path, database):
    path = PPROF / "go-heap.pb"
    load_views(database, convert(path, tmp_path / "t"))
    made = oracle.tables(path.read_bytes(), path.name)
    rows = database.sql(
        "SELECT function_name, sum(self_value)::BIGINT, sum(total_value)::BIGINT FROM pprof_function_value "
        "WHERE value_type = 'alloc_space' AND function_name IS NOT NULL GROUP BY 1"
    ).fetchall()
    expected = {name: sums for name, sums in by_function(made, 1).items() if not name.startswith("0x")}
    assert {name: (own, total) for name, own, total in rows} == expected
    stack = database.sql("SELECT function_name FROM pprof_stack WHERE node_index = 4 ORDER BY distance").fetchall()
    assert [name for (name,) in stack][-1] == "runtime.main" and len(stack) == 5
    labels = database.sql("SELECT num_value, num_unit FROM pprof_label ORDER BY sample_index").fetchall()
    assert labels[0] == (4096, "bytes")
    values = database.sql(
        "SELECT value_type, unit, sum(sample_value)::BIGINT FROM pprof_sample_value GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    types = made["pprof_sample_type"]
    assert values == sorted(zip(types["value_type"], types["unit"], types["total_value"]))
