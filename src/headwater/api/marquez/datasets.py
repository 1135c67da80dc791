"""Datasets and their versions."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, maker_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import DATASET, DATASET_BODY, DATASET_VERSION
from headwater.api.marquez.http.query import PageQuery, page_of
from headwater.api.marquez.http.records import DatasetPage, DatasetRecord, DatasetVersionPage, DatasetVersionRecord
from headwater.api.marquez.http.refuse import known_id
from headwater.api.marquez.http.remarks import under_policy
from headwater.api.marquez.http.route import MarquezRoute, record_all, record_notes, view_of
from headwater.graph.facts import Run
from headwater.lineage.edits.event import Remark, notes_event, now
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import dataset_page, find_dataset, load_datasets, render_datasets
from headwater.lineage.marquez.edits import dataset_event, hide, run_event, tag
from headwater.lineage.marquez.logged_event import API
from headwater.lineage.marquez.namespaces import namespace_exists
from headwater.lineage.marquez.sources import one_source
from headwater.lineage.marquez.version.dataset_versions import one_version, versions_page
from headwater.lineage.marquez.view import View
from headwater.openlineage.identity import run_uuid

__all__ = ["ROUTES"]


class FieldBody(Struct, rename="camel"):
    name: str
    type: str | None = None
    tags: list[str] | None = None
    description: str | None = None


class DatasetBody(Struct, rename="camel"):
    type: str
    physical_name: str
    source_name: str
    fields: list[FieldBody] | None = None
    tags: list[str] | None = None
    description: str | None = None
    run_id: str | None = None


@describe(
    "Datasets of a namespace, by name.",
    answer=DatasetPage,
    query=PageQuery,
    example={"datasets": [DATASET], "totalCount": 1},
)
async def list_datasets(request: Request) -> Response:
    view, namespace = view_of(context_of(request)), request.path_params["namespace"]
    return render(await ask(_page, view, namespace, **page_of(request)))


@describe("One dataset.", answer=DatasetRecord, example=DATASET)
async def get_dataset(request: Request) -> Response:
    return render(await ask(_one, view_of(context_of(request)), **request.path_params))


@describe(
    "Describe a dataset by hand.",
    answer=DatasetRecord,
    body=DatasetBody,
    errors=(413, 422),
    example=DATASET,
    body_example=DATASET_BODY,
)
async def put_dataset(request: Request) -> Response:
    """Describe a dataset by hand: its namespace, its source and, if one is named, its run must be there."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.WRITER)
    body, maker = await members_of(request, DatasetBody), maker_of(context, via="MARQUEZ")
    events, remarks = await ask(_described, view_of(context), asked["namespace"], asked["dataset"], body)
    remarks = under_policy(remarks, context.tenant.facet_policy)
    await record_all(context, *events, *([notes_event(now(), remarks, maker, API)] if remarks else []))
    return render(await ask(_one, view_of(context), **asked))


@describe("Hide a dataset until it is heard of again.", answer=DatasetRecord, example=DATASET)
async def delete_dataset(request: Request) -> Response:
    """Hide it until the next event about it."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.EDITOR)
    found = await ask(_one, view_of(context), **asked)
    remark = hide("DATASET", found["namespace"], found["name"])
    await record_notes(context, [remark])
    return render(found)


@describe(
    "Versions of a dataset, newest first.",
    answer=DatasetVersionPage,
    query=PageQuery,
    example={"versions": [DATASET_VERSION], "totalCount": 1},
)
async def list_versions(request: Request) -> Response:
    return render(await ask(_versions, view_of(context_of(request)), **request.path_params, **page_of(request)))


@describe("One version of a dataset.", answer=DatasetVersionRecord, example=DATASET_VERSION)
async def get_version(request: Request) -> Response:
    return render(await ask(_version, view_of(context_of(request)), **request.path_params))


def _page(view: View, namespace: str, *, limit: int, offset: int) -> dict[str, Any]:
    _known(view, namespace)
    return dataset_page(view, namespace, limit=limit, offset=offset)


def _one(view: View, *, namespace: str, dataset: str) -> dict[str, Any]:
    _known(view, namespace)
    return render_datasets(view, load_datasets(view, [find_dataset(view, namespace, dataset)]))[0]


def _versions(view: View, *, namespace: str, dataset: str, limit: int, offset: int) -> dict[str, Any]:
    _known(view, namespace)
    return versions_page(view, find_dataset(view, namespace, dataset), limit=limit, offset=offset)


def _version(view: View, *, namespace: str, dataset: str, version: str) -> dict[str, Any]:
    _known(view, namespace)
    return one_version(view, find_dataset(view, namespace, dataset), known_id(version))


def _known(view: View, namespace: str) -> None:
    if not namespace_exists(view, namespace):
        raise NodeNotFound(f"Namespace '{namespace}' not found.")


def _described(view: View, namespace: str, name: str, body: DatasetBody) -> tuple[list[bytes], list[Remark]]:
    """Events and remarks that describe a dataset by hand."""
    _known(view, namespace)
    source = one_source(view, body.source_name)
    at = now()
    fields = [{"name": field.name, "type": field.type, "description": field.description} for field in body.fields or ()]
    stated = {"name": body.source_name, "uri": source["connectionUrl"]}
    events = [dataset_event(at, namespace, name, fields=fields, source=stated, description=body.description)]
    if body.run_id is not None:
        events.append(_written(view, body.run_id, namespace, name, at))
    remarks = [
        Remark("DATASET", "type", body.type, namespace, name),
        Remark("DATASET", "physicalName", body.physical_name, namespace, name),
        *(tag("DATASET", namespace, name, label) for label in body.tags or ()),
        *(
            tag("DATASET", namespace, name, label.upper(), column=field.name)
            for field in body.fields or ()
            for label in field.tags or ()
        ),
    ]
    return events, remarks


def _written(view: View, run: str, namespace: str, name: str, at: int) -> bytes:
    found = view.facts(Run, run=run_uuid(run).bytes)
    job = view.names([found[0].job]).get(found[0].job) if found and found[0].job else None
    if job is None:
        raise NodeNotFound(f"Run '{run}' not found.")
    dataset = {"namespace": namespace, "name": name}
    return run_event(
        at, run, {"namespace": job.namespace, "name": job.name}, kind="RUNNING", inputs=[], outputs=[dataset]
    )


_DATASETS = "/api/v1/namespaces/{namespace}/datasets"
ROUTES = [
    MarquezRoute(_DATASETS, list_datasets, ["GET"]),
    MarquezRoute(f"{_DATASETS}/{{dataset}}", get_dataset, ["GET"]),
    MarquezRoute(f"{_DATASETS}/{{dataset}}", put_dataset, ["PUT"]),
    MarquezRoute(f"{_DATASETS}/{{dataset}}", delete_dataset, ["DELETE"]),
    MarquezRoute(f"{_DATASETS}/{{dataset}}/versions", list_versions, ["GET"]),
    MarquezRoute(f"{_DATASETS}/{{dataset}}/versions/{{version}}", get_version, ["GET"]),
]
