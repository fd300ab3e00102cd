"""Answers have the types that docs/schema says, and those of the npm and Python packages."""

import json
import re
import shutil
import subprocess

import jsonschema
import pytest
from answers import typed
from conftest import CORPUS, find_recordings, heapquarry, short_name
from live.node import needs_node, node_with_worker


def files_in(*folders):
    return sorted(path for folder in folders for path in (CORPUS / folder).iterdir() if path.suffix != ".md")


HEAPS = [*find_recordings(CORPUS), *files_in("jsc")]
PROFILES = files_in("profiles", "pprof")
TRACES = files_in("traces", "ftrace")
# All of them are in one directory of tables.
WATCHES = CORPUS / "process"
# Programs, what they were made of, and what is known of the inputs.
NO_INPUTS = ["generate", "names", "devtools", "golden"]


def strict(schema):
    """A schema that knows all members: one that is not described is an error."""
    schema = {**schema, "unevaluatedProperties": False}
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def validators():
    return {path.name.split(".")[0]: strict(json.loads(path.read_text())) for path in typed.SCHEMAS}


# What all tests of this file have seen, for the last ones.
SEEN = typed.Seen()


def answer(validators, verb, *args, expect=0):
    found = json.loads(heapquarry(verb, *map(str, args), "--json", expect=expect).stdout)
    errors = [error.message[:300] for error in validators[verb].iter_errors(found)]
    assert not errors, (verb, args, errors)
    assert found["version"] == 2 and found["verb"] == verb and found["inputs"]
    SEEN.add(found)
    return found


@pytest.mark.parametrize("path", [*HEAPS, *PROFILES, *TRACES], ids=short_name)
def test_summaries(path, validators):
    kind = "heap" if path in HEAPS else "profile" if path in PROFILES else "trace"
    assert answer(validators, "summary", path)["kind"] == kind
    answer(validators, "summary", path, "--top", 1)
    if kind == "heap":
        assert "owners" in answer(validators, "summary", path, "--by", "package")
    else:
        found = answer(validators, "summary", path, path, "--each")
        assert found["kind"] == f"{kind}s" and found["each"]["total"] == 2


@pytest.mark.parametrize("path", HEAPS, ids=short_name)
def test_objects(path, validators):
    largest = answer(validators, "summary", path, "--top", 2)["retainers"]["rows"]
    for row in largest:
        assert answer(validators, "show", path, "--node", row["id"])["of"] == "object"
        answer(validators, "why", path, "--node", row["id"])
        assert answer(validators, "show", path, "--class", row["class_name"], "--top", 3)["of"] == "class"
        answer(validators, "why", path, "--class", row["class_name"], "--shortest")


@pytest.mark.parametrize("path", [*HEAPS, *PROFILES, *TRACES], ids=short_name)
def test_what_is_found(path, validators):
    kind = "objects" if path in HEAPS else "functions" if path in PROFILES else "slices"
    found = answer(validators, "find", path, "--top", 3)
    assert found["of"] == kind and len(found[kind]["rows"]) == min(3, found[kind]["total"])
    assert answer(validators, "find", path, "--name", "no such name")[kind] == {"total": 0, "rows": []}
    if kind == "objects":
        assert answer(validators, "find", path, "--strings", "--top", 3, "--sort", "own")["of"] == "strings"


@pytest.mark.parametrize("path", [*HEAPS, *PROFILES, *TRACES], ids=short_name)
def test_limits(path, validators, tmp_path):
    base, budget = tmp_path / "base.json", tmp_path / "budget.toml"
    found = answer(validators, "check", path, "--save-baseline", base)
    assert found["figures"] and "checks" not in found and "passed" not in found
    totals = [figure for figure in found["figures"] if figure["scope"] == "total"]
    known = {figure["quantity"] for figure in totals}
    assert known and not known & {row["quantity"] for row in found["unknown"] if row["scope"] == "total"}
    # Nothing at all is allowed of what there is.
    limits = [(f["quantity"], f["unit"] if f["unit"] in ("us", "ns") else "") for f in totals if f["value"]]
    budget.write_text("[total]\n" + "".join(f'{quantity} = ["0 {unit}", "+1%"]\n' for quantity, unit in limits))
    if limits:
        found = answer(validators, "check", path, "--budget", budget, "--baseline", base, expect=1)
        assert found["passed"] is False and len(found["checks"]) == 2 * len(limits)
        found = answer(validators, "check", path, path, "--runs", "--budget", budget, expect=1)
        assert {check["outcome"] for check in found["checks"][1::2]} == {"skipped"}


# Three snapshots of one process, two of them, and two of different processes.
SERIES = [
    [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)],
    [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 3)],
    [CORPUS / f"node{version}.heapsnapshot.gz" for version in (18, 22)],
]


@pytest.mark.parametrize("limits", [[], ["any"], ["leaks.count > 9", "total.size > +1%"]], ids=str)
@pytest.mark.parametrize("paths", SERIES, ids=lambda paths: "-".join(map(short_name, paths)))
def test_leaks(paths, limits, validators):
    if limits and "node18" in paths[0].name:
        pytest.skip("limits want snapshots of one process")
    found = answer(validators, "leaks", *paths, *(f"--fail-on={limit}" for limit in limits), expect=int(bool(limits)))
    assert [one["name"] for one in found["snapshots"]] == found["inputs"] == [str(path) for path in paths]
    assert found["growth"] == found["snapshots"][-1]["size_delta"]
    assert found["explained"] == sum(leak["growth"] for leak in found["findings"])
    assert ("passed" in found, len(found.get("checks", []))) == (bool(limits), len(limits))


