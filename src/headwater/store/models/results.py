"""Results of models, and the texts that nodes of the asset graph have now."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import sqlalchemy as sa
from msgspec import Struct

from headwater.deadline import check
from headwater.store.assets.server_notes import note_nodes_for_server
from headwater.store.assets.tables import asset_nodes
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.models.configurations import Kind, raise_generation
from headwater.store.models.tables import model_nodes, model_results
from headwater.store.tasks.notes import NodeNotes
from headwater.store.write.upsert import insert_statement, replace_statement

__all__ = ["Result", "Results", "name_texts", "write_results"]

_AT_ONCE = 500
_PAGE = 5_000
_results, _nodes = model_results, model_nodes


class Result(Struct, frozen=True):
    created_at: int
    value: bytes


class Results:
    """Reads and writes results of one tenant at a time."""

    def __init__(self, reading: sa.Engine, writing: sa.Engine) -> None:
        self._reading, self._writing = reading, writing

    def read(self, tenant: int, kind: Kind, fingerprint: str, hashes: Collection[bytes]) -> dict[bytes, Result]:
        """Results of these texts; texts without one are left out."""
        found: dict[bytes, Result] = {}
        query = sa.select(_results.c.content_hash, _results.c.created_at, _results.c.result).where(
            _results.c.tenant == tenant, _results.c.kind == kind, _results.c.fingerprint == fingerprint
        )
        with self._reading.connect() as connection:
            for some in _portions(hashes):
                for row in connection.execute(query.where(_results.c.content_hash.in_(some))):
                    found[bytes(row[0])] = Result(row[1], bytes(row[2]))
        return found

    def known(self, tenant: int, kind: Kind, fingerprint: str, hashes: Collection[bytes]) -> set[bytes]:
        """Those of these texts that have a result."""
        found: set[bytes] = set()
        query = sa.select(_results.c.content_hash).where(
            _results.c.tenant == tenant, _results.c.kind == kind, _results.c.fingerprint == fingerprint
        )
        with self._reading.connect() as connection:
            for some in _portions(hashes):
                found |= {bytes(row[0]) for row in connection.execute(query.where(_results.c.content_hash.in_(some)))}
        return found

    def of_nodes(
        self, tenant: int, kind: Kind, fingerprint: str, nodes: Collection[bytes]
    ) -> dict[bytes, tuple[bytes, Result]]:
        """Results of the current texts of nodes, with the hashes of these, by the keys of the nodes."""
        found: dict[bytes, tuple[bytes, Result]] = {}
        query = sa.select(_nodes.c.node, _results.c.content_hash, _results.c.created_at, _results.c.result).select_from(
            _nodes.join(
                _results,
                sa.and_(
                    _results.c.tenant == _nodes.c.tenant,
                    _results.c.kind == _nodes.c.kind,
                    _results.c.fingerprint == _nodes.c.fingerprint,
                    _results.c.content_hash == _nodes.c.content_hash,
                ),
            )
        )
        query = query.where(_nodes.c.tenant == tenant, _nodes.c.kind == kind, _nodes.c.fingerprint == fingerprint)
        with self._reading.connect() as connection:
            for some in _portions(nodes):
                for row in connection.execute(query.where(_nodes.c.node.in_(some))):
                    found[bytes(row[0])] = bytes(row[1]), Result(row[2], bytes(row[3]))
        return found

    def all_texts(self, tenant: int, kind: Kind, fingerprint: str) -> Iterator[tuple[bytes, str, bytes]]:
        """Node, label and hash of every node that is there and has a result."""
        last = b""
        there = sa.and_(asset_nodes.c.tenant == _nodes.c.tenant, asset_nodes.c.node == _nodes.c.node)
        query = sa.select(_nodes.c.node, asset_nodes.c.label, _nodes.c.content_hash).select_from(
            _nodes.join(asset_nodes, there)
        )
        query = query.where(_nodes.c.tenant == tenant, _nodes.c.kind == kind, _nodes.c.fingerprint == fingerprint)
        while True:
            check()
            page = query.where(_nodes.c.node > last).order_by(_nodes.c.node).limit(_PAGE)
            with self._reading.connect() as connection:
                rows = connection.execute(page).all()
            yield from ((bytes(row[0]), row[1], bytes(row[2])) for row in rows)
            if len(rows) < _PAGE:
                return
            last = bytes(rows[-1][0])

    def coverage(self, tenant: int, kind: Kind, fingerprint: str) -> int:
        """How many nodes that are there have a result."""
        there = sa.and_(asset_nodes.c.tenant == _nodes.c.tenant, asset_nodes.c.node == _nodes.c.node)
        query = sa.select(sa.func.count()).select_from(_nodes.join(asset_nodes, there))
        query = query.where(_nodes.c.tenant == tenant, _nodes.c.kind == kind, _nodes.c.fingerprint == fingerprint)
        with self._reading.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def name_texts(self, tenant: int, kind: Kind, fingerprint: str, texts: Mapping[bytes, bytes]) -> None:
        """Let nodes have the results of the texts with these hashes."""
        if texts:
            retried(partial(self._name_texts, tenant, kind, fingerprint, texts))

    def _name_texts(self, tenant: int, kind: Kind, fingerprint: str, texts: Mapping[bytes, bytes]) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            name_texts(connection, tenant, kind, fingerprint, texts)

    def names(self, tenant: int, kind: Kind, fingerprint: str, nodes: Collection[bytes]) -> dict[bytes, bytes]:
        """The hashes of the texts of which these nodes have the results."""
        found: dict[bytes, bytes] = {}
        query = sa.select(_nodes.c.node, _nodes.c.content_hash).where(
            _nodes.c.tenant == tenant, _nodes.c.kind == kind, _nodes.c.fingerprint == fingerprint
        )
        with self._reading.connect() as connection:
            for some in _portions(nodes):
                rows = connection.execute(query.where(_nodes.c.node.in_(some)))
                found |= {bytes(row[0]): bytes(row[1]) for row in rows}
        return found

    def write(self, tenant: int, kind: Kind, fingerprint: str, found: Mapping[bytes, bytes]) -> None:
        """Store results by the hashes of their texts; existing ones stay."""
        if found:
            retried(partial(self._write, tenant, kind, fingerprint, found))

    def _write(self, tenant: int, kind: Kind, fingerprint: str, found: Mapping[bytes, bytes]) -> None:
        with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
            write_results(connection, tenant, kind, fingerprint, found)

    def note_for_server(self, tenant: int, ids: Sequence[str]) -> None:
        """Let a graph server have these nodes anew, if there is one."""

        def note() -> None:
            with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
                note_nodes_for_server(connection, tenant, ids)

        if ids:
            retried(note)

    def note_for_tasks(self, tenant: int, nodes: Sequence[bytes]) -> None:
        """Let tasks be planned for these nodes as if they had changed."""

        def note() -> None:
            with self._writing.connect().execution_options(**WRITING) as connection, connection.begin():
                NodeNotes(self._writing.dialect).write(connection, tenant, nodes)

        if nodes:
            retried(note)


def write_results(
    connection: sa.Connection, tenant: int, kind: Kind, fingerprint: str, found: Mapping[bytes, bytes]
) -> None:
    """The same within a transaction that somebody else began."""
    now = time.time_ns() // 1000
    rows = [(tenant, kind, fingerprint, content, now, found[content]) for content in sorted(found)]
    raise_generation(connection, tenant)
    insert_statement(_results, connection.dialect).run(connection, rows)


def name_texts(
    connection: sa.Connection, tenant: int, kind: Kind, fingerprint: str, texts: Mapping[bytes, bytes]
) -> None:
    """The same within a transaction that somebody else began."""
    rows = [(tenant, kind, fingerprint, node, texts[node]) for node in sorted(texts)]
    raise_generation(connection, tenant)
    replace_statement(_nodes, connection.dialect).run(connection, rows)


def _portions(keys: Collection[bytes]) -> Iterator[list[bytes]]:
    wanted = sorted(keys)
    for start in range(0, len(wanted), _AT_ONCE):
        check()
        yield wanted[start : start + _AT_ONCE]
