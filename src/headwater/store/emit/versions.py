"""Versions announced by overlays: which to read, the lease of each, and its last state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from headwater.openlineage.identity import digest
from headwater.store.dialects.clock import database_time
from headwater.store.dialects.failures import retried
from headwater.store.emit.tables import emit_versions
from headwater.store.engine import WRITING

__all__ = ["DONE", "FAILED", "REQUESTED", "WAITING", "WATCHED", "EmitVersions", "VersionRow", "version_key"]

REQUESTED, WAITING, WATCHED, DONE, FAILED = "REQUESTED", "WAITING", "WATCHED", "DONE", "FAILED"
_LONGEST_ERROR = 1_000


class VersionRow(Struct, frozen=True):
    version: bytes
    overlay: str
    version_id: str
    state: str
    """REQUESTED, WAITING (for confirmations), WATCHED (for reorgs), DONE or FAILED."""
    requests: int
    requested_at: int
    recall_wanted: int
    """Whether a recall was announced that the bundle has not shown yet."""
    due_at: int | None
    attempts: int
    confs: int
    states: str | None
    error: str | None


def version_key(overlay: str, version_id: str) -> bytes:
    """The key of a version; its id may be long."""
    return digest("version", overlay, version_id)


_COLUMNS = [emit_versions.c[name] for name in VersionRow.__struct_fields__]


class EmitVersions:
    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def request(self, tenant: int, overlay: str, version_ids: Sequence[str], *, is_recall: bool = False) -> None:
        """Have versions read, those too that are being read just now."""
        try:
            retried(lambda: self._request(tenant, overlay, version_ids, is_recall=is_recall))
        except sa.exc.IntegrityError:  # another process inserted one of them at the same time
            retried(lambda: self._request(tenant, overlay, version_ids, is_recall=is_recall))

    def _request(self, tenant: int, overlay: str, version_ids: Sequence[str], *, is_recall: bool) -> None:
        table = emit_versions
        keys = {version_key(overlay, version_id): version_id for version_id in version_ids}
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            again = table.update().where(table.c.tenant == tenant, table.c.version.in_(list(keys)))
            values = {"requests": table.c.requests + 1, "due_at": now, "attempts": 0, "requested_at": now}
            values["state"] = REQUESTED
            if is_recall:
                values["recall_wanted"] = 1
            connection.execute(again.values(values))
            there = sa.select(table.c.version).where(table.c.tenant == tenant, table.c.version.in_(list(keys)))
            known = {row[0] for row in connection.execute(there)}
            new = [
                _new(tenant, key, overlay, version_id, now, is_recall=is_recall)
                for key, version_id in sorted(keys.items())
                if key not in known
            ]
            if new:
                connection.execute(table.insert(), new)

    def count(self, tenant: int, state: str | None = None, overlay: str | None = None) -> int:
        condition = [emit_versions.c.tenant == tenant, *([emit_versions.c.state == state] if state else [])]
        condition += [emit_versions.c.overlay == overlay] if overlay is not None else []
        query = sa.select(sa.func.count()).select_from(emit_versions).where(*condition)
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def list(
        self, tenant: int, state: str | None = None, overlay: str | None = None, limit: int = 100
    ) -> list[VersionRow]:
        """Those that were asked for last first."""
        table = emit_versions
        query = sa.select(*_COLUMNS).where(table.c.tenant == tenant)
        if state is not None:
            query = query.where(table.c.state == state)
        if overlay is not None:
            query = query.where(table.c.overlay == overlay)
        query = query.order_by(table.c.requested_at.desc(), table.c.version).limit(limit)
        with self._engine.connect() as connection:
            return [VersionRow(*row) for row in connection.execute(query)]

    def get(self, tenant: int, overlay: str, version_ids: Collection[str]) -> dict[str, VersionRow]:
        """Versions with these ids; unknown ids are left out."""
        found = self.by_keys(tenant, [version_key(overlay, version_id) for version_id in version_ids])
        return {row.version_id: row for row in found.values()}

    def by_keys(self, tenant: int, keys: Sequence[bytes]) -> dict[bytes, VersionRow]:
        """Versions with these keys; unknown keys are left out."""
        query = sa.select(*_COLUMNS).where(emit_versions.c.tenant == tenant, emit_versions.c.version.in_(list(keys)))
        with self._engine.connect() as connection:
            return {row.version: VersionRow(*row) for row in connection.execute(query)}

    def is_due(self, tenant: int) -> bool:
        """Whether there is one to be read now."""
        table = emit_versions
        with self._engine.connect() as connection:
            now = database_time(connection)
            query = sa.select(table.c.version).where(
                table.c.tenant == tenant, table.c.due_at <= now, table.c.lease_until <= now
            )
            return connection.execute(query.limit(1)).first() is not None

    def claim(self, tenant: int, token: str, limit: int, microseconds: int) -> Sequence[VersionRow]:
        """Take versions that are due; nobody else has them until this time is over, or they are finished."""
        table = emit_versions
        with self._engine.connect().execution_options(**WRITING) as connection, connection.begin():
            now = database_time(connection)
            free = (table.c.tenant == tenant, table.c.due_at <= now, table.c.lease_until <= now)
            due = sa.select(table.c.version).where(*free).order_by(table.c.due_at).limit(limit)
            keys = [row[0] for row in connection.execute(due)]
            if not keys:
                return []
            taken = table.update().where(*free, table.c.version.in_(keys))
            connection.execute(taken.values(lease=token, lease_until=now + microseconds))
            mine = (table.c.tenant == tenant, table.c.version.in_(keys), table.c.lease == token)
            query = sa.select(*_COLUMNS).where(*mine).order_by(table.c.due_at)
            return [VersionRow(*row) for row in connection.execute(query)]


def _new(tenant: int, key: bytes, overlay: str, version_id: str, now: int, *, is_recall: bool) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "version": key,
        "overlay": overlay,
        "version_id": version_id,
        "state": REQUESTED,
        "requests": 1,
        "requested_at": now,
        "recall_wanted": int(is_recall),
        "due_at": now,
        "attempts": 0,
        "confs": 0,
        "lease_until": 0,
    }
