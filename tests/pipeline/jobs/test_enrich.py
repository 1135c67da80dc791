"""`pipeline enrich`: what models lack is computed on Spark, once, and a budget ends it in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
from pyspark.sql import SparkSession

from headwater.models.administration import ModelAdministration
from headwater.models.configuration import ModelConfiguration
from headwater.models.wiring import make_work
from headwater.pipeline.jobs.enrich import run
from headwater.settings import Settings
from headwater.store.sql_store import SqlStore
from tests.models.conftest import SQL, A, B, event, fill
from tests.models.server import ModelServer


def test_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path), outgoing_private="127.0.0.0/8")
    store = SqlStore(settings.store_url)
    store.open()
    fill(store, A, event("pay", "shop.public.payments", sql=SQL))
    fill(store, B, event("pay", "shop.public.secret_of_b"))
    work = make_work(settings, store)
    admin = ModelAdministration(work)
    with ModelServer() as server:
        model = ModelConfiguration(
            provider="openai", model="m", dimension=8, endpoint=server.endpoint, batch=4, daily_calls=1
        )
        admin.set(A, "SUMMARY", ModelConfiguration(provider="outline"))
        (_, missing) = admin.set(A, "EMBEDDING", model).estimates

        stopped = run(spark, settings, [A, B])
        assert (stopped.tenants, stopped.summaries, stopped.embeddings) == (1, 1, 0)  # kept in batches, at their end
        assert len(stopped.stopped) == 1
        assert stopped.stopped[0].startswith("a: The budget of today for the embedding model is spent")
        assert len(server.requests) == 1

        admin.set(A, "EMBEDDING", msgspec.structs.replace(model, daily_calls=0))
        done = run(spark, settings, [A, B])
        assert done.stopped == []
        assert len(server.texts) == len(set(server.texts))  # what was paid for before is not asked again
        assert len(server.texts) == missing.missing + 1  # and the summary of the statement
        assert "secret_of_b" not in str(server.texts)
        assert run(spark, settings, [A, B]).embeddings == 0
        assert work.results.coverage(A.id, "EMBEDDING", missing.fingerprint) == done.nodes
    store.close()
