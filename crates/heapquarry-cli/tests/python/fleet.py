"""Makes a small fleet: processes of several releases, with snapshots and CPU profiles of each, one release with a leak.

python fleet.py FOLDER [PROCESSES]   writes FOLDER/RELEASE/HOST-N.heapsnapshot and .cpuprofile
"""

import datetime
import json
import os
import sys
from pathlib import Path

RELEASES = ["1.0", "1.1", "1.2"]
# Each release ran for a day.
FIRST_DAY = datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc)
LEAKING = "1.2"
NODE_FIELDS = ["type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"]
NODE_TYPES = ["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic"]
EDGE_TYPES = ["context", "element", "property", "internal", "hidden", "shortcut", "weak"]


def snapshot(process: int, release: str) -> dict:
    """A heap whose root holds the objects of some classes, and a store with the sessions. Those of a leak are more in each
    process.
    """
    sessions = 100 + (40 + process if release == LEAKING else 0)
    classes = {"Session": (sessions, 120), "User": (30 + process % 3, 80), "Request": (20, 64)}
    strings, nodes, edges = ["", "(GC roots)"], [], []
    objects = [(name, size) for name, (count, size) in classes.items() for _ in range(count)]
    strings += ["SessionStore", "store", *classes]
    nodes += [9, 0, 1, 0, 1, 0, 0, 9, 1, 3, 0, 1 + len(objects) - sessions, 0, 0]
    nodes += [3, strings.index("SessionStore"), 5, 40, sessions, 0, 0]
    nodes += [value for at, (name, size) in enumerate(objects) for value in (3, strings.index(name), 7 + 2 * at, size, 0, 0, 0)]
    place = lambda at: at * len(NODE_FIELDS)  # noqa: E731
    edges += [1, 1, place(1), 2, strings.index("store"), place(2)]
    # The sessions come first: they are the store's, which comes after the roots.
    held = [(1, at, place(3 + at)) for at in range(len(objects))]
    edges += [value for edge in held[sessions:] + held[:sessions] for value in edge]
    meta = {
        "node_fields": NODE_FIELDS,
        "node_types": [NODE_TYPES, "string", "number", "number", "number", "number", "number"],
        "edge_fields": ["type", "name_or_index", "to_node"],
        "edge_types": [EDGE_TYPES, "string_or_number", "node"],
    }
    counts = {"node_count": len(nodes) // len(NODE_FIELDS), "edge_count": len(edges) // 3}
    return {"snapshot": {"meta": meta, **counts}, "nodes": nodes, "edges": edges, "strings": strings}


def profile(process: int, release: str) -> dict:
    """A profile of 100 samples of 1 ms. A function is slower in the last release."""
    slow = 60 if release == LEAKING else 20 + process % 5
    samples = [2] * slow + [3] * (100 - slow)

    def node(number: int, name: str, children: list[int]) -> dict:
        frame = {"functionName": name, "scriptId": "1", "url": "app.js", "lineNumber": number, "columnNumber": 0}
        return {"id": number, "callFrame": frame, "hitCount": samples.count(number), "children": children}

    nodes = [node(1, "(root)", [2, 3]), node(2, "parse", []), node(3, "render", [])]
    return {"nodes": nodes, "startTime": 0, "endTime": 101_000, "samples": samples, "timeDeltas": [1000] * 100}


def write(folder: Path, processes: int) -> None:
    for release in RELEASES:
        (folder / release).mkdir(parents=True)
        for process in range(processes):
            stem = folder / release / f"host-{process}"
            time = FIRST_DAY + datetime.timedelta(days=RELEASES.index(release), minutes=process)
            for make, ending in [(snapshot, "heapsnapshot"), (profile, "cpuprofile")]:
                file = Path(f"{stem}.{ending}")
                file.write_text(json.dumps(make(process, release)))
                os.utime(file, (time.timestamp(), time.timestamp()))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50)
