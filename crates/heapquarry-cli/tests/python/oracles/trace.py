"""What the tables of a trace should hold, by Python's own JSON reader. Numbers stay text until they are needed."""

import gzip
import json
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

TABLES = {
    "trace_event": {
        "file_id": "int32", "event_index": "int64", "byte_offset": "int64", "ph": "label", "name": "text",
        "category": "text", "ts": "int64", "dur": "int64", "tts": "int64", "tdur": "int64", "pid": "int64",
        "pid_text": "text", "tid": "int64", "tid_text": "text", "id": "text", "id_kind": "label", "scope": "text",
        "bind_id": "text", "args": "text", "extra": "text",
    },
    "args": {
        "file_id": "int32", "arg_set_id": "int64", "flat_key": "text", "key": "text", "int_value": "int64",
        "string_value": "text", "real_value": "float64", "value_type": "label",
    },
    "script_call": {
        "file_id": "int32", "event_index": "int64", "function_name": "text", "script_id": "int64", "url": "text",
        "line_number": "int32", "column_number": "int32", "original_name": "text", "original_source": "text",
        "original_line": "int32", "original_column": "int32",
    },
    "trace_metadata": {
        "file_id": "int32", "name": "text", "key_type": "label", "int_value": "int64", "str_value": "text",
        "byte_offset": "int64",
    },
    "stack_frame": {
        "file_id": "int32", "frame_id": "text", "name": "text", "category": "text", "parent_id": "text", "extra": "text",
    },
    "trace_sample": {
        "file_id": "int32", "sample_index": "int64", "ts": "int64", "cpu": "int64", "pid": "int64", "pid_text": "text",
        "tid": "int64", "tid_text": "text", "name": "text", "stack_frame_id": "text", "weight": "float64", "extra": "text",
    },
}  # fmt: skip

KNOWN = {"ph", "name", "cat", "ts", "dur", "tts", "tdur", "pid", "tid", "id", "id2", "scope", "bind_id", "args"}
INT64 = range(-(1 << 63), 1 << 63)


