"""The graph around a dataset or job: jobs that share a dataset are neighbours, whichever way the data flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from headwater.deadline import cut
from headwater.graph.facts import NodeKind
from headwater.graph.walk import walk
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.entities.retracted import retracted_since
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import load_datasets
from headwater.lineage.marquez.graph.node_ids import NodeId, parse_node_id
from headwater.lineage.marquez.graph.run_flows import CurrentJob, job_states
from headwater.lineage.marquez.jobs import described_by_hand, job_basics, job_events, job_facets
from headwater.lineage.marquez.logged_event import dataset_id
from headwater.lineage.marquez.parents import find_job, job_names
from headwater.lineage.marquez.runs import RunView, load_runs, render_runs
from headwater.lineage.marquez.version.event_datasets import facets_of, lifecycle_of
from headwater.lineage.marquez.view import View
from headwater.openlineage.naming import dataset_name, is_exact
from headwater.store.read.lists.newest_jobs import OWN
from headwater.store.read.lookup import Lookup
from headwater.store.read.reader import Name

__all__ = ["marquez_lineage"]

_NODES = 10_000
_RETRACTED = "RETRACTED"
_BADGES = frozenset(("datasetVersion", "dataSource", "gitdataProvenance", "lifecycleStateChange"))


class Neighbours:
    """Neighbours of nodes. Records of jobs are cached for one question."""

    def __init__(self, view: View, *, producers_only: bool = False) -> None:
        self._view, self._producers_only = view, producers_only
        self._hidden = hidden_nodes(view.reader, view.tenant)
        self.states: dict[bytes, CurrentJob] = {}

    def __call__(self, nodes: list[bytes]) -> dict[bytes, set[bytes]]:
        """Jobs next to datasets, datasets next to jobs; a level of the walk holds one kind."""
        jobs = self._jobs_of([node for node in nodes if node not in self.states])
        found: dict[bytes, set[bytes]] = {}
        for node in nodes:
            if node in self.states:
                flows = self.states[node].flows
                found[node] = set(flows.inputs | flows.outputs) - self._hidden
            else:
                found[node] = jobs[node]
        return found

    def learn(self, jobs: set[bytes]) -> None:
        unknown = jobs - set(self.states) - self._hidden
        if unknown:
            self.states |= job_states(self._view, unknown, producers_only=self._producers_only)

    def main_job(self, dataset: bytes) -> bytes | None:
        """The job at which Marquez begins for a dataset: the last that wrote it, else the last that read it."""
        jobs = self._jobs_of([dataset])[dataset]
        return max(
            jobs,
            key=lambda job: (dataset in self.states[job].flows.outputs, self.states[job].updated, job),
            default=None,
        )

    def _jobs_of(self, datasets: list[bytes]) -> dict[bytes, set[bytes]]:
        """Jobs whose current version reads or writes a dataset."""
        members = self._view.members(datasets)
        candidates: dict[bytes, set[bytes]] = defaultdict(set)
        for dataset, job in self._view.listing.jobs_using(self._view.tenant, list(members), _NODES):
            candidates[members[dataset]].add(job)
        self.learn({job for found in candidates.values() for job in found})
        return {dataset: {job for job in candidates[dataset] if self._uses(job, dataset)} for dataset in datasets}

    def _uses(self, job: bytes, dataset: bytes) -> bool:
        state = self.states.get(job)
        return state is not None and (dataset in state.flows.inputs or dataset in state.flows.outputs)


def marquez_lineage(view: View, text: str, depth: int, *, producers_only: bool = False) -> dict[str, Any]:
    """Everything within this number of jobs around a dataset or job; or around nodes of producers' events."""
    start = _start(view, text)
    neighbours = Neighbours(view, producers_only=producers_only)
    if start.kind is NodeKind.JOB:
        neighbours.learn({start.id})
        first: bytes | None = start.id
    else:
        first = neighbours.main_job(start.id)
    reached = {start.id}
    if first is not None:  # depth counts jobs from the first one on
        found = walk([first], neighbours, depth=2 * depth + 1, node_limit=_NODES)
        reached |= set(found.depths)
        if found.truncated:
            cut()
    jobs = reached & set(neighbours.states)
    return {"graph": _render(view, jobs, reached - jobs, neighbours.states)}


