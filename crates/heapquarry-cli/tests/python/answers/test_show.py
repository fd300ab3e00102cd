"""`heapquarry show` of objects that a live process of Node made."""

import json
import shutil
import subprocess

import pytest
from conftest import heapquarry

NODE = shutil.which("node")

PROGRAM = """
class Session {
    #secret = 'hidden';
    constructor(user) { this.user = user; this.at = 1.5; this.ok = true; this.none = null; this.list = ['a', user, 7]; }
}
function keeper(session) {
    const note = 'a note';
    return function reply() { return [session, note, key]; };
}
const session = new Session({ name: 'Ada' });
const key = { key: 1 };
global.probe = {
    session, reply: keeper(session), again: keeper(session).bind(null, 1),
    map: new Map([['one', session], [2, 'two'], [key, 3], ['four', null]]),
    set: new Set(['a', key, 5]),
    weak: new WeakMap([[key, session]]), weakSet: new WeakSet([key]),
    buffer: new ArrayBuffer(4096), pattern: /a+b/g, symbol: Symbol('mark'), text: 'x'.repeat(10) + Math.random(),
};
require('v8').writeHeapSnapshot(process.argv[2]);
"""


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    if not NODE:
        pytest.skip("no node")
    folder = tmp_path_factory.mktemp("show")
    (folder / "probe.js").write_text(PROGRAM)
    subprocess.run([NODE, "probe.js", "probe.heapsnapshot"], cwd=folder, check=True)

    def run(*args):
        answer = json.loads(heapquarry("show", "probe.heapsnapshot", *map(str, args), "--json", cwd=folder).stdout)
        # Lists by their rows.
        return {key: value["rows"] if isinstance(value, dict) and "rows" in value else value for key, value in answer.items()}

    [found] = [row for row in run("--class", "Session")["objects"]]
    holders = run("--node", found["id"])["retainers"]
    [probe] = [row["id"] for row in holders if row["edge"] == "session" and "Context" not in row["class_name"]]
    fields = {row["name"]: row for row in run("--node", probe)["fields"]}

    def field(name):
        return run("--node", fields[name]["id"])

    run.probe, run.session, run.fields, run.field = probe, found["id"], fields, field
    return run


def named(rows, *columns):
    return [tuple(row[column] for column in columns) for row in rows]


def test_fields_have_values(show):
    session = show("--node", show.session)
    fields = dict(named(session["fields"], "name", "value"))
    assert {"user", "ok", "none", "list"} <= set(fields)
    assert (fields["ok"], fields["none"], fields["list"]) == ("true", "null", "Array (2 references)")
    assert '"hidden"' in fields.values()
    assert session["object"]["place"].startswith("probe.js:") and session["object"]["script_name"].endswith("/probe.js")
    assert session["object"]["prototype_id"] not in (None, show.session)
    assert named(show.field("session")["fields"], "name") == named(session["fields"], "name")
    user = show("--node", next(row["id"] for row in session["fields"] if row["name"] == "user"))
    assert ("name", '"Ada"') in named(user["fields"], "name", "value")
    array = show("--node", next(row["id"] for row in session["fields"] if row["name"] == "list"))
    assert named(array["elements"], "index", "value")[0] == (0, '"a"')
    assert show.fields["text"]["value"].startswith('"xxxxxxxxxx0.')
    assert (show.fields["buffer"]["value"], show.fields["pattern"]["value"]) == ("ArrayBuffer(4096)", "/a+b/")
    assert show.fields["symbol"]["value"] == "Symbol(mark)"


def test_entries_are_keys_and_values(show):
    small = "(integer or constant)"
    key = next(row["key"] for row in show.field("weak")["entries"])
    session = show.fields["session"]["value"]
    assert named(show.field("map")["entries"], "key", "value") == [
        ('"one"', session), (small, '"two"'), (key, small), ('"four"', small),
    ]
    # Nothing is told of a set's small integers.
    assert named(show.field("set")["entries"], "key", "value") == [('"a"', ""), (key, "")]
    [weak] = show.field("weak")["entries"]
    assert (weak["id"], weak["key_id"]) == (show.session, show.field("weakSet")["entries"][0]["key_id"])


def test_functions_have_places_and_variables(show):
    reply = show.field("reply")
    assert reply["object"]["name"].startswith("reply probe.js:") and reply["object"]["line"] == 8
    variables = dict(named(reply["variables"], "name", "value"))
    assert variables["note"] == '"a note"'
    assert [r["scope"] for r in reply["variables"] if r["name"] == "note"] == ["variables of keeper (probe.js)"]
    assert "variables of probe.js" in {r["scope"] for r in reply["variables"]}
    assert show.field("again")["object"]["name"].startswith("bound reply probe.js:8:")


def test_those_that_hold_it_are_grouped(show):
    holders = named(show("--node", show.session)["retainers"], "edge", "count")
    # The object, two calls of `keeper`, the tables of the Map and of the WeakMap.
    assert {("session", 1), ("session", 2), ("[]", 1), ("(WeakMap value)", 1)} <= set(holders)
    probe = show("--node", show.probe)
    assert probe["object"]["dominator_id"] is not None
    assert show.fields["buffer"]["id"] in [row["id"] for row in probe["dominated"]]
    sizes = [row["retained_size"] for row in probe["dominated"]]
    assert sizes == sorted(sizes, reverse=True)
