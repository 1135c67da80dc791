"""A tenant's whole graph as text: every fact, in canonical order, without surrogate ids or clock readings.

Two graphs are the same when their dumps are. Nodes and places are written by their names, runs by their UUIDs,
times in ISO 8601; shapes, schemas and statements by the digest of their content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum, IntFlag
from typing import Any
from uuid import UUID

import msgspec

from headwater.graph.annotations.notes import PERSON
from headwater.graph.assets.assets import assets_of
from headwater.graph.derived import DERIVED
from headwater.graph.fact import Fact, columns_of
from headwater.graph.facts import FACTS, Namespace, Node, NodeKind, Role, Shape
from headwater.graph.fold import Graph
from headwater.graph.merge_rules import Rule
from headwater.interpret.describe import ORIGIN
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time

__all__ = ["dump_facts", "dump_graph"]

_TIMES = {"first_seen", "last_seen", "created_at", "dropped_at", "truncated_at", "started_at", "ended_at"} | {
    "retracted_at",
    "expected_start_at",
    "expected_end_at",
    "started",
    "ready",
    "at",
    "last_written",
    "schema_seen",
}
_NODES = {"node", "job", "subject", "parent_job", "dataset", "source", "target"}
_RUNS = {"run", "parent_run", "root_run", "inside", "parent"}
_JSON = {"facets", "columns", "fields", "tags", "details", "subset", "path", "steps"}


Read = Callable[[Any], Iterable[Any]]
"""Gives the rows of a fact or of a derived table."""


def dump_graph(graph: Graph) -> Iterator[str]:
    """The dump of a graph that is held in memory."""
    return dump_facts(lambda fact: (graph.get(fact, {})[key] for key in sorted(graph.get(fact, {}))))


def dump_facts(read: Read, *, derived: bool = False) -> Iterator[str]:
    """One line of JSON per fact, then one per node and edge of the asset graph.

    `read` gives the facts of a table in the order of their keys: digests of content, so that order is canonical.
    Results of the pipeline are no part of the fold of the log, and are included on request only: shapes of another
    origin, and rows of derived tables.
    """
    read = read if derived else _folded(read)
    places = {fact.namespace: fact.text for fact in read(Namespace) if isinstance(fact, Namespace)}
    names: dict[bytes, str] = {}
    for node in read(Node):
        if isinstance(node, Node) and node.namespace is not None:
            kind = NodeKind(node.kind).name.lower() if node.kind else "node"
            names[node.node] = f"{kind}:{places.get(node.namespace)}:{node.name}"
    for fact in FACTS:
        for item in read(fact):
            yield _line(fact, item, places, names)
    yield from sorted({msgspec.json.encode(asset, order="deterministic").decode() for asset in assets_of(read)})
    if derived:
        for table in DERIVED:
            for row in read(table):
                yield _line(table, row, places, names)


def _folded(read: Read) -> Read:
    """Without shapes that no event states, and all that hangs on them."""
    others = {shape.shape for shape in read(Shape) if shape.origin not in (ORIGIN, PERSON, None)}
    if not others:
        return read

    def own(kind: Any) -> Iterable[Any]:
        rows = read(kind)
        return (row for row in rows if row.shape not in others) if "shape" in kind.__struct_fields__ else rows

    return own


def _line(kind: Any, fact: Any, places: dict[bytes, str | None], names: dict[bytes, str]) -> str:
    members: dict[str, Any] = {"fact" if issubclass(kind, Fact) else "derived": kind.table}
    for column in columns_of(kind):
        value = getattr(fact, column.name)
        if value is None or column.name == "tenant":
            continue
        if column.rule is Rule.LATEST:
            stamp, stamped = value
            members[column.name] = _value(kind, column.name, stamped, column.kind, places, names)
            members[column.name + "_at"] = _stamp(stamp)
        else:
            members[column.name] = _value(kind, column.name, value, column.kind, places, names)
    return msgspec.json.encode(members).decode()


def _value(
    fact: Any, name: str, value: Any, kind: type, places: dict[bytes, str | None], names: dict[bytes, str]
) -> Any:
    is_run_pair = fact.table == "run_dependency" and name in ("source", "target")
    if isinstance(value, bytes):
        if name == "namespace":
            return places.get(value, value.hex())
        if name in _RUNS or is_run_pair:
            return str(UUID(bytes=value))
        if name in _NODES:
            return names.get(value, value.hex())
        if name in ("last", "stamp", "present"):
            return _stamp(value)
        if name in _JSON:
            return msgspec.Raw(value)
        return value.hex()
    if name in _TIMES:
        return format_time(value)
    if name == "role":
        return Role(value).name
    if name in _JSON and isinstance(value, str):
        return msgspec.Raw(value.encode())
    if issubclass(kind, IntFlag):
        return [member.name for member in kind if member in kind(value)]
    return kind(value).name if issubclass(kind, IntEnum) else value


def _stamp(stamp: bytes) -> str:
    return f"{format_time(stamp_time(stamp))} {stamp[8:].hex()}"
