"""`redact`: 200 secrets of 40 kinds, planted wherever 12 formats have text, and searched in all that comes out.

docs/redaction.md promises what this test holds.
"""

import base64
import gzip
import html
import json
import re
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import CORPUS, convert, heapquarry, plain, read_rows
from htrace_writer import Section, container
from htrace_writer import snapshot as messages_of
from test_redact import LEVELS, card

# ---------------------------------------------------------------------------- secrets

HEX, BASE64 = "0123456789abcdef", "Zk3xQ9vR"


def letters(n, of, size):
    """Letters that are others for each kind and number."""
    return "".join(of[(n * 7 + at * at * 3 + at * 5) % len(of)] for at in range(size))


# What looks like a secret, whatever is beside it: it is taken out wherever it stands. The second text is what must be gone.
FOUND = {
    "mail": lambda n: f"zed{n}@quuxmail.example",
    "mail of another script": lambda n: f"зед{n}@пример.рф",
    "JWT": lambda n: f"eyJhbGciOiJI{n}zq.eyJzdWIiOiJ6ZWQi.c2lnbmF0dXJl",
    "PEM": lambda n: f"-----BEGIN RSA PRIVATE KEY-----\nMIIEzqz{n}",
    "AWS": lambda n: f"user_AKIAZQ{n}AAAAAAAAAAAAA",
    "GitHub": lambda n: f"ghp_{n}zq{letters(n, HEX, 33)}",
    "GitLab": lambda n: f"glpat-zq{n}{letters(n, HEX, 17)}",
    "Google": lambda n: f"AIzaZQ{n}{letters(n, HEX, 32)}",
    "Google OAuth": lambda n: f"GOCSPX-zq{n}{letters(n, HEX, 25)}",
    "Slack": lambda n: f"xoxb-1234567{n}-zqzqzqzq",
    "Stripe": lambda n: f"sk_live_zq{n}{letters(n, HEX, 20)}",
    "npm": lambda n: f"npm_zq{n}{letters(n, HEX, 33)}",
    "OpenAI": lambda n: f"sk-zq{n}{letters(n, HEX, 24)}",
    "card": card,
    "card and date": lambda n: f"{card(n)} 12/27",
    "date and card": lambda n: f"12/27 {card(n)} 123",
    "IPv4": lambda n: f"host_10.77.{n}.201_",
    "IPv6": lambda n: f"2001:db8:77:{n}::201",
    "IPv6 of a link": lambda n: f"fe80::77:{n}:201",
    "hexadecimal": lambda n: f"0x{n}{letters(n, HEX, 40)}",
    "base64": lambda n: f"WkVEenE{n}dGhlU2VjcmV0VGhhdElzTG9uZ0Vub3VnaDEyMzQ1Ng==",
}
# What looks like nothing. It is taken out by what it is used for.
ANY = {
    "word": lambda n: f"zqpassphrase{n}",
    "words": lambda n: f"zqcorrect{n} horse battery",
    "phone": lambda n: f"+49-zq-555-{n}",
    "number of a person": lambda n: f"07805{n}1120",
    "postal code": lambda n: f"0{n}317",
    "code": lambda n: f"00{n}947",
    "person": lambda n: f"Zqalice O'Malley{n}",
    "street": lambda n: f"{n} Zqstraße, Köln",
    "cookie": lambda n: f"sid=zqsid{n}; Path=/",
    "connection": lambda n: f"Server=zqdb{n};Password=zqpw{n};",
    "JSON": lambda n: json.dumps({"password": f"zq{n}hunter", "url": "https://a.example/b"}, separators=(",", ":")),
    "text and address": lambda n: f"zqbefore{n}|https://a.example/b",
    "markup": lambda n: f'<b title="zq{n}one\nzq{n}two">zq{n}three</b>',
    "quotes": lambda n: f'zqone{n}"\\\'zqtwo{n}',
    "lines": lambda n: f"zqline{n}\n\tand\r\nzqmore{n}",
    "astral": lambda n: f"zq{n}😍𝕏",
    "Cyrillic": lambda n: f"зедсекрет{n}",
    "CJK": lambda n: f"秘密の言葉{n}",
    "method": lambda n: f"Zq#private{n}",
}  # fmt: skip
KINDS = {**FOUND, **ANY}
COUNT = 5


def secrets(kinds):
    return [make(n) for make in kinds.values() for n in range(COUNT)]


