"""What the tables must hold for pprof profiles, in plain Python: the wire format read by hand, and a call tree of dicts.

https://github.com/google/pprof/blob/main/proto/profile.proto, https://protobuf.dev/programming-guides/encoding/
"""

import gzip
from collections import defaultdict

TABLES = {
    "pprof_files": {
        "file_id": "int32", "file_name": "text", "time_ns": "int64", "duration_ns": "int64", "period": "int64",
        "period_type": "text", "period_unit": "text", "default_value_index": "int32", "default_sample_type": "text",
        "drop_frames": "text", "keep_frames": "text", "doc_url": "text", "sample_count": "int64", "node_count": "int64",
        "location_count": "int64", "function_count": "int64", "mapping_count": "int64",
    },
    "pprof_comment": {"file_id": "int32", "comment_index": "int64", "comment": "text"},
    "pprof_sample_type": {
        "file_id": "int32", "value_index": "int32", "value_type": "text", "unit": "text", "total_value": "int64",
    },
    "pprof_sample": {"file_id": "int32", "sample_index": "int64", "node_index": "int64"},
    "pprof_value": {"file_id": "int32", "sample_index": "int64", "value_index": "int32", "sample_value": "int64"},
    "pprof_label": {
        "file_id": "int32", "sample_index": "int64", "label_key": "text", "str_value": "text", "num_value": "int64",
        "num_unit": "text",
    },
    "pprof_node": {
        "file_id": "int32", "node_index": "int64", "parent_index": "int64", "depth": "int32", "location_id": "int64",
        "line_index": "int32", "function_id": "int64", "function_name": "text", "url": "text", "line_number": "int32",
        "at_line_number": "int32", "at_column_number": "int32", "address": "int64", "mapping_name": "text",
    },
    "pprof_node_value": {
        "file_id": "int32", "value_index": "int32", "node_index": "int64", "self_value": "int64", "total_value": "int64",
    },
    "pprof_location": {
        "file_id": "int32", "location_id": "int64", "mapping_id": "int64", "address": "int64", "is_folded": "int32",
        "line_count": "int64",
    },
    "pprof_line": {
        "file_id": "int32", "location_id": "int64", "line_index": "int32", "function_id": "int64",
        "line_number": "int32", "column_number": "int32",
    },
    "pprof_function": {
        "file_id": "int32", "function_id": "int64", "function_name": "text", "system_name": "text", "url": "text",
        "line_number": "int32",
    },
    "pprof_mapping": {
        "file_id": "int32", "mapping_id": "int64", "memory_start": "int64", "memory_limit": "int64",
        "file_offset": "int64", "file_name": "text", "build_id": "text", "has_functions": "int32",
        "has_filenames": "int32", "has_line_numbers": "int32", "has_inline_frames": "int32",
    },
}  # fmt: skip


class Broken(Exception):
    """Not a message."""


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Broken
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value % (1 << 64), at


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fields(data):
    """The values of a message by number: integers, or bytes."""
    found, at = defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(key & 7)
            if length is None:
                length, at = varint(data, at)
            if at + length > len(data):
                raise Broken
            value, at = data[at : at + length], at + length
            if key & 7 != 2:
                continue
        found[key >> 3].append(value)
    return found


def integers(values):
    """A repeated field, packed or not."""
    found = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
        else:
            at = 0
            while at < len(value):
                one, at = varint(value, at)
                found.append(one)
    return found


