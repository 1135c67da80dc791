"""Something in every table of the overlay adapter, for tests of isolation."""

from __future__ import annotations

import msgspec
import sqlalchemy as sa

from headwater.emit.configuration import Overlay, Sink
from headwater.store.emit.outbox import EmitOutbox, EmitProgress, NewEvent
from headwater.store.emit.peers import EmitPeers
from headwater.store.emit.versions import DONE, EmitVersions, version_key

NOWHERE = "https://127.0.0.9:1"
"""No address that may be asked, so that no test waits for a name."""


def fill_emit(engine: sa.Engine, tenant: int, name: str, secret: str = "h") -> str:
    """An overlay and a sink of this name, a version that was read, and one to be read; gives the id of a dead letter."""
    peers, versions, outbox = EmitPeers(engine), EmitVersions(engine), EmitOutbox(engine)
    overlay = Overlay(name=name, url=NOWHERE, producer_host=f"{secret}.example")
    peers.put_overlay(tenant, name, msgspec.json.encode(overlay).decode(), 1)
    sink = Sink(name=name, kind="http", url=NOWHERE)
    peers.put_sink(tenant, name, msgspec.json.encode(sink).decode())
    versions.request(tenant, name, [f"version of {name}"])
    (row,) = versions.claim(tenant, "token", 1, 1_000_000)
    events = [NewEvent("publish", 1, f"of {secret}".encode()), NewEvent("recall", 2, f"recall of {name}".encode())]
    outbox.finish(tenant, row, "token", events, [name], EmitProgress(DONE, None, 0, None))
    (claimed,) = outbox.claim(tenant, name, "token", 9, 1_000_000)
    outbox.failed(tenant, name, "token", claimed[0], "400", f"refused for {secret}", None)
    versions.request(tenant, name, [f"next of {name}"])
    return letter_of(name)


def letter_of(name: str) -> str:
    return f"{name}:{version_key(name, f'version of {name}').hex()}:publish"
