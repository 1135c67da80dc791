"""A node by any of its names: a node id, a namespace and name, or just the name."""

from __future__ import annotations

from uuid import UUID

from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.openlineage.naming import dataset_name, job_id
from headwater.store.read import Name, Reader

__all__ = ["find_node", "parse_node_id", "parse_run_id"]

_KINDS = ("dataset", "job")


def parse_run_id(text: str) -> bytes | None:
    """The bytes of a run id, or None when this is none."""
    try:
        return UUID(text.removeprefix("run:")).bytes
    except ValueError:
        return None


def parse_node_id(text: str) -> list[bytes]:
    """Ids that `dataset:NAMESPACE:NAME` or `job:NAMESPACE:NAME` may mean: colons occur in both parts.

    >>> len(parse_node_id("dataset:postgres://db:5432:shop.public.orders"))
    3
    """
    kind, _, rest = text.partition(":")
    if kind not in _KINDS or ":" not in rest:
        return []
    found = []
    for place, character in enumerate(rest):
        namespace, name = rest[:place], rest[place + 1 :]
        if character == ":" and namespace and name:
            found.append(dataset_name(namespace, name).id if kind == "dataset" else job_id(namespace, name))
    return found


def find_node(reader: Reader, tenant: int, text: str) -> Name:
    """The one node that is meant, or an error that says what could have been."""
    text = text.strip()
    if not text:
        raise BadQuestion("A name is needed.", hint="For example the name of a table, or dataset:NAMESPACE:NAME.")
    by_id = reader.names(tenant, parse_node_id(text))
    if by_id:
        return max(by_id.values(), key=lambda name: len(name.namespace))
    if text.startswith(tuple(f"{kind}:" for kind in _KINDS)) and "://" in text:
        raise NodeNotFound(f"There is no {text}.", hint="`headwater dump` lists everything that is known.")
    bare = text.split(":", 1)[1] if text.startswith(("dataset:", "job:")) else text
    found = reader.search_names(tenant, bare.rpartition("://")[2].partition("/")[2] or bare, limit=50)
    exact = [name for name in found if text in (name.name, f"{name.namespace}/{name.name.lstrip('/')}", name.node_id)]
    exact = exact or [name for name in found if name.name.lower() == bare.lower()]
    ending = [name for name in found if name.name.lower().endswith(("." + bare.lower(), "/" + bare.lower()))]
    for candidates in (exact, ending, found):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            datasets = [name for name in candidates if name.kind.name == "DATASET"]
            if len(datasets) == 1 and len(candidates) == 2 and candidates is exact:
                return datasets[0]
            listed = ", ".join(name.node_id for name in candidates[:8])
            more = f" and {len(candidates) - 8} more" if len(candidates) > 8 else ""
            raise BadQuestion(f"{text!r} can mean {listed}{more}.", hint="Use one of these instead.")
    raise NodeNotFound(f"Nothing is called {text!r}.", hint="Names are matched whole or by a part; try a shorter part.")
