"""`headwater lineage`: where data comes from, and where it goes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import (
    PICTURES,
    AsOfOption,
    DepthOption,
    DirectionOption,
    PictureOption,
    SinceOption,
    UntilOption,
    answer_of,
    check_format,
    local_metrics,
    window,
)
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("lineage")(lineage)


def lineage(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A name or part of it, dataset:NAMESPACE:NAME, DATASET#COLUMN, job:NAMESPACE:NAME, a run id, or SQL.",
        ),
    ],
    direction: DirectionOption = "both",
    depth: DepthOption = 5,
    granularity: Annotated[
        str | None, typer.Option(help="OPERATION, RUN, JOB, DATASET or COLUMN; default as the start is.")
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    as_of: AsOfOption = None,
    current: Annotated[bool, typer.Option("--current", help="Only what is current: the graph as of now.")] = False,
    columns: Annotated[bool, typer.Option("--columns", help="With the column lineage between datasets.")] = False,
    indirect: Annotated[bool, typer.Option(help="Filters, joins and the like count as column lineage.")] = True,
    masked: Annotated[
        bool | None, typer.Option("--masked/--unmasked", help="Only columns that values reach masked, or bare.")
    ] = None,
    location: Annotated[list[str] | None, typer.Option(help="Only datasets there; may be repeated.")] = None,
    job_type: Annotated[list[str] | None, typer.Option(help="Only flows through jobs of this type.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only datasets and columns with this tag.")] = None,
    origin: Annotated[list[str] | None, typer.Option(help="Only flows of this origin.")] = None,
    symlinks: Annotated[
        str, typer.Option(help="hide: all names of a dataset are one node; keep: each is one.")
    ] = "hide",
    unfold: Annotated[
        bool, typer.Option("--unfold", help="The parts of an application, DAG or dbt invocation as nodes of their own.")
    ] = False,
    show_hidden: Annotated[bool, typer.Option("--show-hidden", help="With edges that somebody hid by hand.")] = False,
    limit: Annotated[int, typer.Option(help="How many nodes at most, each way.")] = 10_000,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: PictureOption = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show where a dataset, column, job, run or statement gets its data from, and where the data goes."""
    check_format(format_, PICTURES)
    if symlinks not in ("hide", "keep"):
        raise typer.BadParameter(f"{symlinks!r} is neither hide nor keep", param_hint="--symlinks")
    fine = granularity.upper() if granularity else None
    times = window(since, until, as_of)
    sent: dict[str, Any] = {"name": name, "direction": direction, "depth": depth, "granularity": fine}
    sent |= {"since": since, "until": until, "as_of": as_of, "columns": columns or None, "masked": masked}
    sent |= {"indirect": None if indirect else False, "location": location, "job_type": job_type, "tag": tag}
    sent |= {"current": current or None, "origin": origin, "symlinks": symlinks, "unfold": unfold or None}
    sent |= {"limit": limit, "show_hidden": show_hidden or None}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.walk.lineage import lineage as ask_lineage

        return ask_lineage(
            reader,
            tenant_id,
            name,
            window=times,
            direction=direction,
            depth=depth,
            granularity=fine,
            current=current,
            columns=columns,
            indirect=indirect,
            masked=masked,
            locations=tuple(location or ()),
            job_types=tuple(job_type or ()),
            tags=tuple(tag or ()),
            origins=tuple(origin or ()),
            shows_hidden=show_hidden,
            keep_symlinks=symlinks == "keep",
            unfold=unfold,
            node_limit=limit,
            metrics=local_metrics(reader),
        )

    answer = answer_of((data, url, tenant, config), "/api/v2/lineage", sent, ask)
    from headwater.cli.output.tree import print_graph

    print_graph(answer, format_)
