"""A drawing as it is answered."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from headwater.graph.annotations.described import Described
from headwater.graph.annotations.notes import PERSON
from headwater.graph.current.window import NOW
from headwater.lineage.answer.values import moment
from headwater.lineage.flows.edge_times import SeenTimes, seen_edges, seen_flows
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.answer import ColumnEdge, More, PictureFlow, PictureJob, PictureNode, WayKind
from headwater.lineage.picture.columns import Lit, column_edges, picture_columns
from headwater.lineage.picture.dataset_steps import Hops
from headwater.lineage.picture.drawing.drawing import Drawing
from headwater.lineage.picture.drawing.titles import titles
from headwater.lineage.picture.flows import ColumnWay, FlowFacts, column_paths, flow_facts
from headwater.lineage.picture.jobs import job_facts, picture_job
from headwater.lineage.picture.nodes import dataset_facts, dataset_node, job_node
from headwater.lineage.picture.options import PictureOptions
from headwater.store.read.reader import Reader

__all__ = ["Rendered", "rendered"]

Edge = tuple[bytes, bytes]
_MOST_VIA, _MOST_JOBS = 50, 2_000
_KINDS: tuple[WayKind, ...] = ("DIRECT", "INDIRECT", "UNKNOWN")


class Rendered(Struct):
    nodes: list[PictureNode]
    flows: list[PictureFlow]
    jobs: list[PictureJob]
    columns: list[ColumnEdge]
    columns_left_out: int = 0


def rendered(
    reader: Reader,
    flow: Flow,
    options: PictureOptions,
    drawing: Drawing,
    hops: Mapping[bool, Hops],
    lit: Lit | None,
) -> Rendered:
    pairs = {edge for edge, folded in drawing.flows.items() if not folded}
    between = {pair for pair in pairs if drawing.jobs.isdisjoint(pair)}
    neighbour_facts = pairs - between
    datasets = [node for node in drawing.steps if node not in drawing.jobs]
    looked = between | _pairs_of_jobs(neighbour_facts, drawing.jobs)
    if options.columns != "none" and not options.columns_of:
        looked |= {(dataset, dataset) for dataset in datasets}  # a job may read what it writes
    shortest = list(column_paths(reader, flow.tenant, flow, looked))
    facts = flow_facts(flow, between, {pair: drawing.through.get(pair, ()) for pair in between}, shortest)
    for known in facts.values():
        known.jobs = {drawing.applications.get(job, job) for job in known.jobs}
    jobs_of = _jobs_of(flow, shortest, drawing)
    facts |= _facts_of_neighbours(flow, neighbour_facts, drawing, shortest, jobs_of)
    seen = _seen(reader, flow, between, neighbour_facts, drawing)
    named = _ordered_jobs(facts, drawing.jobs)
    names = drawing.names | flow.names([job for job in named if job not in drawing.names])
    about = job_facts(flow, [job for job in named if job in names])
    names |= flow.names([job for job in about.parents.values() if job not in names])
    keys = {node: name.key for node, name in names.items()}
    title_of = titles({node: (names[node].namespace, names[node].name) for node in datasets if node in names})
    title_of |= titles({node: (names[node].namespace, names[node].name) for node in named if node in names}, jobs=named)
    details = dataset_facts(reader, flow, datasets)
    more = _more(drawing, hops)
    nodes: list[PictureNode] = []
    for node, step in drawing.steps.items():
        if node in drawing.jobs:
            shown = job_node(names[node], title_of[node], step, more[node], Described())
            shown.state = about.runs[node].status if node in about.runs else None
        else:
            shown = dataset_node(names[node], title_of[node], step, more[node], details)
            if _tells_columns(options, shown.key):
                own = {column for dataset, column in lit.columns if dataset == node} if lit is not None else set()
                shown.columns = picture_columns(
                    node,
                    details.columns.get(node, {}),
                    details.described.get(node) or Described(),
                    own,
                    only_lit=lit is not None,
                )
        nodes.append(shown)
    flows = [
        _flow(edge, folded, facts.get(edge) or FlowFacts(), seen.get(edge), keys)
        for edge, folded in drawing.flows.items()
    ]
    told_ways = [way for way in shortest if any(_tells_columns(options, keys[end]) for end in way.pair)]
    columns, cut = ([], 0) if options.columns == "none" else _columns(reader, flow, told_ways, keys, jobs_of, lit)
    if lit is not None:
        cut += lit.left_out + sum(1 for dataset, column in lit.columns if column and dataset not in drawing.steps)
    shown_jobs = [picture_job(names[job], title_of[job], about, names) for job in named if job in names]
    nodes.sort(key=lambda node: (node.step, node.title, node.key))
    flows.sort(key=lambda shown: (shown.source, shown.target))
    return Rendered(nodes, flows, shown_jobs, columns, cut)


def _tells_columns(options: PictureOptions, key: str) -> bool:
    return options.columns != "none" and (not options.columns_of or key in options.columns_of)


def _pairs_of_jobs(neighbour_facts: Collection[Edge], jobs: Collection[bytes]) -> set[Edge]:
    """Between which datasets columns may flow through jobs that are nodes."""
    into: dict[bytes, set[bytes]] = {}
    out: dict[bytes, set[bytes]] = {}
    for source, target in neighbour_facts:
        if target in jobs:
            into.setdefault(target, set()).add(source)
        if source in jobs:
            out.setdefault(source, set()).add(target)
    return {(source, target) for job in into.keys() & out.keys() for source in into[job] for target in out[job]}


def _jobs_of(flow: Flow, shortest: Collection[ColumnWay], drawing: Drawing) -> dict[bytes, bytes]:
    """By shape, its job; the application in its place, where those are drawn."""
    bodies = flow.applying.bodies({way.shape for way in shortest})
    found = {shape: body.job for shape, body in bodies.items() if body.job is not None}
    flow.aliases.learn(found.values())
    shown = {shape: flow.aliases.canonical(job) for shape, job in found.items()}
    return {shape: drawing.applications.get(job, job) for shape, job in shown.items()}


def _facts_of_neighbours(
    flow: Flow,
    edges: Collection[Edge],
    drawing: Drawing,
    shortest: Collection[ColumnWay],
    jobs_of: Mapping[bytes, bytes],
) -> dict[Edge, FlowFacts]:
    """Of flows from datasets to jobs and back."""
    found = {edge: FlowFacts(jobs={end for end in edge if end in drawing.jobs}) for edge in edges}
    for way in shortest:
        job = jobs_of.get(way.shape)
        for edge in ((way.pair[0], job), (job, way.pair[1])) if job is not None else ():
            if edge in found:
                found[edge].add(way)
    written = flow.into({target for source, target in edges if source in drawing.jobs and target not in drawing.jobs})
    for source, target in edges:
        known = written.get(target, {}).get(source)
        if known is not None:
            bodies = flow.applying.bodies(known.shapes)
            found[source, target].origins = {body.origin for body in bodies.values() if body.origin}
    stated, _ = flow.edges_by_hand({target for _, target in edges})
    for (one, _), (other, _) in stated:
        if (one, other) in found:
            found[one, other].origins.add(PERSON)
    return found


def _seen(
    reader: Reader, flow: Flow, between: Collection[Edge], neighbour_facts: Collection[Edge], drawing: Drawing
) -> dict[Edge, SeenTimes]:
    found = seen_flows(reader, flow, between) if between else {}
    jobs = drawing.jobs | drawing.applications.keys()
    of_jobs: dict[bytes, set[Edge]] = {}
    for edge in neighbour_facts:
        for source, target in {edge, *drawing.parts.get(edge, ())}:
            if (source in jobs) != (target in jobs):
                of_jobs.setdefault(source if source in jobs else target, set()).add((source, target))
    found |= seen_edges(reader, flow, of_jobs) if of_jobs else {}
    for edge in neighbour_facts & drawing.parts.keys():
        found[edge] = _together([found[part] for part in drawing.parts[edge] if part in found])
    return found


def _together(parts: Collection[SeenTimes]) -> SeenTimes:
    """When the parts of an application did the same, as the application did it."""
    merged = SeenTimes(is_current=any(part.is_current for part in parts), is_input=any(part.is_input for part in parts))
    for part in parts:
        merged.add(part.first, part.last)
    return merged


def _ordered_jobs(facts: Mapping[Edge, FlowFacts], drawn: Collection[bytes]) -> list[bytes]:
    named = {job for known in facts.values() for job in sorted(known.jobs)[:_MOST_VIA]}
    return sorted({*list(named)[:_MOST_JOBS], *drawn})


def _more(drawing: Drawing, hops: Mapping[bool, Hops]) -> dict[bytes, More]:
    """How many neighbours are not in the picture; those that are hidden do not count."""
    nodes, known = list(drawing.steps), drawing.steps.keys() | drawing.hidden
    found = {down: hops[down](nodes) for down in (True, False)}
    return {
        node: More(*(sum(other not in known for other in found[down][node]) for down in (False, True)))
        for node in nodes
    }


def _columns(
    reader: Reader,
    flow: Flow,
    shortest: list[ColumnWay],
    keys: Mapping[bytes, str],
    jobs_of: Mapping[bytes, bytes],
    lit: Lit | None,
) -> tuple[list[ColumnEdge], int]:
    now = flow if flow.window == NOW else Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    current = now.shapes_into({way.pair[1] for way in shortest})
    return column_edges(shortest, keys, jobs_of, current, lit)


def _flow(edge: Edge, folded: int, facts: FlowFacts, seen: SeenTimes | None, keys: Mapping[bytes, str]) -> PictureFlow:
    jobs = sorted(job for job in facts.jobs if job in keys and job not in edge)
    return PictureFlow(
        source=keys[edge[0]],
        target=keys[edge[1]],
        via=[keys[job] for job in jobs[:_MOST_VIA]],
        via_total=len(jobs),
        kinds=[kind for kind in _KINDS if kind in facts.kinds] or ["UNKNOWN"],
        masked=facts.masked,
        current=seen.is_current if seen is not None else True,
        first_seen=moment(seen.first) if seen is not None else None,
        last_seen=moment(seen.last) if seen is not None else None,
        columns_total=len(facts.columns),
        origins=sorted(facts.origins),
        through=folded,
    )
