"""The datasets next to datasets, each asked for once, with the jobs between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from headwater.lineage.flows.collapsed_jobs import Collapsed
from headwater.lineage.flows.neighbours import Flow
from headwater.lineage.walk.by_dataset import dataset_hops

__all__ = ["Hops"]

Edge = tuple[bytes, bytes]


class Hops:
    """Steps of one direction. The flows are those of `Flow`, as in lineage."""

    def __init__(self, flow: Flow, whole: Collapsed | None, *, down: bool) -> None:
        self._flow, self._whole, self._down = flow, whole, down
        self._found: dict[bytes, Collection[bytes]] = {}
        self._passed: dict[bytes, set[Edge]] = {}
        self._ask = dataset_hops(flow, down=down, passed=self._passed)

    def __call__(self, level: list[bytes]) -> Mapping[bytes, Collection[bytes]]:
        unknown = [node for node in level if node not in self._found]
        if self._whole is not None and self._whole.job in unknown:
            unknown.remove(self._whole.job)
            ends = self._whole.datasets(down=self._down)
            self._found[self._whole.job] = ends
            self._passed[self._whole.job] = {self._ordered(self._whole.job, end) for end in ends}
        if unknown:
            self._found.update(self._ask(unknown))
        return {node: self._found[node] for node in level}

    def passed(self, node: bytes) -> Collection[Edge]:
        """The edges (source, target) from a node over jobs to the datasets next to it, all of which were asked for."""
        return self._passed.get(node, ())

    def jobs_between(self, node: bytes) -> dict[Edge, set[bytes]]:
        """By flow from (or to) this dataset, the jobs at its other end."""
        found: dict[Edge, set[bytes]] = {}
        for source, target in self.passed(node):
            job, other = (source, target) if self._down else (target, source)
            if job != node and not self._flow.is_job(other):
                found.setdefault(self._ordered(node, other), set()).add(job)
        return found

    def _ordered(self, near: bytes, far: bytes) -> Edge:
        return (near, far) if self._down else (far, near)
