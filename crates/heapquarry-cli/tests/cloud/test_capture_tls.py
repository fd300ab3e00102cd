"""`capture` of an inspector behind TLS: a Node, and a proxy that ends the encryption before it."""

import datetime
import ipaddress
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(not NODE, reason="there is no node")


def capture(*words, expect=0, **env):
    binary = os.environ["HEAPQUARRY_CLOUD_BIN"]
    words = [binary, "capture", *map(str, words)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env={**os.environ, **env})
    assert done.returncode == expect, (done.returncode, done.stderr)
    return done


@pytest.fixture(scope="module")
def inspector():
    """The port of a Node's inspector, and the path of its websocket."""
    program = "globalThis.kept = Array.from({ length: 50 }, (_, n) => ({ text: 'kept text ' + n })); setInterval(() => 0, 1e3)"
    process = subprocess.Popen([NODE, "--inspect=0", "-e", program], stderr=subprocess.PIPE, text=True)
    try:
        port, path = re.search(r":(\d+)(/\S+)", process.stderr.readline()).groups()
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield int(port), path
    finally:
        process.kill()
        process.wait()


def certificate(folder, *names):
    """A certificate that signs itself, for these names."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "heapquarry test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
    made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    made = made.sign(key, hashes.SHA256())
    folder.mkdir()
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*pem))
    return folder


def pass_on(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        sink.close()


def end_of_tls(folder, port):
    """Decrypts connections and passes them on. Returns its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server = socket.create_server(("127.0.0.1", 0))

    def serve(raw):
        try:
            with context.wrap_socket(raw, server_side=True) as outer, socket.create_connection(("127.0.0.1", port)) as inner:
                back = threading.Thread(target=pass_on, args=(inner, outer), daemon=True)
                back.start()
                pass_on(outer, inner)
                back.join()
        except OSError:
            raw.close()

    def accept():
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def test_a_capture_over_tls(inspector, tmp_path):
    target, path = inspector
    folder = certificate(tmp_path / "ours", x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    port = end_of_tls(folder, target)
    trusted = {"SSL_CERT_FILE": str(folder / "cert.pem"), "SSL_CERT_DIR": "/nonexistent"}
    # A million bytes and more come over it, whole.
    for number, place in enumerate([f"https://localhost:{port}", f"wss://localhost:{port}{path}", f"wss://127.0.0.1:{port}{path}"]):
        raw = tmp_path / f"{number}.heapsnapshot"
        capture(place, "--raw", raw, **trusted)
        strings = json.loads(raw.read_text())["strings"]
        assert {f"kept text {n}" for n in range(50)} <= set(strings)
    assert path.strip("/") in capture(f"https://localhost:{port}", "--list", **trusted).stdout


def test_who_is_not_trusted_gets_nothing(inspector, tmp_path):
    target, path = inspector
    ours = certificate(tmp_path / "ours", x509.DNSName("localhost"))
    other = certificate(tmp_path / "other", x509.DNSName("localhost"))
    elsewhere = certificate(tmp_path / "elsewhere", x509.DNSName("elsewhere.example"))
    for shown, trusted in [(ours, other), (elsewhere, elsewhere)]:
        port = end_of_tls(shown, target)
        raw = tmp_path / "never"
        env = {"SSL_CERT_FILE": str(trusted / "cert.pem"), "SSL_CERT_DIR": "/nonexistent"}
        headers = {"HEAPQUARRY_CAPTURE_HEADERS": "Authorization: Bearer hunter2"}
        done = capture(f"wss://localhost:{port}{path}", "--raw", raw, expect=2, **env, **headers)
        assert "certificate" in done.stderr and "hunter2" not in done.stderr and path not in done.stderr
        assert not raw.exists()
