"""Edges by hand in the asset graph: inputs of charts and dashboards, and derivations of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import msgspec

from headwater.graph.annotations.by_hand import HandEdge
from headwater.graph.assets.asset import Owned, edge
from headwater.graph.assets.names import AssetNames
from headwater.graph.assets.shapes import Shapes
from headwater.graph.facts import NodeKind
from headwater.openlineage.identity import stamp_time

__all__ = ["Derivations", "derivations_by_hand", "inputs_by_hand"]

_Column = tuple[str, str]


class _Stated(NamedTuple):
    """An edge of which the ends and the newest statement are known."""

    source: bytes
    target: bytes
    columns: tuple[str, str]
    """Both empty if it is one between datasets."""
    time: bytes
    text: str
    """The statement; empty if the edge is hidden."""


class Derivations(NamedTuple):
    """Derivations of columns, each a target and a source."""

    stated: list[tuple[_Column, _Column, tuple[str, str], int]]
    """With the kind of transformation, and since when."""
    hidden: set[tuple[_Column, _Column]]


def inputs_by_hand(read: Callable[[type[Any]], Iterable[Any]], names: AssetNames, shapes: Shapes) -> Iterator[Owned]:
    """Inputs of charts and dashboards.

    Tables have statements as inputs; other edges between them are not in this graph.
    """
    for found in _of_datasets(read):
        target = names.own(found.target)
        if any(found.columns) or not found.text or target is None or shapes.kind_of(target) is None:
            continue
        for source in names.tables_at(found.source, found.time):
            yield target, edge("INPUT_OF", source, target)


def derivations_by_hand(read: Callable[[type[Any]], Iterable[Any]], names: AssetNames) -> Derivations:
    """Derivations that people stated, and those they hid."""
    told = Derivations([], set())
    for found in _of_datasets(read):
        if not all(found.columns):
            continue
        sources = names.columns_at(found.source, found.columns[0], found.time)
        targets = names.columns_at(found.target, found.columns[1], found.time)
        for source, target in product(sources, targets):
            if found.text:
                told.stated.append((target, source, _kind(found.text), stamp_time(found.time)))
            else:
                told.hidden.add((target, source))
    return told


def _of_datasets(read: Callable[[type[Any]], Iterable[Any]]) -> Iterator[_Stated]:
    """Edges between datasets that hold, or are hidden."""
    for fact in read(HandEdge):
        if not (fact.source_kind == fact.target_kind == NodeKind.DATASET and fact.source and fact.target):
            continue
        columns = fact.source_column or "", fact.target_column or ""
        if fact.hidden is not None and fact.hidden[1]:
            yield _Stated(fact.source, fact.target, columns, fact.hidden[0], "")
        elif fact.stated is not None and fact.stated[1]:
            yield _Stated(fact.source, fact.target, columns, fact.stated[0], fact.stated[1])


def _kind(stated: str) -> tuple[str, str]:
    members = msgspec.json.decode(stated).get("transformation")
    how = members if isinstance(members, dict) else {}
    return str(how.get("type") or "DIRECT"), str(how.get("subtype") or "UNKNOWN")
