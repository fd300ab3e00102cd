"""The queries of docs/fleet.md over a fleet of 50 processes and 3 releases, one of which leaks."""

import datetime
import re
import shutil
from collections import Counter

import duckdb
import fleet
import pytest
from conftest import CORPUS, ROOT, heapquarry

PROCESSES = 50


@pytest.fixture(scope="module")
def queries():
    """The queries of the page, by the heading above them."""
    page = (ROOT / "docs" / "fleet.md").read_text()
    macro = re.search(r"```sql\n(CREATE.*?)```", page, re.S)[1]
    found = re.findall(r"^### ([^\n]*)\n.*?```sql\n(.*?)```", page, re.M | re.S)
    return {heading: macro + query for heading, query in found}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    fleet.write(folder / "in", PROCESSES)
    for release in fleet.RELEASES:
        batch = ["convert", "-q", "--batch", folder / "in" / release, "-o", folder / "fleet", "--keep", "summary"]
        heapquarry(*batch, "--label", f"release={release}")
    return folder


def ask(tables, query):
    with duckdb.connect() as connection:
        connection.execute(f"SET file_search_path = '{tables}'")
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row)) for row in found.fetchall()]


def test_a_release_is_a_dozen_files(tables):
    files = list((tables / "fleet").rglob("*.parquet"))
    assert len(files) <= 12 * len(fleet.RELEASES)
    assert len(list((tables / "fleet/js_heap_class").rglob("*.parquet"))) == len(fleet.RELEASES)


def test_growth_by_class_and_release(tables, queries):
    found = ask(tables, queries["Growth by class and release"])
    assert (found[0]["class_name"], found[0]["release"]) == ("Session", fleet.LEAKING)
    # 40 more in each process, and the number of the process.
    assert found[0]["count_delta"] == pytest.approx(40 + (PROCESSES - 1) / 2)
    # The store retains them.
    assert (found[1]["class_name"], found[1]["count_delta"]) == ("SessionStore", 0)
    assert all(row["retained_delta"] == pytest.approx(0) for row in found[2:])


def test_what_accumulates_memory(tables, queries):
    [most, *_] = ask(tables, queries["What accumulates memory"])
    assert (most["release"], most["class_name"], most["processes"]) == (fleet.LEAKING, "SessionStore", PROCESSES)
    # The store and its sessions.
    assert most["most"] == 40 + 120 * (100 + 40 + PROCESSES - 1)


def test_top_functions(tables, queries):
    found = ask(tables, queries["Top functions"])
    times = {(row["release"], row["function_name"]): row["self_ms"] for row in found}
    assert times[fleet.LEAKING, "parse"] == PROCESSES * 60
    assert times["1.0", "parse"] == sum(20 + process % 5 for process in range(PROCESSES))
    assert sum(row["self_percent"] for row in found) == pytest.approx(300)
    assert all(row["total_ms"] == 100 * PROCESSES for row in found if row["function_name"] == "(root)")


def test_regressions_between_two_releases(tables, queries):
    query = queries["Regressions between two releases"]
    [worst, *_] = ask(tables, query)
    assert worst["function_name"] == "parse" and worst["after_percent"] == pytest.approx(60)
    assert ask(tables, query.replace("'1.2'", "'1.0'")) == []


def test_regressions_between_two_days(tables, queries):
    query = queries["Regressions between two days"]
    [worst] = ask(tables, query)
    assert worst["function_name"] == "parse"
    assert (worst["before_percent"], worst["after_percent"]) == (pytest.approx(22), pytest.approx(60))
    assert ask(tables, query.replace("2026-11-22", "2026-11-21")) == []


def test_processes_that_stand_out(tables, queries):
    [most, *_] = ask(tables, queries["Processes that stand out"])
    assert (most["release"], most["path"].endswith(f"host-{PROCESSES - 1}.heapsnapshot")) == (fleet.LEAKING, True)
    last = fleet.FIRST_DAY + datetime.timedelta(days=2, minutes=PROCESSES - 1)
    assert most["captured_at"] == last.replace(tzinfo=None)


def test_older_files_and_those_of_a_lake_change_no_answer(tables, queries, tmp_path):
    shutil.copytree(tables / "fleet", tmp_path / "fleet")
    for folder in (path for path in (tmp_path / "fleet").iterdir() if not path.name.startswith("_")):
        # It comes first, and has none of the columns. Checkpoints of Delta have others.
        for file in (folder / "release=0.9/source=old/part-0.parquet", folder / "_delta_log/1.checkpoint.parquet"):
            file.parent.mkdir(parents=True)
            duckdb.sql(f"COPY (SELECT 0::UINTEGER AS file_id) TO '{file}' (FORMAT parquet)")
    for heading, query in queries.items():
        # Which of equal rows are the first 20 is open.
        query = query.replace(" LIMIT 20", "")
        found, expected = (Counter(tuple(row.items()) for row in ask(folder, query)) for folder in (tmp_path, tables))
        assert found - expected == Counter(row for row in found if dict(row).get("release") == "0.9"), heading
        assert not expected - found, heading


# Profiles of all kinds, with the columns of their nodes and the unit of their values.
NODES = {
    "profiles/node26.cpuprofile": ("js_cpu_profiler_node", "self_time_us", "us"),
    "profiles/node26.heapprofile": ("js_heap_sampling_node", "self_size", "bytes"),
}


@pytest.mark.parametrize("name", NODES)
def test_functions_are_summed_over_the_call_tree(tmp_path, name):
    table, value, unit = NODES[name]
    heapquarry("convert", "-q", CORPUS / name, "-o", tmp_path / "tables")
    columns = f"function_name, url, line_number + 1, column_number + 1, parent_index, {value}"
    nodes = duckdb.sql(f"SELECT {columns} FROM '{tmp_path}/tables/{table}.parquet'").fetchall()
    own, total = Counter(), Counter()
    for *function, parent, weight in nodes:
        # A position of -1 is unknown.
        function = known(function)
        own[function] += weight
        above = {function}
        while parent is not None and parent >= 0:
            *caller, parent, _ = nodes[parent]
            above.add(known(caller))
        total.update(dict.fromkeys(above, weight))
    expected = {(*function, unit, own[function], total[function]) for function in total if total[function]}
    (tmp_path / "list").write_text(f"{CORPUS / name}\n")
    heapquarry("convert", "-q", "--batch", tmp_path / "list", "-o", tmp_path / "out", "--keep", "summary")
    found = duckdb.sql(f"SELECT * EXCLUDE (file_id) FROM '{tmp_path}/out/profile_function/*/*.parquet'").fetchall()
    assert len(expected) > 10 and {row[:-1] for row in found} == expected
    selves = [row[5] for row in found]
    assert selves == sorted(selves, reverse=True)


def known(function):
    name, url, line, column = function
    return name, url, line or None, column or None
