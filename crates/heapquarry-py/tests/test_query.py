"""`heapquarry query` of the wheel, where the only DuckDB is the Python package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CORPUS, ROOT

HEAP = CORPUS / "handmade/bun.heapsnapshot"
# The command, if there is one: what both print is the same.
DUCKDB = Path(os.environ.get("HEAPQUARRY_DUCKDB", ROOT / ".venv/bin/duckdb"))


def ask(*args, cwd=None, input="", **env):
    words = [sys.executable, "-m", "heapquarry", *map(str, args)]
    names = ["HEAPQUARRY_CACHE_DIR", "PYTHONPATH", "TMPDIR", "HOME"]
    kept = {name: os.environ[name] for name in names if name in os.environ}
    path = {"PATH": "/nowhere", **kept, **env}
    return subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=cwd, env=path, input=input)


TABLE = """\
┌─────┬──────┬─────┐
│  a  │  b   │ ccc │
├─────┼──────┼─────┤
│ 1.5 │ NULL │ é日 │
│ 2   │ x\\ny │     │
└─────┴──────┴─────┘
"""
VALUES = "SELECT * FROM (VALUES (1.5, NULL, 'é日'), (2, E'x\\ny', '')) t(a, b, ccc)"


def test_a_table_has_its_frame():
    done = ask("query", "-q", HEAP, VALUES.replace("1.5", "'1.5'").replace("(2,", "('2',"))
    assert (done.returncode, done.stdout) == (0, TABLE), done.stderr


# What is asked, and how.
SAME = [
    (["SELECT type, count(*) AS n, sum(self_size) AS b FROM js_heap_nodes GROUP BY ALL ORDER BY n DESC, type"], ""),
    (["SELECT class_name, retained_size FROM heap_object ORDER BY 2 DESC, 1 LIMIT 5"], ""),
    ([VALUES], ""),
    ([VALUES, "--format", "csv"], ""),
    ([VALUES, "--format", "json"], ""),
    ([VALUES, "--format", "markdown"], ""),
    (["SELECT 1 AS a, 2 AS a, [1, NULL] AS l, {'x': 'y'} AS s, DATE '2026-01-02' AS d, 1e300 AS f, true AS t"], ""),
    (["SELECT 1 AS empty WHERE false"], ""),
    (["DESCRIBE js_heap_sample"], ""),
    ([], "CREATE TEMP TABLE x AS SELECT 41 AS a; SELECT a + 1 AS b FROM x; SELECT '.safe_mode' AS c"),
]


@pytest.mark.skipif(not DUCKDB.exists(), reason="there is no DuckDB command")
@pytest.mark.parametrize(("args", "script"), SAME, ids=lambda value: str(value)[:30])
def test_it_prints_what_the_command_prints(args, script):
    ours = ask("query", "-q", HEAP, *args, input=script)
    theirs = ask("query", "-q", HEAP, *args, input=script, HEAPQUARRY_DUCKDB=str(DUCKDB))
    assert (ours.returncode, ours.stderr) == (0, "") and ours.stdout == theirs.stdout


def test_files_are_written(tmp_path):
    done = ask("query", "-q", HEAP, "SELECT 1 AS a", "-o", tmp_path / "x.json")
    assert done.returncode == 0 and json.loads((tmp_path / "x.json").read_text()) == [{"a": 1}]
    ask("convert", "-q", HEAP, "-o", "t", cwd=tmp_path)
    done = ask("views", "t", "--duckdb", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "t/heapquarry.duckdb").stat().st_size > 0, done.stderr


REFUSED = ["SELEC 1", "FROM nothing_like_it", "FROM read_text('/etc/hostname')", "COPY (SELECT 1) TO 'x'", "SELECT error('no')"]


@pytest.mark.parametrize("sql", REFUSED)
def test_errors_are_those_of_duckdb(sql, tmp_path):
    done = ask("query", "-q", HEAP, sql, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("error: DuckDB: "), done
    assert not list(tmp_path.iterdir())


def test_the_next_step_is_one_that_works(tmp_path):
    done = ask("convert", HEAP, "-o", "t", cwd=tmp_path)
    assert "next: heapquarry query t\n" in done.stderr
    # Without any DuckDB: the native command, which knows no Python.
    binary = os.environ.get("HEAPQUARRY_BIN", str(ROOT / "target/debug/heapquarry"))
    for inputs, verb in [([HEAP], "summary"), ([HEAP, CORPUS / "profiles/current.cpuprofile"], "info")]:
        words = [binary, "convert", *inputs, "-o", f"{verb}.tables"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env={"PATH": "/nowhere"})
        assert f"next: heapquarry {verb} {verb}.tables\n" in done.stderr
        words = [binary, verb, f"{verb}.tables"]
        assert subprocess.run(words, capture_output=True, cwd=tmp_path, env={"PATH": "/nowhere"}).returncode == 0
