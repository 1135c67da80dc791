"""Namespaces."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import NAMESPACE
from headwater.api.marquez.http.query import PageQuery, page_of
from headwater.api.marquez.http.records import NamespacePage, NamespaceRecord
from headwater.api.marquez.http.remarks import under_policy
from headwater.api.marquez.http.route import MarquezRoute, record_notes, view_of
from headwater.lineage.edits.event import Remark
from headwater.lineage.marquez.edits import hide
from headwater.lineage.marquez.namespaces import namespace_page, one_namespace

__all__ = ["ROUTES"]


class NamespaceBody(Struct, rename="camel"):
    owner_name: str
    description: str | None = None


@describe(
    "Namespaces by name, the deleted ones too.",
    answer=NamespacePage,
    query=PageQuery,
    errors=(404,),
    example={"namespaces": [NAMESPACE]},
)
async def list_namespaces(request: Request) -> Response:
    return render(await ask(namespace_page, view_of(context_of(request)), **page_of(request)))


@describe("One namespace.", answer=NamespaceRecord, example=NAMESPACE)
async def get_namespace(request: Request) -> Response:
    return render(await ask(one_namespace, view_of(context_of(request)), request.path_params["namespace"]))


@describe(
    "Make a namespace, or say whose it is.",
    answer=NamespaceRecord,
    body=NamespaceBody,
    errors=(413, 422),
    example=NAMESPACE,
    body_example={"ownerName": "team-shop", "description": "All of the shop."},
)
async def put_namespace(request: Request) -> Response:
    context, name = context_of(request), request.path_params["namespace"]
    require(context.identity, Role.WRITER)
    body = await members_of(request, NamespaceBody)
    remarks = [Remark("NAMESPACE", "owner", body.owner_name, name), hide("NAMESPACE", name, undo=True)]
    if body.description is not None:
        remarks.append(Remark("NAMESPACE", "description", body.description, name))
    await record_notes(context, under_policy(remarks, context.tenant.facet_policy))
    return render(await ask(one_namespace, view_of(context), name))


@describe("Hide a namespace and what is in it.", answer=NamespaceRecord, example=NAMESPACE)
async def delete_namespace(request: Request) -> Response:
    """Hide it, and all that is in it."""
    context, name = context_of(request), request.path_params["namespace"]
    require(context.identity, Role.EDITOR)
    found = await ask(one_namespace, view_of(context), name)
    await record_notes(context, [hide("NAMESPACE", name)])
    return render(found)


ROUTES = [
    MarquezRoute("/api/v1/namespaces", list_namespaces, ["GET"]),
    MarquezRoute("/api/v1/namespaces/{namespace}", get_namespace, ["GET"]),
    MarquezRoute("/api/v1/namespaces/{namespace}", put_namespace, ["PUT"]),
    MarquezRoute("/api/v1/namespaces/{namespace}", delete_namespace, ["DELETE"]),
]
