"""What all shapes of a job that count say together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

from msgspec import Struct

from headwater.openlineage.event import EventKind
from headwater.store.shapes import ShapeBody

__all__ = ["JobView", "Step", "behalf_of", "node_at"]

Step = bytes
"""A dataset; or a job, for its own sake (16 bytes), or on behalf of the dataset whose id comes after (32)."""
_ID = 16
_NONE: frozenset[bytes] = frozenset()


def node_at(step: Step) -> bytes:
    """The dataset or job of a step."""
    return step[:_ID]


def behalf_of(step: Step) -> bytes | None:
    """The dataset that led to a job; None when that makes no difference."""
    return step[_ID:] or None


class JobView(Struct, frozen=True, gc=False):
    """Inputs, outputs and stated flows of one job; datasets by the id under which they are shown."""

    bodies: tuple[ShapeBody, ...]
    inputs: AbstractSet[bytes]
    outputs: AbstractSet[bytes]
    explicit: AbstractSet[bytes]
    """Outputs of which a `lineage` facet states all sources."""
    edges: AbstractSet[tuple[bytes, bytes]]
    read: AbstractSet[bytes]
    """Inputs, and what edges lead from."""
    written: AbstractSet[bytes]
    feeding_all: AbstractSet[bytes]
    """Inputs that flow into all that the job writes: on their behalf, or for its own sake, is the same."""
    fed_by_all: AbstractSet[bytes]
    names_jobs: bool
    """Whether some of its nodes may be jobs."""

    @classmethod
    def of(cls, job: bytes, bodies: Iterable[ShapeBody], shown: Callable[[bytes], bytes] | None) -> JobView:
        """The view of a job; `shown` gives the id under which a dataset is shown, None is for its own."""
        bodies = tuple(bodies)
        inputs = {part.dataset for body in bodies for part in body.inputs}
        outputs = {part.dataset for body in bodies for part in body.outputs}
        explicit = {part.dataset for body in bodies for part in body.outputs if part.explicit}
        edges = {edge for body in bodies for edge in body.edges}
        if shown is not None:
            inputs, outputs, explicit = (set(map(shown, datasets)) for datasets in (inputs, outputs, explicit))
            edges = {(shown(source), shown(target)) for source, target in edges}
        for source, target in [edge for edge in edges if job in edge]:
            edges.discard((source, target))
            (inputs if target == job else outputs).add(source if target == job else target)
        read = {source for source, _ in edges} - inputs
        written = {target for _, target in edges} - outputs
        return cls(
            bodies,
            inputs,
            outputs,
            explicit or _NONE,
            edges,
            inputs | read if read else inputs,
            outputs | written if written else outputs,
            _NONE if explicit or written else inputs,
            _NONE if explicit or read else outputs,
            any(body.jobs for body in bodies),
        )

    @property
    def shapes(self) -> set[bytes]:
        return {body.shape for body in self.bodies}

    @property
    def is_simple(self) -> bool:
        """Whether every input feeds every output, nothing else is said of it, and all that was ever said counts."""
        if self.names_jobs or self.feeding_all is not self.inputs or self.fed_by_all is not self.outputs:
            return False
        return all(body.kind == EventKind.RUN for body in self.bodies)

    def types(self, shown: Callable[[bytes], bytes]) -> dict[bytes, int]:
        """By output, everything that the job did to it."""
        found = dict.fromkeys(self.outputs, 0)
        for body in self.bodies:
            for part in body.outputs:
                if part.types:
                    found[shown(part.dataset)] |= part.types
        return found

    def step(self, job: bytes, dataset: bytes, *, down: bool) -> Step:
        """The step to this job of a walk that comes from this dataset."""
        return job if dataset in (self.feeding_all if down else self.fed_by_all) else job + dataset

    def sources(self, target: bytes | None) -> AbstractSet[bytes]:
        """What flows into one output, or (None) into the job."""
        if target is None:
            return self.read
        stated = {source for source, other in self.edges if other == target}
        return stated if target in self.explicit else stated | self.inputs

    def targets(self, source: bytes | None) -> AbstractSet[bytes]:
        """Where one input flows to, or (None) what the job writes."""
        if source is None:
            return self.written
        stated = {target for other, target in self.edges if other == source}
        return stated | (self.outputs - self.explicit if source in self.inputs else set())
