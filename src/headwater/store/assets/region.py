"""The facts from which parts of the asset graph are worked out: all that bear on these parts, and few others."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from headwater.graph.annotations.by_hand import HandEdge
from headwater.graph.catalog.facts import AssetChange, AssetState, AssetTag, CatalogSync
from headwater.graph.catalog.names import AssetKind, Path, asset_id
from headwater.graph.fact import Fact
from headwater.graph.facts import (
    Evidence,
    Namespace,
    Node,
    Run,
    RunShape,
    RunStatus,
    SchemaVersion,
    Shape,
    ShapeDataset,
    ShapeEdge,
    SqlText,
    Symlink,
)
from headwater.store.assets.units import Units, follow_renames, namespace_texts, path_of_node
from headwater.store.read.reader import Reader
from headwater.store.tables import fact_tables

__all__ = ["Facts", "executions_of", "facts_of_meaning", "facts_of_tables"]

Facts = dict[type[Fact], list[Any]]
_MEANING = (
    AssetKind.METRIC,
    AssetKind.WORDROOT,
    AssetKind.MODIFIER,
    AssetKind.UNIT,
    AssetKind.VALUEDOMAIN,
    AssetKind.TAG,
)


def facts_of_tables(reader: Reader, tenant: int, units: Units) -> Facts:
    """Facts about tables, catalogs, schemas and statements."""
    facts: Facts = defaultdict(list)
    shapes = {part.shape for part in _by(reader, tenant, ShapeDataset, dataset=units.datasets)}
    shapes |= {header.shape for header in _by(reader, tenant, Shape, sql=units.statements)}
    facts[Shape] = _by(reader, tenant, Shape, shape=shapes)
    facts[ShapeDataset] = _by(reader, tenant, ShapeDataset, shape=shapes)
    facts[ShapeEdge] = _by(reader, tenant, ShapeEdge, shape=shapes)
    facts[Evidence] = _by(reader, tenant, Evidence, shape=shapes)
    schemas = {part.schema for part in facts[ShapeDataset] if part.schema is not None}
    facts[SchemaVersion] = _by(reader, tenant, SchemaVersion, schema=schemas)
    facts[SqlText] = _by(reader, tenant, SqlText, sql=units.statements)
    by_hand = [_by(reader, tenant, HandEdge, **{end: units.datasets}) for end in ("source", "target")]
    facts[HandEdge] = list({edge.edge: edge for edges in by_hand for edge in edges}.values())
    named = {part.dataset for part in facts[ShapeDataset]} | units.datasets
    named |= {end for edge in facts[HandEdge] for end in (edge.source, edge.target) if end is not None}
    links = _by(reader, tenant, Symlink, source=named)
    facts[Symlink] = links
    nodes = named | {link.target for link in links}
    nodes |= {header.job for header in facts[Shape] if header.job is not None}
    facts[Node] = _by(reader, tenant, Node, node=nodes)
    texts = namespace_texts(reader, tenant, facts[Node])
    facts[Namespace] = _by(reader, tenant, Namespace, namespace=set(texts))
    paths = {path for node in facts[Node] if (path := path_of_node(node, texts)) is not None} | units.paths
    _add_catalog(reader, tenant, paths, {path for _, path in units.places}, facts)
    return facts


def facts_of_meaning(reader: Reader, tenant: int) -> Facts:
    """Facts about metrics, terms and tags, and about the objects they are attached to."""
    facts: Facts = defaultdict(list)
    states = [state for kind in _MEANING for state in reader.facts(tenant, AssetState, kind=kind)]
    tags = reader.facts(tenant, AssetTag)
    paths: set[Path] = set()
    places: set[Path] = set()
    for state in states:
        path = tuple(json.loads(state.path or "[]"))
        places.add(path[:3])
        details = json.loads(state.details[1]) if state.details is not None else {}
        if details.get("table"):
            paths.add((path[0], *details["table"]))
    for tag in tags:
        path = tuple(json.loads(tag.path or "[]"))
        if tag.kind in (AssetKind.TABLE, AssetKind.COLUMN):
            paths.add(path[:4])
        elif tag.kind in (AssetKind.CATALOG, AssetKind.SCHEMA):
            places.add(path)
    _add_catalog(reader, tenant, paths, places, facts)
    known = {state.asset for state in facts[AssetState]}
    facts[AssetState] += [state for state in states if state.asset not in known]
    facts[AssetTag] = tags
    changed = {(change.asset, change.stamp) for change in facts[AssetChange]}
    for kind in _MEANING:
        facts[AssetChange] += [
            change for change in reader.facts(tenant, AssetChange, kind=kind) if change.key()[1:] not in changed
        ]
    return facts


def executions_of(engine: sa.Engine, tenant: int, statements: Iterable[bytes]) -> dict[bytes, int]:
    """How many runs completed each of these statements."""
    run, link, shape = fact_tables[Run], fact_tables[RunShape], fact_tables[Shape]
    found: dict[bytes, int] = {}
    wanted = sorted(statements)
    with engine.connect() as connection:
        for start in range(0, len(wanted), 200):
            query = (
                sa.select(shape.c.sql, sa.func.count(sa.distinct(link.c.run)))
                .select_from(
                    shape.join(link, sa.and_(link.c.tenant == tenant, link.c.shape == shape.c.shape)).join(
                        run, sa.and_(run.c.tenant == tenant, run.c.run == link.c.run)
                    )
                )
                .where(
                    shape.c.tenant == tenant,
                    shape.c.sql.in_(wanted[start : start + 200]),
                    run.c.status == int(RunStatus.SUCCEEDED),
                )
                .group_by(shape.c.sql)
            )
            found.update({bytes(sql): count for sql, count in connection.execute(query)})
    return found


def _add_catalog(reader: Reader, tenant: int, paths: set[Path], places: set[Path], facts: Facts) -> None:
    """States and changes of these tables under all their names, and of the catalogs and schemas above them."""
    units = Units(paths=set(paths))
    follow_renames(reader, tenant, units)
    facts[CatalogSync] = reader.facts(tenant, CatalogSync)
    catalogs = reader.facts(tenant, AssetState, kind=AssetKind.CATALOG)
    ids = {asset_id(AssetKind.TABLE, path) for path in units.paths}
    ids |= {asset_id(AssetKind.SCHEMA, path[:3]) for path in (*units.paths, *places) if len(path) > 2}
    states = {state.asset: state for state in (*catalogs, *_by(reader, tenant, AssetState, asset=ids))}
    facts[AssetState] += states.values()
    ids |= {state.asset for state in catalogs}
    ids |= {asset_id(AssetKind.CATALOG, path[:2]) for path in (*units.paths, *places) if len(path) > 1}
    ids |= {asset_id(AssetKind.CATALOG, ("", path[1])) for path in (*units.paths, *places) if len(path) > 1}
    facts[AssetChange] += _by(reader, tenant, AssetChange, asset=ids)


def _by(reader: Reader, tenant: int, kind: type[Any], **where: Any) -> list[Any]:
    """Facts by the values of one column; none by no values."""
    (wanted,) = where.values()
    return reader.facts(tenant, kind, **where) if wanted else []
