"""Looks up edges of a request: stated by hand, hidden by hand, or reported by engines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import msgspec

from headwater.graph.current.hand_edges import EdgeByHand, hand_edge_id
from headwater.graph.current.window import ALWAYS
from headwater.lineage.by_hand.ends import End
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.by_dataset import dataset_hops
from headwater.lineage.walk.columns.column_walk import ColumnFlow
from headwater.store.read.aliases import Aliases
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name, Reader
from headwater.store.read.shapes.edge_rows import changed_at, edges_by_id
from headwater.store.read.shapes.hand_edges import HandEdges

__all__ = ["Ends", "KnownEdges"]

Place = tuple[bytes, str]
Ends = tuple[Place, Place]


class KnownEdges:
    """Of one tenant, as it is now. Ends are given by the ids under which they are shown."""

    def __init__(self, reader: Reader, tenant: int, wanted: Collection[Ends]) -> None:
        self._reader, self._tenant = reader, tenant
        lookup = Lookup(reader.engine)
        self._aliases = Aliases(reader, tenant, lookup)
        self._by_hand = HandEdges(tenant, lookup, ALWAYS)
        ids = {hand_edge_id(*source, *target) for source, target in wanted}
        known = edges_by_id(tenant, lookup, ids) if self._by_hand.any else {}
        self._known: dict[Ends, EdgeByHand] = {_ends(edge): edge for edge in known.values()}
        if self._aliases.any:
            self._add_other_names({target[0] for _, target in wanted})
        self.newest = changed_at(tenant, lookup, [edge.edge for edge in self._known.values()])

    def between(self, source: Place, target: Place) -> EdgeByHand | None:
        return self._known.get((source, target))

    def named(self, edge: EdgeByHand, source: End, target: End) -> tuple[End, End]:
        """The ends of a known edge by the names under which it was made."""
        if (edge.source, edge.target) == (source.id, target.id):
            return source, target
        names = self._reader.names(self._tenant, [edge.source, edge.target])
        return _called(names.get(edge.source), source), _called(names.get(edge.target), target)

    def columns_between(self, source: Place, target: Place) -> list[EdgeByHand]:
        """Edges between columns of two datasets that somebody stated."""
        self._aliases.learn([source[0], target[0]])
        sources = self._aliases.group(source[0])
        listed = self._by_hand.at(self._aliases.group(target[0]), down=False)
        return [edge for edge in listed if edge.stated and edge.is_of_columns and edge.source in sources]

    def flowing(self, wanted: Collection[Ends]) -> set[Ends]:
        """Those of these edges that are in the graph, of any origin."""
        flow = Flow(self._reader, self._tenant, shows_hidden=True)
        columns = ColumnFlow(self._reader, self._tenant, flow)
        by_target: dict[Place, list[Place]] = defaultdict(list)
        for source, target in wanted:
            by_target[target].append(source)
        nodes = [target[0] for target in by_target if not target[1]]
        flow.classify(nodes)
        near = flow.upstream(nodes)
        beyond = dataset_hops(flow, down=False)([node for node in nodes if not flow.is_job(node)])
        of_columns = columns.upstream([target for target in by_target if target[1]])
        found: set[Ends] = set()
        for target, sources in by_target.items():
            feeding: set[Place] = set(of_columns.get(target, ()))
            if not target[1]:
                feeding = {(step[:16], "") for step in near.get(target[0], ())}
                feeding |= {(node, "") for node in beyond.get(target[0], ())}
            found.update((source, target) for source in sources if source in feeding)
        return found

    def _add_other_names(self, targets: Iterable[bytes]) -> None:
        """Edges that were made under another name of a dataset, by the names under which they are shown."""
        groups = set(targets)
        self._aliases.learn(groups)
        members = {member for target in groups for member in self._aliases.group(target)}
        listed = self._by_hand.at(members, down=False)
        self._aliases.learn({edge.source for edge in listed})
        for edge in listed:
            shown = self._aliases.canonical(edge.source), self._aliases.canonical(edge.target)
            ends = (shown[0], edge.source_column), (shown[1], edge.target_column)
            known = self._known.get(ends)
            if known is None or (edge.stated and not known.stated):
                self._known[ends] = edge


def _called(name: Name | None, end: End) -> End:
    if name is None:
        return end
    return msgspec.structs.replace(end, id=name.id, namespace=name.namespace, name=name.name)


def _ends(edge: EdgeByHand) -> Ends:
    return (edge.source, edge.source_column), (edge.target, edge.target_column)
