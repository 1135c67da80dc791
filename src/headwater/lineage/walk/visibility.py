"""Which parts of an answer are shown: those at a location, those with a tag, and nothing that somebody hid."""

from __future__ import annotations

from typing import Any

from headwater.graph.annotations.tags import carries
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.direction import Side, contract
from headwater.lineage.walk.options import Options
from headwater.openlineage.naming import location_of
from headwater.store.read.reader import Reader

__all__ = ["filtered"]


def filtered(reader: Reader, tenant: int, flow: Flow, side: Side, options: Options, starts: set[str]) -> Side:
    """One direction without filtered and hidden datasets; a start is always shown."""
    marked = hidden_nodes(reader, tenant, flow.lookup, as_of=options.window.as_of, aliases=flow.aliases)
    if not (options.locations or options.tags or marked):
        return side
    carrying = _tagged(tenant, flow, side, options.tags) if options.tags else set()

    def shows(node: dict[str, Any]) -> bool:
        if node["depth"] == 0 or node["id"] in starts:
            return True
        if marked and side.keys.get(node["id"]) in marked:
            return False
        if node["kind"] not in ("dataset", "column", "rows"):
            return True
        if options.locations and not any(_is_at(node["namespace"], address) for address in options.locations):
            return False
        return not options.tags or node["id"] in carrying

    return contract(side, shows)


def _is_at(namespace: str, address: str) -> bool:
    """A namespace, any address of its location, or a kind of location: `s3`, `postgres` ..."""
    location = location_of(namespace)
    return address in (namespace, location.type) or address.lower() in location.addresses


def _tagged(tenant: int, flow: Flow, side: Side, tags: tuple[str, ...]) -> set[str]:
    flow.aliases.learn(side.keys.values())
    groups = {text: flow.aliases.group(node) for text, node in side.keys.items()}
    described = described_of(
        tenant, flow.lookup, {flow.aliases.canonical(node): groups[text] for text, node in side.keys.items()}
    )
    found: set[str] = set()
    for text, node in side.keys.items():
        known = described.get(flow.aliases.canonical(node))
        if known is None:
            continue
        column = side.nodes[text].get("column") if text in side.nodes else None
        own = known.all_tags if column is None else [*known.tags, *known.column_tags.get(column, [])]
        if carries(own, tags):
            found.add(text)
    return found
