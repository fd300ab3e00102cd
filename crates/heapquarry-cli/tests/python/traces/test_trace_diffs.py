"""Tables of a comparison of traces: they hold what the report says."""

import json

import duckdb
import pytest
from conftest import heapquarry
from test_perfetto import event

# Names of a subject in the report, and in the tables.
NAMES = {"process_name": "process_name", "thread_name": "thread_name", "name": "name", "counter_name": "name",
         "category": "category", "series": "series"}  # fmt: skip


def trace(folder, name, factor, more=()):
    events = [
        event("M", 0, "process_name", args={"name": "app"}), event("M", 0, "thread_name", args={"name": "main"}),
        event("X", 0, "task", dur=100_000 * factor), event("X", 10, "parse", dur=50_000 * factor),
        event("b", 0, "fetch", id="1"), event("e", 900 * factor, "fetch", id="1"),
        event("C", 1, "heap", args={"used": 5 * factor}), event("C", 2, "heap", args={"used": 0.5}),
        *more,
    ]  # fmt: skip
    path = folder / name
    path.write_text(json.dumps(events))
    return str(path)


@pytest.mark.parametrize("runs", [1, 2])
def test_tables_hold_what_the_report_says(tmp_path, runs):
    before = [trace(tmp_path, f"b{n}.json", 1 + n / 100) for n in range(runs)]
    after = [trace(tmp_path, f"a{n}.json", 2 + n / 100, [event("X", 300_000, "new", dur=9_000)]) for n in range(runs)]
    args = ["diff", "--before", *before, "--after", *after, "--json", "-o", tmp_path / "out"]
    report = json.loads(heapquarry(*args).stdout)
    db = duckdb.connect()
    for table in ("trace", "figure", "run"):
        db.execute(f"CREATE VIEW {table} AS FROM '{tmp_path}/out/trace_diff_{table}.parquet'")
    sides = ["before"] * runs + ["after"] * runs
    assert db.sql("FROM trace").fetchall() == list(zip(range(2 * runs), before + after, sides))
    manifest = json.loads((tmp_path / "out" / "_manifest.json").read_text())
    assert [one["path"] for one in manifest["compared"]] == before + after

    lists = [key for key in report if isinstance(report[key], dict) and "rows" in report[key]]
    assert {"slices", "operations", "threads", "counters"} <= set(lists)
    rows = db.sql("SELECT * FROM figure").fetchall()
    columns = db.sql("FROM figure LIMIT 0").columns
    found = [dict(zip(columns, row)) for row in rows]
    expected = []
    for key in lists:
        for row in report[key]["rows"]:
            names = dict.fromkeys(NAMES.values()) | {to: row[of] for of, to in NAMES.items() if row.get(of)}
            for figure, values in row["figures"].items():
                expected.append({"list": key, **names, "figure": figure, **values, "subject_change": row["change"]})
                if figure == row["changed"]:
                    assert (row["before"], row["after"]) == (values["before"], values["after"])
                    expected[-1] |= {"p_value": row.get("p_value"), "is_decisive": 1}
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        if ours["p_value"] is not None:
            ours["p_value"] = round(ours["p_value"], 4)
        assert {key: ours[key] for key in theirs} == pytest.approx(theirs), theirs
        assert ours["is_decisive"] == theirs.get("is_decisive", 0)
    assert {row["file_id"] for row in found} == {2 * runs - 1}
    assert db.sql("SELECT DISTINCT subject_change FROM figure WHERE name = 'new'").fetchall() == [("new",)]

    # The medians are those of the values: of two, their mean.
    medians = db.sql("""
        SELECT f.before, median(r.value) FILTER (side = 'before'),
            f.after, median(r.value) FILTER (side = 'after')
        FROM figure f JOIN run r USING (list, figure) JOIN trace ON trace.file_id = r.file_id
        WHERE list = 'slices' AND f.name = r.name AND f.name <> 'new' GROUP BY ALL
    """).fetchall()
    assert len(medians) > 1 and all(row[0] == row[1] and row[2] == row[3] for row in medians)


def test_the_directory_is_replaced_on_request_only(tmp_path):
    one = trace(tmp_path, "1.json", 1)
    heapquarry("diff", one, one, "-o", tmp_path / "out")
    failed = heapquarry("diff", one, one, "-o", tmp_path / "out", expect=2)
    assert "--force" in failed.stderr
    heapquarry("diff", one, one, "-o", tmp_path / "out", "--force")
