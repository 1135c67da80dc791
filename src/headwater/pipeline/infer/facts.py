"""Inferred edges as facts: a shape of origin `sql` beside the one of the event, seen when that was seen."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from headwater.graph.fact import Fact
from headwater.graph.facts import Evidence, Role, Shape, ShapeDataset, ShapeEdge
from headwater.graph.rollup.totals import INFERRED
from headwater.interpret.facets.columns import ColumnEdge
from headwater.openlineage.identity import digest

__all__ = ["inferred_facts"]


def inferred_facts(
    original: Shape, evidence: Evidence, edges: Mapping[tuple[bytes, bytes], set[ColumnEdge]]
) -> list[Fact]:
    """A shape with the original's job, the datasets of the edges, and the edges.

    Its id is their digest. So two events whose SQL gives the same edges (START and COMPLETE) share one shape.
    """
    tenant = original.tenant
    header = msgspec.structs.replace(original, shape=b"", origin=INFERRED)
    targets = {target for _, target in edges}
    sources = {source for source, _ in edges} - targets
    body: list[ShapeDataset | ShapeEdge] = [
        *(ShapeDataset(tenant, b"", dataset, int(Role.INPUT)) for dataset in sorted(sources)),
        *(ShapeDataset(tenant, b"", dataset, int(Role.OUTPUT)) for dataset in sorted(targets)),
        *(
            ShapeEdge(tenant, b"", source, target, columns=msgspec.json.encode(sorted(found)))
            for (source, target), found in sorted(edges.items())
        ),
    ]
    shape = digest("shape", *(_canonical(fact) for fact in (header, *body)))
    seen = Evidence(tenant, shape, first_seen=evidence.first_seen, last=evidence.last)
    return [msgspec.structs.replace(fact, shape=shape) for fact in (header, *body)] + [seen]


def _canonical(fact: Fact) -> bytes:
    return msgspec.msgpack.encode((type(fact).__name__, *msgspec.structs.astuple(fact)[1:]))