def needles(kinds):
    """Parts that are long enough to be in nothing else."""
    parts = [part for secret in secrets(kinds) for part in re.split(r"[\s\"'\\<>=;|{},/]+", secret)]
    own = [part for part in parts if re.search(r"[zZ][qQ]|зед|秘密|\d{4,}|zed\d|::|0x\d|10\.77", part)]
    return sorted({part for part in own if len(part) > 4 and part not in ("https:",)})


def test_there_are_so_many():
    assert len(KINDS) == 40 and len(set(secrets(KINDS))) == 200


# ---------------------------------------------------------------------------- documents

TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
         "concatenated string", "sliced string", "symbol", "bigint", "object shape"]  # fmt: skip
EDGES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]
META = {
    "node_fields": ["type", "name", "id", "self_size", "edge_count", "detachedness"],
    "node_types": [TYPES, "string", "number", "number", "number", "number"],
    "edge_fields": ["type", "name_or_index", "to_node"],
    "edge_types": [EDGES, "string_or_number", "node"],
    "trace_function_info_fields": ["function_id", "name", "script_name", "script_id", "line", "column"],
    "trace_node_fields": ["id", "function_info_index", "count", "size", "children"],
    "sample_fields": ["timestamp_us", "last_assigned_id"],
    "location_fields": ["object_index", "script_id", "line", "column"],
}


