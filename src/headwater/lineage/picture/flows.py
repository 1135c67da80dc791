"""Details of the flows of a picture: jobs, transformations of columns, times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, field

from headwater.graph.annotations.notes import PERSON
from headwater.graph.assets.column_kinds import How
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.neighbours import Flow
from headwater.store.read.reader import Reader

__all__ = ["ColumnWay", "FlowFacts", "column_paths", "flow_facts"]

Pair = tuple[bytes, bytes]
_MAX_PATHS = 200_000
"""Column edges that are looked at for one picture."""


class ColumnWay(Struct, frozen=True):
    """One way from a column into another, as one shape states it."""

    pair: Pair
    source_column: str
    target_column: str
    how: How
    shape: bytes
    by_sql: bool
    """Whether the transformation is from the SQL of the job, and not from the event."""


class FlowFacts(Struct):
    """Of one pair of datasets."""

    jobs: set[bytes] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)
    masks: set[bool | None] = field(default_factory=set)
    columns: set[tuple[str, str]] = field(default_factory=set)

    def add(self, way: ColumnWay) -> None:
        self.columns.add((way.source_column, way.target_column))
        self.kinds.add(way.how.type)
        if way.how.type == "DIRECT":
            self.masks.add(way.how.masking)

    @property
    def masked(self) -> bool | None:
        return False if False in self.masks else True if self.masks == {True} else None


def column_paths(reader: Reader, tenant: int, flow: Flow, pairs: Collection[Pair]) -> Iterator[ColumnWay]:
    """Column edges from one dataset into another, by the shapes that apply to flows into it."""
    wanted, sources = set(pairs), {source for source, _ in pairs}
    counting = flow.shapes_into({target for _, target in wanted})
    shapes = {shape for listed in counting.values() for shape in listed}
    listed, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, shapes)
    shown, looked = flow.aliases.canonical, 0
    for shape, columns in listed.items():
        flow.aliases.learn({*columns.sources, *columns.targets})
        if sources.isdisjoint(map(shown, columns.sources)):
            continue
        for (source, column), (target, target_column), how in columns.edges():
            pair = shown(source), shown(target)
            if pair in wanted and shape in counting[pair[1]]:
                looked += 1
                if looked > _MAX_PATHS:
                    return
                by_sql = columns.is_completed_by_sql(source, column, target, target_column)
                yield ColumnWay(pair, column, target_column, how, shape, by_sql)


def flow_facts(
    flow: Flow, pairs: Collection[Pair], through: Mapping[Pair, Collection[bytes]], shortest: Collection[ColumnWay]
) -> dict[Pair, FlowFacts]:
    """Of each pair of datasets. `through`: the jobs that a walk passed."""
    found = {pair: FlowFacts(jobs=set(through.get(pair, ()))) for pair in pairs}
    shapes: dict[Pair, set[bytes]] = defaultdict(set)
    into = flow.into({target for _, target in pairs})
    for pair in pairs:
        for job, known in into[pair[1]].items():
            if pair[0] in known.sources:
                found[pair].jobs.add(job)
                shapes[pair] |= known.shapes
    by_event = [pair for pair in pairs if not found[pair].jobs]
    for pair in by_event:
        shapes[pair] |= flow.shapes_into([pair[1]])[pair[1]]
    bodies = flow.applying.bodies({shape for listed in shapes.values() for shape in listed})
    for pair, listed in shapes.items():
        origins = {origin for shape in listed if shape in bodies and (origin := bodies[shape].origin)}
        found[pair].origins = origins - {PERSON}  # of which each edge says for itself that it is one
    stated, _ = flow.edges_by_hand({target for _, target in pairs})
    for (source, _), (target, _) in stated:
        if (source, target) in found:
            found[source, target].origins.add(PERSON)
    for way in shortest:
        if way.pair in found:
            found[way.pair].add(way)
    return found
