"""The API described to programs (`/openapi.json`) and, without any script or foreign host, to people (`/docs`)."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from headwater.api.openapi.declare import NoQuery, RouteDeclaration, declare
from headwater.api.openapi.document import Operation, document, operations_of
from headwater.api.openapi.query import read_query
from headwater.lineage.answer.text_types import JsonObject

__all__ = ["INGEST", "ROUTES", "whole_document"]

_EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-01-15T08:00:00Z",
    "run": {"runId": "0197a5b0-7c4e-7d3a-9f21-5c6d7e8f9a0b"},
    "job": {"namespace": "shop", "name": "build_daily_sales"},
    "inputs": [{"namespace": "postgres://db.example.com:5432", "name": "shop.public.orders"}],
    "outputs": [{"namespace": "s3://lake", "name": "sales/daily"}],
    "producer": "https://example.com/first-event",
}


class BatchSummary(msgspec.Struct):
    received: int
    successful: int
    failed: int


class FailedEvent(msgspec.Struct, omit_defaults=True):
    index: int
    reason: str
    retriable: bool
    code: int
    error: str
    path: str | None = None
    hint: str | None = None


class BatchAnswer(msgspec.Struct):
    status: str
    summary: BatchSummary
    failed_events: list[FailedEvent]


_ONE = RouteDeclaration(
    "Take one OpenLineage event (RunEvent, DatasetEvent or JobEvent), or NDJSON.",
    answer=None,
    body=JsonObject,
    status=201,
    errors=(409, 413, 415, 429),
    body_example=_EVENT,
    group="ingest",
)
_MANY = RouteDeclaration(
    "Take many events: an array, or NDJSON.",
    answer=BatchAnswer,
    body=list[JsonObject],
    errors=(413, 415, 429),
    body_example=[_EVENT],
    group="ingest",
)
INGEST: dict[str, RouteDeclaration] = {
    "/api/v1/lineage": _ONE,
    "/api/openlineage": _ONE,
    "/": _ONE,
    "/api/v1/lineage/batch": _MANY,
    "/api/openlineage/batch": _MANY,
}
"""The routes that take events, which do not go through Starlette."""


@cache
def whole_document() -> dict[str, Any]:
    """The document of the whole application."""
    from headwater.api.routes import ROUTES as EVERY_ROUTE  # noqa: PLC0415 - the application lists this module's routes

    taken = [Operation("POST", path, "ingest", declaration) for path, declaration in INGEST.items()]
    return document([*operations_of(EVERY_ROUTE), *taken])


@declare("The API in the form of OpenAPI 3.1.", answer=JsonObject, group="reference")
async def get_openapi(request: Request) -> Response:
    read_query(request, NoQuery)
    return Response(_encoded(), media_type="application/json")


@declare("The API as a page to read.", answer=str, media="text/html", group="reference")
async def get_docs(request: Request) -> Response:
    read_query(request, NoQuery)
    return HTMLResponse(_page())


@cache
def _encoded() -> bytes:
    return msgspec.json.encode(whole_document())


@cache
def _page() -> str:
    groups: dict[str, list[str]] = {}
    for path, methods in whole_document()["paths"].items():
        for method, entry in methods.items():
            groups.setdefault(entry["tags"][0], []).append(_operation(method, path, entry))
    listed = "".join(f'<h2 id="{escape(name)}">{escape(name)}</h2>{"".join(parts)}' for name, parts in groups.items())
    links = " · ".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name in groups)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<title>Headwater API</title><style>body{font:15px/1.5 sans-serif;margin:2em auto;max-width:60em;padding:0 1em}"
        "code{font-size:14px}td,th{text-align:left;padding:.1em 1em .1em 0;vertical-align:top}details{margin:.4em 0}"
        "summary code{font-weight:bold}pre{background:#8881;padding:1em;overflow:auto}</style>"
        f"<h1>Headwater API</h1><p><a href=/openapi.json>/openapi.json</a></p><p>{links}</p>{listed}</html>"
    )


def _operation(method: str, path: str, entry: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(parameter['name'])}</code>{'*' if parameter['required'] else ''}<td>"
        f"{escape(_kind(parameter['schema']))}<td>{escape(parameter.get('description', ''))}"
        for parameter in entry["parameters"]
    )
    statuses = ", ".join(entry["responses"])
    body = entry.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    shown = f"<pre>{escape(msgspec.json.format(msgspec.json.encode(body)).decode())}</pre>" if body else ""
    return (
        f"<details><summary><code>{method.upper()} {escape(path)}</code> {escape(entry['summary'])}</summary>"
        f"<table>{rows}</table>{shown}<p>Answers: {statuses}</p></details>"
    )


def _kind(schema: dict[str, Any]) -> str:
    choices = schema.get("enum") or schema.get("items", {}).get("enum")
    limits = [str(schema[key]) for key in ("minimum", "maximum") if key in schema]
    words = "|".join(map(str, choices)) if choices else schema.get("type", "")
    return f"{words} {' to '.join(limits)}".strip()


ROUTES = [Route("/openapi.json", get_openapi), Route("/docs", get_docs)]
