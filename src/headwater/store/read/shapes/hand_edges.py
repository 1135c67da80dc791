"""Reads edges by hand for one question: those in force at its time, their statements, and hidden ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import structs

from headwater.graph.annotations.notes import EDGE_HIDDEN, EDGE_STATED, PERSON
from headwater.graph.current.hand_edges import EdgeByHand, body_of_edge, value_in
from headwater.graph.current.shape_body import ShapeBody
from headwater.graph.current.window import NOW, Window
from headwater.openlineage.identity import stamp, stamp_time
from headwater.store.read.lookup import Lookup
from headwater.store.read.shapes.edge_rows import COLUMNS, edge_of, edges_by_id

__all__ = ["HandEdges", "merged_bodies"]

_ANY = "SELECT 1 FROM hand_edge WHERE tenant = ? LIMIT 1"
_FROM = f"SELECT {COLUMNS} FROM hand_edge WHERE tenant = ? AND source {{ids}}"
_INTO = f"SELECT {COLUMNS} FROM hand_edge WHERE tenant = ? AND target {{ids}}"
_CHANGES = "SELECT about, kind, stamp, value FROM edit WHERE tenant = ? AND about {ids} AND stamp < ?"

Pair = tuple[bytes, bytes]
Place = tuple[bytes, str]
"""A dataset and a column of it; "" for the dataset as a whole, and for a job."""


class HandEdges:
    """The edges made by hand of one tenant, as of the time of a question."""

    def __init__(
        self,
        tenant: int,
        lookup: Lookup,
        window: Window,
        *,
        origins: Collection[str] = (),
        shows_hidden: bool = False,
    ) -> None:
        self._tenant, self._lookup, self._window = tenant, lookup, window
        self._counts = not origins or PERSON in origins
        self._hides = not shows_hidden
        self._any: bool | None = None
        self._from: dict[bytes, list[EdgeByHand]] = {}
        self._into: dict[bytes, list[EdgeByHand]] = {}

    @property
    def any(self) -> bool:
        """Whether there are any."""
        if self._any is None:
            self._any = bool(self._lookup.all(_ANY, self._tenant))
        return self._any

    def touching(self, nodes: Collection[bytes], *, down: bool) -> list[Pair]:
        """(node, edge) wherever an edge leads out of one (or into one) and is not a matter of the job alone."""
        if not self._counts:
            return []
        return [
            (edge.source if down else edge.target, edge.edge)
            for edge in self.at(nodes, down=down)
            if edge.stated and ((edge.from_job == edge.into_job) or not (edge.from_job if down else edge.into_job))
        ]

    def of_jobs(self, jobs: Collection[bytes]) -> dict[bytes, list[ShapeBody]]:
        """By job, statements by hand."""
        found: dict[bytes, list[ShapeBody]] = defaultdict(list)
        if self._counts and jobs and self.any:
            for edge in self.at(jobs, down=False):
                if edge.stated:
                    found[edge.target].append(body_of_edge(edge))
            for edge in self.at(jobs, down=True):
                if edge.stated and not edge.into_job:
                    found[edge.source].append(body_of_edge(edge))
        return found

    def of_datasets(self, datasets: Collection[bytes]) -> dict[bytes, list[ShapeBody]]:
        """By dataset, flows into it that people stated without a job."""
        found: dict[bytes, list[ShapeBody]] = defaultdict(list)
        if self._counts and datasets and self.any:
            for edge in self.at(datasets, down=False):
                if edge.stated and not edge.from_job:
                    found[edge.target].append(body_of_edge(edge))
        return found

    def hidden_into(self, nodes: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By node, nodes whose flow into it is hidden; nothing where hidden edges are shown."""
        found: dict[bytes, set[bytes]] = defaultdict(set)
        if self._hides and nodes and self.any:
            for edge in self.at(nodes, down=False):
                if edge.hidden and not edge.is_of_columns:
                    found[edge.target].add(edge.source)
        return found

    def hidden_from(self, nodes: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By node, nodes into which its flow is hidden."""
        found: dict[bytes, set[bytes]] = defaultdict(set)
        if self._hides and nodes and self.any:
            for edge in self.at(nodes, down=True):
                if edge.hidden and not edge.is_of_columns:
                    found[edge.source].add(edge.target)
        return found

    def hidden_places(self, datasets: Collection[bytes]) -> set[tuple[Place, Place]]:
        """Edges from these datasets or into them that are hidden, between columns or of all columns."""
        if not (self._hides and datasets and self.any):
            return set()
        listed = [*self.at(datasets, down=True), *self.at(datasets, down=False)]
        return {
            ((edge.source, edge.source_column), (edge.target, edge.target_column)) for edge in listed if edge.hidden
        }

    def at(self, nodes: Collection[bytes], *, down: bool) -> list[EdgeByHand]:
        """All edges by hand out of these nodes (or into them), as of the time of the question."""
        if not nodes or not self.any:
            return []
        known = self._from if down else self._into
        unknown = [node for node in nodes if node not in known]
        if unknown:
            rows = self._lookup.rows(_FROM if down else _INTO, self._tenant, unknown)
            known.update((node, []) for node in unknown)
            for edge in self._in_time(list(map(edge_of, rows))):
                known[edge.source if down else edge.target].append(edge)
        return [edge for node in dict.fromkeys(nodes) for edge in known[node]]

    def times(self, edges: Collection[bytes]) -> list[tuple[bytes, int | None, bytes | None]]:
        """When each of these was first stated, and the stamp of when it last was; as evidence has it of shapes."""
        if not edges or not self.any:
            return []
        found = self._in_time(list(edges_by_id(self._tenant, self._lookup, edges).values()))
        return [
            (edge.edge, edge.first_seen, None if edge.stated_at is None else stamp(edge.stated_at, bytes(16)))
            for edge in found
            if edge.stated
        ]

    def _in_time(self, edges: list[EdgeByHand]) -> list[EdgeByHand]:
        if self._window.is_always or self._window == NOW or not edges:
            return edges
        _, until = self._window.bounds
        said: dict[tuple[bytes, str], list[tuple[bytes, str]]] = defaultdict(list)
        ids = {edge.edge for edge in edges}
        for about, kind, made, value in self._lookup.rows(_CHANGES, self._tenant, ids, stamp(until + 1, b"")):
            said[about, kind].append((bytes(made), value or ""))
        return [
            structs.replace(
                edge,
                stated=value_in(self._window, said.get((edge.edge, EDGE_STATED), ())),
                stated_at=_last(said.get((edge.edge, EDGE_STATED), ())),
                hidden=value_in(self._window, said.get((edge.edge, EDGE_HIDDEN), ())),
            )
            for edge in edges
        ]


def merged_bodies(
    own: Mapping[bytes, list[ShapeBody]], by_hand: Mapping[bytes, Iterable[ShapeBody]]
) -> dict[bytes, list[ShapeBody]]:
    """Statements of events and of people together."""
    return {node: [*own.get(node, ()), *by_hand.get(node, ())] for node in {**own, **by_hand}}


def _last(changes: Iterable[tuple[bytes, str]]) -> int | None:
    times = [stamp_time(made) for made, value in changes if value]
    return max(times, default=None)
