"""Trino: a query is a run and its only operation."""

from __future__ import annotations

from msgspec import Struct

from headwater.interpret.details import BOTH, Details
from headwater.openlineage.facets import read_facet

__all__ = ["refine"]

_RUN = "$.run.facets"


class QueryContext(Struct, frozen=True, gc=False):
    user: str | None = None
    principal: str | None = None
    source: str | None = None
    query_type: str | None = None


class QueryMetadata(Struct, frozen=True, gc=False):
    query_id: str | None = None
    uri: str | None = None


def refine(details: Details) -> None:
    event = details.event
    context = read_facet(QueryContext, event.run_facets, "trino_query_context", _RUN, event.warnings)
    metadata = read_facet(QueryMetadata, event.run_facets, "trino_metadata", _RUN, event.warnings)
    details.activity = BOTH
    details.name = event.job.name if event.job else None
    if context is not None:
        details.user = context.user or context.principal
        details.group = context.query_type
        details.description = context.source
    if metadata is not None:
        details.external_id = metadata.query_id or details.external_id
        details.running_log_url = metadata.uri
