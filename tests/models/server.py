"""A server with an API like OpenAI's, on loopback, that answers well or fails as a test wants."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = tuple[int, dict[str, str], bytes]
Behaviour = Callable[[str, dict[str, Any]], Reply]


def vector_of(text: str, dimension: int) -> list[float]:
    """Numbers that are a function of the text."""
    seed = hashlib.sha256(text.encode()).digest()
    return [(seed[place % 32] + place) / 300 - 0.4 for place in range(dimension)]


def well(path: str, body: dict[str, Any], dimension: int = 8) -> Reply:
    """As such a server answers; its items in the reverse order."""
    if path.endswith("/embeddings"):
        data = [
            {"object": "embedding", "index": number, "embedding": vector_of(text, dimension)}
            for number, text in enumerate(body["input"])
        ]
        told: dict[str, Any] = {"data": data[::-1], "usage": {"prompt_tokens": 7, "total_tokens": 7}}
        return 200, {}, json.dumps(told).encode()
    asked = json.loads(body["messages"][1]["content"])["statements"]
    results = [
        {"index": item["index"], "summary": f"Summary of {item['sql'][:30]}", "tags": ["Copy", "daily"]}
        for item in asked
    ]
    content = "Here you are:\n```json\n" + json.dumps({"results": results[::-1]}) + "\n```"
    told = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": {"total_tokens": 11}}
    return 200, {}, json.dumps(told).encode()


def status(code: int, headers: dict[str, str] | None = None) -> Behaviour:
    return lambda _path, _body: (code, headers or {}, b'{"error": {"message": "secret-of-the-body"}}')


def slow(seconds: float) -> Behaviour:
    def answer(path: str, body: dict[str, Any]) -> Reply:
        time.sleep(seconds)
        return well(path, body)

    return answer


class ModelServer:
    """Use as a context manager. `behaviours` are taken one after the other, then `well` goes on."""

    def __init__(self, dimension: int = 8) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.behaviours: list[Behaviour] = []
        self.always: Behaviour | None = None
        self._dimension = dimension
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append((self.path, headers, body))
                code, more, content = outer.behaviour()(self.path, body)
                self.send_response(code)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def behaviour(self) -> Behaviour:
        if self.behaviours:
            return self.behaviours.pop(0)
        return self.always or (lambda path, body: well(path, body, self._dimension))

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        """All texts that were to be embedded."""
        return [text for path, _, body in self.requests if path.endswith("/embeddings") for text in body["input"]]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
