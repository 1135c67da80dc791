"""The graph of some jobs and datasets as it was at one moment, whole, so that two moments can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from msgspec import Struct, field

from headwater.graph.column_kinds import How
from headwater.lineage.completion import completed_columns
from headwater.lineage.flow import Flow
from headwater.store.read import Reader
from headwater.store.shapes import ShapeBody

__all__ = ["ColumnWay", "State", "state_of"]

ColumnWay = tuple[str, str, How]
"""Source column, target column, and how the one gets into the other, whatever the expression."""
Edge = tuple[bytes, bytes]


class State(Struct):
    nodes: set[bytes] = field(default_factory=set)
    edges: set[Edge] = field(default_factory=set)
    """From dataset to job, from job to dataset, or as a dataset event or `lineage` facet states it."""
    columns: dict[tuple[bytes | None, bytes, bytes], set[ColumnWay]] = field(default_factory=dict)
    """By job (None for a dataset event), source and target."""
    schemas: dict[bytes, bytes] = field(default_factory=dict)
    """The schema that was said last of each dataset; what a writer says goes before what a reader says."""


def state_of(reader: Reader, tenant: int, flow: Flow, jobs: Collection[bytes], subjects: Collection[bytes]) -> State:
    """What these jobs, and the dataset events about these datasets, say at the moment of the flow."""
    flow.look_at(jobs)
    flow.aliases.learn(subjects)
    shown = flow.aliases.canonical
    bodies: list[ShapeBody] = []
    state = State()
    for job in set(map(shown, jobs)):
        view = flow.views[job]
        bodies += view.bodies
        if view.bodies:
            state.nodes.add(job)
        state.edges |= {(dataset, job) for dataset in view.read}
        state.edges |= {(job, dataset) for dataset in view.written}
    declared = [body for bodies in flow.held.of_datasets(subjects).values() for body in bodies]
    flow.aliases.learn({end for body in declared for edge in body.edges for end in edge})
    for body in declared:
        state.nodes.add(shown(body.subject or b""))
        state.edges |= {(shown(source), shown(target)) for source, target in body.edges}
    bodies += declared
    state.nodes |= {end for edge in state.edges for end in edge}
    _add_columns(reader, tenant, flow, bodies, state)
    _add_schemas(flow, bodies, state)
    return _without_dropped(flow, state)


def _add_columns(reader: Reader, tenant: int, flow: Flow, bodies: list[ShapeBody], state: State) -> None:
    shown = flow.aliases.canonical
    found: dict[tuple[bytes | None, bytes, bytes], set[ColumnWay]] = defaultdict(set)
    listed, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, {body.shape for body in bodies})
    for body in bodies:
        job = shown(body.job) if body.job is not None else None
        for (source, column), ways in listed[body.shape].down.items():
            for (target, target_column), hows in ways:
                found[job, shown(source), shown(target)].update(
                    (column, target_column, how._replace(expression="")) for how in hows
                )
    state.columns = dict(found)


def _add_schemas(flow: Flow, bodies: list[ShapeBody], state: State) -> None:
    newest: dict[bytes, tuple[tuple[bool, int, bytes], bytes]] = {}
    for body in bodies:
        said_at = flow.held.said_at.get(body.shape, 0)
        for parts, writes in ((body.outputs, True), (body.subjects, True), (body.inputs, False)):
            for part in parts:
                if part.schema is None:
                    continue
                dataset, order = flow.aliases.canonical(part.dataset), (writes, said_at, body.shape)
                if dataset not in newest or order > newest[dataset][0]:
                    newest[dataset] = order, part.schema
    state.schemas = {dataset: schema for dataset, (_, schema) in newest.items()}


def _without_dropped(flow: Flow, state: State) -> State:
    gone = flow.dropped(node for node in state.nodes if node not in flow.views)
    if not gone:
        return state
    return State(
        state.nodes - gone,
        {edge for edge in state.edges if not gone & set(edge)},
        {key: ways for key, ways in state.columns.items() if not gone & set(key[1:])},
        {dataset: schema for dataset, schema in state.schemas.items() if dataset not in gone},
    )
