"""First and last time of edges, and whether they are current: part of the flows as of now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from headwater.graph.current.into import Into
from headwater.graph.current.shape_body import ShapeBody
from headwater.graph.current.window import NOW
from headwater.graph.facts import Role
from headwater.lineage.flows.neighbours import Flow
from headwater.openlineage.identity import stamp_time
from headwater.openlineage.times import format_time
from headwater.store.read.reader import Reader

__all__ = ["Edge", "SeenTimes", "seen_between_jobs", "seen_edges", "seen_flows", "seen_members"]

Edge = tuple[bytes, bytes]
_IN, _OUT, _REFERENCE = int(Role.INPUT), int(Role.OUTPUT), int(Role.REFERENCE)
_OF_JOBS = (
    "SELECT s.job, d.dataset, d.[role], e.first_seen, e.[last] FROM shape s "
    "JOIN shape_dataset d ON d.tenant = s.tenant AND d.shape = s.shape "
    "JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape WHERE s.tenant = ? AND s.job {ids}"
)
_NAMING_JOBS = (
    f"SELECT dataset, shape FROM shape_dataset WHERE tenant = ? AND dataset {{ids}} AND [role] = {int(Role.JOB)}"
)
_MOST_SHAPES = 2_000
"""Shapes of a large job that are looked at for one edge; the newest run is looked at as well."""
_OF_LARGE = (
    "SELECT d.[role], e.first_seen, e.[last] FROM shape_dataset d "
    "JOIN shape s ON s.tenant = d.tenant AND s.shape = d.shape AND s.job = ? "
    "JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    f"WHERE d.tenant = ? AND d.dataset = ? AND d.[role] {{roles}} LIMIT {_MOST_SHAPES}"
)
_OF_DATASETS = (
    "SELECT d.dataset, d.[role], s.job, e.first_seen, e.[last] FROM shape_dataset d "
    "JOIN shape s ON s.tenant = d.tenant AND s.shape = d.shape "
    "JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape "
    f"WHERE d.tenant = ? AND d.dataset {{ids}} AND d.[role] IN ({_IN}, {_OUT}, {_REFERENCE})"
)
_FEW = 20
"""Edges of a large job that are looked up one by one."""
_PAIRS = "SELECT reader, writer, first_seen, [last] FROM shape_pair WHERE tenant = ? AND writer {ids}"


class SeenTimes(Struct, gc=False):
    first: int | None = None
    last: int | None = None
    is_current: bool = True
    is_input: bool = False
    """Whether an event names the source as an input, and not only as the source of a column."""

    def add(self, first: int | None, last: int | None) -> None:
        if first is not None and (self.first is None or first < self.first):
            self.first = first
        if last is not None and (self.last is None or last > self.last):
            self.last = last


def seen_edges(reader: Reader, flow: Flow, edges: Mapping[bytes, Collection[Edge]]) -> dict[Edge, SeenTimes]:
    """By job, its edges: from inputs to the job, and from the job to outputs."""
    found = {edge: SeenTimes() for listed in edges.values() for edge in listed}
    _add_times(flow, edges, found)
    now = Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    gone = now.dropped({end for job, listed in edges.items() for edge in listed for end in edge if end != job})
    unsure = {job: listed for job, listed in edges.items() if not flow.is_simple(job)}
    current = _current_of(flow, now, unsure)
    for job, listed in edges.items():
        for edge in listed:
            is_there = edge[0] not in gone and edge[1] not in gone
            found[edge].is_current = is_there and (job not in unsure or edge in current)
    return found


def _add_times(flow: Flow, edges: Mapping[bytes, Collection[Edge]], found: Mapping[Edge, SeenTimes]) -> None:
    members = {member: job for job in edges for member in flow.aliases.group(job)}
    large = flow.large(members)
    shown = flow.aliases.canonical
    rows = flow.lookup.rows(_OF_JOBS, flow.tenant, members.keys() - large)
    flow.aliases.learn({row[1] for row in rows})
    for member, dataset, role, first, last in rows:
        job, node = members[member], shown(dataset)
        edge = (job, node) if role == _OUT else (node, job) if role in (_IN, _REFERENCE) else None
        seen = found.get(edge) if edge is not None else None
        if seen is not None:
            seen.add(first, stamp_time(last) if last is not None else None)
            seen.is_input = seen.is_input or role == _IN
    _add_times_of_large(flow, edges, {member: members[member] for member in large}, found)
    _add_times_by_hand(flow, members, found)


def _add_times_by_hand(flow: Flow, members: Mapping[bytes, bytes], found: Mapping[Edge, SeenTimes]) -> None:
    """Adds times of edges that people stated of jobs."""
    stated = [edge for down in (True, False) for edge in flow.applying.by_hand.at(members, down=down) if edge.stated]
    flow.aliases.learn({end for edge in stated for end in (edge.source, edge.target)})
    shown = flow.aliases.canonical
    for edge in stated:
        seen = found.get((shown(edge.source), shown(edge.target)))
        if seen is not None:
            seen.add(edge.first_seen, edge.stated_at)
            seen.is_input = seen.is_input or edge.into_job


def _add_times_of_large(
    flow: Flow, edges: Mapping[bytes, Collection[Edge]], members: Mapping[bytes, bytes], found: Mapping[Edge, SeenTimes]
) -> None:
    """One by one for a few edges, since a dataset that many jobs share has many rows; many edges at once."""
    many = {member: job for member, job in members.items() if len(edges[job]) > _FEW}
    ends = {end: end for job in many.values() for edge in edges[job] for end in edge if end != job}
    ends = {member: end for end in ends for member in flow.aliases.group(end)}
    for dataset, role, member, first, last in flow.lookup.rows(_OF_DATASETS, flow.tenant, ends) if ends else ():
        job = many.get(member)
        if job is not None:
            edge = (job, ends[dataset]) if role == _OUT else (ends[dataset], job)
            _add(found, edge, first, last)
            if edge in found:
                found[edge].is_input = found[edge].is_input or role == _IN
    for member in members.keys() - many.keys():
        for source, target in edges[members[member]]:
            reads = target == members[member]
            sql = _OF_LARGE.format(roles=f"IN ({_IN}, {_REFERENCE})" if reads else f"= {_OUT}")
            for dataset in flow.aliases.group(source if reads else target):
                for role, first, last in flow.lookup.all(sql, member, flow.tenant, dataset):
                    _add(found, (source, target), first, last)
                    found[source, target].is_input = found[source, target].is_input or role == _IN


def _current_of(flow: Flow, now: Flow, edges: Mapping[bytes, Collection[Edge]]) -> set[Edge]:
    """Those of these edges that are part of the flows as of now."""
    if not edges:
        return set()
    found: set[Edge] = set()
    written = {target for job, listed in edges.items() for source, target in listed if source == job}
    into = _as_of_now(flow, now, written)
    found |= {(job, target) for target, jobs in into.items() for job in jobs}
    reading = [(source, job) for job, listed in edges.items() for source, target in listed if target == job]
    targets = flow.targets_of(reading)
    into = _as_of_now(flow, now, {target for fed in targets.values() for target in fed})
    for (source, job), fed in targets.items():
        if any(job in into[target] and source in into[target][job].sources for target in fed):
            found.add((source, job))
    rest = {job for job, listed in edges.items() if not found.issuperset(listed)}
    for job, bodies in now.applying.of_jobs({job: now.aliases.group(job) for job in rest}).items():
        ends = {end for body in bodies for end in (*body.reads, *body.references)}
        outputs = {part.dataset for body in bodies for part in body.outputs}
        now.aliases.learn(ends | outputs)
        found |= {(now.aliases.canonical(end), job) for end in ends}
        found |= {(job, now.aliases.canonical(end)) for end in outputs}
    return found


def _as_of_now(flow: Flow, now: Flow, targets: Collection[bytes]) -> dict[bytes, Mapping[bytes, Into]]:
    """Flows into datasets as of now; looked up only where the deciding run matters."""
    if not flow.window.is_always:
        return now.into(targets)
    always = flow.into(targets)
    unsure = {target for target, jobs in always.items() if not all(into.is_settled for into in jobs.values())}
    return {**always, **now.into(unsure)}


def seen_flows(reader: Reader, flow: Flow, edges: Collection[Edge]) -> dict[Edge, SeenTimes]:
    """Flows from dataset to dataset, whatever jobs they lead through."""
    found = {edge: SeenTimes(is_current=False) for edge in edges}
    targets = {target for _, target in found}
    into = flow.into(targets)
    shapes = {target: set[bytes]() for target in targets}
    for target, jobs in into.items():
        for flowing in jobs.values():
            shapes[target] |= flowing.shapes
    writers = {shape for listed in shapes.values() for shape in listed}
    times = {shape: (first, last) for shape, first, last in flow.applying.times(writers)}
    pairs: dict[bytes, list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for one, writer, first, last in flow.lookup.rows(_PAIRS, flow.tenant, writers):
        pairs[writer].append((one, first, last))
    bodies = flow.applying.bodies(writers | {one for listed in pairs.values() for one, _, _ in listed})
    flow.aliases.learn({end for body in bodies.values() for end in _sources(body)})
    shown = flow.aliases.canonical
    for target, listed in shapes.items():
        for shape in listed:
            if shape not in bodies:
                continue
            own = {shown(end) for end in _sources(bodies[shape])}
            first, last = times.get(shape, (None, None))
            for source in own:
                _add(found, (source, target), first, last)
            for one, pair_first, pair_last in pairs.get(shape, ()):
                for source in {shown(end) for end in _sources(bodies[one])} if one in bodies else ():
                    _add(found, (source, target), pair_first, pair_last)
    _stated(flow, found, targets)
    now = Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    gone = now.dropped({end for edge in found for end in edge})
    for target, jobs in _as_of_now(flow, now, targets).items():
        for flowing in jobs.values():
            for source in flowing.sources:
                if (source, target) in found:
                    found[source, target].is_current = True
    for edge, seen in found.items():
        seen.is_current = seen.is_current and gone.isdisjoint(edge)
    return found


def seen_between_jobs(reader: Reader, flow: Flow, edges: Collection[Edge]) -> dict[Edge, SeenTimes]:
    """From job to job, as `lineage` facets state it."""
    found = {edge: SeenTimes(is_current=False) for edge in edges}
    named = {member for edge in edges for end in edge for member in flow.aliases.group(end)}
    shapes = {shape for _, shape in flow.lookup.rows(_NAMING_JOBS, flow.tenant, named)}
    bodies = flow.applying.bodies(shapes)
    flow.aliases.learn({end for body in bodies.values() for edge in body.direct for end in edge})
    now = Flow(reader, flow.tenant, lookup=flow.lookup, window=NOW)
    doers = {body.job for body in bodies.values() if body.job is not None}
    now.aliases.learn(doers)
    groups = {now.aliases.canonical(job): now.aliases.group(job) for job in doers}
    counting = {body.shape for listed in now.applying.of_jobs(groups).values() for body in listed}
    shown = flow.aliases.canonical
    for shape, first, last in flow.applying.times(bodies):
        for source, target in bodies[shape].direct:
            edge = shown(source), shown(target)
            _add(found, edge, first, last)
            if edge in found and shape in counting:
                found[edge].is_current = True
    return found


def _stated(flow: Flow, found: Mapping[Edge, SeenTimes], targets: Collection[bytes]) -> None:
    """Flows of dataset events: current until a newer one states otherwise."""
    groups = {target: flow.aliases.group(target) for target in targets}
    bodies = {body.shape: body for listed in flow.applying.of_datasets(groups).values() for body in listed}
    if not bodies:
        return
    flow.aliases.learn({end for body in bodies.values() for edge in body.edges for end in edge})
    shown = flow.aliases.canonical
    for shape, first, last in flow.applying.times(bodies):
        for source, target in bodies[shape].edges:
            edge = shown(source), shown(target)
            if edge in found:
                _add(found, edge, first, last)
                found[edge].is_current = True


def seen_members(seen: SeenTimes) -> dict[str, Any]:
    """First and last time of an edge, and whether it is part of the flows as of now."""
    return {
        "first_seen": None if seen.first is None else format_time(seen.first),
        "last_seen": None if seen.last is None else format_time(seen.last),
        "current": seen.is_current,
    }


def _sources(body: ShapeBody) -> Iterable[bytes]:
    yield from body.reads
    yield from body.references
    yield from (source for source, _ in body.edges)


def _add(found: Mapping[Edge, SeenTimes], edge: Edge, first: int | None, last: bytes | None) -> None:
    seen = found.get(edge)
    if seen is not None:
        seen.add(first, stamp_time(last) if last is not None else None)
