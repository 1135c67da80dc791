"""Which way data flows: from datasets into jobs and out of them again.

A job with two outputs may have said, in a `lineage` facet, which input feeds which. So a walk does not arrive at a job
as such but at a job on behalf of a dataset (`Step`), and leaves it only towards what that dataset has to do with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from headwater.graph.facts import Evidence, Role, Shape, ShapeDataset, ShapeEdge
from headwater.openlineage.event import EventKind
from headwater.store.aliases import Aliases
from headwater.store.read import Reader

__all__ = ["Flow", "Step"]


class Step(NamedTuple):
    """A dataset; or a job, reached on behalf of a dataset, or (via is None) for its own sake."""

    node: bytes
    via: bytes | None = None


class _Job:
    """What all current shapes of a job say together; datasets by the id under which they are shown."""

    def __init__(self) -> None:
        self.inputs: set[bytes] = set()
        self.outputs: set[bytes] = set()
        self.explicit: set[bytes] = set()
        self.edges: set[tuple[bytes, bytes]] = set()

    def sources(self, target: bytes | None) -> set[bytes]:
        """What flows into one output, or (None) into the job."""
        if target is None:
            return self.inputs | {source for source, _ in self.edges}
        stated = {source for source, other in self.edges if other == target}
        return stated if target in self.explicit else stated | self.inputs

    def targets(self, source: bytes | None) -> set[bytes]:
        """Where one input flows to, or (None) what the job writes."""
        if source is None:
            return self.outputs | {target for _, target in self.edges}
        stated = {target for other, target in self.edges if other == source}
        return stated | (self.outputs - self.explicit if source in self.inputs else set())


class Flow:
    """The neighbours of datasets and jobs, for one question. All names of a dataset are one node."""

    def __init__(self, reader: Reader, tenant: int) -> None:
        self._reader, self._tenant = reader, tenant
        self.aliases = Aliases(reader, tenant)
        self._jobs: dict[bytes, _Job] = {}

    def downstream(self, steps: list[Step]) -> Mapping[Step, set[Step]]:
        """Jobs that read a dataset; datasets that a job writes."""
        return self._neighbours(steps, near=Role.INPUT, down=True)

    def upstream(self, steps: list[Step]) -> Mapping[Step, set[Step]]:
        """Jobs that write a dataset; datasets that a job reads."""
        return self._neighbours(steps, near=Role.OUTPUT, down=False)

    def _neighbours(self, steps: list[Step], *, near: Role, down: bool) -> Mapping[Step, set[Step]]:
        nodes = {step.node for step in steps}
        self.aliases.learn(nodes)
        members = {member: node for node in nodes for member in self.aliases.group(node)}
        touching = self._reader.facts(self._tenant, ShapeDataset, dataset=set(members))
        shapes = self._current(self._reader.facts(self._tenant, Shape, shape={part.shape for part in touching}))
        jobs: dict[bytes, set[bytes]] = defaultdict(set)
        stated: dict[bytes, bytes] = {}
        for part in touching:
            shape = shapes.get(part.shape)
            if shape is None:
                continue
            roles = (near, Role.REFERENCE) if down else (near,)
            if shape.job is not None and part.role in roles:
                jobs[members[part.dataset]].add(shape.job)
            elif shape.job is None or part.role == Role.JOB:
                stated[shape.shape] = shape.job or b""
        own = self._load({step.node for step in steps} | {job for found in jobs.values() for job in found})
        found: dict[Step, set[Step]] = {}
        directly = self._stated(stated, members, down=down)
        for step in steps:
            doer = own.get(self.aliases.canonical(step.node))
            reached = {Step(other, step.node if other in own else None) for other in directly[step.node]}
            if doer is not None:
                others = doer.targets(step.via) if down else doer.sources(step.via)
                reached |= {Step(other) for other in others}
            else:
                reached |= {Step(self.aliases.canonical(job), step.node) for job in jobs[step.node]}
            found[step] = {other for other in reached if other.node != step.node}
        return found

    def _load(self, nodes: set[bytes]) -> dict[bytes, _Job]:
        """What the jobs among these nodes do, by the id under which a job is shown."""
        unknown = {node for node in nodes if node not in self._jobs}
        self.aliases.learn(unknown)
        members = {member for node in unknown for member in self.aliases.group(node)}
        shapes = self._current(self._reader.facts(self._tenant, Shape, job=members))
        parts = self._reader.facts(self._tenant, ShapeDataset, shape=set(shapes))
        edges = self._reader.facts(self._tenant, ShapeEdge, shape=set(shapes))
        self.aliases.learn(
            [part.dataset for part in parts] + [end for edge in edges for end in (edge.source, edge.target)]
        )
        shown = self.aliases.canonical
        for shape in shapes.values():
            self._jobs.setdefault(shown(shape.job or b""), _Job())
        for part in parts:
            job = self._jobs[shown(shapes[part.shape].job or b"")]
            if part.role == Role.INPUT:
                job.inputs.add(shown(part.dataset))
            elif part.role == Role.OUTPUT:
                job.outputs.add(shown(part.dataset))
                if part.explicit:
                    job.explicit.add(shown(part.dataset))
        for edge in edges:
            owner = shown(shapes[edge.shape].job or b"")
            source, target = shown(edge.source), shown(edge.target)
            if target == owner:
                self._jobs[owner].inputs.add(source)
            elif source == owner:
                self._jobs[owner].outputs.add(target)
            else:
                self._jobs[owner].edges.add((source, target))
        return self._jobs

    def _stated(
        self, shapes: dict[bytes, bytes], members: dict[bytes, bytes], *, down: bool
    ) -> dict[bytes, set[bytes]]:
        """Flows that no job's inputs and outputs show: of a dataset event, or from job to job."""
        found: dict[bytes, set[bytes]] = defaultdict(set)
        edges = self._reader.facts(self._tenant, ShapeEdge, shape=set(shapes))
        self.aliases.learn(end for edge in edges for end in (edge.source, edge.target))
        for edge in edges:
            one, other = (edge.source, edge.target) if down else (edge.target, edge.source)
            if one in members:
                found[members[one]].add(self.aliases.canonical(other))
        return found

    def _current(self, shapes: Iterable[Shape]) -> dict[bytes, Shape]:
        """Run events add up; of the job events of a job, and the dataset events of a dataset, the newest holds."""
        found = {shape.shape: shape for shape in shapes}
        fixed = [shape for shape in found.values() if shape.kind != EventKind.RUN]
        if not fixed:
            return found
        siblings = self._reader.facts(self._tenant, Shape, job={shape.job for shape in fixed if shape.job})
        subjects = {shape.subject for shape in fixed if shape.job is None and shape.subject}
        about = self._reader.facts(self._tenant, ShapeDataset, dataset=subjects, role=int(Role.SUBJECT))
        siblings += self._reader.facts(self._tenant, Shape, shape={part.shape for part in about})
        rivals = [shape for shape in siblings if shape.kind != EventKind.RUN]
        evidence = self._reader.facts(self._tenant, Evidence, shape={shape.shape for shape in rivals})
        last = {item.shape: item.last or b"" for item in evidence}
        newest: dict[tuple[str | None, str | None, bytes | None], Shape] = {}  # no origin replaces another
        for shape in sorted(rivals, key=lambda shape: last.get(shape.shape, b"")):
            newest[shape.kind, shape.origin, shape.job or shape.subject] = shape
        held = {shape.shape for shape in newest.values()}
        return {key: shape for key, shape in found.items() if shape.kind == EventKind.RUN or key in held}
