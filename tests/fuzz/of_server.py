"""What is tried with a real server: HTTP that is damaged, and every route with parameters that make no sense.

After each input the server must live, answer others at once, and have failed at nothing: no status 500, and nothing in
its log that says so.
"""

from __future__ import annotations

import json
import re
import select
import socket
import time
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from tests.fuzz.mutate import TEXTS, damaged_bytes, damaged_event, events
from tests.server import Server

__all__ = ["Protocol", "Questions"]

_PATHS = (
    "/api/v1/lineage",
    "/api/v1/lineage/batch",
    "/api/v2/picture",
    "/api/v2/session",
    "/",
    "/assets/x",
    "/health/live",
)
_HEADERS = (
    "content-length: 5",
    "content-length: 5, 5",
    "content-length: -1",
    "content-length: 99999999999999999999",
    "transfer-encoding: chunked",
    "transfer-encoding: gzip, chunked",
    "transfer-encoding: xchunked",
    "expect: 100-continue",
    "connection: close",
    "connection: upgrade, http2-settings",
    "upgrade: h2c",
    "upgrade: websocket",
    "http2-settings: AAMAAABkAARAAAAAAAIAAAAA",
    "content-encoding: gzip",
    "content-encoding: gzip, gzip, gzip",
    "content-encoding: zstd",
    "content-encoding: br, identity",
    "content-type: application/json; charset=utf-16",
    "content-type: application/json; charset=punycode",
    "content-type: application/x-ndjson",
    "accept-encoding: zstd;q=1, gzip;q=0, *;q=0.5",
    'if-none-match: W/"x", *',
    "origin: null",
    "host: evil.example",
    "host: localhost",
    "sec-fetch-site: cross-site",
    "cookie: headwater_session=" + "a" * 3000,
    "authorization: Bearer hw_000000000000_x",
    "authorization: Basic Og==",
    "x-gateway-assertion: a.b.c",
    "x-headwater-tenant: \xff\x01",
    "range: bytes=0-1,5-6,-1",
    "x-long: " + "b" * 20_000,
    " folded: header",
    "no-colon",
    ": empty name",
    "x-null: a\x00b",
    "",
)


