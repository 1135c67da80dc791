"""Plans a request to change edges: what is stated, hidden or taken back, and what stays."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec
from msgspec import Struct

from headwater.graph.annotations.notes import EDGE_HIDDEN, EDGE_STATED
from headwater.graph.current.hand_edges import EdgeByHand, hand_edge_id
from headwater.graph.current.window import ALWAYS
from headwater.graph.facts import SchemaVersion, ShapeDataset, ShapeEdge
from headwater.lineage.by_hand.check import Checked, Only, check_edges, refuse_size
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.errors import Problem, WrongEdges
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.known_edges import KnownEdges
from headwater.lineage.by_hand.request import EdgesAsk
from headwater.lineage.by_hand.rules import EndType
from headwater.lineage.edits.event import DATAHUB, EdgeStatement, Maker
from headwater.lineage.entities.schemas import column_paths, read_fields
from headwater.openlineage.times import format_time
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["EdgeOutcome", "EdgePlan", "plan_edges"]


class EdgeOutcome(Struct, frozen=True):
    """Result for one edge of a request."""

    edge: bytes
    source: End
    target: End
    change: str
    """added, changed, already there, removed, not there, hidden, already hidden, shown, not hidden."""
    is_hidden: bool = False
    """Of an edge that was added: somebody hid it before, so that nobody sees it."""

    @property
    def changes(self) -> bool:
        return self.change in ("added", "changed", "removed", "hidden", "shown")


class EdgePlan(Struct, frozen=True):
    """Everything to write, in one transaction."""

    stated: list[EdgeStatement]
    outcomes: list[EdgeOutcome]
    created: list[End]
    at: int
    """The time of the change: after every earlier one of these edges, whatever clock that came from."""


def plan_edges(
    reader: Reader,
    tenant: int,
    ask: EdgesAsk,
    maker: Maker,
    at: int,
    env: str,
    *,
    hides: bool = False,
    only: Only | None = None,
) -> EdgePlan:
    """Plans what to write, or raises all problems. With `hides`, removing an edge that only engines report hides it."""
    refuse_size(ask)
    texts = [text for _, _, edge in ask.listed() for text in (edge.source, edge.target)]
    found = find_ends(reader, tenant, texts, env)
    ends = [end for end in found.values() if isinstance(end, End)]
    columns = known_columns(reader, tenant, {end.id for end in ends if end.type is EndType.COLUMN})
    checked, problems = check_edges(ask, found, columns, only)
    known = KnownEdges(reader, tenant, [edge.ends for edge in checked])
    at = max(at, known.newest + 1)
    planner = _Planner(known, maker, at, hides=hides)
    for edge in checked:
        planner.add(edge)
    problems += planner.refused()
    if problems:
        raise WrongEdges(sorted(problems, key=lambda problem: _order(problem.path)))
    created = {end.id: end for edge in checked if edge.action == "add" for end in (edge.source, edge.target)}
    missing = [end for end in created.values() if not end.exists or not end.has_information]
    return EdgePlan(planner.stated, planner.outcomes, missing if ask.create else [], at)


def _order(path: str) -> tuple[str, int, str]:
    """Places in the order of the request, numbers as numbers."""
    head, _, rest = path.partition("[")
    number, _, tail = rest.partition("]")
    return head, int(number) if number.isdigit() else -1, tail


class _Planner:
    """Collects what a request writes."""

    def __init__(self, known: KnownEdges, maker: Maker, at: int, *, hides: bool) -> None:
        self._known, self._maker, self._at, self._hides = known, maker, at, hides
        self.stated: list[EdgeStatement] = []
        self.outcomes: list[EdgeOutcome] = []
        self._reported: list[Checked] = []
        """Edges to remove that nobody stated."""

    def add(self, edge: Checked) -> None:
        known = self._known.between(*edge.ends)
        if edge.action == "add":
            self._state(edge, known)
        elif edge.action == "remove":
            self._remove(edge, known)
        elif edge.action == "hide":
            self._hide(edge, known)
        else:
            is_hidden = known is not None and bool(known.hidden)
            self._put(edge, "shown" if is_hidden else "not hidden", EDGE_HIDDEN, None, known)

    def refused(self) -> list[Problem]:
        """Edges to remove that only engines report; where they are to be hidden they are, and nothing is refused."""
        if not self._reported:
            return []
        flowing = self._known.flowing([edge.ends for edge in self._reported])
        problems: list[Problem] = []
        for edge in self._reported:
            if edge.ends not in flowing:
                self._put(edge, "not there", EDGE_STATED, None)
            elif self._hides:
                self._hide(edge, self._known.between(*edge.ends))
            else:
                message = f"The edge from {edge.source.shown} to {edge.target.shown} is reported by an engine."
                hint = "Only edges made by hand can be removed. If it is wrong, hide it: headwater edit hide."
                problems.append(Problem(edge.path, message, "reported", hint=hint, end=edge.ask.target))
        return problems

    def _state(self, edge: Checked, known: EdgeByHand | None) -> None:
        before = _read(known.stated) if known is not None and known.stated else None
        value = self._value(edge, before)
        if known is not None and known.hidden and self._shows_again(known):
            change = "shown" if before is not None else "added"
            self._put(edge, change, EDGE_HIDDEN, None, known)
            if before is None:
                self._write(edge, *self._known.named(known, edge.source, edge.target), EDGE_STATED, value)
        elif before is None:
            self._put(edge, "added", EDGE_STATED, value, known)
        elif self._maker.via == DATAHUB and before.get("via") != DATAHUB:
            self._put(edge, "already there", EDGE_STATED, None, known)  # what people said elsewhere stays as it is
        elif all(before.get(name) == value.get(name) for name in ("note", "transformation", "properties")):
            self._put(edge, "already there", EDGE_STATED, None, known)
        else:
            self._put(edge, "changed", EDGE_STATED, value, known)

    def _shows_again(self, known: EdgeByHand) -> bool:
        """DataHub's clients do not know hidden edges: an addition shows again the edge that their removal hid."""
        return self._maker.via == DATAHUB and _read(known.hidden).get("via") == DATAHUB

    def _remove(self, edge: Checked, known: EdgeByHand | None) -> None:
        hanging = [] if edge.source.column else self._known.columns_between(*edge.ends)
        for other in hanging:
            source = msgspec.structs.replace(edge.source, column=other.source_column)
            target = msgspec.structs.replace(edge.target, column=other.target_column)
            source, target = self._known.named(other, source, target)
            self._write(edge, source, target, EDGE_STATED, None)
            self.outcomes.append(EdgeOutcome(other.edge, source, target, "removed"))
        if known is not None and known.stated:
            self._put(edge, "removed", EDGE_STATED, None, known)
        elif not hanging:
            self._reported.append(edge)

    def _hide(self, edge: Checked, known: EdgeByHand | None) -> None:
        if known is not None and known.hidden:
            self._put(edge, "already hidden", EDGE_HIDDEN, None)
        else:
            self._put(edge, "hidden", EDGE_HIDDEN, self._said(edge))

    def _put(
        self, edge: Checked, change: str, kind: str, value: dict[str, Any] | None, known: EdgeByHand | None = None
    ) -> None:
        """`known` is the edge to change, perhaps one that was made under other names of the same things."""
        source, target = edge.source, edge.target
        if known is not None:
            source, target = self._known.named(known, source, target)
        is_hidden = edge.action == "add" and known is not None and bool(known.hidden) and kind == EDGE_STATED
        outcome = EdgeOutcome(hand_edge_id(*source.place, *target.place), source, target, change, is_hidden)
        self.outcomes.append(outcome)
        if outcome.changes:
            self._write(edge, source, target, kind, value)

    def _write(self, edge: Checked, source: End, target: End, kind: str, value: dict[str, Any] | None) -> None:
        said = edge.ask
        self.stated.append(EdgeStatement(source.as_stated(), target.as_stated(), kind, value, said.by, said.reason))

    def _said(self, edge: Checked) -> dict[str, Any]:
        maker = self._maker
        found = {
            "by": edge.ask.by or maker.by or maker.actor,
            "via": maker.via,
            "reason": edge.ask.reason or maker.reason,
        }
        return {name: value for name, value in found.items() if value}

    def _value(self, edge: Checked, before: dict[str, Any] | None) -> dict[str, Any]:
        """The new value of an edge. Members that the request does not name keep their values."""
        own = self._said(edge)
        value: dict[str, Any] = {
            "created": format_time(self._at),
            "created_by": own.get("by", ""),
            **own,
            "note": edge.ask.note,
            "properties": dict(sorted(edge.ask.properties.items())),
            "transformation": _members(edge),
        }
        first = ("created", "created_by")
        kept: dict[str, Any] = {} if before is None else {name: before[name] for name in first if name in before}
        for name in ("note", "properties", "transformation"):
            if before is not None and not value[name] and before.get(name):
                kept[name] = before[name]
        return {name: item for name, item in {**value, **kept}.items() if item}


