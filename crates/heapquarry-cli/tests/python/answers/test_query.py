"""`heapquarry query`: what it answers is what DuckDB answers from the converted tables; what it prints does not act."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import duckdb
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, binary, convert, heapquarry, load_views, wait_until

HEAP = CORPUS / "node18.heapsnapshot.gz"
SMALL = CORPUS / "handmade" / "bun.heapsnapshot"
TIMELINE = CORPUS / "handmade" / "v8-timeline.heaptimeline"
TRACE = CORPUS / "traces" / "chromium.trace.json.gz"
# Each with what it needs besides the tables: text in every form that quotes and pipes could break.
QUERIES = [
    (HEAP, "SELECT type, count(*) AS n, sum(self_size)::BIGINT AS bytes FROM js_heap_nodes GROUP BY ALL ORDER BY n DESC, type"),
    (HEAP, "SELECT class_name, sum(retained_size)::BIGINT AS b FROM heap_object GROUP BY ALL ORDER BY b DESC, 1 LIMIT 7"),
    (TRACE, "SELECT name, count(*) AS n FROM thread_slice GROUP BY ALL ORDER BY n DESC, name"),
    (TRACE, "SELECT count(*) AS n FROM perfetto.slice -- with a comment at its end"),
    (SMALL, "SELECT string FROM js_heap_string ORDER BY string_index;\n"),
]


def ask(*args, **options):
    return heapquarry("query", "-q", *args, **options)


def rows(*args, **options):
    return json.loads(ask(*args, "--format", "json", **options).stdout)


def test_statements_about_tables_are_queries_too():
    assert "heap_node" in [row["name"] for row in rows(SMALL, "SHOW TABLES")]
    assert rows(SMALL, "describe js_heap_sample;")[0]["column_name"] == "file_id"
    assert rows(SMALL, "SELECT NULL AS a, '' AS b, 1.5 AS c, [1] AS d WHERE true") == [{"a": None, "b": "", "c": 1.5, "d": [1]}]
    assert ask(SMALL, "SELECT NULL AS a, '' AS b", "--format", "csv").stdout == 'a,b\n,""\n'
    assert rows(SMALL, "SELECT 1 AS a WHERE false") == []
    two = ask(SMALL, "CREATE TEMP TABLE x AS SELECT 41 AS a; SELECT a + 1 FROM x; SELECT 43").stdout
    assert "42" in two and "43" in two


def test_threads_are_as_many_as_elsewhere():
    count = lambda *flags: int(rows(SMALL, "SELECT current_setting('threads') AS n", *flags)[0]["n"])
    assert count("--threads", "1") == 1
    assert count("--threads", "2") == 2
    assert count("--threads", "100000") <= 8 * os.cpu_count()


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_answers_in_every_format_are_those_of_the_tables(number, tmp_path):
    path, sql = QUERIES[number]
    folder = convert(path, tmp_path / "tables", "--analyze")
    database = duckdb.connect()
    load_views(database, folder)
    expected = database.sql(sql).to_arrow_table()
    as_json = [dict(row) for row in expected.to_pylist()]
    assert rows(path, sql) == rows(folder, sql) == as_json
    assert rows(path, sql, "--no-cache") == as_json
    text = ask(path, sql, "--format", "csv").stdout
    [header, *lines] = csv.reader(io.StringIO(text, newline=""))
    assert header == expected.column_names
    assert lines == [["" if value is None else str(value) for value in row.values()] for row in as_json]
    for name, read in [("x.parquet", pq.read_table), ("x.arrow", feather.read_table)]:
        ask(path, sql, "--output", tmp_path / name)
        found = read(tmp_path / name)
        assert found.to_pylist() == as_json and found.column_names == expected.column_names
    arrow = subprocess.run([binary(), "query", "-q", path, sql, "--format", "arrow"], capture_output=True, check=True)
    assert pa.ipc.open_file(arrow.stdout).read_all().to_pylist() == as_json
    (tmp_path / "q.sql").write_text(sql)
    table = ask(path, sql).stdout
    assert ask(path, "-f", tmp_path / "q.sql").stdout == ask(path, input=sql.encode()).stdout == table
    assert len(re.findall("^│", table, re.M)) == 1 + len(as_json)
    ask(path, sql, "-o", tmp_path / "x.md")
    markdown = (tmp_path / "x.md").read_text().splitlines()
    assert len(markdown) == 2 + len(as_json) and all(line.startswith("|") for line in markdown)


def test_several_inputs_are_one_set_of_tables(tmp_path):
    folder = convert(TIMELINE, tmp_path / "b.tables")
    found = rows(SMALL, folder, TRACE, "SELECT source, count(*) AS n FROM heap_node GROUP BY 1 ORDER BY n")
    assert found == [{"source": str(folder), "n": 10}, {"source": str(SMALL), "n": 11}]
    joined = rows(SMALL, folder, TRACE, "SELECT count(*) AS n FROM heap_edge")
    edges = [rows(path, "SELECT count(*) AS n FROM heap_edge")[0]["n"] for path in (SMALL, folder)]
    assert joined == [{"n": sum(edges)}]


def test_errors_of_sql_are_those_of_duckdb(tmp_path):
    for sql, words in [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("FROM heap_nod x", "heap_node"),
        ("SELECT error('it''s wrong') AS x", "it's wrong"),
        ("SELECT 1 WHERE 'open", "unterminated quoted string"),
        ('SELECT 1 AS "open', "unterminated quoted identifier"),
        ("SELECT $$open", "unterminated dollar-quoted string"),
        ("SELECT 1 /* open", "unterminated /* comment"),
    ]:
        for flags in [[], ["--format", "json"], ["-o", tmp_path / "out.parquet"], ["-o", tmp_path / "out.csv"]]:
            done = ask(SMALL, sql, *flags, expect=2)
            assert done.stdout == "" and done.stderr.startswith("error: DuckDB: ") and words in done.stderr
    assert not list(tmp_path.iterdir())
    # A directory without the analysis says how to get it.
    folder = convert(SMALL, tmp_path / "t")
    done = ask(folder, "SELECT max(retained_size) FROM heap_object", expect=2)
    assert "heap_object needs the analysis of the heap: convert the input with --analyze" in done.stderr


def test_output_is_whole_or_not_there(tmp_path):
    out = tmp_path / "out.csv"
    ask(SMALL, "SELECT 1 AS a", "-o", out)
    assert out.read_text() == "a\n1\n" and out.stat().st_mode & 0o777 == 0o600
    done = ask(SMALL, "SELECT 2 AS a", "-o", out, expect=2)
    assert "use --force" in done.stderr and out.read_text() == "a\n1\n"
    # It fails after a million rows.
    # DuckDB's own output of CSV and JSON then ends early, with exit code 0.
    late = "SELECT CASE WHEN range > 1000000 THEN error('late') ELSE 'x' END AS a FROM range(1000010)"
    for form in ["csv", "json", "markdown", "parquet", "arrow", "table"]:
        done = ask(SMALL, late, "-o", out, "--force", "--format", form, expect=2)
        assert "late" in done.stderr and ask(SMALL, late, "--format", form, expect=2).stdout == ""
    assert out.read_text() == "a\n1\n"
    ask(SMALL, "SELECT 2 AS a", "-o", out, "--force")
    assert out.read_text() == "a\n2\n"
    copy = tmp_path / "in.json"
    copy.write_bytes(SMALL.read_bytes())
    ask(copy, "SELECT 2 AS a", "-o", copy, "--force", expect=2)
    assert copy.read_bytes() == SMALL.read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "in.json"}


def test_a_query_reads_its_inputs_and_nothing_else(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for sql in [
        f"FROM '{secret}'",
        f"FROM read_text('{secret}')",
        f"FROM glob('{tmp_path}/*')",
        f"COPY (SELECT 1) TO '{tmp_path}/written.csv'",
        f"ATTACH '{tmp_path}/x.duckdb' AS x",
        "INSTALL httpfs",
        "LOAD httpfs",
        "FROM read_parquet('https://example.invalid/x.parquet')",
        "SET enable_external_access = true",
        "SET autoinstall_known_extensions = true",
        f".shell touch {tmp_path}/written",
        f".output {tmp_path}/written",
        f".read {secret}",
        f".open {tmp_path}/x.duckdb",
        f"SELECT 1;\n.system touch {tmp_path}/written\n",
    ]:
        ask(SMALL, sql, expect=2)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


# Statements that DuckDB has for writing to TABLE, or beside it, and for what else changes something.
WRITES = [
    "COPY (SELECT 1 AS x) TO 'TABLE'",
    "COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "COPY (SELECT 1 AS a, 2 AS b) TO 'FOLDER/new' (FORMAT parquet, PARTITION_BY (a))",
    "SELECT 1; COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "SELECT 1) TO 'TABLE' (USE_TMP_FILE false); COPY (SELECT 2",
    "SELECT 1'); COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false); SELECT ('",
    "SELECT $a$ $b$; COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false); $a$ $b$",
    "EXPLAIN ANALYZE COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "CREATE TEMP TABLE a AS SELECT 1; COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)",
    "PREPARE p AS COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false); EXECUTE p",
    "WITH q AS (COPY (SELECT 1 AS x) TO 'TABLE' (USE_TMP_FILE false)) FROM q",
    "FROM query('COPY (SELECT 1 AS x) TO ''TABLE'' (USE_TMP_FILE false)')",
    "EXPORT DATABASE 'FOLDER/export'",
    "ATTACH 'FOLDER/x.duckdb' AS x; CREATE TABLE x.t AS SELECT 1",
    "ATTACH 'TABLE' AS x",
    "IMPORT DATABASE 'FOLDER'",
    "CREATE PERSISTENT SECRET s (TYPE s3)",
    "CALL enable_logging(storage = 'file', storage_path = 'FOLDER/log')",
    "FROM enable_logging(storage = 'file', storage_path = 'FOLDER/log')",
    "FROM enable_logging(storage = 'file', storage_path = 'FOLDER/log.csv')",
    "FROM enable_logging(storage = 'file', storage_path = 'TABLE')",
    "SELECT (FROM enable_logging(storage = 'file', storage_path = 'FOLDER'))",
    "PRAGMA enable_profiling = 'json'; PRAGMA profiling_output = 'TABLE'; SELECT 1",
    "INSTALL parquet FROM 'FOLDER'",
    "DROP VIEW js_heap_nodes",
    ".output TABLE\nSELECT 1",
    ".once TABLE\nSELECT 1",
]


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_no_statement_writes_to_the_tables(tmp_path, layout, monkeypatch):
    monkeypatch.setenv("HEAPQUARRY_CACHE_DIR", str(tmp_path / "cache"))
    folder = convert(SMALL, tmp_path / "tables", "--layout", layout)
    rows(SMALL, "FROM js_heap_nodes LIMIT 1")

    def all_files():
        return {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*") if path.name != "entry.json"}

    [cached] = tmp_path.glob("cache/*/tables/js_heap_nodes.parquet")
    [theirs] = folder.glob("js_heap_nodes.parquet") if layout == "flat" else folder.glob("js_heap_nodes/*/*.parquet")
    before = all_files()
    # The cache does not depend on the layout: one of them asks it.
    of_cache = [(SMALL, cached)] if layout == "flat" else []
    for source, table in [*of_cache, (folder, theirs)]:
        for sql in WRITES:
            sql = sql.replace("TABLE'", f"{table}'").replace("FOLDER", str(table.parent))
            for form in ["table", "csv"]:
                done = ask(source, sql, "--format", form, expect=2)
                assert done.stderr.startswith("error: "), (sql, done.stderr)
            assert all_files() == before, sql


def test_a_script_has_queries_and_what_is_made_of_them():
    script = """
        -- A comment; and a statement.
        CREATE OR REPLACE TEMP VIEW v AS SELECT 40 AS a, ';' AS b;
        create table t as FROM v;
        EXPLAIN SELECT a FROM t;
        SELECT a + 1 AS c FROM t; DESCRIBE v; SUMMARIZE t
    """
    shown = ask(SMALL, script).stdout
    assert all(word in shown for word in ["41", "column_name", "approx_unique", "SEQ_SCAN"])
    for sql in ["SELECT 1 AS a; -- the end", "WITH q AS (SELECT 1 AS a) FROM q", "VALUES (1)", "(SELECT 1)"]:
        assert list(rows(SMALL, sql)[0].values()) == [1]
    done = ask(SMALL, "SELECT 1; SELECT 2", "--format", "csv", expect=2)
    assert "a query is one SELECT" in done.stderr
    assert rows(SMALL, "SELECT id FROM js_heap_nodes ORDER BY id DESC") == rows(SMALL, "FROM (SELECT id FROM js_heap_nodes) ORDER BY id DESC")


@pytest.mark.parametrize("name", ["[a]", "a*b?", "$path$", "a'b\"c", "a;b", "a b", "a\nb", "ä{c}"])
def test_paths_may_have_any_character(tmp_path, name, monkeypatch):
    """Of converted directories, of the cache, and of temporary files."""
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("HEAPQUARRY_CACHE_DIR", str(folder / "cache"))
    count = "SELECT count(*) AS n FROM js_heap_nodes"
    for flags in [[], ["--layout", "hive"]]:
        tables = convert(SMALL, folder / f"tables {len(flags)}", *flags)
        assert rows(tables, count) == [{"n": 11}]
    assert rows(SMALL, count) == rows(SMALL, count, "--no-cache") == [{"n": 11}]
    assert "11" in ask(SMALL, count).stdout
    if "?" in name:
        return  # DuckDB itself cannot make a database below such a folder: it puts `.wal` before the `?`.
    heapquarry("views", folder / "tables 0", "--duckdb")
    database = duckdb.connect(str(folder / "tables 0" / "heapquarry.duckdb"), read_only=True)
    assert database.sql(count).fetchall() == [(11,)]


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_only_the_owner_can_enter_the_folders_of_a_query(tmp_path, umask):
    """While it runs: the tables that it makes, results, and what does not fit into memory."""
    endless = "SELECT count(*) AS n FROM range(100000000000) a, range(100000000) b"
    env = os.environ | {"TMPDIR": str(tmp_path)}
    args = [binary(), "query", "-q", "--no-cache", SMALL, endless, "--format", "csv"]
    run = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, preexec_fn=lambda: os.umask(umask))
    try:
        folders = wait_until(lambda: len(found := list(tmp_path.glob("heapquarry-*"))) >= 2 and found, run)
        wait_until(lambda: all((folder / ".lock").exists() for folder in folders), run)
        assert [oct(folder.stat().st_mode & 0o777) for folder in folders] == ["0o700"] * len(folders)
        assert all(re.fullmatch("heapquarry-[0-9a-f]{16}", folder.name) for folder in folders)
    finally:
        run.terminate()
        assert run.wait(300) == 130
    assert not list(tmp_path.iterdir())


def test_file_names_and_strings_that_mean_something_elsewhere(tmp_path):
    name = "a'b\"c $(e) [x]*;\n--\x1b[31m#1.heapsnapshot"
    path = tmp_path / name
    path.write_bytes(SMALL.read_bytes())
    # Names as they are in JSON, escaped where they are shown.
    assert rows(path, "SELECT path FROM source") == [{"path": str(path)}]
    found = rows(path, TIMELINE, "SELECT DISTINCT source FROM heap_node")
    assert {row["source"] for row in found} == {str(path), str(TIMELINE)}
    act = "SELECT E'::error::x\\r\\n::warning::y\\t\\x1b[31m##[b' || chr(8238) || chr(155) AS \"\x1b|x\n\" FROM source"
    for form in ["table", "json", "markdown"]:
        shown = ask(path, act, "--format", form).stdout
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|##\\[|^\\s*::", shown, re.M), shown
        assert "error" in shown
    # A program gets the bytes.
    assert "\x1b[31m##[b\u202e\x9b" in ask(path, act, "--format", "csv").stdout


def test_wrong_usage(tmp_path):
    done = ask(SMALL, "SELECT 1 AS a", expect=2, env=os.environ | {"HEAPQUARRY_DUCKDB": "", "PATH": "/nowhere"})
    assert "pip install duckdb-cli" in done.stderr and done.stderr.count("\n") == 1
    for args, words in [
        ([SMALL, "SELECT 1 AS a", "--force"], "--output"),
        ([tmp_path / "missing", "SELECT 1 AS a"], "cannot open input"),
        ([SMALL, tmp_path / "missing"], "cannot open input"),
        ([tmp_path, "SELECT 1 AS a"], "not a heapquarry output directory"),
        ([SMALL, "-f", tmp_path / "missing.sql"], "cannot read the query"),
    ]:
        done = ask(*args, expect=2, input=b"SELECT 1")
        assert words in done.stderr


# What colours text and moves the cursor.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\\\)")


def in_a_terminal(*args, typed=()):
    """Runs it in a terminal, types each text, or what a function returns, when the one before it is shown. Gives back what
    was shown, as it was and without colours, and the exit code."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm"}
        os.execv(binary(), [binary(), *map(str, args)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    shown, seen, typed = "", 0, list(typed)
    end = time.time() + 60
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                read = os.read(terminal, 1 << 16).decode(errors="replace")
            except OSError:
                break
            shown += read
            # The prompt asks terminals for their colours.
            if "\x1b[c" in read:
                os.write(terminal, b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c")
            # And where the cursor is.
            os.write(terminal, b"\x1b[1;1R" * read.count("\x1b[6n"))
        elif typed and typed[0][0] in ESCAPES.sub("", shown)[seen:]:
            seen = len(ESCAPES.sub("", shown))
            text = typed.pop(0)[1]
            os.write(terminal, text() if callable(text) else text)
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert not typed, (typed, shown)
    return shown, ESCAPES.sub("", shown), os.waitstatus_to_exitcode(status)


def test_a_terminal_shows_as_many_rows_as_limit_says():
    _, plain, code = in_a_terminal("query", "-q", HEAP, "SELECT id FROM js_heap_nodes", "--limit", 6)
    assert code == 0 and 6 < plain.count("\n") < 20
    assert "38348 rows" in plain and "6 shown" in plain
    shown, plain, _ = in_a_terminal("query", "-q", SMALL, "SELECT chr(27) || ']0;x' AS a", "--format", "csv")
    assert "]0;x" in plain and "\x1b]0" not in shown


def test_the_prompt_has_tables_and_completion():
    typed = [
        ("D ", b"SELECT count(*) * 1000 AS many FROM heap_node;\n"),
        ("11000", b"FROM heap_alloc\t"),
        ("heap_allocation", b" LIMIT 0;\n"),
        ("0 rows", b"FROM js_heap_class;\n"),
        ("convert the input with --analyze", b".shell echo pwn''ed\n"),
        ("safe mode", b".exit\n"),
    ]
    _, plain, code = in_a_terminal("query", "-q", SMALL, typed=typed)
    assert "pwned" not in plain and code == 0


@pytest.mark.parametrize("layout", ["flat", "hive"])
def test_the_prompt_writes_over_copies_only(layout, tmp_path, monkeypatch):
    tables, temporary = tmp_path / "app.tables", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    heapquarry("convert", "-q", SMALL, "-o", tables, "--layout", layout)
    before = {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()}
    (file,) = (path for path in before if "js_heap_nodes" in str(path))

    def written_over(path):
        return f"COPY (FROM range(12)) TO '{path}' (FORMAT parquet, USE_TMP_FILE false);\n".encode()

    def copy():
        return next(temporary.glob(f"*/tables/0/{file.relative_to(tables)}"))

    typed = [
        ("D ", written_over(file)),
        ("disabled", lambda: written_over(copy())),
        ("D ", lambda: f"SELECT count(*) * 1000 AS many FROM '{copy()}';\n".encode()),
        ("12000", b".exit\n"),
    ]
    _, plain, code = in_a_terminal("query", "-q", tables, typed=typed)
    assert code == 0, plain
    assert before == {path: path.read_bytes() for path in tables.rglob("*") if path.is_file()}
    assert not list(temporary.iterdir())


def test_an_interrupt_ends_the_query_and_leaves_nothing(tmp_path):
    env = os.environ | {"TMPDIR": str(tmp_path)}
    endless = "SELECT count(*) FROM range(100000000000) a, range(100000000) b"
    run = subprocess.Popen([binary(), "query", "-q", "--no-cache", SMALL, endless], env=env, stderr=subprocess.PIPE)
    wait_until(lambda: list(tmp_path.glob("heapquarry-*/*")) and len(list(tmp_path.iterdir())) >= 2, run)
    time.sleep(0.5)
    run.send_signal(signal.SIGTERM)
    assert run.wait(300) == 130, run.stderr.read()
    assert not list(tmp_path.iterdir())


def test_the_second_interrupt_leaves_nothing_either(tmp_path):
    """A FIFO that nobody reads holds the command up, and the first interrupt does not end that."""
    folder, out = tmp_path / "temporary", tmp_path / "fifo"
    folder.mkdir()
    os.mkfifo(out)
    env = os.environ | {"TMPDIR": str(folder)}
    run = subprocess.Popen([binary(), "query", "-q", "--no-cache", SMALL, "SELECT 1 AS a", "--format", "csv", "-o", out], env=env)
    # That of the tables; that of DuckDB comes and goes.
    wait_until(lambda: len(list(folder.iterdir())) == 1, run)

    def interrupted():
        run.send_signal(signal.SIGINT)
        return run.poll() is not None

    wait_until(interrupted)
    assert run.wait() == 130 and not list(folder.iterdir())
