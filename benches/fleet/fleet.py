"""Measures batches: throughput, kills, object storage with latency, queries.

python fleet.py COMMAND throughput SMALL       speed of 1,000 times the snapshot SMALL, and of one with its objects 500 times
python fleet.py COMMAND kill SMALL [KILLS]     kill -9 of batches of 300 at random moments; rows as without kills
python fleet.py COMMAND cloud BIG              BIG from and to a server with 20 ms of latency (feature `cloud`)
python fleet.py COMMAND queries SMALL          the queries of docs/fleet.md over 1,000 summaries

COMMAND is a release build of heapquarry. Files are written below the folder TMPDIR. Needs the package pyarrow for
`throughput`, and duckdb for `kill` and `queries`.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

ROOT = Path(__file__).resolve().parents[2]
TABLES = "js_heap_nodes,js_heap_edges,js_heap_string,js_heap_files"


def run(*words, **env):
    """Runs a command; returns its seconds."""
    start = time.perf_counter()
    subprocess.run([str(word) for word in words], check=True, env={**os.environ, **env})
    return time.perf_counter() - start


def copies(small, count, folder):
    """Links to a file, each an input."""
    folder.mkdir()
    first = folder / "0.heapsnapshot"
    shutil.copy(small, first)
    for number in range(1, count):
        os.link(first, folder / f"{number}.heapsnapshot")
    return folder, count * first.stat().st_size


def joined(small, count, big):
    """Writes one snapshot with the objects of a snapshot so many times. Each time, all strings are others: so there are as
    many as in so many files, and they compress no better. Returns the number of objects of `small`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    heap = json.loads(Path(small).read_text())
    meta, strings = heap["snapshot"]["meta"], heap["strings"]
    widths = {"nodes": len(meta["node_fields"]), "edges": len(meta["edge_fields"])}
    objects = heap["snapshot"]["node_count"]
    kinds = meta["edge_types"][0]
    has_number = {kinds.index("element"), kinds.index("hidden")}
    # What is added to each number, times the number of the copy.
    added = {name: [0] * len(heap[name]) for name in widths}
    added["nodes"][1::widths["nodes"]] = [len(strings)] * objects
    added["nodes"][2::widths["nodes"]] = [max(heap["nodes"][2::widths["nodes"]]) // 2 * 2 + 2] * objects
    of_edges = heap["edges"][::widths["edges"]]
    added["edges"][1::widths["edges"]] = [0 if kind in has_number else len(strings) for kind in of_edges]
    added["edges"][2::widths["edges"]] = [len(heap["nodes"])] * len(of_edges)
    for name in ("node_count", "edge_count"):
        heap["snapshot"][name] *= count
    with open(big, "w") as out:
        out.write('{"snapshot":' + json.dumps(heap["snapshot"]))
        for name in widths:
            out.write(f',\n"{name}":[')
            base, more = pa.array(heap[name], pa.int64()), pa.array(added[name], pa.int64())
            for copy in range(count):
                numbers = pc.add(base, pc.multiply(more, copy))
                texts = pa.ListArray.from_arrays([0, len(numbers)], numbers.cast(pa.string()))
                out.write("," * (copy > 0) + pc.binary_join(texts, ",")[0].as_py())
            out.write("]")
        out.write(',\n"strings":[' + json.dumps(strings)[1:-1])
        letters = ascii_lowercase, ascii_uppercase
        for copy in range(1, count):
            shifted = "".join(abc[copy % 26 :] + abc[: copy % 26] for abc in letters)
            table = str.maketrans("".join(letters), shifted)
            out.write("," + json.dumps([f"{text.translate(table)} {copy}" for text in strings])[1:-1])
        out.write("]}\n")
    return objects


def throughput(command, work, small):
    inputs, size = copies(small, 1000, work / "in")
    big = work / "big.heapsnapshot"
    objects = joined(small, 500, big)
    for turn in range(3):
        for words, bytes_of, times in [(["--batch", inputs], size, 1000), ([big], big.stat().st_size, 500)]:
            seconds = run(command, "convert", "-q", *words, "-o", work / "out")
            files = sum(1 for _ in (work / "out").rglob("*.parquet"))
            speed = f"{bytes_of / 1e6 / seconds:.0f} MB/s, {objects * times / 1e6 / seconds:.1f} million objects/s"
            print(f"{words[0]}: {speed}, {seconds:.2f} s, {files} files")
            shutil.rmtree(work / "out")


def rows(folder):
    """Number and hash of the rows of each table and input."""
    import duckdb

    found = {}
    for table in sorted(path.name for path in folder.iterdir() if not path.name.startswith("_")):
        files = f"read_parquet('{folder}/{table}/**/*.parquet', hive_partitioning = true)"
        names = [row[0] for row in duckdb.sql(f"DESCRIBE FROM {files}").fetchall()]
        names = ", ".join(f'"{name}" := t."{name}"' for name in names if name not in ("file_id", "source", "path"))
        path = "t.path" if table == "source" else "source.path"
        join = "" if table == "source" else f"JOIN read_parquet('{folder}/source/**/*.parquet', hive_partitioning = true) AS source USING (source, file_id)"
        query = f"SELECT {path}, count(*), sum(hash(struct_pack({names}))) FROM {files} AS t {join} GROUP BY ALL ORDER BY ALL"
        found[table] = duckdb.sql(query).fetchall()
    return found


def kill(command, work, small, runs=100):
    inputs, _ = copies(small, 300, work / "in")
    batch = [command, "convert", "-q", "--batch", inputs, "--keep", TABLES, "-o"]
    # The first run may be slow, and leave too much time.
    seconds = min(run(*batch, work / name) for name in ("first", "whole"))
    whole = rows(work / "whole")
    assert len(whole["source"]) == 300
    chance, kills, batches = random.Random(22), 0, 0
    while kills < int(runs):
        while True:
            process = subprocess.Popen([str(word) for word in [*batch, work / "out"]])
            try:
                process.wait(chance.uniform(0, seconds))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        batches += 1
        assert process.returncode == 0
        assert rows(work / "out") == whole, f"batch {batches}"
        shutil.rmtree(work / "out")
    print(f"{batches} batches of 300, killed {kills} times: the same rows each time")


def cloud(command, work, big):
    from server import Server

    (work / "s3/heaps").mkdir(parents=True)
    # Tables have the name of the file.
    there, address = work / "s3/heaps" / Path(big).name, f"s3://heaps/{Path(big).name}"
    try:
        os.link(big, there)
    except OSError:
        shutil.copy(big, there)
    server = Server(work / "s3", latency=0.02)
    env = {
        "AWS_ENDPOINT_URL": server.url,
        "AWS_SKIP_SIGNATURE": "true",
        "AWS_REGION": "us-east-1",
        "HEAPQUARRY_CACHE_DIR": str(work / "cache"),
    }
    size = Path(big).stat().st_size
    # First with all cores for both, then with a core for each of command and server.
    for cores in [None, None, (0, 1), (0, 1)]:
        pinned = []
        if cores:
            pinned = ["taskset", "-c", str(cores[0])]
            for thread in os.listdir("/proc/self/task"):
                os.sched_setaffinity(int(thread), {cores[1]})
        for source, target in [(big, work / "local"), (address, work / "read"), (address, "s3://heaps/out")]:
            seconds = run(*pinned, command, "convert", "-q", source, "-o", target, **env)
            of_cores = " on one core" if cores else ""
            print(f"{source} to {target}: {size / 1e6 / seconds:.0f} MB/s{of_cores}, {seconds:.2f} s")
        for file in (work / "read").iterdir():
            # These have the path of the input.
            if file.name not in ("source.parquet", "_manifest.json", "views.sql"):
                for folder in [work / "local", work / "s3/heaps/out"]:
                    assert file.read_bytes() == (folder / file.name).read_bytes(), file.name
        for folder in [work / "local", work / "read", work / "s3/heaps/out"]:
            shutil.rmtree(folder)
    server.close()


def queries(command, work, small):
    import duckdb

    inputs, _ = copies(small, 1000, work / "in")
    profile = ROOT / "corpus/profiles/node26.cpuprofile"
    for number in range(1000):
        shutil.copy(profile, inputs / f"{number}.cpuprofile")
    seconds = run(command, "convert", "-q", "--batch", inputs, "--keep", "summary", "--label", "release=1.0", "-o", work / "fleet")
    size = sum(path.stat().st_size for path in (work / "fleet").rglob("*.parquet"))
    print(f"2,000 summaries in {seconds:.1f} s, {size / 2000:.0f} bytes each")
    page = (ROOT / "docs/fleet.md").read_text()
    macro = re.search(r"```sql\n(CREATE.*?)```", page, re.S)[1]
    for heading, query in re.findall(r"^### ([^\n]*)\n.*?```sql\n(.*?)```", page, re.M | re.S):
        with duckdb.connect() as connection:
            connection.execute(f"SET file_search_path = '{work}'")
            connection.execute(macro)
            start = time.perf_counter()
            connection.execute(query).fetchall()
            print(f"{heading}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    commands = {each.__name__: each for each in (throughput, kill, cloud, queries)}
    if len(sys.argv) < 4 or sys.argv[2] not in commands:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        commands[sys.argv[2]](Path(sys.argv[1]).absolute(), Path(folder), *sys.argv[3:])
