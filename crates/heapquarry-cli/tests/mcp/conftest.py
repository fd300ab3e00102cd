"""The command with the server, and clients of it."""

import contextlib
import os
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "corpus"
LEAK = "leak/3.heapsnapshot.gz"
TOOLS = ["open", "leaks", "compare", "find", "inspect", "top", "query"]


def binary():
    """The command with the feature `mcp`."""
    return os.environ.get("HEAPQUARRY_MCP_BIN", str(ROOT / "target/debug/heapquarry"))


@pytest.fixture
def env(tmp_path):
    duckdb = os.environ.get("HEAPQUARRY_DUCKDB", str(Path(sys.executable).parent / "duckdb"))
    return {"HEAPQUARRY_CACHE_DIR": str(tmp_path / "cache"), "HEAPQUARRY_DUCKDB": duckdb}


@pytest.fixture
def connect(env, tmp_path):
    """Starts a server and connects to it; `mode` is the generation of the protocol."""

    @contextlib.asynccontextmanager
    async def connect(*flags, root=CORPUS, mode="auto", command=None):
        words = [*(command or [binary()]), "mcp", *(["--root", str(root)] if root else []), *map(str, flags)]
        parameters = StdioServerParameters(command=words[0], args=words[1:], env={**os.environ, **env})
        async with Client(parameters, mode=mode, read_timeout_seconds=100) as client:
            yield client

    return connect


def run(test):
    """Runs a test that waits for answers."""
    anyio.run(test)
