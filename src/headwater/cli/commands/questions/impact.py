"""`headwater impact`: everything that breaks if a thing changes or goes."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import (
    AsOfOption,
    SinceOption,
    UntilOption,
    answer_of,
    check_format,
    local_metrics,
    window,
)
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]

_FORMATS = ("table", "json", "csv")
_SHOWN = ("id", "kind", "distance", "paths", "transformations", "masked", "owners", "last_used")


def register(app: typer.Typer) -> None:
    app.command("impact")(impact)


def impact(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A dataset, or DATASET#COLUMN; not needed with --tag.")
    ] = None,
    tag: Annotated[str | None, typer.Option(help="All columns that carry this tag.")] = None,
    columns: Annotated[
        bool, typer.Option("--columns", help="Of a dataset: columns instead of datasets and jobs.")
    ] = False,
    masked: Annotated[
        bool | None, typer.Option("--masked/--unmasked", help="Only columns that values reach masked, or bare.")
    ] = None,
    depth: Annotated[int, typer.Option("--depth", help="How many steps to go, 1 to 50.")] = 50,
    order: Annotated[
        str, typer.Option("--order", "--sort", help="distance, paths, id, kind or last_used; -paths turns it round.")
    ] = "distance",
    since: SinceOption = None,
    until: UntilOption = None,
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option(help="How many nodes are looked at.")] = 10_000,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List everything that a change of a dataset or column affects, and the metrics that break with it."""
    check_format(format_, _FORMATS)
    times = window(since, until, as_of)
    sent: dict[str, Any] = {"name": name, "tag": tag, "columns": columns or None, "masked": masked, "depth": depth}
    sent |= {"order": order, "since": since, "until": until, "as_of": as_of, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.impact.impact import impact as ask_impact

        options: dict[str, Any] = {
            "tag": tag,
            "masked": masked,
            "by_column": columns,
            "depth": depth,
            "order": order,
            "limit": limit,
        }
        return ask_impact(reader, tenant_id, name, window=times, metrics=local_metrics(reader), **options)

    answer = answer_of((data, url, tenant, config), "/api/v2/impact", sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.tree import print_csv, print_metrics, print_note, print_unknown_masking

    if format_ == "json":
        print_json(answer)
    elif format_ == "csv":
        print_csv(answer["affected"], ("namespace", "name", "column"))
    else:
        print_table([_shown_entry(entry) for entry in answer["affected"]], _SHOWN)
        print_metrics(answer["metrics"])
        for silent in answer["without_columns"]:
            print_note(f"{silent['dataset']} is also used without column lineage by {', '.join(silent['jobs'])}")
        if answer["truncated"]:
            print_note(f"cut short: {sum(answer['left_out'].values())} were left out")
    if format_ != "json" and masked is not None:
        print_unknown_masking(answer["masking_unknown"])


def _shown_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with the kind of a chart or dashboard; its masking is unknown unless stated."""
    word = (entry["dataset_type"] or "").lower()
    kind = next((known for known in ("dashboard", "chart") if known in word), entry["kind"])
    return {**entry, "kind": kind, **({"masked": "unknown"} if entry["masking_unknown"] else {})}
