"""Verification of a version of an overlay: asked of the overlay each time, and never stored."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.marquez.http.route import view_of
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.peer_turns import turn_of
from headwater.emit.configuration import check_version_id
from headwater.emit.verify import Check, Verification, verify
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.graph.by_node import marquez_lineage

__all__ = ["ROUTES"]


class VerifyAsk(Struct, forbid_unknown_fields=True):
    """A version, and the name of its overlay unless there is only one."""

    version: str
    overlay: str | None = None


class VerifyAnswer(Struct):
    """The outcome and its steps; each passes, fails, or cannot be checked (`unknown`)."""

    version: str
    overlay: str
    outcome: str
    steps: list[Check]


@declare(
    "Verify a version of an overlay against what the overlay answers. Nothing of it is stored.",
    answer=VerifyAnswer,
    body=VerifyAsk,
    errors=(404, 429, 502),
    body_example={"version": "q83vASNFZ4k=", "overlay": "prod"},
    example={
        "version": "q83vASNFZ4k=",
        "overlay": "prod",
        "outcome": "incomplete",
        "steps": [{"name": "transaction", "result": "unknown", "detail": "The bundle has no transaction."}],
    },
)
async def verify_version(request: Request) -> Response:
    read_query(request, NoQuery)
    context, asked = context_of(request), await body_as(request, VerifyAsk)
    check_version_id(asked.version, "$.version")
    with turn_of(context.tenant.id):
        return render(await ask(_verify, context, asked))


def _verify(context: Context, asked: VerifyAsk) -> VerifyAnswer:
    emitter, tenant = context.services.emitter, context.tenant
    overlay = emitter.overlay(tenant.id, asked.overlay)
    client = emitter.client(tenant, overlay)
    bundle, members = client.bundle(asked.version)
    ready = client.ready(asked.version) if overlay.ready else None
    facet_hash, parents = _stored(context, f"overlay:{overlay.name}", asked.version)
    found: Verification = verify(
        bundle, members, ready, facet_hash=facet_hash, volatile=overlay.volatile, parents_shown=parents
    )
    return VerifyAnswer(asked.version, overlay.name, found.outcome, found.steps)


def _stored(context: Context, namespace: str, version: str) -> tuple[str | None, list[str] | None]:
    """The bundle's hash and the parents in events of producers."""
    node = f"dataset:{namespace}:{version}"
    try:
        graph = marquez_lineage(view_of(context), node, 0, producers_only=True)["graph"]
    except NodeNotFound:
        return None, None
    by_id: dict[str, dict[str, Any]] = {found["id"]: found for found in graph}
    for edge in by_id.get(node, {}).get("inEdges", ()):
        job = by_id.get(edge["origin"], {})
        facets = (job.get("data", {}).get("latestRun") or {}).get("facets") or {}
        stated = _decoded(facets.get("gitdataSpv"))
        parents = [one["origin"].removeprefix(f"dataset:{namespace}:") for one in job.get("inEdges", ())]
        known = stated.get("bundleHash")
        return known if isinstance(known, str) else None, parents
    return None, None


def _decoded(raw: Any) -> dict[str, Any]:
    value = msgspec.json.decode(raw) if isinstance(raw, msgspec.Raw) else raw
    return value if isinstance(value, dict) else {}


ROUTES = [Route("/api/v2/emit/verify", verify_version, methods=["POST"])]
