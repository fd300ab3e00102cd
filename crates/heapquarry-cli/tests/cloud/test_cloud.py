"""Inputs and outputs in object storage: the same tables as from files, whatever the server does, or a clear error."""

import json
import random
import re
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import unquote
from urllib.request import urlopen

import pytest
from conftest import CORPUS, KEYS, killed_at


def tables(folder):
    """The files that do not have the path of the input in them."""
    named = ("source.parquet", "_manifest.json", "views.sql")
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.name not in named}


@pytest.fixture(scope="session")
def local(large, tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "out"
    import os

    subprocess.run([os.environ["HEAPQUARRY_CLOUD_BIN"], "convert", "-q", large, "-o", out], check=True)
    return tables(out)


@pytest.mark.parametrize("names", ["text", "id"])
def test_tables_are_those_of_the_file(cloud, large, local, tmp_path, names):
    url = cloud.put("app/large.heapsnapshot", large)
    cloud.run("convert", "-q", url, "-o", tmp_path / "out", "--names", names)
    if names == "text":
        assert tables(tmp_path / "out") == local
    reads = [path for method, path in cloud.proxy.requests if method == "GET"]
    size = large.stat().st_size
    # Each block is read once or, for the strings, a few times: not once for each read of 128 KiB.
    assert size / (4 << 20) <= len(reads) <= 3 * size / (4 << 20) + 10


@pytest.mark.parametrize("file", ["node22.heapsnapshot.gz", "handmade/bun.heapsnapshot", "profiles/current.cpuprofile"])
def test_small_and_packed_inputs(cloud, tmp_path, file):
    url = cloud.put(f"in/{Path(file).name}", CORPUS / file)
    cloud.run("convert", "-q", url, "-o", tmp_path / "out")
    cloud.run("convert", "-q", CORPUS / file, "-o", tmp_path / "local")
    assert tables(tmp_path / "out") == tables(tmp_path / "local")
    summary = json.loads(cloud.run("summary", url, "--json").stdout)
    assert summary.keys() == json.loads(cloud.run("summary", CORPUS / file, "--json").stdout).keys()
    # The same server without S3's rules.
    address = f"{cloud.proxy.url}/heaps/in/{Path(file).name}"
    assert json.loads(cloud.run("info", address, "--json").stdout)[0]["complete"]


def some(fault, every=3, least=3):
    """A fault of some of the reads of blocks."""
    return lambda method, path, number: fault if method == "GET" and number > least and number % every == 0 else None


@pytest.mark.parametrize(
    "fault",
    [some(500), some(503), some(("cut", 1_000_000)), some(("cut", 0)), lambda method, path, number: 503 if number < 4 else None],
    ids=["500", "503", "cut", "closed", "throttled at first"],
)
def test_a_server_that_fails_for_a_while(cloud, large, local, tmp_path, fault):
    url = cloud.put("large.heapsnapshot", large)
    cloud.proxy.fault = fault
    cloud.run("convert", "-q", url, "-o", tmp_path / "out")
    assert tables(tmp_path / "out") == local


EXPIRED = b"<Error><Code>ExpiredToken</Code><Message>The token is old</Message><Token-0>knownsecret</Token-0></Error>"


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (403, "access is denied"),
        (404, "there is no such object"),
        (412, "the object was replaced while it was read"),
        ((400, EXPIRED), "Generic S3 error: .* ExpiredToken The token is old"),
    ],
)
def test_errors_name_the_object(cloud, large, tmp_path, answer, what):
    url = cloud.put("large.heapsnapshot", large)
    first = 3 if answer == 412 else 1
    cloud.proxy.fault = lambda method, path, number: answer if number >= first else None
    done = cloud.run("convert", "-q", url, "-o", tmp_path / "out", expect=2)
    assert re.fullmatch(rf"error: cannot .* \({url}.*\): {what}.*\n", done.stderr), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_weak_versions_are_no_condition(cloud, large, local, tmp_path):
    url = cloud.put("large.heapsnapshot", large)
    cloud.proxy.weak = True
    cloud.run("convert", "-q", url, "-o", tmp_path / "out")
    assert tables(tmp_path / "out") == local

    def replace(method, path, number):
        if number == 3:
            cloud.put("large.heapsnapshot", large.read_bytes() + b" ")

    del cloud.proxy.requests[:]
    cloud.proxy.fault = replace
    done = cloud.run("convert", "-q", url, "-o", tmp_path / "replaced", expect=2)
    assert f"({url}" in done.stderr and "the object was replaced while it was read" in done.stderr


