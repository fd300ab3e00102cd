#!/usr/bin/env python3
"""Writes the hand-made pprof profiles of corpus/pprof/: the same bytes every time.

usage: python3 corpus/generate/pprof.py [FOLDER]

Nothing here was recorded. The messages are written field by field, after
https://github.com/google/pprof/blob/main/proto/profile.proto, in the order and forms of several producers.
"""

import sys
from pathlib import Path

# Numbers of the fields.
PROFILE = {
    "sample_type": 1, "sample": 2, "mapping": 3, "location": 4, "function": 5, "string_table": 6, "drop_frames": 7,
    "keep_frames": 8, "time_nanos": 9, "duration_nanos": 10, "period_type": 11, "period": 12, "comment": 13,
    "default_sample_type": 14, "doc_url": 15,
}  # fmt: skip


def varint(value):
    value %= 1 << 64
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b"".join(map(varint, values))) if values else b""


def unpacked(field, values):
    """As encoders of the second version of the language write repeated numbers."""
    return b"".join(varint(field << 3) + varint(value) for value in values)


class Profile:
    """A profile, its texts numbered as they come."""

    def __init__(self, numbers=packed):
        self.texts, self.fields, self.numbers = [""], [], numbers

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def add(self, name, value):
        field = PROFILE[name]
        self.fields.append((name, data(field, value) if isinstance(value, bytes) else number(field, value)))

    def value_type(self, name, kind, unit):
        self.add(name, number(1, self.text(kind)) + number(2, self.text(unit)))

    def sample(self, locations, values, **labels):
        """Labels are texts, numbers, or numbers with units."""
        message = self.numbers(1, locations) + self.numbers(2, values)
        for key, value in labels.items():
            label = number(1, self.text(key))
            if isinstance(value, str):
                label += number(2, self.text(value))
            else:
                value, unit = value if isinstance(value, tuple) else (value, "")
                label += number(3, value) + number(4, self.text(unit))
            message += data(3, label)
        self.add("sample", message)

    def function(self, id, name, file="", line=0, system_name=""):
        texts = [self.text(name), self.text(system_name), self.text(file)]
        self.add("function", number(1, id) + b"".join(number(2 + i, text) for i, text in enumerate(texts)) + number(5, line))

    def location(self, id, *lines, mapping=0, address=0, folded=0):
        """Lines are function, line and column, the innermost call first."""
        message = number(1, id) + number(2, mapping) + number(3, address)
        message += b"".join(data(4, b"".join(number(1 + i, n) for i, n in enumerate(line))) for line in lines)
        self.add("location", message + number(5, folded))

    def mapping(self, id, start, limit, offset, file, build_id="", has=()):
        message = number(1, id) + number(2, start) + number(3, limit) + number(4, offset)
        message += number(5, self.text(file)) + number(6, self.text(build_id))
        self.add("mapping", message + b"".join(number(7 + i, 1) for i in has))

    def bytes(self, order=tuple(PROFILE)):
        """Field after field in this order."""
        fields = self.fields + [("string_table", data(6, text.encode())) for text in self.texts]
        return b"".join(message for name in order for of, message in fields if of == name)


