"""Jobs in Marquez' form: inputs, outputs, newest runs, and facets of the current version."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from msgspec import Raw

from headwater.graph.facts import Evidence, NodeKind, Note
from headwater.lineage.entities.hidden import hidden_nodes
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.graph.run_flows import LOOKED_AT, CurrentJob, by_last_event, job_states
from headwater.lineage.marquez.instants import instant, made_id
from headwater.lineage.marquez.logged_event import facet, merged, sent
from headwater.lineage.marquez.parents import JobName, find_job, job_names
from headwater.lineage.marquez.runs import RunView, job_version, load_runs, render_runs, version_id
from headwater.lineage.marquez.view import View
from headwater.openlineage.naming import namespace_id
from headwater.store.read.lists.nodes import NodeFilter
from headwater.store.read.reader import Name

__all__ = [
    "described_by_hand",
    "find_visible_job",
    "job_basics",
    "job_events",
    "job_facets",
    "job_page",
    "references",
    "render_jobs",
]

_LATEST = 10
_AT_ONCE = 200


def find_visible_job(view: View, namespace: str, name: str) -> JobName:
    found = find_job(view, namespace, name)
    if found is None or found.id in hidden_nodes(view.reader, view.tenant):
        raise NodeNotFound(f"Job '{name}' not found.")
    return found


def job_page(
    view: View, namespace: str | None, *, limit: int, offset: int, states: Collection[str] = ()
) -> dict[str, Any]:
    """A page of jobs, by newest event, the newest first."""
    namespace_key = namespace_id(namespace) if namespace is not None else None
    wanted = NodeFilter(kind=NodeKind.JOB, namespace=namespace_key, without=hidden_nodes(view.reader, view.tenant))
    total = view.listing.count_nodes(view.tenant, wanted)
    if states:
        ids = _in_states(view, wanted, states, total, offset + limit)[offset : offset + limit]
    else:
        ids = [job for job, _ in view.listing.newest_jobs(view.tenant, wanted, offset + limit)[offset:]]
    return {"jobs": render_jobs(view, ids), "totalCount": total}


def render_jobs(view: View, ids: list[bytes], *, with_runs: bool = True) -> list[dict[str, Any]]:
    """Jobs in full, in this order."""
    latest = view.activity.latest_runs(view.tenant, ids, _LATEST)
    names, states = job_names(view, ids), job_states(view, ids, latest)
    wanted = {run for runs in latest.values() for run in runs}
    wanted |= {state.version_run for state in states.values() if state.version_run is not None}
    runs = load_runs(view, wanted)
    rendered = render_runs(view, runs, names)
    events = job_events(view, {state.event_shape for state in states.values() if state.event_shape is not None})
    datasets = view.names({it for state in states.values() for it in state.flows.inputs | state.flows.outputs})
    notes = view.notes(ids)
    answer = []
    for job in ids:
        if job not in names:
            continue
        state = states[job]
        own = [rendered[run.run] for run in by_last_event(runs[it].run for it in latest.get(job, ()) if it in runs)]
        facets = job_facets(state, runs, events)
        answer.append(
            {
                **job_basics(
                    names[job], state, datasets, facets, _updated(names[job], state, latest.get(job, []), runs)
                ),
                "latestRun": own[0] if own and with_runs else None,
                "latestRuns": own if with_runs and own else None,
                "facets": sent(facets) if state.version_run or state.version_shape else {},
                "currentVersion": _version(job, state, runs, facets),
                "labels": _labels(facets),
                **described_by_hand(notes.get(job, ())),
                "tags": sorted(note.name for note in notes.get(job, []) if note.kind == "tag" and note.name),
            }
        )
    return answer


def described_by_hand(notes: Iterable[Note]) -> dict[str, str]:
    """A description by hand takes precedence over those of events."""
    texts = [note.value[1] for note in notes if note.kind == "description" and note.value]
    return {"description": texts[0]} if texts else {}


def job_basics(
    name: JobName, state: CurrentJob, datasets: dict[bytes, Name], facets: dict[str, Raw], updated: int
) -> dict[str, Any]:
    """Members of a job that every answer has."""
    location, text = facet(facets, "sourceCodeLocation").get("url"), facet(facets, "documentation").get("description")
    return {
        "id": {"namespace": name.namespace, "name": name.name},
        "type": "STREAM" if state.streaming else "BATCH",
        "name": name.name,
        "simpleName": name.simple,
        "parentJobName": name.parent_name,
        "parentJobUuid": made_id("job", name.parent) if name.parent else None,
        "createdAt": instant(name.first_seen or 0),
        "updatedAt": instant(updated),
        "namespace": name.namespace,
        "inputs": references(state.flows.inputs, datasets),
        "outputs": references(state.flows.outputs, datasets),
        "location": location if isinstance(location, str) else None,
        "description": text if isinstance(text, str) else None,
    }


def job_facets(state: CurrentJob, runs: dict[bytes, RunView], events: dict[bytes, dict[str, Raw]]) -> dict[str, Raw]:
    """The facets of the job: by a job event, and in the run that made its current version, or else its newest run."""
    stated = events.get(state.event_shape or b"", {})
    run = runs.get(state.version_run or state.latest_run or b"")
    if run is None:
        return stated
    return run.job_facets | stated if state.version_shape is not None else stated | run.job_facets


def references(datasets: Collection[bytes], names: dict[bytes, Name]) -> list[dict[str, str]]:
    found = sorted((names[dataset].namespace, names[dataset].name) for dataset in datasets if dataset in names)
    return [{"namespace": namespace, "name": name} for namespace, name in found]


def job_events(view: View, shapes: set[bytes]) -> dict[bytes, dict[str, Raw]]:
    """The facets of job events, by their shapes."""
    last = {item.last: item.shape for item in view.facts(Evidence, shape=shapes) if item.last}
    events = view.stated_at(list(last))
    return {last[stamp]: merged([item.event.job.facets]) for stamp, item in events.items() if item.event.job}


def _updated(name: JobName, state: CurrentJob, runs: list[bytes], known: dict[bytes, RunView]) -> int:
    """Time of the newest event of a job; of a parent, that of its children."""
    heard = max((known[run].updated for run in runs if run in known), default=0)
    return state.updated or heard or name.first_seen or 0


def _version(job: bytes, state: CurrentJob, runs: dict[bytes, RunView], facets: dict[str, Raw]) -> str | None:
    if state.version_shape is not None:
        location = facet(facets, "sourceCodeLocation").get("url")
        return None if state.is_declared else version_id(job, state.flows, location)
    run = runs.get(state.version_run or b"")
    return job_version(run) if run is not None else None


def _labels(facets: dict[str, Raw]) -> list[str]:
    kind = facet(facets, "jobType")
    return [str(kind[key]) for key in ("jobType", "integration") if kind.get(key)]


def _in_states(view: View, wanted: NodeFilter, states: Collection[str], total: int, count: int) -> list[bytes]:
    """The first jobs, up to a limit, that never ran or whose newest run is in one of these states."""
    ids = [job for job, _ in view.listing.newest_jobs(view.tenant, wanted, total)]
    found: list[bytes] = []
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        latest = view.activity.latest_runs(view.tenant, some, LOOKED_AT)
        runs = load_runs(view, {run for own in latest.values() for run in own})
        newest = {job: by_last_event(runs[it].run for it in latest.get(job, ()) if it in runs)[:1] for job in some}
        found += [job for job in some if not newest[job] or runs[newest[job][0].run].state in states]
        if len(found) >= count:
            break
    return found
