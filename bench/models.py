"""Embeddings a second of the model on this machine, and semantic search over 100,000 nodes of a tenant.

    PYTHONPATH=. .venv/bin/python bench/models.py [--nodes 100000] [--questions 200]

Prints JSON. The search is what a query process does for a question whose vector is known: the nearest 50 nodes, with
their properties, out of the embedded store. `first_seconds` is the first question, which reads all vectors.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from headwater.models.providers.local.embedder import LocalEmbedder
from headwater.models.search.semantic_search import SemanticSearch
from headwater.models.wiring import make_work
from headwater.settings import Settings
from headwater.store.assets.rows import key_of
from headwater.store.assets.tables import asset_nodes
from headwater.store.models.configurations import Configurations
from headwater.store.sql_store import DEFAULT_TENANT, SqlStore

_DIMENSION = 384
_AT_ONCE = 5_000


def embeddings() -> dict[str, float]:
    texts = [
        f"column customer_id (customer id) of orders_{number} in public in pg://db. type: bigint. Who placed the order."
        for number in range(256)
    ]
    short = [f"table orders_{number} of public" for number in range(512)]
    embedder = LocalEmbedder()
    embedder.embed(texts[:32])
    found = {}
    for name, some in (("about 40 tokens", texts), ("about 10 tokens", short)):
        began = time.perf_counter()
        for start in range(0, len(some), 32):
            embedder.embed(some[start : start + 32])
        found[name] = round(len(some) / (time.perf_counter() - began), 1)
    return found


def search(folder: Path, nodes: int, questions: int) -> dict[str, float]:
    store = SqlStore(f"sqlite:///{folder / 'headwater.db'}")
    store.open()
    tenant, fingerprint = DEFAULT_TENANT, "local:bench"
    told = {"provider": "local", "model": "m", "dimension": _DIMENSION, "similarity": "cosine"}
    Configurations(store.engine, store.engines["writer"]).put(
        tenant.id, "EMBEDDING", "active", fingerprint, json.dumps(told)
    )
    work = make_work(Settings(data=str(folder)), store)
    chance = np.random.default_rng(1)
    for start in range(0, nodes, _AT_ONCE):
        count = min(_AT_ONCE, nodes - start)
        vectors = chance.standard_normal((count, _DIMENSION), np.float32)
        ids = [f"pg://db:shop.public.table_{start + number}" for number in range(count)]
        rows = [
            {
                "tenant": tenant.id,
                "node": key_of(one),
                "owner": key_of(one),
                "label": "Table",
                "id": one,
                "name_key": one[-30:],
                "properties": json.dumps({"name": one[-20:]}),
            }
            for one in ids
        ]
        with store.engines["writer"].begin() as connection:
            connection.execute(asset_nodes.insert(), rows)
        hashes = [(start + number).to_bytes(32, "big") for number in range(count)]
        work.results.write(
            tenant.id,
            "EMBEDDING",
            fingerprint,
            {content: vector.tobytes() for content, vector in zip(hashes, vectors, strict=True)},
        )
        work.results.name_texts(
            tenant.id, "EMBEDDING", fingerprint, dict(zip((key_of(one) for one in ids), hashes, strict=True))
        )
    semantic = SemanticSearch(work.models, work.results, work.graph)
    known = {f"question {number}": chance.standard_normal(_DIMENSION, np.float32).tobytes() for number in range(64)}
    semantic._embedded = lambda _tenant, _model, question: known[question]  # type: ignore[method-assign]  # noqa: SLF001
    began = time.perf_counter()
    semantic.nearest(tenant, "question 0", 50)
    first = time.perf_counter() - began
    times, used = [], time.process_time()
    for number in range(questions):
        began = time.perf_counter()
        found = semantic.nearest(tenant, f"question {number % 64}", 50)
        times.append((time.perf_counter() - began) * 1000)
        assert len(found) == 50
    used = time.process_time() - used
    store.close()
    ordered = sorted(times)
    return {
        "nodes": nodes,
        "first_seconds": round(first, 2),
        "p50_ms": round(statistics.median(ordered), 1),
        "cpu_ms": round(used / questions * 1000, 1),
        "p99_ms": round(ordered[int(len(ordered) * 0.99) - 1], 1),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--nodes", type=int, default=100_000)
    arguments.add_argument("--questions", type=int, default=200)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = {"embeddings_per_second": embeddings(), "search": search(Path(folder), given.nodes, given.questions)}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
