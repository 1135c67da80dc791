"""Notes of the asset-graph parts that new facts affect, written in the transaction of the facts."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import partial

import sqlalchemy as sa

from headwater.bounded_cache import BoundedCache
from headwater.graph.annotations.by_hand import HandEdge
from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag, CatalogSync
from headwater.graph.catalog.names import SCHEME
from headwater.graph.fact import Fact
from headwater.graph.facts import Namespace, Node, NodeKind, Run, RunShape, RunStatus, Shape, SqlText, Symlink
from headwater.graph.fold import Graph
from headwater.interpret.interpret import Interpretation
from headwater.store.assets.tables import asset_edges, asset_nodes, asset_outbox, asset_pending, graph_servers
from headwater.store.dialects.failures import retried
from headwater.store.engine import WRITING
from headwater.store.read.reader import Reader
from headwater.store.write.upsert import Row, UpsertStatement, insert_statement

__all__ = ["AssetNotes", "Touched", "clear_assets", "is_held", "note_all_assets"]

_KNOWN_SHAPES = 50_000
_NONE, _SQL, _CATALOG = 0, 1, 2


class Touched(IntEnum):
    """Kind of a note."""

    EVERYTHING = 0
    """The tenant's whole graph, after facts were loaded in bulk."""
    DATASET = 1
    SHAPE = 2
    OBJECT = 3
    """An object of a catalog: its state, a change or a tag."""
    RUN = 4
    """A run that executed a statement."""
    STATEMENT = 5
    CHANGE = 6
    """Rename or drop of an object: statements under its old names may mean something else now."""
    REBUILD = 7
    """As EVERYTHING, and the stored rows may be wrong: they are removed first."""


_OF_OBJECTS: tuple[tuple[type[Fact], Touched], ...] = (
    (AssetState, Touched.OBJECT),
    (AssetTag, Touched.OBJECT),
    (AssetChange, Touched.CHANGE),
)


class AssetNotes:
    """Notes the parts that an event affects; few for events without anything new."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._insert = insert_statement(asset_pending, dialect)
        self._shapes: BoundedCache[int] = BoundedCache(_KNOWN_SHAPES)

    def notes(
        self, graph: Graph, interpretations: Iterable[Interpretation] = ()
    ) -> list[tuple[UpsertStatement, list[Row]]]:
        """Notes to write beside these facts."""
        found: set[tuple[int, int, bytes]] = set()
        for node in graph.get(Node, {}).values():
            if isinstance(node, Node) and node.kind == NodeKind.DATASET:
                found.add((node.tenant, Touched.DATASET, node.node))
        for tenant, source, target in graph.get(Symlink, ()):
            found |= {(tenant, Touched.DATASET, source), (tenant, Touched.DATASET, target)}
        for fact in graph.get(HandEdge, {}).values():
            if isinstance(fact, HandEdge):
                found |= {(fact.tenant, Touched.DATASET, end) for end in (fact.source, fact.target) if end is not None}
        for tenant, shape in graph.get(Shape, ()):
            found.add((tenant, Touched.SHAPE, shape))
        for kind, touched in _OF_OBJECTS:
            for key in graph.get(kind, ()):
                found.add((key[0], touched, key[1]))
        for fact in graph.get(CatalogSync, {}).values():
            if isinstance(fact, CatalogSync) and fact.ready is not None:
                found.add((fact.tenant, Touched.EVERYTHING, b""))
        found |= self._of_repeated(graph, interpretations)
        return (
            [(self._insert, [(tenant, int(kind), source) for tenant, kind, source in sorted(found)])] if found else []
        )

    def _of_repeated(self, graph: Graph, interpretations: Iterable[Interpretation]) -> set[tuple[int, int, bytes]]:
        """Parts affected by events of known shapes: executions, and names that may have changed meaning."""
        traits: dict[tuple[int, bytes], int] = {}
        for said in interpretations:
            if said.description.lasting:
                tenant, shape = said.description.lasting[0].tenant, said.description.shape
                traits[tenant, shape] = self._traits(tenant, said)
        found: set[tuple[int, int, bytes]] = {
            (tenant, Touched.SHAPE, shape) for (tenant, shape), trait in traits.items() if trait & _CATALOG
        }
        for tenant, run, shape in graph.get(RunShape, ()):
            if traits.get((tenant, shape), _NONE) & _SQL:
                found.add((tenant, Touched.RUN, run))
        for fact in graph.get(Run, {}).values():
            # The end may come in an event without the statement that an earlier one of the run had.
            if isinstance(fact, Run) and fact.status in (RunStatus.SUCCEEDED, RunStatus.FAILED):
                found.add((fact.tenant, Touched.RUN, fact.run))
        return found

    def _traits(self, tenant: int, said: Interpretation) -> int:
        key = (tenant, said.description.shape)
        known = self._shapes.get(key)
        if known is None:
            known = _NONE
            for fact in said.description.lasting:
                if isinstance(fact, SqlText):
                    known |= _SQL
                elif isinstance(fact, Namespace) and (fact.text or "").startswith(SCHEME):
                    known |= _CATALOG
            for fact in said.description.dated:
                if isinstance(fact, Namespace) and (fact.text or "").startswith(SCHEME):
                    known |= _CATALOG
            self._shapes.put(key, known)
        return known


def note_all_assets(engine: sa.Engine, tenant: int, *, clear: bool = False) -> None:
    """Note that a tenant's whole asset graph is to be computed; with `removed`, from nothing."""
    retried(partial(_note_all, engine, tenant, Touched.REBUILD if clear else Touched.EVERYTHING))


def _note_all(engine: sa.Engine, tenant: int, kind: Touched) -> None:
    with engine.connect().execution_options(**WRITING) as connection, connection.begin():
        connection.execute(asset_pending.insert(), {"tenant": tenant, "kind": int(kind), "source": b""})


def clear_assets(connection: sa.Connection, tenant: int) -> None:
    """Remove a tenant's stored asset graph; a graph server follows."""
    feeds = connection.execute(sa.select(graph_servers.c.name)).first() is not None
    if feeds:
        old = sa.select(sa.literal(tenant), asset_nodes.c.id, sa.literal(""), sa.literal("")).where(
            asset_nodes.c.tenant == tenant
        )
        connection.execute(asset_outbox.insert().from_select(["tenant", "source", "kind", "target"], old))
    for table in (asset_edges, asset_nodes):
        connection.execute(table.delete().where(table.c.tenant == tenant))


def is_held(reader: Reader, tenant: int) -> bool:
    """Whether a metalake of the tenant is being read as a whole: until then its events change no assets."""
    return any(sync.started and sync.started > (sync.ready or 0) for sync in reader.facts(tenant, CatalogSync))