class Number(str):
    """The text of a number. It is no text of the same digits."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return type(other) is Number and str(self) == str(other)

    def __ne__(self, other):
        return not self == other

    def plain(self):
        if not self.removeprefix("-").isdigit():
            return None
        return int(self) if int(self) in INT64 and str(int(self)) == str(self) else None


loads = json.JSONDecoder(strict=False, parse_int=Number, parse_float=Number).decode


def read(path):
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode("utf-8-sig")


def is_number(value):
    return isinstance(value, Number)


def is_text(value):
    return isinstance(value, str) and not is_number(value)


def time(value):
    """Nanoseconds, and whether the value is a number that is exactly that."""
    if not isinstance(value, str):
        return None, False
    try:
        ns = Decimal(value.strip()) * 1000
    except InvalidOperation:
        return None, False
    rounded = int(ns.to_integral_value(ROUND_HALF_UP))
    return (rounded, rounded == ns and is_number(value)) if rounded in INT64 else (None, False)


def whole(value):
    """A whole number, and whether it is written as one."""
    if not isinstance(value, str):
        return None, False
    if (plain := Number(value.strip()).plain()) is not None:
        return plain, is_number(value)
    try:
        exact = Decimal(value.strip())
    except InvalidOperation:
        return None, False
    return (int(exact) if exact == int(exact) and int(exact) in INT64 else None), False


def event(number, e):
    """A row of `trace_event`; `args` and `extra` as values."""
    row = {"event_index": number, "ph": None}
    extra = {k: v for k, v in e.items() if k not in KNOWN}

    def odd(key):
        extra[key] = e[key]

    if "ph" in e:
        row["ph"] = e["ph"] if is_text(e["ph"]) else odd("ph")
    for key, column in [("name", "name"), ("cat", "category"), ("scope", "scope"), ("bind_id", "bind_id")]:
        value = e.get(key)
        row[column] = str(value) if isinstance(value, str) else None
        if key in e and not is_text(value):
            odd(key)
    for key in ["ts", "dur", "tts", "tdur"]:
        row[key], exact = time(e.get(key))
        if key in e and not exact:
            odd(key)
    for key in ["pid", "tid"]:
        value = e.get(key)
        row[key], exact = whole(value)
        row[f"{key}_text"] = value if is_text(value) else None
        if key in e and not exact and not is_text(value):
            odd(key)
    row["id"] = row["id_kind"] = None
    if "id" in e:
        row["id"] = str(e["id"]) if isinstance(e["id"], str) else odd("id")
        row["id_kind"] = None if row["id"] is None else "id_number" if is_number(e["id"]) else "id"
    if "id2" in e:
        id2 = e["id2"]
        if row["id"] is None and isinstance(id2, dict):
            first = next((k for k in id2 if k in ("local", "global") and isinstance(id2[k], str)), None)
            if first:
                row["id"], row["id_kind"] = str(id2[first]), first
        kind = row["id_kind"]
        if not (kind in ("local", "global") and len(id2) == 1 and is_text(id2[kind])):
            odd("id2")
    row["args"] = e.get("args", ABSENT)
    row["extra"] = extra or ABSENT
    return row


ABSENT = object()


def flatten(value, key, flat):
    """Rows of `args` without their set: flat_key, key, int_value, string_value, real_value, value_type."""
    if isinstance(value, dict) and value:
        for k, v in value.items():
            yield from flatten(v, f"{key}.{k}", f"{flat}.{k}")
    elif isinstance(value, list) and value:
        for i, v in enumerate(value):
            yield from flatten(v, f"{key}[{i}]", flat)
    elif isinstance(value, (dict, list)):
        yield flat, key, None, json.dumps(value), None, "json"
    elif isinstance(value, bool):
        yield flat, key, int(value), None, None, "bool"
    elif value is None:
        yield flat, key, None, None, None, "null"
    elif is_number(value):
        if (plain := value.plain()) is not None:
            yield flat, key, plain, None, None, "int"
        else:
            exact = "." in value and sum(c.isdigit() for c in value) <= 15
            yield flat, key, None, None if exact else str(value), float(value), "real"
    else:
        yield flat, key, None, value, None, "string"


def args(events):
    for number, e in enumerate(events):
        value = e.get("args", {})
        if value not in ({}, []):
            for row in flatten(value, "args", "args"):
                yield number, *row


CALLS = {"FunctionCall", "EvaluateScript", "v8.compile", "v8.produceCache"}


def calls(events):
    """Rows of `script_call`, up to the column."""
    for number, e in enumerate(events):
        data = e.get("args")
        data = data.get("data") if isinstance(data, dict) else None
        if e.get("name") not in CALLS or not isinstance(data, dict) or not data.keys() & {"functionName", "url", "lineNumber"}:
            continue
        function, url = (data[key] if is_text(data.get(key)) else None for key in ["functionName", "url"])
        script, line, column = (int(str(data[key])) if key in data else None for key in ["scriptId", "lineNumber", "columnNumber"])
        yield number, function, script, url, line or None, column or None


def metadata(document):
    """Rows of `trace_metadata` without offsets; JSON as values."""
    for key, value in document.items():
        if key == "traceEvents" and isinstance(value, list) or key == "samples" and isinstance(value, list):
            continue
        if key == "stackFrames" and isinstance(value, dict):
            continue
        if isinstance(value, dict) and value:
            for inner, v in value.items():
                yield metadatum(f"{key}.{inner}", v)
        else:
            yield metadatum(key, value)


def metadatum(name, value):
    if isinstance(value, bool):
        return name, "bool", int(value), None
    if value is None:
        return name, "null", None, None
    if is_number(value):
        plain = value.plain()
        return name, "real" if plain is None else "int", plain, str(value) if plain is None else None
    if is_text(value):
        return name, "string", None, value
    return name, "json", None, value


def text_of(value):
    return str(value) if isinstance(value, str) else None


def frames(stack_frames):
    for key, frame in stack_frames.items():
        row = {"frame_id": key}
        row |= {c: text_of(frame.get(k)) for k, c in [("name", "name"), ("category", "category"), ("parent", "parent_id")]}
        row["extra"] = {k: v for k, v in frame.items() if k not in ("name", "category", "parent")} or ABSENT
        yield row


def samples(found):
    for number, s in enumerate(found):
        row, extra = {"sample_index": number}, {k: v for k, v in s.items()}
        for key, column in [("name", "name"), ("sf", "stack_frame_id")]:
            row[column] = text_of(s.get(key))
            if is_text(s.get(key)) or (key == "sf" and is_number(s.get(key))):
                extra.pop(key)
        row["ts"], exact = time(s.get("ts"))
        extra.pop("ts", None) if exact else None
        for key in ["cpu", "pid", "tid"]:
            row[key], exact = whole(s.get(key))
            if key != "cpu":
                row[f"{key}_text"] = s.get(key) if is_text(s.get(key)) else None
                exact |= is_text(s.get(key))
            extra.pop(key, None) if exact else None
        row["weight"] = float(s["weight"]) if "weight" in s else None
        if is_number(s.get("weight")):
            extra.pop("weight")
        row["extra"] = extra or ABSENT
        yield row
