"""Shared by routes for operators: reading of bodies, display of times and records."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.requests import Request

from headwater.api.http.json_body import read_json
from headwater.lineage.errors import BadQuestion
from headwater.openlineage.times import format_time

__all__ = ["body_as", "moment"]

_T = TypeVar("_T")


async def body_as(request: Request, kind: type[_T]) -> _T:
    """The JSON body of a request; an empty one is an empty object."""
    try:
        return read_json(await request.body() or b"{}", kind)
    except msgspec.DecodeError as error:
        raise BadQuestion(f"The body cannot be read: {error}.", path="$", hint="See docs/reference/http.md.") from None


def moment(time: int | None) -> str | None:
    return None if time is None else format_time(time)
