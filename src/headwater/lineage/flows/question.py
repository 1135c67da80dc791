"""Context of a lineage question: time, names, aliases, caches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from headwater.graph.current.flows import JobShapes
from headwater.graph.current.into import Into
from headwater.graph.current.window import ALWAYS, Window
from headwater.graph.facts import NodeKind, Role
from headwater.lineage.flows.step import Step
from headwater.store.read.aliases import Aliases, cache_view_of
from headwater.store.read.lookup import Lookup
from headwater.store.read.names import Name, names_of
from headwater.store.read.reader import Reader
from headwater.store.read.shapes.as_of import dropped_at_moment
from headwater.store.read.shapes.current_shapes import ApplyingShapes
from headwater.store.read.shapes.job_records import JobRecords

__all__ = ["Question", "is_hidden"]

_USES = "SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] IN ({roles})"
_READ = _USES.format(roles=f"{int(Role.INPUT)}, {int(Role.REFERENCE)}, {int(Role.JOB)}")
_WRITTEN = _USES.format(roles=f"{int(Role.OUTPUT)}, {int(Role.SUBJECT)}, {int(Role.JOB)}")
_Column = tuple[bytes, str]
"""A dataset and a column of it; "" for the dataset as a whole."""
_Edge = tuple[_Column, _Column]


class Question:
    """One question of a tenant. All names of a dataset are one node: as of its moment, or symlinks as of another."""

    def __init__(
        self,
        reader: Reader,
        tenant: int,
        *,
        lookup: Lookup | None = None,
        window: Window = ALWAYS,
        origins: Collection[str] = (),
        job_types: Collection[str] = (),
        shows_hidden: bool = False,
        symlinks_as_of: int | None = None,
    ) -> None:
        self.tenant, self.window = tenant, window
        self.lookup = lookup or Lookup(reader.engine)
        self.applying = ApplyingShapes(
            tenant, self.lookup, reader.shapes, window, origins=origins, job_types=job_types, shows_hidden=shows_hidden
        )
        self.cut: dict[Step, int] = {}
        """At which large jobs how many shapes were not looked at."""
        self._records = JobRecords(tenant, self.lookup, self.applying)
        self._view = (
            cache_view_of(reader, tenant, self.lookup) if self.applying.takes_all and not shows_hidden else None
        )
        known = self._view.graph.aliases if self._view else None
        self.aliases = Aliases(reader, tenant, self.lookup, window.as_of, symlinks_as_of=symlinks_as_of, memory=known)
        self._resolve = self.aliases.any
        if self.aliases.any_renames:
            self._view = None  # a name that was given away may get a new meaning, which nobody notes
        self._called = reader.called
        self._is_job: dict[bytes, bool] = {}
        self._dropped: dict[bytes, bool] = {}
        self._whole: dict[bytes, JobShapes] = {}
        self._large: set[bytes] = set()
        self._into: dict[bytes, dict[bytes, Into]] = {}
        self._until_next_event: dict[bytes, dict[Any, Any]] | None = None

    def is_job(self, node: bytes) -> bool:
        """Whether a node is a job. For many nodes call `classify` before, which looks them up at once."""
        if node not in self._is_job:
            self.classify({node})
        return self._is_job[node]

    def dropped(self, datasets: Iterable[bytes]) -> set[bytes]:
        """Those that are not there at the moment asked about; without a moment, none."""
        moment = self.window.as_of
        if moment is None:
            return set()
        wanted = list(datasets)
        unknown = [dataset for dataset in wanted if dataset not in self._dropped]
        self.aliases.learn(unknown)
        groups = {dataset: self.aliases.group(dataset) for dataset in unknown}
        gone = dropped_at_moment(self.tenant, self.lookup, groups, moment, self.applying.bodies)
        self._dropped |= {dataset: dataset in gone for dataset in unknown}
        return {dataset for dataset in wanted if self._dropped[dataset]}

    def uses_of(self, nodes: Collection[bytes], *, down: bool) -> tuple[dict[bytes, bytes], list[tuple[bytes, bytes]]]:
        """All ids of these nodes with the node each belongs to, and (id, shape) wherever one is read (or written)."""
        members = self._members(nodes)
        rows = self.lookup.rows(_READ if down else _WRITTEN, self.tenant, members)
        return members, rows + self.applying.by_hand.touching(members, down=down)

    def hidden_into(self, nodes: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By node, nodes whose flow into it is hidden by hand, by the ids under which nodes are shown."""
        if not self.applying.by_hand.any:
            return {}
        return self._hidden(nodes, self.applying.by_hand.hidden_into)

    def hidden_from(self, nodes: Collection[bytes]) -> dict[bytes, set[bytes]]:
        """By node, nodes into which its flow is hidden by hand."""
        if not self.applying.by_hand.any:
            return {}
        return self._hidden(nodes, self.applying.by_hand.hidden_from)

    def names(self, nodes: Collection[bytes]) -> dict[bytes, Name]:
        """Names of these nodes."""
        known = self._called.known(self.tenant, nodes)
        if len(known) < len(nodes):
            new = names_of(self.tenant, self.lookup, [node for node in nodes if node not in known])
            for node, name in new.items():
                self._called.put(self.tenant, node, name, 1)
            known |= new
        return known

    def classify(self, nodes: Collection[bytes]) -> None:
        """Find out which of these are jobs."""
        unknown = [node for node in nodes if node not in self._is_job]
        if unknown:
            names = self.names(unknown)
            for node in unknown:
                self._is_job[node] = node in names and names[node].kind is NodeKind.JOB

    def edges_by_hand(self, targets: Collection[bytes]) -> tuple[set[_Edge], set[_Edge]]:
        """Edges into these nodes that somebody stated, and those that somebody hid."""
        if not self.applying.by_hand.any:
            return set(), set()
        listed = self.applying.by_hand.at(self._members(targets), down=False)
        self.aliases.learn({end for edge in listed for end in (edge.source, edge.target)})
        stated: set[_Edge] = set()
        hidden: set[_Edge] = set()
        for edge in listed:
            ends = (self._shown(edge.source), edge.source_column), (self._shown(edge.target), edge.target_column)
            stated |= {ends} if edge.stated else set()
            hidden |= {ends} if edge.hidden else set()
        return stated, hidden

    def hidden_columns(self, datasets: Collection[bytes]) -> set[tuple[tuple[bytes, str], tuple[bytes, str]]]:
        """Edges out of these datasets or into them that somebody hid, between columns; "" is for all of them."""
        if not self.applying.by_hand.any:
            return set()
        hidden = self.applying.by_hand.hidden_places(self._members(datasets))
        self.aliases.learn({place[0] for edge in hidden for place in edge})
        return {((self._shown(source[0]), source[1]), (self._shown(target[0]), target[1])) for source, target in hidden}

    def _hidden(
        self, nodes: Collection[bytes], ask: Callable[[Collection[bytes]], dict[bytes, set[bytes]]]
    ) -> dict[bytes, set[bytes]]:
        members = self._members(nodes)
        hidden = ask(members)
        self.aliases.learn({end for ends in hidden.values() for end in ends})
        found: dict[bytes, set[bytes]] = {}
        for member, ends in hidden.items():
            found.setdefault(members[member], set()).update(map(self._shown, ends))
        return found

    def _members(self, nodes: Collection[bytes]) -> dict[bytes, bytes]:
        if not self._resolve:
            return {node: node for node in nodes}
        self.aliases.learn(nodes)
        return {member: node for node in nodes for member in self.aliases.group(node)}

    def _group(self, node: bytes) -> frozenset[bytes]:
        if self._resolve:
            self.aliases.learn([node])
        return self.aliases.group(node)

    def _shown(self, node: bytes) -> bytes:
        return self.aliases.canonical(node)


def is_hidden(hidden: Collection[tuple[_Column, _Column]], source: _Column, target: _Column) -> bool:
    """Whether somebody hid this edge, or all between the two datasets."""
    return (source, target) in hidden or ((source[0], ""), (target[0], "")) in hidden
