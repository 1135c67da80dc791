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
    """The body as this record. What is no JSON is refused with 400, what misses something with 422."""
    body = await request.body() or b"{}"
    try:
        return read_json(body, kind)
    except msgspec.ValidationError as error:
        raise Refused(422, {"errors": [_words(str(error))]}) from None
    except msgspec.DecodeError as error:
        raise Refused(400, {"code": 400, "message": f"The body is no JSON: {error}."}) from None


def _words(problem: str) -> str:
    """`Object missing required field `x`` is what others call "x must not be null"."""
    prefix = "Object missing required field `"
    if problem.startswith(prefix):
        name, _, path = problem.removeprefix(prefix).partition("`")
        return f"{name} must not be null{path.replace(' - at', ' at')}"
    return problem
