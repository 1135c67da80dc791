"""Edges between jobs and datasets as answers show them: direction, amounts, times, transformations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from headwater.graph.current.window import ALWAYS, NOW
from headwater.graph.facts import OutputType, Role
from headwater.lineage.flows.edge_times import seen_between_jobs, seen_edges, seen_flows, seen_members
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.flows.step import Step, node_at
from headwater.openlineage.times import format_time
from headwater.store.read.reader import Reader
from headwater.store.read.runs.totals import Key, Total, totals_of_jobs

__all__ = ["JobEdges", "figure_members", "resolved", "type_names"]

Ends = tuple[str, str]
_NOTHING = Total()
_INPUT, _OUTPUT = int(Role.INPUT), int(Role.OUTPUT)


class JobEdges:
    """The edges of one answer. How an edge is shown is remembered for the next answer."""

    def __init__(self, reader: Reader, flow: Flow, jobs: Collection[bytes], texts: dict[bytes, str]) -> None:
        self._reader, self._flow, self._jobs, self._texts = reader, flow, jobs, texts
        self._tenant, self._window = flow.tenant, ALWAYS if flow.window == NOW else flow.window

    def between(self, pairs: Iterable[tuple[Step, Step]]) -> dict[Ends, dict[str, Any]]:
        """Edges between these (from, to), by the names of both ends; those without a name are left out."""
        jobs, until_next_event = self._jobs, self._flow.until_next_event
        found: dict[Ends, dict[str, Any]] = {}
        flows: list[tuple[bytes, bytes]] = []
        others: dict[bytes, dict[bytes, tuple[bytes, bytes]]] = defaultdict(dict)
        for one, other in pairs:
            source, target = node_at(one), node_at(other)
            reads = target in jobs
            if reads == (source in jobs):
                flows.append((source, target))
                continue
            job = target if reads else source
            ends = source + target
            of_job = until_next_event.get(job)
            shown = None if of_job is None else of_job.get(ends)
            if shown is None:
                others[job][ends] = source, target
            else:
                found[shown[0]] = shown[1]
        self._add_flows(flows, found)
        for job, made in self._timed(others).items() if others else ():
            until_next_event.setdefault(job, {}).update(made)
            found.update(made.values())
        return found

    def _add_flows(self, flows: list[tuple[bytes, bytes]], found: dict[Ends, dict[str, Any]]) -> None:
        """Those that lead through no job."""
        wanted = [(source, target) for source, target in flows if source in self._texts and target in self._texts]
        between_jobs = [edge for edge in wanted if edge[0] in self._jobs]
        seen = seen_flows(self._reader, self._flow, set(wanted) - set(between_jobs)) if wanted else {}
        seen |= seen_between_jobs(self._reader, self._flow, between_jobs) if between_jobs else {}
        for source, target in wanted:
            names = self._texts[source], self._texts[target]
            found[names] = {"from": names[0], "to": names[1], "kind": "FLOW", **seen_members(seen[source, target])}

    def _timed(
        self, wanted: dict[bytes, dict[bytes, tuple[bytes, bytes]]]
    ) -> dict[bytes, dict[bytes, tuple[Ends, dict[str, Any]]]]:
        """By job, each of these edges with its times."""
        known = self._flow.known_edges
        missing = {
            job: {key: edge for key, edge in edges.items() if key not in known.get(job, ())}
            for job, edges in wanted.items()
        }
        missing = {job: edges for job, edges in missing.items() if edges}
        made = self._made(missing) if missing else {}
        seen = seen_edges(self._reader, self._flow, {job: set(edges.values()) for job, edges in wanted.items()})
        found: dict[bytes, dict[bytes, tuple[Ends, dict[str, Any]]]] = {}
        for job, edges in wanted.items():
            remembered, new = known.get(job, {}), made.get(job, {})
            found[job] = {}
            for key, edge in edges.items():
                shown = new.get(key) or remembered.get(key)
                if shown is not None:
                    found[job][key] = shown[0], {**shown[1], **seen_members(seen[edge])}
                    if edge[1] == job and not seen[edge].is_input:
                        found[job][key][1]["kind"] = "REFERENCE"
        return found

    def _made(
        self, wanted: dict[bytes, dict[bytes, tuple[bytes, bytes]]]
    ) -> dict[bytes, dict[bytes, tuple[Ends, dict[str, Any]]]]:
        """By job, each of these edges as it is shown."""
        flow, texts = self._flow, self._texts
        members = {member: job for job in wanted for member in flow.aliases.group(job)}
        figures = totals_of_jobs(self._tenant, flow.lookup, members, self._window)
        sums = resolved(figures.sums, flow, members)
        written = [(job, target) for job, edges in wanted.items() for _, target in edges.values() if target != job]
        types = flow.output_types(written)
        unknown = {members[member] for member in figures.unknown}
        found: dict[bytes, dict[bytes, tuple[Ends, dict[str, Any]]]] = {}
        for job, edges in wanted.items():
            found[job] = made = {}
            for key, (source, target) in edges.items():
                if source not in texts or target not in texts:
                    continue
                names = texts[source], texts[target]
                reads = target == job
                dataset = source if reads else target
                figure = sums.get((job, dataset, _INPUT if reads else _OUTPUT), _NOTHING)
                edge: dict[str, Any] = {
                    "from": names[0],
                    "to": names[1],
                    "kind": "INPUT" if reads else "OUTPUT",
                    **figure_members(figure),
                }
                if not reads:
                    edge["types"] = list(type_names(types.get((job, dataset), 0) | figure.types))
                if job in unknown:
                    edge["unknown"] = True
                made[key] = names, edge
        lasting = {members[member] for member in figures.summed} - {
            job for member, job in members.items() if member not in figures.summed
        }
        flow.keep_edges({job: edges for job, edges in found.items() if job in lasting})
        return found


def figure_members(figure: Total | None) -> dict[str, Any]:
    figure = figure or _NOTHING
    last = None if figure.last_seen is None else format_time(figure.last_seen)
    return {"rows": figure.rows, "bytes": figure.bytes, "files": figure.files, "last_seen": last}


@cache
def type_names(types: int) -> tuple[str, ...]:
    return tuple(member.name for member in OutputType if member & types and member.name)


def resolved(figures: dict[Key, Total], flow: Flow, members: dict[bytes, bytes]) -> dict[Key, Total]:
    """Edges under the shown ids of jobs and datasets; figures of several names of one are added up."""
    if not flow.aliases.any:
        return figures
    flow.aliases.learn({dataset for _, dataset, _ in figures})
    found: dict[Key, Total] = {}
    for (job, dataset, role), figure in figures.items():
        key = members.get(job, job), flow.aliases.canonical(dataset), role
        if key in found:
            found[key].add(figure.rows, figure.bytes, figure.files, figure.types, figure.last_seen)
        else:
            found[key] = figure
    return found
