"""What hostile clients do, each attack for itself again and again: with no credential, or with the key of a tenant.

They come from other addresses of this machine than the well-behaved, as they would from elsewhere. Every attack gives
the statuses that it was answered with.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import struct
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from urllib.parse import urlsplit
from uuid import UUID

from tests.fuzz.mutate import damaged_bytes, damaged_event, events
from tests.soak.traffic import Tenant

__all__ = ["ATTACKS", "Attacker"]

_ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
_READ_SECONDS = 20
Attack = Callable[["Attacker"], Awaitable[None]]


class Attacker:
    """One hostile client: its source of chance, the tenants whose keys it has, and what it was answered."""

    def __init__(self, url: str, tenants: list[Tenant], seed: str) -> None:
        parts = urlsplit(url)
        self._place = parts.hostname, parts.port
        self._corpus = events()
        self.tenants, self.chance = tenants, Random(seed)
        self.statuses: Counter[int] = Counter()

    @property
    def tenant(self) -> Tenant:
        return self.chance.choice(self.tenants)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        address = self.chance.choice(_ADDRESSES)
        reader, writer = await asyncio.open_connection(*self._place, local_addr=(address, 0), limit=1 << 20)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def send(self, *pieces: bytes, pause: float = 0.0, is_read: bool = True) -> list[int]:
        """What this is answered with, until the server says no more."""
        found: list[int] = []
        with suppress(ConnectionError, TimeoutError):
            async with self.connected() as (reader, writer):
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(pause)
                if is_read:
                    async with asyncio.timeout(_READ_SECONDS):
                        found = await _statuses(reader)
        self.statuses.update(found)
        return found

    def request(self, method: str, path: str, body: bytes = b"", *lines: str, key: bool = True) -> bytes:
        head = [f"{method} {path} HTTP/1.1", "host: localhost", "connection: close", *lines]
        if key:
            head.append(f"authorization: Bearer {self.tenant.key}")
        if body or method != "GET":
            head.append(f"content-length: {len(body)}")
        return "\r\n".join([*head, "", ""]).encode("latin-1") + body

    def damaged(self) -> bytes:
        return damaged_event(self.chance, self._corpus)

    def noise(self, body: bytes) -> bytes:
        return damaged_bytes(self.chance, body)


async def _statuses(reader: asyncio.StreamReader) -> list[int]:
    """Of every answer up to the end of the connection; bodies are thrown away."""
    found, rest = [], b""
    while piece := await reader.read(1 << 16):
        lines = (rest + piece).split(b"HTTP/1.1 ")
        found += [int(line[:3]) for line in lines[1:] if line[:3].isdigit()]
        rest = b"" if len(lines[-1]) > 12 else (rest + piece)[-8:]
        rest = rest if b"HTTP/1.1 " not in rest else b""
    return found


async def damaged_events(it: Attacker) -> None:
    tenant, body = it.tenant, it.damaged()
    head = it.request("POST", "/api/v1/lineage", body)
    if 201 in await it.send(head.replace(it_key(head), tenant.key.encode())):
        tenant.note_taken(body.strip())


def it_key(request: bytes) -> bytes:
    return request.partition(b"Bearer ")[2].partition(b"\r\n")[0]


async def damaged_http(it: Attacker) -> None:
    await it.send(it.noise(it.request("POST", "/api/v1/lineage", it.damaged()[:4000]) * it.chance.choice((1, 3, 70))))


async def flood_of_events(it: Attacker) -> None:
    """One new event after another on one connection, as fast as they are answered."""
    tenant = it.tenant
    with suppress(ConnectionError, TimeoutError):
        async with it.connected() as (reader, writer), asyncio.timeout(_READ_SECONDS):
            for _ in range(300):
                body = _event(it, "flood")
                writer.write(
                    it.request(
                        "POST", "/api/v1/lineage", body, f"authorization: Bearer {tenant.key}", key=False
                    ).replace(b"connection: close\r\n", b"")
                )
                status = int((await reader.readuntil(b"\r\n\r\n"))[9:12])
                it.statuses[status] += 1
                if status != 201:
                    return
                tenant.note_taken(body)


async def huge_events(it: Attacker) -> None:
    tenant, body = it.tenant, _event(it, "huge", wide=3000)
    request = it.request("POST", "/api/v1/lineage", body, f"authorization: Bearer {tenant.key}", key=False)
    if 201 in await it.send(request):
        tenant.note_taken(body)


def _event(it: Attacker, name: str, wide: int = 3) -> bytes:
    number = it.chance.randrange(50)
    inputs = [{"namespace": "x", "name": f"{name}{number}.{place}"} for place in range(wide)]
    fields = [{"name": f"c{place}", "type": "int"} for place in range(wide)]
    return json.dumps(
        {
            "eventTime": f"2026-03-01T00:{it.chance.randrange(60):02}:{it.chance.randrange(60):02}Z",
            "eventType": "COMPLETE",
            "run": {"runId": str(UUID(int=it.chance.getrandbits(128), version=4))},
            "job": {"namespace": "x", "name": f"{name}{number}"},
            "inputs": inputs,
            "outputs": [{"namespace": "x", "name": f"{name}{number}.o", "facets": {"schema": {"fields": fields}}}],
        }
    ).encode()


async def flood_of_questions(it: Attacker) -> None:
    number = it.chance.randrange(50)
    names = [f"job:x:{kind}{number}" for kind in ("flood", "huge")] + [f"dataset:x:huge{number}.o"]
    paths = [f"/api/v2/lineage?name={name}&depth=50&granularity={kind}" for name in names for kind in ("JOB", "COLUMN")]
    paths += [f"/api/v1/lineage?nodeId={name}&depth=20" for name in names[:2]]
    paths += ["/api/v2/search?q=" + "+".join(["huge"] * 50), "/api/v2/diff?from=2020-01-01"]
    paths += [
        "/api/v2/datasets?limit=1000&format=csv",
        f"/api/v2/picture?name={names[2]}&columns=all&steps=20&limit=2000",
    ]
    await asyncio.gather(
        *(it.send(it.request("GET", it.chance.choice(paths), b"", "accept-encoding: zstd")) for _ in range(8))
    )


async def expensive_parameters(it: Attacker) -> None:
    stars = "*a" * it.chance.choice((10, 500))
    body = {
        "name": "dataset:x:huge1.o",
        "hide": [stars] * 20,
        "expand": [f"dataset@{it.chance.getrandbits(128):032x}"] * 100,
    }
    await it.send(it.request("POST", "/api/v2/picture", json.dumps(body).encode()))
    tags = "&".join(f"tag=t{number}" for number in range(99))
    await it.send(it.request("GET", f"/api/v2/datasets?{tags}&name={'%25' * 300}"))


async def bombs(it: Attacker) -> None:
    """Much out of little, in one or two layers."""
    body = gzip.compress(gzip.compress(b"", mtime=0) * 50_000)
    if it.chance.random() < 0.5:
        body = gzip.compress(b" " * (60 << 20))
    coding = it.chance.choice(("gzip", "gzip, gzip", "gzip, gzip, gzip", "zstd"))
    await it.send(it.request("POST", "/api/v1/lineage", body, f"content-encoding: {coding}"))


async def odd_charsets(it: Attacker) -> None:
    kind = it.chance.choice(("punycode", "utf-16", "idna", "rot13", "unicode_escape", "utf-8; x=" + "y" * 500))
    await it.send(
        it.request("POST", "/api/v1/lineage", b"x" * 50_000, f"content-type: application/json; charset={kind}")
    )


async def large_heads(it: Attacker) -> None:
    lines = [f"x-{number}: {'y' * 300}" for number in range(it.chance.choice((90, 2000)))]
    await it.send(it.request("GET", "/api/v2/lineage?name=" + "n" * it.chance.choice((10, 30_000)), b"", *lines))


async def slow_heads(it: Attacker) -> None:
    await it.send(*(bytes([byte]) for byte in b"POST /api/v1/lineage HTTP/1.1\r\nhost: localhost\r\n"), pause=0.7)


async def slow_bodies(it: Attacker) -> None:
    head = it.request("POST", "/api/v1/lineage", b"", key=it.chance.random() < 0.5)
    head = head.replace(b"content-length: 0", b"content-length: 5000000")
    await it.send(head, *[b"x" * 100] * 40, pause=0.5)


async def idle(it: Attacker) -> None:
    with suppress(ConnectionError):
        async with it.connected():
            await asyncio.sleep(it.chance.choice((1, 30)))


async def offers(it: Attacker) -> None:
    smuggled = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n"
    await it.send(
        it.request("POST", "/api/v1/lineage", smuggled, "upgrade: h2c", "connection: upgrade, http2-settings")
    )


async def readers_that_stop(it: Attacker) -> None:
    """They ask for much, and take the first bytes of it."""
    path = it.chance.choice(("/api/v2/dump", "/api/v1/events/lineage?limit=100", "/api/v2/datasets?limit=1000"))
    with suppress(ConnectionError, TimeoutError):
        async with it.connected() as (reader, writer):
            writer.write(it.request("GET", path))
            async with asyncio.timeout(_READ_SECONDS):
                it.statuses[int((await reader.read(100))[9:12] or 0)] += 1
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            await asyncio.sleep(it.chance.choice((0.0, 0.5, 35)))


async def clients_that_reset(it: Attacker) -> None:
    """They leave in the middle, without a word of farewell."""
    request = it.request("GET", it.chance.choice(("/api/v2/dump", "/api/v2/lineage?name=job:x:huge1&depth=50")))
    with suppress(ConnectionError):
        async with it.connected() as (_, writer):
            writer.write(request * it.chance.choice((1, 5)))
            await asyncio.sleep(it.chance.random() / 5)
            writer.get_extra_info("socket").setsockopt(1, 13, struct.pack("ii", 1, 0))


async def wrong_credentials(it: Attacker) -> None:
    key = json.dumps({"key": f"hw_{it.chance.getrandbits(48):012x}_x"}).encode()
    await it.send(it.request("POST", "/api/v2/session", key, key=False))
    await it.send(it.request("GET", "/api/v2/runs", b"", "authorization: Bearer hw_000000000000_x", key=False))
    await it.send(it.request("GET", "/api/v2/keys", b"", f"x-headwater-tenant: {it.chance.choice('ab')}"))


async def files(it: Attacker) -> None:
    path = it.chance.choice(
        ("/../../etc/passwd", "/assets/..%2f..%2fapi", "/%2e%2e/%2e%2e/x", "//evil", "/assets/" + "a/" * 5000)
    )
    await it.send(it.request("GET", path, b"", "accept: text/html", "accept-encoding: br", key=False))


ATTACKS: dict[str, Attack] = {
    attack.__name__: attack
    for attack in (
        damaged_events, damaged_http, flood_of_events, huge_events, flood_of_questions, expensive_parameters, bombs,
        odd_charsets, large_heads, slow_heads, slow_bodies, idle, offers, readers_that_stop, clients_that_reset,
        wrong_credentials, files,
    )
}  # fmt: skip
