"""Query parameters that several lists share."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from headwater.api.openapi.query import Time

__all__ = ["DatasetOrder", "JobOrder", "NodeQuery", "PageQuery", "RunOrder", "RunQuery", "Text", "roles_of"]

Text = Annotated[str, Meta(min_length=1)]
_ORDER = Meta(description="By what the list is sorted; `-` turns it round. What has no such value comes last.")
DatasetOrder = Annotated[
    Literal[
        "name",
        "-name",
        "first_seen",
        "-first_seen",
        "last_seen",
        "-last_seen",
        "last_written",
        "-last_written",
        "runs",
        "-runs",
    ],
    _ORDER,
]
JobOrder = Annotated[
    Literal[
        "name",
        "-name",
        "first_seen",
        "-first_seen",
        "last_seen",
        "-last_seen",
        "status",
        "-status",
        "duration",
        "-duration",
        "runs",
        "-runs",
    ],
    _ORDER,
]
"""Status and duration are those of the newest run."""
RunOrder = Annotated[
    Literal[
        "first_seen",
        "-first_seen",
        "last_seen",
        "-last_seen",
        "started_at",
        "-started_at",
        "ended_at",
        "-ended_at",
        "status",
        "-status",
        "duration",
        "-duration",
    ],
    _ORDER,
]
Status = Literal["UNKNOWN", "STARTED", "SUCCEEDED", "KILLED", "FAILED"]


class PageQuery(Struct, frozen=True, kw_only=True):
    """Of every list."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="How many items at most.")] = 100
    cursor: Annotated[Text, Meta(description="`next` of the page before.")] | None = None
    fields: (
        Annotated[Text, Meta(description="Only these members of the items, with commas between them: `key,name`.")]
        | None
    ) = None
    format: Annotated[Literal["json", "csv"], Meta(description="A table instead, of this page.")] | None = None


class NodeQuery(PageQuery, frozen=True, kw_only=True):
    """Of lists of datasets and jobs."""

    name: Annotated[Text, Meta(description="Text in the name, in any case.", examples=["orders"])] | None = None
    namespace: Annotated[Text, Meta(description="The namespace.", examples=["s3://lake"])] | None = None
    location: (
        Annotated[Text, Meta(description="A namespace: all namespaces of the same location are meant.")] | None
    ) = None
    location_type: Annotated[Text, Meta(description="The kind of place.", examples=["postgres"])] | None = None
    tag: Annotated[
        tuple[Text, ...],
        Meta(
            description="A tag, `key` or `key=value`, of the thing or of a column; several must all be there.",
            examples=["pii"],
        ),
    ] = ()
    owner: Annotated[tuple[Text, ...], Meta(description="An owner, exactly; several must all be there.")] = ()
    hidden: Annotated[bool, Meta(description="With those that somebody hid or deleted.")] = False
    since: (
        Annotated[Time, Meta(description="First seen at this time or later; of a day, from its beginning.")] | None
    ) = None
    until: Annotated[Time, Meta(description="First seen before this time; of a day, to its end.")] | None = None
    aliases: Annotated[bool, Meta(description="With the other names of things that have several.")] = True


class RunQuery(PageQuery, frozen=True, kw_only=True):
    """Of lists of runs and operations."""

    job: Annotated[Text, Meta(description="Name of the job.", examples=["job:shop:build_daily_sales"])] | None = None
    namespace: Annotated[Text, Meta(description="The namespace of the job.")] | None = None
    location: Annotated[Text, Meta(description="A namespace: jobs in all namespaces of the same location.")] | None = (
        None
    )
    dataset: Annotated[Text, Meta(description="Name of a dataset that was read or written.")] | None = None
    role: Annotated[Literal["input", "output"], Meta(description="With `dataset`: only that.")] | None = None
    sql: Annotated[Text, Meta(description="Id of a statement that was executed.")] | None = None
    status: Annotated[tuple[Status, ...], Meta(description="Any of these.", examples=["FAILED"])] = ()
    user: Annotated[Text, Meta(description="Who started it, exactly.")] | None = None
    name: Annotated[Text, Meta(description="Text in its name or its external id, in any case.")] | None = None
    since: (
        Annotated[Time, Meta(description="First seen at this time or later; of a day, from its beginning.")] | None
    ) = None
    until: Annotated[Time, Meta(description="First seen before this time; of a day, to its end.")] | None = None
    counts: Annotated[
        tuple[Literal["status", "user"], ...],
        Meta(description="With the number of items by each value of these, whatever the page."),
    ] = ()
    order: RunOrder = "-first_seen"


def roles_of(role: str | None) -> tuple[int, ...]:
    """As `Role` has them."""
    return {"input": (1,), "output": (2,), "reference": (4,)}.get(role or "", ())
