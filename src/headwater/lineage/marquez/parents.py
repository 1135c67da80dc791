"""Marquez names a job after its parents: `dag.task` below `dag`, and `dag.task.app` for an `app` below that."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from headwater.graph.facts import Evidence, NodeKind, Shape
from headwater.lineage.marquez.view import View
from headwater.openlineage.naming import job_id
from headwater.store.read.reader import Name

__all__ = ["JobName", "find_job", "job_names"]

_LEVELS = 8


class JobName(Struct, frozen=True):
    """A job under the name that Marquez gives it."""

    id: bytes
    namespace: str
    name: str
    simple: str
    parent: bytes | None = None
    parent_name: str | None = None
    first_seen: int | None = None

    @property
    def node_id(self) -> str:
        return f"job:{self.namespace}:{self.name}"


def job_names(view: View, jobs: Collection[bytes]) -> dict[bytes, JobName]:
    """The names of these jobs, with those of their parents in front."""
    parent_of: dict[bytes, bytes] = {}
    level, known = set(jobs), set(jobs)
    for _ in range(_LEVELS):
        found = _parents(view, level)
        parent_of |= found
        level = set(found.values()) - known
        known |= level
        if not level:
            break
    names = view.names(known)
    return {job: _named(job, names, parent_of) for job in jobs if job in names}


def find_job(view: View, namespace: str, name: str) -> JobName | None:
    """The job that is meant: by its own name, or by the one that Marquez gives it."""
    parts = name.split(".")
    suffixes = [".".join(parts[start:]) for start in range(len(parts))]
    ids = {job_id(namespace, suffix): suffix for suffix in suffixes if suffix.strip()}
    there = {job: found for job, found in view.names(list(ids)).items() if found.kind is NodeKind.JOB}
    named = job_names(view, there)
    for job in ids:
        if job in named and named[job].name == name:
            return named[job]
    return named.get(job_id(namespace, name))


def _parents(view: View, jobs: set[bytes]) -> dict[bytes, bytes]:
    """Newest parent of each job."""
    shapes = [shape for shape in view.facts(Shape, job=jobs) if shape.parent_job and shape.job]
    last = {item.shape: item.last or b"" for item in view.facts(Evidence, shape={shape.shape for shape in shapes})}
    shapes.sort(key=lambda shape: last.get(shape.shape, b""))
    return {shape.job: shape.parent_job for shape in shapes if shape.job and shape.parent_job}


def _named(job: bytes, names: dict[bytes, Name], parent_of: dict[bytes, bytes]) -> JobName:
    chain, seen = [job], {job}
    while (parent := parent_of.get(chain[-1])) is not None and parent in names and parent not in seen:
        chain.append(parent)
        seen.add(parent)
        if len(chain) > _LEVELS:
            break
    above: str | None = None
    full = simple = names[chain[-1]].name
    for child in reversed(chain[:-1]):
        above = full
        simple = names[child].name.removeprefix(above + ".")
        full = f"{above}.{simple}"
    own = names[job]
    return JobName(job, own.namespace, full, simple, chain[1] if above is not None else None, above, own.first_seen)
