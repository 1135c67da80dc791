"""Keep what a producer sends: a loopback HTTP server that appends every posted event to a file.

    python scripts/record/capture.py events.ndjson --port 5000

Each body is unzipped if need be, put on one line, and answered with 201.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

__all__ = ["capture"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self._read_chunks() if self.headers.get("Transfer-Encoding") == "chunked" else self._read_length()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.keep(body)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _read_length(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _read_chunks(self) -> bytes:
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(chunks)

    def log_message(self, *_: object) -> None:
        """Stay silent: the file is the log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, path: Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self._path = path
        self._lock = threading.Lock()

    def keep(self, body: bytes) -> None:
        line = json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":"))
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


@contextlib.contextmanager
def capture(path: Path, port: int = 0) -> Iterator[str]:
    """Serve while the block runs, and give the address to send to; `path` starts empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    server = _Server(path, port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="file to write, one event a line")
    parser.add_argument("--port", type=int, default=0, help="port on loopback (default: a free one)")
    arguments = parser.parse_args()
    with capture(arguments.path, arguments.port) as url, contextlib.suppress(KeyboardInterrupt):
        print(f"{url} -> {arguments.path}, stop with Ctrl-C", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
