"""The queries of docs/fleet.md over a fleet of 50 processes and 3 releases, one of which leaks."""

import re

import duckdb
import fleet
import pytest
from conftest import ROOT, heapquarry

PROCESSES = 50


@pytest.fixture(scope="module")
def queries():
    """The queries of the page, by the heading above them."""
    page = (ROOT / "docs" / "fleet.md").read_text()
    return dict(re.findall(r"^### ([^\n]*)\n.*?```sql\n(.*?)```", page, re.M | re.S))


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
    assert all(row["retained_delta"] == pytest.approx(0) for row in found[1:])


def test_top_functions(tables, queries):
    found = ask(tables, queries["Top functions"])
    times = {(row["release"], row["function_name"]): row["self_ms"] for row in found}
    assert times[fleet.LEAKING, "parse"] == PROCESSES * 60
    assert times["1.0", "parse"] == sum(20 + process % 5 for process in range(PROCESSES))
    assert sum(row["self_percent"] for row in found) == pytest.approx(300)


def test_regressions_between_two_releases(tables, queries):
    query = queries["Regressions between two releases"]
    [worst, *_] = ask(tables, query)
    assert worst["function_name"] == "parse" and worst["after_percent"] == pytest.approx(60)
    assert ask(tables, query.replace("'1.2'", "'1.0'")) == []


def test_processes_that_stand_out(tables, queries):
    [most, *_] = ask(tables, queries["Processes that stand out"])
    assert (most["release"], most["path"].endswith(f"host-{PROCESSES - 1}.heapsnapshot")) == (fleet.LEAKING, True)
    assert most["captured_at"] is not None
