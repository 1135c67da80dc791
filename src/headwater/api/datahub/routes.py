"""Routes of DataHub's clients: configuration, aspects, proposals, and their queries of GraphQL."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import unquote

import msgspec
from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater import __version__
from headwater.api.context import Context, ask, context_of, render
from headwater.api.datahub.graphql import PATH, answer_query
from headwater.api.datahub.proposals import take_proposals
from headwater.api.http.json_body import read_json
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.lineage.datahub.find_thing import find_thing
from headwater.lineage.datahub.write_aspect import aspect_of
from headwater.lineage.errors import BadQuestion, NodeNotFound

__all__ = ["PATHS", "ROUTES"]

PATHS = ("/config", "/aspects", "/api/graphql")
"""Where they begin."""
_GROUP = "DataHub's clients"
_URN = "urn:li:dataset:(urn:li:dataPlatform:hive,warehouse.orders,PROD)"
_CONFIG = {
    "noCode": "true",
    "models": {},
    "versions": {"acryldata/datahub": {"version": "v1.3.0", "commit": "headwater"}},
    "statefulIngestionCapable": True,
    "supportsImpactAnalysis": True,
    "patchCapable": True,
    "datahub": {"serverType": "prod"},
    "headwater": {"version": __version__},
}
_Json = Annotated[Any, Meta(description="As DataHub's model has it.")]


class Config(Struct, frozen=True, rename={"no_code": "noCode"}):
    """Server configuration that DataHub's clients read; the names are theirs."""

    no_code: str
    models: dict[str, str]
    versions: dict[str, dict[str, str]]
    statefulIngestionCapable: bool  # noqa: N815 - as DataHub has it
    supportsImpactAnalysis: bool  # noqa: N815
    patchCapable: bool  # noqa: N815
    datahub: dict[str, str]
    headwater: dict[str, str]


class AspectQuery(Struct, frozen=True, kw_only=True):
    aspect: Annotated[str, Meta(description="Its name, for example upstreamLineage.", max_length=100)] = ""
    version: Annotated[int, Meta(description="Only the newest one, 0.")] = 0


class IngestQuery(Struct, frozen=True, kw_only=True):
    action: Annotated[Literal["ingestProposal", "ingestProposalBatch"], Meta(description="One proposal, or several.")]


class Proposal(Struct, frozen=True):
    """An aspect of a thing, as JSON text; its other members are not looked at."""

    entityUrn: str  # noqa: N815
    aspectName: str  # noqa: N815
    changeType: str  # noqa: N815
    aspect: dict[str, str]


class Proposals(Struct, frozen=True, omit_defaults=True):
    proposal: Proposal | None = None
    proposals: list[Proposal] = []


class Query(Struct, frozen=True):
    """One operation of GraphQL, with its input as a variable."""

    query: str
    variables: dict[str, dict[str, _Json]]


class QueryAnswer(Struct, frozen=True, omit_defaults=True):
    data: dict[str, _Json] | None
    errors: list[dict[str, _Json]] = []


class Taken(Struct, frozen=True):
    value: str
    """The URN, or those of a batch with commas between them."""


class Versioned(Struct, frozen=True):
    aspect: dict[str, _Json]
    """By the full name of the aspect, its members."""
    version: int


@declare("What DataHub's clients ask when they connect.", answer=Config, example=_CONFIG, group=_GROUP)
async def get_config(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(_CONFIG)


@declare(
    "An aspect of a thing, as DataHub has it: the keys, and those of lineage.",
    answer=Versioned,
    query=AspectQuery,
    errors=(404,),
    example={
        "aspect": {
            "com.linkedin.metadata.key.DatasetKey": {
                "platform": "urn:li:dataPlatform:hive",
                "name": "warehouse.orders",
                "origin": "PROD",
            }
        },
        "version": 0,
    },
    group=_GROUP,
)
async def get_aspect(request: Request) -> Response:
    context = context_of(request)
    raw = request.scope.get("raw_path") or request.url.path.encode()
    urn = unquote(raw.partition(b"?")[0].decode("latin-1").partition("/aspects/")[2])
    query = read_query(request, AspectQuery)
    aspect = query.aspect
    if query.version:
        raise BadQuestion("Only the newest version of an aspect is answered.", path="?version", hint="Use 0.")
    found = await ask(_aspect, context, urn, aspect)
    if found is None:
        raise NodeNotFound(f"There is no aspect {aspect[:100]!r} of {urn[:300]}.")
    return render(Versioned(found, 0))


@declare(
    "Takes aspects of lineage, whole or as JSON patches. `action` is `ingestProposal` or `ingestProposalBatch`. "
    "Role editor.",
    answer=Taken,
    query=IngestQuery,
    body=Proposals,
    example={"value": _URN},
    body_example={
        "proposal": {
            "entityUrn": _URN,
            "changeType": "UPSERT",
            "aspectName": "upstreamLineage",
            "aspect": {"value": '{"upstreams": []}', "contentType": "application/json"},
        }
    },
    group=_GROUP,
)
async def ingest_proposals(request: Request) -> Response:
    action = read_query(request, IngestQuery).action
    body = await _body(request)
    if action == "ingestProposal":
        proposals = [body.get("proposal")]
    elif action == "ingestProposalBatch" and isinstance(body.get("proposals"), list):
        proposals = body["proposals"]
    else:
        hint = "Use ingestProposal with `proposal`, or ingestProposalBatch with `proposals`."
        raise BadQuestion(f"There is no action {str(action)[:100]!r} for this body.", path="?action", hint=hint)
    urns = await take_proposals(context_of(request), proposals)
    return render(Taken(",".join(dict.fromkeys(urns))))


@declare(
    "Of GraphQL, `updateLineage` (role editor) and `scrollAcrossLineage`.",
    answer=QueryAnswer,
    body=Query,
    example={"data": {"updateLineage": True}},
    body_example={
        "query": "mutation updateLineage($input: UpdateLineageInput!) { updateLineage(input: $input) }",
        "variables": {"input": {"edgesToAdd": [], "edgesToRemove": []}},
    },
    group=_GROUP,
)
async def graphql(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await answer_query(context_of(request), await _body(request)))


def _aspect(context: Context, text: str, aspect: str) -> dict[str, Any] | None:
    env = context.services.datahub_env
    urn, end = find_thing(context.reader, context.tenant.id, text, env)
    return aspect_of(context.reader, context.tenant.id, urn, end, aspect, env)


async def _body(request: Request) -> dict[str, Any]:
    try:
        return read_json(await request.body() or b"{}", dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadQuestion(f"The body cannot be read: {error}.", path="$") from None


ROUTES = [
    Route("/config", get_config),
    Route("/aspects/{urn:path}", get_aspect),
    Route("/aspects", ingest_proposals, methods=["POST"]),
    Route(PATH, graphql, methods=["POST"]),
]
