"""What the tables must hold for self-profiling traces, in plain Python. See cpu.py."""

import json
from collections import Counter

from oracles.cpu import ORIGINALS

TABLES = {
    "self_profile_files": {
        "file_id": "int32", "file_name": "text", "json_path": "text", "epoch_origin_ms": "float64",
        "sample_interval_ms": "float64", "sample_count": "int64", "stack_count": "int64", "frame_count": "int64",
        "resource_count": "int64",
    },
    "self_profile_info": {"file_id": "int32", "key": "text", "value": "text"},
    "self_profile_sample": {
        "file_id": "int32", "sample_index": "int64", "timestamp_ms": "float64", "stack_id": "int32", "marker": "label",
        "dur_ms": "float64",
    },
    "self_profile_stack": {
        "file_id": "int32", "stack_id": "int32", "frame_id": "int32", "parent_id": "int32", "depth": "int32",
        "sample_count": "int64", "total_sample_count": "int64",
    },
    "self_profile_frame": {
        "file_id": "int32", "frame_id": "int32", "name": "text", "resource_id": "int32", "line_number": "int32",
        "column_number": "int32", **ORIGINALS,
    },
    "self_profile_resource": {"file_id": "int32", "resource_id": "int32", "url": "text"},
}  # fmt: skip

ARRAYS = ("frames", "resources", "samples", "stacks")


def documents(text):
    """Outermost objects of the text: one, an array of them, or lines."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        found += value if isinstance(value, list) else [value]
    return [value for value in found if isinstance(value, dict)]


def traces(value, path=()):
    if all(isinstance(value.get(name), list) for name in ARRAYS):
        yield ".".join(path), value
        return
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from traces(inner, (*path, key))


def scalars(value, path=()):
    """What an envelope says, in the order in which values end: those of an object when it ends."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            if not all(name in inner for name in ARRAYS):
                yield from scalars(inner, (*path, key))
        elif not isinstance(inner, list):
            yield ".".join((*path, key)), inner if isinstance(inner, str) else json.dumps(inner)


def tables(text, name):
    made = {table: {column: [] for column in columns} for table, columns in TABLES.items()}

    def add(table, **row):
        for column, values in made[table].items():
            values.append(row[column])

    file_id = 0
    for document in documents(text):
        info = list(scalars(document))
        known = dict(info)
        for path, trace in traces(document):
            origin = None
            if "clocksOrigin.timeStamp" in known:
                origin = float(known["clocksOrigin.timeStamp"]) - float(known["clocksOrigin.relative"])
            interval = known.get("sampleInterval")
            add(
                "self_profile_files", file_id=file_id, file_name=name, json_path=path, epoch_origin_ms=origin,
                sample_interval_ms=None if interval is None else float(interval), sample_count=len(trace["samples"]),
                stack_count=len(trace["stacks"]), frame_count=len(trace["frames"]),
                resource_count=len(trace["resources"]),
            )  # fmt: skip
            for key, value in info:
                add("self_profile_info", file_id=file_id, key=key, value=value)
            samples = trace["samples"]
            for i, sample in enumerate(samples):
                following = samples[i + 1]["timestamp"] - sample["timestamp"] if i + 1 < len(samples) else None
                add(
                    "self_profile_sample", file_id=file_id, sample_index=i, timestamp_ms=float(sample["timestamp"]),
                    stack_id=sample.get("stackId", -1), marker=sample.get("marker"),
                    dur_ms=None if following is None else float(following),
                )  # fmt: skip
            counts, totals, depths = Counter(s.get("stackId", -1) for s in samples), Counter(), []
            for i, stack in enumerate(trace["stacks"]):
                above = i
                depth = -1
                while above is not None:
                    totals[above] += counts[i]
                    depth += 1
                    above = trace["stacks"][above].get("parentId")
                depths.append(depth)
            for i, stack in enumerate(trace["stacks"]):
                add(
                    "self_profile_stack", file_id=file_id, stack_id=i, frame_id=stack["frameId"],
                    parent_id=stack.get("parentId", -1), depth=depths[i], sample_count=counts[i],
                    total_sample_count=totals[i],
                )  # fmt: skip
            for i, frame in enumerate(trace["frames"]):
                add(
                    "self_profile_frame", file_id=file_id, frame_id=i, name=frame["name"],
                    resource_id=frame.get("resourceId"), line_number=frame.get("line"),
                    column_number=frame.get("column"), **dict.fromkeys(ORIGINALS),
                )  # fmt: skip
            for i, url in enumerate(trace["resources"]):
                add("self_profile_resource", file_id=file_id, resource_id=i, url=url)
            file_id += 1
    return made
