"""Changes by hand: tags, descriptions, owners, hiding; each an event in the log, with a history that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, maker_of, render
from headwater.api.openapi.declare import NoQuery, declare
from headwater.api.openapi.query import read_query
from headwater.api.operators.request_body import body_as
from headwater.api.v2.query.list_page import heading, shown
from headwater.api.v2.query.list_parameters import PageQuery, Text
from headwater.api.v2.records.examples import EDIT_ANSWER, EDIT_ITEM, page_of_one
from headwater.ingest.record_event import record
from headwater.lineage.answer.records import EditAnswer, EditItem, Page
from headwater.lineage.by_hand.ends import End
from headwater.lineage.by_hand.find_ends import find_ends
from headwater.lineage.by_hand.listing import edge_of_text
from headwater.lineage.by_hand.make import thing_event
from headwater.lineage.edits.answer import edit_answer
from headwater.lineage.edits.change import describe_remarks, hide_remarks, own_remarks, tag_remarks
from headwater.lineage.edits.event import EdgeStatement, Remark, notes_event, now
from headwater.lineage.edits.history import list_edits, undo_of
from headwater.lineage.edits.target import EditTarget, find_target
from headwater.openlineage.decode import decode_event

__all__ = ["ROUTES", "Made", "record_change"]

_Tag = Annotated[str, Meta(min_length=1, max_length=200)]
_Owner = Annotated[str, Meta(min_length=1, max_length=200)]
Ask = Callable[[EditTarget], list[Remark]]


class Made(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of every change."""

    reason: Annotated[str, Meta(max_length=1000)] = ""
    by: Annotated[str, Meta(max_length=200)] = ""
    """Author of the change; the name of the key if none is given."""
    via: Literal["API", "CLI", "UI"] = "API"


class _OfThing(Made, frozen=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=8192)]
    """A dataset, DATASET#COLUMN, a job or location:NAMESPACE."""


class TagChange(_OfThing, frozen=True, kw_only=True):
    add: Annotated[list[_Tag], Meta(max_length=100)] = []
    remove: Annotated[list[_Tag], Meta(max_length=100)] = []


class DescribeBody(_OfThing, frozen=True, kw_only=True):
    description: Annotated[str, Meta(max_length=100_000)] = ""
    """If empty, the description by hand is taken back, and that of events applies."""


class OwnBody(_OfThing, frozen=True, kw_only=True):
    add: Annotated[list[_Owner], Meta(max_length=100)] = []
    remove: Annotated[list[_Owner], Meta(max_length=100)] = []


class HideBody(_OfThing, frozen=True, kw_only=True):
    undo: bool = False
    """Show it again."""
    until_heard: bool = False
    """Only until an event names it again, as Marquez deletes."""


class UndoBody(Made, frozen=True, kw_only=True):
    id: Annotated[str, Meta(min_length=1, max_length=100)]


class EditQuery(PageQuery, frozen=True, kw_only=True):
    name: (
        Annotated[Text, Meta(description="Only of this dataset, DATASET#COLUMN, job, location, or edge@ID.")] | None
    ) = None


@declare(
    "Put tags on a dataset, a column or a job, and take others off. Role editor.",
    answer=EditAnswer,
    body=TagChange,
    errors=(404,),
    example=EDIT_ANSWER,
    body_example={"name": "shop.public.customers#email", "add": ["pii"], "reason": "asked by legal"},
)
async def tag(request: Request) -> Response:
    context, body = await _read(request, TagChange)
    return await _change(context, body, lambda it: tag_remarks(*_store(context), it, body.add, body.remove))


@declare(
    "Describe a dataset, a column, a job or a location. Role editor.",
    answer=EditAnswer,
    body=DescribeBody,
    errors=(404,),
    example=EDIT_ANSWER,
    body_example={"name": "shop.public.customers", "description": "One row per customer."},
)
async def describe(request: Request) -> Response:
    context, body = await _read(request, DescribeBody)
    return await _change(context, body, lambda it: describe_remarks(*_store(context), it, body.description))


@declare(
    "Name owners of a dataset, a job or a location, and strike others out. Role editor.",
    answer=EditAnswer,
    body=OwnBody,
    errors=(404,),
    example=EDIT_ANSWER,
    body_example={"name": "shop.public.customers", "add": ["team-crm"]},
)
async def own(request: Request) -> Response:
    context, body = await _read(request, OwnBody)
    return await _change(context, body, lambda it: own_remarks(*_store(context), it, body.add, body.remove))


