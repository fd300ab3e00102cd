"""Runs the tests of the TypeScript SDK."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CORPUS, binary

HERE = Path(__file__).parent


@pytest.mark.timeout(300)
def test_the_typescript_sdk_is_a_client(env, tmp_path):
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("there is no node with npm")
    folder = os.environ.get("HEAPQUARRY_MCP_NODE", tmp_path)
    if not (Path(folder) / "node_modules").exists():
        shutil.copy(HERE / "package.json", folder)
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run([*install, "--prefix", folder], check=True, timeout=250, cwd=folder)
    env = {**os.environ, **env, "HEAPQUARRY_MCP_BIN": binary(), "CORPUS": str(CORPUS), "NODE_FOLDER": str(folder)}
    test = ["node", "--test", "--test-timeout=250000", str(HERE / "client.test.mjs")]
    done = subprocess.run(test, env=env, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
