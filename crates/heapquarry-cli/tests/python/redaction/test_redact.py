"""`redact`: what is private is gone from every byte of the copy, and the structure is the same."""

import gzip
import json
import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser import CHROMIUM, Browser
from conftest import CORPUS, all_recordings, assert_same, convert, heapquarry, plain, read_rows, short_name
from oracles import heap as oracle

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(not NODE, reason="there is no node")
LEVELS = ["values", "names", "full"]
# What V8 itself calls values.
OF_ENGINE = {"", "(concatenated string)", "(sliced string)", "heap number", "smi number", "int", "double", "bigint", "symbol"}


def redact(source, out, *flags, **options):
    return heapquarry("redact", source, out, *flags, **options)


# -------------------------------------------------------------------------------- structure


def without_text(table):
    """The table without text, and without indices of strings, which change where a string is split."""
    names = [n for n in table.column_names if not pa.types.is_string(table.schema.field(n).type) and "name" not in n]
    return table.select(names)


@pytest.fixture(scope="module", params=[p for p in all_recordings() if p.stat().st_size < 4 << 20], ids=short_name)
def snapshot(request, tmp_path_factory):
    return request.param, convert(request.param, tmp_path_factory.mktemp("original") / "t", "--analyze")


@pytest.mark.parametrize("level", ["values", "full"])
def test_the_structure_is_the_same(snapshot, level, tmp_path):
    path, original = snapshot
    copy = tmp_path / "copy.heapsnapshot"
    done = redact(path, copy, "--level", level)
    if "truncated or damaged" in done.stderr:
        # It ends where the original is damaged: there is nothing to compare.
        return
    copied = convert(copy, tmp_path / "t", "--analyze")
    for name in ("js_heap_nodes", "js_heap_edges", "js_heap_location", "js_heap_sample", "js_heap_trace_node", "js_heap_analysis"):
        one, other = (plain(pq.read_table(folder / f"{name}.parquet")) for folder in (original, copied))
        one, other = without_text(one), without_text(other)
        if level == "full" and name == "js_heap_edges":
            # Large numbers of elements are other numbers.
            one, other = (t.drop_columns([c for c in t.column_names if "index" in c and "node" not in c]) for t in (one, other))
        assert_same(other, one, f"{short_name(path)} {name}")
    if level == "values":
        classes = [plain(pq.read_table(folder / "js_heap_class.parquet")) for folder in (original, copied)]
        assert [sum(c.column(n).to_pylist()) for c in classes for n in ("count",)][0] == sum(classes[1].column("count").to_pylist())


# -------------------------------------------------------------------------------- secrets

