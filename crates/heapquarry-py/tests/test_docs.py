"""The examples in docs/python.md run as printed, one after the other, where their files are."""

import glob
import re
import shutil
import types
import zipfile

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import CORPUS, ROOT

import heapquarry as hq

PAGE = ROOT / "docs/python.md"


def blocks(text):
    """Each with the number of its first line."""
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield text[: found.start()].count("\n") + 2, found[1]


def prepare(folder):
    """The files that the page names."""
    for number, names in [(1, ["1", "before", "app"]), (2, ["2"]), (3, ["3", "after"])]:
        for name in names:
            shutil.copy(CORPUS / f"leak/{number}.heapsnapshot.gz", folder / f"{name}.heapsnapshot")
    shutil.copy(CORPUS / "leak/1.heapsnapshot.gz", folder / "app.heapsnapshot.gz")
    for name, version in [("a1", 18), ("a2", 18), ("b1", 26), ("b2", 26)]:
        shutil.copy(CORPUS / f"traces/node{version}.trace.json.gz", folder / f"{name}.json")
    shutil.copy(CORPUS / "profiles/current.cpuprofile", folder / "app.cpuprofile")
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for number in range(3):
            archive.write(CORPUS / "handmade/bun.heapsnapshot", f"{number}.heapsnapshot")
    (folder / "heap.toml").write_text("[total]\ncount = 10_000_000\n")
    (folder / "team.key").write_bytes(bytes(range(32)))
    hq.convert(folder / "app.heapsnapshot", folder / "app.tables")


# A token of redaction can look like a secret, which a warning says.
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_runs(tmp_path, monkeypatch):
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    # What the caller has: an answer of a server, and an object in a store.
    content = (tmp_path / "app.heapsnapshot.gz").read_bytes()
    stored = types.SimpleNamespace(open=lambda: open("app.heapsnapshot", "rb"))
    names = {"duckdb": duckdb, "glob": glob, "pd": pd, "pl": pl, "polars": pl, "pyarrow": pa}
    names |= {"response": types.SimpleNamespace(content=content), "fsspec": types.SimpleNamespace(open=lambda _: stored)}
    all_blocks = list(blocks(PAGE.read_text()))
    assert len(all_blocks) > 10
    for line, code in all_blocks:
        # Errors name the line of the page.
        exec(compile("\n" * (line - 1) + code, str(PAGE), "exec"), names)
    assert (tmp_path / "app.html").exists() and (tmp_path / "app.json").exists()