def go_heap():
    """The order of Go's runtime and what it writes of a heap: four types of values, sizes as labels, inlined calls."""
    made = Profile()
    for kind, unit in [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]:
        made.value_type("sample_type", kind, unit)
    made.value_type("period_type", "space", "bytes")
    made.add("period", 524288)
    made.add("time_nanos", 1_700_000_000_123_456_789)
    made.add("duration_nanos", 30_000_000_000)
    made.add("drop_frames", made.text("runtime\\..*"))
    made.add("keep_frames", made.text("runtime\\.main"))
    made.add("default_sample_type", made.text("inuse_space"))
    made.add("doc_url", made.text("https://example.org/pprof"))
    made.add("comment", made.text("made by hand"))
    made.add("comment", made.text("two comments"))
    made.mapping(1, 0x400000, 0x4D1000, 0, "/app/server", "abc123", has=(0, 1, 2, 3))
    made.mapping(2, 0x7FFC0000, 0x7FFC2000, 0x1000, "[vdso]")
    for id, (name, file, line) in enumerate([
        ("main.main", "/app/main.go", 10), ("main.(*cache).put", "/app/cache.go", 22), ("main.grow", "/app/cache.go", 40),
        ("runtime.main", "/go/src/runtime/proc.go", 250), ("main.läuft", "/app/ü.go", 7),
    ], start=1):  # fmt: skip
        made.function(id, name, file, line, system_name=name if id < 4 else "")
    made.location(1, (4, 271), mapping=1, address=0x43A001)
    made.location(2, (1, 14), mapping=1, address=0x4A0010)
    made.location(3, (3, 41), (2, 25), mapping=1, address=0x4A0100)
    made.location(4, (3, 44), mapping=1, address=0x4A0180, folded=1)
    made.location(5, (5, 9, 3), mapping=1, address=0x4A0200)
    made.location(6, mapping=2, address=0x7FFC0ABC)
    made.location(7, address=0xFFFFFFFF81000123)
    made.sample([3, 2, 1], [10, 40960, 4, 16384], bytes=(4096, "bytes"))
    made.sample([4, 3, 2, 1], [1, 1048576, 1, 1048576], bytes=(1048576, "bytes"))
    made.sample([5, 2, 1], [200, 3200, 0, 0], bytes=(16, "bytes"))
    made.sample([6, 5, 2, 1], [2, 64, 2, 64], bytes=(32, "bytes"))
    made.sample([3, 3, 2, 1], [3, 12288, 3, 12288], bytes=(4096, "bytes"))
    made.sample([7], [1, 8, 1, 8])
    return made.bytes()


def symbols_first():
    """Texts and symbols before the samples, numbers that are not packed, and a sample without a stack."""
    made = Profile(numbers=unpacked)
    made.value_type("sample_type", "samples", "count")
    made.value_type("sample_type", "cpu", "nanoseconds")
    for id in range(1, 6):
        made.function(id * 1_000_000_007, f"f{id}", "lib.rs", id)
        made.location(1 << (8 * id), (id * 1_000_000_007, id + 1))
    at = [1 << (8 * id) for id in range(1, 6)]
    for i in range(40):
        stack = [at[(i + j * j) % 5] for j in range(i % 7)]
        made.sample(stack, [1, 10_000_300 + i], thread=f"worker-{i % 3}", request=i)
    made.add("duration_nanos", 400_000_000)
    names = ["string_table", "sample_type", "function", "location", "duration_nanos", "sample"]
    return made.bytes(names)


def counts():
    """Values that are neither times nor bytes, some of them negative, as in a difference of two profiles."""
    made = Profile()
    made.value_type("sample_type", "goroutine", "count")
    made.function(1, "main.main")
    made.function(2, "main.wait")
    made.location(1, (1, 3))
    made.location(2, (2, 4))
    made.sample([1], [5])
    made.sample([2, 1], [-2])
    made.sample([2, 1], [2])
    made.sample([2], [0])
    return made.bytes()


def odd():
    """Valid on the wire, wrong otherwise."""
    made = Profile()
    made.value_type("sample_type", "samples", "count")
    made.value_type("sample_type", "wall", "microseconds")
    made.function(1, "a", "a.c")
    made.function(1, "again", "a.c")
    made.location(1, (1, 5))
    made.location(2, (9, 6))
    made.location(2, (1, 7))
    made.sample([1, 2], [1, 10])
    made.sample([99, 1], [1, 20], key="v")
    made.sample([1], [1])
    made.sample([1], [1, 2, 3])
    made.add("sample", packed(1, [1]) + packed(2, [1, 30]) + data(3, number(1, 77) + number(2, 78)))
    made.add("sample", packed(1, [1]) + varint(2 << 3 | 2) + b"\x05\x01")
    made.add("comment", 1000)
    made.fields.append(("doc_url", data(99, b"new") + varint(98 << 3 | 1) + bytes(8)))
    made.fields.append(("doc_url", data(6, b"not \xff UTF-8")))
    return made.bytes()


FILES = {"go-heap.pb": go_heap(), "symbols-first.pb": symbols_first(), "counts.pb": counts(), "odd.pb": odd()}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "pprof")
    folder.mkdir(exist_ok=True)
    for name, made in FILES.items():
        (folder / name).write_bytes(made)


if __name__ == "__main__":
    main()
