"""What the tests share: the binary, the recordings, and comparing tables."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import CHROMIUM, Browser
from filelock import FileLock
from oracles import heap as oracle

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "corpus"
ENDINGS = (".heapsnapshot", ".heaptimeline", ".heapsnapshot.gz", ".heaptimeline.gz")
ARROW_TYPES = {"int32": pa.int32(), "int64": pa.int64(), "text": pa.string(), "label": pa.string(), "float64": pa.float64()}


def find_recordings(folder):
    return sorted(p for p in Path(folder).rglob("*") if p.name.endswith(ENDINGS))


def all_recordings():
    found = find_recordings(CORPUS)
    if extra := os.environ.get("HEAPQUARRY_EXTRA_DATA"):
        found += find_recordings(Path(extra) / "v8")
    return found


def extra_files(folder, pattern):
    """Further recordings, if there are any."""
    extra = os.environ.get("HEAPQUARRY_EXTRA_DATA")
    return sorted((Path(extra) / folder).rglob(pattern)) if extra else []


def short_name(path):
    return path.name if path.is_relative_to(CORPUS) else f"extra:{path.name}"


# -------------------------------------------------------------------------------- running the command

# The DuckDB command of requirements.txt, and a cache that nobody else uses.
os.environ.setdefault("HEAPQUARRY_DUCKDB", str(Path(sys.executable).parent / "duckdb"))
CACHE = tempfile.TemporaryDirectory(prefix="cache-of-tests-")
os.environ["HEAPQUARRY_CACHE_DIR"] = CACHE.name


def binary():
    path = Path(os.environ.get("HEAPQUARRY_BIN", ROOT / "target" / "debug" / "heapquarry")).resolve()
    assert path.exists(), f"no {path}: run `cargo build -p heapquarry-cli`, or name the binary in HEAPQUARRY_BIN"
    return str(path)


def heapquarry(*args, expect=0, timeout=300, **options):
    """Runs the command; `expect` is its exit code."""
    args = [binary(), *map(str, args)]
    done = subprocess.run(args, capture_output=True, timeout=timeout, **options)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    assert "panicked" not in done.stderr, done.stderr
    assert done.returncode == expect, f"{args}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def wait_until(condition, process=None, seconds=300, told=str):
    """Until the condition holds, or the process has ended too early. The time is that of a machine that hangs. `told` is
    what the process has said."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert process is None or process.poll() is None, f"ended with {process.returncode}\n{told()}"
        assert time.monotonic() < deadline, f"waited for too long\n{told()}"
        time.sleep(0.002)
    return found


def convert(source, out, *flags, **options):
    """Converts, and gives back the folder of tables."""
    heapquarry("convert", source, "-o", out, *flags, **options)
    return Path(out)


# -------------------------------------------------------------------------------- pages


