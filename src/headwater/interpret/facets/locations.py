"""Normal names of datasets and the locations of namespaces."""

from __future__ import annotations

from functools import lru_cache

from headwater.graph.facts import Address, Namespace
from headwater.openlineage.naming import DatasetName, address_id, dataset_name, location_of, namespace_id

__all__ = ["dataset_as_sent", "namespace_facts"]


def dataset_as_sent(namespace: str, name: str, integration: str) -> DatasetName:
    """Dbt writes the missing database of an adapter as `None`."""
    return dataset_name(namespace, name.removeprefix("None.") if integration == "DBT" else name)


@lru_cache(maxsize=4096)
def namespace_facts(tenant: int, text: str) -> tuple[Namespace, tuple[Address, ...]]:
    """The namespace, and one address per host in it."""
    location, namespace_key = location_of(text), namespace_id(text)
    addresses = tuple([Address(tenant, namespace_key, address_id(url), url=url) for url in location.addresses])
    return Namespace(tenant, namespace_key, text=text, type=location.type, name=location.name), addresses
