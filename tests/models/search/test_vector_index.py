"""The nearest of a tenant's vectors: exact, of its own, whether they are kept in memory or read in pages."""

from __future__ import annotations

import math
import random
import struct

import pytest

from headwater.models.search import vector_index
from headwater.models.search.vector_index import VectorIndex
from headwater.models.search.vectors import Space
from headwater.store.models.configurations import Configurations
from headwater.store.models.results import Results
from headwater.store.sql_store import SqlStore
from tests.models.conftest import A, B, event, fill

FINGERPRINT = "local:m"
DIMENSION = 4


def put(store: SqlStore, tenant: int, seed: int) -> dict[bytes, tuple[str, tuple[float, ...]]]:
    """A vector for each node of a tenant; some have the same text."""
    chance, results = random.Random(seed), Results(store.engine, store.engine)
    from headwater.store.assets.sql_graph import SqlAssetGraph

    graph = SqlAssetGraph(store.engine)
    nodes = graph.by_key(tenant, graph.keys(tenant, b"", 1000))
    found = {}
    for number, (key, node) in enumerate(sorted(nodes.items())):
        content = bytes([seed, number // 2]) * 16
        known = results.read(tenant, "EMBEDDING", FINGERPRINT, [content])
        vector = known[content].value if known else struct.pack("<4f", *(chance.gauss(0, 1) for _ in range(DIMENSION)))
        results.write(tenant, "EMBEDDING", FINGERPRINT, {content: vector})
        results.name_texts(tenant, "EMBEDDING", FINGERPRINT, {key: content})
        found[key] = node.label, struct.unpack("<4f", vector)
    return found


def score(similarity: str, one: tuple[float, ...], other: tuple[float, ...]) -> float:
    if similarity == "euclidean":
        return 1 / (1 + math.dist(one, other) ** 2)
    return sum(map(float.__mul__, one, other)) / math.hypot(*one) / math.hypot(*other)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
@pytest.mark.parametrize("most_bytes", [1 << 20, 0], ids=["kept", "in pages"])
def test_as_a_simple_model_says(store: SqlStore, similarity: str, most_bytes: int) -> None:
    for tenant in (A, B):
        fill(store, tenant, *(event(f"j{n}", f"shop.public.t{n}", second=n) for n in range(12)))
    expected = {tenant.id: put(store, tenant.id, tenant.id) for tenant in (A, B)}
    configurations = Configurations(store.engine, store.engine)
    index = VectorIndex(configurations, Results(store.engine, store.engine), most_bytes)
    question = (0.5, -1.0, 0.25, 2.0)
    for tenant in (A.id, B.id):
        for labels in ((), ("Column",), ("SQL",)):
            near = index.nearest(
                tenant, Space(FINGERPRINT, DIMENSION, similarity), struct.pack("<4f", *question), 7, labels
            )
            simple = sorted(
                (
                    (score(similarity, vector, question), key)
                    for key, (label, vector) in expected[tenant].items()
                    if not labels or label in labels
                ),
                key=lambda item: -item[0],
            )[:7]
            assert [one.score for one in near] == pytest.approx([value for value, _ in simple], abs=1e-5)
            assert all(one.node in expected[tenant] for one in near)


def test_what_changes_is_seen(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "_PAUSE", 0.0)
    monkeypatch.setattr(vector_index, "_SHARE", 0)
    fill(store, A)
    put(store, A.id, 1)
    results = Results(store.engine, store.engine)
    index = VectorIndex(Configurations(store.engine, store.engine), results)

    def ask(vector: tuple[float, ...]) -> list[vector_index.Near]:
        return index.nearest(A.id, Space(FINGERPRINT, DIMENSION, "cosine"), struct.pack("<4f", *vector), 1)

    before = ask((9, 9, 9, 9))
    key = next(node for node, _, _ in results.all_texts(A.id, "EMBEDDING", FINGERPRINT) if node != before[0].node)
    results.write(A.id, "EMBEDDING", FINGERPRINT, {b"n" * 32: struct.pack("<4f", 1, 1, 1, 1)})
    results.name_texts(A.id, "EMBEDDING", FINGERPRINT, {key: b"n" * 32})
    assert [(one.node, round(one.score, 4)) for one in ask((9, 9, 9, 9))] == [(key, 1.0)]


def test_an_empty_tenant(store: SqlStore) -> None:
    index = VectorIndex(Configurations(store.engine, store.engine), Results(store.engine, store.engine))
    assert index.nearest(5, Space(FINGERPRINT, DIMENSION, "cosine"), bytes(16), 3) == []