class _OfServer:
    """The log is read on from where it ended before the input was sent."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        self.server = server
        self._others = stack.enter_context(httpx.Client(base_url=server.url, timeout=20))

    def begin(self) -> None:
        self._read = len(self.server.log())

    def check_server(self) -> None:
        assert self.server.process.poll() is None, f"the server ended:\n{self.server.log()[-4000:]}"
        began = time.monotonic()
        assert self._others.get("/health/live").status_code == 200
        took = time.monotonic() - began
        assert took < 10, f"another client waited {took:.1f} s"
        fresh = self.server.log()[self._read :]
        assert not re.search(r"Traceback|a request failed|ended its process", fresh), fresh[-4000:]


class Protocol(_OfServer):
    """Requests whose bytes are damaged, in pieces, some of them never completed."""

    @cached_property
    def _events(self) -> list[bytes]:
        return events()

    def make(self, chance: Random) -> list[bytes]:
        """The pieces in which they are sent."""
        sent = b"".join(self._request(chance) for _ in range(chance.choice((1, 1, 2, 5, 70))))
        if chance.random() < 0.6:
            sent = damaged_bytes(chance, sent)
        places = sorted(chance.randint(0, len(sent)) for _ in range(chance.choice((0, 1, 3, 10))))
        return [sent[one:other] for one, other in zip([0, *places], [*places, len(sent)], strict=True)]

    def _request(self, chance: Random) -> bytes:
        method = chance.choice(("POST", "POST", "POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "PRI"))
        path = chance.choice((*_PATHS, "/" + quote(chance.choice(TEXTS).encode("utf-8", "surrogatepass"))[:5000]))
        body = chance.choice(self._events)[:20_000] if method in ("POST", "PUT") else b""
        lines = [f"{method} {path} HTTP/{chance.choice(('1.1', '1.1', '1.0', '2.0'))}", "host: localhost"]
        lines += chance.choices(_HEADERS, k=chance.choice((0, 0, 1, 2, 4)))
        if body and chance.random() < 0.3:
            lines.append("transfer-encoding: chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in _cut(chance, body)) + b"0\r\n\r\n"
        elif body or chance.random() < 0.2:
            lines.append(f"content-length: {len(body) + chance.choice((0, 0, 0, 0, 1, -1, 100))}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def check(self, made: list[bytes]) -> None:
        self.begin()
        address = urlsplit(self.server.url)
        said = b""
        with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for piece in made:
                    connection.sendall(piece)
                    time.sleep(0.001)
                connection.shutdown(socket.SHUT_WR)
                while select.select([connection], [], [], 5)[0] and (piece := connection.recv(1 << 16)):
                    said += piece
            except (ConnectionError, OSError):
                pass  # it need not read to the end what is no request
        statuses = [int(status) for status in re.findall(rb"(?:^|[\r\n}])HTTP/1\.1 (\d{3}) ", said)]
        assert 500 not in statuses, said[:2000]
        assert not said or said.startswith(b"HTTP/1.1 "), said[:200]
        most = b"".join(made).count(b"HTTP/") + 1
        assert len([status for status in statuses if status >= 200]) <= most, "more answers than requests"
        self.check_server()


def _cut(chance: Random, body: bytes) -> list[bytes]:
    places = sorted(chance.randint(1, len(body) - 1) for _ in range(3)) if len(body) > 4 else []
    return [body[one:other] for one, other in zip([0, *places], [*places, len(body)], strict=True) if one < other]


class Questions(_OfServer):
    """Every route of the specification with names that exist and values that make no sense."""

    def __init__(self, server: Server, stack: ExitStack) -> None:
        super().__init__(server, stack)
        self._client = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))
        with (Path(__file__).parent.parent / "events/written/generic.ndjson").open("rb") as file:
            self._sent = [line.strip() for line in file if line.strip()]
        for body in self._sent:
            self._client.post("/api/v1/lineage", content=body)

    @cached_property
    def _operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        paths = self._client.get("/openapi.json").json()["paths"]
        return [
            (method.upper(), path, operation)
            for path, operations in sorted(paths.items())
            for method, operation in sorted(operations.items())
            if method in ("get", "post", "put", "delete", "patch") and not self._closes(method, path)
        ]

    @staticmethod
    def _closes(method: str, path: str) -> bool:
        """A key or a tenant's state would change who may ask from then on."""
        return method != "get" and path.startswith(("/api/v2/keys", "/api/v2/tenants"))

    @cached_property
    def _names(self) -> list[str]:
        """Names and keys that are known, and what was made of them."""
        found = {"true", "0", "1", "-1", "1e9", "99999999999999999999", "2026-01-01", "-1d", "now", "upstream", "day"}
        for kind in ("datasets", "jobs", "runs", "operations", "locations", "users"):
            answer = self._client.get(f"/api/v2/{kind}", params={"limit": 50})
            for item in answer.json().get("items", ()) if answer.status_code == 200 else ():
                found |= {str(item[name]) for name in ("id", "key", "name", "namespace") if item.get(name)}
        return sorted(found)

    def make(self, chance: Random) -> tuple[str, str, dict[str, Any]]:
        """Method, address, and what goes with it."""
        if chance.random() < 0.1:  # so that odd things are there to be asked about
            return "POST", "/api/v1/lineage", {"content": damaged_event(chance, self._sent)}
        method, path, operation = chance.choice(self._operations)
        place = re.sub(r"{[^}]*}", lambda _: quote(self._text(chance), safe=chance.choice(("", "/:@#"))), path)
        pairs = []
        for parameter in operation.get("parameters", ()):
            is_needed = parameter.get("required") or chance.random() < 0.35
            if parameter["in"] == "query" and is_needed and parameter["name"] not in ("tenant", "api_key"):
                pairs += [
                    (parameter["name"], self._value(chance, parameter["schema"]))
                    for _ in range(chance.choice((1, 1, 1, 2, 99, 150)))
                ]
        query = "&".join(f"{name}={quote(value)}" for name, value in pairs)[:15_000]
        more: dict[str, Any] = {"headers": chance.choice(({}, {"accept": "text/csv"}, {"accept-encoding": "zstd"}))}
        if "requestBody" in operation:
            more["content"] = self._body(chance, operation["requestBody"])
        return method, f"{place}?{query}" if query else place, more

    def check(self, made: tuple[str, str, dict[str, Any]]) -> None:
        method, address, more = made
        self.begin()
        try:
            answer = self._client.request(method, address, **more)
        except (httpx.InvalidURL, ValueError):
            return
        is_known = answer.status_code < 500 or answer.status_code in (503, 504, 507)
        assert is_known, f"{answer.status_code}: {answer.text[:2000]}"
        if answer.headers.get("content-type", "").startswith("application/json") and answer.content:
            answer.json()
        for name in ("x-content-type-options", "content-security-policy", "x-frame-options"):
            assert name in answer.headers, f"no {name}"
        self.check_server()

    def _text(self, chance: Random) -> str:
        text = chance.choice(self._names) if chance.random() < 0.6 else chance.choice(TEXTS)
        if chance.random() < 0.2:
            text += chance.choice((":upstream", "#a", "/x", "*", "\n", ":", "@", *TEXTS))
        return text.encode("utf-8", "replace").decode()[:3000]

    def _value(self, chance: Random, schema: dict[str, Any]) -> str:
        known = [
            one for some in (schema, *schema.get("anyOf", ()), schema.get("items", {})) for one in some.get("enum", ())
        ]
        if known and chance.random() < 0.7:
            return str(chance.choice(known))
        kinds = {some.get("type") for some in (schema, *schema.get("anyOf", ()))}
        if kinds & {"integer", "boolean"} and chance.random() < 0.7:
            return chance.choice(("0", "1", "2", "7", "100", "1000", "true", "false"))
        return self._text(chance)

    def _body(self, chance: Random, described: dict[str, Any]) -> bytes:
        kind = next(iter(described.get("content", {}).values()), {})
        example = kind.get("example") or next((it.get("value") for it in kind.get("examples", {}).values()), {})
        body = json.dumps(example).encode()
        if chance.random() < 0.6:
            for name in re.findall(rb'"([^"]*)"', body):
                if chance.random() < 0.3:
                    body = body.replace(b'"%s"' % name, json.dumps(self._text(chance)).encode(), 1)
            return damaged_event(chance, [body])
        return damaged_bytes(chance, body)
