"""Keys that are for certain networks only, on every way in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.access.errors import ForeignNetwork
from headwater.access.networks import check_network, network_text
from headwater.settings import Settings
from tests.api.test_ingest import event
from tests.application import InProcess


@pytest.mark.parametrize(
    ("networks", "address", "may"),
    [
        (["10.0.0.0/8"], "10.1.2.3", True),
        (["10.0.0.0/8"], "11.1.2.3", False),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", True),
        (["2001:db8::/32", "10.0.0.0/8"], "2001:db8::1", True),
        (["2001:db8::/32"], "2001:db9::1", False),
        (["fe80::/10"], "fe80::1%eth0", True),
        (["10.0.0.0/8"], "", False),
        (["0.0.0.0/0"], "unix", False),
    ],
)
def test_networks(networks: list[str], address: str, *, may: bool) -> None:
    if may:
        check_network(networks, address, "k")
        return
    with pytest.raises(ForeignNetwork):
        check_network(networks, address, "k")


def test_spellings() -> None:
    assert network_text(" 10.1.2.3/8 ") == "10.0.0.0/8"
    with pytest.raises(ValueError, match="appear"):
        network_text("home")


def answers(app: InProcess, key: str, address: str, **headers: str) -> set[tuple[int, str | None]]:
    """What requests from an address are answered: events, a batch, and questions."""
    transport = httpx.ASGITransport(app._application, client=(address, 1))

    async def ask() -> set[tuple[int, str | None]]:
        sent: dict[str, Any] = {"headers": {"authorization": f"Bearer {key}", **headers}}
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            found = [
                await client.post("/api/v1/lineage", content=event("j"), **sent),
                await client.post("/api/v1/lineage/batch", content=b"[" + event("k") + b"]", **sent),
                await client.get("/api/v2/jobs", **sent),
            ]
        return {
            (answer.status_code, answer.json().get("error") if answer.status_code > 399 else None) for answer in found
        }

    return app._loop.run_until_complete(ask())


def test_on_every_way_in(tmp_path: Path) -> None:
    with InProcess(tmp_path, proxies="192.0.2.0/24") as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("a")
        made = {"tenant": "a", "roles": ["writer", "reader"], "networks": ["10.0.0.0/8", "2001:db8::/32"]}
        key = app.make_key(**made)
        refused, taken = {(403, "foreign_network")}, {(201, None), (200, None)}
        assert answers(app, key, "10.1.2.3") == answers(app, key, "2001:db8::7") == taken
        assert answers(app, key, "203.0.113.9") == refused
        assert answers(app, key, "203.0.113.9", **{"x-forwarded-for": "10.1.2.3"}) == refused, "no proxy of ours"
        assert answers(app, key, "192.0.2.1", **{"x-forwarded-for": "10.1.2.3"}) == taken
        assert answers(app, key, "192.0.2.1", **{"x-forwarded-for": "10.1.2.3, 203.0.113.9"}) == refused
        shown = next(found for found in app.get("/api/v2/keys").json()["keys"] if found["networks"])
        assert shown["networks"] == ["10.0.0.0/8", "2001:db8::/32"]
        rotated = app.post(f"/api/v2/keys/{shown['id']}/rotate", json={"grace": 60}).json()
        assert rotated["networks"] == shown["networks"]
        assert answers(app, rotated["key"], "203.0.113.9") == refused
        page = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
        signed_in = app.post("/api/v2/session", json={"key": key}, headers=page, key="")
        assert (signed_in.status_code, signed_in.json()["error"]) == (403, "foreign_network")
        wrong = app.post("/api/v2/keys", json={**made, "networks": ["home"]})
        assert (wrong.status_code, wrong.json()["path"]) == (400, "$.networks[0]")


def test_not_on_the_short_way(tmp_path: Path) -> None:
    """The short way of small events does not know the address."""
    assert Settings().proxies == ""
    with InProcess(tmp_path) as app:
        app.key = app.make_key(roles=["admin"])
        app.make_tenant("a")
        free, bound = app.make_key(tenant="a"), app.make_key(tenant="a", networks=["10.0.0.0/8"])
        ingest = app._application.ingest
        assert ingest is not None
        taken = {}
        for key in (free, bound):
            app.send(event("first"), key=key)
            headers = {b"authorization": f"Bearer {key}".encode(), b"host": b"localhost"}

            async def short(headers: dict[bytes, bytes] = headers) -> bool:
                return ingest.try_small_event(headers, event("second"), lambda _: None)

            taken[key] = app._loop.run_until_complete(short())
        assert taken == {free: True, bound: False}
