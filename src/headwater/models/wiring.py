"""Builds the objects that work with models, for the settings and the store of a process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from headwater.models.handlers import EmbeddingHandler, SummaryHandler
from headwater.models.planner import ModelPlanner
from headwater.models.tenant_models import TenantModels
from headwater.models.work import ModelWork
from headwater.settings import Settings
from headwater.store.assets.follow import AssetStore
from headwater.store.assets.neo4j.server import GraphUnavailable
from headwater.store.assets.sql_graph import SqlAssetGraph
from headwater.store.models.configurations import Configurations
from headwater.store.models.results import Results
from headwater.store.models.usage import UsageBook
from headwater.store.sql_store import SqlStore
from headwater.tasks.handler import Handler, Planner

__all__ = ["make", "make_models", "make_work"]


def make_models(settings: Settings, store: SqlStore) -> TenantModels:
    reading, writing = store.engine, store.engines["writer"]
    return TenantModels(
        Configurations(reading, writing),
        UsageBook(reading, writing),
        outgoing_private=settings.outgoing_private,
        credentials=settings.model_credentials,
    )


def make_work(settings: Settings, store: SqlStore) -> ModelWork:
    results = Results(store.engine, store.engines["writer"])
    return ModelWork(make_models(settings, store), results, SqlAssetGraph(store.engine), store.projection.drain)


def make(settings: Settings, store: SqlStore) -> tuple[Planner, list[Handler]]:
    """Planner and handlers of the tasks of models."""
    work = make_work(settings, store)
    follow = _follower(settings, store)
    return ModelPlanner(work), [EmbeddingHandler(work, follow), SummaryHandler(work, follow)]


def _follower(settings: Settings, store: SqlStore) -> Callable[[int], None] | None:
    if not settings.graph:
        return None
    outbox = AssetStore(store, settings.graph, settings.graph_user, settings.graph_password).outbox

    def follow(tenant: int) -> None:
        if outbox is not None:
            with suppress(GraphUnavailable):  # what it has not got stays noted
                outbox.drain(tenant)

    return follow
