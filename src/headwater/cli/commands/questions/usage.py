"""`headwater usage`: how much a dataset is read and written or a job runs, by day, and which statements ran most."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

import typer

from headwater.cli.client.complete import complete_name
from headwater.cli.client.question import Target, answer_of, check_format, moment
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register", "sparkline"]

_FORMATS = ("table", "json", "csv")
_BARS = "▁▂▃▄▅▆▇█"
_OF_STATEMENTS = ("runs", "failed", "duration_ms", "last_run", "jobs", "id", "text")
_TEXT = 80
_WIDEST = 90
"""Days of a sparkline."""


def register(app: typer.Typer) -> None:
    app.command("usage")(usage)


def usage(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A dataset or a job; not with --sql.", autocompletion=complete_name),
    ] = None,
    sql: Annotated[bool, typer.Option("--sql", help="Instead: the statements that ran most.")] = False,
    since: Annotated[str | None, typer.Option("--since", help="From the day of this time on.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="To the day of this time, which counts too.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many days (the newest) or statements.")] = 90,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show by day how much a dataset is read and written, or how a job runs; or which statements ran most."""
    check_format(format_, _FORMATS)
    if sql is (name is not None):
        raise typer.BadParameter("name a dataset or a job, or say --sql for statements", param_hint="NAME")
    if sql:
        _statements((data, url, tenant, config), since, until, limit, format_)
    else:
        _series((data, url, tenant, config), name or "", since, until, limit, format_)


def _statements(target: Target, since: str | None, until: str | None, limit: int, format_: str) -> None:
    times = moment(since, "--since"), moment(until, "--until", "last")
    sent: dict[str, Any] = {"order": "-runs", "since": since, "until": until, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        import msgspec

        from headwater.lineage.lists.listing import list_statements
        from headwater.lineage.lists.series import days_between
        from headwater.store.read.lists.catalog import SqlFilter

        wanted = SqlFilter(days=days_between(*times))
        return msgspec.to_builtins(list_statements(reader, tenant_id, wanted, "-runs", None, limit))

    answer = answer_of(target, "/api/v2/sql", sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.tree import print_csv

    if format_ == "json":
        print_json(answer)
        return
    rows = [{**item, **(item["use"] or {}), "text": " ".join(item["text"].split())} for item in answer["items"]]
    if format_ == "csv":
        print_csv(rows, (), _OF_STATEMENTS)
    else:
        short = [{**row, "text": row["text"][:_TEXT] + "…" * (len(row["text"]) > _TEXT)} for row in rows]
        print_table(short, _OF_STATEMENTS)
    _say_how_fresh(answer["freshness"], is_empty=not any(item["use"] for item in answer["items"]))


def _series(target: Target, name: str, since: str | None, until: str | None, limit: int, format_: str) -> None:
    times = {"since": moment(since, "--since"), "until": moment(until, "--until", "last")}
    sent: dict[str, Any] = {"name": name, "since": since, "until": until, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.lists.series import series

        return series(reader, tenant_id, name, **times, limit=limit)

    answer = answer_of(target, "/api/v2/series", sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.terminal import say
    from headwater.cli.output.tree import print_csv, print_note
    from headwater.lineage.lists.series import fields_of

    fields, days = fields_of(answer["kind"]), answer["days"]
    if format_ == "json":
        print_json(answer)
        return
    if format_ == "csv":
        print_csv(days, (), fields)
    else:
        for word in ("runs",) if answer["kind"] == "job" else ("writes", "reads"):
            say(f"{word:6} {sparkline({day['day']: day[word] for day in days})}".rstrip())
        print_table(days, tuple(field for field in fields if any(day[field] is not None for day in days)))
    _say_how_fresh(answer["freshness"], is_empty=not days)
    if answer["truncated"]:
        print_note(f"only the newest {limit} days; --limit and --until show others")


def _say_how_fresh(freshness: dict[str, Any] | None, *, is_empty: bool) -> None:
    from headwater.cli.output.tree import print_note

    if freshness is not None:
        print_note(f"summed up at {freshness['updated_at']}")
    elif is_empty:
        print_note("nothing was summed up yet: `headwater pipeline rollup` does, `headwater up` keeps it up to date")


def sparkline(counts: dict[str, int]) -> str:
    """One character a day up to the last one; a day on which nothing happened is a blank.

    >>> sparkline({"2026-01-01": 1, "2026-01-02": 8, "2026-01-04": 4})
    '▁█ ▄'
    """
    if not counts:
        return ""
    days = {date.fromisoformat(day): count for day, count in counts.items()}
    last, most = max(days), max(*days.values(), 1)
    length = min((last - min(days)).days, _WIDEST - 1)
    shown = [days.get(last - timedelta(days=back), 0) for back in range(length, -1, -1)]
    return "".join(_BARS[(count * len(_BARS) - 1) // most] if count else " " for count in shown)
