"""Responses for errors: no route, wrong method, unavailable database, defects."""

from __future__ import annotations

import logging

from starlette.requests import Request
from starlette.responses import Response

from headwater.api.context import render
from headwater.api.errors import NotAllowed, error_body
from headwater.api.marquez.http.refuse import NOT_FOUND, NOT_TAKEN
from headwater.api.marquez.routes import PATHS as MARQUEZ_PATHS
from headwater.errors import HeadwaterError
from headwater.lineage.errors import NodeNotFound
from headwater.store.dialects.failures import StoreUnavailable, is_outage, reason_of

__all__ = ["error_response", "failed", "gone", "no_method", "no_route", "no_store"]

_log = logging.getLogger("headwater.api.app")


def error_response(_: Request, error: Exception) -> Response:
    failure = error if isinstance(error, HeadwaterError) else HeadwaterError(str(error))
    status, body, headers = error_body(failure)
    return Response(body, status, {name.decode(): value.decode() for name, value in headers})


def no_route(request: Request, _: Exception) -> Response:
    if request.url.path.startswith(MARQUEZ_PATHS):
        return render(NOT_FOUND, 404)
    return error_response(
        request, NodeNotFound(f"There is nothing at {request.url.path}.", hint="See docs/reference/http.md.")
    )


def no_method(request: Request, error: Exception) -> Response:
    response = (
        render(NOT_TAKEN, 405)
        if request.url.path.startswith(MARQUEZ_PATHS)
        else error_response(request, NotAllowed(f"{request.method} is not allowed at {request.url.path}."))
    )
    response.headers.update(getattr(error, "headers", None) or {})
    return response


def no_store(request: Request, error: Exception) -> Response:
    """A question that the database could not answer. It may be back in a moment; anything else is a defect."""
    if not is_outage(error):
        return failed(request, error)
    _log.error("the store does not answer", extra={"reason": reason_of(error), "route": request.url.path})
    return error_response(
        request,
        StoreUnavailable("The database does not answer now.", hint="Ask again after the time in Retry-After."),
    )


def gone(_: Request, __: Exception) -> Response:
    """The client left before its request was complete; nobody reads this."""
    return Response(status_code=400)


def failed(request: Request, error: Exception) -> Response:
    _log.error("a request failed", exc_info=error, extra={"route": request.url.path})
    return error_response(
        request, HeadwaterError("The server failed to answer this request.", hint="Its log has the details.")
    )
