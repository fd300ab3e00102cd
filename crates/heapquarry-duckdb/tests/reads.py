"""The rows that a DuckDB reads of files in corpus/ with the extension are those of their Parquet files.

usage: reads.py EXTENSIONS HEAPQUARRY [--objects]

--objects: the extension is built with object storage, as all of the workspace is for tests. The published one is not.
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

EXTENSIONS, HEAPQUARRY = (Path(path).resolve() for path in sys.argv[1:3])
HAS_OBJECTS = sys.argv[3:] == ["--objects"]
CORPUS = Path(__file__).resolve().parents[3] / "corpus"

# Files, and the functions that read them.
FILES = {
    "node24-numeric.heapsnapshot.gz": "read_heapsnapshot",
    "node24.heaptimeline.gz": "read_heapsnapshot",
    "pprof/go-heap.pb": "read_pprof",
    "profiles/chromium.selfprofile.json": "read_selfprofile",
    "profiles/node26.cpuprofile": "read_cpuprofile",
    "profiles/node26.heapprofile": "read_heapprofile",
    "traces/node26.trace.json.gz": "read_trace",
}


def text(path):
    return "'" + str(path).replace("'", "''") + "'"


def main():
    database = duckdb.connect(config={"allow_unsigned_extensions": True})
    [platform] = database.execute("PRAGMA platform").fetchone()
    database.execute(f"LOAD {text(EXTENSIONS / platform / 'heapquarry.duckdb_extension')}")
    tables = rows = 0
    for file, function in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "tables"
            subprocess.run([HEAPQUARRY, "convert", CORPUS / file, "-o", out, "--analyze", "--quiet"], check=True)
            for parquet in sorted(out.glob("*.parquet")):
                read = f"{function}({text(CORPUS / file)}, table_name := {text(parquet.stem)})"
                expected = f"read_parquet({text(parquet)})"
                # Read once for both directions: each reading decodes the whole file.
                database.execute(f"CREATE OR REPLACE TEMP TABLE found AS FROM {read}")
                for a, b in [("found", expected), (expected, "found")]:
                    wrong = database.execute(f"FROM {a} EXCEPT ALL FROM {b} LIMIT 1").fetchall()
                    assert not wrong, f"{file} {parquet.stem}: {wrong} only in {a}, of {read}"
                counts = {database.execute(f"SELECT count(*) FROM {one}").fetchone() for one in (read, expected)}
                assert len(counts) == 1, f"{file} {parquet.stem}: {counts}"
                tables += 1
                rows += counts.pop()[0]
    print(f"DuckDB {duckdb.__version__}: {rows} rows of {tables} tables are equal")
    check_refusals(database)


def check_refusals(database):
    """What cannot be read is an error in plain words, and the database goes on."""
    heap = text(CORPUS / "node24-numeric.heapsnapshot.gz")
    refusals = [
        ("read_heapsnapshot('none.heapsnapshot')", "none.heapsnapshot"),
        ("read_heapsnapshot('/dev/null')", "input is empty"),
        (f"read_heapsnapshot({heap}, table_name := 'slice')", "has no table slice; it has"),
        (f"read_trace({heap})", "has no table slice; it has"),
        ("read_heapsnapshot(NULL)", "not NULL"),
    ]
    if not HAS_OBJECTS:
        refusals.append(("read_heapsnapshot('s3://heaps/a.heapsnapshot')", "built without object storage"))
    for call, why in refusals:
        try:
            database.execute(f"FROM {call}").fetchall()
        except duckdb.Error as error:
            assert why in str(error), f"{call}: {error}"
        else:
            raise AssertionError(f"{call} has an answer")
    check_losses(database)
    # A query that wants no more ends early, and one without columns counts rows.
    assert len(database.execute(f"FROM read_heapsnapshot({heap}) LIMIT 3").fetchall()) == 3
    assert database.execute(f"SELECT count(*) > 1000 FROM read_heapsnapshot({heap})").fetchone() == (True,)


def check_losses(database):
    """Rows of a file that is cut are not taken for all of them, unless they are asked for."""
    with tempfile.TemporaryDirectory() as folder:
        cut = Path(folder) / "cut.heapsnapshot"
        content = gzip.decompress((CORPUS / "node24-numeric.heapsnapshot.gz").read_bytes())
        cut.write_bytes(content[: len(content) // 4])
        count = f"SELECT count(*) FROM read_heapsnapshot({text(cut)}, "
        try:
            database.execute(f"{count} table_name := 'js_heap_nodes')").fetchall()
        except duckdb.Error as error:
            assert "defect" in str(error) and "allow_losses := true" in str(error), error
        else:
            raise AssertionError("nodes of a file that is cut are counted")
        [rows] = database.execute(f"{count} allow_losses := true)").fetchone()
        [reasons] = database.execute(f"{count} table_name := 'import_log')").fetchone()
        assert rows > 1000 and reasons > 0, (rows, reasons)


main()
