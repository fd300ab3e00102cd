"""Clients from npm: the TypeScript SDK, and the protocol's inspector."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CORPUS, LEAK, TOOLS, binary

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The folder in which the clients are installed. Nothing of them is run meanwhile."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("there is no node with npm")
    folder = Path(os.environ.get("HEAPQUARRY_MCP_NODE", tmp_path_factory.mktemp("npm")))
    if not (folder / "node_modules/@modelcontextprotocol/inspector-cli").exists():
        shutil.copy(HERE / "package.json", folder)
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
        subprocess.run([*install, "--prefix", folder], check=True, timeout=250, cwd=folder)
    return folder


@pytest.mark.timeout(900)
def test_the_typescript_sdk_is_a_client(packages, env):
    env = {**os.environ, **env, "HEAPQUARRY_MCP_BIN": binary(), "CORPUS": str(CORPUS), "NODE_FOLDER": str(packages)}
    test = ["node", "--test", "--test-timeout=250000", str(HERE / "client.test.mjs")]
    done = subprocess.run(test, env=env, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(900)
def test_the_inspector_is_a_client(packages, env):
    """Lists the tools, and calls each. A server is started for each request."""
    command = ["node", packages / "node_modules/@modelcontextprotocol/inspector-cli/build/cli.js", "--cli"]
    variables = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]

    def inspect(*request):
        words = [*command, *variables, binary(), "mcp", "--method", *request]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (request, done.stdout, done.stderr)
        return json.loads(done.stdout)

    assert [tool["name"] for tool in inspect("tools/list")["tools"]] == TOOLS
    assert inspect("resources/list")["resources"]
    heap = str(CORPUS / LEAK)
    earlier = [str(CORPUS / f"leak/{number}.heapsnapshot.gz") for number in (1, 2)]
    for tool, inputs, args, member in [
        ("open", [heap], [], "totals"),
        ("leaks", [*earlier, heap], [], "findings"),
        ("compare", [earlier[0], heap], [], "classes"),
        ("find", [heap], ["class=Session"], "objects"),
        ("inspect", [heap], ["id=@51715"], "object"),
        ("top", [heap], ["by=classes"], "classes"),
        ("query", [heap], ["sql=SELECT count(*) AS n FROM js_heap_nodes"], "rows"),
    ]:
        words = [word for arg in [f"input={json.dumps(inputs)}", *args] for word in ("--tool-arg", arg)]
        result = inspect("tools/call", "--tool-name", tool, *words)
        assert not result.get("isError") and member in result["structuredContent"], (tool, result)
