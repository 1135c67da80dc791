"""`headwater usage`: how much a dataset is read and written, or a job runs, day by day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

import typer

from headwater.cli.asking import answer_of, check_format, moment
from headwater.cli.complete import complete_name
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register", "sparkline"]

_FORMATS = ("table", "json", "csv")
_BARS = "▁▂▃▄▅▆▇█"
_WIDEST = 90
"""Days of a sparkline."""


def register(app: typer.Typer) -> None:
    app.command("usage")(usage)


def usage(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A dataset or a job.", autocompletion=complete_name)],
    since: Annotated[str | None, typer.Option("--since", help="From the day of this time on.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="To the day of this time, which counts too.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many days at most, the newest; 1 to 1000.")] = 90,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")] = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show by day how much a dataset is read and written, or how a job runs."""
    check_format(format_, _FORMATS)
    times = {"since": moment(since, "--since"), "until": moment(until, "--until", "last")}
    sent: dict[str, Any] = {"name": name, "since": since, "until": until, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.series import series

        return series(reader, tenant_id, name, **times, limit=limit)

    answer = answer_of((data, url, tenant, config), "/api/v2/series", sent, ask)
    from headwater.cli.draw import print_csv, print_note
    from headwater.cli.table import print_json, print_table
    from headwater.cli.terminal import say
    from headwater.lineage.series import fields_of

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
    if not days and answer["freshness"] is None:
        print_note("nothing was summed up yet: `headwater pipeline rollup` does, `headwater up` keeps it up to date")
    if answer["freshness"] is not None:
        print_note(f"summed up at {answer['freshness']['updated_at']}")
    if answer["truncated"]:
        print_note(f"only the newest {limit} days; --limit and --until show others")


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
