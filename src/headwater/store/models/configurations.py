"""Configurations of models, by tenant and kind: the one in force, and perhaps one that is to follow."""

from __future__ import annotations

import time
from functools import partial
from typing import Literal

import sqlalchemy as sa
from msgspec import Struct

from headwater.store.assets.server_notes import note_all_nodes_for_server
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.models.tables import model_configurations, model_generations
from headwater.store.tasks.models import pause_gone
from headwater.store.tasks.tenants import disable, enable
from headwater.store.write.upsert import insert_statement, replace_statement

__all__ = ["Configurations", "Kind", "Place", "StoredModel", "raise_generation"]

Kind = Literal["EMBEDDING", "SUMMARY"]
Place = Literal["active", "next"]
_table = model_configurations


class StoredModel(Struct, frozen=True):
    kind: Kind
    place: Place
    fingerprint: str
    configuration: str
    """JSON, without any secret."""
    since: int


class Configurations:
    """Reads and changes configurations. Every change is noted in the tenant's generation, and for its tasks."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def tenants(self) -> frozenset[int]:
        """The tenants that have a model."""
        with self._reading.connect() as connection:
            return frozenset(row[0] for row in connection.execute(sa.select(_table.c.tenant).distinct()))

    def generation(self, tenant: int) -> int:
        """Raised whenever a configuration or result of the tenant changes; 0 as long as it had none."""
        query = sa.select(model_generations.c.generation).where(model_generations.c.tenant == tenant)
        with self._reading.connect() as connection:
            return connection.execute(query).scalar() or 0

    def read(self, tenant: int) -> list[StoredModel]:
        columns = (_table.c.kind, _table.c.place, _table.c.fingerprint, _table.c.configuration, _table.c.since)
        query = sa.select(*columns).where(_table.c.tenant == tenant).order_by(_table.c.kind, _table.c.place)
        with self._reading.connect() as connection:
            return [StoredModel(*row) for row in connection.execute(query)]

    def put(self, tenant: int, kind: Kind, place: Place, fingerprint: str, configuration: str) -> None:
        row = (tenant, kind, place, fingerprint, configuration, time.time_ns() // 1000)
        retried(partial(self._put, tenant, row))

    def _put(self, tenant: int, row: tuple[object, ...]) -> None:
        statement = replace_statement(_table, self._writing.dialect)
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            raise_generation(connection, tenant)
            before = _fingerprints(connection, tenant)
            statement.run(connection, [row])
            _pause_gone(connection, tenant, before)
            note_all_nodes_for_server(connection, tenant)
            enable(connection, tenant)

    def remove(self, tenant: int, kind: Kind, place: Place | None = None) -> int:
        """Remove a configuration, or both of a kind. Gives how many there were."""
        return retried(partial(self._remove, tenant, kind, place))

    def _remove(self, tenant: int, kind: Kind, place: Place | None) -> int:
        gone = _table.delete().where(_table.c.tenant == tenant, _table.c.kind == kind)
        if place is not None:
            gone = gone.where(_table.c.place == place)
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            raise_generation(connection, tenant)
            before = _fingerprints(connection, tenant)
            removed = connection.execute(gone).rowcount
            _pause_gone(connection, tenant, before)
            note_all_nodes_for_server(connection, tenant)
            if connection.execute(sa.select(_table.c.kind).where(_table.c.tenant == tenant).limit(1)).first() is None:
                disable(connection, tenant)
            return removed

    def promote(self, tenant: int, kind: Kind, fingerprint: str) -> bool:
        """Put the model that was to follow in force, if it is still this one."""
        return retried(partial(self._promote, tenant, kind, fingerprint))

    def _promote(self, tenant: int, kind: Kind, fingerprint: str) -> bool:
        mine = (_table.c.tenant == tenant, _table.c.kind == kind)
        following = (*mine, _table.c.place == "next", _table.c.fingerprint == fingerprint)
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            raise_generation(connection, tenant)
            if connection.execute(sa.select(_table.c.tenant).where(*following)).first() is None:
                return False
            note_all_nodes_for_server(connection, tenant)
            before = _fingerprints(connection, tenant)
            connection.execute(_table.delete().where(*mine, _table.c.place == "active"))
            is_promoted = connection.execute(_table.update().where(*following).values(place="active")).rowcount == 1
            _pause_gone(connection, tenant, before)
            return is_promoted


def _fingerprints(connection: sa.Connection, tenant: int) -> set[str]:
    return {row[0] for row in connection.execute(sa.select(_table.c.fingerprint).where(_table.c.tenant == tenant))}


def _pause_gone(connection: sa.Connection, tenant: int, before: set[str]) -> None:
    """No task of a model that is not configured any more is to be claimed."""
    for fingerprint in sorted(before - _fingerprints(connection, tenant)):
        pause_gone(connection, tenant, fingerprint)


def raise_generation(connection: sa.Connection, tenant: int) -> None:
    """Let all processes know that something of this tenant's models or results changed."""
    insert_statement(model_generations, connection.dialect).run(connection, [(tenant, 0)])
    connection.execute(
        model_generations.update()
        .where(model_generations.c.tenant == tenant)
        .values(generation=model_generations.c.generation + 1)
    )
