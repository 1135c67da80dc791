"""The jobs that flows of a picture lead through: type, application, newest run."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.graph.facts import RunStatus
from headwater.lineage.answer.records import UNKNOWN_TYPE
from headwater.lineage.answer.values import moment
from headwater.lineage.entities.run_items import run_id
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.picture.answer import LastRun, PictureJob, state_of
from headwater.lineage.picture.drawing.titles import Title
from headwater.store.read.names import text_of
from headwater.store.read.reader import Name

__all__ = ["JobFacts", "job_facts", "parents_of", "picture_job"]

_RUN_SHAPES = (
    "SELECT s.job, s.job_type, s.parent_job, e.[last] FROM shape s "
    "JOIN evidence e ON e.tenant = s.tenant AND e.shape = s.shape WHERE s.tenant = ? AND s.job {ids} "
    "AND (s.job_type IS NOT NULL OR s.parent_job IS NOT NULL)"
)
_NEWEST = (
    "SELECT n.node, (SELECT r.run FROM run r WHERE r.tenant = n.tenant AND r.job = n.node AND r.first_seen <= ? "
    "ORDER BY r.first_seen DESC, r.run DESC LIMIT 1) FROM node n WHERE n.tenant = ? AND n.node {ids}"
)
_RUNS = "SELECT run, job, job_type, status, ended_at, last_seen FROM run WHERE tenant = ? AND run {ids}"


class JobFacts:
    """Of many jobs, each by the id under which it is shown."""

    def __init__(self) -> None:
        self.types: dict[bytes, str] = {}
        self.parents: dict[bytes, bytes] = {}
        self.runs: dict[bytes, LastRun] = {}


def parents_of(flow: Flow, jobs: Collection[bytes]) -> dict[bytes, bytes]:
    """By job, its parent in the newest event that names one."""
    flow.aliases.learn(jobs)
    members = {member: job for job in jobs for member in flow.aliases.group(job)}
    rows = [row for row in flow.lookup.rows(_RUN_SHAPES, flow.tenant, members) if row[2] is not None]
    flow.aliases.learn({row[2] for row in rows})
    rows.sort(key=lambda row: row[3] or b"")
    shown = {members[row[0]]: flow.aliases.canonical(row[2]) for row in rows}
    return {job: parent for job, parent in shown.items() if parent != job}


def job_facts(flow: Flow, jobs: Collection[bytes]) -> JobFacts:
    """A fixed number of look-ups, however many jobs there are."""
    flow.aliases.learn(jobs)
    members = {member: job for job in jobs for member in flow.aliases.group(job)}
    found = JobFacts()
    rows = flow.lookup.rows(_RUN_SHAPES, flow.tenant, members)
    rows.sort(key=lambda row: row[3] or b"")
    flow.aliases.learn({row[2] for row in rows if row[2] is not None})
    for member, kind, parent, _ in rows:  # the newest last
        job = members[member]
        if kind and (kind != UNKNOWN_TYPE or job not in found.types):
            found.types[job] = kind
        if parent is not None and flow.aliases.canonical(parent) != job:
            found.parents[job] = flow.aliases.canonical(parent)
    newest = {run for _, run in flow.lookup.rows(_NEWEST, flow.tenant, members, before=(flow.window.bounds[1],)) if run}
    latest: dict[bytes, int] = {}
    for run, member, kind, status, ended_at, last_seen in flow.lookup.rows(_RUNS, flow.tenant, newest):
        job = members.get(member, member)
        at = (ended_at if (status or 0) >= RunStatus.SUCCEEDED and ended_at is not None else last_seen) or 0
        if kind and job not in found.types:
            found.types[job] = kind
        if at >= latest.get(job, -1):
            latest[job] = at
            found.runs[job] = LastRun(run=run_id(run), status=state_of(status), at=moment(at or None))
    return found


def picture_job(name: Name, title: Title, facts: JobFacts, names: Mapping[bytes, Name]) -> PictureJob:
    parent = names.get(facts.parents.get(name.id, b""))
    return PictureJob(
        key=name.key,
        id=text_of(name),
        title=title[0],
        rest=title[1],
        namespace=name.namespace,
        name=name.name,
        type=facts.types.get(name.id, UNKNOWN_TYPE),
        application=parent.key if parent is not None else None,
        last_run=facts.runs.get(name.id),
    )