@pytest.mark.parametrize("path", HEAPS, ids=short_name)
def test_nothing_leaks_between_equal_snapshots(path, validators):
    found = answer(validators, "leaks", path, path, path)
    assert (found["findings"], found["growth"], found["ignored_count"]) == ([], 0, 0)


PAIRS = [
    *([path, path] for path in HEAPS),
    [CORPUS / f"node{version}.heapsnapshot.gz" for version in (18, 22)],
    [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)],
    *([path, path] for path in PROFILES),
    [CORPUS / "profiles/node12.cpuprofile", CORPUS / "profiles/current.cpuprofile"],
    [CORPUS / "profiles/node12.heapprofile", CORPUS / "profiles/current.heapprofile"],
    [CORPUS / "profiles/array.selfprofile.json", CORPUS / "profiles/chromium.selfprofile.json"],
    *([path, path] for path in TRACES),
    [CORPUS / "traces/node18.trace.json.gz", CORPUS / "traces/node26.trace.json.gz"],
    [CORPUS / "traces/node18.trace.json.gz"] * 3,
]


@pytest.mark.parametrize("paths", PAIRS, ids=lambda paths: "-".join(map(short_name, paths)))
def test_differences(paths, validators):
    found = answer(validators, "diff", *paths)
    changes = {"heap": "classes", "profile": "functions"}.get(found["kind"], "slices")
    if len(set(paths)) == 1:
        rows = found.get(changes, {"rows": []})["rows"]
        assert not [row for row in rows if row.get("change") != "same"]
    cut = answer(validators, "diff", *paths, "--top", 1)
    lists = [value for value in cut.values() if isinstance(value, dict) and "rows" in value]
    assert all(len(value["rows"]) <= 1 <= max(value["total"], 1) for value in lists)
    if len(set(paths)) > 1:
        limit = {"heap": "total.count > 0", "profile": "total.functions > 0"}.get(found["kind"], "total.events > 0")
        found = answer(validators, "diff", *paths, "--fail-on", limit, expect=1)
        assert found["passed"] is False and found["checks"][0]["outcome"] == "exceeded"


def test_a_member_that_is_not_described_is_an_error(validators):
    found = answer(validators, "summary", HEAPS[0])
    assert list(validators["summary"].iter_errors({**found, "more": 1}))
    assert list(validators["summary"].iter_errors({key: value for key, value in found.items() if key != "totals"}))


@pytest.mark.parametrize("number", range(len(json.loads((WATCHES / "_manifest.json").read_text())["inputs"])))
def test_watches(number, validators, tmp_path):
    path = f"{WATCHES}#{number}"
    assert answer(validators, "summary", path)["kind"] == "watch"
    answer(validators, "check", path, "--save-baseline", tmp_path / "base.json")


def test_a_watch(validators):
    if not (node := shutil.which("node")):
        pytest.skip("there is no Node")
    program = subprocess.Popen([node, "--inspect=0", "-e", "setInterval(() => 0, 100)"], stderr=subprocess.PIPE, text=True)
    try:
        port = re.search(r":(\d+)/", program.stderr.readline())[1]
        answer(validators, "watch", port, "--for", "2s", "--every", "200ms", "--warm-up", "200ms")
    finally:
        program.kill()
        program.communicate()


@needs_node
def test_isolates(validators, tmp_path):
    with node_with_worker() as process:
        heapquarry("capture", process.port, "--all", "-o", tmp_path / "all")
    found = answer(validators, "summary", tmp_path / "all")
    assert (found["kind"], found["isolates"]["total"]) == ("isolates", 2)
    answer(validators, "summary", tmp_path / "all", "--top", 1, "--by", "package")


# -------------------------------------------------------------------------------- types of the packages
# The tests above have asked the questions: run this file as a whole.


def test_every_question_was_asked_of_every_file():
    files = {path for path in CORPUS.rglob("*") if path.is_file() and path.parent not in (CORPUS, WATCHES)}
    files |= set(CORPUS.glob("*.gz"))
    inputs = {path for path in files if path.relative_to(CORPUS).parts[0] not in NO_INPUTS}
    assert inputs == {*HEAPS, *PROFILES, *TRACES}
    missing = [
        (verb, short_name(path))
        for path in inputs
        for verb in ["summary", "find", "check", "diff", *(["leaks", "show", "why"] if path in HEAPS else [])]
        if (verb, str(path)) not in SEEN.asked
    ]
    # It has no object to ask about.
    assert sorted(missing) == [("show", "empty.heapsnapshot"), ("why", "empty.heapsnapshot")]


def test_answers_are_of_the_types_of_the_npm_package(packages, tmp_path):
    assert SEEN.answers
    assert typed.compile_typescript(SEEN.literals(), tmp_path, packages / "node_modules/typescript/bin/tsc") == ""


def test_answers_are_of_the_types_of_the_python_package(tmp_path):
    assert SEEN.answers
    assert typed.compile_python(SEEN.literals(), tmp_path) == ""
