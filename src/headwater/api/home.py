"""The answer at `/` for programs, and for browsers where the web page was not built."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from headwater import __version__
from headwater.api.context import render
from headwater.api.openapi.declare import declare
from headwater.api.operators.records import HomeAnswer

__all__ = ["ROUTES"]

_PATHS = {
    "/api/v1/namespaces": "where datasets and jobs live",
    "/api/v1/events/lineage": "the events, newest first",
    "/api/v2/datasets": "every dataset",
    "/docs": "all routes, and what they take",
    "/api/v2/dump": "the whole graph, one fact a line",
    "/health/ready": "whether events can be taken",
    "/metrics": "figures for Prometheus",
}


@declare("Places to look: JSON, or a page for a browser.", answer=HomeAnswer, query=None)
async def home(request: Request) -> Response:
    """A list of places to look: HTML for a browser, JSON for everybody else."""
    if "text/html" not in request.headers.get("accept", ""):
        return render({"name": "Headwater", "version": __version__, "places": _PATHS})
    links = "".join(f'<li><a href="{path}">{path}</a>: {about}</li>' for path, about in _PATHS.items())
    return HTMLResponse(
        "<!doctype html><meta charset=utf-8><title>Headwater</title><body style='font:16px/1.5 sans-serif;margin:3em'>"
        f"<h1>Headwater {__version__}</h1>"
        "<p>The web page was not built with this installation: run <code>make web</code> in a checkout "
        "(with Node 20.19 or newer, or without Node: it comes from PyPI), or install a released wheel.</p>"
        f"<p>Send events to <code>POST /api/v1/lineage</code>, then look:</p><ul>{links}</ul>"
    )


ROUTES = [Route("/", home)]
