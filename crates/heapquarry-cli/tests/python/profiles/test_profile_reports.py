"""`summary` and `diff` of profiles say what the views and the tables say, which know nothing of each other."""

import json
import shutil
import subprocess

import duckdb
import pytest
from conftest import CORPUS, convert, extra_files, heapquarry, load_views, short_name

NODE = shutil.which("node")
PROFILES = [p for p in sorted((CORPUS / "profiles").iterdir()) if p.name != "no-samples.cpuprofile"]
PROFILES += extra_files("v8", "*.cpuprofile") + extra_files("v8", "*.heapprofile")

#          view, own number, total number, and those of the totals that are sums of the view
KINDS = {
    ".cpuprofile": ("cpu_profile_function", "self_time_us", "total_time_us"),
    ".heapprofile": ("heap_profile_function", "self_size", "total_size"),
    ".json": ("self_profile_function", "self_samples", "total_samples"),
}


def functions_of_views(folder, kind):
    """Functions as the view adds them up, by name, script, and position from 1."""
    view, own, total = KINDS[kind]
    names = "name" if kind == ".json" else "function_name"
    # Files of profiles count from 0, and have -1 for what is not known.
    place = "{0}" if kind == ".json" else "CASE WHEN {0} >= 0 THEN {0} + 1 END"
    line, column = place.format("line_number"), place.format("column_number")
    with duckdb.connect() as db:
        load_views(db, folder)
        rows = db.sql(
            f"SELECT coalesce(nullif({names}, ''), '(anonymous)'), coalesce(url, ''), {line}, {column},"
            f" sum({own}), sum({total}) FROM {view} GROUP BY ALL"
        ).fetchall()
    return {row for row in rows if row[:2] != ("(root)", "")}


@pytest.mark.parametrize("path", PROFILES, ids=short_name)
def test_functions_are_those_of_the_views(path, tmp_path):
    kind = path.suffix
    unit = {".cpuprofile": "us", ".heapprofile": "bytes", ".json": "samples"}[kind]
    folder = convert(path, tmp_path / "tables")
    expected = functions_of_views(folder, kind)
    for source in (path, folder):
        report = json.loads(heapquarry("summary", source, "--json").stdout)
        functions, by_total = report["functions"]["rows"], report["functions_by_total"]["rows"]
        assert report["unit"] == unit
        own, total = "self_value", "total_value"
        keys = ["function_name", "url", "line", "column", own, total]
        assert {tuple(row[key] for key in keys) for row in functions} == expected
        numbers = [(row[own], row[total]) for row in functions]
        assert numbers == sorted(numbers, reverse=True)
        busy = report["totals"].get("busy_value", report["totals"]["value"])
        for row in functions:
            if (row["function_name"], row["url"]) != ("(idle)", "") and busy:
                assert row["self_percent"] == pytest.approx(100 * row[own] / busy, abs=1e-4)
        assert [row[total] for row in by_total] == sorted((row[total] for row in functions), reverse=True)[:20]
        few = json.loads(heapquarry("summary", source, "--json", "--top", "2").stdout)
        assert few["functions"] == {"total": len(functions), "rows": functions[:2]}
        assert sum(row[own] for row in report["urls"]["rows"]) == sum(
            row[own] for row in functions if (row["function_name"], row["url"]) != ("(idle)", "")
        )


