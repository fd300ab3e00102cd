"""What `heapquarry open` shows of references, against DevTools' own engine."""

import json
import os
import random
import re
import shutil
import subprocess

import pytest
from browser import ask
from conftest import CORPUS, heapquarry, wait_until

INPUT = CORPUS / "chromium.heapsnapshot.gz"


@pytest.fixture(scope="module")
def nodes():
    """Ids of the root and of nodes of all kinds."""
    rows = json.loads(heapquarry("show", INPUT, "--class", "*", "--top", 10**6, "--json").stdout)["objects"]["rows"]
    return [1, *(row["id"] for row in random.Random(44).sample(rows, 200))]


@pytest.fixture(scope="module")
def devtools(nodes):
    if not shutil.which("npm") and not os.environ.get("HEAP_SNAPSHOT_TOOLKIT"):
        pytest.skip("no npm")
    script = CORPUS / "generate" / "devtools.mjs"
    done = subprocess.run(["node", script, "--references", INPUT, *map(str, nodes)], capture_output=True, text=True)
    if done.returncode and "npm install" in done.stderr:
        pytest.skip("npm cannot install heap-snapshot-toolkit")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def name_of(row):
    """As DevTools' engine has it: its view adds the brackets of an index."""
    return re.sub(r"^\[(\d+)\]$", r"\1", row["edge"])


@pytest.mark.parametrize("question", ["contained", "retainers"])
def test_references_are_those_of_devtools(served, nodes, devtools, question):
    wait_until(lambda: ask(served, "status")["stage"] == "ready", served)
    for node in nodes:
        expected = sorted(devtools[str(node)][question])
        shown = ask(served, question, node=node, top=1000)[question]
        assert shown["total"] == len(expected), node
        if shown["total"] <= 1000:
            assert sorted([row["edge_type"], name_of(row), row["id"]] for row in shown["rows"]) == expected, node
