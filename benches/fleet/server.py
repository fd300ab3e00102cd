"""A server with as much of S3 as the command asks for, over a folder, that answers late."""

import hashlib
import os
import re
import socketserver
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder, latency):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.latency = Path(folder), latency
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.wfile = self.connection.makefile("wb", 1 << 20)

    def place(self):
        url = urlsplit(self.path)
        self.query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
        time.sleep(self.server.latency)
        return self.server.folder / unquote(url.path).lstrip("/")

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        file = self.place()
        if "list-type" in self.query:
            return self.list(file)
        if not file.is_file():
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        size, stat = file.stat().st_size, file.stat()
        tags = {"ETag": f'"{stat.st_mtime_ns:x}"', "Last_Modified": formatdate(stat.st_mtime, usegmt=True)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = (int(asked[1]), min(int(asked[2] or size), size - 1)) if asked else (0, size - 1)
        self.send_response(206 if asked else 200)
        if asked:
            tags["Content-Range"] = f"bytes {first}-{last}/{size}"
        for name, value in {"Content-Length": last - first + 1, **tags}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.flush()
        if self.command == "HEAD":
            return None
        with open(file, "rb") as opened:
            while first <= last:
                first += os.sendfile(self.connection.fileno(), opened.fileno(), first, last + 1 - first)

    do_HEAD = do_GET

    def list(self, bucket):
        prefix = self.query.get("prefix", "")
        found = (path for path in bucket.rglob("*") if path.is_file() and not path.name.startswith(".part"))
        keys = sorted((str(path.relative_to(bucket)), path.stat()) for path in found)
        text = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{stat.st_size}</Size><ETag>x</ETag>"
            f"<LastModified>{time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(stat.st_mtime))}</LastModified></Contents>"
            for key, stat in keys
            if key.startswith(prefix)
        )
        self.answer(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{text}</ListBucketResult>".encode())

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_PUT(self):
        file, body = self.place(), self.body()
        if "partNumber" in self.query:
            file = file.with_name(f".part-{file.name}-{int(self.query['partNumber']):05}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
        self.answer(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')

    def do_POST(self):
        file, body = self.place(), self.body()
        file.parent.mkdir(parents=True, exist_ok=True)
        if "delete" in self.query:
            keys = re.findall("<Key>(.*?)</Key>", body.decode())
            for key in keys:
                (file / unescape(key)).unlink(missing_ok=True)
            deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            return self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())
        if "uploads" in self.query:
            text = "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"
            return self.answer(200, text.encode())
        parts = sorted(file.parent.glob(f".part-{file.name}-*"))
        with open(file, "wb") as out:
            for part in parts:
                out.write(part.read_bytes())
                part.unlink()
        return self.answer(200, b"<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")

    def do_DELETE(self):
        self.place().unlink(missing_ok=True)
        self.answer(204)

    def log_message(self, *words):
        pass