def test_addresses_hold_no_credentials(cloud, tmp_path):
    for url in ["https://user:secret@host/a.heapsnapshot", "https://host/a.heapsnapshot?sig=secret"]:
        done = cloud.run("info", url, expect=2)
        assert "must not hold credentials or a query" in done.stderr


def test_profiles_of_the_shared_files(cloud, tmp_path):
    url = cloud.put("bun.heapsnapshot", CORPUS / "handmade/bun.heapsnapshot")
    file = tmp_path / "credentials"
    file.write_text("[default]\naws_access_key_id=no\n[two]\naws_access_key_id = AKIAKNOWNKEY\naws_secret_access_key = knownsecret\n")
    seen = []
    real = cloud.proxy.fault
    cloud.proxy.fault = lambda method, path, number: seen.append(path) or real(method, path, number)
    env = {"AWS_SHARED_CREDENTIALS_FILE": str(file), "AWS_PROFILE": "two", "AWS_CONFIG_FILE": str(tmp_path / "none")}
    cloud.run("info", url, keys={}, **env)
    assert seen


def test_outputs_have_their_manifest_last(cloud, large, tmp_path):
    cloud.run("convert", "-q", large, "-o", tmp_path / "out")
    cloud.run("convert", "-q", large, "-o", "s3://heaps/out")
    local = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert cloud.files("out/") == local
    written = [path for method, path in cloud.proxy.requests if method == "PUT"]
    assert written[-1].startswith("/heaps/out/_manifest.json")
    done = cloud.run("convert", "-q", large, "-o", "s3://heaps/out", expect=2)
    assert "(s3://heaps/out): it exists" in done.stderr
    # Another directory in its place, with fewer files.
    small = CORPUS / "handmade/bun.heapsnapshot"
    cloud.run("convert", "-q", "--force", "--tables", "js_heap_nodes", small, "-o", "s3://heaps/out")
    assert "js_heap_nodes.parquet" in cloud.files("out/") and "js_heap_edges.parquet" not in cloud.files("out/")
    cloud.put("out/notes.txt", b"precious")
    done = cloud.run("convert", "-q", "--force", small, "-o", "s3://heaps/out", expect=2)
    assert '"notes.txt"' in done.stderr
    assert cloud.files("out/")["notes.txt"] == b"precious"


def test_an_output_that_fails_has_no_manifest(cloud, large):
    refuse = lambda method, path, number: 403 if method == "PUT" and "nodes" in path else None  # noqa: E731
    cloud.proxy.fault = refuse
    done = cloud.run("convert", "-q", large, "-o", "s3://heaps/out", expect=2)
    assert "(s3://heaps/out): cannot upload: js_heap_nodes.parquet: access is denied" in done.stderr
    assert "_manifest.json" not in cloud.files("out/")
    # The server fails for a while.
    cloud.proxy.fault = lambda method, path, number: 500 if method in ("PUT", "POST") and number % 3 == 0 else None
    cloud.put("other/x", b"")
    cloud.run("convert", "-q", large, "-o", "s3://heaps/more")
    assert "_manifest.json" in cloud.files("more/")


