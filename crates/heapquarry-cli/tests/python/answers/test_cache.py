"""The cache of `heapquarry query`: converted once, used by all, bounded, private."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest
from conftest import CORPUS, binary, heapquarry, wait_until

HEAP = CORPUS / "node22.heapsnapshot.gz"
SMALL = CORPUS / "handmade" / "bun.heapsnapshot"
COUNT = "SELECT count(*) AS n FROM js_heap_nodes"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("HEAPQUARRY_CACHE_DIR", str(folder))
    return folder


def ask(*args, **options):
    return heapquarry("query", "-q", *args, "--format", "csv", **options).stdout


def entries():
    return json.loads(heapquarry("cache", "list", "--json").stdout)


def tables(cache):
    return {path: path.stat().st_ino for path in cache.glob("*/tables/js_heap_nodes.parquet")}


def test_an_input_is_converted_once(cache, tmp_path):
    assert entries() == []
    assert ask(SMALL, COUNT) == "n\n11\n"
    made = tables(cache)
    assert len(made) == 1
    assert ask(SMALL, COUNT) == "n\n11\n" and tables(cache) == made
    # Another file with the same content and name, and the path of each in the answer.
    copy = tmp_path / "bun.heapsnapshot"
    shutil.copy(SMALL, copy)
    assert ask(copy, "SELECT path FROM source") == f"path\n{copy}\n"
    assert ask(SMALL, "SELECT path FROM source") == f"path\n{SMALL}\n" and tables(cache) == made
    # The analysis is another entry, made where the query mentions it.
    assert ask(SMALL, "SELECT count(*) AS n FROM heap_object") == "n\n11\n"
    assert [entry["options"] for entry in entries()] == ["--analyze", ""]
    assert ask(SMALL, COUNT, "--no-cache") == "n\n11\n" and len(tables(cache)) == 2


def test_a_changed_file_is_converted_again(cache, tmp_path):
    path = tmp_path / "x.heapsnapshot"
    shutil.copy(SMALL, path)
    assert ask(path, COUNT) == "n\n11\n"
    time.sleep(3.2)  # Until its times are trusted.
    ask(path, COUNT)
    times = path.stat()
    text = path.read_text()
    path.write_text(text.replace("Array", "Arrby"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert ask(path, "SELECT count(*) AS n FROM js_heap_string WHERE string = 'Arrby'") == "n\n1\n"
    assert len(tables(cache)) == 2


def test_list_clear_and_path(cache, tmp_path):
    assert heapquarry("cache", "path").stdout == f"{cache}\n"
    assert heapquarry("cache", "clear").stdout == "0 converted inputs removed, 0 B\n" and not cache.exists()
    ask(SMALL, COUNT)
    listed = heapquarry("cache", "list").stdout
    assert str(SMALL) in listed and "1 converted input," in listed and str(cache) in listed
    [entry] = entries()
    assert entry["source"] == str(SMALL) and not entry["in_use"] and 10_000 < entry["bytes"] < 1_000_000
    assert heapquarry("cache", "clear").stdout.startswith("1 converted input removed")
    assert entries() == [] and not tables(cache)
    assert sorted(path.name for path in cache.rglob("*") if path.is_file()) == ["CACHEDIR.TAG", "seed"]


def test_the_folder_follows_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv("HEAPQUARRY_CACHE_DIR")
    for env, expected in [
        ({"XDG_CACHE_HOME": "/x/y"}, "/x/y/heapquarry"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/heapquarry"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/heapquarry"),
        ({"HEAPQUARRY_CACHE_DIR": "/z", "XDG_CACHE_HOME": "/x"}, "/z"),
    ]:
        assert heapquarry("cache", "path", env=os.environ | env).stdout == f"{expected}\n"
    done = heapquarry("cache", "list", env=os.environ | {"HEAPQUARRY_CACHE_SIZE": "much"}, expect=2)
    assert "HEAPQUARRY_CACHE_SIZE" in done.stderr


def test_the_least_recently_used_goes_first(cache, tmp_path, monkeypatch):
    ask(SMALL, COUNT)
    [entry] = entries()
    monkeypatch.setenv("HEAPQUARRY_CACHE_SIZE", str(entry["bytes"] * 5 // 2))
    paths = [tmp_path / f"{n}.heapsnapshot" for n in range(3)]
    for path in paths:
        shutil.copy(SMALL, path)
        ask(path, COUNT)
    assert [entry["source"] for entry in entries()] == [str(paths[2]), str(paths[1])]
    ask(paths[1], COUNT)
    ask(paths[0], COUNT)
    assert [entry["source"] for entry in entries()] == [str(paths[0]), str(paths[1])]


@contextlib.contextmanager
def a_query(folder):
    """While a query uses the entry of an input, and does not end."""
    endless = "SELECT count(*) FROM range(100000000000) a, js_heap_nodes b, js_heap_nodes c"
    env = os.environ | {"TMPDIR": str(folder)}
    folder.mkdir()
    run = subprocess.Popen([binary(), "query", "-q", SMALL, endless], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # DuckDB has a folder only after the entry was made and looked at.
        wait_until(lambda: list(folder.iterdir()), run)
        yield
    finally:
        run.terminate()
        run.wait(300)


def test_what_a_query_uses_stays(cache, tmp_path):
    with a_query(tmp_path / "temporary"):
        ask(SMALL, COUNT, env=os.environ | {"HEAPQUARRY_CACHE_SIZE": "1"})
        ask(HEAP, COUNT, env=os.environ | {"HEAPQUARRY_CACHE_SIZE": "1"})
        assert str(SMALL) in [entry["source"] for entry in entries()]
        assert "1 converted input in use, not removed" in heapquarry("cache", "clear").stdout
        assert [(entry["source"], entry["in_use"]) for entry in entries()] == [(str(SMALL), True)]
    assert [entry["in_use"] for entry in entries()] == [False]


def test_processes_at_once_convert_once_and_agree(cache):
    start = lambda: subprocess.Popen([binary(), "query", "-q", HEAP, COUNT, "--format", "csv"], stdout=subprocess.PIPE)
    answers = {run.communicate(timeout=120)[0] for run in [start() for _ in range(4)]}
    assert len(answers) == 1 and len(tables(cache)) == 1
    # Nobody has replaced what another one read.
    assert len(list(cache.glob("*.lock"))) == 1 and not leftovers(cache)


def leftovers(cache):
    return list(cache.glob("*/.tables*"))


def killed_while_it_converts(cache):
    """A conversion may be done before it is killed: then another one is."""
    deadline = time.monotonic() + 300
    while not leftovers(cache):
        assert time.monotonic() < deadline
        heapquarry("cache", "clear")
        run = subprocess.Popen([binary(), "query", "-q", HEAP, COUNT], stdout=subprocess.DEVNULL)
        while run.poll() is None and not leftovers(cache):
            pass
        run.kill()
        run.wait(300)


def test_a_killed_process_leaves_nothing_that_counts(cache):
    expected = ask(HEAP, COUNT)
    for _ in range(3):
        killed_while_it_converts(cache)
        assert entries() == []
        assert ask(HEAP, COUNT) == expected
        assert not leftovers(cache) and len(entries()) == 1


def test_only_the_owner_can_read(cache):
    old = os.umask(0)
    try:
        ask(SMALL, COUNT)
    finally:
        os.umask(old)
    for path in [cache, *cache.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_folder_that_cannot_be_used_costs_only_time(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    env = os.environ | {"HEAPQUARRY_CACHE_DIR": str(file), "TMPDIR": str(tmp_path)}
    done = heapquarry("query", SMALL, COUNT, "--format", "csv", env=env)
    assert done.stdout == "n\n11\n" and "what is converted is not kept" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_pipe_is_converted_each_time(cache, tmp_path):
    done = subprocess.run([binary(), "query", "-q", "-", COUNT, "--format", "csv"], input=SMALL.read_bytes(), capture_output=True)
    assert done.stdout == b"n\n11\n" and entries() == []


DAMAGES = {
    "a table is missing": lambda entry: (entry / "tables/js_heap_nodes.parquet").unlink(),
    "a table is empty": lambda entry: os.truncate(entry / "tables/js_heap_nodes.parquet", 0),
    "a table is cut": lambda entry: os.truncate(entry / "tables/js_heap_nodes.parquet", 1000),
    "a table is another": lambda entry: shutil.copy(entry / "tables/js_heap_edges.parquet", entry / "tables/js_heap_nodes.parquet"),
    "a bit is another": lambda entry: flip(entry / "tables/js_heap_nodes.parquet"),
    "a table is a link": lambda entry: elsewhere(entry / "tables/js_heap_nodes.parquet"),
    "no tables": lambda entry: shutil.rmtree(entry / "tables"),
    "no manifest": lambda entry: (entry / "tables/_manifest.json").unlink(),
    "another manifest": lambda entry: (entry / "tables/_manifest.json").write_text("{"),
    "no description": lambda entry: (entry / "entry.json").unlink(),
    "another description": lambda entry: (entry / "entry.json").write_text("x"),
    "an old description": lambda entry: (entry / "entry.json").write_text('{"bytes": 1}'),
}


def flip(path):
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)


def elsewhere(path):
    path.rename(path.parent.parent.parent / "moved")
    path.symlink_to(path.parent.parent.parent / "moved")


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_made_anew(cache, damage):
    sql = "SELECT count(*) AS n, sum(id) AS ids FROM js_heap_nodes"
    expected = ask(SMALL, sql)
    [entry] = [path.parent for path in cache.glob("*/entry.json")]
    DAMAGES[damage](entry)
    assert ask(SMALL, sql) == expected
    made = tables(cache)
    assert ask(SMALL, sql) == expected and tables(cache) == made


def test_a_damaged_entry_that_others_use_is_left_alone(cache, tmp_path):
    with a_query(tmp_path / "temporary"):
        [manifest] = cache.glob("*/tables/_manifest.json")
        manifest.write_text("{")
        assert ask(SMALL, COUNT) == "n\n11\n" and manifest.read_text() == "{"
    assert ask(SMALL, COUNT) == "n\n11\n" and manifest.read_text() != "{"


# With the first question that uses an index.
SAVED = re.compile(r"note: \S+ was not read: its index is used, which saves [0-9.]+ s of reading and analysing\n")


def test_an_index_saves_reading_the_file_and_a_damaged_one_is_not_used(cache, tmp_path):
    path = tmp_path / "x.heapsnapshot"
    shutil.copy(SMALL, path)
    verbs = [("summary",), ("why", "--class", "*"), ("why", "--class", "*", "--shortest"), ("show", "--class", "*"), ("find",)]
    verbs += [(verb, "--node", "3") for verb in ("why", "show")]
    verbs += [("find", "--class", "*", "--sort", sort, "--offset", "1") for sort in ("own", "retained")]
    verbs += [("find", "--class", "*", "--min-size", "1"), ("find", "--class", "*", "--strings")]
    ask_all = lambda *flags: [heapquarry(verb, path, *more, "--json", *flags) for verb, *more in verbs]
    plain = [done.stdout for done in ask_all()]
    assert not cache.exists(), "a question keeps nothing"
    assert heapquarry("index", path).stdout.endswith("is kept\n")
    assert heapquarry("index", path).stdout.endswith("is kept already\n")
    assert [entry["options"] for entry in entries()] == ["index"]
    first, *others = ask_all()
    assert SAVED.fullmatch(first.stderr) and [done.stderr for done in others] == [""] * len(others)
    assert [(done.stdout, done.stderr) for done in ask_all()] == [(text, "") for text in plain]
    (index,) = cache.glob("*/tables/heap.index")
    # All of it is checked once a day.
    (checked,) = cache.glob("*/checked")
    then = checked.stat().st_mtime_ns - 2 * 86400 * 10**9
    os.utime(checked, ns=(then, then))
    assert [(done.stdout, done.stderr) for done in ask_all()] == [(text, "") for text in plain]
    assert checked.stat().st_mtime_ns > then
    # Whatever is done to its file, even to its times alone, it is not the one that was written.
    whole, times = index.read_bytes(), index.stat()
    for changed in [whole, whole[:-1], whole[:99] + bytes([whole[99] ^ 1]) + whole[100:]]:
        index.write_bytes(changed)
        os.utime(index, ns=(times.st_atime_ns, times.st_mtime_ns))
        for done, text in zip(ask_all(), plain):
            assert done.stdout == text
            assert done.stderr.startswith("note: the index of") and "not the one that was written here" in done.stderr
        assert [done.stderr for done in ask_all("--no-cache")] == [""] * len(verbs)
    assert heapquarry("index", path).stdout.endswith("is kept\n")
    assert [(done.stdout, SAVED.sub("", done.stderr)) for done in ask_all()] == [(text, "") for text in plain]
    path.write_text(path.read_text().replace("Window", "Wander"))
    assert [done.stderr for done in ask_all()] == [""] * len(verbs)


def test_indices_of_several_snapshots_change_no_answer(cache):
    files = sorted((CORPUS / "leak").glob("*.heapsnapshot.gz"))
    first, last = files[0], files[-1]
    asked = [(verb, last, "--class", "Session*", "--new-since", first) for verb in ("why", "find")]
    asked += [("diff", first, last), ("leaks", *files), ("show", last, "--class", "Session*")]
    all_asked = lambda: (heapquarry(*args, "--json") for args in asked)
    ask_all = lambda: [(done.stdout, SAVED.sub("", done.stderr)) for done in all_asked()]
    plain = ask_all()
    assert all(text and not notes for text, notes in plain)
    # With that of the last alone, too.
    heapquarry("index", last)
    assert ask_all() == plain
    heapquarry("index", *files)
    assert ask_all() == plain


def test_what_stands_beside_a_snapshot_is_part_of_it(cache, tmp_path):
    path = tmp_path / "a.heapsnapshot"
    shutil.copy(SMALL, path)
    beside = tmp_path / "a.heapsnapshot.process.json"
    sql = "SELECT heap_used FROM process_sample"
    for used in (7_000_000, 8_000_000, 7_000_000):
        process = {"inside": {"heap_used": used}}
        beside.write_text(json.dumps({"version": 1, "file_bytes": path.stat().st_size, "process": process}))
        assert [ask(path, sql), ask(path, sql)] == [f"heap_used\n{used}\n"] * 2
    assert len(entries()) == 2
    beside.unlink()
    ask(path, COUNT)
    assert len(entries()) == 3
