"""What a handler needs, made once per process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from headwater.ingest.writer import GroupCommit
from headwater.lineage.errors import BadQuestion
from headwater.store.log import Tenant
from headwater.store.read import Reader

__all__ = ["Context", "ask", "context_of", "number", "render"]

_T = TypeVar("_T")


class Context(Struct, frozen=True):
    reader: Reader
    tenant: Tenant
    writer: GroupCommit


def context_of(request: Request) -> Context:
    context: Context = request.app.state.context
    return context


async def ask(question: Callable[..., _T], *arguments: Any, **options: Any) -> _T:
    """Run a question beside the event loop: databases block."""
    return await run_in_threadpool(question, *arguments, **options)


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