@pytest.mark.parametrize("first", [1, 2, 7])
def test_an_upload_in_parts_that_fails_is_aborted(cloud, tmp_path, first):
    heap = tmp_path / "names.heapsnapshot"
    chance = random.Random(7)
    names = ",".join(f'"{chance.randbytes(500).hex()}"' for _ in range(70_000))
    nodes = ",".join(f"0,{n},{n},0,0" for n in range(70_000))
    heap.write_text(
        '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["object"],'
        '"string","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],'
        f'"string_or_number","node"]}},"node_count":70000,"edge_count":0}},"nodes":[{nodes}],"edges":[],"strings":[{names}]}}'
    )
    part = lambda path: int((re.findall("partNumber=([0-9]+)", path) or [0])[0])  # noqa: E731
    cloud.proxy.fault = lambda method, path, number: 403 if method == "PUT" and part(path) >= first else None
    words = ["convert", "-q", "--tables", "js_heap_nodes", "--compression", "none", heap, "-o", "s3://heaps/out"]
    done = cloud.run(*words, expect=2)
    assert "cannot upload: js_heap_nodes.parquet: access is denied" in done.stderr
    sent = [path for method, path in cloud.proxy.requests if method == "PUT" and part(path)]
    assert len(sent) >= min(first, 5), "parts that fail while others follow"
    assert cloud.s3.list_multipart_uploads(Bucket="heaps").get("Uploads", []) == []
    cloud.proxy.fault = lambda method, path, number: None
    cloud.run(*words)
    assert "_incomplete.json" not in cloud.files("out/")


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "over an older one"])
def test_an_output_that_dies_is_written_again(cloud, tmp_path, is_new):
    """Killed at each of its requests that change the bucket, and then run again with the same words."""
    old, new = CORPUS / "handmade/ark-7.0.heapsnapshot", CORPUS / "handmade/bun.heapsnapshot"
    only = ["--tables", "js_heap_nodes,js_heap_files"]
    wholes = []
    for file, words in ((old, ["--tables", "js_heap_nodes,js_heap_edges"]), (new, only)):
        cloud.run("convert", "-q", *words, file, "-o", tmp_path / file.stem)
        wholes.append({path.name: path.read_bytes() for path in (tmp_path / file.stem).iterdir()})
    for number in range(1, 40):
        out = f"s3://heaps/dies{number}"
        for name, content in wholes[0].items():
            is_new or cloud.put(f"dies{number}/{name}", content)
        command = ["convert", "-q", *only, new, "-o", out, *([] if is_new else ["--force"])]
        process = killed_at(cloud, number, *command)
        there = cloud.files(f"dies{number}/")
        # Whoever goes by the manifest sees a whole output, the old or the new one.
        if "_manifest.json" in there:
            assert {name: there[name] for name in there if name != "_incomplete.json"} in wholes
        if process.returncode == 0:
            assert there == wholes[1]
            break
        # What somebody else has put there stays.
        cloud.put(f"dies{number}/notes.txt", b"precious")
        for force in ([], ["--force"]):
            done = cloud.run("convert", "-q", new, "-o", out, *force, expect=2)
            assert re.search(r'it (exists|has no|holds "notes.txt")', done.stderr), done.stderr
        assert cloud.files(f"dies{number}/").items() == {**there, "notes.txt": b"precious"}.items()
        cloud.s3.delete_object(Bucket="heaps", Key=f"dies{number}/notes.txt")
        cloud.run(*command)
        assert cloud.files(f"dies{number}/") == wholes[1], number
    assert number > 6 and process.returncode == 0


def test_a_batch_of_a_prefix(cloud, tmp_path):
    for name in ["a/bun.heapsnapshot", "a/ark-7.0.heapsnapshot", "b/bun.heapsnapshot"]:
        cloud.put(f"heaps/{name}", CORPUS / "handmade" / Path(name).name)
    cloud.put("heaps/readme", b"no heap")
    batch = ["convert", "-q", "-o", tmp_path / "out", "--batch"]
    cloud.run(*batch, "s3://heaps/heaps/*/bun.heapsnapshot")
    done = cloud.run(*batch, "s3://heaps/heaps/", expect=3)
    assert "s3://heaps/heaps/readme" in done.stderr
    log = [json.loads(line) for line in (tmp_path / "out/_log/inputs.jsonl").read_text().splitlines()]
    assert [row["status"] for row in log] == ["done", "done", "done", "failed"]
    packs = {"source=pack.00000", "source=pack.00001"}
    assert {path.name for path in (tmp_path / "out/batch_input").iterdir()} == packs


