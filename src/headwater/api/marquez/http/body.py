"""Bodies of requests; errors name the place in the body."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from starlette.requests import Request

from headwater.api.http.json_body import read_json
from headwater.api.marquez.http.refuse import Refused

__all__ = ["members_of"]

_T = TypeVar("_T")


async def members_of(request: Request, kind: type[_T]) -> _T:
    """The body as this record. Invalid JSON is refused with 400, missing members with 422."""
    body = await request.body() or b"{}"
    try:
        return read_json(body, kind)
    except msgspec.ValidationError as error:
        raise Refused(422, {"errors": [_words(str(error))]}) from None
    except msgspec.DecodeError as error:
        raise Refused(400, {"code": 400, "message": f"The body is no JSON: {error}."}) from None


def _words(problem: str) -> str:
    """Marquez' message "x must not be null" for msgspec's "Object missing required field `x`"."""
    prefix = "Object missing required field `"
    if problem.startswith(prefix):
        name, _, path = problem.removeprefix(prefix).partition("`")
        return f"{name} must not be null{path.replace(' - at', ' at')}"
    return problem
