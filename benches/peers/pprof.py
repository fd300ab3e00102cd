"""A large pprof profile of an invented program of 8,000 functions, some of them inlined: samples of four values and a label.

usage: python3 pprof.py OUT.pb SAMPLES STACKS
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "corpus/generate"))
from pprof import Profile, data, number, packed

FUNCTIONS, LOCATIONS, FILES = 8000, 20_000, 500


def main(out, samples, stacks):
    chance, made = random.Random(1), Profile()
    for kind, unit in [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]:
        made.value_type("sample_type", kind, unit)
    # Not by Profile.text, which looks through all texts.
    key, names = made.text("bytes"), len(made.texts)
    made.texts += [f"github.com/example/project/package{i % 97}.(*Type{i % 31}).Method{i}" for i in range(FUNCTIONS)]
    files = len(made.texts)
    made.texts += [f"/go/src/github.com/example/project/package{i % 97}/file{i}.go" for i in range(FILES)]
    for i in range(FUNCTIONS):
        texts = number(2, names + i) + number(3, names + i) + number(4, files + i % FILES)
        made.add("function", number(1, i + 1) + texts + number(5, i % 900 + 1))
    for i in range(LOCATIONS):
        lines = [((i * 7 + line) % FUNCTIONS + 1, i % 1000 + 1) for line in range(2 if i % 4 == 0 else 1)]
        made.location(i + 1, *lines, mapping=1, address=0x400000 + i * 16)
    made.mapping(1, 0x400000, 0x900000, 0, "/app/server", "id", has=(0, 1, 2, 3))
    called = [[chance.randrange(LOCATIONS) for _ in range(3)] for _ in range(LOCATIONS)]

    def stack():
        at = [chance.randrange(20)]
        for _ in range(chance.randrange(8, 40)):
            at.append(called[at[-1]][0 if chance.random() < 0.9 else chance.randrange(3)])
        return packed(1, [location + 1 for location in reversed(at)])

    known = [stack() for _ in range(stacks)]
    with open(out, "wb") as file:
        file.write(made.bytes(["sample_type"]))
        for i in range(samples):
            # Some stacks are sampled often, most are not.
            at = min(int(chance.expovariate(5) * stacks), stacks - 1)
            values = [chance.randrange(most) for most in (1000, 1 << 20, 100, 1 << 16)]
            label = data(3, number(1, key) + number(3, 16 << i % 12) + number(4, key))
            file.write(data(2, known[at] + packed(2, values) + label))
        file.write(made.bytes(["mapping", "location", "function", "string_table"]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
