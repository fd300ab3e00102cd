"""Programs in TypeScript with JSX that run without a build: `capture` stores the maps that the runner makes, so places
are those of the source."""

import json
import os
import re
import shutil
import signal
import subprocess

import pyarrow.parquet as pq
import pytest
from conftest import heapquarry, wait_until

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")

# No output has the lines of the source.
SESSION = """/** @jsx make */
interface Row { id: number; view: unknown }
type Maybe<T> = T | undefined;

/* A comment that
 * no output has.
 */
enum Kind { One, Two }

const make = (name: string, props: object): unknown => ({ name, props });

export class Session {
  readonly kind: Kind = Kind.Two;
  constructor(public row: Row, private note: Maybe<string>) {}
}

export function open(id: number): Session {
  const row: Row = {
    id,
    view: <li id={`row-${id}`} />,
  };
  return new Session(row, undefined);
}
"""
PROGRAM = """import { open } from './session';

(globalThis as any).sessions = Array.from({ length: 300 }, (_, id) => open(id));
(globalThis as any).open = open;
setInterval(() => {}, 1000);
console.log('READY');
"""
# Deno's modules have the ending in their names.
MODULE = PROGRAM.replace("'./session'", "'./session.tsx'")
TEST = """import { open } from './session';

test('sessions stay', async () => {
  (globalThis as any).sessions = Array.from({ length: 300 }, (_, id) => open(id));
  (globalThis as any).open = open;
  process.stdout.write('READY\\n');
  await new Promise(done => setTimeout(done, 300000));
}, 400000);
"""
FILES = {
    "session.tsx": SESSION,
    "program.ts": PROGRAM,
    "module.ts": MODULE,
    "sessions.test.ts": TEST,
    "tsconfig.json": json.dumps({
        "compilerOptions": {"module": "commonjs", "target": "es2022", "jsx": "react", "jsxFactory": "make"},
        "ts-node": {"transpileOnly": True},
    }),
    "jest.config.js": "module.exports = { transform: { '\\\\.tsx?$': '@swc/jest' }, testMatch: ['**/*.test.ts'] };\n",
    "vitest.config.mjs": "export default { test: { globals: true, pool: 'forks', include: ['*.test.ts'] } };\n",
}
RUNNERS = {
    "tsx": [NODE, "--inspect=0", "--import", "tsx", "program.ts"],
    "ts-node": [NODE, "--inspect=0", "-r", "ts-node/register", "program.ts"],
    "jest": [NODE, "--inspect=0", "node_modules/jest/bin/jest.js", "--runInBand"],
    "vitest": [NODE, "node_modules/vitest/vitest.mjs", "run", "--inspect=127.0.0.1:0", "--no-file-parallelism"],
    "deno": ["run", "--inspect=127.0.0.1:0", "--allow-all", "module.ts"],
}


def line_of(start):
    [at] = [at for at, line in enumerate(SESSION.split("\n"), 1) if line.startswith(start)]
    return at


@pytest.mark.parametrize("runner", RUNNERS)
def test_places_are_those_of_the_source(runner, packages, request, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    args = RUNNERS[runner]
    if runner == "deno":
        args = [request.getfixturevalue("deno"), *args]
    log = tmp_path / "log"
    with open(log, "wb") as output:
        process = subprocess.Popen(args, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        wait_until(lambda: "READY" in log.read_text(), process, told=log.read_text)
        port = re.findall(r"ws://127\.0\.0\.1:(\d+)/", log.read_text())[-1]
        told = heapquarry("capture", port, "--raw", tmp_path / "a.heapsnapshot").stderr
        assert re.search(r"the source maps of \d+ scripts? are stored beside it", told), told
    finally:
        # Vitest runs the test in another process.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    (tmp_path / "session.tsx").unlink()
    heapquarry("convert", "-q", tmp_path / "a.heapsnapshot", "-o", tmp_path / "t", "--analyze")
    rows = pq.read_table(tmp_path / "t" / "js_heap_location.parquet").to_pylist()
    found = {(row["original_name"], row["original_line"] + 1) for row in rows if (row["original_source"] or "").endswith("/session.tsx")}
    assert {("Session", line_of("  constructor(")), ("open", line_of("export function open("))} <= found, found
    answer = json.loads(heapquarry("find", "-q", tmp_path / "a.heapsnapshot", "--class", "Session", "--json").stdout)
    assert answer["objects"]["total"] == 300
