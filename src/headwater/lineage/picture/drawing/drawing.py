"""Nodes and flows of a picture at its granularity, without hidden ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct, field

from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.applications import applications_of
from headwater.lineage.picture.dataset_steps import Hops
from headwater.lineage.picture.drawing.fold import contract, end_points
from headwater.lineage.picture.drawing.name_filter import matcher
from headwater.lineage.picture.grow import MOST_FLOWS, Grown
from headwater.lineage.picture.options import PictureOptions
from headwater.store.read.reader import Name, Reader

__all__ = ["Drawing", "drawn"]

Edge = tuple[bytes, bytes]


class Drawing(Struct):
    steps: dict[bytes, int]
    """By node that is drawn, its distance from the start."""
    flows: dict[Edge, int]
    """By flow that is drawn, the datasets folded away on it."""
    through: Mapping[Edge, Collection[bytes]]
    """The jobs that flows between datasets lead through."""
    jobs: set[bytes]
    """Nodes that are jobs."""
    names: dict[bytes, Name]
    hidden: set[bytes] = field(default_factory=set)
    nodes_left_out: set[bytes] = field(default_factory=set)
    flows_left_out: int = 0
    applications: dict[bytes, bytes] = field(default_factory=dict)
    """By job that is a part, the application in its place."""
    parts: dict[Edge, set[Edge]] = field(default_factory=dict)
    """By flow from or to an application, those of its parts."""


def drawn(
    reader: Reader,
    flow: Flow,
    options: PictureOptions,
    first: Collection[bytes],
    hops: Mapping[bool, Hops],
    grown: Grown,
    inner: Collection[bytes],
) -> Drawing:
    """`first`: the start, which is always drawn. `inner`: datasets that only its own parts use."""
    steps, flows = dict(grown.steps), dict.fromkeys(grown.flows, 0)
    through = _through(hops, grown)
    left_out = set(grown.left_out)
    if options.granularity in ("JOB", "APPLICATION"):
        _explode(flow, steps, flows, hops, grown, options.limit, left_out)
    flow.classify(steps)
    drawing = Drawing(steps, flows, through, {node for node in steps if flow.is_job(node)}, {}, nodes_left_out=left_out)
    drawing.flows_left_out = len(grown.flows_left_out)
    if options.folds == "applications":
        named = {job for listed in through.values() for job in listed} | drawing.jobs
        drawing.applications = applications_of(flow, named - set(first))
        _merge(drawing)
    drawing.names = flow.names(drawing.steps.keys())
    _hide(reader, flow, options, drawing, first, inner)
    return drawing


def _through(hops: Mapping[bool, Hops], grown: Grown) -> dict[Edge, set[bytes]]:
    found: dict[Edge, set[bytes]] = {}
    for down, nodes in grown.asked.items():
        for node in nodes:
            for edge, jobs in hops[down].jobs_between(node).items():
                if edge in grown.flows:
                    found.setdefault(edge, set()).update(jobs)
    return found


def _explode(
    flow: Flow,
    steps: dict[bytes, int],
    flows: dict[Edge, int],
    hops: Mapping[bool, Hops],
    grown: Grown,
    limit: int,
    left_out: set[bytes],
) -> None:
    """Put jobs between the datasets: also those that only read, or only write."""
    datasets = dict(steps)
    flows.clear()
    for down, nodes in grown.asked.items():
        for node in nodes:
            edges = sorted(hops[down].passed(node))
            ends = {end for edge in edges for end in edge}
            flow.classify(ends)
            for end in sorted(ends):
                if end in steps or not flow.is_job(end):
                    continue
                if len(steps) < limit:
                    steps[end] = datasets[node] + (1 if down else -1)
                else:
                    left_out.add(end)
            flows.update(dict.fromkeys((edge for edge in edges if edge[0] in steps and edge[1] in steps), 0))


def _merge(drawing: Drawing) -> None:
    """Draw each application in place of its parts."""
    into = drawing.applications
    if not into:
        return
    steps: dict[bytes, int] = {}
    for node, step in drawing.steps.items():
        kept = into.get(node, node)
        if kept not in steps or abs(step) < abs(steps[kept]):
            steps[kept] = step
    ends = {edge: (into.get(edge[0], edge[0]), into.get(edge[1], edge[1])) for edge in drawing.flows}
    for edge, merged in ends.items():
        if edge != merged:
            drawing.parts.setdefault(merged, set()).add(edge)
    drawing.flows = {ends[edge]: count for edge, count in drawing.flows.items() if ends[edge][0] != ends[edge][1]}
    drawing.steps = steps
    drawing.jobs = {into.get(node, node) for node in drawing.jobs}
    drawing.through = {edge: {into.get(job, job) for job in jobs} for edge, jobs in drawing.through.items()}


def _hide(
    reader: Reader,
    flow: Flow,
    options: PictureOptions,
    drawing: Drawing,
    first: Collection[bytes],
    inner: Collection[bytes],
) -> None:
    marked = hidden_nodes(reader, flow.tenant, flow.lookup, as_of=options.window.as_of, aliases=flow.aliases)
    hides, names, steps = matcher(options.hide), drawing.names, drawing.steps
    hidden = {
        node
        for node in steps
        if node not in names or node in marked or node in inner or hides(names[node].namespace, names[node].name)
    }
    if options.ends:
        hidden |= steps.keys() - end_points(steps, drawing.flows) - drawing.jobs
        hidden |= drawing.jobs
    hidden -= set(first) & names.keys()
    drawing.through = {edge: set(jobs) - marked for edge, jobs in drawing.through.items()}
    if not hidden:
        return
    drawing.flows, cut = contract(
        steps,
        drawing.flows,
        lambda node: node not in hidden,
        counts=lambda node: node not in drawing.jobs,
        most=MOST_FLOWS,
    )
    drawing.flows_left_out += cut
    drawing.hidden = hidden
    drawing.steps = {node: step for node, step in steps.items() if node not in hidden}
