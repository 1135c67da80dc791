"""Query parameters shared by walking questions: time, and form of the answer."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from headwater.api.openapi.query import Time, present, time_in
from headwater.escaping import csv_cell
from headwater.store.read.shapes.current_shapes import Window

__all__ = ["Direction", "Format", "Name", "WindowQuery", "as_csv", "wants_csv", "window_of"]

Name = Annotated[
    str,
    Meta(
        min_length=1,
        description="A name or id: a dataset, DATASET#COLUMN, job, run, operation or SQL statement.",
        examples=["dataset:s3://lake:sales/daily"],
    ),
]
Direction = Annotated[Literal["upstream", "downstream", "both"], Meta(description="Which way to go.")]
Format = Annotated[Literal["json", "csv"], Meta(description="How the answer is written.")]


class WindowQuery(Struct, frozen=True, kw_only=True):
    since: (
        Annotated[Time, Meta(description="Only what was said at this time or later; of a day, from its beginning.")]
        | None
    ) = None
    until: (
        Annotated[Time, Meta(description="Only what was said at this time or earlier; of a day, to its end.")] | None
    ) = None
    as_of: Annotated[Time, Meta(description="The graph as it was at this time; of a day, at its end.")] | None = None


def window_of(query: WindowQuery) -> Window:
    now = present()
    return Window(
        time_in(query.since, "since", now=now),
        time_in(query.until, "until", "last", now),
        time_in(query.as_of, "as_of", "last", now),
    )


def as_csv(fields: Iterable[str], records: Iterable[dict[str, Any]]) -> Response:
    """Records as a table with a heading; lists are joined by blanks."""
    text = io.StringIO()
    names = list(fields)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, names))
    writer.writerows([[csv_cell(_cell(record.get(name))) for name in names] for record in records])
    return Response(text.getvalue(), media_type="text/csv")


def wants_csv(request: Request, chosen: str | None) -> bool:
    if chosen is not None:
        return chosen == "csv"
    return "text/csv" in request.headers.get("accept", "")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