def _start(view: View, text: str) -> Name:
    node = parse_node_id(text)
    if node is None or node.type not in ("dataset", "job"):
        raise NodeNotFound(f"Node '{text}' must be of type dataset or job!")
    hidden = hidden_nodes(view.reader, view.tenant)
    for namespace, name in node.readings:
        if node.type == "job":
            job = find_job(view, namespace, name)
            if job is not None and job.id not in hidden:
                return Name(job.id, NodeKind.JOB, job.namespace, job.name, OWN, job.first_seen)
        else:
            wanted = dataset_name(namespace, name).id
            shown = view.shown([wanted])[wanted]
            found = view.names([shown]).get(shown)
            if found is not None and found.seen & OWN and found.id not in hidden:
                return found
    raise NodeNotFound(_missing(node))


def _missing(node: NodeId) -> str:
    return f"{'Job' if node.type == 'job' else 'Dataset'} '{node.readings[0][1]}' not found."


def _render(
    view: View, jobs: set[bytes], datasets: set[bytes], states: dict[bytes, CurrentJob]
) -> list[dict[str, Any]]:
    names = view.names(datasets)
    named = job_names(view, jobs)
    dataset_ids = {dataset: name.node_id for dataset, name in names.items()}
    shown = set(names)
    incoming: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
    outgoing: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
    for job, name in named.items():
        for dataset in states[job].flows.inputs & shown:
            incoming[job].append((dataset_ids[dataset], name.node_id))
            outgoing[dataset].append((dataset_ids[dataset], name.node_id))
        for dataset in states[job].flows.outputs & shown:
            outgoing[job].append((name.node_id, dataset_ids[dataset]))
            incoming[dataset].append((name.node_id, dataset_ids[dataset]))
    runs = load_runs(view, {it for job in jobs for it in (states[job].latest_run, states[job].version_run) if it})
    events = job_events(view, {shape for job in jobs if (shape := states[job].event_shape) is not None})
    latest = {states[job].latest_run for job in jobs}
    rendered = render_runs(view, {run: item for run, item in runs.items() if run in latest}, named)
    notes = view.notes(jobs)
    data: dict[bytes, tuple[str, str, dict[str, Any]]] = {}
    for job, name in named.items():
        state = states[job]
        run = state.latest_run
        basics = job_basics(name, state, names, job_facets(state, runs, events), state.updated or name.first_seen or 0)
        run_members: dict[str, Any] = {
            "currentRunUuid": str(UUID(bytes=run)) if run else None,
            "latestRun": rendered.get(run or b""),
        }
        data[job] = name.node_id, "JOB", basics | run_members | described_by_hand(notes.get(job, ()))
    badges = _badges(view, [name for name in names.values() if is_exact(name.namespace)], runs)
    for item in load_datasets(view, list(names.values()), with_facets=False):
        more: dict[str, Any] = {
            "tags": [],
            "lastModifiedAt": None,
            "description": item.description,
            "lastLifecycleState": lifecycle_of(item.mentions.current),
        } | badges.get(item.name.id, {})
        data[item.name.id] = item.name.node_id, "DATASET", item.basics() | more
    found = [
        {
            "id": node_id,
            "type": kind,
            "data": members,
            "inEdges": _edges(incoming[node]),
            "outEdges": _edges(outgoing[node]),
        }
        for node, (node_id, kind, members) in data.items()
    ]
    return sorted(found, key=lambda node: str(node["id"]))


def _badges(view: View, names: list[Name], runs: Mapping[bytes, RunView]) -> dict[bytes, dict[str, Any]]:
    """Facets of overlay datasets, also of an aborted publish, and whether the version was recalled.

    Facets of a run, which have its proof, are shown with the run.
    """
    if not names:
        return {}
    aborted = {
        dataset_id(output): output.facets
        for item in runs.values()
        for logged in item.events
        for output in logged.event.outputs
        if is_exact(output.namespace)
    }
    members: dict[bytes, set[bytes]] = {name.id: {name.id} for name in names}
    retracted = retracted_since(view.tenant, Lookup(view.reader.engine), members)
    found = {}
    for item in load_datasets(view, names):
        stated = facets_of(item.mentions.current) or aborted.get(item.name.id, {})
        badges: dict[str, Any] = {"facets": {name: raw for name, raw in stated.items() if name in _BADGES}}
        found[item.name.id] = badges | ({"lastLifecycleState": _RETRACTED} if item.name.id in retracted else {})
    return found


def _edges(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"origin": origin, "destination": destination} for origin, destination in sorted(pairs)]
