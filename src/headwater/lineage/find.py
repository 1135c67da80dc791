"""A node by any of its names: a node id, a namespace and name, or just the name."""

from __future__ import annotations

from uuid import UUID

from headwater.graph.facts import NodeKind
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.suggest import suggest
from headwater.openlineage.naming import clean, dataset_name, job_id
from headwater.store.read import Name, Reader

__all__ = ["find_node", "parse_node_id", "parse_run_id"]

_KINDS = ("dataset", "job")
_LONGEST = 4096
_HINT = "Names are matched whole or by a part; try a shorter part."


def parse_run_id(text: str) -> bytes | None:
    """The bytes of a run id, or None when this is none. `operation:` is another word for `run:`."""
    try:
        return UUID(text.removeprefix("run:").removeprefix("operation:")).bytes
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
    text = clean(text).strip()
    if not text:
        raise BadQuestion("A name is needed.", hint="For example the name of a table, or dataset:NAMESPACE:NAME.")
    if len(text) > _LONGEST:
        raise BadQuestion(f"A name of {len(text)} characters is too long; {_LONGEST} is the most.")
    # In full, or as the trees print it: without the kind.
    for ids in (parse_node_id(text), parse_node_id(f"dataset:{text}"), parse_node_id(f"job:{text}")):
        found = reader.names(tenant, ids)
        if found:
            return max(found.values(), key=lambda name: len(name.namespace))
    word, _, rest = text.partition(":")
    kind = NodeKind[word.upper()] if word in _KINDS and rest else None
    part = rest if kind else text
    candidates = reader.search_names(tenant, part, limit=50, kind=kind)
    if not candidates:
        similar = suggest(reader, tenant, part, kind)
        hint = f"Did you mean {' or '.join(similar)}?" if similar else _HINT
        raise NodeNotFound(f"Nothing is called {text!r}.", hint=hint)
    return _choose(text, part.lower(), candidates)


def _choose(text: str, part: str, found: list[Name]) -> Name:
    """The whole name before the last part of it, before any part."""
    exact = [name for name in found if name.name.lower() == part]
    ending = [name for name in found if name.name.lower().endswith(("." + part, "/" + part))]
    for candidates in (exact, ending, found):
        datasets = [name for name in candidates if name.kind is NodeKind.DATASET]
        if len(candidates) == 1:
            return candidates[0]
        if candidates is exact and len(datasets) == 1:
            return datasets[0]
        if candidates:
            listed = ", ".join(name.node_id for name in candidates[:8])
            more = f" and {len(candidates) - 8} more" if len(candidates) > 8 else ""
            raise BadQuestion(f"{text!r} can mean {listed}{more}.", hint="Use one of these instead.")
    raise AssertionError("there are candidates")
