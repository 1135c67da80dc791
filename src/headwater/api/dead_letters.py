"""Refused events: listed, shown, retried and purged by editors, each of their own tenant."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.answers import moment, time_of
from headwater.api.context import Context, ask, context_of, number, render
from headwater.ingest.retry import retry_all, retry_one
from headwater.lineage.errors import BadQuestion, NodeNotFound
from headwater.store.dead_letters import REFUSED, TAKEN, DeadLetter, Filter

__all__ = ["ROUTES"]

_STATES = (REFUSED, TAKEN)
_ANY_STATE = "ANY"
_MOST_RETRIES = 10_000
_MOST_ID = 1 << 63


async def list_letters(request: Request) -> Response:
    context, wanted = context_of(request), _filter(request)
    limit, offset = number(request, "limit", 100, 0, 1000), number(request, "offset", 0, 0, 1 << 31)
    letters = context.services.dead_letters
    found = await ask(letters.list, context.scope, wanted, limit=limit, offset=offset)
    total = await ask(letters.count, context.scope, wanted)
    codes = await _codes(context)
    return render({"dead_letters": [_show(letter, codes) for letter in found], "total": total})


async def get_letter(request: Request) -> Response:
    context = context_of(request)
    letter, body = await _found(context, request)
    shown = {**_show(letter, await _codes(context)), "body": body.decode("utf-8", "replace")}
    return render(shown)


async def retry_letter(request: Request) -> Response:
    context, services = context_of(request), context_of(request).services
    letter, _ = await _found(context, request)
    if letter.state == REFUSED:
        await services.directory.refresh()
        await retry_one(services.admission, services.directory, services.dead_letters, context.scope, letter.id)
    letter, _ = await _found(context, request)
    return render(_show(letter, await _codes(context)))


async def retry_letters(request: Request) -> Response:
    """All that the filter means and that are still refused."""
    context, services = context_of(request), context_of(request).services
    limit = number(request, "limit", _MOST_RETRIES, 1, _MOST_RETRIES)
    await services.directory.refresh()
    taken, refused = await retry_all(
        services.admission, services.directory, services.dead_letters, context.scope, _filter(request), limit
    )
    return render({"taken": taken, "refused": refused})


async def delete_letter(request: Request) -> Response:
    context = context_of(request)
    letter, _ = await _found(context, request)
    await ask(context.services.dead_letters.delete, context.scope, letter.id)
    return render({"purged": 1})


async def purge_letters(request: Request) -> Response:
    context = context_of(request)
    return render({"purged": await ask(context.services.dead_letters.purge, context.scope, _filter(request))})


async def _found(context: Context, request: Request) -> tuple[DeadLetter, bytes]:
    letter_id = request.path_params["id"]
    found = None
    if letter_id < _MOST_ID:
        found = await ask(context.services.dead_letters.get, context.scope, letter_id)
    if found is None:
        raise NodeNotFound(f"There is no dead letter {letter_id}.", hint="GET /api/v2/dead-letters lists them.")
    return found


async def _codes(context: Context) -> dict[int, str]:
    return {tenant.id: tenant.code for tenant in await ask(context.services.tenants.list, context.scope)}


def _filter(request: Request) -> Filter:
    """Those still refused, unless another state is asked for."""
    query = request.query_params
    state = query.get("state", REFUSED).upper()
    if state not in (*_STATES, _ANY_STATE):
        raise BadQuestion(f"state must be refused, taken or any, not {state!r}.", path="?state")
    source = query.get("source")
    return Filter(
        state=None if state == _ANY_STATE else state,
        reason=query.get("reason"),
        source=source.upper() if source else None,
        key_id=query.get("key"),
        after=time_of(request, "after"),
        before=time_of(request, "before"),
    )


def _show(letter: DeadLetter, codes: dict[int, str]) -> dict[str, Any]:
    return {
        "id": letter.id,
        "tenant": codes.get(letter.tenant_id) if letter.tenant_id is not None else None,
        "key": letter.key_id,
        "source": letter.source,
        "received_at": moment(letter.received_at),
        "reason": letter.reason,
        "message": letter.message,
        "path": letter.path,
        "state": letter.state,
        "retried_at": moment(letter.retried_at),
        "attempts": letter.attempts,
    }


ROUTES = [
    Route("/api/v2/dead-letters", list_letters, methods=["GET"]),
    Route("/api/v2/dead-letters", purge_letters, methods=["DELETE"]),
    Route("/api/v2/dead-letters/retry", retry_letters, methods=["POST"]),
    Route("/api/v2/dead-letters/{id:int}", get_letter, methods=["GET"]),
    Route("/api/v2/dead-letters/{id:int}", delete_letter, methods=["DELETE"]),
    Route("/api/v2/dead-letters/{id:int}/retry", retry_letter, methods=["POST"]),
]
