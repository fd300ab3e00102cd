"""A proxy before an S3 server, which answers as servers do on a bad day."""

import http.client
import socketserver
import threading
from http.server import BaseHTTPRequestHandler


class Proxy(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Passes requests on. `fault(method, path, number)` says what to do with request `number`, counted from 1: None; a
    status to answer, or a status and a text; or ("cut", bytes), to close the connection after so many bytes of the body.

    With `weak`, versions are told by weak ETags, which no condition matches."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = port
        self.fault = lambda method, path, number: None
        self.requests = []
        self.weak = False
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        proxy = self.server
        with proxy.lock:
            proxy.requests.append((self.command, self.path))
            number = len(proxy.requests)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = proxy.fault(self.command, self.path, number)
        if isinstance(fault, int):
            fault = (fault, b"<Error><Code>SlowDown</Code><Message>later</Message></Error>")
        if proxy.weak and self.headers.get("If-Match"):
            fault = (412, b"")
        if fault is not None and fault[0] != "cut":
            status, text = fault
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            return
        behind = http.client.HTTPConnection("127.0.0.1", proxy.behind)
        behind.request(self.command, self.path, body, dict(self.headers))
        response = behind.getresponse()
        content = response.read()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("connection", "date", "server", "content-length", "transfer-encoding"):
                weak = "W/" if proxy.weak and name.lower() == "etag" else ""
                self.send_header(name, weak + value)
        length = response.getheader("Content-Length") if self.command == "HEAD" else len(content)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if fault is not None:
            self.wfile.write(content[: fault[1]])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)
            return
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer

    def log_message(self, *words):
        pass