@contextmanager
def serving(*args):
    """A server of `heapquarry open`, with its address."""
    process = subprocess.Popen(
        [binary(), "open", *map(str, args), "--no-browser", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        process.address = process.stdout.readline().strip()
        assert process.address, process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def served(request):
    """The page of a module's `INPUT`: one, or a list of several."""
    inputs = request.module.INPUT
    with serving(*(inputs if isinstance(inputs, list) else [inputs])) as process:
        yield process


@pytest.fixture(scope="session")
def chromium():
    """One for all modules that a process of the tests runs: each start takes seconds of CPU time."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium")
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(chromium):
    yield chromium
    # The server of the last page ends now, and the page would write errors to the log.
    chromium.visit("about:blank")


# -------------------------------------------------------------------------------- tables


def plain(table):
    """The table with its text as plain strings."""
    columns = [c.cast(pa.string()) if is_text(c.type) else c for c in table.columns]
    return pa.table([c.combine_chunks() for c in columns], names=table.column_names)


def is_text(type):
    return pa.types.is_dictionary(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type)


def read_table(folder, name):
    return plain(pq.read_table(folder / f"{name}.parquet"))


def read_rows(folder, name):
    return read_table(folder, name).to_pylist()


def read_tables(folder):
    return {name: read_table(folder, name) for name in oracle.TABLES}


def arrow_table(columns, types):
    return pa.table({name: pa.array(values, ARROW_TYPES[types[name]]) for name, values in columns.items()})


def expected_tables(made):
    return {name: arrow_table(columns, oracle.TABLES[name]) for name, columns in made.items()}


def assert_same(actual, expected, what):
    """Every row of every column that is expected."""
    assert actual.num_rows == expected.num_rows, f"{what}: {actual.num_rows} rows, not {expected.num_rows}"
    for name in expected.column_names:
        have, want = actual.column(name).combine_chunks(), expected.column(name).combine_chunks()
        assert have.type == want.type, f"{what}.{name}: {have.type}, not {want.type}"
        if not have.equals(want):
            rows = [(i, h, w) for i, (h, w) in enumerate(zip(have.to_pylist(), want.to_pylist())) if h != w]
            shown = "\n".join(f"  row {i}: {h!r:.300}, not {w!r:.300}" for i, h, w in rows[:5])
            pytest.fail(f"{what}.{name}: {len(rows)} rows differ\n{shown}", pytrace=False)


def codes(folder):
    """How often each code stands in import_log."""
    counts = {}
    for row in read_rows(folder, "import_log"):
        counts[row["code"]] = counts.get(row["code"], 0) + row["occurrences"]
    return counts


# -------------------------------------------------------------------------------- recordings


class Recording:
    """One input file, what the oracle makes of it, and what the command makes of it."""

    def __init__(self, path, scratch):
        self.path, self.scratch = path, scratch

    @cached_property
    def snapshot(self):
        return oracle.Snapshot.parse(oracle.read_bytes(self.path))

    @cached_property
    def expected(self):
        return expected_tables(oracle.tables(self.snapshot, self.path))

    @cached_property
    def tables(self):
        """The folder that `convert` writes."""
        return convert(self.path, self.scratch / "flat")

    @cached_property
    def tables_without_names(self):
        return convert(self.path, self.scratch / "names-id", "--names", "id")


@pytest.fixture(scope="session", params=all_recordings(), ids=short_name)
def recording(request, tmp_path_factory):
    """Every recording in turn. The scope makes pytest finish one before it goes on to the next."""
    return Recording(request.param, tmp_path_factory.mktemp("recording"))


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """A folder with the packages of package.json, which all processes of a run share."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("there is no node with npm")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "packages"
    # The first installs, and the others wait.
    with FileLock(shared / "packages.lock"):
        if not (folder / "installed").exists():
            folder.mkdir(exist_ok=True)
            shutil.copy(Path(__file__).parent / "package.json", folder)
            install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
            subprocess.run(install, cwd=folder, check=True, timeout=600)
            (folder / "installed").touch()
    return folder


@pytest.fixture(scope="session")
def deno(request):
    """The installed Deno, or else that of npm."""
    if installed := shutil.which("deno"):
        return installed
    folder = request.getfixturevalue("packages") / "node_modules" / "@deno"
    for found in folder.glob("*/deno"):
        if subprocess.run([found, "--version"], capture_output=True).returncode == 0:
            return found
    pytest.skip("there is no Deno for this machine")


@pytest.fixture(scope="session")
def schema():
    """Tables and columns as `heapquarry schema` tells them."""
    return json.loads(heapquarry("schema", "--format", "json").stdout)


@pytest.fixture
def database():
    with duckdb.connect() as connection:
        yield connection


def load_views(database, folder):
    """Makes the views of a directory, by its own views.sql."""
    place = str(Path(folder).resolve()).replace("'", "''")
    database.execute(f"SET VARIABLE heapquarry_dir = '{place}'")
    database.execute((Path(folder) / "views.sql").read_text())


def query(database, sql):
    return plain(database.sql(sql).to_arrow_table())