def test_what_stands_for_folders_or_is_hidden_is_no_input(cloud, tmp_path):
    bun = CORPUS / "handmade/bun.heapsnapshot"
    for key in ["in/a.heapsnapshot", "in/.hidden.heapsnapshot", "in/.trash/b.heapsnapshot", "in/b/c.heapsnapshot"]:
        cloud.put(key, bun)
    for key in ["in/", "in/b/", "in/empty/", "out/", "out/below/"]:
        cloud.put(key, b"")
    cloud.put("in/a.empty", b"")
    done = cloud.run("convert", "-q", "--batch", "s3://heaps/in", "-o", "s3://heaps/out", expect=3)
    assert re.findall("s3://heaps/in/[^ )]*", done.stderr) == ["s3://heaps/in/a.empty"]
    log = cloud.files("out/")["_log/inputs.jsonl"].splitlines()
    assert [json.loads(line)["input"].removeprefix("s3://heaps/in/") for line in log] == [
        "a.empty",
        "a.heapsnapshot",
        "b/c.heapsnapshot",
    ]
    # As a destination, folders are nothing.
    cloud.put("tables/", b"")
    cloud.run("convert", "-q", bun, "-o", "s3://heaps/tables")


def test_addresses_of_a_list_have_size_and_time(cloud, tmp_path):
    urls = [cloud.put(f"in/{n}.heapsnapshot", CORPUS / "handmade/bun.heapsnapshot") for n in range(3)]
    (tmp_path / "list").write_text("\n".join([*urls, "s3://heaps/in/gone.heapsnapshot"]))
    heads = lambda: sorted(path for method, path in cloud.proxy.requests if method == "HEAD")  # noqa: E731
    batch = ["convert", "-q", "--batch", tmp_path / "list", "-o", tmp_path / "out"]
    done = cloud.run(*batch, expect=3)
    assert "s3://heaps/in/gone.heapsnapshot" in done.stderr and "there is no such object" in done.stderr
    assert [path.rpartition("/")[2][0] for path in heads()] == ["0", "1", "2", "g", "g"], "the last is asked why, too"
    listed = ["convert", "-q", "--batch", "s3://heaps/in/", "-o", tmp_path / "listed"]
    cloud.run(*listed)
    table = "batch_input/source=pack.00000/part-0.parquet"
    assert (tmp_path / "out" / table).read_bytes() == (tmp_path / "listed" / table).read_bytes()
    # Those that are done are not asked again.
    del cloud.proxy.requests[:]
    cloud.run(*batch, expect=3)
    assert all("gone" in path for path in heads())


SMALL = ["bun", "ark-7.0", "julia-1.11", "v8-2026-scopes", "strings-first", "node18-tracked"]
BATCH = ["convert", "-q", "--jobs", "2", "--label", "release=1.0 ä/b", "--batch"]


@pytest.fixture
def heaps(tmp_path):
    """A folder of small heaps."""
    folder = tmp_path / "in"
    folder.mkdir()
    found = [path for path in (CORPUS / "handmade").glob("*.heapsnapshot") if path.stem in SMALL]
    assert len(found) >= 5
    for path in found:
        shutil.copy(path, folder)
    return folder


def batch_files(folder):
    found = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != "_lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("keep", ["all", "summary"])
def test_a_batch_into_a_bucket_is_that_into_a_folder(cloud, heaps, tmp_path, keep):
    batch = [*BATCH, heaps, "--keep", keep, "-o"]
    cloud.run(*batch, tmp_path / "out")
    cache = tmp_path / "cache"
    cloud.run(*batch, "s3://heaps/out/", HEAPQUARRY_CACHE_DIR=cache)
    local = batch_files(tmp_path / "out")
    assert len(local) > 10 and cloud.files("out/") == local
    assert not list(cache.rglob("batch-*")), "nothing waits"
    # The manifest comes after what it names, and a later run has nothing to do.
    written = [path for method, path in cloud.proxy.requests if method == "PUT"]
    assert "/_done/" in written[-2] and "/_log/" in written[-1]
    del cloud.proxy.requests[:]
    assert f"{len(list(heaps.iterdir()))} done before" in cloud.run(*[word for word in batch if word != "-q"], "s3://heaps/out").stderr
    written = [path for method, path in cloud.proxy.requests if method in ("PUT", "POST")]
    assert len(written) == 1 and "/_log/" in written[0]


def test_a_batch_belongs_to_its_bucket(cloud, heaps):
    cloud.put("other/notes.txt", b"precious")
    done = cloud.run(*BATCH, heaps, "-o", "s3://heaps/other", expect=2)
    assert '(s3://heaps/other): it holds "notes.txt", which no batch wrote' in done.stderr
    cloud.run(*BATCH, heaps, "-o", "s3://heaps/out")
    done = cloud.run(*BATCH, heaps, "-o", "s3://heaps/out", "--keep", "summary", expect=2)
    assert "it was begun with" in done.stderr


