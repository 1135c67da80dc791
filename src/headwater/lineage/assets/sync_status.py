"""Where a tenant's catalogs are between live events and a full reading."""

from __future__ import annotations

from typing import Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from headwater.graph.catalog.facts import CatalogSync
from headwater.lineage.answer.text_types import Instant
from headwater.openlineage.times import format_time
from headwater.store.assets.follow import AssetStore
from headwater.store.models.configurations import Configurations
from headwater.store.pipeline.catalog_sources import CatalogSources
from headwater.store.pipeline.jobs import read_jobs
from headwater.store.read.reader import Reader

__all__ = ["CatalogState", "SourceAnswer", "SyncJob", "TenantStatus", "tenant_status"]

State = Literal["LIVE", "WAITING", "SYNCING", "READY"]


_FIRST: tuple[State, ...] = ("SYNCING", "WAITING", "READY")
"""Of several states of catalogs the tenant's is the first of these."""


class CatalogState(Struct, frozen=True):
    metalake: str
    state: State
    """LIVE: it was never read as a whole, and its events count as they come. SYNCING: its events are kept, and change
    no assets yet. WAITING: the same, before the first
    reading began. READY: events from the cut-over time on count."""
    cutover_time: Instant | None
    """Since when its events count."""
    sync_started: Instant | None
    """The cut-over time of the reading that goes on."""


class SourceAnswer(Struct, frozen=True):
    metalake: str
    url: str
    has_token: bool
    rate: int


class SyncJob(Struct, frozen=True):
    running: bool
    step: str | None
    done: int
    total: int
    error: str | None


class TenantStatus(Struct, frozen=True):
    code: str
    state: State
    catalogs: list[CatalogState]
    job: SyncJob | None
    """The reading that goes on, or the last one."""
    sources: list[SourceAnswer]
    """The Gravitino servers that a full reading can be begun from."""
    assets_waiting: int
    """Notes of changes that are not in the asset graph yet."""
    embedding_model: str | None
    """Provider and name of the model in force; null if none is configured, which is best done before a reading."""


def tenant_status(reader: Reader, engine: sa.Engine, assets: AssetStore, tenant: int, code: str) -> TenantStatus:
    """State of each metalake, progress of its sync, and number of events that wait."""
    jobs = read_jobs(engine, ended=1, of_tenant=(tenant, "sync"))
    catalogs = [
        _catalog(sync, was_begun=bool(jobs))
        for sync in sorted(reader.facts(tenant, CatalogSync), key=lambda sync: sync.name or "")
    ]
    sources = [
        SourceAnswer(source.metalake, source.url, bool(source.token), source.rate)
        for source in CatalogSources(engine).list(tenant)
    ]
    states = {catalog.state for catalog in catalogs}
    state: State = next((one for one in _FIRST if one in states), "LIVE")
    shown = None
    if jobs:
        job = jobs[0]
        running = job.ended_at is None and job.is_alive
        shown = SyncJob(running, job.step, job.done, job.total, job.error)
    waiting = assets.projection.count_waiting(tenant)
    return TenantStatus(code, state, catalogs, shown, sources, waiting, _embedding_model(engine, tenant))


def _embedding_model(engine: sa.Engine, tenant: int) -> str | None:
    for model in Configurations(engine, engine).read(tenant):
        if (model.kind, model.place) == ("EMBEDDING", "active"):
            told = msgspec.json.decode(model.configuration)
            return f"{told['provider']}/{told['model']}"
    return None


def _catalog(sync: CatalogSync, *, was_begun: bool) -> CatalogState:
    is_held = (sync.started or 0) > (sync.ready or 0)
    state: State = "READY" if not is_held else "SYNCING" if was_begun else "WAITING"
    return CatalogState(
        sync.name or "",
        state,
        format_time(sync.ready) if sync.ready is not None else None,
        format_time(sync.started) if sync.started is not None and is_held else None,
    )
