"""`headwater diff`: the difference between two moments."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.cli.client.question import (
    PICTURES,
    DepthOption,
    DirectionOption,
    MomentCommand,
    PictureOption,
    answer_of,
    check_format,
    moment,
    present,
)
from headwater.cli.options import ConfigOption, TenantOption, UrlOption, WhereOption

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("diff", cls=MomentCommand)(diff)


def diff(
    earlier: Annotated[
        str, typer.Argument(metavar="EARLIER", help="A time, a date (its beginning), yesterday, -1d, -2w.")
    ],
    later: Annotated[
        str | None, typer.Argument(metavar="[LATER]", help="Another, not before it; of a day, its end. Default: now.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Only the lineage of this; default everything.")] = None,
    direction: DirectionOption = "both",
    depth: DepthOption = 5,
    data: WhereOption = None,
    url: UrlOption = None,
    format_: PictureOption = "tree",
    tenant: TenantOption = None,
    config: ConfigOption = None,
) -> None:
    """Show what appeared, vanished or changed between two moments."""
    check_format(format_, PICTURES)
    now = present()
    end = moment(later, "LATER", "last", now)
    times = moment(earlier, "EARLIER", now=now) or 0, now if end is None else end
    sent: dict[str, Any] = {"from": earlier, "to": later, "name": name, "direction": direction, "depth": depth}

    def ask(reader: Any, tenant_id: int) -> Any:
        from headwater.lineage.difference.diff import diff as ask_diff

        return ask_diff(reader, tenant_id, *times, name=name, direction=direction, depth=depth)

    answer = answer_of((data, url, tenant, config), "/api/v2/diff", sent, ask)
    from headwater.cli.output.difference import print_diff

    print_diff(answer, format_)