def card(n):
    """A card number with its check digit: ISO/IEC 7812-1, annex B."""
    digits = [int(d) for d in f"40017{n}314159265"]
    sum_ = sum(d if at % 2 else d * 2 // 10 + d * 2 % 10 for at, d in enumerate(reversed(digits)))
    return "".join(map(str, digits)) + str(-sum_ % 10)


# Ten kinds; four of each. None of the words is in an engine.
SECRETS = {
    "mail": [f"zed{n}@quuxmail.example" for n in range(4)],
    "jwt": [f"eyJhbGciOiJI{n}.eyJzdWIiOiJ6ZWQi.c2lnbmF0dXJl" for n in range(4)],
    "pem": [f"-----BEGIN RSA PRIVATE KEY-----\nMIIEzq{n}" for n in range(4)],
    "aws": [f"AKIAZQ{n}AAAAAAAAAAAAA" for n in range(4)],
    "card": [card(n) for n in range(4)],
    "ip": [f"10.77.{n}.201" for n in range(4)],
    "hex": [f"c0ffee{n}c0ffeec0ffeec0ffeec0ffeec0ff" for n in range(4)],
    "base64": [f"WkVEenE{n}dGhlU2VjcmV0VGhhdElzTG9uZ0Vub3VnaDEyMzQ1Ng==" for n in range(4)],
    "word": [f"zqpassphrase{n}" for n in range(4)],
    "phone": [f"+49-zq-555-{n}" for n in range(4)],
}
# What must not be in any byte of a copy.
NEEDLES = [secret.split("\n")[-1] for four in SECRETS.values() for secret in four]

PROGRAM = """
const secrets = %s;
const all = [];
class Holder { constructor(s) { this.value = s; } }
for (const [kind, four] of Object.entries(secrets)) {
  // A value, a key of a map, a name of a property, and the source of a closure with an address.
  all.push(new Holder(four[0] + '!'), { [four[2]]: 1 }, new Map([[four[1], 1]]), new Set([four[1]]));
  all.push(eval('(() => { const it = ' + JSON.stringify(four[3]) + '; return () => it; })()\\n//# sourceURL=https://app.example/x.js?q=' + encodeURIComponent(four[3])));
  all.push(('long enough to be a concatenated string: ' + kind + ' ') + four[0], (four[1] + ' and more text than thirteen characters').slice(0, -5));
  all.push(Symbol(four[0]), Symbol.for(four[1]), new RegExp(four[2].replace(/[^\\w]/g, '.') + four[0]), Buffer.from(four[0]).toString('latin1'));
  const weak = new WeakMap(), key = { [four[0]]: kind };
  weak.set(key, four[2] + ' in a weak map');
  all.push(weak, key);
}
globalThis.all = all;
globalThis.busy = busy;
const run = (code, name) => new (require('node:vm').Script)(code, { filename: 'https://a.example/p?token=' + name }).runInThisContext();
function busy(milliseconds) { const end = Date.now() + milliseconds; while (Date.now() < end) JSON.stringify(all.length); }
"""


def program(then):
    return PROGRAM % json.dumps(SECRETS) + then


def assert_clean(path, folder):
    data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    for needle in NEEDLES:
        assert needle.encode() not in data, needle
    tables = convert(path, folder)
    for table in tables.glob("*.parquet"):
        for column in plain(pq.read_table(table)).columns:
            if pa.types.is_string(column.type):
                text = "\n".join(value or "" for value in column.to_pylist())
                for needle in NEEDLES:
                    assert needle not in text, f"{needle} in {table.name}"


RECORD = """
const {{ Session }} = require('node:inspector'), fs = require('node:fs');
const session = new Session(), parts = [];
session.connect();
session.on('HeapProfiler.addHeapSnapshotChunk', m => parts.push(m.params.chunk));
const post = (name, params) => new Promise((done, fail) => session.post(name, params, (e, r) => (e ? fail(e) : done(r))));
(async () => {{ {} }})();
"""
TIMELINE = "await post('HeapProfiler.startTrackingHeapObjects', { trackAllocations: true }); busy(30);"


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A heap, a timeline, profiles and a trace of a program with secrets everywhere."""
    if not NODE:
        pytest.skip("there is no node")
    folder = tmp_path_factory.mktemp("planted")
    names = json.dumps([four[0] for four in SECRETS.values()])
    steps = {
        "a.heapsnapshot": "await post('HeapProfiler.takeHeapSnapshot', { captureNumericValue: true }); write(parts.join(''));",
        "a.heaptimeline": TIMELINE + "await post('HeapProfiler.stopTrackingHeapObjects'); write(parts.join(''));",
        # Until each script is sampled, however slow the machine is.
        "a.cpuprofile": """const names = %s, found = text => names.every(name => text.includes(name.split('\\n').pop()));
            await post('Profiler.enable');
            for (let text = '', milliseconds = 30; !found(text); milliseconds *= 2) {
              await post('Profiler.start');
              for (const name of names) run(`busy(${milliseconds})`, name);
              write(text = JSON.stringify((await post('Profiler.stop')).profile));
            }""" % names,
        "a.heapprofile": """await post('HeapProfiler.startSampling', { samplingInterval: 64 });
            for (const name of %s) all.push(run('Array.from({ length: 1e4 }, () => ({}))', name));
            write(JSON.stringify((await post('HeapProfiler.stopSampling')).profile));""" % names,
    }
    for name, step in steps.items():
        record = RECORD.format(f"const write = text => fs.writeFileSync({json.dumps(str(folder / name))}, text);" + step)
        done = subprocess.run([NODE, "-e", program(record)], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    marks = """for (const name of %s) { performance.mark(name, { detail: { [name]: name } }); console.time(name); console.timeEnd(name); }"""
    flags = ["--trace-event-categories", "node,node.perf,node.console,v8", "--trace-event-file-pattern", folder / "a.json"]
    done = subprocess.run([NODE, *flags, "-e", program(marks % names)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@needs_node
@pytest.mark.parametrize("name", ["a.heapsnapshot", "a.heaptimeline", "a.cpuprofile", "a.heapprofile", "a.json"])
def test_no_secret_is_left(planted, name, tmp_path):
    original = (planted / name).read_bytes()
    # They were there.
    least = 30 if "heaps" in name or "timeline" in name else 8
    assert sum(needle.encode() in original for needle in NEEDLES) >= least
    for level in ("names", "full"):
        copy = tmp_path / f"{level}-{name}"
        done = redact(planted / name, copy, "--level", level)
        assert "truncated or damaged" not in done.stderr and done.stdout == ""
        assert_clean(copy, tmp_path / level)
    packed = tmp_path / (name + ".gz")
    redact(planted / name, packed, "--level", "names")
    assert_clean(packed, tmp_path / "packed")


@needs_node
def test_values_leave_no_value(planted, tmp_path):
    """At `values`, names of properties stay, whole values and their parts do not."""
    copy = tmp_path / "a.heapsnapshot"
    redact(planted / "a.heapsnapshot", copy)
    snapshot = json.loads(copy.read_text())
    meta, nodes, strings = snapshot["snapshot"]["meta"], snapshot["nodes"], snapshot["strings"]
    fields = meta["node_fields"]
    types, width = meta["node_types"][0], len(fields)
    for at in range(0, len(nodes), width):
        if types[nodes[at]] in ("string", "concatenated string", "sliced string", "symbol", "regexp", "number", "bigint"):
            text = strings[nodes[at + 1]]
            assert text in OF_ENGINE or text.startswith("⟨str len="), text
    # The classes and names of the program are there.
    assert {"Holder", "value"} <= set(strings)


@pytest.mark.skipif(not CHROMIUM, reason="there is no chromium")
def test_attributes_of_elements(tmp_path):
    raw, copy = tmp_path / "a.heapsnapshot", tmp_path / "copy.heapsnapshot"
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><body><div id='zqpassphrase0' class='zqpassphrase1' data-x='zed0@quuxmail.example'>zqpassphrase2</div>"
                    "<script>globalThis.kept = document.querySelector('div'); kept.remove()</script>")  # fmt: skip
    with Browser() as browser:
        browser.open(page)
        browser.snapshot(raw)
    assert "zqpassphrase0" in raw.read_text()
    redact(raw, copy, "--level", "names")
    assert_clean(copy, tmp_path / "t")
    redact(raw, tmp_path / "full.heapsnapshot", "--level", "full")
    assert page.parent.name not in (tmp_path / "full.heapsnapshot").read_text()


# -------------------------------------------------------------------------------- tokens, keys, maps


@needs_node
def test_keys_make_tokens_equal(planted, tmp_path):
    key, other = tmp_path / "key", tmp_path / "other"
    key.write_bytes(b"0123456789abcdef")
    other.write_bytes(b"0123456789abcdeF")
    copies = []
    for number, flags in enumerate([("--key", key), ("--key", key), ("--key", other), (), ()]):
        copy = tmp_path / f"{number}.heapsnapshot"
        redact(planted / "a.heapsnapshot", copy, "--level", "full", *flags)
        copies.append(copy.read_bytes())
    assert copies[0] == copies[1] and len(set(copies)) == 4
    (tmp_path / "short").write_bytes(b"123")
    assert "16 bytes" in redact(planted / "a.heapsnapshot", tmp_path / "x", "--key", tmp_path / "short", expect=2).stderr


@needs_node
def test_the_map_tells_what_tokens_stand_for(planted, tmp_path):
    map = tmp_path / "map"
    redact(planted / "a.heapsnapshot", tmp_path / "copy", "--map", map)
    known = dict(json.loads(line) for line in map.read_text().split("\n")[:-1])
    both = ["--map", tmp_path / "x" / ".." / "both", "--force"]
    (tmp_path / "x").mkdir()
    failed = heapquarry("redact", planted / "a.heapsnapshot", tmp_path / "both", *both, expect=2)
    assert "the copy has this name" in failed.stderr and not (tmp_path / "both").exists()
    assert "zqpassphrase1" in known.values() and oct(map.stat().st_mode & 0o777) == "0o600"
    strings = json.loads((tmp_path / "copy").read_text())["strings"]
    assert {text for text in strings if text.startswith("⟨str")} <= set(known)
    for token, text in known.items():
        if token.startswith("⟨str"):
            # Astral characters are one each.
            assert token.split()[1] == f"len={len(text)}"


@needs_node
def test_keep_and_deny(planted, tmp_path):
    copy = tmp_path / "copy"
    redact(planted / "a.heapsnapshot", copy, "--level", "full")
    assert '"Holder"' not in copy.read_text()
    redact(planted / "a.heapsnapshot", copy, "--level", "full", "--keep", "Hold*", "--force")
    assert '"Holder"' in copy.read_text()
    redact(planted / "a.heapsnapshot", copy, "--deny", "^Hol", "--force")
    assert '"Holder"' not in copy.read_text()
    assert "invalid regular expression" in redact(planted / "a.heapsnapshot", copy, "--deny", "(", "--force", expect=2).stderr


KEEPERS = """
const fresh = text => Buffer.from(text).toString('latin1');
class Keeper { constructor() {
  this.region = fresh('eu-west');
  this.parts = fresh('the first part, ') + fresh('and the second');
  this.mail = fresh('zed@quuxmail.example');
  this.long = fresh('x'.repeat(2000));
  this.other = fresh('us-east');
} }
class Other { constructor() { this.region = fresh('eu-west'); this.Keeper = { region: fresh('eu-west') }; } }
globalThis.all = [new Keeper(), new Other(), 'region', fresh('Keeper')];
"""


def values_and_edges(path):
    """The text of each value, by the number of its node, and the edges: owner's name, name, number of the node."""
    snapshot = json.loads(path.read_text())
    meta, nodes, edges, strings = (snapshot["snapshot"]["meta"], snapshot["nodes"], snapshot["edges"], snapshot["strings"])
    width, types, edge_types = len(meta["node_fields"]), meta["node_types"][0], meta["edge_types"][0]
    names = [strings[name] for name in nodes[1::width]]
    kinds = [types[kind] for kind in nodes[0::width]]
    values = {n: names[n] for n, kind in enumerate(kinds) if kind in ("string", "concatenated string", "sliced string")}
    found, at = [], 0
    for owner, count in enumerate(nodes[meta["node_fields"].index("edge_count") :: width]):
        for kind, name, to in zip(*[iter(edges[at : at + 3 * count])] * 3, strict=True):
            text = strings[name] if edge_types[kind] in ("property", "internal") else None
            found.append((owner, kinds[owner], names[owner], text, to // width))
        at += 3 * count
    return values, found


@needs_node
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rule, properties", [("Keeper.*", ["region", "parts", "mail", "long", "other"]), ("*eper.region", ["region"])])
def test_values_of_properties_are_kept(level, rule, properties, tmp_path):
    """And no others, even if they are equal."""
    raw, copy = tmp_path / "a.heapsnapshot", tmp_path / "copy.heapsnapshot"
    write = f"require('node:v8').writeHeapSnapshot({json.dumps(str(raw))})"
    subprocess.run([NODE, "-e", KEEPERS + write], check=True, capture_output=True)
    done = redact(raw, copy, "--level", level, "--keep", rule)
    assert done.stdout == ""
    values, edges = values_and_edges(raw)
    wanted = {to for _, kind, owner, name, to in edges if kind == "object" and owner == "Keeper" and name in properties and to in values}
    assert len(wanted) == len(properties)
    for _ in range(3):
        wanted |= {to for owner, kind, _, _, to in edges if kind == "concatenated string" and owner in wanted and to in values}
    assert ("and the second" in {values[node] for node in wanted}) == ("parts" in properties)
    copied, _ = values_and_edges(copy)
    for node, text in values.items():
        is_private = "@" in text or len(text) > 1024
        if node in wanted and not is_private:
            assert copied[node] == text
        else:
            assert copied[node].startswith("⟨str len=") or text in OF_ENGINE, text
    # A rule for values keeps no names.
    assert ('"parts"' in copy.read_text()) == (level == "values")


@needs_node
def test_the_audit_tells_kinds_and_places_and_no_secret(planted, tmp_path):
    done = heapquarry("redact", "--audit", planted / "a.heapsnapshot", expect=1)
    for kind in ("mail address", "JWT", "PEM", "service key", "card number", "IP address", "long hex", "long base64"):
        assert kind in done.stdout, kind
    assert not any(needle in done.stdout + done.stderr for needle in NEEDLES)
    data = (planted / "a.heapsnapshot").read_bytes()
    line = next(line for line in done.stdout.splitlines() if line.startswith("mail"))
    offset = int(line.split("byte ")[1].split()[0])
    assert data[offset : offset + 1] == b'"' and b"@" in data[offset : offset + 4000]
    copy = tmp_path / "copy"
    redact(planted / "a.heapsnapshot", copy)
    assert heapquarry("redact", "--audit", copy).stdout == ""


# -------------------------------------------------------------------------------- damage


@needs_node
def test_damage_never_passes_bytes_through(planted, tmp_path):
    """Cut anywhere, or with a byte that makes it no JSON: what is copied is a part of the whole copy, without secrets."""
    data = (planted / "a.heapsnapshot").read_bytes()
    key = tmp_path / "key"
    key.write_bytes(b"0123456789abcdef")
    strings = data.index(b'"strings":[')
    places = [len(data) * n // 9 for n in range(1, 9)] + [strings + 2000, strings + (len(data) - strings) // 2, len(data) - 3]
    for number, at in enumerate(places):
        for kind, damaged in (("cut", data[:at]), ("odd", data[:at] + b"\x00{" + data[at:])):
            source, copy = tmp_path / f"{number}-{kind}", tmp_path / f"{number}-{kind}.copy"
            source.write_bytes(damaged)
            done = heapquarry("redact", source, copy, "--level", "names", "--key", key)
            # A byte within a string is a part of it.
            assert "truncated or damaged" in done.stderr or kind == "odd"
            copied = copy.read_bytes()
            assert not any(needle.encode() in copied for needle in NEEDLES)
            if kind == "cut":
                assert len(copied) <= len(damaged) * 2


@pytest.mark.parametrize("name", ["copy", "copy.gz"])
def test_damage_that_leaves_no_document_is_an_error(name, tmp_path):
    """Edges before the header cannot be understood: what could be copied is `{"edges":`, which is nothing."""
    source, copy = tmp_path / "a.heapsnapshot", tmp_path / name
    source.write_text('{"edges":[0],"snapshot":{"meta":{"node_fields":["type"]}},"nodes":[],"strings":[]}')
    copy.write_text("before")
    done = redact(source, copy, "--force", expect=2)
    assert "cannot redact input" in done.stderr and "a.heapsnapshot" in done.stderr and "byte 9" in done.stderr
    assert copy.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, name])


def test_what_cannot_be_redacted(tmp_path):
    ftrace = tmp_path / "a.txt"
    ftrace.write_text("# tracer: nop\n  x-1 [000] .... 1.5: sched_wakeup: comm=x pid=1 prio=1 target_cpu=000\n")
    assert "ftrace" in redact(ftrace, tmp_path / "b", expect=2).stderr
    assert not (tmp_path / "b").exists()
    snapshot = CORPUS / "node22.heapsnapshot.gz"
    redact(snapshot, tmp_path / "c")
    assert "exists" in redact(snapshot, tmp_path / "c", expect=2).stderr
    assert oracle.Snapshot.parse(oracle.read_bytes(tmp_path / "c"))
    # Names that the engine has are kept.
    assert "Array" in {row["name"] for row in read_rows(convert(tmp_path / "c", tmp_path / "t"), "js_heap_nodes")}


def test_empty_inputs(tmp_path):
    plain, packed, out = tmp_path / "empty", tmp_path / "empty.gz", tmp_path / "out"
    plain.write_bytes(b"")
    packed.write_bytes(gzip.compress(b""))
    for source in (plain, packed, "-"):
        for args in [
            ("redact", source, out),
            ("redact", "--audit", source),
            ("convert", source, "-o", out, "--redact", "names"),
        ]:
            failed = heapquarry(*args, expect=2, stdin=subprocess.DEVNULL)
            assert f"input is empty ({source})" in failed.stderr and not failed.stdout, args
    assert sorted(tmp_path.iterdir()) == [plain, packed]


# -------------------------------------------------------------------------------- the option of other commands


def assert_no_needle(data):
    for needle in NEEDLES:
        assert needle.encode() not in data, needle


@needs_node
@pytest.mark.parametrize("name", ["a.heapsnapshot", "a.heaptimeline", "a.cpuprofile", "a.heapprofile", "a.json"])
def test_inputs_are_redacted_before_they_are_read(planted, name, tmp_path):
    """With one key, the tables are those of the copy that `redact` makes."""
    key, copy = tmp_path / "key", tmp_path / name
    key.write_bytes(b"0123456789abcdef")
    redact(planted / name, copy, "--level", "names", "--key", key)
    flags = ["--redact", "names", "--redact-key", key]
    direct = convert(planted / name, tmp_path / "direct", *flags)
    expected = convert(copy, tmp_path / "expected")
    tables = sorted(path.name for path in expected.glob("*.parquet"))
    assert tables == sorted(path.name for path in direct.glob("*.parquet"))
    for table in tables:
        if table != "source.parquet":
            assert_same(plain(pq.read_table(direct / table)), plain(pq.read_table(expected / table)), table)
    assert_no_needle(b"".join(str(pq.read_table(direct / table).to_pydict()).encode() for table in tables))


@needs_node
@pytest.mark.parametrize("keep", ["all", "summary"])
def test_batches_are_redacted(planted, keep, tmp_path):
    key, out = tmp_path / "key", tmp_path / "out"
    flags = ["convert", "--batch", planted, "-o", out, "--keep", keep, "--redact", "names"]
    assert "--redact-key" in heapquarry(*flags, expect=2).stderr and not out.exists()
    key.write_bytes(b"0123456789abcdef")
    inputs = len(list(planted.iterdir()))
    assert f"{inputs} done, 0 failed" in heapquarry(*flags, "--redact-key", key).stderr
    files = list(out.rglob("*.parquet"))
    assert len(files) > 5
    assert_no_needle(b"".join(str(pq.read_table(file).to_pydict()).encode() for file in files))
    assert f"{inputs} done before" in heapquarry(*flags, "--redact-key", key).stderr
    key.write_bytes(b"another key that is a key")
    assert "it was begun with" in heapquarry(*flags, "--redact-key", key, expect=2).stderr


@needs_node
def test_every_answer_about_a_copy_is_without_what_is_private(planted, tmp_path):
    """Other commands are asked about copies, in which equal strings have equal tokens if they have one key."""
    (tmp_path / "key").write_bytes(b"0123456789abcdef")

    def copy(name, to, level="names"):
        redact(planted / name, tmp_path / to, "--level", level, "--key", tmp_path / "key")
        return tmp_path / to

    heap, profile, trace = (copy(name, name) for name in ("a.heapsnapshot", "a.cpuprofile", "a.json"))
    strings = "SELECT DISTINCT name FROM js_heap_nodes UNION ALL SELECT name FROM js_heap_edges"
    for args in [
        ("summary", heap, "--json"),
        ("summary", profile),
        ("summary", trace),
        ("show", heap, "--class", "Holder", "--top", "1000"),
        ("why", heap, "--class", "Holder"),
        ("find", heap, "--strings", "--top", "1000"),
        ("find", profile),
        ("find", trace, "--json"),
        ("diff", heap, heap, "--format", "html"),
        ("diff", profile, profile, "--json"),
        ("leaks", heap, heap),
        ("query", heap, strings, "--format", "csv"),
        ("report", heap, "-o", "-"),
        ("report", profile, "-o", "-"),
        ("report", trace, "-o", "-"),
        ("export", profile, "--to", "collapsed"),
        ("export", trace, "--to", "chrome"),
    ]:
        done = heapquarry(*args)
        assert len(done.stdout) > 50, args
        assert_no_needle((done.stdout + done.stderr).encode())
    # The page is drawn from packed data; the tables that it is made of are looked at above.
    full = [copy("a.heapsnapshot", name, "full") for name in ("1.heapsnapshot", "2.heapsnapshot")]
    assert json.loads(heapquarry("diff", *full, "--json").stdout)["classes"] == {"total": 0, "rows": []}


@needs_node
def test_what_is_left_is_told(planted, tmp_path):
    """As after `redact`: exit code 1, the kind and the number, never the secret."""
    # The engine's own texts are never taken out.
    flags = ["--redact", "names", "--redact-deny", "^.concatenated string.$"]
    done = heapquarry("convert", planted / "a.heapsnapshot", "-o", tmp_path / "t", *flags, expect=1)
    assert "what looks like secrets is left" in done.stderr and "denied text: 1" in done.stderr
    assert not any(needle in done.stderr for needle in NEEDLES)
    assert (tmp_path / "t" / "_manifest.json").exists()


def test_what_cannot_be_redacted_is_not_read(tmp_path):
    snapshot, directory = CORPUS / "node22.heapsnapshot.gz", tmp_path / "t"
    convert(snapshot, directory)
    for source, message in [
        (directory, "it has been converted already"),
        (CORPUS / "pprof" / "go-heap.pb", "format pprof cannot be redacted"),
        (next((CORPUS / "ftrace").iterdir()), "format ftrace cannot be redacted"),
    ]:
        args = ("convert", source, "-o", tmp_path / "never")
        assert message in heapquarry(*args, "--redact", "values", expect=2).stderr, args
    assert not (tmp_path / "never").exists()
    (tmp_path / "short").write_bytes(b"123")
    flags = ["--redact", "values", "--redact-key", tmp_path / "short"]
    never = ("convert", snapshot, "-o", tmp_path / "never")
    assert "16 bytes" in heapquarry(*never, *flags, expect=2).stderr
    assert "--redact" in heapquarry(*never, "--redact-keep", "x", expect=2).stderr
    assert not (tmp_path / "never").exists()


def test_damage_ends_what_is_read(tmp_path):
    """Nothing behind the damage is copied, so nothing of it is read."""
    data = (CORPUS / "handmade" / "bun.heapsnapshot").read_bytes()
    at = data.index(b'"strings"') - 4
    (tmp_path / "a").write_bytes(data[:at] + b"\x00{" + data[at:])
    tables = convert(tmp_path / "a", tmp_path / "t", "--redact", "values")
    (source,) = read_rows(tables, "source")
    assert source["status"] == "truncated" and read_rows(tables, "import_log")
