"""The adapter on a store of its own, worked round by round, for tests."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from headwater.demo.overlay.server import OverlayServer
from headwater.emit.configuration import Overlay, Sink
from headwater.emit.deliver import DeliveryOutcome
from headwater.emit.emitter import Emitter
from headwater.outgoing.send import Outgoing
from headwater.store.emit.outbox import PENDING, EmitOutbox
from headwater.store.emit.peers import EmitPeers
from headwater.store.emit.versions import REQUESTED, EmitVersions
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore
from headwater.store.write.log import Tenant

TENANT = DEFAULT_TENANT


class Adapter:
    """Use as a context manager. `own` has what the sink `headwater` was given."""

    def __init__(self, data: Path, secrets: str = "") -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.store = SqlStore(f"sqlite:///{data / 'headwater.db'}")
        self.store.open()
        self.own: list[bytes] = []
        engine = self.store.engine
        self.emitter = Emitter(
            EmitPeers(engine), EmitVersions(engine), EmitOutbox(engine), Outgoing("127.0.0.1"), self._take, secrets
        )

    def _take(self, _: Tenant, bodies: Sequence[bytes]) -> Sequence[DeliveryOutcome]:
        self.own += bodies
        return [DeliveryOutcome(201)] * len(bodies)

    def overlay(self, served: OverlayServer, **more: object) -> Overlay:
        wanted: dict[str, object] = {
            "stable_confs": 3,
            "poll_seconds": 1,
            "check_seconds": 0,
            "give_up_seconds": 366 * 86_400,
        }
        overlay = Overlay(name="prod", url=served.url, producer_host="h.example", **{**wanted, **more})  # type: ignore[arg-type]
        self.emitter.put_overlay(TENANT, overlay)
        return overlay

    def sink(self, name: str = "own", url: str = "", **more: object) -> None:
        self.emitter.put_sink(TENANT, Sink(name=name, kind="http" if url else "headwater", url=url, **more))  # type: ignore[arg-type]

    def request(self, *version_ids: str, is_recall: bool = False) -> None:
        self.emitter.request(TENANT.id, None, version_ids, is_recall=is_recall)

    def work(self) -> int:
        """Rounds until nothing is due; gives how much was done."""
        done = 0
        while now := self.emitter.read_round(TENANT) + self.emitter.send_round(TENANT):
            done += now
        return done

    def settle(self, seconds: float = 60.0) -> None:
        """Work until nothing is to be read or sent any more, also what waits for its time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.work()
            counts = self.emitter.outbox.count_unsettled(TENANT.id)
            if not self.emitter.versions.count(TENANT.id, REQUESTED) and not any(s == PENDING for _, s in counts):
                return
            time.sleep(0.02)
        raise AssertionError("not everything was settled")

    def look_again(self) -> None:
        """Let what is waited for be due now: versions that are watched, events, and sinks that were held."""
        for table in ("emit_version", "emit_event", "emit_sink"):
            with self.store.engine.begin() as connection:
                connection.exec_driver_sql(f"UPDATE {table} SET due_at = 0 WHERE due_at IS NOT NULL")

    def steps(self, version_id: str) -> dict[str, dict[str, str]]:
        """By sink, the state of each step."""
        (row,) = self.emitter.versions.get(TENANT.id, "prod", [version_id]).values()
        return self.emitter.outbox.steps(TENANT.id, [row.version]).get(row.version, {})

    def state(self, version_id: str) -> tuple[str, str | None]:
        (row,) = self.emitter.versions.get(TENANT.id, "prod", [version_id]).values()
        return row.state, row.error

    def close(self) -> None:
        self.emitter.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
