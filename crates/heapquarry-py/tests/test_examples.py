"""The examples and the notebook run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
from conftest import CORPUS, ROOT, SNAPSHOT
from nbclient import NotebookClient

import heapquarry as hq

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))


def run(name, *args):
    words = [sys.executable, EXAMPLES / name, *map(str, args)]
    subprocess.run(words, check=True, env={**__import__("os").environ, "MPLBACKEND": "agg"})


def test_growth_is_plotted(tmp_path):
    picture = tmp_path / "growth.png"
    run("growth.py", picture, SNAPSHOT, CORPUS / "node26.heapsnapshot.gz")
    assert picture.read_bytes().startswith(b"\x89PNG")
    import growth

    # There is no snapshot 1.25.
    [axes] = growth.draw(str(SNAPSHOT), str(CORPUS / "node26.heapsnapshot.gz")).axes
    assert list(axes.get_xticks()) == [1, 2]


def test_calls_are_drawn(tmp_path):
    picture = tmp_path / "flame.svg"
    profile = CORPUS / "profiles/current.cpuprofile"
    run("flame.py", picture, profile)
    # Whoever looks at it loads nothing.
    drawn = picture.read_text()
    assert "<svg" in drawn and not re.search(r"<script|<image|url\((?!#)|(?:href|src)=\"(?!#)", drawn)
    import flame

    bars = flame.frames(str(profile))
    root = bars.filter(bars["parent_index"] == -1)
    assert bars["end"].max() == root["end"].item()
    # All that take time are there, each as wide as its time.
    [axes] = flame.draw(bars).axes
    widths = sorted(bar.get_width() for bar in axes.patches)
    assert widths == sorted(time for time in bars["total_time_us"] if time > flame.SEEN * root["total_time_us"].item())
    # Bars of one depth do not overlap.
    for _, row in bars.group_by("depth"):
        row = row.sort("start", "end")
        assert (row["start"][1:] >= row["end"][:-1]).all()


def test_the_notebook_runs():
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "clear the outputs"
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = json.dumps([cell.get("outputs") for cell in notebook.cells])
    assert "js_heap_nodes" in shown and "<table" in shown
    assert hq.open(SNAPSHOT).format in shown
