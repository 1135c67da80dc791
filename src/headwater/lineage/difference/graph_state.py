"""The graph of some jobs and datasets as it was at one moment, so that two moments can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

from headwater.deadline import steps
from headwater.graph.assets.column_kinds import How
from headwater.lineage.flows.completion import completed_columns
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.question import is_hidden
from headwater.store.read.reader import Reader

__all__ = ["ColumnWay", "Edge", "Feed", "GraphState", "add_schemas", "scope_edges", "states_of"]

ColumnWay = tuple[str, str, How]
"""Source column, target column, and how the one gets into the other, whatever the expression."""
Edge = tuple[bytes, bytes]
Feed = tuple[bytes | None, bytes, bytes]
"""Job (None for a dataset event), source and target."""
_FIRST_SEEN = "SELECT node, first_seen FROM node WHERE tenant = ? AND node {ids}"
_DECLARED_AT = (
    "SELECT n.shape, (SELECT MAX(r.first_seen) FROM run_shape r WHERE r.tenant = n.tenant AND r.shape = n.shape "
    "AND r.first_seen <= ?) FROM shape n WHERE n.tenant = ? AND n.shape {ids}"
)


class GraphState(Struct):
    nodes: set[bytes] = field(default_factory=set)
    edges: set[Edge] = field(default_factory=set)
    """From dataset to job, from job to dataset, or as a dataset event or `lineage` facet states it."""
    feeds: set[Feed] = field(default_factory=set)
    """Flows, each with its job."""
    columns: dict[Feed, set[ColumnWay]] = field(default_factory=dict)
    schemas: dict[bytes, bytes] = field(default_factory=dict)
    """Newest schema of each dataset. A writer's schema takes precedence over a reader's."""


def states_of(
    reader: Reader, tenant: int, flows: Sequence[Flow], jobs: Collection[bytes], datasets: Collection[bytes]
) -> list[GraphState]:
    """The state at each moment: flows into these datasets, and inputs of the newest runs of these jobs."""
    written = [_written(flow, datasets) for flow in flows]
    doers = {*jobs, *(job for found in written for job, _ in found)}
    feeds = [_feeds(flow, found, datasets) for flow, found in zip(flows, written, strict=True)]
    edges = [
        {edge for feed in fed for edge in _edges_of(feed)} | set(found) | _read(flow, doers)
        for flow, found, fed in zip(flows, written, feeds, strict=True)
    ]
    ends = {end for found in edges for edge in found for end in edge}
    states = []
    for flow, found, fed in zip(flows, edges, feeds, strict=True):
        nodes = _existing(flow, {*jobs, *datasets, *ends})
        state = GraphState(nodes, {edge for edge in steps(found) if nodes.issuperset(edge)})
        state.feeds = {feed for feed in steps(fed) if state.edges.issuperset(_edges_of(feed))}
        _add_columns(reader, tenant, flow, datasets, state)
        add_schemas(flow, state)
        states.append(state)
    return states


def _written(flow: Flow, datasets: Collection[bytes]) -> dict[Edge, frozenset[bytes]]:
    """By job and dataset that it wrote, the sources."""
    flow.aliases.learn(datasets)
    wanted = set(map(flow.aliases.canonical, datasets))
    return {
        (job, target): into.sources
        for target, by_job in flow.into(wanted - flow.dropped(wanted)).items()
        for job, into in by_job.items()
    }


def _feeds(flow: Flow, written: Mapping[Edge, frozenset[bytes]], datasets: Collection[bytes]) -> set[Feed]:
    stated = _stated(flow, set(map(flow.aliases.canonical, datasets)))
    through = {(job, source, target) for (job, target), sources in written.items() for source in sources}
    return through | {(None, source, target) for source, target in stated}


def _edges_of(feed: Feed) -> tuple[Edge, ...]:
    job, source, target = feed
    return ((source, target),) if job is None else ((source, job), (job, target))


def scope_edges(state: GraphState, nodes: Collection[bytes], edges: Collection[Edge]) -> GraphState:
    """A state reduced to these nodes and edges."""
    kept = state.edges & set(edges)
    return GraphState(
        state.nodes & set(nodes),
        kept,
        {feed for feed in state.feeds if kept.issuperset(_edges_of(feed))},
        {
            feed: transformations_of
            for feed, transformations_of in state.columns.items()
            if kept.issuperset(_edges_of(feed))
        },
        {dataset: schema for dataset, schema in state.schemas.items() if dataset in nodes},
    )


def _read(flow: Flow, jobs: Collection[bytes]) -> set[Edge]:
    """Inputs of each job's newest run, as on the job's own page."""
    flow.aliases.learn(jobs)
    jobs = set(map(flow.aliases.canonical, jobs))
    groups = {job: flow.aliases.group(job) for job in jobs}
    raw = [
        (end, job)
        for job, bodies in steps(flow.applying.of_jobs(groups).items())
        for body in bodies
        for end in (*body.reads, *body.references)
    ]
    flow.aliases.learn({end for end, _ in raw})
    hidden = flow.hidden_into(jobs)
    found = {(flow.aliases.canonical(end), job) for end, job in raw}
    return {(end, job) for end, job in found if end not in hidden.get(job, ())}


def _stated(flow: Flow, datasets: Collection[bytes]) -> set[Edge]:
    """Flows that dataset events state."""
    groups = {dataset: flow.aliases.group(dataset) for dataset in datasets}
    bodies = [body for listed in flow.applying.of_datasets(groups).values() for body in listed]
    flow.aliases.learn({end for body in bodies for edge in body.edges for end in edge})
    shown = flow.aliases.canonical
    found = {(shown(source), shown(target)) for body in bodies for source, target in body.edges}
    hidden = flow.hidden_into({target for _, target in found})
    return {(source, target) for source, target in found if source not in hidden.get(target, ())}


def _existing(flow: Flow, nodes: Collection[bytes]) -> set[bytes]:
    """Those that existed at that moment; dropped datasets do not."""
    moment = flow.window.as_of or 0
    flow.aliases.learn(nodes)
    nodes = set(map(flow.aliases.canonical, nodes))
    members = {member: node for node in nodes for member in flow.aliases.group(node)}
    rows = flow.lookup.rows(_FIRST_SEEN, flow.tenant, members)
    found = {members[member] for member, first_seen in rows if first_seen is not None and first_seen <= moment}
    flow.classify(found)
    return found - flow.dropped(node for node in found if not flow.is_job(node))


def _add_columns(reader: Reader, tenant: int, flow: Flow, targets: Iterable[bytes], state: GraphState) -> None:
    shown = flow.aliases.canonical
    found: dict[Feed, set[ColumnWay]] = defaultdict(set)
    counting = flow.shapes_into({target for target in map(shown, targets) if target in state.nodes})
    shapes = {shape for listed in counting.values() for shape in listed}
    listed, _ = completed_columns(reader, tenant, flow.lookup, flow.aliases, shapes)
    bodies = flow.applying.bodies(listed)
    hidden = flow.hidden_columns(counting)
    for shape, edges in listed.items():
        job = bodies[shape].job if shape in bodies else None
        for (source, column), transformations_of in edges.down.items():
            for (target, target_column), hows in transformations_of:
                if shape not in counting.get(shown(target), ()) or shown(source) not in state.nodes:
                    continue
                if hidden and is_hidden(hidden, (shown(source), column), (shown(target), target_column)):
                    continue
                key = shown(job) if job is not None else None, shown(source), shown(target)
                found[key].update((column, target_column, how._replace(expression="")) for how in hows)
    state.columns = dict(found)


def add_schemas(flow: Flow, state: GraphState) -> None:
    """Adds the newest schema of each dataset, from any origin."""
    datasets = [node for node in state.nodes if not flow.is_job(node)]
    members = {member: dataset for dataset in datasets for member in flow.aliases.group(dataset)}
    rows = {row for down in (True, False) for row in flow.uses_of(datasets, down=down)[1]}
    bodies = flow.applying.bodies({shape for _, shape in rows})
    with_schema = {
        shape
        for shape, body in bodies.items()
        if any(part.schema is not None for part in (*body.inputs, *body.outputs, *body.subjects))
    }
    moment = flow.window.as_of or 0
    stated_at = {
        shape: time
        for shape, time in flow.lookup.rows(_DECLARED_AT, flow.tenant, with_schema, before=(moment,))
        if time is not None
    }
    stated_at |= flow.applying.declared_at({shape for shape in with_schema if shape not in stated_at})
    newest: dict[bytes, tuple[tuple[bool, int, bytes], bytes]] = {}
    for shape, time in stated_at.items():
        body = bodies[shape]
        for parts, writes in ((body.outputs, True), (body.subjects, True), (body.inputs, False)):
            for part in parts:
                dataset = members.get(part.dataset)
                if part.schema is None or dataset is None:
                    continue
                order = writes, time, shape
                if dataset not in newest or order > newest[dataset][0]:
                    newest[dataset] = order, part.schema
    state.schemas = {dataset: schema for dataset, (_, schema) in newest.items()}
