"""Azure Blob Storage: as Azurite answers, which is Microsoft's own emulator of it."""

import json
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from azure.storage.blob import BlobServiceClient
from conftest import CORPUS, killed_at
from proxy import Proxy
from test_cloud import BATCH, batch_files, tables

# The account that every emulator has.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture(scope="session")
def azurite(tmp_path_factory):
    """The port of a server."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("there is no node with npm")
    folder = tmp_path_factory.mktemp("azurite")
    shutil.copy(Path(__file__).parent / "package.json", folder)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run(install, cwd=folder, check=True, timeout=300)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    main = folder / "node_modules/azurite/dist/src/blob/main.js"
    options = ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--silent"]
    log = open(folder / "log.txt", "w")
    command = ["node", main, "--blobPort", str(port), *options]
    server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        for _ in range(600):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert server.poll() is None, (folder / "log.txt").read_text()
            time.sleep(0.1)
        else:
            pytest.fail("the server does not answer: " + (folder / "log.txt").read_text())
        yield port
    finally:
        server.terminate()
        server.wait()


class Azure:
    """A container, and the command with the means to reach it."""

    def __init__(self, cloud, port):
        self.cloud = cloud
        self.proxy = Proxy(port)
        self.env = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": self.proxy.url}
        address = f"http://127.0.0.1:{port}/{ACCOUNT}"
        service = BlobServiceClient(address, credential={"account_name": ACCOUNT, "account_key": KEY})
        self.container = service.get_container_client("heaps")
        if not self.container.exists():
            self.container.create_container()
        for blob in self.container.list_blobs():
            self.container.delete_blob(blob.name)

    def put(self, key, file):
        self.container.upload_blob(key, Path(file).read_bytes())
        return f"az://heaps/{key}"

    def files(self, prefix):
        names = [blob.name for blob in self.container.list_blobs(prefix)]
        return {name[len(prefix) :]: self.container.download_blob(name).readall() for name in names}

    def run(self, *words, expect=0, **env):
        done = self.cloud.run(*words, keys={}, expect=expect, **{**self.env, **env})
        assert KEY not in done.stderr
        return done

    def start(self, *words):
        return self.cloud.start(*words, keys={}, **self.env)


@pytest.fixture
def azure(cloud, azurite):
    azure = Azure(cloud, azurite)
    yield azure
    azure.proxy.shutdown()


@pytest.mark.parametrize("scheme", ["az", "azure", "abfs"])
def test_tables_are_those_of_the_file(azure, large, tmp_path, scheme):
    azure.put("app/large.heapsnapshot", large)
    url = f"{scheme}://heaps/app/large.heapsnapshot"
    azure.run("convert", "-q", url, "-o", tmp_path / "out")
    azure.run("convert", "-q", large, "-o", tmp_path / "local")
    assert tables(tmp_path / "out") == tables(tmp_path / "local")
    azure.run("convert", "-q", large, "-o", f"{scheme}://heaps/tables")
    there = azure.files("tables/")
    assert there.keys() == {path.name for path in (tmp_path / "local").iterdir()}
    assert {name: there[name] for name in tables(tmp_path / "local")} == tables(tmp_path / "local")
    assert json.loads(azure.run("summary", url, "--json").stdout)


@pytest.mark.parametrize(
    "fault",
    [
        lambda method, path, number: 503 if number % 3 == 0 else None,
        lambda method, path, number: ("cut", 100_000) if method == "GET" and number % 4 == 0 else None,
    ],
    ids=["busy", "cut"],
)
def test_a_server_that_fails_for_a_while(azure, large, tmp_path, fault):
    url = azure.put("app/large.heapsnapshot", large)
    azure.run("convert", "-q", large, "-o", tmp_path / "local")
    azure.proxy.fault = fault
    azure.run("convert", "-q", url, "-o", tmp_path / "out")
    assert tables(tmp_path / "out") == tables(tmp_path / "local")


def test_batches_are_those_of_a_folder_and_go_on_after_a_kill(azure, tmp_path):
    for number, file in enumerate(["node18.heapsnapshot.gz", "node22.heapsnapshot.gz", "handmade/bun.heapsnapshot"] * 4):
        azure.put(f"in/{number:02}-{Path(file).name}", CORPUS / file)
    azure.run(*BATCH, "az://heaps/in/", "-o", tmp_path / "out")
    whole = batch_files(tmp_path / "out")
    for number in (2, 5, 9):
        batch = [*BATCH, "az://heaps/in/", "-o", f"az://heaps/out{number}"]
        process = killed_at(azure, number, *batch)
        assert process.returncode == -signal.SIGKILL
        there = azure.files(f"out{number}/")
        assert 0 < len(there) < number and there.items() < whole.items()
        azure.run(*batch)
        assert azure.files(f"out{number}/") == whole
    azure.run(*BATCH, "az://heaps/in/*-bun.heapsnapshot", "-o", "az://heaps/some")
    assert any(name.startswith("js_heap_nodes/") for name in azure.files("some/"))


def test_what_cannot_be_read_or_written_is_named(azure, tmp_path):
    missing = "az://heaps/in/nothing.heapsnapshot"
    done = azure.run("info", missing, expect=2)
    assert done.stderr == f"error: cannot open input ({missing}): there is no such object\n"
    nowhere = "az://nowhere/out"
    done = azure.run("convert", "-q", CORPUS / "handmade/bun.heapsnapshot", "-o", nowhere, expect=2)
    assert f"({nowhere})" in done.stderr and len(done.stderr.splitlines()) == 1
    url = azure.put("in/bun.heapsnapshot", CORPUS / "handmade/bun.heapsnapshot")
    secret = "c2VjcmV0c2VjcmV0c2VjcmV0"
    done = azure.run("info", url, expect=2, AZURE_STORAGE_ACCOUNT_NAME=ACCOUNT, AZURE_STORAGE_ACCOUNT_KEY=secret)
    assert f"({url})" in done.stderr and secret not in done.stderr and len(done.stderr.splitlines()) == 1
