"""Context of a handler: services made once per process, caller and tenant set once per request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.directory import Directory
from headwater.access.identity import Identity
from headwater.api.authentication.sign_in import SignIn
from headwater.api.http.streamed_answers import Streams
from headwater.api.operators.pressure import Pressure
from headwater.api.operators.tenants.sync_process import SyncStarter
from headwater.api.query_process.messages import CALLER
from headwater.deadline import check
from headwater.emit.emitter import Emitter
from headwater.ingest.admission import Admission
from headwater.ingest.group_commit import GroupCommit
from headwater.lineage.assets.affected_metrics import MetricFinder
from headwater.lineage.edits.event import Maker
from headwater.lineage.errors import BadQuestion
from headwater.models.administration import ModelAdministration
from headwater.models.search.semantic_search import SemanticSearch
from headwater.models.work import ModelWork
from headwater.store.access.keys import Keys
from headwater.store.access.tenants import Tenants
from headwater.store.assets.follow import AssetStore
from headwater.store.pipeline.progress import Progress
from headwater.store.read.lists.nodes import Listing
from headwater.store.read.reader import Reader
from headwater.store.read.runs.activity import ActivityReader
from headwater.store.scope import Scope
from headwater.store.tasks.task_lists import TaskLists
from headwater.store.write.dead_letters import DeadLetters
from headwater.store.write.log import Tenant
from headwater.store.write.search_index import SearchIndex

__all__ = ["CALLER", "Caller", "Context", "Services", "ask", "context_of", "maker_of", "number", "render"]

_T = TypeVar("_T")


class Services(Struct, frozen=True):
    reader: Reader
    writer: GroupCommit
    admission: Admission
    directory: Directory
    tenants: Tenants
    keys: Keys
    dead_letters: DeadLetters
    pressure: Pressure
    progress: Progress
    listing: Listing
    activity: ActivityReader
    search: SearchIndex
    streams: Streams
    sign_in: SignIn
    assets: AssetStore
    metrics: MetricFinder
    models: ModelWork
    model_administration: ModelAdministration
    semantic: SemanticSearch
    tasks: TaskLists
    emitter: Emitter
    syncs: SyncStarter
    datahub_env: str = "PROD"


class Caller(Struct, frozen=True):
    identity: Identity
    tenant: Tenant | None
    """The tenant of the question."""
    scope: Scope
    """Whose keys and dead letters are meant: one tenant's, or an operator's: all."""


class Context:
    """Services, caller and tenant."""

    def __init__(self, services: Services, caller: Caller | None) -> None:
        self.services = services
        self.reader = services.reader
        self.writer = services.writer
        self._caller = caller

    @property
    def identity(self) -> Identity:
        if self._caller is None:
            raise AssertionError("this route is for everybody and has no caller")
        return self._caller.identity

    @property
    def tenant(self) -> Tenant:
        """The one tenant that this request is about."""
        if self._caller is None or self._caller.tenant is None:
            raise BadQuestion(
                "The credential is for no tenant in particular, and none is named.",
                path="?tenant",
                hint="Name one: the header X-Headwater-Tenant: CODE, or ?tenant=CODE.",
            )
        return self._caller.tenant

    @property
    def scope(self) -> Scope:
        if self._caller is None:
            raise AssertionError("this route is for everybody and has no caller")
        return self._caller.scope


def context_of(request: Request) -> Context:
    return Context(request.app.state.services, request.scope.get(CALLER))


async def ask(question: Callable[..., _T], *arguments: Any, **options: Any) -> _T:
    """Run a question beside the event loop: databases block."""
    try:
        return await run_in_threadpool(question, *arguments, **options)
    except sa.exc.SQLAlchemyError:
        check()  # a statement that was cut off because its time was over
        raise


def maker_of(context: Context, *, by: str = "", reason: str = "", via: str = "API") -> Maker:
    """Author of a change: the credential, and the name given with the change or that of the key."""
    identity = context.identity
    if identity.key_id is None:
        actor = "single user" if identity.is_single_user else "command line"
    else:
        actor = identity.key_id if ":" in identity.key_id else f"key:{identity.key_id}"
    return Maker(actor, by.strip() or identity.name or actor, reason.strip(), via)


def render(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def number(request: Request, name: str, default: int, low: int, high: int) -> int:
    """A whole number out of the query, within its limits."""
    text = request.query_params.get(name)
    if text is None or text == "":
        return default
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise BadQuestion(f"{name} must be a whole number from {low} to {high}, not {text!r}.", path=f"?{name}")
    return value
