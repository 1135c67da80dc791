"""What all shapes of a job that count say together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from headwater.store.shapes import ShapeBody

__all__ = ["JobView", "Step"]


class Step(NamedTuple):
    """A dataset; or a job, reached on behalf of a dataset, or (via is None) for its own sake."""

    node: bytes
    via: bytes | None = None


class JobView:
    """Inputs, outputs and stated flows of one job; datasets by the id under which they are shown."""

    __slots__ = (
        "bodies",
        "edges",
        "explicit",
        "inputs",
        "names_jobs",
        "nodes",
        "outputs",
        "read",
        "read_steps",
        "shapes",
        "step",
        "written",
        "written_steps",
    )

    def __init__(self, job: bytes) -> None:
        self.bodies: list[ShapeBody] = []
        self.shapes: set[bytes] = set()
        self.inputs: set[bytes] = set()
        self.outputs: set[bytes] = set()
        self.explicit: set[bytes] = set()
        """Outputs of which a `lineage` facet states all sources."""
        self.edges: set[tuple[bytes, bytes]] = set()
        self.read: set[bytes] = set()
        """Inputs, and what edges lead from."""
        self.written: set[bytes] = set()
        self.nodes: set[bytes] = set()
        self.step = Step(job)
        self.read_steps: frozenset[Step] = frozenset()
        self.written_steps: frozenset[Step] = frozenset()
        self.names_jobs = False
        """Whether some of its nodes may be jobs."""

    @classmethod
    def of(cls, job: bytes, bodies: Iterable[ShapeBody], shown: Callable[[bytes], bytes] | None) -> JobView:
        """The view of a job; `shown` gives the id under which a dataset is shown, None is for its own."""
        view = cls(job)
        for body in bodies:
            view.bodies.append(body)
            view.shapes.add(body.shape)
            view.inputs.update([part.dataset for part in body.inputs])
            for part in body.outputs:
                view.outputs.add(part.dataset)
                if part.explicit:
                    view.explicit.add(part.dataset)
            view.edges.update(body.edges)
            view.names_jobs = view.names_jobs or bool(body.jobs)
        if shown is not None:
            view.inputs = set(map(shown, view.inputs))
            view.outputs = set(map(shown, view.outputs))
            view.explicit = set(map(shown, view.explicit))
            view.edges = {(shown(source), shown(target)) for source, target in view.edges}
        for source, target in [edge for edge in view.edges if job in edge]:
            view.edges.discard((source, target))
            (view.inputs if target == job else view.outputs).add(source if target == job else target)
        view.read = view.inputs | {source for source, _ in view.edges}
        view.written = view.outputs | {target for _, target in view.edges}
        view.nodes = view.read | view.written
        view.read_steps = frozenset(map(Step, view.read))
        view.written_steps = frozenset(map(Step, view.written))
        return view

    def via(self, dataset: bytes, *, down: bool) -> bytes | None:
        """On whose behalf a walk that comes from this dataset arrives; None when that makes no difference."""
        if self.explicit:
            return dataset
        if down:
            return None if dataset in self.inputs and self.written == self.outputs else dataset
        return None if dataset in self.outputs and self.read == self.inputs else dataset

    def sources(self, target: bytes | None) -> set[bytes]:
        """What flows into one output, or (None) into the job."""
        if target is None:
            return self.read
        stated = {source for source, other in self.edges if other == target}
        return stated if target in self.explicit else stated | self.inputs

    def targets(self, source: bytes | None) -> set[bytes]:
        """Where one input flows to, or (None) what the job writes."""
        if source is None:
            return self.written
        stated = {target for other, target in self.edges if other == source}
        return stated | (self.outputs - self.explicit if source in self.inputs else set())
