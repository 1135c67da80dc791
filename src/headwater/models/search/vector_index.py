"""Vectors of tenants in memory, and the nearest to one of them. Exact: every vector of the tenant is compared.

A tenant's vectors are read once and cached while there is room; changes are read at most about once a second, in the
background. Vectors of a tenant beyond the cache's size are read in pages.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from headwater.deadline import check
from headwater.models.search.vectors import Space
from headwater.store.models.configurations import Configurations
from headwater.store.models.results import Results

__all__ = ["Near", "VectorIndex"]

_MOST_BYTES = 512 << 20
"""Of all vectors that a process keeps."""
_PAGE = 5_000
_PAUSE, _SHARE = 1.0, 5
"""Least seconds between two reads of changes; and as a multiple of the duration of the last read."""
Array = Any


class Near(NamedTuple):
    node: bytes
    label: str
    score: float


class _Vectors:
    """One tenant's vectors of one space: a row for each text, and the nodes that have it."""

    def __init__(self, generation: int, nodes: list[bytes], labels: list[str], rows: Array, texts: dict[bytes, int],
                 matrix: Array) -> None:  # fmt: skip
        self.generation, self.nodes, self.labels = generation, nodes, np.array(labels, dtype=object)
        self.rows, self.texts, self.matrix = rows, texts, matrix
        self.looked_at, self.took = time.monotonic(), 0.0
        self.is_too_large = False
        """They are not kept: there are more than there is room for."""

    @property
    def size(self) -> int:
        return int(self.matrix.nbytes) + 250 * len(self.nodes)


class VectorIndex:
    """Safe to use from many threads."""

    def __init__(self, configurations: Configurations, results: Results, most_bytes: int = _MOST_BYTES) -> None:
        self._configurations, self._results, self._most = configurations, results, most_bytes
        self._kept: OrderedDict[tuple[int, Space], _Vectors] = OrderedDict()
        self._guard = threading.Lock()
        self._reading: dict[int, threading.Lock] = {}

    def nearest(self, tenant: int, space: Space, vector: bytes, count: int, labels: Collection[str] = ()) -> list[Near]:
        """The nearest nodes of a tenant, the best first."""
        wanted = _unit(np.frombuffer(vector, np.float32)[None, :], space)[0]
        found = self._vectors(tenant, space)
        if found.is_too_large:
            return self._scan(tenant, space, wanted, count, labels)
        return _best(found.nodes, found.labels, _scores(found.matrix, wanted, space)[found.rows], count, labels)

    def _scan(self, tenant: int, space: Space, wanted: Array, count: int, labels: Collection[str]) -> list[Near]:
        best: list[Near] = []
        for page in _pages(self._results.all_texts(tenant, "EMBEDDING", space.fingerprint)):
            check()
            stored = self._results.read(tenant, "EMBEDDING", space.fingerprint, {content for _, _, content in page})
            there = [item for item in page if item[2] in stored]
            if there:
                matrix = _unit(np.stack([np.frombuffer(stored[item[2]].value, np.float32) for item in there]), space)
                names = np.array([item[1] for item in there], dtype=object)
                near = _best([item[0] for item in there], names, _scores(matrix, wanted, space), count, labels)
                best = sorted([*best, *near], key=lambda one: (-one.score, one.node))[:count]
        return best

    def _vectors(self, tenant: int, space: Space) -> _Vectors:
        with self._guard:
            lock = self._reading.setdefault(tenant, threading.Lock())
            kept = self._kept.get((tenant, space))
        if kept is not None:
            if time.monotonic() - kept.looked_at < max(_PAUSE, _SHARE * kept.took):
                return kept
            if not lock.acquire(blocking=False):  # somebody looks already
                return kept
        else:
            lock.acquire()
        try:
            return self._current(tenant, space)
        finally:
            lock.release()

    def _current(self, tenant: int, space: Space) -> _Vectors:
        with self._guard:
            kept = self._kept.get((tenant, space))
        began = time.monotonic()
        generation = self._configurations.generation(tenant)
        if kept is not None and kept.generation == generation:
            kept.looked_at = began
            return kept
        found = self._read(tenant, space, generation, kept)
        found.took = time.monotonic() - began
        with self._guard:
            self._kept[tenant, space] = found
            self._kept.move_to_end((tenant, space))
            while sum(each.size for each in self._kept.values()) > self._most and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return found

    def _read(self, tenant: int, space: Space, generation: int, before: _Vectors | None) -> _Vectors:
        """Read current vectors of nodes; those of known texts are taken from the former state."""
        if self._results.coverage(tenant, "EMBEDDING", space.fingerprint) * space.dimension * 4 > self._most:
            nothing = np.zeros((0, space.dimension), np.float32)
            found = _Vectors(generation, [], [], np.zeros(0, np.int64), {}, nothing)
            found.is_too_large = True
            return found
        items = list(self._results.all_texts(tenant, "EMBEDDING", space.fingerprint))
        wanted = dict.fromkeys(content for _, _, content in items)
        old = before.texts if before is not None else {}
        matrix = np.zeros((len(wanted), space.dimension), np.float32)
        texts: dict[bytes, int] = {}
        known = [content for content in wanted if content in old]
        if before is not None and known:
            matrix[: len(known)] = before.matrix[[old[content] for content in known]]
            texts = {content: row for row, content in enumerate(known)}
        missing = [content for content in wanted if content not in old]
        for page in _pages(iter(missing)):
            check()
            for content, result in self._results.read(tenant, "EMBEDDING", space.fingerprint, page).items():
                values = np.frombuffer(result.value, np.float32)
                if len(values) == space.dimension:
                    matrix[len(texts)] = _unit(values[None, :], space)[0]
                    texts[content] = len(texts)
        there = [item for item in items if item[2] in texts]
        rows = np.fromiter((texts[item[2]] for item in there), np.int64, len(there))
        nodes, labels = [item[0] for item in there], [item[1] for item in there]
        return _Vectors(generation, nodes, labels, rows, texts, matrix[: len(texts)])


def _unit(matrix: Array, space: Space) -> Array:
    if space.similarity != "cosine":
        return matrix
    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)


def _scores(matrix: Array, wanted: Array, space: Space) -> Array:
    """The cosine, or 1 / (1 + the square of the distance)."""
    if space.similarity == "cosine":
        return matrix @ wanted
    squares = np.einsum("ij,ij->i", matrix, matrix) - 2 * (matrix @ wanted) + wanted @ wanted
    return 1 / (1 + np.maximum(squares, 0))


def _best(nodes: list[bytes], names: Array, scores: Array, count: int, labels: Collection[str]) -> list[Near]:
    places = np.flatnonzero(np.isin(names, list(labels))) if labels else np.arange(len(nodes))
    if len(places) > count:
        places = places[np.argpartition(-scores[places], count - 1)[:count]]
    found = [Near(nodes[place], str(names[place]), float(scores[place])) for place in places.tolist()]
    return sorted(found, key=lambda near: (-near.score, near.node))


def _pages(items: Iterator[Any]) -> Iterator[list[Any]]:
    page: list[Any] = []
    for item in items:
        page.append(item)
        if len(page) == _PAGE:
            yield page
            page = []
    if page:
        yield page
