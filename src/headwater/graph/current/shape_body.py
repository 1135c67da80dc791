"""Content of a shape as read back."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from headwater.graph.current.sides import is_written

__all__ = ["ShapeBody", "ShapePart"]


class ShapePart(Struct, frozen=True, gc=False):
    """One dataset in a shape."""

    dataset: bytes
    schema: bytes | None
    types: int
    explicit: bool


class ShapeBody(Struct, frozen=True, gc=False):
    """Content of a shape, without columns and facets."""

    shape: bytes
    kind: str
    job: bytes | None
    subject: bytes | None
    origin: str | None
    job_type: str | None
    sql: bytes | None
    inputs: tuple[ShapePart, ...]
    outputs: tuple[ShapePart, ...]
    subjects: tuple[ShapePart, ...]
    references: tuple[bytes, ...]
    jobs: tuple[bytes, ...]
    edges: tuple[tuple[bytes, bytes], ...]

    @property
    def names_data(self) -> bool:
        return bool(self.inputs or self.outputs or self.subjects or self.references or self.edges)

    @property
    def reads(self) -> Iterator[bytes]:
        """The job's inputs, and datasets that a `lineage` facet states to flow into the job itself."""
        for part in self.inputs:
            yield part.dataset
        for source, target in self.edges:
            if target == self.job and source not in self.jobs:
                yield source

    @property
    def writes(self) -> Iterator[bytes]:
        """Outputs that received data: not only dropped, altered, truncated or renamed."""
        for part in self.outputs:
            if is_written(part.types):
                yield part.dataset
        for source, target in self.edges:
            if source == self.job and target not in self.jobs:
                yield target

    @property
    def stated(self) -> Iterator[tuple[bytes, bytes]]:
        """Edges from dataset to dataset, through the job."""
        if self.job is not None:
            for edge in self.edges:
                if self.job not in edge and not self._has_other_job(edge):
                    yield edge

    @property
    def direct(self) -> Iterator[tuple[bytes, bytes]]:
        """Edges that lead through no job: those of a dataset event, and those from or to a job that is named in it."""
        for edge in self.edges:
            if self.job is None or self._has_other_job(edge):
                yield edge

    def _has_other_job(self, edge: tuple[bytes, bytes]) -> bool:
        return bool(self.jobs) and (edge[0] in self.jobs or edge[1] in self.jobs)
