"""`headwater failures` and `headwater overdue`: what needs attention now."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import AsOfOption, Target, answer_of, check_format, moment, present
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]

_FORMATS = ("table", "json", "csv")
_SHOWN_OF_FAILURES = ("at", "job", "feeds_datasets", "feeds_reports", "recovered", "reason")
_SHOWN_OF_OVERDUE = ("expected_at", "dataset", "reason", "job", "last_written")
_LONGEST = 80
FormatOption = Annotated[str, typer.Option("--format", "-f", help="table, json or csv.")]
LimitOption = Annotated[int, typer.Option(min=1, max=500, help="How many are listed; all are counted.")]


def register(app: typer.Typer) -> None:
    app.command("failures")(failures)
    app.command("overdue")(overdue)


def failures(
    since: Annotated[str | None, typer.Option("--since", help="From this time on; without it, for a day.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Until this time.")] = None,
    limit: LimitOption = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: FormatOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List failed runs, datasets downstream of them, and whether their jobs have succeeded since."""
    check_format(format_, _FORMATS)
    now = present()
    times = {"since": moment(since, "--since", now=now), "until": moment(until, "--until", "last", now)}
    sent: dict[str, Any] = {"since": since, "until": until, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        import msgspec

        from headwater.lineage.attention.failures import failures as ask_failures

        return msgspec.to_builtins(ask_failures(reader, tenant_id, **times, now=now, limit=limit))

    answer = _answer((data, url, tenant, config), "/api/v2/failures", sent, ask, format_)
    if answer is None:
        return
    from headwater.cli.output.terminal import say
    from headwater.cli.output.tree import print_note

    feeds = answer["feeds"]
    at_least = "at least " if feeds["truncated"] or answer["truncated"] else ""
    say(
        f"{answer['total']} failed, {answer['recovered']} have succeeded since; the others feed "
        f"{at_least}{feeds['datasets']} datasets and {feeds['reports']} reports"
    )
    print_note(f"from {answer['since']} to {answer['until']}")


def overdue(
    as_of: AsOfOption = None,
    limit: LimitOption = 100,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: FormatOption = "table",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """List datasets that should have been written by now and were not, by the rhythm of the jobs that write them."""
    check_format(format_, _FORMATS)
    now = present()
    at = moment(as_of, "--as-of", "last", now)
    sent: dict[str, Any] = {"as_of": as_of, "limit": limit}

    def ask(reader: Any, tenant_id: int) -> Any:
        import msgspec

        from headwater.lineage.attention.overdue import overdue as ask_overdue

        return msgspec.to_builtins(ask_overdue(reader, tenant_id, now=now, as_of=at, limit=limit))

    answer = _answer((data, url, tenant, config), "/api/v2/overdue", sent, ask, format_)
    if answer is not None:
        from headwater.cli.output.tree import print_note

        print_note(f"{answer['total']} overdue at {answer['at']}")


def _answer(target: Target, path: str, sent: dict[str, Any], ask: Any, format_: str) -> Any:
    """The answer, its items printed; None where nothing is left to print."""
    answer = answer_of(target, path, sent, ask)
    from headwater.cli.output.table import print_json, print_table
    from headwater.cli.output.tree import print_csv
    from headwater.lineage.attention.rows import FIELDS_OF_FAILURES, FIELDS_OF_OVERDUE, failure_row, overdue_row

    of_failures = path.endswith("failures")
    rows = [(failure_row if of_failures else overdue_row)(item) for item in answer["items"]]
    if format_ == "json":
        print_json(answer)
        return None
    if format_ == "csv":
        print_csv(rows, (), FIELDS_OF_FAILURES if of_failures else FIELDS_OF_OVERDUE)
        return None
    short = [{name: _short(value) for name, value in row.items()} for row in rows]
    print_table(short, _SHOWN_OF_FAILURES if of_failures else _SHOWN_OF_OVERDUE)
    return answer


def _short(value: Any) -> Any:
    """The first line of a text, cut to fit."""
    if not isinstance(value, str) or (len(value) <= _LONGEST and "\n" not in value):
        return value
    return value.split("\n", 1)[0][:_LONGEST] + "…"
