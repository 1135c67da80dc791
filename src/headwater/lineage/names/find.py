"""A node by any of its names: a node id, a namespace and name, or just the name."""

from __future__ import annotations

from uuid import UUID

from headwater.graph.facts import NodeKind
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.names.keys import NodeKey, read_key
from headwater.lineage.names.suggest import suggest
from headwater.openlineage.naming import clean, dataset_name, job_id
from headwater.store.read.reader import Name, Reader

__all__ = ["ASSETS", "asset_name", "find_node", "named_asset", "parse_node_id", "parse_run_id"]

_KINDS = ("dataset", "job")
ASSETS = ("chart", "dashboard")
"""Kinds of datasets that tools make."""
_LONGEST = 16 << 10
"""Bytes of a name; a request line has about as much room."""
_MOST_READINGS = 64
"""Colons of a node id that may end its namespace."""
_REMEMBERED = 1000
"""Characters of the longest name whose id is remembered."""
_SHOWN = 200
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
    places = [position for position, character in enumerate(rest) if character == ":"][:_MOST_READINGS]
    pairs = [(rest[:position], rest[position + 1 :]) for position in places if rest[position + 1 :]]
    is_long = len(rest) > _REMEMBERED
    if kind == "job":
        job = job_id.__wrapped__ if is_long else job_id
        return [job(namespace, name) for namespace, name in pairs]
    dataset = dataset_name.__wrapped__ if is_long else dataset_name
    return [dataset(namespace, name).id for namespace, name in pairs]


def _asset_ids(text: str) -> list[bytes]:
    """Ids that `chart:TOOL:ID` or `dashboard:TOOL:ID` may mean: the dataset that is called `chart.ID` there."""
    kind, _, rest = text.partition(":")
    if kind == "dataset":
        kind, _, rest = rest.partition(":")
    if kind not in ASSETS:
        return []
    places = [place for place, character in enumerate(rest) if character == ":"][:_MOST_READINGS]
    names = [(rest[:place], rest[place + 1 :]) for place in places if rest[place + 1 :]]
    return [dataset_name.__wrapped__(tool, asset_name(kind, asset)).id for tool, asset in names]


def named_asset(reader: Reader, tenant: int, kind: str, rest: str) -> Name | None:
    """The chart or dashboard that was made under this tool and id."""
    return next(iter(reader.names(tenant, _asset_ids(f"{kind}:{rest}")).values()), None)


def asset_name(kind: str, asset: str) -> str:
    """The name of a chart's or dashboard's dataset. Names with slashes are paths, in which = means a partition.

    >>> asset_name("chart", "12"), asset_name("dashboard", "a/b=c")
    ('chart.12', 'dashboard.a/b%3Dc')
    """
    return f"{kind}.{asset.replace('=', '%3D') if '/' in asset else asset}"


def find_node(reader: Reader, tenant: int, text: str, only: NodeKind | None = None) -> Name:
    """The one node that fits a text, perhaps of one kind only;

    raises with the candidates if there is not exactly one.
    """
    text = clean(text).strip()
    key = read_key(text)
    if key is not None and key.kind in _KINDS:
        return _by_key(reader, tenant, key, text, only)
    if only is not None and text and not text.startswith(f"{only.name.lower()}:"):
        text = f"{only.name.lower()}:{text}"
    if not text:
        raise BadQuestion("A name is needed.", hint="For example the name of a table, or dataset:NAMESPACE:NAME.")
    if len(text.encode()) > _LONGEST:
        raise BadQuestion(
            f"A name of {len(text.encode())} bytes is too long; {_LONGEST} is the most.",
            hint="Use the `key` that every list and answer has beside the name.",
        )
    # In full, or as the trees print it: without the kind; charts and dashboards by their tool and id too.
    for ids in (_asset_ids(text), parse_node_id(text), parse_node_id(f"dataset:{text}"), parse_node_id(f"job:{text}")):
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
        raise NodeNotFound(f"Nothing is called {text[:_SHOWN]!r}.", hint=hint)
    return _choose(text, part.lower(), candidates)


def _by_key(reader: Reader, tenant: int, key: NodeKey, text: str, only: NodeKind | None) -> Name:
    name = reader.names(tenant, [key.id]).get(key.id)
    if name is None or name.kind.name.lower() != key.kind or only not in (None, name.kind):
        word = only.name.lower() if only is not None else key.kind
        raise NodeNotFound(f"There is no {word} with the key {text}.", hint="Keys are in every list, beside the name.")
    return name


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
            raise BadQuestion(f"{text[:_SHOWN]!r} can mean {listed}{more}.", hint="Use one of these instead.")
    raise AssertionError("there are candidates")
