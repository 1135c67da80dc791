"""Builds the services of a process, which the handlers of its routes use."""

from __future__ import annotations

from headwater.access.authenticate import Authenticator
from headwater.access.directory import Directory
from headwater.api.authentication.allowed_sites import Sites
from headwater.api.authentication.sign_in import SignIn
from headwater.api.authentication.wrong_keys import WrongKeys
from headwater.api.context import Services
from headwater.api.features import features_of
from headwater.api.http.connections import ConnectionLimits
from headwater.api.http.streamed_answers import Streams
from headwater.api.operators.pressure import Pressure
from headwater.api.operators.tenants.sync_process import SyncStarter
from headwater.emit.emitter import Emitter
from headwater.ingest.admission import Admission
from headwater.ingest.group_commit import GroupCommit
from headwater.lineage.assets.affected_metrics import MetricFinder
from headwater.models.administration import ModelAdministration
from headwater.models.search.semantic_search import SemanticSearch
from headwater.models.wiring import make_work
from headwater.settings import Settings
from headwater.store.access.keys import Keys
from headwater.store.access.tenants import Tenants
from headwater.store.assets.follow import AssetStore
from headwater.store.pipeline.progress import Progress
from headwater.store.read.lists.nodes import Listing
from headwater.store.read.reader import Reader
from headwater.store.read.runs.activity import ActivityReader
from headwater.store.sql_store import SqlStore
from headwater.store.tasks.task_lists import TaskLists
from headwater.store.write.dead_letters import DeadLetters

__all__ = ["make_services", "make_sign_in"]


def make_sign_in(settings: Settings, authenticator: Authenticator, sites: Sites, limits: ConnectionLimits) -> SignIn:
    return SignIn(authenticator, sites, limits, WrongKeys(), features_of(settings))


def make_services(
    settings: Settings,
    store: SqlStore,
    *,
    writer: GroupCommit,
    admission: Admission,
    dead_letters: DeadLetters,
    directory: Directory,
    pressure: Pressure,
    progress: Progress,
    sign_in: SignIn,
    assets: AssetStore,
    emitter: Emitter,
) -> Services:
    engine, reader, work = store.engine, Reader(store.engine), make_work(settings, store)
    tasks = TaskLists(engine, store.engines["writer"])
    return Services(
        reader=reader,
        writer=writer,
        admission=admission,
        directory=directory,
        tenants=Tenants(engine),
        keys=Keys(engine),
        dead_letters=dead_letters,
        pressure=pressure,
        progress=progress,
        listing=Listing(engine),
        activity=ActivityReader(engine),
        search=store.search,
        streams=Streams(),
        sign_in=sign_in,
        assets=assets,
        metrics=MetricFinder(reader, store.projection),
        models=work,
        model_administration=ModelAdministration(work, tasks.resume),
        semantic=SemanticSearch(work.models, work.results, work.graph, assets.outbox.graph if assets.outbox else None),
        tasks=tasks,
        emitter=emitter,
        syncs=SyncStarter(settings),
        datahub_env=settings.datahub_env,
    )
