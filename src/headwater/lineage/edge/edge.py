"""One flow from a dataset into another, explained."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.graph.current.window import ALWAYS, NOW, Window
from headwater.graph.facts import NodeKind, Role
from headwater.lineage.answer.records import UNKNOWN_TYPE
from headwater.lineage.answer.values import moment
from headwater.lineage.edge.answer import Edge, EdgeJob
from headwater.lineage.edge.columns import edge_columns
from headwater.lineage.edge.explain import explained
from headwater.lineage.edge.runs import runs_of_edge
from headwater.lineage.edge.statement import edge_statements
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.lineage.flows.edge_times import seen_flows
from headwater.lineage.flows.job_edges import resolved
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.names.find import find_node
from headwater.lineage.picture.answer import NodeRef
from headwater.lineage.picture.drawing.titles import titles
from headwater.lineage.picture.flows import ColumnWay, FlowFacts, column_paths, flow_facts
from headwater.lineage.picture.jobs import job_facts
from headwater.store.read.lookup import looking
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name, Reader
from headwater.store.read.runs.totals import Total, totals_of_jobs

__all__ = ["explained_edge"]

_MOST_JOBS = 20
_NOTHING = Total()
_PRODUCERS = "SELECT DISTINCT producer FROM shape WHERE tenant = ? AND shape {ids} AND producer IS NOT NULL"
_MOST_PRODUCERS = 20


def explained_edge(
    reader: Reader,
    tenant: int,
    source: str,
    target: str,
    *,
    via: str | None = None,
    from_column: str | None = None,
    to_column: str | None = None,
    window: Window = ALWAYS,
) -> Edge:
    """The flow from one dataset into another, perhaps only through one job or between two columns."""
    ends = [find_node(reader, tenant, text, NodeKind.DATASET) for text in (source, target)]
    only = find_node(reader, tenant, via, NodeKind.JOB) if via is not None else None
    with looking(reader.engine) as lookup:
        flow = Flow(reader, tenant, lookup=lookup, window=window)
        flow.aliases.learn([name.id for name in ends] + ([only.id] if only is not None else []))
        one, other = (flow.aliases.canonical(name.id) for name in ends)
        pair = one, other
        if one == other:
            raise BadQuestion("Both ends are one dataset.", path="?to", hint="Name another one.")
        transformations_of = list(column_paths(reader, tenant, flow, [pair]))
        facts = flow_facts(flow, [pair], {}, transformations_of)[pair]
        seen = seen_flows(reader, flow, [pair])[pair]
        job = flow.aliases.canonical(only.id) if only is not None else None
        _check_flows(flow, facts, ends, pair, only, job)
        jobs = {job} if job is not None else facts.jobs
        shapes = _shapes(flow, pair, jobs)
        names = flow.names({one, other, *jobs})
        refs = _refs(names, jobs)
        bodies = flow.applying.bodies({way.shape for way in transformations_of})
        own = [
            way for way in transformations_of if job is None or any(way.shape in listed for listed in shapes.values())
        ]
        now = Flow(reader, tenant, lookup=lookup, window=NOW)
        columns, total = edge_columns(
            flow, own, bodies, now.shapes_into([other])[other], refs, from_column=from_column, to_column=to_column
        )
        jobs_of_edge = _jobs(flow, now, pair, jobs, shapes, refs, own, to_column)
        last_seen = moment(seen.last)
        return Edge(
            source=refs[one],
            target=refs[other],
            as_of=moment(window.as_of),
            current=seen.is_current,
            first_seen=moment(seen.first),
            last_seen=last_seen,
            origins=sorted(facts.origins),
            producers=sorted(row[0] for row in lookup.rows(_PRODUCERS, tenant, _all(shapes, own)))[:_MOST_PRODUCERS],
            masked=facts.masked,
            columns=columns,
            columns_total=total,
            jobs=jobs_of_edge,
            jobs_total=len(jobs),
            explanation=explained(
                columns,
                job=jobs_of_edge[0].job.title if jobs_of_edge else None,
                last_seen=last_seen,
                runs=sum(item.runs_total for item in jobs_of_edge),
                one=from_column is not None or to_column is not None,
            ),
        )


def _check_flows(
    flow: Flow,
    facts: FlowFacts,
    ends: list[Name],
    pair: tuple[bytes, bytes],
    only: Name | None,
    job: bytes | None,
) -> None:
    """Refuse an edge that is not there."""
    there = bool(facts.jobs) or pair[0] in flow.upstream([pair[1]]).get(pair[1], ())
    if not there or (job is not None and job not in facts.jobs):
        through = f" through {only.node_id}" if only is not None else ""
        raise NodeNotFound(
            f"Nothing flows straight from {ends[0].node_id} to {ends[1].node_id}{through}.",
            hint="`paths` finds ways over other datasets.",
        )


def _shapes(flow: Flow, pair: tuple[bytes, bytes], jobs: Collection[bytes]) -> dict[bytes, frozenset[bytes]]:
    """By job, the shapes that apply to flows into the target."""
    into = flow.into([pair[1]])[pair[1]]
    return {job: into[job].shapes for job in jobs if job in into}


def _all(shapes: Mapping[bytes, Collection[bytes]], transformations_of: Collection[ColumnWay]) -> set[bytes]:
    return {shape for listed in shapes.values() for shape in listed} | {way.shape for way in transformations_of}


def _refs(names: Mapping[bytes, Name], jobs: Collection[bytes]) -> dict[bytes, NodeRef]:
    shown = {node: (name.namespace, name.name) for node, name in names.items()}
    title_of = titles({node: name for node, name in shown.items() if node not in jobs})
    title_of |= titles({node: name for node, name in shown.items() if node in jobs}, jobs=jobs)
    return {
        node: NodeRef(
            key=name.key,
            id=text_of(name),
            kind="job" if node in jobs else "dataset",
            namespace=name.namespace,
            name=name.name,
            title=title_of[node][0],
        )
        for node, name in names.items()
    }


def _jobs(
    flow: Flow,
    now: Flow,
    pair: tuple[bytes, bytes],
    jobs: Collection[bytes],
    shapes: Mapping[bytes, frozenset[bytes]],
    refs: Mapping[bytes, NodeRef],
    transformations_of: Collection[ColumnWay],
    to_column: str | None,
) -> list[EdgeJob]:
    about = job_facts(flow, jobs)
    members = {member: job for job in jobs for member in flow.aliases.group(job)}
    sums = resolved(totals_of_jobs(flow.tenant, flow.lookup, members, flow.window).sums, flow, members)
    targets = flow.aliases.group(pair[1])
    current = {job for job, into in now.into([pair[1]])[pair[1]].items() if pair[0] in into.sources}
    wanted = {
        job: {way.target_column for way in transformations_of if way.shape in listed and way.target_column}
        for job, listed in shapes.items()
    }
    if to_column is not None:
        wanted = {job: {to_column} for job in jobs}
    statements = edge_statements(flow, {job: shapes.get(job, frozenset()) for job in jobs}, wanted)
    found = []
    for job in jobs:
        if job not in refs:
            continue
        runs = runs_of_edge(flow.lookup, flow.tenant, shapes.get(job, ()), targets, flow.window.bounds[1])
        figure = sums.get((job, pair[1], int(Role.OUTPUT)), _NOTHING)
        found.append(
            EdgeJob(
                job=refs[job],
                type=about.types.get(job, UNKNOWN_TYPE),
                current=job in current,
                sql=statements.get(job),
                first_run=runs.first,
                last_run=runs.last,
                runs_total=runs.total,
                rows=figure.rows,
                bytes=figure.bytes,
                files=figure.files,
            )
        )
    found.sort(key=lambda item: (item.last_run.at if item.last_run else None) or "", reverse=True)
    return found[:_MOST_JOBS]