PROGRAM = """
const { Session } = require('inspector');
const fs = require('fs');
const rounds = Number(process.argv[2]);
function slow(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * Math.sin(i); return s; }
function steady(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.cbrt(i) * Math.cos(i); return s; }
function grow(kept, n) { for (let i = 0; i < n; i++) kept.push(new Array(64).fill(i)); }
function work(kept) { for (let i = 0; i < 40; i++) { slow(60000 * rounds); steady(60000); grow(kept, 300 * rounds); } }
const session = new Session();
session.connect();
const post = (method, params) => { let out; session.post(method, params, (e, r) => { if (e) throw e; out = r; }); return out; };
const kept = [];
post('HeapProfiler.startSampling', { samplingInterval: 4096 });
post('Profiler.enable');
post('Profiler.setSamplingInterval', { interval: 200 });
post('Profiler.start');
work(kept);
fs.writeFileSync(process.argv[3] + '.cpuprofile', JSON.stringify(post('Profiler.stop').profile));
fs.writeFileSync(process.argv[3] + '.heapprofile', JSON.stringify(post('HeapProfiler.stopSampling').profile));
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Profiles of a program, and of the same one when one of its functions has become ten times slower and keeps ten times
    as much."""
    if not NODE:
        pytest.skip("there is no node")
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "program.js").write_text(PROGRAM)
    for rounds, name in [("1", "before"), ("10", "after")]:
        subprocess.run([NODE, "program.js", rounds, name], cwd=folder, check=True, timeout=120)
    return folder


def test_a_function_that_got_slower_is_found_and_fails_a_budget(recorded):
    report = json.loads(heapquarry("diff", "before.cpuprofile", "after.cpuprofile", "--json", cwd=recorded).stdout)
    assert report["functions"]["rows"][0]["function_name"] == "slow"
    assert report["functions"]["rows"][0]["self_percent_delta"] > 5
    # A total holds those of the functions it calls, whichever of them the samples hit. Only functions that changed are
    # listed, which depends on the samples too.
    totals = {row["function_name"]: row["total_value"] for row in report["functions_by_total"]["rows"]}
    assert totals["work"] >= totals["slow"] + totals.get("steady", 0) > 0
    (recorded / "cpu.toml").write_text('[function.slow]\nself_share = "+5pp"\n[function.steady]\nself_share = "+5pp"\n')
    check = ["--budget", "cpu.toml", "--json", "--baseline"]
    failed = heapquarry("check", "after.cpuprofile", *check, "before.cpuprofile", cwd=recorded, expect=1)
    outcomes = {c["name"]: c["outcome"] for c in json.loads(failed.stdout)["checks"]}
    assert outcomes == {"slow": "exceeded", "steady": "passed"}
    heapquarry("check", "before.cpuprofile", *check, "before.cpuprofile", cwd=recorded)


def test_a_function_that_allocates_more_is_found(recorded):
    report = json.loads(heapquarry("diff", "before.heapprofile", "after.heapprofile", "--json", cwd=recorded).stdout)
    assert report["functions"]["rows"][0]["function_name"] == "grow"
    assert report["functions"]["rows"][0]["self_value_delta"] > 0
    limit = ["--fail-on", "function[grow].self_size>+100 kB"]
    heapquarry("diff", "before.heapprofile", "after.heapprofile", *limit, cwd=recorded, expect=1)
    heapquarry("diff", "after.heapprofile", "before.heapprofile", *limit, cwd=recorded)


def test_tables_of_a_comparison_say_what_the_report_says(recorded):
    args = ["before.cpuprofile", "after.cpuprofile", "-o", "diff.tables", "--json"]
    report = json.loads(heapquarry("diff", *args, cwd=recorded).stdout)

    def query(table, sql):
        return duckdb.sql(f"SELECT {sql} FROM '{recorded}/diff.tables/js_profile_diff_{table}.parquet'").fetchall()

    kinds = ["self", "total"]
    columns = [f"{base}{kind}_{what}" for kind in kinds for base in ("base_", "") for what in ("value", "percent")]
    rows = query("function", "coalesce(nullif(function_name, ''), '(anonymous)'), url, " + ", ".join(columns))
    expected = [tuple(row[key] for key in ["function_name", "url", *columns]) for row in report["functions"]["rows"]]
    assert rows == expected and rows
    profiles = query("profile", "file_id, path, unit, total_value, busy_value, sample_count, function_count")
    keys = ["value", "busy_value", "sample_count", "function_count"]
    assert profiles == [(i, row["name"], "us", *(row[k] for k in keys)) for i, row in enumerate(report["profiles"])]
    heapquarry("diff", *args, cwd=recorded, expect=2)
