"""The asset graph: lists, one asset, its children, and its dependents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.api.context import Context, ask, context_of, render
from headwater.api.openapi.declare import declare
from headwater.api.openapi.query import read_query
from headwater.api.v2.query.list_parameters import Text
from headwater.api.v2.records.asset_examples import ASSET, ASSET_TREE, ASSET_WALK, ASSETS
from headwater.lineage.assets.questions import KINDS, asset_tree, asset_walk, list_assets, show_asset, with_results
from headwater.lineage.assets.records import AssetDetails, AssetPage, AssetTree, AssetWalk
from headwater.store.models.attached import AttachedResults

__all__ = ["ROUTES"]

_T = TypeVar("_T")
_Kind = Literal[KINDS]  # type: ignore[valid-type]
_AssetName = Annotated[
    Text, Meta(description="The id of an asset, or a name that only one has.", examples=["s3://lake:raw/orders"])
]


class AssetsQuery(Struct, frozen=True, kw_only=True):
    kind: Annotated[_Kind, Meta(description="Only assets of this kind.")] | None = None
    q: Annotated[Text, Meta(description="Text in the name or id, in any case.", examples=["orders"])] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="How many items at most.")] = 100
    cursor: Annotated[Text, Meta(description="`next` of the page before.")] | None = None


class AssetQuery(Struct, frozen=True, kw_only=True):
    name: _AssetName


class AssetTreeQuery(Struct, frozen=True, kw_only=True):
    name: _AssetName | None = None
    depth: Annotated[int, Meta(ge=1, le=5, description="How many steps down.")] = 2


class AssetWalkQuery(Struct, frozen=True, kw_only=True):
    name: _AssetName
    direction: Annotated[
        Literal["upstream", "downstream"], Meta(description="What it depends on, or what depends on it.")
    ] = "downstream"
    depth: Annotated[int, Meta(ge=1, le=50, description="How many steps to go.")] = 10
    limit: Annotated[int, Meta(ge=1, le=10_000, description="How many assets at most.")] = 1000


@declare("Assets by name.", answer=AssetPage, query=AssetsQuery, example=ASSETS, group="Assets")
async def get_assets(request: Request) -> Response:
    query = read_query(request, AssetsQuery)

    def work(context: Context) -> AssetPage:
        return list_assets(
            context.services.assets.graph,
            context.tenant.id,
            kind=query.kind,
            text=query.q,
            cursor=query.cursor,
            limit=query.limit,
        )

    return await _answer(request, work)


@declare(
    "One asset with its properties and edges.",
    answer=AssetDetails,
    query=AssetQuery,
    example=ASSET,
    errors=(404,),
    group="Assets",
)
async def get_asset(request: Request) -> Response:
    query = read_query(request, AssetQuery)

    def work(context: Context) -> AssetDetails:
        tenant = context.tenant.id
        shown = show_asset(context.services.assets.graph, tenant, query.name)
        return with_results(AttachedResults(context.reader.engine), tenant, shown)

    return await _answer(request, work)


@declare(
    "What is in the tenant, a catalog, a schema or a table.",
    answer=AssetTree,
    example=ASSET_TREE,
    query=AssetTreeQuery,
    errors=(404,),
    group="Assets",
)
async def get_asset_tree(request: Request) -> Response:
    query = read_query(request, AssetTreeQuery)
    return await _answer(
        request,
        lambda context: asset_tree(context.services.assets.graph, context.tenant.id, query.name, depth=query.depth),
    )


@declare(
    "Columns and metrics that an asset depends on, or that depend on it.",
    answer=AssetWalk,
    example=ASSET_WALK,
    query=AssetWalkQuery,
    errors=(404,),
    group="Assets",
)
async def get_asset_walk(request: Request) -> Response:
    query = read_query(request, AssetWalkQuery)

    def work(context: Context) -> AssetWalk:
        return asset_walk(
            context.services.assets.graph,
            context.tenant.id,
            query.name,
            direction=query.direction,
            depth=query.depth,
            limit=query.limit,
        )

    return await _answer(request, work)


async def _answer(request: Request, work: Callable[[Context], Any]) -> Response:
    return render(await ask(_caught_up, context_of(request), work))


def _caught_up(context: Context, work: Callable[[Context], _T]) -> _T:
    """The answer, after all that was committed before is in the graph."""
    context.services.assets.follow([context.tenant.id])
    return work(context)


ROUTES = [
    Route("/api/v2/assets", get_assets),
    Route("/api/v2/assets/show", get_asset),
    Route("/api/v2/assets/tree", get_asset_tree),
    Route("/api/v2/assets/walk", get_asset_walk),
]