@declare(
    "Hide a dataset, a job or a location, or show it again. Role editor.",
    answer=EditAnswer,
    body=HideBody,
    errors=(404,),
    example=EDIT_ANSWER,
    body_example={"name": "shop.public.customers_old", "reason": "replaced"},
)
async def hide(request: Request) -> Response:
    context, body = await _read(request, HideBody)

    def remarks(target: EditTarget) -> list[Remark]:
        return hide_remarks(*_store(context), target, undo=body.undo, until_heard=body.until_heard)

    return await _change(context, body, remarks)


@declare(
    "Changes by hand, the newest first.",
    answer=Page[EditItem],
    tables=heading(EditItem),
    query=EditQuery,
    errors=(404,),
    example=page_of_one(EDIT_ITEM),
)
async def get_edits(request: Request) -> Response:
    query = read_query(request, EditQuery)
    return shown(request, query, await ask(_edits, context_of(request), query), EditItem)


@declare(
    "Take a change back, unless another one replaced it. Role editor.",
    answer=EditAnswer,
    body=UndoBody,
    errors=(404,),
    example=EDIT_ANSWER,
    body_example={"id": "edit:5f0c7d3c8d1f2b9e4a6c1d2e3f405162", "reason": "by mistake"},
)
async def undo(request: Request) -> Response:
    context, body = await _read(request, UndoBody)
    found = await ask(undo_of, *_store(context), body.id)
    remarks = [found.remark] if found.remark is not None else []
    edges = [found.edge] if found.edge is not None else []
    stamp = await record_change(context, remarks, body, edges, later_than=found.newest)
    if found.told is not None:
        end = await ask(_end, context, found.shown)
        await record(context.writer, context.tenant, thing_event(now(), end, found.told, is_all=True))
    target = await ask(_known, context, found.shown) if found.edge is None else None
    return render(await ask(edit_answer, *_store(context), target, found.shown, stamp, of_edge=bool(edges)))


async def record_change(
    context: Context, remarks: list[Remark], made: Made, edges: Sequence[EdgeStatement] = (), *, later_than: int = 0
) -> tuple[int, bytes] | None:
    """Append a change to the tenant's log; None if there is nothing to change. Gives time and fingerprint of it."""
    if not remarks and not edges:
        return None
    maker = maker_of(context, by=made.by, reason=made.reason, via=made.via)
    body = notes_event(max(now(), later_than + 1), remarks, maker, edges=edges)
    await record(context.writer, context.tenant, body)
    event = decode_event(body)
    return event.time, event.fingerprint


async def _change(context: Context, body: _OfThing, remarks_of: Ask) -> Response:
    target = await ask(find_target, *_store(context), body.name)
    stamp = await record_change(context, await ask(remarks_of, target), body)
    return render(await ask(edit_answer, *_store(context), target, target.shown, stamp))


async def _read(request: Request, kind: type[Any]) -> tuple[Context, Any]:
    read_query(request, NoQuery)
    return context_of(request), await body_as(request, kind)


def _store(context: Context) -> tuple[Any, int]:
    return context.reader, context.tenant.id


def _known(context: Context, shown: str) -> EditTarget | None:
    """Subject of the change that is taken back, unless it was a tag in general."""
    return find_target(*_store(context), shown) if ":" in shown else None


def _end(context: Context, shown: str) -> End:
    """A thing with information by hand, by its id."""
    found = find_ends(context.reader, context.tenant.id, [shown], context.services.datahub_env)[shown]
    if not isinstance(found, End):
        raise found
    return found


def _edits(context: Context, query: EditQuery) -> Page[EditItem]:
    edge = edge_of_text(query.name)
    if edge is not None:
        return list_edits(*_store(context), edge, query.cursor, query.limit)
    target = find_target(*_store(context), query.name) if query.name is not None else None
    return list_edits(*_store(context), target, query.cursor, query.limit)


ROUTES = [
    Route("/api/v2/tag", tag, methods=["POST"]),
    Route("/api/v2/describe", describe, methods=["POST"]),
    Route("/api/v2/own", own, methods=["POST"]),
    Route("/api/v2/hide", hide, methods=["POST"]),
    Route("/api/v2/edits", get_edits),
    Route("/api/v2/edits/undo", undo, methods=["POST"]),
]
