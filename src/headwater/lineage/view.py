"""What all shapes of a job that count say together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from headwater.store.shapes import ShapeBody

__all__ = ["JobView", "Step", "behalf_of", "node_at"]

Step = bytes
"""A dataset; or a job, for its own sake (16 bytes), or on behalf of the dataset whose id comes after (32)."""
_ID = 16


def node_at(step: Step) -> bytes:
    """The dataset or job of a step."""
    return step[:_ID]


def behalf_of(step: Step) -> bytes | None:
    """The dataset that led to a job; None when that makes no difference."""
    return step[_ID:] or None


class JobView:
    """Inputs, outputs and stated flows of one job; datasets by the id under which they are shown."""

    __slots__ = (
        "bodies",
        "edges",
        "explicit",
        "fed_by_all",
        "feeding_all",
        "inputs",
        "names_jobs",
        "nodes",
        "outputs",
        "read",
        "shapes",
        "written",
    )

    def __init__(self) -> None:
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
        self.feeding_all: set[bytes] = set()
        """Inputs that flow into all that the job writes: on their behalf, or for its own sake, is the same."""
        self.fed_by_all: set[bytes] = set()
        self.names_jobs = False
        """Whether some of its nodes may be jobs."""

    @classmethod
    def of(cls, job: bytes, bodies: Iterable[ShapeBody], shown: Callable[[bytes], bytes] | None) -> JobView:
        """The view of a job; `shown` gives the id under which a dataset is shown, None is for its own."""
        view = cls()
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
        if not view.explicit:
            view.feeding_all = view.inputs if view.written == view.outputs else set()
            view.fed_by_all = view.outputs if view.read == view.inputs else set()
        return view

    def step(self, job: bytes, dataset: bytes, *, down: bool) -> Step:
        """The step to this job of a walk that comes from this dataset."""
        return job if dataset in (self.feeding_all if down else self.fed_by_all) else job + dataset

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