def tables(data, name):
    """The tables of a profile, which may be compressed."""
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    profile = fields(data)
    texts = [text.decode("utf-8", "replace") for text in profile[6]]
    made = {table: {column: [] for column in columns} for table, columns in TABLES.items()}

    def add(table, **row):
        for column in TABLES[table]:
            made[table][column].append(0 if column == "file_id" else row[column])

    def text(index):
        return texts[index] if 0 < index < len(texts) else None

    def one(message, number):
        return message[number][-1] if message[number] else 0

    def place(number):
        return signed(number) if 0 < signed(number) < 1 << 31 else None

    messages = {number: [fields(message) for message in profile[number]] for number in (1, 3, 4, 5, 11)}
    kinds = [(text(one(m, 1)), text(one(m, 2))) for m in messages[1]]
    functions, locations = {}, {}
    binaries = {one(m, 1): text(one(m, 5)) for m in reversed(messages[3])}
    for m in messages[5]:
        id, start = one(m, 1), place(one(m, 5))
        names = [text(one(m, number)) for number in (2, 3, 4)]
        functions.setdefault(id, (names[0], names[2], start))
        add("pprof_function", function_id=signed(id), function_name=names[0], system_name=names[1], url=names[2], line_number=start)
    for position, m in enumerate(messages[4]):
        id, lines = one(m, 1), [fields(line) for line in m[4]]
        lines = [(one(line, 1), one(line, 2), one(line, 3)) for line in lines]
        address = signed(one(m, 3)) or None
        locations.setdefault(id, (position, id, lines, address, binaries.get(one(m, 2)) if one(m, 2) else None))
        add(
            "pprof_location", location_id=signed(id), mapping_id=signed(one(m, 2)) or None, address=address,
            is_folded=int(one(m, 5) != 0), line_count=len(lines),
        )  # fmt: skip
        for i, (function, line, column) in enumerate(lines):
            add(
                "pprof_line", location_id=signed(id), line_index=i, function_id=signed(function) or None,
                line_number=place(line), column_number=place(column),
            )  # fmt: skip
    for m in messages[3]:
        add(
            "pprof_mapping", mapping_id=signed(one(m, 1)), memory_start=signed(one(m, 2)), memory_limit=signed(one(m, 3)),
            file_offset=signed(one(m, 4)), file_name=text(one(m, 5)), build_id=text(one(m, 6)),
            has_functions=int(one(m, 7)), has_filenames=int(one(m, 8)), has_line_numbers=int(one(m, 9)),
            has_inline_frames=int(one(m, 10)),
        )  # fmt: skip

    known, depths, parents = {}, [], []
    own, totals, count = defaultdict(int), [0] * len(kinds), 0
    for message in profile[2]:
        try:
            sample = fields(message)
            stack, values = integers(sample[1]), [signed(value) for value in integers(sample[2])]
            labels = [fields(label) for label in sample[3]]
        except Broken:
            continue
        node = -1
        for position, id, lines, address, binary in reversed([locations[id] for id in stack if id in locations]):
            if (node, position) not in known:
                caller, first = node, node
                for i in reversed(range(max(len(lines), 1))):
                    function, line, column = lines[i] if lines else (0, 0, 0)
                    function_name, url, start = functions.get(function, (None, None, None))
                    depths.append(depths[first] + 1 if first >= 0 else 0)
                    parents.append(first)
                    first, parent = len(depths) - 1, first
                    add(
                        "pprof_node", node_index=first, parent_index=parent, depth=depths[first], location_id=signed(id),
                        line_index=i, function_id=signed(function) or None, function_name=function_name, url=url,
                        line_number=start, at_line_number=place(line), at_column_number=place(column), address=address,
                        mapping_name=binary,
                    )  # fmt: skip
                known[caller, position] = first
            node = known[node, position]
        add("pprof_sample", sample_index=count, node_index=node)
        for i, value in enumerate(values[: len(kinds)]):
            add("pprof_value", sample_index=count, value_index=i, sample_value=value)
            totals[i] += value
            own[i, node] += value if node >= 0 else 0
        for label in labels:
            str_value, num_value = text(one(label, 2)), signed(one(label, 3))
            add(
                "pprof_label", sample_index=count, label_key=text(one(label, 1)), str_value=str_value,
                num_value=None if one(label, 2) else num_value, num_unit=text(one(label, 4)),
            )  # fmt: skip
        count += 1

    for i, (kind, unit) in enumerate(kinds):
        add("pprof_sample_type", value_index=i, value_type=kind, unit=unit, total_value=totals[i])
        below, is_any = defaultdict(int), set()
        for node in range(len(depths)):
            value, at = own[i, node], node
            while at >= 0 and value:
                below[at] += value
                is_any.add(at)
                at = parents[at]
        for node in sorted(is_any):
            add("pprof_node_value", value_index=i, node_index=node, self_value=own[i, node], total_value=below[node])

    comments = integers(profile[13])
    for i, index in enumerate(comments):
        add("pprof_comment", comment_index=i, comment=text(index))
    period = messages[11][-1] if messages[11] else fields(b"")
    shown = text(one(profile, 14))
    named = [i for i, (kind, _) in enumerate(kinds) if shown and kind == shown]
    add(
        "pprof_files", file_name=name, time_ns=signed(one(profile, 9)) or None, duration_ns=signed(one(profile, 10)) or None,
        period=signed(one(profile, 12)) or None, period_type=text(one(period, 1)), period_unit=text(one(period, 2)),
        default_value_index=named[0] if named else len(kinds) - 1 if kinds else None, default_sample_type=shown,
        drop_frames=text(one(profile, 7)), keep_frames=text(one(profile, 8)), doc_url=text(one(profile, 15)),
        sample_count=count, node_count=len(depths), location_count=len(messages[4]), function_count=len(messages[5]),
        mapping_count=len(messages[3]),
    )  # fmt: skip
    return made