def _read(text: str) -> dict[str, Any]:
    found = msgspec.json.decode(text)
    return found if isinstance(found, dict) else {}


def _members(edge: Checked) -> dict[str, Any] | None:
    return None if edge.ask.transformation is None else msgspec.to_builtins(edge.ask.transformation)


def known_columns(reader: Reader, tenant: int, datasets: Collection[bytes]) -> dict[bytes, set[str]]:
    """By dataset, every column that a schema or an edge names."""
    found: dict[bytes, set[str]] = {dataset: set() for dataset in datasets}
    if not found:
        return found
    parts = reader.facts(tenant, ShapeDataset, dataset=set(found))
    schemas = {part.schema for part in parts if part.schema is not None}
    paths = {
        version.schema: set(column_paths(read_fields(version.fields)))
        for version in reader.facts(tenant, SchemaVersion, schema=schemas)
    }
    for part in parts:
        found[part.dataset] |= paths.get(part.schema or b"", set())
    edges = reader.facts(tenant, ShapeEdge, shape={part.shape for part in parts})
    for edge in edges:
        for source, target, *_ in _entries(edge):
            for node, column in ((edge.source, source), (edge.target, target)):
                if column and node in found:
                    found[node].add(column)
    by_hand = HandEdges(tenant, Lookup(reader.engine), ALWAYS)
    for down in (True, False):
        for hand in by_hand.at(found, down=down):
            node, column = (hand.source, hand.source_column) if down else (hand.target, hand.target_column)
            if column:
                found[node].add(column)
    return found


def _entries(edge: ShapeEdge) -> Iterable[Any]:
    return msgspec.json.decode(edge.columns) if edge.columns else ()
