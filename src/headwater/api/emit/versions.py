"""Versions of overlays and how far they are, dead letters, comparisons, and a round of the work."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import ask, context_of, render
from headwater.api.emit.examples import CHECKED, LETTER, LETTERS, VERSIONS, WORK
from headwater.api.emit.records import (
    CheckQuery,
    DlqEvent,
    DlqItem,
    DlqList,
    DlqQuery,
    DlqRetried,
    DlqRetryQuery,
    VersionItem,
    VersionList,
    VersionQuery,
    WorkDone,
)
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import moment
from headwater.api.peer_turns import turn_of
from headwater.emit.check import CheckPage
from headwater.emit.emitter import Emitter
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.openlineage.times import format_time
from headwater.store.emit.outbox import DEAD, PENDING, OutboxEvent
from headwater.store.emit.versions import REQUESTED, VersionRow, version_key
from headwater.store.write.log import Tenant

__all__ = ["ROUTES"]

_ROUNDS = 8


@declare("Versions of overlays, and how far they are.", answer=VersionList, query=VersionQuery, example=VERSIONS)
async def list_versions(request: Request) -> Response:
    context, query = context_of(request), read_query(request, VersionQuery)
    return render(await ask(_versions, context.services.emitter, context.tenant.id, query))


@declare(
    "Compare a page of an overlay's listings with what was emitted.",
    answer=CheckPage,
    query=CheckQuery,
    errors=(429, 502),
    example=CHECKED,
)
async def check(request: Request) -> Response:
    context, query = context_of(request), read_query(request, CheckQuery)
    emitter, tenant = context.services.emitter, context.tenant
    with turn_of(tenant.id):
        return render(await ask(emitter.check, tenant, query.overlay, query.after, repair=query.repair))


@declare("Do a round of the adapter's work now.", answer=WorkDone, errors=(429,), example=WORK)
async def work(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    with turn_of(context.tenant.id):
        return render(await ask(_work, context.services.emitter, context.tenant))


@declare("Events that a sink did not take.", answer=DlqList, query=DlqQuery, example=LETTERS)
async def list_dead(request: Request) -> Response:
    context, query = context_of(request), read_query(request, DlqQuery)
    emitter, tenant = context.services.emitter, context.tenant.id
    found = await ask(emitter.outbox.dead, tenant, query.sink, query.limit)
    counts = await ask(emitter.outbox.count_unsettled, tenant)
    total = sum(count for (sink, state), count in counts.items() if state == DEAD and query.sink in (None, sink))
    return render(DlqList([_item(*one) for one in found], total))


@declare(
    "One event that a sink did not take, with its body.",
    answer=DlqEvent,
    errors=(404,),
    example={**LETTER, "body": "{...}"},
)
async def show_dead(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    sink, version, step = _key(request.path_params["id"])
    emitter, tenant = context.services.emitter, context.tenant.id
    found = await ask(emitter.outbox.get, tenant, sink, version, step)
    if found is None or found[0].state != DEAD:
        raise _none(request.path_params["id"])
    event, body = found
    rows = await ask(emitter.versions.by_keys, tenant, [version])
    item = _item(event, rows[version].overlay if version in rows else None, _id_of(rows, version))
    return render({**_members(item), "body": body.decode("utf-8", "replace")})


@declare("Send an event again that a sink did not take.", answer=DlqRetried, errors=(404,), example={"retried": 1})
async def retry_dead(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    retried = await ask(context.services.emitter.retry, context.tenant.id, *_key(request.path_params["id"]))
    if not retried:
        raise _none(request.path_params["id"])
    return render(DlqRetried(retried))


@declare("Send events again that a sink did not take.", answer=DlqRetried, query=DlqRetryQuery, example={"retried": 1})
async def retry_all(request: Request) -> Response:
    context, query = context_of(request), read_query(request, DlqRetryQuery)
    return render(DlqRetried(await ask(context.services.emitter.retry, context.tenant.id, query.sink)))


def _versions(emitter: Emitter, tenant: int, query: VersionQuery) -> VersionList:
    if query.version is not None:
        if query.overlay is None:
            raise BadQuestion("A version is asked for without its overlay.", path="?overlay")
        key = version_key(query.overlay, query.version)
        rows: Iterable[VersionRow] = emitter.versions.by_keys(tenant, [key]).values()
        total = len(list(rows))
    else:
        rows = emitter.versions.list(tenant, query.state, query.overlay, query.limit)
        total = emitter.versions.count(tenant, query.state, query.overlay)
    overlays = emitter.overlays(tenant)
    steps = emitter.outbox.steps(tenant, [row.version for row in rows])
    items = [
        VersionItem(
            overlay=row.overlay,
            version_id=row.version_id,
            state=row.state,  # type: ignore[arg-type]
            confs=row.confs,
            min_confs=overlays[row.overlay].min_confs if row.overlay in overlays else None,
            attempts=row.attempts,
            requested_at=format_time(row.requested_at),
            error=row.error,
            events=steps.get(row.version, {}),
        )
        for row in rows
    ]
    return VersionList(items, total)


def _work(emitter: Emitter, tenant: Tenant) -> WorkDone:
    read = sent = 0
    for _ in range(_ROUNDS):
        now_read, now_sent = emitter.read_round(tenant), emitter.send_round(tenant)
        read, sent = read + now_read, sent + now_sent
        if not now_read and not now_sent:
            break
    counts = emitter.outbox.count_unsettled(tenant.id)
    pending = sum(count for (_, state), count in counts.items() if state == PENDING)
    return WorkDone(read, sent, emitter.versions.count(tenant.id, REQUESTED), pending)


def _item(event: OutboxEvent, overlay: str | None, version_id: str) -> DlqItem:
    return DlqItem(
        id=f"{event.sink}:{event.version.hex()}:{event.step}",
        sink=event.sink,
        overlay=overlay,
        version_id=version_id,
        step=event.step,
        event_time=format_time(event.event_time),
        attempts=event.attempts,
        reason=event.reason,
        error=event.error,
        dead_since=moment(event.settled_at),
    )


def _members(item: DlqItem) -> dict[str, object]:
    return {name: getattr(item, name) for name in DlqItem.__struct_fields__}


def _id_of(rows: dict[bytes, VersionRow], version: bytes) -> str:
    return rows[version].version_id if version in rows else ""


def _key(text: str) -> tuple[str, bytes, str]:
    sink, _, rest = text.partition(":")
    version, _, step = rest.partition(":")
    try:
        key = bytes.fromhex(version)
    except ValueError:
        key = b""
    if len(key) != 16 or not step:
        raise _none(text)
    return sink, key, step


def _none(text: str) -> NodeNotFound:
    return NodeNotFound(f"There is no dead letter {text[:100]!r}.", hint="GET /api/v2/emit/dlq lists them.")


ROUTES = [
    Route("/api/v2/emit/versions", list_versions, methods=["GET"]),
    Route("/api/v2/emit/check", check, methods=["POST"]),
    Route("/api/v2/emit/work", work, methods=["POST"]),
    Route("/api/v2/emit/dlq", list_dead, methods=["GET"]),
    Route("/api/v2/emit/dlq/retry", retry_all, methods=["POST"]),
    Route("/api/v2/emit/dlq/{id}", show_dead, methods=["GET"]),
    Route("/api/v2/emit/dlq/{id}/retry", retry_dead, methods=["POST"]),
]
