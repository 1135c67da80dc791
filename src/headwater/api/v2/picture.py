"""A picture: datasets around a start, the flows between them, jobs and columns, in one answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.http.json_body import read_json
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import present, read_query, refuse_unknown, time_in
from headwater.api.v2.query.moment_parameters import Direction, Name, WindowQuery, window_of
from headwater.api.v2.records.picture_examples import PICTURE
from headwater.lineage.errors import BadQuestion
from headwater.lineage.names.find import parse_run_id
from headwater.lineage.picture.answer import Granularity, Picture
from headwater.lineage.picture.options import MOST_EXPANSIONS, MOST_NODES, MOST_STEPS, PictureOptions
from headwater.lineage.picture.picture import compared_picture, picture

__all__ = ["PATH", "ROUTES", "as_query"]

PATH = "/api/v2/picture"
_LARGEST = 64 << 10
"""Bytes of the body of a question."""
_Text = Annotated[str, Meta(min_length=1, max_length=2_000)]


class PictureQuery(WindowQuery, frozen=True, kw_only=True):
    name: Name
    direction: Direction = "both"
    steps: Annotated[
        int, Meta(ge=0, le=MOST_STEPS, description="How many steps to go; each is from dataset to dataset.")
    ] = 1
    granularity: Annotated[
        Granularity,
        Meta(description="The nodes: datasets alone, with jobs or applications between them, or with runs."),
    ] = "DATASET"
    current: Annotated[bool, Meta(description="Only what is current: the graph as of now.")] = False
    columns: Annotated[
        Literal["none", "lit", "all"],
        Meta(description="Columns of the nodes and edges between them: none, those on the path of `column`, or all."),
    ] = "none"
    column: (
        Annotated[
            _Text,
            Meta(description="With columns=lit: a column of the start, DATASET#COLUMN or a key."),
        ]
        | None
    ) = None
    columns_of: Annotated[
        tuple[_Text, ...],
        Meta(
            max_length=MOST_EXPANSIONS,
            description="Columns of the nodes with these keys alone, and the edges to and from them.",
            examples=["dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f"],
        ),
    ] = ()
    compared_to: (
        Annotated[
            _Text,
            Meta(
                description="A moment, or the id of a run: everything says what changed since, or differs from it.",
                examples=["2026-01-15T08:00:00Z"],
            ),
        ]
        | None
    ) = None
    fold: (
        Annotated[
            Literal["jobs", "applications", "none"],
            Meta(description="Jobs as members of flows, applications in place of their parts, or jobs as nodes."),
        ]
        | None
    ) = None
    hide: Annotated[
        tuple[_Text, ...],
        Meta(description="Not drawn: `temporary`, `tool`, or names like this.", examples=["temporary"]),
    ] = ()
    expand: Annotated[
        tuple[_Text, ...],
        Meta(
            max_length=MOST_EXPANSIONS,
            description="KEY:upstream, KEY:downstream or KEY: one more step from that node.",
            examples=["dataset@2d9c3b5e7f104c1d8e6f0a1b2c3d4e5f:upstream"],
        ),
    ] = ()
    limit: Annotated[int, Meta(ge=1, le=MOST_NODES, description="How many nodes at most.")] = 500
    ends: Annotated[
        bool, Meta(description="Only the start and end points: what nothing flows into, or out of; the rest folded.")
    ] = False


@declare(
    "A picture of what is around something: nodes, flows, jobs, columns, and what was left out.",
    answer=Picture,
    query=PictureQuery,
    errors=(404,),
    example=PICTURE,
    group="Questions",
)
async def get_picture(request: Request) -> Response:
    return render(await _picture(context_of(request), read_query(request, PictureQuery)))


@declare(
    "The same with the parameters as members of a JSON object, for those that are too long for an address.",
    answer=Picture,
    body=PictureQuery,
    errors=(404,),
    example=PICTURE,
    body_example={"name": "s3://lake:sales/daily", "steps": 2, "hide": ["temporary"]},
    group="Questions",
)
async def post_picture(request: Request) -> Response:
    read_query(request, NoQuery)
    return render(await _picture(context_of(request), _read(await request.body())))


def as_query(scope: Any, body: bytes) -> Any:
    """A question that was posted as the same one by GET, so that it is answered where all questions are."""
    refuse_unknown(Request(scope), ())
    sent = msgspec.structs.asdict(_read(body))
    pairs = [(name, _text(one)) for name, value in sent.items() for one in _all(value)]
    asked = scope["query_string"].decode("latin-1")
    query = "&".join(filter(None, (asked, urlencode(pairs))))
    return {**scope, "method": "GET", "query_string": query.encode("latin-1")}


async def _picture(context: Context, query: PictureQuery) -> Picture:
    options = PictureOptions(
        direction=query.direction,
        steps=query.steps,
        granularity=query.granularity,
        window=window_of(query),
        current=query.current,
        columns="all" if query.columns_of and query.columns == "none" else query.columns,
        column=query.column,
        columns_of=query.columns_of,
        fold=query.fold,
        hide=query.hide,
        expand=query.expand,
        limit=query.limit,
        ends=query.ends,
    )
    if query.compared_to is None:
        return await ask(picture, context.reader, context.tenant.id, query.name, options)
    run = query.compared_to if parse_run_id(query.compared_to) is not None else None
    before = None if run is not None else time_in(query.compared_to, "compared_to", "last", present())
    return await ask(
        compared_picture,
        context.reader,
        context.tenant.id,
        query.name,
        options,
        moment_before=before,
        run_before=run,
    )


def _read(body: bytes) -> PictureQuery:
    if len(body) > _LARGEST:
        raise BadQuestion(f"The body has {len(body)} bytes; {_LARGEST} is the most.", path="$")
    try:
        sent = read_json(body, dict[str, Any])
        known = {field.name for field in msgspec.structs.fields(PictureQuery)}
        unknown = sorted(sent.keys() - known)
        if unknown:
            raise BadQuestion(
                f"There is no member {unknown[0][:100]!r} here.",
                path=f"$.{unknown[0][:100]}",
                hint=f"Known are: {', '.join(sorted(known))}.",
            )
        return msgspec.convert(sent, PictureQuery)
    except msgspec.DecodeError as error:
        raise BadQuestion(f"The body cannot be read: {error}.", path="$", hint="See docs/reference/http.md.") from None


def _all(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [] if value is None else [value]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


ROUTES = [Route(PATH, get_picture), Route(PATH, post_picture, methods=["POST"])]
