"""Measures `heapquarry capture` beside `v8.writeHeapSnapshot` in the same process, twice in turn.

python node.py NODE USERS COMMAND

The process holds so many users with three orders each. COMMAND is a release build of heapquarry.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PORT = 9333
PROGRAM = """
class Address { constructor(i) { this.street = `street ${i}`; this.zip = (i % 99999) + 0.5 } }
class Order { constructor(i, j) { this.id = i * 10 + j; this.total = i / 7 + j; this.tags = [`a${i % 100}`, 'b'] } }
class User { constructor(i) { this.id = i; this.name = `user ${i}`; this.address = new Address(i);
  this.orders = [0, 1, 2].map(j => new Order(i, j)) } }
globalThis.keep = Array.from({ length: USERS }, (_, i) => new User(i));
process.on('SIGUSR2', () => {
  const start = performance.now();
  require('v8').writeHeapSnapshot('FILE');
  console.log(`writeHeapSnapshot ${((performance.now() - start) / 1000).toFixed(1)} s`);
});
setInterval(() => {}, 1000);
console.log(`heap ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB`);
"""


def main(node, users, command):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.heapsnapshot"
        program = PROGRAM.replace("USERS", users).replace("FILE", str(file))
        words = [node, "--max-old-space-size=12000", f"--inspect={PORT}", "-e", program]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            print(process.stdout.readline().strip(), flush=True)
            for _ in range(2):
                process.send_signal(signal.SIGUSR2)
                print(process.stdout.readline().strip(), f"{file.stat().st_size / 1e6:,.0f} MB", flush=True)
                file.unlink()
                start = time.perf_counter()
                words = [command, "capture", f"localhost:{PORT}", "--quiet", "--force", "-o", Path(folder) / "tables"]
                capture = subprocess.Popen(words)
                _, status, usage = os.wait4(capture.pid, 0)
                capture.returncode = os.waitstatus_to_exitcode(status)
                took = f"{time.perf_counter() - start:.1f} s, {usage.ru_maxrss * 1024 / 1e6:.0f} MB"
                print(f"capture {took}, exit code {capture.returncode}", flush=True)
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
