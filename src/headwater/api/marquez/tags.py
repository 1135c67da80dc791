"""Tags, and putting them on datasets, their fields and jobs."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.access.identity import Role
from headwater.api.authentication.authorize import require
from headwater.api.context import ask, context_of, render
from headwater.api.marquez.http.body import members_of
from headwater.api.marquez.http.describe import describe
from headwater.api.marquez.http.examples import DATASET, JOB, TAG
from headwater.api.marquez.http.query import PageQuery, page_of
from headwater.api.marquez.http.records import DatasetRecord, JobRecord, TagPage, TagRecord
from headwater.api.marquez.http.route import MarquezRoute, record_notes, view_of
from headwater.lineage.edits.change import tag_remarks
from headwater.lineage.edits.event import Remark
from headwater.lineage.edits.target import EditTarget
from headwater.lineage.errors import NodeNotFound
from headwater.lineage.marquez.datasets import find_dataset, load_datasets, render_datasets
from headwater.lineage.marquez.edits import tag, tag_definition
from headwater.lineage.marquez.jobs import find_visible_job, render_jobs
from headwater.lineage.marquez.tags import tag_page
from headwater.lineage.marquez.view import View

__all__ = ["ROUTES"]


class TagBody(Struct):
    description: str | None = None


@describe("Tags by name.", answer=TagPage, query=PageQuery, errors=(404,), example={"tags": [TAG]})
async def list_tags(request: Request) -> Response:
    return render(await ask(tag_page, view_of(context_of(request)), **page_of(request)))


@describe(
    "Make a tag, or describe it.",
    answer=TagRecord,
    body=TagBody,
    body_required=False,
    errors=(413, 422),
    example=TAG,
    body_example={"description": "Personally identifiable information"},
)
async def put_tag(request: Request) -> Response:
    context, name = context_of(request), request.path_params["tag"]
    require(context.identity, Role.EDITOR)
    body = await members_of(request, TagBody)
    await record_notes(context, [tag_definition(name, body.description)])
    return render({"name": name, "description": body.description})


@describe("Put a tag on a dataset or a field of it, or take it off.", answer=DatasetRecord, example=DATASET)
async def tag_dataset(request: Request) -> Response:
    """Put a tag on a dataset or a field of it, or take it off."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.EDITOR)
    remarks = await ask(_dataset_remarks, view_of(context), asked, request.method == "DELETE")
    await record_notes(context, remarks)
    return render(await ask(_dataset, view_of(context), asked))


@describe("Put a tag on a job, or take it off.", answer=JobRecord, example=JOB)
async def tag_job(request: Request) -> Response:
    """Put a tag on a job, or take it off."""
    context, asked = context_of(request), request.path_params
    require(context.identity, Role.EDITOR)
    remarks = await ask(_job_remarks, view_of(context), asked, request.method == "DELETE")
    await record_notes(context, remarks)
    return render(await ask(_job, view_of(context), asked))


def _dataset_remarks(view: View, asked: dict[str, Any], remove: bool) -> list[Remark]:
    """Marquez writes the tags of fields in capitals, and makes a tag that it does not know."""
    name = find_dataset(view, asked["namespace"], asked["dataset"])
    field = asked.get("field", "")
    if field:
        known = load_datasets(view, [name])[0].basics()["fields"]
        if field not in {item["name"] for item in known}:
            raise NodeNotFound(f"Field '{field}' not found for dataset '{asked['dataset']}'.")
    label = asked["tag"].upper() if field else asked["tag"]
    if remove:
        target = EditTarget("DATASET", name.node_id, name.namespace, name.name, field, frozenset((name.id,)))
        return tag_remarks(view.reader, view.tenant, target, [], [label])
    return [tag("DATASET", name.namespace, name.name, label, column=field), *_definition(view, asked["tag"])]


def _job_remarks(view: View, asked: dict[str, Any], remove: bool) -> list[Remark]:
    job = find_visible_job(view, asked["namespace"], asked["job"])
    own = view.names([job.id])[job.id]
    if remove:
        target = EditTarget("JOB", own.node_id, own.namespace, own.name, "", frozenset((own.id,)))
        return tag_remarks(view.reader, view.tenant, target, [], [asked["tag"]])
    return [tag("JOB", own.namespace, own.name, asked["tag"]), *_definition(view, asked["tag"])]


def _definition(view: View, name: str) -> list[Remark]:
    known = {item["name"].upper() for item in tag_page(view, limit=1 << 31, offset=0)["tags"]}
    return [] if name.upper() in known else [tag_definition(name, None)]


def _dataset(view: View, asked: dict[str, Any]) -> dict[str, Any]:
    name = find_dataset(view, asked["namespace"], asked["dataset"])
    return render_datasets(view, load_datasets(view, [name]))[0]


def _job(view: View, asked: dict[str, Any]) -> dict[str, Any]:
    return render_jobs(view, [find_visible_job(view, asked["namespace"], asked["job"]).id], with_runs=False)[0]


_DATASET = "/api/v1/namespaces/{namespace}/datasets/{dataset}"
ROUTES = [
    MarquezRoute("/api/v1/tags", list_tags, ["GET"]),
    MarquezRoute("/api/v1/tags/{tag}", put_tag, ["PUT"]),
    MarquezRoute(f"{_DATASET}/tags/{{tag}}", tag_dataset, ["POST", "DELETE"]),
    MarquezRoute(f"{_DATASET}/fields/{{field}}/tags/{{tag}}", tag_dataset, ["POST", "DELETE"]),
    MarquezRoute("/api/v1/namespaces/{namespace}/jobs/{job}/tags/{tag}", tag_job, ["POST", "DELETE"]),
]
