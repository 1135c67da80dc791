"""The location a namespace names, as facts."""

from __future__ import annotations

from headwater.graph.facts import Address, Namespace
from headwater.openlineage.naming import address_id, location_of, namespace_id

__all__ = ["namespace_facts"]


def namespace_facts(tenant: int, text: str) -> tuple[Namespace, list[Address]]:
    """The namespace, and one address per host in it."""
    location, place = location_of(text), namespace_id(text)
    addresses = [Address(tenant, place, address_id(url), url=url) for url in location.addresses]
    return Namespace(tenant, place, text=text, type=location.type, name=location.name), addresses
