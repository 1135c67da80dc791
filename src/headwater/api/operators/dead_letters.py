"""Refused events: listed, shown, retried and purged by editors, each of their own tenant."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query, time_in
from headwater.api.operators.records import (
    DeadLetterAnswer,
    DeadLetterEntity,
    DeadLetterGroupQuery,
    DeadLetterGroups,
    DeadLetterList,
    DeadLetterListQuery,
    DeadLetterQuery,
    Purged,
    Retried,
    RetryQuery,
)
from headwater.api.operators.request_body import moment
from headwater.ingest.retry_dead_letters import retry_all, retry_one
from headwater.lineage.errors import NodeNotFound
from headwater.store.time_ordered_ids import id_number, id_text
from headwater.store.write.dead_letters import REFUSED, DeadLetter, Filter

__all__ = ["ROUTES"]

_ANY_STATE = "ANY"


@declare("Refused events, the newest first.", answer=DeadLetterList, query=DeadLetterListQuery)
async def list_dead_letters(request: Request) -> Response:
    context, query = context_of(request), read_query(request, DeadLetterListQuery)
    wanted, limit, offset = _filter(query), query.limit, query.offset
    dead_letters = context.services.dead_letters
    found = await ask(dead_letters.list, context.scope, wanted, limit=limit, offset=offset)
    total = await ask(dead_letters.count, context.scope, wanted)
    codes = await _codes(context)
    return render({"dead_letters": [_show(dead_letter, codes) for dead_letter in found], "total": total})


@declare(
    "Refused events by reason and source, those refused last first.",
    answer=DeadLetterGroups,
    query=DeadLetterGroupQuery,
)
async def group_dead_letters(request: Request) -> Response:
    """Each with one example: the newest, without its body."""
    context, query = context_of(request), read_query(request, DeadLetterGroupQuery)
    dead_letters, wanted = context.services.dead_letters, _filter(query)
    found = await ask(dead_letters.groups, context.scope, wanted, query.limit)
    total = await ask(dead_letters.count, context.scope, wanted)
    codes = await _codes(context)
    shown = []
    for group in found:
        example = await ask(dead_letters.get, context.scope, group.newest)
        shown.append(
            {
                "reason": group.reason,
                "source": group.source,
                "count": group.count,
                "first_at": moment(group.first_at),
                "last_at": moment(group.last_at),
                "example": _show(example[0], codes) if example is not None else None,
            }
        )
    return render({"groups": shown, "total": total})


@declare("One refused event with its body.", answer=DeadLetterEntity)
async def get_dead_letter(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    dead_letter, body = await _found(context, request)
    shown = {**_show(dead_letter, await _codes(context)), "body": body.decode("utf-8", "replace")}
    return render(shown)


@declare("Send one refused event through admission again.", answer=DeadLetterAnswer)
async def retry_dead_letter(request: Request) -> Response:
    read_query(request, NoQuery)
    context, services = context_of(request), context_of(request).services
    dead_letter, _ = await _found(context, request)
    if dead_letter.state == REFUSED:
        await services.directory.refresh()
        await retry_one(services.admission, services.directory, services.dead_letters, context.scope, dead_letter.id)
    dead_letter, _ = await _found(context, request)
    return render(_show(dead_letter, await _codes(context)))


@declare("Send refused events through admission again.", answer=Retried, query=RetryQuery)
async def retry_dead_letters(request: Request) -> Response:
    """All that the filter means and that are still refused."""
    context, services = context_of(request), context_of(request).services
    query = read_query(request, RetryQuery)
    await services.directory.refresh()
    taken, refused = await retry_all(
        services.admission, services.directory, services.dead_letters, context.scope, _filter(query), query.limit
    )
    return render({"taken": taken, "refused": refused})


@declare("Delete one refused event.", answer=Purged)
async def delete_dead_letter(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    dead_letter, _ = await _found(context, request)
    await ask(context.services.dead_letters.delete, context.scope, dead_letter.id)
    return render({"purged": 1})


@declare("Delete refused events.", answer=Purged, query=DeadLetterQuery)
async def purge_dead_letters(request: Request) -> Response:
    context, wanted = context_of(request), _filter(read_query(request, DeadLetterQuery))
    return render({"purged": await ask(context.services.dead_letters.purge, context.scope, wanted)})


async def _found(context: Context, request: Request) -> tuple[DeadLetter, bytes]:
    text = request.path_params["id"]
    dead_letter_id = id_number(text)
    found = None
    if dead_letter_id is not None:
        found = await ask(context.services.dead_letters.get, context.scope, dead_letter_id)
    if found is None:
        raise NodeNotFound(f"There is no dead letter {text[:100]!r}.", hint="GET /api/v2/dead-letters lists them.")
    return found


async def _codes(context: Context) -> dict[int, str]:
    return {tenant.id: tenant.code for tenant in await ask(context.services.tenants.list, context.scope)}


def _filter(query: DeadLetterQuery) -> Filter:
    """Those still refused, unless another state is asked for."""
    state = query.state.upper()
    return Filter(
        state=None if state == _ANY_STATE else state,
        reason=query.reason,
        source=query.source.upper() if query.source else None,
        key_id=query.key,
        after=time_in(query.since, "since"),
        before=time_in(query.until, "until", "after"),
    )


def _show(dead_letter: DeadLetter, codes: dict[int, str]) -> dict[str, Any]:
    return {
        "id": id_text(dead_letter.id),
        "tenant": codes.get(dead_letter.tenant_id) if dead_letter.tenant_id is not None else None,
        "key": dead_letter.key_id,
        "source": dead_letter.source,
        "received_at": moment(dead_letter.received_at),
        "reason": dead_letter.reason,
        "message": dead_letter.message,
        "path": dead_letter.path,
        "state": dead_letter.state,
        "retried_at": moment(dead_letter.retried_at),
        "attempts": dead_letter.attempts,
    }


ROUTES = [
    Route("/api/v2/dead-letters", list_dead_letters, methods=["GET"]),
    Route("/api/v2/dead-letters", purge_dead_letters, methods=["DELETE"]),
    Route("/api/v2/dead-letters/groups", group_dead_letters, methods=["GET"]),
    Route("/api/v2/dead-letters/retry", retry_dead_letters, methods=["POST"]),
    Route("/api/v2/dead-letters/{id}", get_dead_letter, methods=["GET"]),
    Route("/api/v2/dead-letters/{id}", delete_dead_letter, methods=["DELETE"]),
    Route("/api/v2/dead-letters/{id}/retry", retry_dead_letter, methods=["POST"]),
]
