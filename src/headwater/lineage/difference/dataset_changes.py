"""The difference between two states for readers: a summary, and the changes by dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater.deadline import steps
from headwater.graph.facts import NodeKind
from headwater.lineage.difference.graph_state import Edge, Feed, GraphState
from headwater.lineage.names.keys import column_key
from headwater.store.read.names import Name, text_of

__all__ = ["dataset_changes", "summary_of"]

_CAME_AND_WENT = ("appeared", "vanished")
_WORDS = (*_CAME_AND_WENT, "changed")
Counts = dict[str, int]


def dataset_changes(
    before: GraphState,
    after: GraphState,
    names: Mapping[bytes, Name],
    schemas: Mapping[bytes, dict[str, Any]],
    columns: Mapping[Feed, dict[str, Any]],
) -> list[dict[str, Any]]:
    """Changes by dataset that appeared, vanished or changed: feeds, readers, schema, columns."""
    entries: dict[bytes, dict[str, Any]] = {}

    def entry_of(dataset: bytes) -> dict[str, Any]:
        if dataset not in entries:
            entries[dataset] = _entry(names[dataset], before, after)
        return entries[dataset]

    for word, (one, other) in zip(_CAME_AND_WENT, ((after, before), (before, after)), strict=True):
        for dataset in steps(_datasets(one.nodes - other.nodes, names)):
            entry_of(dataset)
        feeds = one.feeds - other.feeds
        edges = {edge for edge in steps(one.edges - other.edges) if names.keys() >= set(edge)}
        for job, source, target in steps((*feeds, *_without_source(edges, feeds, names))):
            if {job, source, target} - {None} <= names.keys():
                count = len({(way[0], way[1]) for way in one.columns.get((job, source, target), ())} if source else ())
                entry_of(target)["fed_by"][word].append({**_ends(source, job, names), "column_edges": count})
        for dataset, job in steps(_only_read(edges, feeds, names)):
            entry_of(dataset)["read_by"][word].append(_shown(names[job]))
        for dataset in _datasets(one.schemas.keys() - other.schemas.keys(), names):
            entry_of(dataset)["schema"] = {"change": word, **{each: [] for each in _WORDS}}
    for dataset, change in schemas.items():
        if dataset in names:
            entry_of(dataset)["schema"] = {"change": "changed", **change["columns"]}
    for (job, source, target), change in steps(columns.items()):
        if {source, target} <= names.keys():
            for word, listed in change["columns"].items():
                entry_of(target)["columns"][word] += [
                    {"key": column_key(target, item["column"] or ""), **_ends(source, job, names), **item}
                    for item in listed
                ]
    for entry in steps(entries.values()):
        for listed in (*entry["fed_by"].values(), *entry["read_by"].values(), *entry["columns"].values()):
            listed.sort(key=_order)
    return sorted(entries.values(), key=_order)


def summary_of(
    nodes: Mapping[str, list[dict[str, Any]]], edges: Mapping[str, list[dict[str, Any]]], datasets: list[dict[str, Any]]
) -> dict[str, Counts]:
    """How many of each kind came, went or changed."""
    ends = {edge.get(part) for listed in edges.values() for edge in listed for part in ("from", "to", "job")}
    ends -= {node["id"] for word in _CAME_AND_WENT for node in nodes[word]}
    kinds = {
        f"{kind}s": {word: sum(node["kind"] == kind for node in nodes[word]) for word in _CAME_AND_WENT}
        for kind in ("dataset", "job")
    }
    kinds["datasets"]["changed"] = sum(entry["change"] == "changed" for entry in datasets)
    kinds["jobs"]["changed"] = sum(end is not None and end.startswith("job:") for end in ends)
    column_edges = dict.fromkeys(_WORDS, 0)
    for entry in steps(datasets):
        for word in _WORDS:
            column_edges[word] += len(entry["columns"][word])
            column_edges[word] += sum(feed["column_edges"] for feed in entry["fed_by"].get(word, ()))
    changes = [entry["schema"]["change"] for entry in datasets if entry["schema"] is not None]
    return {
        **kinds,
        "edges": {word: len(edges[word]) for word in _WORDS},
        "schemas": {word: changes.count(word) for word in _WORDS},
        "column_edges": column_edges,
    }


def _entry(name: Name, before: GraphState, after: GraphState) -> dict[str, Any]:
    known = name.id in before.nodes, name.id in after.nodes
    return {
        **_shown(name),
        "change": {(False, True): "appeared", (True, False): "vanished"}.get(known, "changed"),
        "fed_by": {word: [] for word in _CAME_AND_WENT},
        "read_by": {word: [] for word in _CAME_AND_WENT},
        "schema": None,
        "columns": {word: [] for word in _WORDS},
    }


def _without_source(
    edges: Iterable[Edge], feeds: Iterable[Feed], names: Mapping[bytes, Name]
) -> Iterator[tuple[bytes, None, bytes]]:
    """Jobs that write a dataset in only one of the states, without a flow from a source."""
    shown_pairs = {(job, target) for job, _, target in feeds}
    return ((job, None, target) for job, target in edges if _is_job(names[job]) and (job, target) not in shown_pairs)


def _only_read(edges: Iterable[Edge], feeds: Iterable[Feed], names: Mapping[bytes, Name]) -> Iterator[Edge]:
    """Datasets and the jobs that read them without a flow into a target."""
    shown_pairs = {(source, job) for job, source, _ in feeds}
    return ((dataset, job) for dataset, job in edges if _is_job(names[job]) and (dataset, job) not in shown_pairs)


def _datasets(nodes: Iterable[bytes], names: Mapping[bytes, Name]) -> list[bytes]:
    return [node for node in nodes if node in names and not _is_job(names[node])]


def _is_job(name: Name) -> bool:
    return name.kind is NodeKind.JOB


def _shown(name: Name) -> dict[str, Any]:
    return {"id": text_of(name), "key": name.key, "kind": "job" if _is_job(name) else "dataset"}


def _ends(source: bytes | None, job: bytes | None, names: Mapping[bytes, Name]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part, node in (("from", source), ("job", job)):
        name = names.get(node) if node is not None else None
        found[part] = text_of(name) if name is not None else None
        found[f"{part}_key"] = name.key if name is not None else None
    return found


def _order(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(part) or "") for part in ("id", "from", "job", "source_column", "column"))
