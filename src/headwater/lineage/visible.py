"""Which datasets of an answer are shown: those at a location, those with a tag."""

from __future__ import annotations

from typing import Any

from headwater.lineage.flow import Flow
from headwater.lineage.options import Options
from headwater.lineage.side import Side, contract
from headwater.lineage.tags import matches, said_of
from headwater.openlineage.naming import location_of

__all__ = ["filtered"]


def filtered(tenant: int, flow: Flow, side: Side, options: Options, starts: set[str]) -> Side:
    """The side without datasets that the filters hide; a start is always shown."""
    if not (options.locations or options.tags):
        return side
    tagged = _tagged(tenant, flow, side, options.tags) if options.tags else set()

    def shows(node: dict[str, Any]) -> bool:
        if node["depth"] == 0 or node["id"] in starts or node["kind"] not in ("dataset", "column", "rows"):
            return True
        if options.locations and not any(_is_at(node["namespace"], place) for place in options.locations):
            return False
        return not options.tags or node["id"] in tagged

    return contract(side, shows)


def _is_at(namespace: str, place: str) -> bool:
    """A namespace, any address of its location, or a kind of location: `s3`, `postgres` ..."""
    location = location_of(namespace)
    return place in (namespace, location.type) or place.lower() in location.addresses


def _tagged(tenant: int, flow: Flow, side: Side, tags: tuple[str, ...]) -> set[str]:
    flow.aliases.learn(side.keys.values())
    groups = {text: flow.aliases.group(node) for text, node in side.keys.items()}
    said = said_of(tenant, flow.lookup, {member for members in groups.values() for member in members})
    found: set[str] = set()
    for text, members in groups.items():
        column = side.nodes[text].get("column") if text in side.nodes else None
        for member in members:
            known = said.get(member)
            if known is not None and matches(known.tags | known.column_tags.get(column or "", set()), tags):
                found.add(text)
    return found
