"""An S3 server on this machine, and the command that is built with object storage."""

import logging
import os
import random
import subprocess
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer
from proxy import Proxy

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "corpus"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAKNOWNKEY", "AWS_SECRET_ACCESS_KEY": "knownsecret", "AWS_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def server():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


def killed_at(place, number, *words, **env):
    """Starts the command, and kills it before the request of this number, counted from 1, among those that change
    something. Returns the process, which has ended."""
    started, changes = [], []

    def fault(method, path, _):
        changes.extend([path] * (method not in ("GET", "HEAD")))
        if len(changes) < number:
            return None
        started[0].kill()
        return 503

    place.proxy.fault = fault
    started.append(place.start(*words, **env))
    started[0].communicate(timeout=120)
    place.proxy.fault = lambda method, path, number: None
    return started[0]


class Cloud:
    def __init__(self, port):
        self.proxy = Proxy(port)
        self.s3 = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="y",
        )
        self.s3.create_bucket(Bucket="heaps")
        for found in self.s3.list_objects_v2(Bucket="heaps").get("Contents", []):
            self.s3.delete_object(Bucket="heaps", Key=found["Key"])

    def put(self, key, content):
        content = content.read_bytes() if isinstance(content, Path) else content
        self.s3.put_object(Bucket="heaps", Key=key, Body=content, ACL="public-read")
        return f"s3://heaps/{key}"

    def files(self, prefix):
        found = self.s3.list_objects_v2(Bucket="heaps", Prefix=prefix).get("Contents", [])
        keys = [each["Key"] for each in found]
        return {key[len(prefix) :]: self.s3.get_object(Bucket="heaps", Key=key)["Body"].read() for key in keys}

    def command(self, words, keys, env):
        """The command line and its environment."""
        binary = os.environ["HEAPQUARRY_CLOUD_BIN"]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        env = {**inherited, **keys, "AWS_ENDPOINT_URL": self.proxy.url, **{name: str(value) for name, value in env.items()}}
        return {"args": [binary, *map(str, words)], "env": env, "text": True}

    def start(self, *words, keys=KEYS, **env):
        return subprocess.Popen(**self.command(words, keys, env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, *words, expect=0, keys=KEYS, **env):
        done = subprocess.run(**self.command(words, keys, env), capture_output=True, timeout=120)
        assert done.returncode == expect, (done.returncode, done.stderr)
        assert "knownsecret" not in done.stderr and "AKIAKNOWNKEY" not in done.stderr
        return done


@pytest.fixture
def cloud(server, tmp_path, monkeypatch):
    # What batches keep on this machine.
    monkeypatch.setenv("HEAPQUARRY_CACHE_DIR", str(tmp_path / "of_user"))
    cloud = Cloud(server)
    yield cloud
    cloud.proxy.shutdown()


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A snapshot of some 30 MB: of more blocks than are read ahead."""
    chance = random.Random(7)
    meta = (
        '{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden",'
        '"array","string","object"],"string","number","number","number"],"edge_fields":["type","name_or_index",'
        '"to_node"],"edge_types":[["context","element","property"],"string_or_number","node"]},"node_count":%d,'
        '"edge_count":%d},'
    )
    nodes = 500_000
    path = tmp_path_factory.mktemp("large") / "large.heapsnapshot"
    with open(path, "w") as file:
        file.write(meta % (nodes, nodes))
        rows = (f"{n % 4},{chance.randrange(300_000)},{2 * n + 1},{chance.randrange(99)},1" for n in range(nodes))
        file.write('"nodes":[' + ",\n".join(rows) + "],\n")
        rows = (f"2,{chance.randrange(300_000)},{5 * chance.randrange(nodes)}" for _ in range(nodes))
        file.write('"edges":[' + ",\n".join(rows) + "],\n")
        strings = (f'"name {n} {chance.randrange(10**9)}"' for n in range(300_000))
        file.write('"strings":[' + ",\n".join(strings) + "]}")
    assert path.stat().st_size > 25_000_000
    return path
