"""Results of models as lines of text, for the dump with derived rows."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from itertools import islice

import msgspec
import sqlalchemy as sa

from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.configurations import Kind
from headwater.store.models.results import Results
from headwater.store.models.tables import model_nodes

__all__ = ["dump_results"]

_PAGE = 500


def dump_results(engine: sa.Engine, tenant: int) -> Iterator[str]:
    """A line for each node and model that has a result for it, in the order of kind, model and the node's key."""
    names = (model_nodes.c.kind, model_nodes.c.fingerprint)
    query = sa.select(*names).where(model_nodes.c.tenant == tenant).distinct().order_by(*names)
    with engine.connect() as connection:
        models = connection.execute(query).all()
    results, graph = Results(engine, engine), SqlAssetGraph(engine)
    for kind, fingerprint in models:
        texts = results.all_texts(tenant, kind, fingerprint)
        while page := list(islice(texts, _PAGE)):
            stored = results.read(tenant, kind, fingerprint, {content for _, _, content in page})
            nodes = graph.by_key(tenant, {node for node, _, _ in page})
            for node, _, content in page:
                if content in stored and node in nodes:
                    told = _told(kind, stored[content].value)
                    members = {"derived": "model_result", "kind": kind, "model": fingerprint, "node": nodes[node].id}
                    yield msgspec.json.encode({**members, "content": content.hex(), **told}).decode()


def _told(kind: Kind, value: bytes) -> dict[str, object]:
    if kind == "SUMMARY":
        return dict(json.loads(value))
    return {"embedding": list(struct.unpack(f"<{len(value) // 4}f", value))}
