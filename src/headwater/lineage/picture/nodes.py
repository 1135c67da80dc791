"""Details of the nodes of a picture: names, columns, newest write, tags, owners."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from headwater.graph.annotations.described import Described
from headwater.graph.current.window import NOW
from headwater.graph.facts import Seen
from headwater.lineage.difference.graph_state import GraphState, add_schemas
from headwater.lineage.entities.annotations import described_of
from headwater.lineage.entities.retracted import retracted_since
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.node_refs import kind_of
from headwater.lineage.picture.answer import LastWrite, More, PictureNode
from headwater.lineage.picture.drawing.location_kind import storage_of
from headwater.lineage.picture.drawing.titles import Title
from headwater.lineage.picture.newest_writes import columns_of_schemas, current_schemas, last_writes, parts_of_datasets
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader

__all__ = ["DatasetFacts", "dataset_facts", "dataset_node", "job_node"]

_OWN = Seen.INPUT | Seen.OUTPUT | Seen.SUBJECT
_MOST_TAGS = 20


class DatasetFacts(Struct, frozen=True):
    """Of many datasets, each by the id under which it is shown."""

    columns: Mapping[bytes, Mapping[str, str | None]]
    """By column, its type."""
    writes: Mapping[bytes, LastWrite]
    described: Mapping[bytes, Described]
    used: frozenset[bytes]
    """Those that somebody read or wrote, under any name."""
    gone: frozenset[bytes]
    """Those that were dropped."""
    retracted: Mapping[bytes, str]
    """Since when, of those that are withdrawn."""


def dataset_facts(reader: Reader, flow: Flow, datasets: Collection[bytes]) -> DatasetFacts:
    """A fixed number of look-ups, however many datasets there are."""
    flow.aliases.learn(datasets)
    groups = {dataset: flow.aliases.group(dataset) for dataset in datasets}
    members = {member: dataset for dataset, group in groups.items() for member in group}
    parts = parts_of_datasets(flow.lookup, flow.tenant, members)
    moment = flow.window.as_of
    if moment is None or flow.window == NOW:
        schemas = current_schemas(flow.tenant, parts)
    else:
        state = GraphState(nodes=set(datasets))
        add_schemas(flow, state)
        schemas = state.schemas
    at_moment = flow if moment is not None else Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    names = flow.names(members)
    return DatasetFacts(
        columns_of_schemas(flow.lookup, flow.tenant, schemas),
        last_writes(flow.lookup, flow.tenant, parts, flow.window.bounds[1]),
        described_of(flow.tenant, flow.lookup, groups),
        frozenset(members[member] for member, name in names.items() if name.seen & _OWN),
        frozenset(at_moment.dropped(datasets)),
        retracted_since(flow.tenant, flow.lookup, groups, moment),
    )


def dataset_node(name: Name, title: Title, step: int, more: More, facts: DatasetFacts) -> PictureNode:
    about = facts.described.get(name.id) or Described()
    return PictureNode(
        key=name.key,
        id=text_of(name),
        kind=kind_of(about),
        title=about.title or title[0],
        rest=title[1],
        namespace=name.namespace,
        name=name.name,
        storage=storage_of(name.namespace),
        step=step,
        columns_total=len(facts.columns.get(name.id, ())),
        columns=[],
        last_write=facts.writes.get(name.id),
        tags=about.tags[:_MOST_TAGS],
        owners=about.owners[:_MOST_TAGS],
        exists=None if name.id not in facts.used else name.id not in facts.gone,
        reference_only=name.id not in facts.used,
        retracted_at=facts.retracted.get(name.id),
        more=more,
        state=None,
    )


def job_node(name: Name, title: Title, step: int, more: More, about: Described) -> PictureNode:
    return PictureNode(
        key=name.key,
        id=text_of(name),
        kind="job",
        title=title[0],
        rest=title[1],
        namespace=name.namespace,
        name=name.name,
        storage=None,
        step=step,
        columns_total=0,
        columns=[],
        last_write=None,
        tags=about.tags[:_MOST_TAGS],
        owners=about.owners[:_MOST_TAGS],
        exists=None,
        reference_only=False,
        more=more,
        state=None,
    )
