"""Writes OpenHarmony .htrace containers, as the device, the host recorder and TraceStreamer do. Knows nothing of how they are read."""

import hashlib
import json
import struct
from dataclasses import dataclass, field

SNAPSHOT, TIMELINE, INVALID = 0, 1, -1

# ---------------------------------------------------------------------------- protobuf


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(n, value):
    return varint(n << 3) + varint(value)


def blob(n, value):
    return varint(n << 3 | 2) + varint(len(value)) + value


def plugin_data(name, data, time=None, clock=0, order=(1, 7, 2, 3, 4, 5, 6), zeros=True):
    """A message ProfilerPluginData; `time` in ns. `order` is that of its fields."""
    fields = {1: blob(1, name.encode()), 3: blob(3, data), 7: blob(7, b"1.01"), 2: number(2, 0), 8: number(8, 100)}
    if time is not None:
        fields |= {4: number(4, clock), 5: number(5, time // 10**9), 6: number(6, time % 10**9)}
        if not zeros:
            fields = {n: f for n, f in fields.items() if f != number(n, 0)}
    else:
        order = tuple(n for n in order if n in (1, 3)) + (8,)
    return b"".join(fields.get(n, b"") for n in order)


def config(pid=1234, type=SNAPSHOT, interval=10, numeric=False, allocations=False, cpu=False, cpu_interval=0, file=""):
    fields = [(1, pid), (2, type), (3, interval), (4, numeric), (5, allocations), (6, cpu), (7, cpu_interval)]
    out = b"".join(number(n, value) for n, value in fields if value)
    return out + (blob(8, file.encode()) if file else b"")


# ---------------------------------------------------------------------------- messages

ESCAPES = {ord(c): f"\\{e}".encode() for c, e in zip('"\\\b\f\n\r\t', '"\\bfnrt')}


def escape(text):
    """As cJSON does it: byte by byte, so that it matters not where the bytes were cut."""
    return b"".join(ESCAPES.get(b) or (b"\\u%04x" % b if b < 32 else bytes([b])) for b in text)


def escape_fast(text):
    """The same for texts without other control characters than line breaks."""
    return text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n").replace(b"\r", b"\\r").replace(b"\t", b"\\t")


CHUNK = b'{"method":"HeapProfiler.addHeapSnapshotChunk","params":{"chunk":"%s"}}'


def done(id):
    return b'{"id":%d,"result":{}}' % id


def progress():
    return [
        b'{"method":"HeapProfiler.reportHeapSnapshotProgress","params":{"done":0,"total":21288}}',
        b'{"method":"HeapProfiler.reportHeapSnapshotProgress","params":{"done":21288,"total":21288,"finished":true}}',
    ]


def chunks(text, size=100 << 10, escape=escape):
    return [CHUNK % escape(text[at : at + size]) for at in range(0, len(text), size)]


def snapshot(text, **how):
    return [*progress(), *chunks(text, **how), done(1)]


def timeline(text, stats=(), seen=(), **how):
    events = []
    for update, (id, ms) in zip(stats, seen):
        events.append(b'{"method":"HeapProfiler.heapStatsUpdate","params":{"statsUpdate":%s}}' % json.dumps(list(update)).encode())
        events.append(
            b'{"method":"HeapProfiler.lastSeenObjectId","params":{"lastSeenObjectId":%d,"timestamp":%s}}'
            % (id, json.dumps(ms).encode())
        )
    return [done(1), *events, *progress(), *chunks(text, **how), done(2)]


def profile(text):
    return [done(3), done(3), b'{"id":3,"result":{"profile":%s}}' % text]


# ---------------------------------------------------------------------------- sections

NAMES = ("arkts-plugin", "arkts-plugin_config")
OLD_NAMES = ("js-memory", "js-memory_config")


@dataclass
class Section:
    """A section with messages of the engine."""

    messages: list = field(default_factory=list)
    # None for no configuration.
    config: bytes | None = field(default_factory=config)
    names: tuple = NAMES
    # Other records: (name, data), before those of the engine.
    others: list = field(default_factory=list)
    # (boottime, realtime, realtime coarse, monotonic, monotonic coarse, monotonic raw)
    clocks: tuple | None = (100_000, 1_700_000_000_000_000_000, 0, 90_000, 0, 0)
    # Time of the first message, and of each after it.
    start: int = 1_700_000_000_000_050_000
    step: int = 1000
    # How a record is written.
    record: dict = field(default_factory=dict)
    data_type: int = 0
    plugin: bytes = b""
    # true, unfinished, 3.0, short
    length: str = "true"
    # 2, 1, data, wrong
    segments: str = "2"
    # ok, wrong, none
    sum: str = "ok"
    # Whether the header is that of 3.0, which ends with the sum.
    is_3_0: bool = False
    # Bytes in place of records.
    payload: bytes | None = None

    def records(self):
        out = [plugin_data(name, data, self.start) for name, data in self.others]
        if self.config is not None:
            out.append(plugin_data(self.names[1], self.config))
        for i, message in enumerate(self.messages):
            if message is ZERO:
                out.append(b"")
                continue
            time = self.start + i * self.step
            out.append(plugin_data(self.names[0], blob(1, message), time, **self.record))
        return out

    def bytes(self):
        records = self.records() if self.payload is None else []
        body = b"".join(struct.pack("<I", len(r)) + r for r in records) if self.payload is None else self.payload
        whole = 1024 + len(body)
        length = {"true": whole, "unfinished": 1024, "3.0": whole + 4 * len(records), "short": 1024 + len(body) // 2, "huge": 1 << 63}
        segments = {"2": 2 * len(records), "1": len(records), "data": 2 * (len(records) - 1), "wrong": 7777}
        sums = {"ok": hashlib.sha256(body).digest(), "wrong": b"\x01" * 32, "none": bytes(32)}
        header = struct.pack("<8sQII32sI", b"OHOSPROF", length[self.length], 0x10000, segments[self.segments], sums[self.sum], self.data_type)
        if self.clocks:
            header += struct.pack("<6Q", *self.clocks)
        else:
            header += bytes(48)
        header += self.plugin.ljust(128, b"\0") + b"1.02".ljust(8, b"\0") + struct.pack("<Q", 5_000_000_000)
        if self.is_3_0:
            header = header[:56]
        return header.ljust(1024, b"\0") + body


ZERO = object()


def container(*sections):
    return b"".join(section.bytes() for section in sections)