class Heap:
    def __init__(self):
        self.strings, self.nodes, self.edges, self.functions = [], [], [], []
        root, self.roots = self.node("synthetic", ""), self.node("synthetic", "(GC roots)")
        self.edge(root, "element", 1, self.roots)

    def text(self, text):
        self.strings.append(text)
        return len(self.strings) - 1

    def node(self, kind, name):
        self.nodes.append([TYPES.index(kind), self.text(name), 2 * len(self.nodes) + 1, 16, 0, 0])
        self.edges.append([])
        return len(self.nodes) - 1

    def edge(self, owner, kind, name, to):
        name = name if kind in ("element", "hidden") else self.text(name)
        self.edges[owner].append([EDGES.index(kind), name, to * 6])
        self.nodes[owner][4] += 1

    def held(self, kind, name):
        node = self.node(kind, name)
        self.edge(self.roots, "element", node, node)
        return node

    def json(self, more):
        functions = [part for name, script in self.functions for part in (1, self.text(name), self.text(script), 1, 1, 1)]
        counts = {"node_count": len(self.nodes), "edge_count": sum(map(len, self.edges)), "trace_function_count": len(functions) // 6}
        return json.dumps({
            "snapshot": {"meta": {**META, "owner": more}, **counts, "note": more},
            "nodes": sum(self.nodes, []), "edges": [part for own in self.edges for edge in own for part in edge],
            "trace_function_infos": functions, "trace_tree": [], "samples": [], "locations": [], "extra": {"x": more},
            "strings": self.strings,
        }, ensure_ascii=False)  # fmt: skip


def addresses(text):
    """Addresses with a secret that no level but `values` keeps."""
    text = quote(text, safe="'()!*")
    return [
        f"https://h.example/(app)/page.js?token={text}", f"https://h.example/it's#access_token={text}",
        f"https://bob:{text}@localhost/p", f"/app.js?token={text}", f"//cdn.example/x.js?{text}", f"mailto:x?subject={text}",
        f"about:blank?{text}", f"data:text/plain,{text}", f"webpack-internal:///(rsc)/./app/page.tsx?{text}",
    ]  # fmt: skip


def heap(level, texts, of_page):
    """Values at every level, other names from the level on that promises them."""
    made = Heap()
    for text in texts:
        for kind in ("string", "concatenated string", "sliced string", "symbol", "regexp", "number", "bigint"):
            made.held(kind, text)
        table = made.held("array", "")
        made.edge(table, "internal", f"7 / part of key ({text} @3) -> value ({text} @5) pair in WeakMap (table @7)", made.roots)
        if level == "values":
            continue
        owner = made.held("object", "Object")
        made.edge(owner, "property", text, made.held("object", "Array"))
        made.edge(owner, "property", f"<symbol {text}>", made.held("object", "Map"))
        for address in addresses(text):
            made.held("code", address)
            made.held("code", f"system / Script / {address}")
            if of_page:
                made.held("native", f"Window / {address}")
        if of_page:
            made.held("native", f'<div title="one\n{text}" class="a {text}">')
            made.held("native", f'Detached <emotion-\uf60d id="{text}">')
        if level == "full":
            names = [text, f"system / Context / {text}", f"system / NativeContext / https://{quote(text)}/", f"node:{text}"]
            names += [f"{text}.js", f"/home/{text}/x.ts", f"https://h.example/{quote(text)}", f"<x-{text}>", f"blink::{text}"]
            for name in names:
                made.held("object", name)
                made.held("closure", name)
            made.edge(owner, "context", text, made.roots)
            made.functions.append((text, f"https://h.example/{quote(text)}.js"))
    return made.json(texts)


def frame(level, text):
    """A call frame: its function and the host and path of its script are kept below `full`."""
    name = text if level == "full" else "run"
    urls = addresses(text) if level != "values" else ["https://h.example/x.js"]
    urls += [f"https://{quote(text)}/{quote(text)}"] if level == "full" else []
    return [{"functionName": name, "scriptId": "1", "url": url, "lineNumber": 1, "columnNumber": 1} for url in urls]


def cpu_profile(level, texts):
    frames = [made for text in texts for made in frame(level, text)]
    nodes = [{"id": at + 1, "callFrame": made, "hitCount": 1, "children": [], "deoptReason": texts[at % len(texts)]} for at, made in enumerate(frames)]
    nodes[0]["children"] = [node["id"] for node in nodes[1:]]
    more = {"title": texts[0], "user": {"name": texts, "url": texts}}
    samples = [node["id"] for node in nodes]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": 9, "samples": samples, "timeDeltas": [1] * len(samples), **more})


def heap_profile(level, texts):
    frames = [made for text in texts for made in frame(level, text)]
    children = [{"callFrame": made, "selfSize": 8, "id": at + 2, "children": []} for at, made in enumerate(frames)]
    head = {"callFrame": {**frames[0]}, "selfSize": 0, "id": 1, "children": children}
    return json.dumps({"head": head, "samples": [], "comment": texts})


def self_profile(level, texts):
    frames = [made for text in texts for made in frame(level, text)]
    return json.dumps({
        "frames": [{"name": made["functionName"], "resourceId": at, "line": 1, "column": 1} for at, made in enumerate(frames)],
        "resources": [made["url"] for made in frames],
        "stacks": [{"frameId": at} for at in range(len(frames))],
        "samples": [{"timestamp": at, "stackId": at} for at in range(len(frames))],
        "user": texts,
    })  # fmt: skip


def event(**more):
    return {"ph": "X", "name": "RunTask", "cat": "devtools.timeline", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "args": {}, **more}


def trace(level, texts):
    """Arguments are data at every level, names of events and keys of arguments from `names` on."""
    events = []
    for text in texts:
        values = {"name": text, "id": text, "nodeId": text, "scriptId": text, "user": {"functionName": text, "list": [text, {"id": text}]}}
        events.append(event(args={**values, "data": {"detail": text, "message": json.dumps({"inner": text})}}))
        events.append(event(args={"data": {"url": addresses(text)}}))
        if level != "values":
            events.append(event(name=text, args={text: 1, "data": {text: text}}))
            events.append(event(ph="M", name="thread_name", args={"name": text}))
        if level == "full":
            events.append(event(cat=text, args={"data": {"functionName": text, "url": f"https://{quote(text)}/{quote(text)}"}}))
    return json.dumps({"traceEvents": events})


def metadata(level, texts):
    frames = {str(at): {"name": text if level == "full" else "run", "category": "c"} for at, text in enumerate(texts)}
    keys = {text: text for text in texts} if level != "values" else {}
    return json.dumps({"traceEvents": [event()], "metadata": {"os": texts, **keys}, "otherData": {"version": texts}, "stackFrames": frames})


def labels(level, texts):
    """The other form: an array. Labels, and counters."""
    events = []
    for text in texts:
        events += [event(ph="M", name="process_labels", args={"labels": text}), event(ph="i", s="g", args={"label": text})]
        if level != "values":
            events.append(event(ph="C", name=text, args={text: 2}))
    return json.dumps(events)


def text_of(make):
    return lambda level, texts: make(level, texts).encode()


DOCUMENTS = {
    "a.heapsnapshot": text_of(lambda level, texts: heap(level, texts, False)),
    "page.heapsnapshot": text_of(lambda level, texts: heap(level, texts, True)),
    "a.heaptimeline": text_of(lambda level, texts: heap(level, texts, False).replace('"samples": []', '"samples": [1, 3]')),
    "a.htrace": lambda level, texts: container(Section(messages_of(heap(level, texts, False).encode()))),
    "a.cpuprofile": text_of(cpu_profile),
    "a.heapprofile": text_of(heap_profile),
    "self.json": text_of(self_profile),
    "a.json": text_of(trace),
    "metadata.json": text_of(metadata),
    "labels.json": text_of(labels),
}


def pprof(texts):
    """Labels and comments: strings of the table."""
    def blob(n, data):
        size, out = len(data), bytes([n << 3 | 2])
        while size > 127:
            out, size = out + bytes([size & 127 | 128]), size >> 7
        return out + bytes([size]) + data

    table = b"".join(blob(6, text.encode()) for text in ["", "cpu", "count", *texts])
    sample = bytes([0x10, 5]) + blob(3, bytes([8, 3, 16, 4]))
    return blob(1, bytes([8, 1, 16, 2])) + blob(2, sample) + table + bytes([0x68, 5])


def ftrace(texts):
    """Names of processes."""
    lines = []
    for at, text in enumerate(texts):
        comm, first = re.sub(r"\s", "_", text)[:15], text.splitlines()[0]
        lines.append(f"{comm}-1 [000] d... 1.{at:06}: tracing_mark_write: B|1|{first}")
    return "\n".join(["# tracer: nop", "#", *lines, ""]).encode()


# ---------------------------------------------------------------------------- the search


def forms(needle):
    """How a text could be written."""
    yield needle.encode()
    yield needle[::-1].encode()
    yield json.dumps(needle)[1:-1].encode()
    yield quote(needle).encode()
    yield html.escape(needle).encode()
    yield needle.encode("utf-16-le")
    yield needle.encode("utf-16-be")
    for skipped in range(3):
        # The digits that only these bytes decide, wherever they stand.
        packed = base64.b64encode(b"\0" * skipped + needle.encode())
        yield packed[-(-skipped * 8 // 6) : (skipped + len(needle.encode())) * 8 // 6]


def assert_none(data, kinds, what):
    # Most texts are the same in several forms.
    for form, needle in {form: needle for needle in needles(kinds) for form in forms(needle)}.items():
        assert len(form) < 5 or form not in data, f"{needle!r} in {what}"


def unpacked(data):
    """What is written in base64 in a page."""
    packed = re.findall(rb"[A-Za-z0-9+/]{24,}={0,2}", data)
    return b"\n".join(base64.b64decode(part + b"=" * (-len(part) % 4)) for part in packed if len(part.rstrip(b"=")) % 4 != 1)


def texts_of(folder):
    """All text of tables. Numbers are ids, sizes and places, and can be anything."""
    columns = [column for file in sorted(folder.glob("*.parquet")) for column in plain(pq.read_table(file)).columns]
    texts = [text for column in columns if pa.types.is_string(column.type) for text in column.to_pylist() if text]
    return "\n".join(texts).encode()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_none_is_left(name, level, tmp_path):
    source, copy = tmp_path / name, tmp_path / f"copy-{name}"
    source.write_bytes(DOCUMENTS[name](level, secrets(KINDS)))
    document = f"{source}#0" if name.endswith("htrace") else source
    done = heapquarry("redact", document, copy, "--level", level)
    assert "damaged" not in done.stderr and done.stdout == ""
    copied = copy.read_bytes()
    assert_none(copied, KINDS, "the copy")
    if name not in ("a.htrace",):
        assert_none(json.dumps(json.loads(copied), ensure_ascii=False).encode(), KINDS, "its text")
    assert heapquarry("redact", "--audit", copy).stdout == ""
    tables = convert(source, tmp_path / "tables", "--redact", level)
    assert_none(texts_of(tables), KINDS, "tables")
    for args in [("summary", copy, "--json"), ("summary", copy), ("report", copy, "-o", "-")]:
        done = heapquarry(*args)
        assert len(done.stdout) > 50, args
        said = (done.stdout + done.stderr).encode()
        assert_none(said + html.unescape(done.stdout).encode() + unpacked(said), KINDS, args)


@pytest.mark.parametrize("level", LEVELS)
def test_what_looks_like_a_secret_is_taken_out_wherever_it_is(level, tmp_path):
    """In names of classes, functions and hosts too, which the level keeps."""
    for name, make in DOCUMENTS.items():
        if name.endswith("htrace"):
            continue
        source, copy = tmp_path / name, tmp_path / f"copy-{name}"
        source.write_bytes(make("full", secrets(FOUND)))
        assert heapquarry("redact", source, copy, "--level", level).stdout == "", name
        assert_none(copy.read_bytes(), FOUND, name)
        kinds = [line.split(":")[0] for line in heapquarry("redact", "--audit", source, expect=1).stdout.splitlines()]
        assert kinds == ["mail address", "JWT", "PEM", "service key", "card number", "IP address", "long hex", "long base64"]


@pytest.mark.parametrize("name, make", [("a.pb", pprof), ("a.ftrace", ftrace)])
def test_other_formats_are_refused_and_nothing_is_quoted(name, make, tmp_path):
    source = tmp_path / name
    source.write_bytes(make(secrets(KINDS)))
    # It is a document of its format.
    heapquarry("summary", source)
    for args in [
        ("redact", source, tmp_path / "copy"),
        ("redact", "--audit", source),
        ("convert", source, "-o", tmp_path / "tables", "--redact", "full"),
    ]:
        done = heapquarry(*args, expect=2)
        assert "cannot be redacted" in done.stderr and not done.stdout, args
        assert_none(done.stderr.encode(), KINDS, args)
    assert list(tmp_path.iterdir()) == [source]


# ---------------------------------------------------------------------------- what was not read


DAMAGED = {
    "a number that is none": '{"traceEvents":[{"ph":"X","name":"a","ts":1,"args":{"a":0x1F}},{"ph":"X","name":"%s","ts":1}]}',
    "a quote without an escape": '{"traceEvents":[{"ph":"X","name":"a "quoted" b","ts":1},{"ph":"X","name":"%s","ts":1}]}',
    "a cut": '{"traceEvents":[{"ph":"X","name":"a","ts":1},{"ph":"X","name":"%s',
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("flags", [(), ("-q",)])
def test_an_audit_that_did_not_read_all_is_not_clean(damage, flags, tmp_path):
    for source, data in [
        (tmp_path / "a.json", (DAMAGED[damage] % "AKIAIOSFODNN7EXAMPLE").encode()),
        (tmp_path / "a.json.gz", gzip.compress((DAMAGED["a cut"] % "x" * 99).encode())[:-9]),
    ]:
        source.write_bytes(data)
        done = heapquarry("redact", "--audit", source, *flags, expect=2)
        assert "cannot audit" in done.stderr and "not looked at" in done.stderr and "AKIA" not in done.stderr, done.stderr


@pytest.mark.parametrize("content", ['{"frames":[{"name":"zqpassphrase0"', "zqpassphrase0", "<html>zqpassphrase0</html>"])
def test_errors_of_redacted_inputs_quote_nothing(content, tmp_path):
    source = tmp_path / "a"
    source.write_text(content)
    assert "zqpassphrase0" in heapquarry("summary", source, expect=2).stderr
    for args in [
        ("convert", source, "-o", tmp_path / "never", "--redact", "full"),
        ("redact", source, tmp_path / "never"),
        ("redact", "--audit", source),
    ]:
        done = heapquarry(*args, expect=2)
        assert "unknown format" in done.stderr and "zqpass" not in done.stderr + done.stdout, done.stderr


# ---------------------------------------------------------------------------- numbers


def figures(path, folder):
    """Numbers and ids, without text and without what depends on the order of names."""
    tables = convert(path, folder, "--analyze")

    def rows(table):
        others = ("name", "class_key", "class_index", "function_name", "script_name")
        return [{k: v for k, v in row.items() if k not in others and not k.startswith(("class_name", "name"))} for row in read_rows(tables, table)]

    classes = sorted(map(repr, rows("js_heap_class")))
    return [rows("js_heap_nodes"), rows("js_heap_edges"), rows("js_heap_analysis"), classes]


@pytest.mark.parametrize("level", LEVELS)
def test_figures_are_those_of_the_original(level, tmp_path):
    """In a page whose address has an IP address, a port and a token: its native contexts are still known."""
    text = gzip.open(CORPUS / "chromium.heapsnapshot.gz").read().decode()
    text, count = re.subn(r'(system / NativeContext / )[^"]*"', r'\1http://127.0.0.1:3000/?token=zqpassphrase0"', text)
    assert count > 0
    source, copy = tmp_path / "a.heapsnapshot", tmp_path / "copy.heapsnapshot"
    source.write_text(text)
    heapquarry("redact", source, copy, "--level", level)
    assert "system / NativeContext / http" in copy.read_text() and "127.0.0.1" not in copy.read_text()
    original, copied = figures(source, tmp_path / "original"), figures(copy, tmp_path / "copied")
    for one, other, what in zip(original, copied, ("nodes", "edges", "analysis", "classes")):
        assert one == other, what
    assert len({row["native_context_id"] for row in original[2]}) > 2