def test_a_batch_into_a_bucket_that_dies_goes_on(cloud, heaps, tmp_path):
    """Killed at each of its requests that change the bucket."""
    batch = [*BATCH, heaps, "--keep", "js_heap_nodes,js_heap_files", "-o"]
    cloud.run(*batch, tmp_path / "out")
    whole = batch_files(tmp_path / "out")
    for number in range(1, 30):
        prefix, cache = f"dies{number}", tmp_path / f"cache{number}"
        process = killed_at(cloud, number, *batch, f"s3://heaps/{prefix}", HEAPQUARRY_CACHE_DIR=cache)
        there = cloud.files(f"{prefix}/")
        for name in (name for name in there if "/_done/" in f"/{name}"):
            tables = json.loads(there[name])["tables"]
            assert tables and all(len(there[table["file"]]) == table["bytes"] for table in tables)
        if process.returncode == 0:
            break
        # On another machine, every other time.
        cache = tmp_path / "elsewhere" if number % 2 else cache
        cloud.run(*batch, f"s3://heaps/{prefix}", HEAPQUARRY_CACHE_DIR=cache)
        assert cloud.files(f"{prefix}/") == whole, number
    assert number > 5 and process.returncode == 0


def test_a_batch_whose_server_fails_for_a_while(cloud, heaps, tmp_path):
    cloud.run(*BATCH, heaps, "-o", tmp_path / "out")
    cloud.proxy.fault = lambda method, path, number: 503 if number % 3 == 0 else None
    cloud.run(*BATCH, heaps, "-o", "s3://heaps/out")
    assert cloud.files("out/") == batch_files(tmp_path / "out")


def test_google_cloud_storage_is_asked_by_its_name(cloud, tmp_path):
    """Its interface for XML is that of S3, as far as it goes here."""
    cloud.put("in/bun.heapsnapshot", CORPUS / "handmade/bun.heapsnapshot")
    env = {"GOOGLE_BASE_URL": cloud.proxy.url, "GOOGLE_SKIP_SIGNATURE": "true", "GOOGLE_ALLOW_HTTP": "true"}
    cloud.run("convert", "-q", "gs://heaps/in/bun.heapsnapshot", "-o", tmp_path / "out", keys={}, **env)
    cloud.run("convert", "-q", CORPUS / "handmade/bun.heapsnapshot", "-o", tmp_path / "local")
    assert tables(tmp_path / "out") == tables(tmp_path / "local")
    asked = {unquote(path) for _, path in cloud.proxy.requests}
    assert asked == {"/heaps/in/bun.heapsnapshot"}
    cloud.run("convert", "-q", "--batch", "gs://heaps/in/", "-o", tmp_path / "batch", keys={}, **env)
    assert (tmp_path / "batch/js_heap_nodes/source=pack.00000").is_dir()


@pytest.mark.parametrize("file", ["chromium.heapsnapshot.gz", "profiles/node26.cpuprofile", "traces/chromium.trace.json.gz"])
def test_an_object_is_opened_in_the_browser(cloud, file):
    """The page of `open`: it asks for parts of what is in memory, and for arguments of a slice in the object."""
    url = cloud.put(f"in/{Path(file).name}", CORPUS / file)
    words = cloud.command(["open", url, "--no-browser", "--quiet"], KEYS, {})
    process = subprocess.Popen(**words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        address = process.stdout.readline().strip()
        assert address, process.stderr.read()

        def ask(question):
            with urlopen(f"{address}api/{question}", timeout=120) as answer:
                return json.load(answer)

        end = time.monotonic() + 120
        while ask("status")["stage"] != "ready":
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        found = ask("overview")
        assert found["inputs"] == [url]
        assert found == json.loads(cloud.run("summary", url, "--top", "20", "--json").stdout)
        if "trace" in file:
            rows = ask("find?text=a&top=1000")["slices"]["rows"]
            slices = (ask(f"slice?slice={row['slice']}")["slice"] for row in rows)
            assert ask(f"arguments?slice={next(of['slice'] for of in slices if of['has_arguments'])}")["arguments"]
    finally:
        process.kill()
        process.communicate()
